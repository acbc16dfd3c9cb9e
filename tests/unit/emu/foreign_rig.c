/* Fixture declared in foreign_rig.h. */
#include "foreign_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "amdgpu_fake.h"

/* Selects this processor for the fake libdrm, if QD_TEST_ON requests it. */
static bool
on_amdgpu(const char *processor)
{
	const char *on = getenv("QD_TEST_ON");
	char config[64];

	if (!on || strcmp(on, "amdgpu") != 0 || !amdgpu_fake())
		return false;
	snprintf(config, sizeof config, "gpu=%.*s delays=0", (int)strcspn(processor, ":"), processor);
	amdgpu_fake()->set(config);
	return true;
}

bool
foreign_open(struct unit_ctx *t, struct foreign_rig *r, const char *processor)
{
	char selector[64];

	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->mem);
	r->is_amdgpu = on_amdgpu(processor);
	snprintf(selector, sizeof selector, "%s%s", r->is_amdgpu ? "amdgpu:0" : "emu:",
		 r->is_amdgpu ? processor + strcspn(processor, ":") : processor);
	const struct qd_context_desc desc = { .version = QD_VERSION,
					      .allocator = unit_alloc_hooks(&r->mem) };
	qd_status st = qd_context_create(&desc, &r->ctx, &r->e);
	st = st ? st : qd_device_open(r->ctx, selector, &r->dev, &r->e);
	st = st ? st : qd_stream_create(r->dev, &r->stream, &r->e);
	st = st ? st : qd_buffer_create(r->dev, WAVE_IN * 4, 0, &r->in, &r->e);
	st = st ? st : qd_buffer_create(r->dev, WAVE_OUT * 4, 0, &r->out, &r->e);
	UNIT_CHECK(t, st == QD_OK, "%s: %s", selector, r->e.text);
	return st == QD_OK;
}

void
foreign_close(struct unit_ctx *t, struct foreign_rig *r)
{
	qd_buffer_free(r->in);
	qd_buffer_free(r->out);
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	if (r->is_amdgpu)
		amdgpu_fake_end(t);
	UNIT_CHECK(t, r->mem.n_out == 0, "%zu blocks are not freed", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

const struct wave_object *
foreign_object(const char *source, const char *target, unsigned wave)
{
	for (unsigned i = 0; i < wave_n_objects; i++)
		if (!strcmp(wave_objects[i].source, source) &&
		    !strcmp(wave_objects[i].target, target) && wave_objects[i].wave == wave)
			return &wave_objects[i];
	return NULL;
}

qd_status
foreign_load(struct foreign_rig *r, const struct wave_object *o, const char *kernel,
	     const struct qd_object_options *options, struct qd_function **out)
{
	struct qd_image *image = NULL;

	*out = NULL;
	qd_status st = qd_image_from_object(r->ctx, o->data, o->size, "k.co", kernel, options, &image,
					    &r->e);
	st = st ? st : qd_function_load(r->dev, image, out, &r->e);
	qd_image_free(image);
	return st;
}

qd_status
foreign_run(struct foreign_rig *r, struct qd_function *fn, uint32_t n_blocks,
	    const struct qd_arg *args, uint32_t n_args)
{
	qd_status st = qd_launch(r->stream, fn, n_blocks, args, n_args, &r->e);

	return st ? st : qd_stream_sync(r->stream, &r->e);
}

void
foreign_short_of_memory(struct unit_ctx *t, const char *object, const char *kernel,
			const struct qd_object_options *options)
{
	bool failed = true;
	size_t n = 0;

	while (failed && n < 200) {
		struct foreign_rig r;
		struct qd_function *fn = NULL;
		if (!foreign_open(t, &r, "gfx942"))
			failed = false;
		r.mem.fail_at = r.mem.n_calls + ++n;
		qd_status st = foreign_load(&r, foreign_object(object, "gfx942", 0), kernel, options, &fn);
		failed = failed && r.mem.failed_size;
		UNIT_CHECK(t, st == QD_OK || (failed && st == QD_E_NOMEM), "allocation %zu: %d, %s", n, (int)st, r.e.text);
		qd_function_free(fn);
		foreign_close(t, &r);
	}
	UNIT_CHECK(t, n > 3 && n < 200, "%zu allocations", n);
}
