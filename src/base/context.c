/* The context: allocator, log, and a slot for each higher component with state. */
#include "log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h> /* secure_getenv */
#include <time.h>

enum { MAX_IMAGE_BYTES = 64 << 20, MAX_EMPTY_BYTES = 64 << 20, MAX_FUNCTIONS = 256 };

/* The only allocation that does not come from the pool. The cache's directory name follows the
 * struct. */
struct context_block {
	struct qd_context ctx;
	struct log_sink sink;
	char dir[];
};

static qd_status
check_version(uint32_t version, struct qd_error *err)
{
	if (version / 1000 == QD_VERSION / 1000)
		return QD_OK;
	return qd_fail(
		err, QD_E_VERSION,
		"qd_context_create: the program was built for qd %u.%u.%u, but this library is qd "
		"%d.%d.%d\n  fix: set desc.version to QD_VERSION and build the program "
		"with the qd.h of this library",
		version / 1000000, version / 1000 % 1000, version % 1000, QD_VERSION_MAJOR,
		QD_VERSION_MINOR, QD_VERSION_PATCH);
}

static void
open_log(struct context_block *c, const struct qd_context_desc *desc)
{
	struct qd_context *ctx = &c->ctx;

	if (desc->log) {
		ctx->log = desc->log;
		ctx->log_user = desc->log_user;
		ctx->log_max = QD_LOG_DEBUG;
		return;
	}
	const char *text = secure_getenv("QD_LOG");
	if (!text || !*text)
		return;
	bool good = log_sink_parse(&c->sink, text);
	if (!good)
		c->sink = (struct log_sink){ .others = QD_LOG_WARNING };
	ctx->log = log_sink_write;
	ctx->log_user = &c->sink;
	ctx->log_max = log_sink_max(&c->sink);
	if (good)
		return;
	ctx_log(ctx, QD_LOG_WARNING, "log",
		"QD_LOG='%.100s' is ignored: it takes error, warning, info or debug, or "
		"component:level,component:level",
		text);
	ctx->log = NULL;
	ctx->log_max = 0;
}

static void
read_opt(struct qd_context *ctx, qd_opt given)
{
	const char *text = secure_getenv("QD_OPT");

	ctx->opt = given ? (uint8_t)(given - QD_OPT_NONE) : OPT_FULL;
	if (given || !text || !*text)
		return;
	if (text[0] >= '0' && text[0] <= '0' + OPT_FULL && !text[1])
		ctx->opt = (uint8_t)(text[0] - '0');
	else
		ctx_log(ctx, QD_LOG_WARNING, "context",
			"QD_OPT='%.40s' is ignored: it takes 0, 1 or 2", text);
}

static void
read_facts(struct qd_context *ctx, qd_facts given)
{
	const char *text = secure_getenv("QD_FACTS");

	ctx->no_facts = given == QD_FACTS_NONE;
	if (given || !text || !*text || strcmp(text, "auto") == 0)
		return;
	ctx->no_facts = strcmp(text, "none") == 0;
	if (!ctx->no_facts)
		ctx_log(ctx, QD_LOG_WARNING, "context",
			"QD_FACTS='%.40s' is ignored: it takes auto or none", text);
}

/* Reads the environment variables that determine which code is used. */
static void
read_environment(struct qd_context *ctx)
{
	const char *jit = secure_getenv("QD_JIT"), *target = secure_getenv("QD_TARGET");

	if (jit && strcmp(jit, "0") == 0)
		ctx->no_jit = true;
	else if (jit && *jit && strcmp(jit, "1") != 0)
		ctx_log(ctx, QD_LOG_WARNING, "context", "QD_JIT='%.40s' is ignored: it takes 0 or 1",
			jit);
	if (!target)
		return;
	if (strlen(target) < sizeof ctx->only_target)
		memcpy(ctx->only_target, target, strlen(target) + 1);
	else
		ctx_log(ctx, QD_LOG_WARNING, "context",
			"QD_TARGET is ignored: its value is longer than any target");
}

struct limit {
	const char *field;
	uint64_t none, most; /* the default; the greatest value, 0: unlimited */
};

static qd_status
read_limit(const struct limit *l, uint64_t given, uint64_t *out, struct qd_error *err)
{
	*out = given ? given : l->none;
	if (!l->most || given <= l->most)
		return QD_OK;
	return qd_fail(err, QD_E_INVALID,
		       "qd_context_create: limits.%s is %llu; the maximum is %llu", l->field,
		       (unsigned long long)given, (unsigned long long)l->most);
}

#define LIMIT(type, name, none, most)                                                              \
	do {                                                                                       \
		static const struct limit l = { #name, none, most };                               \
		uint64_t v;                                                                        \
		QD_TRY(read_limit(&l, given->name, &v, err));                                      \
		out->name = (type)v;                                                               \
	} while (0)

static qd_status
read_limits(const struct qd_limits *given, struct qd_limits *out, struct qd_error *err)
{
	LIMIT(uint32_t, max_text, LIMIT_TEXT, LIMIT_TEXT);
	LIMIT(uint32_t, max_depth, LIMIT_DEPTH, LIMIT_DEPTH);
	LIMIT(uint32_t, max_kernels, LIMIT_KERNELS, 0);
	LIMIT(uint32_t, max_instructions, LIMIT_INSTRUCTIONS, LIMIT_INSTRUCTIONS);
	LIMIT(uint64_t, max_shared, LIMIT_SHARED, 0);
	LIMIT(uint64_t, max_memory, LIMIT_MEMORY, 0);
	out->max_steps = given->max_steps;
	return QD_OK;
}

qd_status
qd_context_create(const struct qd_context_desc *desc, struct qd_context **out, struct qd_error *err)
{
	QD_CHECK_ARG(desc, err, "desc is NULL");
	QD_CHECK_ARG(out, err, "out is NULL");
	*out = NULL;
	/* Check it before reading other fields: the struct may be another version's. */
	QD_TRY(check_version(desc->version, err));
	const struct qd_allocator *a = &desc->allocator;
	QD_CHECK_ARG(!a->alloc == !a->free && (a->alloc || !a->user), err,
		     "an allocator needs both alloc and free, or neither");

	QD_CHECK_ARG(desc->cache_mode <= QD_CACHE_OFF, err,
		     "cache_mode is not one of QD_CACHE_DEFAULT, _ON, _READ_ONLY and _OFF");

	QD_CHECK_ARG(desc->opt <= QD_OPT_FULL, err,
		     "opt is not one of QD_OPT_DEFAULT, _NONE, _SOME and _FULL");
	QD_CHECK_ARG(desc->facts <= QD_FACTS_NONE, err,
		     "facts is not one of QD_FACTS_DEFAULT, _AUTO and _NONE");

	struct qd_limits limits;
	QD_TRY(read_limits(&desc->limits, &limits, err));
	if (!a->alloc)
		a = &pool_malloc;
	if (!fork_watch())
		return qd_fail(err, QD_E_NOMEM, "pthread_atfork: out of memory");
	size_t dir_size = desc->cache_dir ? strlen(desc->cache_dir) + 1 : 0;
	size_t size = sizeof(struct context_block) + dir_size;
	struct context_block *c = a->alloc(a->user, size);
	if (!c)
		return qd_fail(err, QD_E_NOMEM, "qd_context_create: out of memory (%zu bytes)",
			       size);
	memset(c, 0, sizeof *c);
	struct qd_context *ctx = &c->ctx;
	ctx->size = size;
	ctx->limits = limits;
	ctx->cache_mode = desc->cache_mode;
	if (dir_size)
		ctx->cache_dir = memcpy(c->dir, desc->cache_dir, dir_size);
	ctx->forks = atomic_load(&fork_count);
	pool_init(&ctx->pool, a);
	pool_limit(&ctx->pool, desc->max_empty_bytes ? desc->max_empty_bytes : MAX_EMPTY_BYTES);
	ctx->max_image_bytes = desc->max_image_bytes ? desc->max_image_bytes : MAX_IMAGE_BYTES;
	ctx->max_functions = desc->max_functions ? desc->max_functions : MAX_FUNCTIONS;
	pthread_mutex_init(&ctx->lock, NULL);
	for (int i = 0; i < CTX_N_SLOT; i++)
		atomic_init(&ctx->slot[i].p, NULL);
	for (int i = 0; i < N_LIVE; i++)
		atomic_init(&ctx->n_live[i], 0);
	open_log(c, desc);
	read_environment(ctx);
	read_opt(ctx, desc->opt);
	read_facts(ctx, desc->facts);
	*out = ctx;
	return QD_OK;
}

void
ctx_quota_begin(struct qd_context *ctx, struct pool_quota *q)
{
	pool_quota_begin(q, ctx->limits.max_memory);
}

qd_status
ctx_quota_end(struct qd_context *ctx, struct pool_quota *q, const char *what, qd_status st,
	      struct qd_error *err)
{
	pool_quota_end(q);
	if (QD_LIKELY(st != QD_E_NOMEM || !q->over))
		return st;
	return qd_fail(err, QD_E_LIMIT,
		       "%s: it needs more than %llu bytes of memory, the limit of a parse or "
		       "compile (limits.max_memory of the context)",
		       what, (unsigned long long)ctx->limits.max_memory);
}

bool
ctx_has_live(struct qd_context *ctx)
{
	uint32_t n = 0;

	for (int i = 0; i < N_LIVE; i++)
		n += atomic_load(&ctx->n_live[i]);
	return n != 0;
}

/* Lists the objects that the caller must free. Objects held by other listed objects are left
 * out. */
static void
report_live(struct qd_context *ctx)
{
	/* These keep a closed device alive. */
	enum { OF_A_DEVICE = 1 << LIVE_DEVICE | 1 << LIVE_BUFFER | 1 << LIVE_STREAM | 1 << LIVE_EVENT };
	static const struct {
		const char *one;
		uint32_t held_by;
	} kinds[N_LIVE] = {
		[LIVE_DEVICE] = { "device", 0 },
		[LIVE_BUFFER] = { "buffer", 0 },
		[LIVE_STREAM] = { "stream", 0 },
		[LIVE_EVENT] = { "event", 0 },
		[LIVE_IMAGE] = { "image", OF_A_DEVICE | 1 << LIVE_FATBIN },
		[LIVE_MODULE] = { "module", 0 },
		[LIVE_FATBIN] = { "fatbin", 0 },
		[LIVE_KERNEL] = { "kernel", OF_A_DEVICE | 1 << LIVE_IMAGE | 1 << LIVE_MODULE |
						    1 << LIVE_FATBIN },
	};
	char text[160];
	size_t len = 0;
	uint32_t there = 0;

	for (uint32_t i = 0; i < N_LIVE; i++) {
		uint32_t n = atomic_load(&ctx->n_live[i]);

		if (n && !(kinds[i].held_by & there))
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%u %s%s",
						there ? ", " : "", n, kinds[i].one, n == 1 ? "" : "s");
		there |= (uint32_t)(n != 0) << i;
	}
	ctx_log(ctx, QD_LOG_ERROR, "context",
		"qd_context_free: still live: %s; the context's memory is leaked\n  fix: free the "
		"objects of the context first",
		text);
}

void
qd_context_free(struct qd_context *ctx)
{
	if (!ctx || forked_since(ctx->forks))
		return;
	for (int i = CTX_N_SLOT - 1; i >= 0; i--) {
		void *p = atomic_exchange(&ctx->slot[i].p, NULL);
		if (p)
			ctx->slot[i].fini(ctx, p);
	}
	if (ctx_has_live(ctx)) {
		/* These objects may still be freed, which needs the pool, so the context's memory
		 * is leaked. */
		report_live(ctx);
		ctx->log = NULL;
		ctx->log_max = 0;
		return;
	}
	struct qd_allocator a = ctx->pool.a;
	size_t size = ctx->size;
	pool_fini(&ctx->pool);
	pthread_mutex_destroy(&ctx->lock);
	a.free(a.user, ctx, size);
}

void *
ctx_slot(struct qd_context *ctx, enum ctx_slot slot, void *(*make)(struct qd_context *),
	 void (*fini)(struct qd_context *, void *))
{
	assert(slot < CTX_N_SLOT);
	void *p = atomic_load_explicit(&ctx->slot[slot].p, memory_order_acquire);
	if (QD_LIKELY(p != NULL))
		return p;
	pthread_mutex_lock(&ctx->lock);
	p = atomic_load_explicit(&ctx->slot[slot].p, memory_order_relaxed);
	if (!p) {
		p = make(ctx);
		ctx->slot[slot].fini = fini;
		atomic_store_explicit(&ctx->slot[slot].p, p, memory_order_release);
	}
	pthread_mutex_unlock(&ctx->lock);
	return p;
}

void
ctx_slot_trim(struct qd_context *ctx, enum ctx_slot slot,
	      void (*trim)(struct qd_context *, void *))
{
	ctx->slot[slot].trim = trim;
}

qd_status
qd_context_trim(struct qd_context *ctx, struct qd_error *err)
{
	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_CTX(ctx, err);
	/* Higher slots hold objects of lower slots. */
	for (int i = CTX_N_SLOT - 1; i >= 0; i--) {
		void *p = atomic_load_explicit(&ctx->slot[i].p, memory_order_acquire);
		if (p && ctx->slot[i].trim)
			ctx->slot[i].trim(ctx, p);
	}
	pool_trim(&ctx->pool);
	return QD_OK;
}

uint64_t
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
