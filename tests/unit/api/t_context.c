/* Contexts: creation and destruction, slots, log and QD_LOG. */
#include "unit.h"
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* -- Context -------------------------------------------------------------------------- */

struct log_record {
	unsigned n;
	qd_log_level level;
	char component[32], text[8192];
	size_t len;
};

static void
record(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct log_record *r = user;

	r->n++;
	r->level = level;
	r->len = len;
	snprintf(r->component, sizeof r->component, "%s", component);
	snprintf(r->text, sizeof r->text, "%s", msg);
}

static void
context_create(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = (struct qd_context *)&desc;
	struct qd_error e;
	struct unit_alloc a;

	UNIT_CHECK(t, qd_context_create(NULL, &ctx, &e) == QD_E_INVALID, "no desc");
	UNIT_CHECK(t, qd_context_create(&desc, NULL, &e) == QD_E_INVALID, "no out");
	UNIT_CHECK(t, strstr(e.text, "qd_context_create: out is NULL"), "'%s'", e.text);
	desc.version = 3017009;
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_VERSION && !ctx, "version");
	char mine[32];
	snprintf(mine, sizeof mine, "%d.%d.%d", QD_VERSION_MAJOR, QD_VERSION_MINOR,
		 QD_VERSION_PATCH);
	UNIT_CHECK(t, strstr(e.text, "3.17.9") && strstr(e.text, mine), "'%s'", e.text);
	desc.version = QD_VERSION;

	unit_alloc_init(&a);
	struct qd_allocator hooks = unit_alloc_hooks(&a);
	desc.allocator = (struct qd_allocator){ .alloc = hooks.alloc };
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_INVALID, "alloc alone");
	desc.allocator = (struct qd_allocator){ .free = hooks.free };
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_INVALID, "free alone");
	desc.allocator = (struct qd_allocator){ .user = &a };
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_INVALID, "user alone");
	UNIT_CHECK(t, a.n_calls == 0, "a refused context allocates");

	desc.allocator = hooks;
	a.fail_at = 1;
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_NOMEM && !ctx, "no memory");
	UNIT_CHECK(t, qd_last_error()->code == QD_E_NOMEM, "no memory, last error");
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_OK && ctx, "'%s'", e.text);
	if (!ctx)
		return;
	void *p = pool_new(&ctx->pool, 100);
	pool_delete(&ctx->pool, p);
	qd_context_free(ctx);
	qd_context_free(NULL);
	UNIT_CHECK(t, a.n_out == 0 && !a.wrong_size, "%zu blocks leak", a.n_out);
	unit_alloc_fini(&a);
}

static char slot_order[8];

static void *
make_slot(struct qd_context *ctx)
{
	return pool_new(&ctx->pool, 8);
}

static void *
make_nothing(struct qd_context *ctx)
{
	(void)ctx;
	return NULL;
}

static void
free_scratch(struct qd_context *ctx, void *p)
{
	strcat(slot_order, "s");
	pool_delete(&ctx->pool, p);
}

static void
free_cache(struct qd_context *ctx, void *p)
{
	strcat(slot_order, "c");
	pool_delete(&ctx->pool, p);
}

static void
free_runtime(struct qd_context *ctx, void *p)
{
	strcat(slot_order, "r");
	pool_delete(&ctx->pool, p);
}

/* Checks the order of destruction: the runtime uses the cache, and the cache uses the scratch. */
static void
context_slots(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;

	slot_order[0] = '\0';
	if (qd_context_create(&desc, &ctx, NULL)) {
		UNIT_CHECK(t, false, "%s", qd_last_error()->text);
		return;
	}
	UNIT_CHECK(t, !ctx_slot(ctx, CTX_SLOT_CACHE, make_nothing, free_cache), "nothing");
	void *c = ctx_slot(ctx, CTX_SLOT_CACHE, make_slot, free_cache);
	void *s = ctx_slot(ctx, CTX_SLOT_SCRATCH, make_slot, free_scratch);
	void *r = ctx_slot(ctx, CTX_SLOT_RUNTIME, make_slot, free_runtime);
	UNIT_CHECK(t, c && s && r && c != s && s != r, "slots");
	UNIT_CHECK(t, ctx_slot(ctx, CTX_SLOT_CACHE, make_nothing, free_cache) == c, "made twice");
	qd_context_free(ctx);
	UNIT_CHECK(t, !strcmp(slot_order, "rcs"), "freed in the order '%s'", slot_order);
}

/* Checks that freeing a context with live objects is reported, and that these objects can still be
 * freed. */
static void
context_live(struct unit_ctx *t)
{
	struct unit_alloc a;
	struct log_record log = { 0 };
	struct qd_context *ctx;

	unit_alloc_init(&a);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&a),
					.log = record,
					.log_user = &log };
	if (qd_context_create(&desc, &ctx, NULL)) {
		UNIT_CHECK(t, false, "%s", qd_last_error()->text);
		return;
	}
	void *obj = pool_new(&ctx->pool, 40);
	ctx_born(ctx, LIVE_STREAM);
	ctx_born(ctx, LIVE_IMAGE);
	ctx_born(ctx, LIVE_BUFFER);
	ctx_born(ctx, LIVE_BUFFER);
	qd_context_free(ctx);
	UNIT_CHECK(t, log.n == 1 && log.level == QD_LOG_ERROR, "%u messages", log.n);
	UNIT_CHECK(t, strstr(log.text, "still live: 2 buffers, 1 stream; the"), "'%s'", log.text);
	pool_delete(&ctx->pool, obj);
	ctx_log(ctx, QD_LOG_ERROR, "test", "into the void");
	UNIT_CHECK(t, log.n == 1, "logs after it was freed");
	unit_alloc_fini(&a);
}

/* -- Log -------------------------------------------------------------------------------- */

static void
log_callback(struct unit_ctx *t)
{
	struct log_record log = { 0 };
	struct qd_context *ctx;
	struct qd_context_desc desc = { .version = QD_VERSION, .log = record, .log_user = &log };

	if (qd_context_create(&desc, &ctx, NULL)) {
		UNIT_CHECK(t, false, "%s", qd_last_error()->text);
		return;
	}
	errno = 42;
	ctx_log(ctx, QD_LOG_DEBUG, "cache", "%d %s", 5, "hits");
	UNIT_CHECK(t, errno == 42, "errno is %d", errno);
	UNIT_CHECK(t, log.n == 1 && log.level == QD_LOG_DEBUG && log.len == 6, "%u", log.n);
	UNIT_CHECK(t, !strcmp(log.component, "cache") && !strcmp(log.text, "5 hits"), "%s: '%s'",
		   log.component, log.text);
	ctx_log(ctx, QD_LOG_INFO, "x", "%5000d", 1);
	UNIT_CHECK(t, log.len == 4095 && strlen(log.text) == 4095 &&
			      !strcmp(log.text + 4092, "..."),
		   "a long message: %zu", log.len);
	ctx->log_max = QD_LOG_WARNING;
	ctx_log(ctx, QD_LOG_INFO, "x", "below the level");
	UNIT_CHECK(t, log.n == 2, "a level that is off");
	qd_context_free(ctx);
}

static void
log_rules(struct unit_ctx *t)
{
	static const char *const wrong[] = {
		"", "loud", "info,", ",info", "cache:", ":info", "cache:loud", "Info", "info ",
		"abcdefghijklmnopqrstuvwx:info", "a:b:info:c",
	};
	struct log_sink s;
	char many[LOG_MAX_RULES * 7 + 8];

	for (size_t i = 0; i < QD_COUNT(wrong); i++)
		UNIT_CHECK(t, !log_sink_parse(&s, wrong[i]), "'%s' is accepted", wrong[i]);
	for (size_t i = 0; i <= LOG_MAX_RULES; i++)
		memcpy(many + 7 * i, "a:info,", 8);
	many[7 * LOG_MAX_RULES + 6] = '\0';
	UNIT_CHECK(t, !log_sink_parse(&s, many), "a rule too many is accepted");
	many[7 * LOG_MAX_RULES - 1] = '\0';
	UNIT_CHECK(t, log_sink_parse(&s, many), "%d rules are refused", LOG_MAX_RULES);
	UNIT_CHECK(t, log_sink_parse(&s, "info") && s.others == QD_LOG_INFO && !s.n_rules, "info");
	UNIT_CHECK(t, log_sink_max(&s) == QD_LOG_INFO, "%u", log_sink_max(&s));
	UNIT_CHECK(t, log_sink_parse(&s, "cache:debug,select:trace,driver:info") && s.n_rules == 3,
		   "three rules");
	UNIT_CHECK(t, s.others == 0 && log_sink_max(&s) == QD_LOG_DEBUG, "%u", log_sink_max(&s));
	UNIT_CHECK(t, log_sink_parse(&s, "error,driver:warning") && s.others == QD_LOG_ERROR &&
			      log_sink_max(&s) == QD_LOG_WARNING,
		   "a level for the others");
}

/* Runs a context under QD_LOG=text with stderr redirected to a file, and copies its output to
 * out. */
static bool
capture(const char *text, char *out, size_t cap)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	const char *before = getenv("QD_LOG");
	char *saved = before ? strdup(before) : NULL;
	FILE *f = tmpfile();
	int old = dup(STDERR_FILENO);
	bool good = f && old >= 0;

	fflush(stderr);
	if (good) {
		dup2(fileno(f), STDERR_FILENO);
		setenv("QD_LOG", text, 1);
		good = qd_context_create(&desc, &ctx, NULL) == QD_OK;
		if (good) {
			ctx_log(ctx, QD_LOG_INFO, "cache", "one\ntwo\n");
			ctx_log(ctx, QD_LOG_DEBUG, "driver", "three");
			qd_context_free(ctx);
		}
		dup2(old, STDERR_FILENO);
		if (saved)
			setenv("QD_LOG", saved, 1);
		else
			unsetenv("QD_LOG");
		rewind(f);
		size_t n = fread(out, 1, cap - 1, f);
		out[n] = '\0';
	}
	if (f)
		fclose(f);
	if (old >= 0)
		close(old);
	free(saved);
	return good;
}

/* Checks the output under QD_LOG: each line has a prefix, only requested levels are logged, and an
 * invalid value causes one warning. */
static void
log_stderr(struct unit_ctx *t)
{
	char out[2048], want[256];
	long pid = (long)getpid(), tid = (long)gettid();

	if (!capture("cache:info,driver:debug", out, sizeof out)) {
		unit_skip(t, "stderr cannot be captured");
		return;
	}
	snprintf(want, sizeof want,
		 "qd[%ld.%ld] info cache: one\nqd[%ld.%ld] info cache: two\n"
		 "qd[%ld.%ld] debug driver: three\n",
		 pid, tid, pid, tid, pid, tid);
	UNIT_CHECK(t, !strcmp(out, want), "'%s'", out);
	UNIT_CHECK(t, capture("error,driver:debug", out, sizeof out) && !strstr(out, "one") &&
			      strstr(out, "three\n"),
		   "'%s'", out);
	UNIT_CHECK(t, capture("error", out, sizeof out) && !*out, "'%s'", out);
	UNIT_CHECK(t, capture("", out, sizeof out) && !*out, "'%s'", out);
	UNIT_CHECK(t, capture("7", out, sizeof out) && strstr(out, "warning log: QD_LOG='7'"),
		   "'%s'", out);
	UNIT_CHECK(t, strchr(out, '\n') == out + strlen(out) - 1, "more than one line: '%s'", out);
}

static void
clock_forward(struct unit_ctx *t)
{
	uint64_t a = clock_ns(), b = clock_ns();

	UNIT_CHECK(t, a > 0 && b >= a, "the clock goes back");
}

/* A text in the environment, the descriptor's value, and the context's. */
struct choice {
	const char *text;
	uint32_t given, want;
	bool warns;
};

/* Checks values from the descriptor and from the environment. The descriptor takes precedence, and other
 * texts are ignored with the message `takes`. */
static void
choices(struct unit_ctx *t, const char *name, bool is_opt, const struct choice *rows, size_t n, const char *takes)
{
	const char *before = getenv(name);
	char *saved = before ? strdup(before) : NULL;
	struct qd_context *ctx;
	struct qd_error e;

	for (size_t i = 0; i < n; i++) {
		struct log_record log = { 0 };
		struct qd_context_desc desc = { .version = QD_VERSION, .log = record, .log_user = &log,
						.opt = is_opt ? (qd_opt)rows[i].given : 0,
						.facts = is_opt ? 0 : (qd_facts)rows[i].given };

		rows[i].text ? setenv(name, rows[i].text, 1) : unsetenv(name);
		if (qd_context_create(&desc, &ctx, &e)) {
			UNIT_CHECK(t, false, "%s, row %zu: %s", name, i, e.text);
			continue;
		}
		const uint32_t got = is_opt ? ctx->opt : ctx->no_facts;
		UNIT_CHECK(t, got == rows[i].want, "%s, row %zu: %u", name, i, got);
		UNIT_CHECK(t, (log.n != 0) == rows[i].warns && (!log.n || strstr(log.text, takes)),
			   "%s, row %zu: %u messages: %s", name, i, log.n, log.text);
		qd_context_free(ctx);
	}
	saved ? setenv(name, saved, 1) : unsetenv(name);
	free(saved);
}

static void
context_opt(struct unit_ctx *t)
{
	static const struct choice rows[] = {
		{ NULL, 0, 2, false }, { "", 0, 2, false },   { "0", 0, 0, false },  { "1", 0, 1, false },
		{ "2", 0, 2, false },  { "3", 0, 2, true },   { "-1", 0, 2, true },  { "00", 0, 2, true },
		{ "0", QD_OPT_FULL, 2, false }, { NULL, QD_OPT_NONE, 0, false },
		{ "x", QD_OPT_SOME, 1, false },
	};
	struct qd_context *ctx;
	struct qd_error e;

	choices(t, "QD_OPT", true, rows, QD_COUNT(rows), "it takes 0, 1 or 2");
	UNIT_CHECK(t, qd_context_create(&(struct qd_context_desc){ .version = QD_VERSION, .opt = 4 }, &ctx, &e) ==
				      QD_E_INVALID && strstr(e.text, "opt is not one of"), "%s", e.text);
}

static void
context_facts(struct unit_ctx *t)
{
	static const struct choice rows[] = {
		{ NULL, 0, false, false }, { "", 0, false, false }, { "auto", 0, false, false }, { "none", 0, true, false },
		{ "all", 0, false, true }, { "none", QD_FACTS_AUTO, false, false }, { "x", QD_FACTS_NONE, true, false },
	};
	struct qd_context *ctx;
	struct qd_error e;

	choices(t, "QD_FACTS", false, rows, QD_COUNT(rows), "it takes auto or none");
	UNIT_CHECK(t, qd_context_create(&(struct qd_context_desc){ .version = QD_VERSION, .facts = 3 }, &ctx, &e) ==
				      QD_E_INVALID && strstr(e.text, "facts is not one of"), "%s", e.text);
}

const struct unit units_context[] = {
	{ "context.facts", context_facts },
	{ "context.opt", context_opt },
	{ "context.create", context_create },
	{ "context.slots", context_slots },
	{ "context.live", context_live },
	{ "log.callback", log_callback },
	{ "log.rules", log_rules },
	{ "log.stderr", log_stderr },
	{ "clock.forward", clock_forward },
};
const unsigned n_units_context = QD_COUNT(units_context);
