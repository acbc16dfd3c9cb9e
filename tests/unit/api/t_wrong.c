/* Invalid arguments. Every call of qd.h gets NULL for each of its pointers in turn, and every
 * builder call gets invalid values. The script wrong.py generates the calls from the header, so new
 * calls are included automatically. Each call must return an error that names it, unless NULL is
 * allowed, and must neither leak memory nor break other objects. */
#define QD_NO_DEPRECATED_WARNINGS
#include <stdio.h>

#include "qd.h"
#include "unit.h"

struct world {
	struct unit_alloc mem;
	struct qd_context_desc desc;
	struct unit_things o;
	struct qd_error e;
	qd_status st;
	struct qd_arg args[1];
	struct qd_tmpl tmpl;
	struct qd_text source;
	struct qd_imports imports;
	/* a new builder for each call, with one object of each kind */
	struct qd_builder *b;
	struct qd_val u, vals[1];
	struct qd_var var;
	struct qd_array array;
	/* results */
	struct qd_context *out_context;
	struct qd_builder *out_builder;
	struct qd_kernel *out_kernel;
	struct qd_module *out_module;
	struct qd_image *out_image;
	struct qd_fatbin *out_fatbin;
	struct qd_fatbin_entry entry;
	struct qd_object_options options;
	struct qd_device *out_device;
	struct qd_function *out_function;
	struct qd_buffer *out_buffer;
	struct qd_stream *out_stream;
	struct qd_event *out_event;
	struct qd_param_info param;
	struct qd_tmpl_info tmpl_info;
	struct qd_device_info info;
	struct qd_function_info fn_info;
	struct qd_cache_stats stats;
	char text[64], bytes[64];
	uint32_t words[8];
	size_t size;
	uint64_t ns;
	bool flag;
	void *host;
};

enum wrong_kind {
	WRONG_STATUS,	  /* QD_E_INVALID; the error names the call */
	WRONG_FINE,	  /* NULL is allowed: the call may succeed */
	WRONG_QUIET,	  /* the call cannot report an error and does nothing */
	WRONG_NO_BUILDER, /* the error is the thread's last error */
	WRONG_BUILDER,	  /* the builder has failed; its error names the call */
	WRONG_CANNOT	  /* the call takes no pointer and no value of a builder */
};

struct wrong_call {
	const char *fn, *what;
	enum wrong_kind kind;
	void (*call)(struct world *w);
};

static void
wrong_operator(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	       struct qd_val *out, uint32_t k)
{
	(void)user;
	for (uint32_t i = 0; i < k; i++)
		out[i] = qd_add(b, x[i], y[i]);
}

#include "wrong_calls.h"

static const char add_text[] = "kernel add(x: u32[]) { for i in grid(x.len) { x[i] += 1; } }";

static bool
open_world(struct unit_ctx *t, struct world *w)
{
	unit_alloc_init(&w->mem);
	w->desc = (struct qd_context_desc){ .version = QD_VERSION,
					    .allocator = unit_alloc_hooks(&w->mem) };
	qd_status st =
		unit_things_make(&w->o, &w->desc, add_text, "add", "ref:w8", NULL, 0, &w->e);
	w->args[0] = qd_arg_buffer(w->o.buf);
	snprintf(w->text, sizeof w->text, "kernel k() { }");
	UNIT_CHECK(t, st == QD_OK, "%s", w->e.text);
	return st == QD_OK;
}

static void
close_world(struct unit_ctx *t, struct world *w)
{
	unit_things_free(&w->o);
	UNIT_CHECK(t, w->mem.n_out == 0, "%zu blocks are not freed", w->mem.n_out);
	unit_alloc_fini(&w->mem);
}

static void
open_builder(struct world *w)
{
	qd_builder_create(w->o.ctx, "k", &w->b, &w->e);
	w->array = qd_param_buffer(w->b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	w->u = w->vals[0] = qd_u32(w->b, 1);
	w->var = qd_var(w->b, w->u);
}

/* Frees the results of a successful call. */
static void
free_results(struct world *w)
{
	qd_event_free(w->out_event);
	qd_stream_free(w->out_stream);
	qd_buffer_free(w->out_buffer);
	qd_function_free(w->out_function);
	qd_device_close(w->out_device);
	qd_image_free(w->out_image);
	qd_fatbin_free(w->out_fatbin);
	qd_kernel_free(w->out_kernel);
	qd_module_free(w->out_module);
	qd_builder_free(w->out_builder);
	qd_context_free(w->out_context);
	w->out_event = NULL;
	w->out_stream = NULL;
	w->out_buffer = NULL;
	w->out_function = NULL;
	w->out_device = NULL;
	w->out_image = NULL;
	w->out_fatbin = NULL;
	w->out_kernel = NULL;
	w->out_module = NULL;
	w->out_builder = NULL;
	w->out_context = NULL;
}

/* Finishes the builder, which frees it, and returns its status. */
static qd_status
end_builder(struct world *w)
{
	qd_status st = qd_builder_finish(w->b, &w->out_kernel, &w->e);

	w->b = NULL;
	return st;
}

static void
examine(struct unit_ctx *t, struct world *w, const struct wrong_call *c)
{
	char want[128];
	qd_status st = w->st;

	switch (c->kind) {
	case WRONG_STATUS:
		snprintf(want, sizeof want, "%s: ", c->fn);
		UNIT_CHECK(t, st == QD_E_INVALID && strncmp(w->e.text, want, strlen(want)) == 0,
			   "%s without %s: status %d, '%s'", c->fn, c->what, (int)st, w->e.text);
		break;
	case WRONG_NO_BUILDER:
		snprintf(want, sizeof want, "%s: builder is NULL", c->fn);
		UNIT_CHECK(t, strcmp(qd_last_error()->text, want) == 0, "%s: '%s'", c->fn,
			   qd_last_error()->text);
		break;
	case WRONG_BUILDER:
		st = end_builder(w);
		UNIT_CHECK(t, st != QD_OK && strstr(w->e.text, c->fn), "%s without %s: %d, '%s'",
			   c->fn, c->what, (int)st, w->e.text);
		break;
	default: UNIT_CHECK(t, true, "it is still here"); break;
	}
}

static void
pointers(struct unit_ctx *t)
{
	struct world w = { .desc = { 0 } };
	const char *before = "";
	unsigned n = 0;

	if (!open_world(t, &w)) {
		close_world(t, &w);
		return;
	}
	for (size_t i = 0; i < QD_COUNT(wrong_calls); i++) {
		const struct wrong_call *c = &wrong_calls[i];

		n += strcmp(c->fn, before) != 0;
		before = c->fn;
		if (!c->call)
			continue;
		open_builder(&w);
		memset(&w.e, 0, sizeof w.e);
		w.st = QD_OK;
		c->call(&w);
		/* qd_builder_finish frees the builder even on failure. */
		if (strcmp(c->fn, "qd_builder_finish") == 0 && strcmp(c->what, "b") != 0)
			w.b = NULL;
		examine(t, &w, c);
		qd_builder_free(w.b);
		free_results(&w);
	}
	UNIT_CHECK(t, n > 150, "%u calls", n);
	close_world(t, &w);
}

/* Checks queries with NULL objects and numbers out of range. */
static void
numbers(struct unit_ctx *t)
{
	UNIT_CHECK(t, *qd_status_name(-5) && *qd_status_name(1000), "a status without a name");
	UNIT_CHECK(t, *qd_status_text(-5) && *qd_status_text(1000), "a status without a text");
	UNIT_CHECK(t, strcmp(qd_type_name(1000), "none") == 0 && qd_type_size(1000) == 0, "a type");
	UNIT_CHECK(t, qd_target_name(qd_target_count()) == NULL, "a target");
	UNIT_CHECK(t, strcmp(qd_kernel_name(NULL), "") == 0 && strcmp(qd_image_target(NULL), "") == 0 &&
			      strcmp(qd_device_target(NULL), "") == 0 &&
			      strcmp(qd_module_kernel_name(NULL, 3), "") == 0,
		   "names of nothing");
	UNIT_CHECK(t, qd_kernel_param_count(NULL) == 0 && qd_module_kernel_count(NULL) == 0 &&
			      qd_module_tmpl_count(NULL, 0) == 0 && qd_buffer_size(NULL) == 0 &&
			      qd_image_subgroup_size(NULL) == 0 && qd_fatbin_count(NULL) == 0,
		   "sizes of nothing");
}

const struct unit units_wrong[] = {
	{ "wrong.pointers", pointers },
	{ "wrong.numbers", numbers },
};
const unsigned n_units_wrong = QD_COUNT(units_wrong);
