/* Saves and loads single images, as a fatbin with one row. For targets that run IR, the row
 * contains the kernel and its template values. */
#include "fatbin.h"

/* Lists the template values of the image's kernel. */
static uint32_t
values_of(const struct qd_image *img, struct qd_tmpl *out)
{
	uint32_t n = img->kernel ? img->kernel->n_tmpls : 0;

	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct qd_tmpl){ .name = img->kernel->tmpls[i].name, .value = img->tmpl[i] };
	return n;
}

static qd_status
put_item(struct buf *out, const struct qd_image *img, const char *variant, const struct buf *ir,
	 struct qd_error *err)
{
	struct fatbin_item item = {
		.kernel = layout_name(img->layout),
		.variant = variant,
		.target = img->target->m.name,
		.kind = img->kind,
		.flags = img->kernel && img->kernel->n_sizes ? FATBIN_SIZE_DEMANDED : 0,
		.meta = &img->meta,
		.layout = img->layout,
		.code = img->kind == CODE_IR ? (const void *)buf_data(ir) : img->code,
		.code_size = img->kind == CODE_IR ? ir->len : img->code_size,
	};
	struct fatbin_options o = { .stem = "image" };

	return fatbin_write(out, &item, 1, &o, NULL, err);
}

qd_status
qd_image_save(const struct qd_image *img, void *bytes, size_t cap, size_t *len, struct qd_error *err)
{
	QD_CHECK_ARG(img, err, "the image is NULL");
	QD_CHECK_ARG(bytes || cap == 0, err, "bytes is NULL and cap is not 0");
	QD_CHECK_ARG(len, err, "the length pointer is NULL");
	QD_CHECK_CTX(img->ctx, err);
	struct qd_tmpl tmpl[MAX_TMPL];
	struct buf out, variant, ir;
	buf_init(&out, &img->ctx->pool);
	buf_init(&variant, &img->ctx->pool);
	buf_init(&ir, &img->ctx->pool);
	fatbin_variant(&variant, tmpl, values_of(img, tmpl));
	buf_put(&variant, "", 1);
	if (img->kind == CODE_IR)
		ir_print(&ir, img->kernel, &img->kernel->ir);
	qd_status st = QD_OK;
	if (variant.nomem || ir.nomem)
		st = qd_fail(err, QD_E_NOMEM, "%s: out of memory", __func__);
	if (st == QD_OK)
		st = put_item(&out, img, buf_data(&variant), &ir, err);
	if (st == QD_OK) {
		*len = out.len;
		if (out.len <= cap)
			memcpy(bytes, buf_data(&out), out.len);
	}
	buf_fini(&out);
	buf_fini(&variant);
	buf_fini(&ir);
	return st;
}

/* Compiles the kernel of an IR row for the row's target with the row's template values. */
static qd_status
compile_row(struct qd_fatbin *f, const struct fatbin_place *at, struct qd_image **out,
	    struct qd_error *err)
{
	const struct qd_kernel *k;
	struct qd_tmpl all[MAX_TMPL], tmpl[MAX_TMPL];
	char names[FATBIN_NAMES];
	uint32_t n_all, n = 0;

	if (strcmp(at->target, "qdir") == 0)
		return qd_fail(err, QD_E_INVALID,
			       "qd_image_load: kernel '%s' is stored as IR ('qdir'), not as code; "
			       "open it with qd_fatbin_open",
			       at->kernel);
	QD_TRY(fatbin_kernel(f, 0, &k, err));
	QD_TRY(fatbin_values(at->variant, all, &n_all, names, err));
	for (uint32_t i = 0; i < n_all; i++) {
		if (kernel_find_tmpl(k, all[i].name) < k->n_tmpls)
			tmpl[n++] = all[i];
	}
	return qd_compile(fatbin_ctx(f), k, at->target, tmpl, n, out, err);
}

qd_status
qd_image_load(struct qd_context *ctx, const void *bytes, size_t size, struct qd_image **out,
	      struct qd_error *err)
{
	struct fatbin_place at;
	struct qd_fatbin *f;

	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(bytes, err, "bytes is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	QD_CHECK_ARG(size != QD_LINKED, err, "a linked fatbin is not a saved image");
	QD_TRY(qd_fatbin_open(ctx, bytes, size, "image", &f, err));
	qd_status st = QD_OK;
	if (fatbin_count(f) != 1)
		st = qd_fail(err, QD_E_INVALID,
			     "%s: a fatbin of %u entries; a saved image has one entry", __func__,
			     fatbin_count(f));
	if (st == QD_OK) {
		fatbin_at(f, 0, &at);
		st = at.row.kind == CODE_IR ? compile_row(f, &at, out, err) :
					      fatbin_image(f, 0, out, err);
	}
	qd_fatbin_free(f);
	return st;
}
