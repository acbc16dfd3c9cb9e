/* Kernels as a file of code: the output names that request one, and code objects, which contain
 * several kernels. */
#include "dis.h"

#include "hsa.h"
#include "jit.h"

void
dis_name_kind(struct dis_request *r)
{
	const char *end = r->output ? strrchr(r->output, '.') : NULL;
	struct target t;

	if (!end || !r->target || r->text || isa_target(r->target, &t, QD_IGNORE_ERROR) != QD_OK)
		return;
	r->object = t.isa->object && strcmp(end + 1, HSA_EXTENSION) == 0;
	r->binary |= r->object || (t.isa->extension && strcmp(end + 1, t.isa->extension) == 0);
}

void
dis_object_add(struct dis *s, struct qd_image *img)
{
	buf_put(&s->images, &img, sizeof(struct qd_image *));
	if (s->images.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
}

void
dis_object_write(struct dis *s)
{
	struct qd_image **images = (struct qd_image **)(void *)buf_data(&s->images);
	uint32_t n = (uint32_t)(s->images.len / sizeof(struct qd_image *));
	struct isa_object object;
	struct arena mem;
	struct buf out;
	struct qd_error e;

	if (!n)
		return;
	arena_init(&mem, &s->ctx->pool);
	buf_init(&out, &s->ctx->pool);
	struct hsa_kernel *kernels = arena_alloc(&mem, n * sizeof *kernels);
	if (!kernels)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < n; i++)
		kernels[i] = (struct hsa_kernel){ images[i]->code, images[i]->code_size,
						  &images[i]->meta, images[i]->layout,
						  images[i]->target->m.name };
	images[0]->target->isa->object(images[0]->target, &object);
	if (hsa_write(&out, &object, kernels, n, &e))
		tool_fail(&e);
	fwrite(buf_data(&out), 1, out.len, s->out.file);
	for (uint32_t i = 0; i < n; i++)
		qd_image_free(images[i]);
	buf_fini(&out);
	arena_fini(&mem);
}
