/* Saving and loading of images. */
#include <stdio.h>
#include <stdlib.h>

#include "fatbin_kit.h"

/* Saves the image. The first call has too little room and only returns the size. */
static void *
save(struct unit_ctx *t, const struct qd_image *img, size_t *size)
{
	struct qd_error e = { 0 };
	char few[16];
	size_t len = 0;

	memset(few, 0x55, sizeof few);
	qd_status st = qd_image_save(img, few, sizeof few, size, &e);
	if (st == QD_E_UNAVAILABLE) {
		unit_skip(t, e.text);
		return NULL;
	}
	bool same = few[0] == 0x55 && few[15] == 0x55;
	void *bytes = malloc(*size);
	UNIT_CHECK(t, !st && same && bytes && !qd_image_save(img, bytes, *size, &len, &e) && len == *size, "%s", e.text);
	return bytes;
}

/* Checks that a saved and loaded image is unchanged and computes the same results. */
static void
saved(struct unit_ctx *t)
{
	static const struct {
		const char *target, *device;
	} rows[] = { { "ptx:sm_90", "emu:sm_90" }, { "gfx1100", "emu:gfx1100" }, { "ref:w8", "ref:8" },
		     { "spirv:w32", NULL } };
	static const char text[] = "qdk 2;\nkernel tiles<static L in 0..=5>(a: in u32[], b: out u32[]) block(64) {\n"
				   "  for i in grid(a.len) { b[i] = subgroup.reduce_add_tiled(a[i], L); }\n}\n";
	const struct qd_tmpl two = { "L", 2, QD_TYPE_NONE };
	struct qd_kernel *kernel = NULL;
	struct qd_module *m = NULL;
	struct fat_kit k;

	if (!fat_open(t, &k, true))
		return;
	UNIT_CHECK(t, !qd_module_parse(k.rig.ctx, text, strlen(text), "s.qdk", &m, &k.rig.e) &&
			   !qd_module_kernel(m, "tiles", NULL, 0, &kernel, &k.rig.e),
		   "%s", k.rig.e.text);
	for (size_t i = 0; kernel && i < QD_COUNT(rows) && !t->skipped; i++) {
		struct qd_image *img = NULL, *back = NULL;
		struct qd_device *dev = NULL;
		struct qd_function *fn = NULL;
		struct qd_error e = { 0 };
		size_t size = 0, n = 0, n_back = 0;
		UNIT_CHECK(t, !qd_compile(k.rig.ctx, kernel, rows[i].target, &two, 1, &img, &e), "%s", e.text);
		void *bytes = img ? save(t, img, &size) : NULL;
		bool good = bytes && !qd_image_load(k.rig.ctx, bytes, size, &back, &e);
		UNIT_CHECK(t, good || t->skipped, "%s: %s", rows[i].target, e.text);
		if (good) {
			const void *a = qd_image_data(img, &n), *b = qd_image_data(back, &n_back);
			memset(bytes, 0, size); /* the image must not refer to these bytes */
			UNIT_CHECK(t, n == n_back && (!n || !memcmp(a, b, n)) &&
					   !strcmp(qd_image_target(img), qd_image_target(back)) &&
					   qd_image_subgroup_size(img) == qd_image_subgroup_size(back),
				   "%s: %zu bytes, loaded %zu for %s", rows[i].target, n, n_back,
				   qd_image_target(back));
		}
		if (good && rows[i].device) {
			good = !qd_device_open(k.rig.ctx, rows[i].device, &dev, &e) &&
			       !qd_function_load(dev, back, &fn, &e);
			UNIT_CHECK(t, good, "%s", e.text);
		}
		if (fn)
			fat_launch(t, dev, fn, QD_TYPE_U32, 2, rows[i].target);
		qd_function_free(fn);
		qd_device_close(dev);
		free(bytes);
		qd_image_free(img);
		qd_image_free(back);
	}
	qd_kernel_free(kernel);
	qd_module_free(m);
	fat_close(t, &k);
}

/* Checks that other fatbins are not accepted as saved images. */
static void
not_saved(struct unit_ctx *t)
{
	struct fatbin_options options = { .stem = "kit", .codec = FATBIN_RAW };
	struct qd_image *img;
	struct qd_error e = { 0 };
	struct fat_kit k;
	size_t size = 0;

	if (!fat_open(t, &k, true))
		return;
	uint8_t *bytes = fat_object(t, &k, &options, &size);
	if (bytes) {
		qd_status st = qd_image_load(k.rig.ctx, bytes, size, &img, &e);
		UNIT_CHECK(t, st == QD_E_INVALID && !img && !strcmp(e.text, "qd_image_load: a fatbin of 7 entries; a saved image has one entry"),
			   "%s", e.text);
		st = qd_image_load(k.rig.ctx, bytes, 100, &img, &e);
		UNIT_CHECK(t, st == QD_E_INVALID && !img && strstr(e.text, "image: offset 0x"), "%s", e.text);
	}
	free(bytes);
	/* An entry with the kernel, which is for no target. */
	struct fatbin_item first = k.item[0];
	uint32_t n = k.n;
	k.item[0] = k.item[n - 1];
	k.n = 1;
	bytes = t->skipped ? NULL : fat_object(t, &k, &options, &size);
	if (bytes) {
		qd_status st = qd_image_load(k.rig.ctx, bytes, size, &img, &e);
		UNIT_CHECK(t, st == QD_E_INVALID && !img && !strcmp(e.text, "qd_image_load: kernel 'twice' is stored as IR ('qdir'), not as code; open it with qd_fatbin_open"),
			   "%s", st ? e.text : "loaded");
	}
	free(bytes);
	k.item[0] = first;
	k.n = n;
	fat_close(t, &k);
}

/* Checks a saved image with many long names of template values. */
static void
long_names(struct unit_ctx *t)
{
	enum { N = 16, LEN = 200 };
	char names_of[N][LEN + 1];
	struct qd_tmpl tmpl[N];
	struct qd_builder *b = NULL;
	struct qd_kernel *kernel = NULL;
	struct qd_image *img = NULL, *back = NULL;
	struct unit_rig r;
	size_t size = 0;

	if (!unit_rig_open(t, &r))
		return;
	bool good = !qd_builder_create(r.ctx, "named", &b, &r.e);
	if (good) {
		struct qd_array d = qd_param_buffer(b, "d", QD_TYPE_I32, QD_ACCESS_OUT);
		struct qd_val i = qd_grid(b, qd_len(b, d)), v = qd_i32(b, 0);
		for (int n = 0; n < N; n++) {
			memset(names_of[n], 'a' + n, LEN);
			names_of[n][LEN] = '\0';
			tmpl[n] = (struct qd_tmpl){ names_of[n], n, QD_TYPE_NONE };
			v = qd_add(b, v, qd_template_value(b, qd_template(b, names_of[n], 0, 20)));
		}
		qd_store(b, d, i, v);
		good = !qd_builder_finish(b, &kernel, &r.e) &&
		       !qd_compile(r.ctx, kernel, "ref:w8", tmpl, N, &img, &r.e);
	}
	UNIT_CHECK(t, good, "%s", r.e.text);
	qd_status st = good ? qd_image_save(img, NULL, 0, &size, &r.e) : QD_OK;
	if (good && st == QD_OK) {
		void *bytes = malloc(size);
		UNIT_CHECK(t, bytes && !qd_image_save(img, bytes, size, &size, &r.e) &&
				   !qd_image_load(r.ctx, bytes, size, &back, &r.e),
			   "%s", r.e.text);
		UNIT_CHECK(t, back && !memcmp(back->tmpl, img->tmpl, N * sizeof *img->tmpl), "other values");
		free(bytes);
	}
	qd_image_free(back);
	qd_image_free(img);
	qd_kernel_free(kernel);
	unit_rig_close(t, &r);
}

const struct unit units_fatbin_save[] = {
	{ "fatbin_save.saved", saved },
	{ "fatbin_save.not_saved", not_saved },
	{ "fatbin_save.long_names", long_names },
};
const unsigned n_units_fatbin_save = QD_COUNT(units_fatbin_save);
