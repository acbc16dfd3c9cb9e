/* The driver "emu:TARGET": devices that run the code which is emitted for a target, on the
 * host.  Of the target's own rules and of what it finds wrong only its interpreter knows. */
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "ptx.h"

enum { DEFAULT_SM = 90, MAX_SM = 200 };

struct emu_device {
	struct host_device h;
	uint64_t max_steps; /* of a thread in a launch */
	uint64_t seed;	    /* what decides the order of warps, beside the launch's number */
};

struct emu_function {
	struct qd_function f;
	struct ptx_module *module;
	const struct ptx_entry *entry;
};

struct emu_queue {
	struct queue q;
	struct host_findings findings;
	uint64_t n_launches;
};

/* -- Devices ------------------------------------------------------------------------ */

static bool
is_target(uint32_t sm, struct target *t)
{
	struct qd_error untold;
	char name[32];

	snprintf(name, sizeof name, "ptx:sm_%u", sm);
	return isa_target(name, t, &untold) == QD_OK;
}

/* "50, 52, ..." */
static void
name_targets(char *out, size_t cap)
{
	struct target t;
	size_t n = 0;

	out[0] = '\0';
	for (uint32_t sm = 1; sm < MAX_SM && n < cap; sm++)
		if (is_target(sm, &t))
			n += (size_t)snprintf(out + n, cap - n, "%s%u", n ? ", " : "", sm);
}

static qd_status
describe(const char *which, struct target *t, struct qd_device_info *info, struct qd_error *err)
{
	uint32_t sm = DEFAULT_SM;

	if (*which) {
		char *end = NULL;
		unsigned long n = strncmp(which, "sm_", 3) == 0 ? strtoul(which + 3, &end, 10) : 0;
		sm = n && n < MAX_SM && !*end ? (uint32_t)n : 0;
	}
	if (!is_target(sm, t)) {
		char known[256];
		name_targets(known, sizeof known);
		return qd_fail(err, QD_E_NOT_FOUND,
			       "device selector 'emu:%.60s': no such target is emulated; want emu:sm_NN, "
			       "NN one of %s",
			       which, known);
	}
	host_describe(info, "emu", "PTX interpreter", t);
	snprintf(info->selector, sizeof info->selector, "emu:sm_%u", sm);
	return QD_OK;
}

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	struct qd_device_info info;
	struct target t;

	(void)ctx;
	QD_TRY(describe("", &t, &info, err));
	add(user, &info);
	return QD_OK;
}

static qd_status
get_seed(uint64_t *out, struct qd_error *err)
{
	const char *text = secure_getenv("QD_EMU_SEED");
	size_t len = text ? strlen(text) : 0;

	*out = 0;
	if (!len)
		return QD_OK;
	if (len > 18 || strspn(text, "0123456789") != len)
		return qd_fail(err, QD_E_INVALID,
			       "QD_EMU_SEED='%.80s': want a whole number of at most 18 digits", text);
	*out = strtoull(text, NULL, 10);
	return QD_OK;
}

static qd_status
device_open(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	uint64_t steps, seed;
	struct emu_device *dev;
	qd_status st;

	QD_TRY(host_max_steps("QD_EMU_STEPS", &steps, err));
	QD_TRY(get_seed(&seed, err));
	dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "emu: out of memory");
	st = describe(sel->which, &dev->h.d.target, &dev->h.d.info, err);
	if (st) {
		pool_delete(&ctx->pool, dev);
		return st;
	}
	dev->h.d.ctx = ctx;
	dev->h.d.sizes = 1u << dev->h.d.target.m.log2_size;
	dev->h.d.checks = true;
	host_device_init(&dev->h);
	dev->h.d.max_x = INT32_MAX;
	dev->max_steps = steps;
	dev->seed = seed;
	*out = &dev->h.d;
	return QD_OK;
}

static void
device_close(struct qd_device *d)
{
	host_device_fini((struct host_device *)d);
}

/* -- Functions ------------------------------------------------------------------------ */

static qd_status
accepts(const struct qd_device *d, const struct qd_image *image, struct qd_error *err)
{
	if (image->target->arch <= d->target.arch)
		return QD_OK;
	return qd_fail(err, QD_E_TARGET, "the image is for %s, and %s runs no later code than %s",
		       image->target->m.name, d->info.selector, d->target.m.name);
}

static qd_status
load(struct qd_device *d, struct qd_image *image, struct qd_function **out, struct qd_error *err)
{
	struct pool *pool = &d->ctx->pool;
	struct emu_function *fn = pool_new(pool, sizeof *fn);
	qd_status st;

	if (!fn)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", image->kernel->name);
	st = ptx_module_parse(pool, (const char *)image->code, image->code_size, &fn->module, err);
	if (!st) {
		fn->entry = ptx_module_entry(fn->module, image->meta.entry);
		if (!fn->entry)
			st = qd_fail(err, QD_E_INVALID, "kernel '%s': its code has no entry '%s'",
				     image->kernel->name, image->meta.entry);
	}
	if (st) {
		ptx_module_free(fn->module);
		pool_delete(pool, fn);
		return st;
	}
	fn->f.image = image;
	fn->f.info = (struct qd_function_info){
		.subgroup_size = image->target->m.subgroup_size,
		.hardware_size = image->target->m.lanes,
		.barriers = image->meta.barriers,
		.block_dim = image->kernel->block_dim,
		.max_block_dim = image->target->m.max_block_dim,
		.shared_size = fn->entry->shared_size,
		.code_size = image->code_size,
	};
	*out = &fn->f;
	return QD_OK;
}

static void
unload(struct qd_function *f)
{
	ptx_module_free(((struct emu_function *)f)->module);
	pool_delete(&f->dev->ctx->pool, f);
}

/* -- Queues ------------------------------------------------------------------------------- */

static qd_status
memory_alloc(struct qd_device *d, enum memory_kind kind, uint64_t size, struct device_memory *out,
	     struct qd_error *err)
{
	(void)kind;
	return host_memory_alloc(d, sizeof(struct host_memory), size, out, err);
}

static qd_status
queue_create(struct qd_device *d, struct timeline *t, struct queue **out, struct qd_error *err)
{
	struct emu_queue *q = pool_new(&d->ctx->pool, sizeof *q);

	(void)t;
	*out = &q->q;
	return q ? QD_OK : qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
}

static void
queue_free(struct queue *q)
{
	pool_delete(&q->dev->ctx->pool, q);
}

/* What the arguments give a launch: the elements of its buffers and nothing beside them. */
static uint32_t
find_ranges(const struct launch *l, struct ptx_range *out)
{
	const struct qd_kernel *k = l->fn->image->kernel;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];
		uint64_t at[2];
		uint32_t j = n;

		if (!p->access)
			continue;
		memcpy(at, (const char *)l->args + p->offset, sizeof at);
		if (!at[1])
			continue;
		struct ptx_range r = { .addr = at[0], .size = at[1] * type_info[p->type].size };
		for (; j && out[j - 1].addr > r.addr; j--)
			out[j] = out[j - 1];
		out[j] = r;
		n++;
	}
	/* Views of one buffer may overlap. */
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct ptx_range *last = kept ? &out[kept - 1] : NULL;
		uint64_t end = out[i].addr + out[i].size;
		if (!last || last->addr + last->size < out[i].addr)
			out[kept++] = out[i];
		else if (last->addr + last->size < end)
			last->size = end - last->addr;
	}
	return kept;
}

/* The place in the kernel's text that became this line of the code; 0: nobody knows. */
static uint32_t
place_of(const struct qd_image *image, uint32_t line)
{
	const char *s = (const char *)image->code, *end = s + image->code_size;
	struct qd_error untold;
	struct buf marks;
	uint32_t pos = 0;

	if (!image->kernel->from_text)
		return 0;
	for (; line > 1 && s; line--) {
		s = memchr(s, '\n', (size_t)(end - s));
		s += s != NULL;
	}
	buf_init(&marks, &image->ctx->pool);
	if (s && jit_marks(image, &marks, &untold) == QD_OK && !marks.nomem) {
		const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(&marks);
		size_t at = (size_t)(s - (const char *)image->code);
		for (size_t i = 0; i < marks.len / sizeof *m && m[i].at <= at; i++)
			pos = m[i].pos;
	}
	buf_fini(&marks);
	return pos;
}

static struct qd_error
told(const struct qd_image *image, const struct qd_error *e)
{
	const struct qd_kernel *k = image->kernel;
	uint32_t pos = place_of(image, e->line);
	struct qd_error r = { .code = QD_E_FINDING, .line = POS_LINE(pos), .col = POS_COL(pos) };

	if (pos)
		snprintf(r.text, sizeof r.text, "%.200s:%u:%u: finding: %.600s (line %u of the PTX of kernel %.80s)",
			 k->file ? k->file : "kernel", r.line, r.col, e->text, e->line, k->name);
	else
		snprintf(r.text, sizeof r.text, "kernel '%.80s': finding: %.600s (line %u of its PTX)",
			 k->name, e->text, e->line);
	return r;
}

static qd_status
dispatch(struct queue *queue, const struct dispatch *d, struct qd_error *err)
{
	struct emu_queue *q = (struct emu_queue *)queue;
	const struct emu_device *dev = (const struct emu_device *)queue->dev;
	const struct emu_function *fn = (const struct emu_function *)d->launch->fn;
	const struct qd_image *image = fn->f.image;
	struct ptx_range ranges[MAX_PARAM];
	struct ptx_launch l = {
		.entry = fn->entry,
		.grid = { d->x, d->y, 1 },
		.block = { image->meta.local_size, 1, 1 },
		.params = d->args,
		.ranges = ranges,
		.n_ranges = find_ranges(d->launch, ranges),
		.max_steps = dev->max_steps,
		.seed = dev->seed + q->n_launches++,
	};
	struct qd_error e = { 0 };
	qd_status st;

	if (fn->entry->params_size != d->launch->args_size)
		return qd_fail(err, QD_E_INTERNAL, "kernel '%s': %u bytes of arguments, its entry takes %u",
			       image->kernel->name, d->launch->args_size, fn->entry->params_size);
	st = ptx_run(&queue->dev->ctx->pool, &l, &e);
	if (st == QD_E_FINDING) {
		e = told(image, &e);
		ctx_log(queue->dev->ctx, QD_LOG_ERROR, "emu", "%s", e.text);
		host_found(&q->findings, &e);
		return QD_OK;
	}
	return st ? qd_fail_text(err, st, e.line, e.col, e.text, strlen(e.text)) : QD_OK;
}

static qd_status
ended(struct queue *q, struct qd_error *err)
{
	return host_ended(&((struct emu_queue *)q)->findings, err);
}

const struct driver driver_emu = {
	HOST_DRIVER,
	.memory_free = host_memory_free,
	.name = "emu",
	.list = list,
	.open = device_open,
	.close = device_close,
	.accepts = accepts,
	.load = load,
	.unload = unload,
	.memory_alloc = memory_alloc,
	.queue_create = queue_create,
	.queue_free = queue_free,
	.dispatch = dispatch,
	.ended = ended,
};
