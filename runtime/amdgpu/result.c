/* Converts the kernel's results to a status and a message, and describes lost devices. */
#include <errno.h>
#include <stdio.h>

#include "kgd.h"

static const struct result {
	const char *call; /* prefix of its name */
	int code;
	qd_status status;
	const char *name;
	const char *hint; /* or NULL */
} results[] = {
#define RESULT(call, code, status, hint) { call, -code, QD_E_##status, #code, hint },
#include "result.def"
};

static const struct result *
find(int r, const char *call)
{
	static const struct result unknown = { "", 0, QD_E_DRIVER, "an unknown error", NULL };
	for (size_t i = 0; i < QD_COUNT(results); i++) {
		const struct result *row = &results[i];
		if (row->code == r && strncmp(call, row->call, strlen(row->call)) == 0)
			return row;
	}
	return &unknown;
}

const char *
kgd_result_name(int r)
{
	return find(r, "")->name;
}

/* Formats "amdgpu_bo_alloc failed: ENOMEM (-12): why". */
static const struct result *
put_what(char *out, size_t cap, int r, const char *call)
{
	const struct result *row = find(r, call);
	snprintf(out, cap, "%s failed: %s (%d)%s%s", call, row->name, r, row->hint ? ": " : "",
		 row->hint ? row->hint : "");
	return row;
}

/* -- Lost devices --------------------------------------------------------------------------- */

/* Formats the address of a page fault. The kernel reports a fault once. */
static void
put_fault(struct kgd_device *dev, char *out, size_t cap)
{
	enum { SINCE_MINOR = 55 };
	struct kgd_fault f = { .status = 0 };
	out[0] = '\0';
	if (dev->physical.drm_minor < SINCE_MINOR || !dev->handle ||
	    dev->drm->amdgpu_query_info(dev->handle, KGD_INFO_FAULT, sizeof f, &f) || !f.status)
		return;
	snprintf(out, cap, "\n  page fault at 0x%llx, status 0x%x", (unsigned long long)f.addr,
		 f.status);
}

/* Records the first report of the loss. how: the rest of "lost when ... failed". */
static qd_status
lose(struct kgd_device *dev, struct qd_error *err, const char *how, const char *what)
{
	char names[KGD_NAMES], fault[96];
	kgd_names_in_flight(dev, names, sizeof names);
	put_fault(dev, fault, sizeof fault);
	pthread_mutex_lock(&dev->lost_lock);
	if (!atomic_load(&dev->base.lost)) {
		snprintf(dev->lost_by, sizeof dev->lost_by, "%s%s%s)", how,
			 names[0] ? "; in flight: " : "", names);
		atomic_store(&dev->base.lost, dev->lost_by);
	}
	pthread_mutex_unlock(&dev->lost_lock);
	return qd_fail(err, QD_E_DEVICE_LOST, "%s (%s): %s%s%s%s\n  see: dmesg | grep amdgpu",
		       dev->base.info.selector, dev->base.info.name, what,
		       names[0] ? "\n  in flight: " : "", names, fault);
}

qd_status
kgd_fail_reset(struct kgd_device *dev, struct qd_error *err, uint64_t flags)
{
	char why[128], how[256], what[256];
	snprintf(why, sizeof why, "the device was reset, %s%s",
		 flags & KGD_RESET_GUILTY ? "because this stream's work hung"
					  : "for another reason",
		 flags & KGD_RESET_VRAM_LOST ? ", and its memory is lost" : "");
	snprintf(how, sizeof how, "amdgpu_cs_query_fence_status (%s", why);
	snprintf(what, sizeof what, "amdgpu_cs_query_reset_state2: %s", why);
	return lose(dev, err, how, what);
}

static qd_status
fail_lost(struct kgd_device *dev, struct qd_error *err, int r, const char *call, const char *what)
{
	const struct result *row = find(r, call);
	char how[320];
	snprintf(how, sizeof how, "%s (%s, %d%s%s", call, row->name, r, row->hint ? ": " : "",
		 row->hint ? row->hint : "");
	return lose(dev, err, how, what);
}

/* -- Calls ------------------------------------------------------------------------------------ */

qd_status
kgd_fail(struct kgd_device *dev, struct qd_error *err, int r, const char *call)
{
	char what[320];
	const struct result *row = put_what(what, sizeof what, r, call);
	if (!dev)
		return qd_fail(err, row->status, "%s", what);
	if (row->status == QD_E_DEVICE_LOST)
		return fail_lost(dev, err, r, call, what);
	return qd_fail(err, row->status, "%s (%s): %s", dev->base.info.selector, dev->base.info.name,
		       what);
}

void
kgd_note(struct kgd_device *dev, int r, const char *call)
{
	bool lost = atomic_load(&dev->base.lost) != NULL;
	char what[320];
	const struct result *row = put_what(what, sizeof what, r, call);
	if (row->status == QD_E_DEVICE_LOST)
		fail_lost(dev, QD_IGNORE_ERROR, r, call, what);
	if (!lost)
		ctx_log(dev->base.ctx, QD_LOG_ERROR, "amdgpu", "%s (%s): %s", dev->base.info.selector,
			dev->base.info.name, what);
}
