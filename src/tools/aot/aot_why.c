/* qd-aot why: prints which entry a device would select, and why not the others. A target can
 * replace the device. */
#include "aot.h"

#include <stdlib.h>

#include "device.h"
#include "select.h"

struct asked {
	struct qd_device *dev; /* NULL: a target without a device */
	struct target target;
	char name[400];
	struct select_device sel;
};

/* Returns the hardware subgroup sizes that the back end supports for the target, or the size in its
 * name. */
static uint32_t
sizes_of(const struct target *t, const char *text)
{
	uint32_t sizes = 1u << t->m.log2_lanes;
	struct target sized;

	if (strstr(text, ":w") || strstr(text, ":h"))
		return sizes;
	for (uint32_t i = 2; i <= MAX_LOG2; i++) {
		if (jit_sized_target(t, 1u << i, 1u << i, &sized, QD_IGNORE_ERROR) == QD_OK &&
		    sized.m.lanes == 1u << i)
			sizes |= 1u << i;
	}
	return sizes;
}

static void
ask_target(struct asked *a, const char *text)
{
	snprintf(a->name, sizeof a->name, "a device of target %s", a->target.m.name);
	a->sel = (struct select_device){ .target = &a->target, .sizes = sizes_of(&a->target, text) };
}

static void
open_device(struct asked *a, struct qd_context *ctx, const char *text)
{
	struct qd_error e;
	qd_status st = qd_device_open(ctx, text, &a->dev, &e);

	if (!st)
		return;
	int code = tool_report(&e);
	if (st == QD_E_INVALID)
		tool_quit(EXIT_USAGE);
	if (code != EXIT_ENVIRONMENT && st != QD_E_NOT_FOUND)
		tool_quit(code);
	tool_message(
		"note",
		"a target can replace a device that is not available: -d gfx1100, -d ptx:sm_80");
	tool_quit(EXIT_ENVIRONMENT);
}

/* Finds the device of `text`, a selector or a target. */
static void
ask(struct asked *a, struct qd_context *ctx, const char *text)
{
	if (text && isa_target(text, &a->target, QD_IGNORE_ERROR) == QD_OK && !a->target.isa->runs_ir) {
		ask_target(a, text);
	} else {
		open_device(a, ctx, text);
		snprintf(a->name, sizeof a->name, "%s (%s)", a->dev->info.selector, a->dev->info.name);
		a->sel = (struct select_device){ .target = &a->dev->target,
						 .sizes = a->dev->sizes,
						 .size_asked = a->dev->size_asked };
	}
	a->sel.name = a->name;
	a->sel.no_facts = ctx->no_facts;
	a->sel.jit = !ctx->no_jit;
	a->sel.only = ctx->only_target;
}

static const char *const steps[] = {
	[SELECT_REJECTED] = "rejected",
	[SELECT_IR] = "the kernel, to be compiled",
	[SELECT_PORTABLE] = "portable code",
	[SELECT_COMPATIBLE] = "code of an earlier processor",
	[SELECT_EXACT] = "code of this processor",
};

static void
print_row(const struct aot_request *r, const struct fatbin_place *at, const struct select_row *row,
	  uint32_t i)
{
	if (r->json) {
		printf("%s{\"target\":", i ? "," : "");
		aot_json_target(at);
		printf(",\"kind\":\"%s\",\"taken\":%s,\"step\":\"%s\",\"why\":", code_kind_name(at->row.kind),
		       i == 0 && row->rank ? "true" : "false", steps[row->step]);
		tool_json_string(stdout, row->why);
		putchar('}');
	} else if (row->rank) {
		printf("  %s %s%s: %s\n", i ? "then " : "takes", fatbin_target_front(at), fatbin_target_rest(at),
		       steps[row->step]);
	}
}

/* Prints the rejected entries, grouped by reason. */
static void
print_rejected(const struct qd_fatbin *f, const struct select_row *out, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		bool repeated = out[i].rank != 0;
		for (uint32_t j = 0; j < i && !repeated; j++)
			repeated = strcmp(out[j].why, out[i].why) == 0;
		for (uint32_t j = i; j < n && !repeated; j++) {
			struct fatbin_place at;
			if (out[j].rank || strcmp(out[j].why, out[i].why) != 0)
				continue;
			fatbin_at(f, out[j].row, &at);
			printf("%s%s%s", j == i ? "  not   " : ", ", fatbin_target_front(&at),
			       fatbin_target_rest(&at));
		}
		if (!repeated)
			printf(": %s\n", out[i].why);
	}
}

/* Prints the decision for the rows, which are one kernel with one set of values. */
static bool
check_rows(const struct aot_request *r, const struct qd_fatbin *f, const struct asked *a,
      const uint32_t *rows, uint32_t n, bool first)
{
	struct select_row *out = calloc(n, sizeof *out);
	struct fatbin_place at;
	struct qd_error e;

	if (!out)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	if (select_rows(f, &a->sel, rows, n, out, &e))
		tool_fail(&e);
	fatbin_at(f, rows[0], &at);
	if (r->json) {
		printf("%s{\"kernel\":", first ? "" : ",");
		tool_json_string(stdout, at.kernel);
		printf(",\"values\":");
		tool_json_string(stdout, at.variant);
		printf(",\"entries\":[");
	} else {
		printf("%s%s%s%s on %s\n", at.kernel, *at.variant ? " (" : "", at.variant,
		       *at.variant ? ")" : "", a->name);
	}
	bool runs = out[0].rank != 0;
	for (uint32_t j = 0; j < n; j++) {
		fatbin_at(f, out[j].row, &at);
		print_row(r, &at, &out[j], j);
	}
	if (r->json)
		printf("]}");
	else
		print_rejected(f, out, n);
	free(out);
	return runs;
}

int
aot_why(struct qd_context *ctx, const struct aot_request *asked)
{
	/* -t does not select entries here: the command examines all targets. */
	struct aot_request all = *asked, *r = &all;
	struct asked a = { .dev = NULL };
	bool runs = true;
	struct fatbin_place at, next;
	uint32_t n;

	all.targets.n = 0;
	if (r->files.n != 1)
		tool_usage("why takes one file");
	struct qd_fatbin *f = aot_open(ctx, r->files.v[0]);
	ask(&a, ctx, r->device);
	if (r->json)
		printf("{\"schema\":\"qd.why/1\",\"kernels\":[");
	uint32_t *rows = aot_rows(r, f, &n);
	for (uint32_t i = 0, end; i < n; i = end) {
		fatbin_at(f, rows[i], &at);
		for (end = i + 1; end < n; end++) {
			fatbin_at(f, rows[end], &next);
			if (strcmp(next.kernel, at.kernel) != 0 || strcmp(next.variant, at.variant) != 0)
				break;
		}
		runs &= check_rows(r, f, &a, rows + i, end - i, i == 0);
	}
	if (r->json)
		printf("]}\n");
	if (!n)
		tool_message("error", "no kernel matches");
	free(rows);
	qd_device_close(a.dev);
	qd_fatbin_free(f);
	return runs && n ? EXIT_OK : EXIT_INPUT;
}
