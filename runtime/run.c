/* qd_run: a whole run in one call, implemented with public functions only. */
#include <stdio.h>

#include "device.h"

struct one_run {
	struct qd_device *dev;
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *made;
	struct qd_function *fn;
	struct qd_stream *stream;
	uint32_t n;
	struct qd_arg *args;	   /* arguments of the launch */
	struct qd_buffer **owned; /* buffers created here, by parameter */
};

static qd_status
only_kernel(const struct qd_module *m, const char *name, const char **out, struct qd_error *err)
{
	uint32_t n = qd_module_kernel_count(m);
	char list[512];
	size_t len = 0;
	if (n == 1) {
		*out = qd_module_kernel_name(m, 0);
		return QD_OK;
	}
	if (!n)
		return qd_fail(err, QD_E_NOT_FOUND, "qd_run: %s has no kernel", name);
	list[0] = '\0';
	for (uint32_t i = 0; i < n && len + 1 < sizeof list; i++) {
		int more = snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "",
				    qd_module_kernel_name(m, i));
		len += more > 0 ? (size_t)more : 0;
	}
	return qd_fail(err, QD_E_INVALID, "qd_run: %s has %u kernels; name one: %s", name, n, list);
}

static bool
is_host(const struct qd_arg *a)
{
	return !a->buffer && a->type == QD_TYPE_NONE;
}

static qd_status
check_host(const struct one_run *r, uint32_t i, const struct qd_param_info *p, const struct qd_arg *a,
	   struct qd_error *err)
{
	size_t size = qd_type_size(p->type);
	const char *kernel = qd_kernel_name(r->made);
	if (!a->host && a->size)
		return qd_fail(err, QD_E_INVALID,
			       "argument %u '%s' of kernel '%s': the pointer is NULL, but the size "
			       "is %zu bytes",
			       i, p->name, kernel, a->size);
	if (a->size % size)
		return qd_fail(err, QD_E_INVALID,
			       "argument %u '%s' of kernel '%s': %zu bytes are not a multiple of "
			       "the %zu of %s",
			       i, p->name, kernel, a->size, size, qd_type_name(p->type));
	return QD_OK;
}

/* Replaces host memory with a buffer. The launch checks all other arguments. */
static qd_status
take_arg(struct one_run *r, uint32_t i, const struct qd_arg *a, struct qd_error *err)
{
	struct qd_param_info p;
	r->args[i] = *a;
	if (i >= qd_kernel_param_count(r->made) || !is_host(a))
		return QD_OK;
	QD_TRY(qd_kernel_param(r->made, i, &p, err));
	if (!p.is_buffer)
		return QD_OK;
	QD_TRY(check_host(r, i, &p, a, err));
	QD_TRY(qd_buffer_create(r->dev, a->size, 0, &r->owned[i], err));
	r->args[i] = qd_arg_buffer(r->owned[i]);
	if (!(p.access & QD_ACCESS_IN))
		return QD_OK;
	return qd_buffer_upload(r->stream, r->owned[i], 0, a->host, a->size, err);
}

static qd_status
give_back(struct one_run *r, const struct qd_arg *given, struct qd_error *err)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct qd_param_info p;
		if (!r->owned[i])
			continue;
		QD_TRY(qd_kernel_param(r->made, i, &p, err));
		if (p.access & QD_ACCESS_OUT)
			QD_TRY(qd_buffer_download_async(r->stream, r->owned[i], 0, given[i].host,
							given[i].size, err));
	}
	return qd_stream_sync(r->stream, err);
}

static qd_status
run_text(struct one_run *r, const char *text, size_t len, const char *name, const char *kernel,
	 const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t n_blocks, const struct qd_arg *given,
	 struct qd_error *err)
{
	QD_TRY(qd_module_parse(r->ctx, text, len, name, &r->module, err));
	if (!kernel)
		QD_TRY(only_kernel(r->module, name, &kernel, err));
	QD_TRY(qd_module_kernel(r->module, kernel, tmpl, n_tmpl, &r->made, err));
	QD_TRY(qd_function_get(r->dev, r->made, NULL, 0, &r->fn, err));
	QD_TRY(qd_stream_create(r->dev, &r->stream, err));
	for (uint32_t i = 0; i < r->n; i++)
		QD_TRY(take_arg(r, i, &given[i], err));
	QD_TRY(qd_launch(r->stream, r->fn, n_blocks, r->args, r->n, err));
	return give_back(r, given, err);
}

qd_status
qd_run(struct qd_device *dev, const char *text, size_t len, const char *name, const char *kernel,
       const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t n_blocks, const struct qd_arg *args,
       uint32_t n_args, struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(text || len == 0, err, "the text is NULL");
	QD_CHECK_ARG(tmpl || n_tmpl == 0, err, "the template values are NULL");
	QD_CHECK_ARG(args || n_args == 0, err, "the arguments are NULL");
	QD_CHECK_FORK(dev, err);
	struct one_run r = { .dev = dev, .ctx = dev->ctx, .n = n_args };
	struct pool *pool = &dev->ctx->pool;
	r.args = pool_new(pool, (n_args + 1) * sizeof *r.args);
	r.owned = pool_new(pool, (n_args + 1) * sizeof(struct qd_buffer *));
	struct qd_error why;
	qd_status st = QD_E_NOMEM;
	if (r.args && r.owned)
		st = run_text(&r, text, len, name ? name : "text", kernel, tmpl, n_tmpl, n_blocks, args, &why);
	else
		qd_fail(&why, st, "qd_run: out of memory");
	qd_stream_free(r.stream);
	for (uint32_t i = 0; r.owned && i < n_args; i++)
		qd_buffer_free(r.owned[i]);
	qd_function_free(r.fn);
	qd_kernel_free(r.made);
	qd_module_free(r.module);
	pool_delete(pool, r.owned);
	pool_delete(pool, r.args);
	if (st == QD_OK)
		return QD_OK;
	/* Set last, because freeing the objects may have set another error. */
	return qd_fail_text(err, st, why.line, why.col, why.text, strlen(why.text));
}
