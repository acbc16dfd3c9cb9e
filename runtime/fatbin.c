/* Functions from fatbins. Entries are tried in order of rank. An entry that the driver rejects is
 * skipped; if none remains, the error lists the reason for each. */
#include "function.h"
#include "select.h"

/* Returns whether another entry may succeed: the driver does not support the image, or the kernel
 * does not compile for it. Errors such as lack of memory or a lost device apply to all entries. */
static bool
is_refusal(qd_status st)
{
	return st != QD_E_NOMEM && st != QD_E_DEVICE_NOMEM && st != QD_E_DEVICE_LOST &&
	       st != QD_E_FORKED && st != QD_E_INTERNAL;
}

/* Compiles the kernel's IR for this device, with the variant's values of the template parameters
 * that the kernel still has. */
static qd_status
compile_row(struct qd_device *dev, struct qd_fatbin *f, uint32_t row, struct qd_function **out,
	    struct qd_error *err)
{
	const struct qd_kernel *k;
	struct qd_tmpl all[MAX_TMPL], tmpl[MAX_TMPL];
	struct fatbin_place at;
	char names[FATBIN_NAMES];
	uint32_t n_all, n = 0;

	fatbin_at(f, row, &at);
	QD_TRY(fatbin_kernel(f, row, &k, err));
	QD_TRY(fatbin_values(at.variant, all, &n_all, names, err));
	for (uint32_t i = 0; i < n_all; i++) {
		if (kernel_find_tmpl(k, all[i].name) < k->n_tmpls)
			tmpl[n++] = all[i];
	}
	return qd_function_get(dev, k, tmpl, n, out, err);
}

static qd_status
load_row(struct qd_device *dev, struct qd_fatbin *f, const struct select_row *r,
	 struct qd_function **out, struct qd_error *err)
{
	struct qd_image *img;

	if (r->step == SELECT_IR)
		return compile_row(dev, f, r->row, out, err);
	QD_TRY(fatbin_image(f, r->row, &img, err));
	qd_status st = qd_function_load(dev, img, out, err);
	qd_image_free(img);
	return st;
}

/* Appends a fix ahead of the entries, which may not fit in an error's text. There is none if the
 * fatbin contains IR that does not compile for the device, because an entry would not compile
 * either. */
static void
put_fix(const struct qd_device *dev, const struct select_device *sel, const struct select_row *rows, uint32_t n,
	struct buf *text)
{
	bool compiled = false;

	for (uint32_t i = 0; i < n; i++)
		compiled |= rows[i].rank && rows[i].step == SELECT_IR;
	if (*sel->only)
		buf_printf(text, "\n  fix: QD_TARGET requests '%s'; unset it", sel->only);
	else if (!compiled && dev->target.isa->runs_ir)
		buf_printf(text, "\n  fix: build the fatbin with '--target qdir'");
	else if (!compiled)
		buf_printf(text, "\n  fix: build the fatbin with '--target %s', or 'qdir'",
			   dev->target.m.name);
}

/* st: status of the best entry's rejection, or QD_E_TARGET. */
static QD_COLD qd_status
none_fits(struct qd_device *dev, struct qd_fatbin *f, const struct select_device *sel,
	  const struct select_row *rows, uint32_t n, const char *kernel, qd_status st,
	  struct qd_error *err)
{
	struct fatbin_place at;
	struct buf text;

	fatbin_at(f, rows[0].row, &at);
	buf_init(&text, &dev->ctx->pool);
	buf_printf(&text, "%s: kernel '%s'%s%s%s: no entry runs on this device", fatbin_name(f), kernel,
		   *at.variant ? " (" : "", at.variant, *at.variant ? ")" : "");
	select_explain_device(sel, &text);
	put_fix(dev, sel, rows, n, &text);
	select_explain(f, rows, n, &text);
	if (text.nomem) {
		st = qd_fail(err, QD_E_NOMEM, "%s: out of memory", fatbin_name(f));
	} else {
		buf_put(&text, "", 1);
		ctx_log(dev->ctx, QD_LOG_ERROR, "select", "%s", buf_data(&text));
		st = qd_fail_text(err, st, 0, 0, buf_data(&text), text.len - 1);
	}
	buf_fini(&text);
	return st;
}

static void
log_choice(struct qd_device *dev, struct qd_fatbin *f, const struct select_row *r)
{
	static const char *const steps[] = {
		[SELECT_IR] = "the kernel, compiled",
		[SELECT_PORTABLE] = "portable code",
		[SELECT_COMPATIBLE] = "code of an earlier processor",
		[SELECT_EXACT] = "code of this processor",
	};
	struct fatbin_place at;

	fatbin_at(f, r->row, &at);
	ctx_log(dev->ctx, QD_LOG_INFO, "select", "%s: kernel '%s'%s%s%s on %s: entry %s, %s",
		fatbin_name(f), at.kernel, *at.variant ? " (" : "", at.variant,
		*at.variant ? ")" : "", dev->info.selector, at.target, steps[r->step]);
}

/* Tries the entries in order of rank. */
static qd_status
try_rows(struct qd_device *dev, struct qd_fatbin *f, const struct select_device *sel,
	 struct select_row *rows, uint32_t n, const char *kernel, struct qd_function **out,
	 struct qd_error *err)
{
	qd_status first = QD_E_TARGET;

	for (uint32_t i = 0; i < n && rows[i].rank; i++) {
		struct qd_error why;
		qd_status st = load_row(dev, f, &rows[i], out, &why);
		if (st == QD_OK) {
			log_choice(dev, f, &rows[i]);
			return QD_OK;
		}
		if (!is_refusal(st))
			return qd_fail_text(err, st, why.line, why.col, why.text, strlen(why.text));
		first = i ? first : st;
		snprintf(rows[i].why, sizeof rows[i].why, "refused: %.*s",
			 (int)strcspn(why.text, "\n"), why.text);
	}
	return none_fits(dev, f, sel, rows, n, kernel, first, err);
}

qd_status
qd_fatbin_function(struct qd_device *dev, struct qd_fatbin *f, const char *kernel,
		   const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_function **out,
		   struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(f, err, "the fatbin is NULL");
	QD_CHECK_ARG(fatbin_ctx(f) == dev->ctx, err, "fatbin and device have different contexts");
	QD_CHECK_ARG(kernel, err, "the kernel's name is NULL");
	QD_CHECK_ARG(tmpl || n_tmpl == 0, err, "the template values are NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(dev, err);
	char name[sizeof dev->info.selector + sizeof dev->info.name + 4];
	snprintf(name, sizeof name, "%s (%s)", dev->info.selector, dev->info.name);
	struct select_device sel = { .name = name,
				     .target = &dev->target,
				     .sizes = dev->sizes,
				     .size_asked = dev->size_asked,
				     .no_facts = dev->ctx->no_facts,
				     .jit = !dev->ctx->no_jit,
				     .only = dev->ctx->only_target };
	struct select_row *found;
	uint32_t *rows, n;
	struct arena mem;
	arena_init(&mem, &dev->ctx->pool);
	qd_status st = fatbin_find(f, &mem, kernel, tmpl, n_tmpl, &rows, &n, err);
	found = st == QD_OK ? arena_alloc(&mem, n * sizeof *found) : NULL;
	if (st == QD_OK && !found)
		st = qd_fail(err, QD_E_NOMEM, "%s: out of memory", fatbin_name(f));
	if (st == QD_OK)
		st = select_rows(f, &sel, rows, n, found, err);
	if (st == QD_OK)
		st = try_rows(dev, f, &sel, found, n, kernel, out, err);
	arena_fini(&mem);
	return st;
}
