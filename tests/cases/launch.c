/* Launches kernels of cases on the device of a suite. */
#include <string.h>

#include "cases.h"

/* Compiles the kernel for the targets in t->also, which need no device; QD_DUMP writes the
 * images to files. A kernel may require other subgroup sizes than a target has. */
static qd_status
compile_also(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl,
	     uint32_t n_tmpl, struct qd_error *err)
{
	for (uint32_t i = 0; i < t->n_also; i++) {
		struct qd_image *image;
		qd_status st = qd_compile(t->ctx, k, t->also[i], tmpl, n_tmpl, &image, err);

		if (st && strstr(err->text, "requirement not met"))
			continue;
		if (st)
			return st;
		qd_image_free(image);
	}
	return QD_OK;
}

/* Returns the offset of the buffers of the next launch. On back ends that rely on launch facts, each
 * eighth launch passes slices that are not at multiples of 16 bytes. */
static size_t
next_offset(struct suite *t)
{
	const bool relies = strncmp(t->info.target, "spirv", 5) == 0 || strncmp(t->info.target, "ptx", 3) == 0;

	return t->n_launches++ % 8 == 7 && !t->aligned && relies ? 8 : 0;
}

/* Creates a buffer and the slice of it that begins at `offset`, and uploads the data. */
static qd_status
make_buffer(struct suite *t, const struct host_buffer *from, size_t offset, struct qd_buffer *out[2], struct qd_error *err)
{
	qd_status st = qd_buffer_create(t->dev, offset + from->size, 0, &out[0], err);

	if (!st)
		st = qd_buffer_slice(out[0], offset, from->size, &out[1], err);
	return st ? st : qd_buffer_upload(t->stream, out[1], 0, from->data, from->size, err);
}

/* Launches the function on slices that begin at `offset`, and downloads the results. */
static qd_status
launch_at(struct suite *t, size_t offset, struct qd_function *fn, uint32_t n_blocks, const struct host_buffer *bufs,
	  uint32_t n_bufs, struct qd_error *err)
{
	struct qd_buffer *b[16][2] = { { NULL } };
	struct qd_arg args[16] = { { 0 } };
	qd_status st = QD_OK;

	for (uint32_t i = 0; i < n_bufs && !st; i++) {
		if (bufs[i].size == 0) {
			args[i] = *(const struct qd_arg *)bufs[i].data;
			continue;
		}
		st = make_buffer(t, &bufs[i], offset, b[i], err);
		args[i] = qd_arg_buffer(b[i][1]);
	}
	if (!st)
		st = qd_launch(t->stream, fn, n_blocks, args, n_bufs, err);
	for (uint32_t i = 0; i < n_bufs && !st; i++)
		if (b[i][1])
			st = qd_buffer_download_async(t->stream, b[i][1], 0, bufs[i].data, bufs[i].size, err);
	if (!st)
		st = qd_stream_sync(t->stream, err);
	else
		qd_stream_sync(t->stream, NULL);
	for (uint32_t i = 0; i < n_bufs; i++) {
		qd_buffer_free(b[i][1]);
		qd_buffer_free(b[i][0]);
	}
	return st;
}

static qd_status
run_unwatched(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl,
	      uint32_t n_tmpl, uint32_t n_blocks, const struct host_buffer *bufs, uint32_t n_bufs,
	      struct qd_error *err)
{
	struct qd_function *fn;

	if (t->begins)
		t->begins(NULL);
	qd_status st = qd_function_get(t->dev, k, tmpl, n_tmpl, &fn, err);

	if (!st)
		st = compile_also(t, k, tmpl, n_tmpl, err);
	if (!st)
		st = launch_at(t, next_offset(t), fn, n_blocks, bufs, n_bufs, err);
	return st;
}

qd_status
run_kernel(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl,
	   uint32_t n_tmpl, uint32_t n_blocks, const struct host_buffer *bufs, uint32_t n_bufs,
	   struct qd_error *err)
{
	qd_status st = QD_OK;
	bool begin;

	if (!t->watch)
		return run_unwatched(t, k, tmpl, n_tmpl, n_blocks, bufs, n_bufs, err);
	begin = t->watch->begin(t, k, tmpl, n_tmpl);
	if (begin)
		st = run_unwatched(t, k, tmpl, n_tmpl, n_blocks, bufs, n_bufs, err);
	t->watch->end(t, begin, st, err);
	return st ? st : QD_E_UNAVAILABLE; /* there are no results */
}
