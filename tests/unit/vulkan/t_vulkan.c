/* The Vulkan driver on any device that the loader finds: fixture, choice of a device, threads,
 * validation layer. Skipped without a usable device. */
#include "t_stream.h"
#include "t_vulkan.h"

#include "dl.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- Fixture ----------------------------------------------------------------------- */

static struct qd_kernel *
make_wide(struct qd_context *ctx, struct qd_error *e)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	if (qd_builder_create(ctx, "wide", &b, e))
		return NULL;
	qd_block(b, 1, 1, 1);
	struct qd_array data = qd_param_buffer(b, "data", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val sum = qd_u32(b, 0), i = qd_block_idx(b);
	for (int p = 0; p < WIDE_BUFFERS; p++) {
		char name[16];
		snprintf(name, sizeof name, "b%d", p);
		qd_param_buffer(b, name, QD_TYPE_U32, QD_ACCESS_IN);
	}
	for (int p = 0; p < WIDE_SCALARS; p++) {
		char name[16];
		snprintf(name, sizeof name, "s%d", p);
		sum = qd_add(b, sum, qd_param_scalar(b, name, QD_TYPE_U32));
	}
	qd_store(b, data, i, qd_add(b, qd_load(b, data, i), sum));
	qd_builder_finish(b, &k, e);
	return k;
}

bool
vulkan_rig_context(struct unit_ctx *t, struct vulkan_rig *r)
{
	stream_mesa_cache();
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->alloc);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&r->alloc) };
	bool ok = qd_context_create(&desc, &r->ctx, &r->e) == QD_OK &&
		  (r->inc = stream_make_inc(r->ctx, &r->e)) && (r->wide = make_wide(r->ctx, &r->e));
	UNIT_CHECK(t, ok, "rig: %s", r->e.text);
	return ok;
}

bool
vulkan_rig_open(struct unit_ctx *t, struct vulkan_rig *r, bool staged)
{
	if (!vulkan_rig_context(t, r))
		return false;
	vulkan_hooks.staged = staged;
	qd_status st = qd_device_open(r->ctx, "vulkan", &r->dev, &r->e);
	vulkan_hooks.staged = false;
	if (st == QD_E_UNAVAILABLE) {
		vulkan_rig_close(t, r);
		unit_skip(t, r->e.text);
		return false;
	}
	r->vk = (struct vulkan_device *)r->dev;
	bool ok = st == QD_OK && qd_stream_create(r->dev, &r->stream, &r->e) == QD_OK;
	UNIT_CHECK(t, ok, "rig: %s", r->e.text);
	return ok;
}

void
vulkan_rig_close(struct unit_ctx *t, struct vulkan_rig *r)
{
	qd_stream_free(r->stream);
	qd_kernel_free(r->inc);
	qd_kernel_free(r->wide);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	UNIT_CHECK(t, r->alloc.n_out == 0, "%zu host blocks are not freed", r->alloc.n_out);
	UNIT_CHECK(t, !r->alloc.wrong_size, "a block was freed with a size other than that of its allocation");
	unit_alloc_fini(&r->alloc);
}

struct qd_function *
vulkan_rig_function(struct unit_ctx *t, struct vulkan_rig *r, const struct qd_kernel *k)
{
	struct qd_function *fn = NULL;
	qd_status st = qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	UNIT_CHECK(t, st == QD_OK, "function: %s", r->e.text);
	return fn;
}

struct qd_buffer *
vulkan_rig_buffer(struct unit_ctx *t, struct vulkan_rig *r, size_t size)
{
	struct qd_buffer *buf = NULL;
	qd_status st = qd_buffer_create(r->dev, size, 0, &buf, &r->e);
	UNIT_CHECK(t, st == QD_OK, "buffer: %s", r->e.text);
	return buf;
}

qd_status
vulkan_rig_inc(struct qd_stream *s, struct qd_function *inc, struct qd_buffer *data,
	       uint32_t n_blocks, struct qd_error *err)
{
	struct qd_arg arg = qd_arg_buffer(data);
	return qd_launch(s, inc, n_blocks, &arg, 1, err);
}

qd_status
vulkan_rig_wide(struct qd_stream *s, struct qd_function *wide, struct qd_buffer *data,
		struct qd_buffer *spare, uint32_t n_blocks, struct qd_error *err)
{
	struct qd_arg args[1 + WIDE_BUFFERS + WIDE_SCALARS];
	uint32_t n = 0;
	args[n++] = qd_arg_buffer(data);
	for (int i = 0; i < WIDE_BUFFERS; i++)
		args[n++] = qd_arg_buffer(spare);
	for (uint32_t i = 0; i < WIDE_SCALARS; i++)
		args[n++] = qd_arg_u32(i + 1);
	return qd_launch(s, wide, n_blocks, args, n, err);
}

/* Returns how many of n words differ from `want`. */
uint32_t
vulkan_count_other(const uint32_t *p, uint32_t n, uint32_t want)
{
	uint32_t bad = 0;
	for (uint32_t i = 0; i < n; i++)
		bad += p[i] != want;
	return bad;
}

/* -- Choosing ------------------------------------------------------------------------ */

static void
t_list(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_device_info infos[24];
	uint32_t n = 0;
	VULKAN_OK(t, &r, qd_device_list(r.ctx, infos, 24, &n, &r.e));
	bool seen = false;
	for (uint32_t i = 0; i < n && i < 24; i++) {
		const struct qd_device_info *d = &infos[i];
		if (strncmp(d->selector, "vulkan", 6))
			continue;
		UNIT_CHECK(t, d->usable == !d->why[0], "%s: usable %d, why '%s'", d->selector,
			   d->usable, d->why);
		UNIT_CHECK(t, !d->usable || (d->max_block_dim && d->memory && d->target[0]),
			   "%s: a field is empty", d->selector);
		seen |= !strcmp(d->selector, r.dev->info.selector) &&
			!strcmp(d->name, r.dev->info.name);
	}
	UNIT_CHECK(t, seen, "the open device is not in the list");
	vulkan_rig_close(t, &r);
}

static void
t_choose(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	const struct qd_device_info *info = &r.dev->info;
	char text[128], name[24];
	struct qd_device *dev = NULL;

	VULKAN_OK(t, &r, qd_device_open(r.ctx, info->selector, &dev, &r.e));
	qd_device_close(dev);
	snprintf(name, sizeof name, "%.12s", info->name);
	name[strcspn(name, ":")] = '\0';
	for (char *p = name; *p; p++)
		*p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
	snprintf(text, sizeof text, "vulkan:%s", name);
	VULKAN_OK(t, &r, qd_device_open(r.ctx, text, &dev, &r.e));
	if (dev)
		UNIT_CHECK(t, !strcmp(dev->info.name, info->name), "%s opened %s", text,
			   dev->info.name);
	qd_device_close(dev);
	snprintf(text, sizeof text, "%s:w%u", info->selector, info->subgroup_size);
	VULKAN_OK(t, &r, qd_device_open(r.ctx, text, &dev, &r.e));
	qd_device_close(dev);

	qd_status st = qd_device_open(r.ctx, "vulkan:77", &dev, &r.e);
	UNIT_CHECK(t, st == QD_E_NOT_FOUND && strstr(r.e.text, "no device vulkan:77"), "%s",
		   r.e.text);
	st = qd_device_open(r.ctx, "vulkan:no such card", &dev, &r.e);
	UNIT_CHECK(t, st == QD_E_NOT_FOUND && strstr(r.e.text, "no such card"), "%s", r.e.text);
	if (info->max_subgroup_size < 128) {
		snprintf(text, sizeof text, "%s:w128", info->selector);
		st = qd_device_open(r.ctx, text, &dev, &r.e);
		UNIT_CHECK(t, !st && !strcmp(dev->info.selector, text) && dev->info.subgroup_size == 128 &&
				   dev->target.m.lanes == info->subgroup_size, "made of several");
		qd_device_close(dev);
	}
	vulkan_rig_close(t, &r);
}

/* -- Threads ------------------------------------------------------------------------------- */

struct worker {
	struct vulkan_rig *r;
	struct qd_function *inc;
	uint32_t wrong;
};

static void *
work(void *user)
{
	struct worker *w = user;
	struct qd_error e;
	struct qd_stream *s;
	for (int round = 0; round < 30; round++) {
		uint32_t down[32] = { 0 };
		struct qd_buffer *buf;
		if (qd_stream_create(w->r->dev, &s, &e) ||
		    qd_buffer_create(w->r->dev, sizeof down, 0, &buf, &e)) {
			w->wrong++;
			return NULL;
		}
		for (int i = 0; i < 100; i++)
			w->wrong += vulkan_rig_inc(s, w->inc, buf, 32, &e) != QD_OK;
		w->wrong += qd_buffer_download_async(s, buf, 0, down, sizeof down, &e) != QD_OK;
		w->wrong += round % 2 && qd_stream_sync(s, &e) != QD_OK;
		qd_buffer_free(buf);
		qd_stream_free(s);
		w->wrong += vulkan_count_other(down, 32, 100);
	}
	return NULL;
}

static void
t_threads(struct unit_ctx *t)
{
	enum { N = 4 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct worker w[N];
	pthread_t id[N];
	for (int i = 0; i < N; i++) {
		w[i] = (struct worker){ .r = &r, .inc = vulkan_rig_function(t, &r, r.inc) };
		pthread_create(&id[i], NULL, work, &w[i]);
	}
	for (int i = 0; i < N; i++) {
		pthread_join(id[i], NULL);
		UNIT_CHECK(t, w[i].wrong == 0, "thread %d: %u wrong", i, w[i].wrong);
	}
	vulkan_rig_close(t, &r);
}

/* Checks that a child of a process that has initialized Vulkan gets an error. The drivers would
 * hang. */
static void
t_fork(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	pid_t child = fork();
	if (child == 0) {
		struct qd_device *dev;
		qd_status st = qd_device_open(r.ctx, "vulkan", &dev, &r.e);
		_exit(st == QD_E_FORKED && strstr(r.e.text, "before a fork") ? 0 : 1);
	}
	int how = -1;
	waitpid(child, &how, 0);
	UNIT_CHECK(t, child > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0, "the child: %d", how);
	vulkan_rig_close(t, &r);
}

/* Checks that the validation layer has reported nothing in this process, and that it does report a
 * misuse. */
static void
t_validation(struct unit_ctx *t)
{
	struct vulkan_rig r;
	const char *layers = getenv("VK_INSTANCE_LAYERS");
	if (!layers || !strstr(layers, "validation")) {
		unit_skip(t, "VK_INSTANCE_LAYERS names no validation layer");
		return;
	}
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64);
	VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 16, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	qd_buffer_free(buf);
	uint64_t before = vulkan_validation_messages();
	UNIT_CHECK(t, before == 0, "%llu messages", (unsigned long long)before);
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO };
	VkBuffer b = VK_NULL_HANDLE;
	if (r.vk->vk.vkCreateBuffer(r.vk->device, &info, NULL, &b) == VK_SUCCESS)
		r.vk->vk.vkDestroyBuffer(r.vk->device, b, NULL);
	UNIT_CHECK(t, vulkan_validation_messages() > before, "a buffer of size 0 went unheard");
	vulkan_rig_close(t, &r);
}

/* Checks that all names are in the error if no library is found. */
static void
no_loader(struct unit_ctx *t)
{
	static const char *const names[] = { "libqd-none.so.1", "libqd-none.so", "libqd-none.dylib" };
	char why[128] = "", little[24];
	size_t which = 77;
	UNIT_CHECK(t, !dl_open_first(names, QD_COUNT(names), &which, why, sizeof why) && which == 77 &&
			      strcmp(why, "libqd-none.so.1, libqd-none.so or libqd-none.dylib not found") == 0,
		   "%s", why);
	dl_open_first(names, 1, &which, why, sizeof why);
	UNIT_CHECK(t, strcmp(why, "libqd-none.so.1 not found") == 0, "%s", why);
	dl_open_first(names, QD_COUNT(names), &which, little, sizeof little);
	UNIT_CHECK(t, strcmp(little, "libqd-none.so.1, libqd-") == 0, "%s", little);
}

const struct unit units_vulkan[] = {
	{ "vulkan.no_loader", no_loader },
	{ "vulkan.list", t_list },
	{ "vulkan.choose", t_choose },
	{ "vulkan.order_mapped", t_vulkan_order_mapped },
	{ "vulkan.order_staged", t_vulkan_order_staged },
	{ "vulkan.large_mapped", t_vulkan_large_mapped },
	{ "vulkan.large_staged", t_vulkan_large_staged },
	{ "vulkan.many_blocks", t_vulkan_many_blocks },
	{ "vulkan.wide_args", t_vulkan_wide_args },
	{ "vulkan.warm_launch", t_vulkan_warm_launch },
	{ "vulkan.streams", t_vulkan_streams },
	{ "vulkan.events", t_vulkan_events },
	{ "vulkan.memory_mapped", t_vulkan_memory_mapped },
	{ "vulkan.memory_staged", t_vulkan_memory_staged },
	{ "vulkan.free_in_use", t_vulkan_free_in_use },
	{ "vulkan.zeros", t_vulkan_zeros },
	{ "vulkan.threads", t_threads },
	{ "vulkan.fork", t_fork },
	{ "vulkan.long", t_vulkan_long },
	{ "vulkan.long_after_short", t_vulkan_long_after_short },
	{ "vulkan.short", t_vulkan_short },
	{ "vulkan.limits", t_vulkan_limits },
	{ "vulkan.lost", t_vulkan_lost },
	{ "vulkan.drained", t_vulkan_drained },
	{ "vulkan.short_of_memory", t_vulkan_short_of_memory },
	{ "vulkan.short_of_staging", t_vulkan_short_of_staging },
	{ "vulkan.short_of_pipelines", t_vulkan_short_of_pipelines },
	{ "vulkan.device_nomem", t_vulkan_device_nomem },
	{ "vulkan.driver_error", t_vulkan_driver_error },
	{ "vulkan.event_busy", t_vulkan_event_busy },
	{ "vulkan.submit_retry", t_vulkan_submit_retry },
	{ "vulkan.broken_stream", t_vulkan_broken_stream },
	{ "vulkan.open_faults", t_vulkan_open_faults },
	{ "vulkan.host_nomem", t_vulkan_host_nomem },
	{ "vulkan.tables_mapped", t_vulkan_tables_mapped },
	{ "vulkan.tables_staged", t_vulkan_tables_staged },
	{ "vulkan.tables_saved", t_vulkan_tables_saved },
	{ "vulkan.tables_bad", t_vulkan_tables_bad },
	{ "vulkan.tables_faults", t_vulkan_tables_faults },
	{ "vulkan.validation", t_validation },
};
const unsigned n_units_vulkan = QD_COUNT(units_vulkan);
