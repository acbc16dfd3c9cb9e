/* Fixture declared in ref_rig.h. */
#include <stdio.h>

#include "ref_rig.h"

static void
collect(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct rig *r = user;
	size_t room = sizeof r->log - r->len;
	int n;

	(void)len;
	if (level > QD_LOG_WARNING && strcmp(component, "print") != 0)
		return;
	n = snprintf(r->log + r->len, room, "%s %s: %s\n",
		     level == QD_LOG_ERROR     ? "error"
		     : level == QD_LOG_WARNING ? "warning"
					       : "info",
		     component, msg);
	r->len += n > 0 && (size_t)n < room ? (size_t)n : 0;
}

bool
rig_open(struct rig *r, struct unit_ctx *t, const char *selector)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .log = collect, .log_user = r };

	memset(r, 0, sizeof *r);
	r->t = t;
	unit_alloc_init(&r->mem);
	desc.allocator = unit_alloc_hooks(&r->mem);
	if (qd_context_create(&desc, &r->ctx, &r->err) ||
	    qd_device_open(r->ctx, selector, &r->dev, &r->err) ||
	    qd_stream_create(r->dev, &r->stream, &r->err)) {
		UNIT_CHECK(t, false, "%s: %s", selector, r->err.text);
		return false;
	}
	return true;
}

bool
rig_open_size(struct rig *r, struct unit_ctx *t, uint32_t size)
{
	char selector[16];

	snprintf(selector, sizeof selector, "ref:%u", size);
	return rig_open(r, t, selector);
}

void
rig_close(struct rig *r)
{
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	UNIT_CHECK(r->t, r->mem.n_out == 0, "%zu blocks leak", r->mem.n_out);
	UNIT_CHECK(r->t, !r->mem.wrong_size, "freed with a size other than that of its allocation");
	unit_alloc_fini(&r->mem);
}

struct qd_builder *
rig_kernel(struct rig *r, uint32_t block_dim)
{
	struct qd_builder *b = NULL;

	qd_builder_create(r->ctx, "k", &b, &r->err);
	qd_block(b, block_dim, 1, 1);
	return b;
}

qd_status
rig_launch(struct rig *r, const struct qd_kernel *kernel, uint32_t n_blocks, const struct io *io,
	   uint32_t n)
{
	struct qd_function *fn;
	struct qd_buffer *buf[4] = { NULL };
	struct qd_arg arg[4];
	qd_status synced = QD_E_INTERNAL;
	qd_status st = qd_function_get(r->dev, kernel, NULL, 0, &fn, &r->err);

	r->len = 0;
	r->log[0] = '\0';
	r->err.text[0] = '\0';
	for (uint32_t i = 0; i < n && !st; i++) {
		st = qd_buffer_create(r->dev, io[i].size, 0, &buf[i], &r->err);
		if (!st)
			st = qd_buffer_upload(r->stream, buf[i], 0, io[i].data, io[i].size,
					      &r->err);
		arg[i] = qd_arg_buffer(buf[i]);
	}
	if (!st)
		st = qd_launch(r->stream, fn, n_blocks, arg, n, &r->err);
	UNIT_CHECK(r->t, !st, "%s", r->err.text);
	if (!st)
		synced = qd_stream_sync(r->stream, &r->err);
	for (uint32_t i = 0; i < n && buf[i]; i++) {
		qd_buffer_download_async(r->stream, buf[i], 0, io[i].data, io[i].size, NULL);
		qd_buffer_free(buf[i]);
	}
	UNIT_CHECK(r->t, qd_stream_sync(r->stream, NULL) == QD_OK, "a finding comes twice");
	return synced;
}

qd_status
rig_run(struct rig *r, struct qd_builder *b, uint32_t n_blocks, const struct io *io, uint32_t n)
{
	struct qd_kernel *kernel = NULL;
	qd_status st = qd_builder_finish(b, &kernel, &r->err);

	if (st) {
		UNIT_CHECK(r->t, false, "%s", r->err.text);
		return QD_E_INTERNAL;
	}
	st = rig_launch(r, kernel, n_blocks, io, n);
	qd_kernel_free(kernel);
	return st;
}

void
rig_text(struct unit_ctx *t, const char *got, const char *want)
{
	UNIT_CHECK(t, strcmp(got, want) == 0, "got  \"%s\"\n\twant \"%s\"", got, want);
}

struct qd_array
rig_dst(struct qd_builder *b)
{
	return qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
}

struct qd_val
rig_thread(struct qd_builder *b)
{
	return qd_cast(b, QD_TYPE_U32, qd_block_global_thread_idx(b));
}

/* -- Scenes -------------------------------------------------------------------- */

struct qd_builder *
scene_make(struct rig *r, const struct scene_check *c)
{
	struct scene k = { .b = rig_kernel(r, c->block_dim) };

	k.src = qd_param_buffer(k.b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	k.dst = rig_dst(k.b);
	k.mem = qd_param_buffer(k.b, "mem", QD_TYPE_U32, QD_ACCESS_INOUT);
	k.i = rig_thread(k.b);
	k.v = qd_load_else(k.b, k.src, k.i, qd_u32(k.b, 0));
	c->build(&k);
	return k.b;
}

void
scene_run(struct unit_ctx *t, const struct scene_check *checks, size_t n)
{
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	for (const struct scene_check *c = checks; c < checks + n; c++) {
		uint32_t src[SCENE_SIZE], dst[SCENE_SIZE] = { 0 }, mem[SCENE_SIZE] = { 0 };
		const struct io io[] = { IO(src), IO(dst), IO(mem) };

		for (uint32_t j = 0; j < SCENE_SIZE; j++)
			src[j] = j + 1;
		qd_status st = rig_run(&r, scene_make(&r, c), c->n_blocks, io, 3);
		UNIT_CHECK(t, st == (c->err[0] ? QD_E_FINDING : QD_OK), "%s: status %d", c->name,
			   (int)st);
		rig_text(t, r.err.text, c->err);
		if (c->log[0] || !c->err[0])
			rig_text(t, r.log, c->log);
	}
	rig_close(&r);
}

struct qd_val
scene_u32(const struct scene *k, uint32_t v)
{
	return qd_u32(k->b, v);
}

void
scene_put(const struct scene *k, struct qd_val v)
{
	qd_store(k->b, k->dst, k->i, v);
}
