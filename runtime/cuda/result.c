/* Converts the driver's results to a status and a message. */
#include <stdio.h>

#include "cuda_internal.h"

static const struct result {
	int code;
	qd_status status;
	const char *name;
	const char *hint; /* or NULL */
} results[] = {
#define CUDA_RESULT(name, code, status, hint) { code, QD_E_##status, "CUDA_ERROR_" #name, hint },
#include "result.def"
};

static const struct result *
find(int r)
{
	static const struct result unknown = { 0, QD_E_DRIVER, "an unknown CUresult", NULL };
	for (size_t i = 0; i < QD_COUNT(results); i++) {
		if (results[i].code == r)
			return &results[i];
	}
	return &unknown;
}

const char *
cuda_result_name(int r)
{
	return find(r)->name;
}

/* Records the first call that reported the loss, with its result. */
static void
lose(struct cuda_device *dev, int r, const char *call)
{
	const struct result *row = find(r);
	pthread_mutex_lock(&dev->lost_lock);
	if (!atomic_load(&dev->base.lost)) {
		snprintf(dev->lost_by, sizeof dev->lost_by, "%s (%s, %d%s%s)", call, row->name, r,
			 row->hint ? ": " : "", row->hint ? row->hint : "");
		atomic_store(&dev->base.lost, dev->lost_by);
	}
	pthread_mutex_unlock(&dev->lost_lock);
}

qd_status
cuda_fail(struct cuda_device *dev, struct qd_error *err, int r, const char *call)
{
	const struct result *row = find(r);
	const char *colon = row->hint ? ": " : "", *hint = row->hint ? row->hint : "";
	if (!dev)
		return qd_fail(err, row->status, "%s failed: %s (%d)%s%s", call, row->name, r, colon,
			       hint);
	if (row->status == QD_E_DEVICE_LOST)
		lose(dev, r, call);
	return qd_fail(err, row->status, "%s (%s): %s failed: %s (%d)%s%s", dev->base.info.selector,
		       dev->base.info.name, call, row->name, r, colon, hint);
}

void
cuda_note(struct cuda_device *dev, int r, const char *call)
{
	bool lost = atomic_load(&dev->base.lost) != NULL;
	if (find(r)->status == QD_E_DEVICE_LOST)
		lose(dev, r, call);
	if (!lost)
		ctx_log(dev->base.ctx, QD_LOG_ERROR, "cuda", "%s (%s): %s failed: %s (%d)",
			dev->base.info.selector, dev->base.info.name, call, cuda_result_name(r), r);
}
