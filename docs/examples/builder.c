/* builder: a kernel built by calls instead of text, compiled without a device, and
 * disassembled.
 *
 *	cc builder.c $(pkg-config --cflags --libs qdgpu-dis qdgpu) -o builder
 *	builder [TARGET]	for example: builder spirv:w16 */
#include <stdio.h>
#include <stdlib.h>

#include <qdgpu/dis.h>
#include <qdgpu/qd.h>

/* dst[i] = src of the neighboring lane, in pairs */
static qd_status
swap_pairs(struct qd_context *c, struct qd_kernel **out, struct qd_error *e)
{
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i;

	if (qd_builder_create(c, "swap_pairs", &b, e))
		return e->code;
	src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	qd_store(b, dst, i, qd_subgroup_shuffle_xor(b, qd_load(b, src, i), qd_u32(b, 1)));
	return qd_builder_finish(b, out, e);
}

int
main(int argc, char **argv)
{
	const char *target = argc > 1 ? argv[1] : "spirv:w32";
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_error e;
	struct qd_context *c;
	struct qd_kernel *k;
	struct qd_image *image;
	char *text;
	size_t size;

	if (qd_context_create(&desc, &c, &e) || swap_pairs(c, &k, &e) ||
	    qd_compile(c, k, target, NULL, 0, &image, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	if (qd_dis_image(image, &text, NULL, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	qd_image_data(image, &size);
	printf("; %s for %s: %zu bytes\n%s", qd_kernel_name(k), qd_image_target(image), size, text);
	free(text);
	qd_image_free(image);
	qd_kernel_free(k);
	qd_context_free(c);
	return 0;
}
