/* The last step of kernel creation: checks the uniformity rules, as far as they can be decided
 * without a target, on the result of the builder or the reader. */
#include "build.h"
#include "pass.h"

static qd_status
checked(qd_status st, struct qd_kernel **k, struct qd_kernel **out, struct qd_error *err)
{
	if (!st && (st = pass_check_kernel(*k, err)))
		qd_kernel_free(*k);
	*out = st ? NULL : *k;
	return st;
}

qd_status
qd_builder_finish(struct qd_builder *b, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_kernel *k = NULL;

	if (b && !out)
		qd_builder_free(b);
	QD_CHECK_ARG(b && out, err, "builder or result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(b->ctx, err);
	return checked(build_finish(b, &k, err), &k, out, err);
}

qd_status
qd_kernel_read(struct qd_context *ctx, const char *text, size_t len, const char *name,
	       struct qd_kernel **out, struct qd_error *err)
{
	struct qd_kernel *k = NULL;
	struct pool_quota quota;
	qd_status st;

	QD_CHECK_ARG(ctx && text && out, err, "context, text or result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	name = name ? name : "-";
	ctx_quota_begin(ctx, &quota);
	st = checked(ir_read(ctx, text, len, name, &k, err), &k, out, err);
	return ctx_quota_end(ctx, &quota, name, st, err);
}
