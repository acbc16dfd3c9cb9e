/* count [DEVICE]: counts the even numbers among every four, with a reduction. */
#include <qdgpu/qd.h>
#include <stdio.h>
#include <string.h>

enum { N = 32, TILE = 4 };

static const char text[] =
	"kernel even(src: in u32[], dst: out u32[]) block(32) {\n"
	"  for i in grid(src.len) {\n"
	"    let n = subgroup.reduce_add_tiled(1u - src[i] % 2u, 2);\n"
	"    if subgroup.tile_lane(2) == 0 { dst[i / 4] = n; }\n"
	"  }\n"
	"}\n";

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	const char *selector = argc > 1 ? argv[1] : "ref:8";
	uint32_t src[N], dst[N / TILE];
	struct qd_context *ctx = NULL;
	struct qd_module *module = NULL;
	struct qd_kernel *kernel = NULL;
	struct qd_device *dev = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *stream = NULL;
	struct qd_buffer *in = NULL, *out = NULL;
	struct qd_arg args[2];
	struct qd_error e;
	int rc = 1;

	for (uint32_t i = 0; i < N; i++)
		src[i] = i * i / 3;
	if (qd_context_create(&desc, &ctx, &e) ||
	    qd_module_parse(ctx, text, strlen(text), "count.qdk", &module, &e) ||
	    qd_module_kernel(module, "even", NULL, 0, &kernel, &e) ||
	    qd_device_open(ctx, selector, &dev, &e) ||
	    qd_function_get(dev, kernel, NULL, 0, &fn, &e) || qd_stream_create(dev, &stream, &e) ||
	    qd_buffer_create(dev, sizeof src, 0, &in, &e) ||
	    qd_buffer_create(dev, sizeof dst, 0, &out, &e) ||
	    qd_buffer_upload(stream, in, 0, src, sizeof src, &e))
		goto failed;
	args[0] = qd_arg_buffer(in);
	args[1] = qd_arg_buffer(out);
	if (qd_launch(stream, fn, QD_GRID, args, 2, &e) ||
	    qd_buffer_download(stream, out, 0, dst, sizeof dst, &e))
		goto failed;
	for (uint32_t i = 0; i < N / TILE; i++)
		printf("%u%c", (unsigned)dst[i], i + 1 < N / TILE ? ' ' : '\n');
	rc = 0;
failed:
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_stream_free(stream);
	qd_function_free(fn);
	qd_device_close(dev);
	qd_kernel_free(kernel);
	qd_module_free(module);
	qd_context_free(ctx);
	return rc;
}
