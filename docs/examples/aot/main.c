/* tiles [DEVICE]: the maximum of every eight numbers, by a kernel that was compiled with the
 * program. With QD_JIT=0 in the environment nothing is compiled at run time. */
#include <qdgpu/qd.h>
#include <stdio.h>

#include "kernels.h"

enum { N = 64, LOG2_TILE = 3, TILE = 1 << LOG2_TILE };

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	const char *selector = argc > 1 ? argv[1] : "ref:8";
	const struct qd_tmpl tmpl[] = { { .name = "T", .type = QD_TYPE_I32 },
					{ .name = "L", .value = LOG2_TILE } };
	int32_t src[N], dst[N / TILE];
	struct qd_context *ctx = NULL;
	struct qd_fatbin *fatbin = NULL;
	struct qd_device *dev = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *stream = NULL;
	struct qd_buffer *in = NULL, *out = NULL;
	struct qd_arg args[2];
	struct qd_error e;
	int rc = 1;

	for (int32_t i = 0; i < N; i++)
		src[i] = i * 37 % 101;
	if (qd_context_create(&desc, &ctx, &e) || qd_device_open(ctx, selector, &dev, &e) ||
	    qd_fatbin_open(ctx, qd_fatbin_kernels, QD_LINKED, "kernels", &fatbin, &e) ||
	    qd_fatbin_function(dev, fatbin, QD_KERNELS_GREATEST, tmpl, 2, &fn, &e) ||
	    qd_stream_create(dev, &stream, &e) || qd_buffer_create(dev, sizeof src, 0, &in, &e) ||
	    qd_buffer_create(dev, sizeof dst, 0, &out, &e) ||
	    qd_buffer_upload(stream, in, 0, src, sizeof src, &e))
		goto failed;
	args[0] = qd_arg_buffer(in);
	args[1] = qd_arg_buffer(out);
	if (qd_launch(stream, fn, QD_GRID, args, 2, &e) ||
	    qd_buffer_download(stream, out, 0, dst, sizeof dst, &e))
		goto failed;
	for (int i = 0; i < N / TILE; i++)
		printf("%d%c", (int)dst[i], i + 1 < N / TILE ? ' ' : '\n');
	rc = 0;
failed:
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_stream_free(stream);
	qd_function_free(fn);
	qd_device_close(dev);
	qd_fatbin_free(fatbin);
	qd_context_free(ctx);
	return rc;
}
