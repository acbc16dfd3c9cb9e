/* Compiles one kernel for one target, and uses nothing else: tests/scripts/emit_only.sh links it
 * statically and inspects its symbols. */
#include <stdio.h>

#include "qd.h"

int
main(void)
{
	static const char text[] = "kernel scale(x: u32[]) { for i in grid(x.len) { x[i] = x[i] * 3; } }";
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct qd_image *image;
	struct qd_error e;
	size_t size = 0;

	if (qd_context_create(&desc, &ctx, &e) || qd_module_parse(ctx, text, sizeof text - 1, "scale.qdk", &module, &e) ||
	    qd_module_kernel(module, "scale", NULL, 0, &kernel, &e) || qd_compile(ctx, kernel, "gfx1100", NULL, 0, &image, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	qd_image_data(image, &size);
	printf("%zu bytes\n", size);
	qd_image_free(image);
	qd_kernel_free(kernel);
	qd_module_free(module);
	qd_context_free(ctx);
	return size < 260;
}
