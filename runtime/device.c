/* The table of drivers, and functions that list, open and close devices. No other file refers to
 * drivers by name. */
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "function.h"
#include "stream.h"
#include "suggest.h"

/* Rows in the order of the default choice. A row with by_name is used only if a selector names
 * it. */
static const struct {
	const struct driver *driver;
	bool by_name;
} drivers[] = {
	{ &driver_cuda, false },
	{ &driver_amdgpu, false },
	{ &driver_vulkan, false },
	{ &driver_ref, true },
	{ &driver_emu, true },
};

/* -- Selectors ------------------------------------------------------------- */

/* Returns whether the token is 'w' and digits, which names a subgroup size at the end of a
 * selector. */
static bool
is_size_token(const char *s, size_t len)
{
	if (len < 2 || s[0] != 'w')
		return false;
	for (size_t i = 1; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
	}
	return true;
}

static bool
is_lane_count(unsigned long n)
{
	return n >= 4 && n <= 128 && (n & (n - 1)) == 0;
}

/* Parses driver[:which][:wN]. */
static qd_status
parse_selector(const char *text, struct selector *out, struct qd_error *err)
{
	memset(out, 0, sizeof *out);
	size_t len = strlen(text), head = strcspn(text, ":");
	if (head == 0 || head >= sizeof out->driver)
		return qd_fail(err, QD_E_INVALID,
			       "device selector '%.80s': expected driver[:which][:wN], such as "
			       "\"vulkan:0\" or \"ref:32\"",
			       text);
	memcpy(out->driver, text, head);
	if (text[len - 1] == ':' || strstr(text, "::"))
		return qd_fail(err, QD_E_INVALID,
			       "device selector '%.80s': a ':' has nothing after it; expected "
			       "driver[:which][:wN], such as \"vulkan:0\" or \"ref:32\"",
			       text);

	const char *last = strrchr(text, ':');
	if (last && is_size_token(last + 1, strlen(last + 1))) {
		unsigned long n = strlen(last) > 6 ? 0 : strtoul(last + 2, NULL, 10);
		if (!is_lane_count(n))
			return qd_fail(err, QD_E_INVALID,
				       "device selector '%.80s': '%.16s' is not a subgroup size; "
				       "use w4, w8, w16, w32, w64 or w128",
				       text, last + 1);
		out->size = (uint32_t)n;
		len = (size_t)(last - text);
	}
	if (len <= head)
		return QD_OK;
	size_t which = len - head - 1;
	if (which >= sizeof out->which)
		return qd_fail(err, QD_E_INVALID,
			       "device selector '%.80s': '%.*s' is longer than %zu characters",
			       text, (int)(which < 80 ? which : 80), text + head + 1,
			       sizeof out->which - 1);
	memcpy(out->which, text + head + 1, which);
	return QD_OK;
}

/* Writes a list of names, as in "vulkan, ref". */
static void
driver_names(char *out, size_t cap)
{
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; i < QD_COUNT(drivers) && n < cap; i++)
		n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : "",
				      drivers[i].driver->name);
}

/* -- Listing --------------------------------------------------------------- */

struct list {
	struct qd_device_info *out;
	uint32_t cap, n;
};

static void
add_info(void *user, const struct qd_device_info *info)
{
	struct list *l = user;
	if (l->n < l->cap)
		l->out[l->n] = *info;
	l->n++;
}

qd_status
qd_device_list(struct qd_context *ctx, struct qd_device_info *out, uint32_t cap, uint32_t *n,
	       struct qd_error *err)
{
	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(out || cap == 0, err, "the list is NULL");
	QD_CHECK_ARG(n, err, "the count pointer is NULL");
	QD_CHECK_CTX(ctx, err);
	struct list l = { .out = out, .cap = cap };
	for (size_t i = 0; i < QD_COUNT(drivers); i++) {
		const struct driver *d = drivers[i].driver;
		struct qd_error e = { 0 };
		qd_status st = d->list(ctx, add_info, &l, &e);
		if (st == QD_E_NOMEM)
			return qd_fail_text(err, st, 0, 0, e.text, strlen(e.text));
		if (st == QD_OK)
			continue;
		struct qd_device_info info = { .usable = false };
		snprintf(info.selector, sizeof info.selector, "%s", d->name);
		snprintf(info.driver, sizeof info.driver, "%s", d->name);
		snprintf(info.why, sizeof info.why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
		add_info(&l, &info);
	}
	*n = l.n;
	return QD_OK;
}

/* -- Opening and closing ----------------------------------------------------- */

static void
close_device(struct qd_device *dev)
{
	struct qd_context *ctx = dev->ctx;
	device_delist(dev);
	if (dev->own)
		stream_free(dev->own);
	freed_fini(dev);
	functions_fini(dev);
	jit_hits_close(ctx, &dev->hits);
	pthread_cond_destroy(&dev->loaded);
	pthread_mutex_destroy(&dev->lock);
	pthread_mutex_destroy(&dev->streams_lock);
	pthread_mutex_destroy(&dev->freed_lock);
	dev->driver->close(dev);
}

/* Selects a subgroup size other than the driver's default: another size of the hardware, or one
 * that is built from the hardware's. */
static qd_status
set_size(struct qd_device *dev, uint32_t size, struct qd_error *err)
{
	struct qd_device_info *info = &dev->info;
	struct target t;
	size_t at = strlen(info->selector);
	if (size == dev->target.m.subgroup_size)
		return QD_OK;
	QD_TRY(jit_sized_target(&dev->target, size, dev->sizes, &t, err));
	dev->target = t;
	/* The selector must open the same device again. */
	snprintf(info->selector + at, sizeof info->selector - at, ":w%u", size);
	snprintf(info->target, sizeof info->target, "%s", t.m.name);
	info->subgroup_size = size;
	info->max_block_dim = machine_max_block(&t.m, t.m.lanes, size);
	return QD_OK;
}

qd_status
device_open_with(struct qd_context *ctx, const struct driver *d, const struct selector *sel,
		 struct qd_device **out, struct qd_error *err)
{
	struct qd_device *dev = NULL;
	QD_TRY(d->open(ctx, sel, &dev, err));
	qd_status st = sel->size ? set_size(dev, sel->size, err) : QD_OK;
	if (st == QD_OK)
		st = jit_hits_open(ctx, &dev->hits, err);
	if (st != QD_OK) {
		d->close(dev);
		return st;
	}
	dev->ctx = ctx;
	dev->driver = d;
	dev->pid = getpid();
	dev->forks = ctx->forks;
	dev->size_asked = sel->size != 0;
	atomic_store(&dev->n_live, 1);
	pthread_mutex_init(&dev->lock, NULL);
	pthread_cond_init(&dev->loaded, NULL);
	for (uint32_t i = 0; i <= MAX_LOG2; i++)
		atomic_init(&dev->sized[i], NULL);
	dev->functions = NULL;
	dev->newest = dev->oldest = NULL;
	dev->n_functions = dev->log2_functions = 0;
	dev->link = NULL;
	dev->loading = NULL;
	pthread_mutex_init(&dev->streams_lock, NULL);
	pthread_mutex_init(&dev->freed_lock, NULL);
	dev->freed_end = &dev->freed;
	if (dev->hidden) {
		st = stream_create(dev, &dev->own, err);
		if (st != QD_OK) {
			close_device(dev);
			return st;
		}
	}
	st = device_enlist(dev, err);
	if (st != QD_OK) {
		close_device(dev);
		return st;
	}
	ctx_born(ctx, LIVE_DEVICE);
	ctx_log(ctx, QD_LOG_INFO, "device", "opened %s (%s), subgroup size %u, target %s",
		dev->info.selector, dev->info.name, dev->target.m.subgroup_size,
		dev->target.m.name);
	*out = dev;
	return QD_OK;
}

static qd_status
open_selector(struct qd_context *ctx, const char *text, const char *origin,
	      struct qd_device **out, struct qd_error *err)
{
	struct selector sel;
	QD_TRY(parse_selector(text, &sel, err));
	for (size_t i = 0; i < QD_COUNT(drivers); i++) {
		if (strcmp(sel.driver, drivers[i].driver->name) == 0)
			return device_open_with(ctx, drivers[i].driver, &sel, out, err);
	}
	char known[128];
	struct suggest near;
	driver_names(known, sizeof known);
	suggest_init(&near, sel.driver, (uint32_t)strlen(sel.driver));
	for (size_t i = 0; i < QD_COUNT(drivers); i++)
		suggest_offer(&near, drivers[i].driver->name, (uint32_t)strlen(drivers[i].driver->name));
	const char *meant = suggest_text(&near, "");
	return qd_fail(err, QD_E_NOT_FOUND,
		       "device selector '%.80s'%s: no driver '%s'; drivers: %s%s%s", text, origin,
		       sel.driver, known, *meant ? "; " : "", meant);
}

/* Opens the default device of the first driver that has one. */
static qd_status
open_default(struct qd_context *ctx, struct qd_device **out, struct qd_error *err)
{
	struct qd_error e, all = { .text = "no device" };
	size_t n = strlen(all.text);
	for (size_t i = 0; i < QD_COUNT(drivers); i++) {
		const struct driver *d = drivers[i].driver;
		struct selector sel = { .size = 0 };
		if (drivers[i].by_name)
			continue;
		snprintf(sel.driver, sizeof sel.driver, "%s", d->name);
		memset(&e, 0, sizeof e);
		qd_status st = device_open_with(ctx, d, &sel, out, &e);
		if (st == QD_OK)
			return QD_OK;
		if (st == QD_E_NOMEM)
			return qd_fail_text(err, st, 0, 0, e.text, strlen(e.text));
		int len = snprintf(all.text + n, sizeof all.text - n, "\n  %-10s: %.*s", d->name,
				   (int)strcspn(e.text, "\n"), e.text);
		if (len > 0 && (size_t)len < sizeof all.text - n)
			n += (size_t)len;
	}
	static const char fix[] = "\n  fix       : \"ref:32\" runs on any machine";
	if (n + sizeof fix <= sizeof all.text)
		memcpy(all.text + n, fix, sizeof fix);
	return qd_fail_text(err, QD_E_UNAVAILABLE, 0, 0, all.text, strlen(all.text));
}

qd_status
qd_device_open(struct qd_context *ctx, const char *selector, struct qd_device **out,
	       struct qd_error *err)
{
	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	if (selector)
		return open_selector(ctx, selector, "", out, err);
	selector = secure_getenv("QD_DEVICE");
	if (selector && *selector)
		return open_selector(ctx, selector, " (from QD_DEVICE)", out, err);
	return open_default(ctx, out, err);
}

void
device_hold(struct qd_device *dev, enum live kind)
{
	atomic_fetch_add(&dev->n_live, 1);
	ctx_born(dev->ctx, kind);
}

void
device_release(struct qd_device *dev, enum live kind)
{
	struct qd_context *ctx = dev->ctx;
	if (atomic_fetch_sub(&dev->n_live, 1) == 1)
		close_device(dev);
	ctx_gone(ctx, kind);
}

bool
device_forked(const struct qd_device *dev, const char *call)
{
	if (!forked_since(dev->forks))
		return false;
	ctx_log(dev->ctx, QD_LOG_ERROR, "device",
		"%s: nothing is freed: the device was opened by process %ld, before a fork", call,
		(long)dev->pid);
	return true;
}

void
qd_device_close(struct qd_device *dev)
{
	if (!dev || device_forked(dev, __func__))
		return;
	uint32_t n = atomic_load(&dev->n_live) - 1;
	if (n)
		ctx_log(dev->ctx, QD_LOG_WARNING, "device",
			"%s is closed while %u of its buffers, streams or events are live; it "
			"stays open until the last of them is freed",
			dev->info.selector, n);
	device_release(dev, LIVE_DEVICE);
}

qd_status
qd_device_info(struct qd_device *dev, struct qd_device_info *out, struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = dev->info;
	return QD_OK;
}

const char *
qd_device_target(const struct qd_device *dev)
{
	return dev ? dev->target.m.name : "";
}
