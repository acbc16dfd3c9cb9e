/* Fuzz target: bytes as a code object or a bundle of them. Each kernel becomes an image, which is
 * saved, loaded on its device, and launched for a few instructions. Nothing may crash, read out of
 * bounds or hang; every rejection names the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcn_object.h"
#include "hsa.h"
#include "jit.h"
#include "text.h"
#include "wave_kernels.h"

enum { MAX_SIZE = 1 << 16, MAX_KERNELS = 3, N_BLOCKS = 2 };

static const uint32_t sizes[] = { 64, 4096 };
static const struct qd_object_options choices[] = {
	{ .n_shared = 0 },
	{ .block = { 64 } },
	{ .block = { 8, 4, 2 }, .shared = sizes, .n_shared = 2 },
};

/* -- One image --------------------------------------------------------------------------- */

static void
launch(struct kit *k, struct qd_device *dev, struct qd_function *fn, const struct qd_image *image)
{
	static const uint8_t zeros[LAYOUT_MAX_ARGS];
	struct qd_stream *stream = NULL;
	struct qd_buffer *buffer = NULL;
	struct qd_arg args[MAX_PARAM];
	uint32_t n = qd_image_param_count(image);

	if (qd_stream_create(dev, &stream, &k->err) || qd_buffer_create(dev, 4096, 0, &buffer, &k->err))
		kit_broken("a stream and a buffer", k->err.text);
	for (uint32_t i = 0; i < n; i++) {
		struct qd_param_info p;
		if (qd_image_param(image, i, &p, &k->err) || strlen(p.name) > MAX_SIZE)
			kit_broken("a parameter that is counted is not reported", k->err.text);
		args[i] = p.is_buffer			   ? qd_arg_buffer(buffer)
			  : p.type == QD_TYPE_NONE	   ? qd_arg_bytes(zeros, p.size)
							   : (struct qd_arg){ .type = p.type };
	}
	kit_begin(k, "launch");
	if (kit_end(k, qd_launch(stream, fn, N_BLOCKS, args, n, &k->err))) {
		kit_begin(k, "sync");
		kit_end(k, qd_stream_sync(stream, &k->err));
	}
	qd_buffer_free(buffer);
	qd_stream_free(stream);
}

static void
run(struct kit *k, struct qd_image *image)
{
	const char *target = qd_image_target(image);
	struct qd_device *dev = NULL;
	struct qd_function *fn = NULL;
	char selector[64];

	snprintf(selector, sizeof selector, "emu:%.*s", (int)strcspn(target, ":"), target);
	kit_begin(k, "device");
	if (!kit_end(k, qd_device_open(k->ctx, selector, &dev, &k->err)))
		kit_broken("an image for a target without an emulator", k->err.text);
	kit_begin(k, "load");
	if (kit_end(k, qd_function_load(dev, image, &fn, &k->err)))
		launch(k, dev, fn, image);
	qd_function_free(fn);
	qd_device_close(dev);
}

/* Saves the image and checks that it loads again. */
static void
save(struct kit *k, struct qd_image *image)
{
	struct qd_image *back = NULL;
	size_t len = 0;

	kit_begin(k, "save");
	if (!kit_end(k, qd_image_save(image, NULL, 0, &len, &k->err)))
		return;
	void *bytes = malloc(len);
	if (!bytes || qd_image_save(image, bytes, len, &len, &k->err) ||
	    qd_image_load(k->ctx, bytes, len, &back, &k->err) || !jit_same_file(image, back) ||
	    kit_injected("text"))
		kit_broken("the saved file is not accepted", k->err.text);
	qd_image_free(back);
	free(bytes);
}

static void
try(struct kit *k, const uint8_t *data, size_t size, const char *kernel)
{
	struct qd_image *image = NULL;

	for (size_t i = 0; i < QD_COUNT(choices); i++) {
		kit_begin(k, "image");
		if (!kit_end(k, qd_image_from_object(k->ctx, data, size, "fuzz", kernel, &choices[i], &image,
						     &k->err))) {
			if (strncmp(k->err.text, "fuzz: ", 6) != 0)
				kit_broken("an error without the file name", k->err.text);
			continue;
		}
		save(k, image);
		run(k, image);
		qd_image_free(image);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_object o;
	struct qd_error e;
	struct kit k;

	setenv("QD_EMU_STEPS", "300", 1);
	kit_open(&k);
	try(&k, data, size, NULL);
	struct arena mem;
	arena_init(&mem, &k.ctx->pool);
	if (code_object_read(&mem, data, size, 0, &o, &e) == QD_OK) {
		/* The bytes select the kernels. */
		for (uint32_t i = 0; i < MAX_KERNELS && i < o.n_kernels; i++)
			try(&k, data, size, o.kernels[(size * 7 + data[size / 2] + i) % o.n_kernels].name);
	}
	arena_fini(&mem);
	kit_close(&k);
	return 0;
}

/* -- Seeds ----------------------------------------------------------------------------------- */

static size_t
give(const void *data, size_t size, uint8_t *out, size_t cap)
{
	size = size < cap ? size : cap;
	memcpy(out, data, size);
	return size;
}

/* A code object written by qd. */
static size_t
own(uint8_t *out, size_t cap)
{
	static const char text[] =
		"kernel own(src: in u32[], dst: out u32[], k: u32) { for i in grid(src.len) { dst[i] = src[i] + k; } }";
	static uint8_t object[MAX_SIZE];
	static size_t size;
	struct qd_module *m = NULL;
	struct qd_kernel *kernel = NULL;
	struct qd_image *image = NULL;
	struct isa_object about;
	struct buf b;
	struct kit k;

	if (size)
		return give(object, size, out, cap);
	kit_open(&k);
	if (qd_module_parse(k.ctx, text, strlen(text), "own", &m, &k.err) ||
	    qd_module_kernel(m, "own", NULL, 0, &kernel, &k.err) ||
	    qd_compile(k.ctx, kernel, "gfx1100", NULL, 0, &image, &k.err))
		kit_broken("seeds", k.err.text);
	struct hsa_kernel h = { image->code, image->code_size, &image->meta, image->layout,
				image->target->m.name };
	image->target->isa->object(image->target, &about);
	buf_init(&b, &k.ctx->pool);
	if (hsa_write(&b, &about, &h, 1, &k.err) == QD_OK)
		size = give(buf_data(&b), b.len, object, sizeof object);
	else /* without libelf */
		size = give(object_fixtures[0].data, object_fixtures[0].size, object, sizeof object);
	buf_fini(&b);
	qd_image_free(image);
	qd_kernel_free(kernel);
	qd_module_free(m);
	kit_close(&k);
	return give(object, size, out, cap);
}

size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	size_t n = 0;

	if (i < N_OBJECT_FIXTURES)
		return give(object_fixtures[i].data, object_fixtures[i].size, out, cap);
	i -= N_OBJECT_FIXTURES;
	if (!i--)
		return own(out, cap);
	if (!i--)
		return object_bundle(BUNDLE_PLAIN, out, cap);
	if (!i--)
		return object_bundle(BUNDLE_OFFLOAD, out, cap);
	for (unsigned k = 0; k < wave_n_objects; k++) {
		if (!wave_has_rows(&wave_objects[k]) && n++ == i)
			return give(wave_objects[k].data, wave_objects[k].size, out, cap);
	}
	return 0;
}
