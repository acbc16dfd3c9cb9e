/* sum: 16 sums of four values on the default device, from .qdk text.
 *
 *	sum [DEVICE]		for example: sum ref:32 */
#include <stdio.h>
#include <string.h>

#ifdef QD_INSTALLED
#include <qdgpu/qd.h>
#else
#include <qdgpu/qd.h>
#endif

static const char text[] =
	"kernel tile_sum<static L in 0..=5>(src: in f32[], dst: out f32[]) block(64) {\n"
	"  for i in grid(src.len) {\n"
	"    let sum = subgroup.reduce_add_tiled(src[i], L);\n"
	"    if subgroup.tile_lane(L) == 0 { dst[i >> L] = sum; }\n"
	"  }\n"
	"}\n";

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_tmpl four = { "L", 2, QD_TYPE_NONE }; /* tiles of 2^2 lanes: every device has them */
	struct qd_error e;
	struct qd_context *c;
	struct qd_module *m;
	struct qd_kernel *k;
	struct qd_device *d;
	struct qd_function *f;
	struct qd_stream *s;
	struct qd_buffer *in, *out;
	struct qd_arg args[2];
	float x[64], sums[16];

	for (int i = 0; i < 64; i++)
		x[i] = (float)i;
	if (qd_context_create(&desc, &c, &e) ||
	    qd_module_parse(c, text, strlen(text), "sum.qdk", &m, &e) ||
	    qd_module_kernel(m, "tile_sum", NULL, 0, &k, &e) ||
	    qd_device_open(c, argc > 1 ? argv[1] : NULL, &d, &e) ||
	    qd_function_get(d, k, &four, 1, &f, &e) || qd_stream_create(d, &s, &e) ||
	    qd_buffer_create(d, sizeof x, 0, &in, &e) ||
	    qd_buffer_create(d, sizeof sums, 0, &out, &e) ||
	    qd_buffer_upload(s, in, 0, x, sizeof x, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	args[0] = qd_arg_buffer(in);
	args[1] = qd_arg_buffer(out);
	if (qd_launch(s, f, QD_GRID, args, 2, &e) || qd_buffer_download(s, out, 0, sums, sizeof sums, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	for (int i = 0; i < 16; i++) {
		printf("%g%c", (double)sums[i], i < 15 ? ' ' : '\n');
		if (sums[i] != (float)(16 * i + 6)) /* 4i + (4i+1) + (4i+2) + (4i+3) */
			return fprintf(stderr, "sum %d is wrong\n", i), 1;
	}
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_function_free(f);
	qd_stream_free(s);
	qd_device_close(d);
	qd_kernel_free(k);
	qd_module_free(m);
	qd_context_free(c);
	return 0;
}
