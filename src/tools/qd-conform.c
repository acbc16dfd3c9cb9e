/* qd-conform: the conformance cases on one device, compared bit for bit with plain C.  The
 * cases are tests/cases; this is their loop for people with a device. */
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "conform.h"

#ifndef PLANT
#define PLANT false /* true: one bit of a result is flipped, to be found */
#endif

enum { OPT_DEVICE, OPT_FILTER, OPT_LIST, OPT_SEED, OPT_JSON, OPT_LADDER, OPT_REPORT };
static const struct tool_option options[] = {
	[OPT_DEVICE] = { 'd', "device", "SELECTOR",
			 "the device, such as amdgpu, vulkan:0, emu:sm_90 or ref:32; without it what "
			 "QD_DEVICE names, else the best there is" },
	[OPT_FILTER] = { 0, "filter", "GLOB",
			 "only these families, such as reduce, or cases, such as 'scan/*add*'" },
	[OPT_LIST] = { 0, "list", NULL, "name the cases and run none" },
	[OPT_SEED] = { 0, "seed", "N", "of random values and programs: 1" },
	[OPT_JSON] = { 0, "json", NULL, "one JSON object, schema qd.conform/1" },
	[OPT_LADDER] = { 0, "ladder", NULL,
			 "only the steps that an amdgpu device is tried with before the cases; with --list "
			 "their names" },
	[OPT_REPORT] = { 0, "report", "FILE", "write what is printed to this file too, to be sent to somebody" },
};

static const struct tool_values values[] = {
	{ "device", TOOL_DEVICES },
	{ NULL, NULL },
};
static const struct tool tool = {
	.name = "qd-conform",
	.usage = "[OPTION]...",
	.about = "Runs the conformance cases on a device: every operation on every type, size of "
		 "subgroup, block and tile that the device has, with values of many kinds, compared "
		 "bit for bit with plain C. The first thing to run on a new GPU or driver.",
	.options = options,
	.n_options = QD_COUNT(options),
	.values = values,
	.examples = { "qd-conform -d ref:8", "qd-conform -d emu:sm_90 --filter 'scan/*'", "qd-conform --list" },
};

/* -- What there is ------------------------------------------------------------------- */

enum { MAX_ROWS = 256 };

/* A family with those of its rows that are wanted. */
struct choice {
	struct family family;
	struct row rows[MAX_ROWS];
};

static bool
wanted(const char *filter, const char *family, const char *row)
{
	char name[160];

	if (!filter || fnmatch(filter, family, 0) == 0)
		return true;
	snprintf(name, sizeof name, "%s/%s", family, row);
	return *row && (fnmatch(filter, name, 0) == 0 || fnmatch(filter, row, 0) == 0);
}

/* false: nothing of it.  What a family runs that is no row goes by the family's name. */
static bool
choose(struct choice *c, const struct family *f, const char *filter)
{
	c->family = *f;
	c->family.rows = c->rows;
	c->family.n_rows = 0;
	for (uint32_t i = 0; i < f->n_rows && c->family.n_rows < MAX_ROWS; i++)
		if (wanted(filter, f->name, f->rows[i].name))
			c->rows[c->family.n_rows++] = f->rows[i];
	if (!wanted(filter, f->name, "")) {
		c->family.run = NULL;
		c->family.count = NULL;
	}
	return c->family.n_rows || c->family.run;
}

static uint32_t
count_families(const char *filter)
{
	static struct choice c;
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_families; i++)
		n += choose(&c, families[i], filter);
	return n;
}

static void
list(const char *filter)
{
	static struct choice c;

	for (uint32_t i = 0; i < n_families; i++) {
		if (!choose(&c, families[i], filter))
			continue;
		for (uint32_t j = 0; j < c.family.n_rows; j++)
			printf("%s/%s\n", c.family.name, c.rows[j].name);
		if (c.family.run)
			printf("%s\n", c.family.name);
	}
}

/* -- Running ------------------------------------------------------------------------------ */

struct tally {
	const char *name;
	uint64_t cells, passed, failed, skipped;
};

struct report {
	struct suite suite;
	struct tally family[64];
	uint32_t n;
};

/* What the ladder told, as JSON. */
struct steps {
	char *text;
	size_t size;
	bool climbed;
};

static FILE *failures; /* as JSON strings; NULL: to stdout as they come */
static uint32_t n_failures;

static void
put_failure(const char *line)
{
	if (!failures) {
		report_print("%s\n", line);
		return;
	}
	if (n_failures++)
		fputc(',', failures);
	tool_json_string(failures, line);
}

static void
progress(const char *name, uint32_t at, uint32_t n)
{
	static int is_terminal = -1;

	if (is_terminal < 0)
		is_terminal = isatty(STDERR_FILENO);
	if (!is_terminal)
		return;
	if (name)
		fprintf(stderr, "\r%s (%u of %u)\033[K", name, at, n);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

/* False: the tables have other cells than were run, which is a fault of this program. */
static bool
run_family(struct report *r, const struct family *f)
{
	struct suite *t = &r->suite;
	struct tally *y = &r->family[r->n++], before = { NULL, 0, t->passed, t->failed, t->skipped };

	y->name = f->name;
	y->cells = suite_count(t, f);
	suite_run(t, f);
	y->passed = t->passed - before.passed;
	y->failed = t->failed - before.failed;
	y->skipped = t->skipped - before.skipped;
	return y->passed + y->failed + y->skipped == y->cells;
}

static bool
run_all(struct report *r, const char *filter)
{
	static struct choice c;
	uint32_t n = count_families(filter), at = 0;
	bool good = true;

	for (uint32_t i = 0; i < n_families && r->n < QD_COUNT(r->family); i++) {
		if (!choose(&c, families[i], filter))
			continue;
		progress(c.family.name, ++at, n);
		good &= run_family(r, &c.family);
	}
	progress(NULL, 0, 0);
	return good;
}

/* -- What came of it ------------------------------------------------------------------------- */

static void
print_text(const struct report *r)
{
	const struct suite *t = &r->suite;

	report_print("%-12s %9s %9s %9s %9s\n", "family", "cells", "passed", "failed", "skipped");
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tally *y = &r->family[i];
		report_print("%-12s %9llu %9llu %9llu %9llu\n", y->name, (unsigned long long)y->cells,
		       (unsigned long long)y->passed, (unsigned long long)y->failed,
		       (unsigned long long)y->skipped);
	}
	if (t->skipped)
		report_print("skipped: %s\n", t->skip_reasons);
	report_print("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)t->passed,
	       (unsigned long long)t->failed, (unsigned long long)t->skipped);
}

static void
json_text(const char *name, const char *value)
{
	printf(",\"%s\":", name);
	tool_json_string(stdout, value);
}

static void
print_json(const struct report *r, const char *failed_texts, const char *ladder)
{
	const struct suite *t = &r->suite;

	printf("{\"schema\":\"qd.conform/1\",\"device\":");
	tool_json_string(stdout, t->info.selector);
	json_text("name", t->info.name);
	json_text("driver", t->info.driver);
	json_text("target", t->info.target);
	printf(",\"subgroup_size\":%u,\"seed\":\"%llu\"", t->size, (unsigned long long)t->seed);
	if (ladder)
		printf(",\"ladder\":%s", ladder);
	printf(",\"families\":[");
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tally *y = &r->family[i];
		printf("%s{\"name\":\"%s\",\"cells\":%llu,\"passed\":%llu,\"failed\":%llu,\"skipped\":%llu}",
		       i ? "," : "", y->name, (unsigned long long)y->cells,
		       (unsigned long long)y->passed, (unsigned long long)y->failed,
		       (unsigned long long)y->skipped);
	}
	printf("],\"failures\":[%s]", failed_texts);
	json_text("skip_reasons", t->skip_reasons);
	printf(",\"passed\":%llu,\"failed\":%llu,\"skipped\":%llu}\n", (unsigned long long)t->passed,
	       (unsigned long long)t->failed, (unsigned long long)t->skipped);
}

/* -- The program ---------------------------------------------------------------------------- */

struct request {
	const char *device, *filter, *report;
	uint64_t seed;
	bool lists, json, ladder;
};

static void
read_request(struct request *q, int argc, char **argv)
{
	struct tool_args args;
	const char *value;
	int i;

	tool_start(&args, &tool, argc, argv);
	while ((i = tool_next(&args, &value)) != TOOL_END) {
		switch (i) {
		case OPT_DEVICE: q->device = value; break;
		case OPT_FILTER: q->filter = value; break;
		case OPT_LIST: q->lists = true; break;
		case OPT_SEED: q->seed = tool_number("--seed", value, 0, UINT64_MAX); break;
		case OPT_JSON: q->json = true; break;
		case OPT_LADDER: q->ladder = true; break;
		case OPT_REPORT: q->report = value; break;
		default: tool_usage("unexpected '%s'", value);
		}
	}
	if (q->lists && (q->device || q->json || q->report))
		tool_usage("--list needs no device, and prints names alone");
	if (q->ladder && q->filter)
		tool_usage("--ladder runs no case: --filter has nothing to choose from");
	if (!count_families(q->filter))
		tool_usage("--filter: no case has a name like '%s'; --list names them", q->filter);
}

/* What the caller or the environment names; NULL: neither does. */
static const char *
named_device(const struct request *q)
{
	const char *device = q->device ? q->device : getenv("QD_DEVICE");

	if (!device || !*device)
		device = q->ladder ? "amdgpu" : NULL;
	if (q->ladder && !ladder_wanted(device))
		tool_usage("--ladder is for devices of the driver amdgpu, not for '%s'", device);
	return device;
}

/* The steps before the cases; ends the program where one fails, or where nothing else is
 * wanted. */
static void
climb(const struct request *q, const char *selector, struct steps *steps)
{
	FILE *f = q->json ? open_memstream(&steps->text, &steps->size) : NULL;

	if (q->json && !f)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	bool good = ladder_run(selector, f);
	if (f)
		fclose(f);
	steps->climbed = true;
	if (good && !q->ladder)
		return;
	if (q->json) {
		printf("{\"schema\":\"qd.conform/1\",\"device\":");
		tool_json_string(stdout, selector);
		printf(",\"ladder\":%s,\"families\":[],\"failures\":[],\"passed\":0,\"failed\":0,\"skipped\":0}\n",
		       steps->text);
	}
	free(steps->text);
	report_close();
	tool_quit(tool_finish(good ? EXIT_OK : EXIT_INPUT));
}

static void
open_device(struct report *r, const struct request *q, const char *device, struct qd_context *ctx)
{
	struct qd_error err;
	/* 1 is for cases that fail. */
	qd_status st = suite_start(&r->suite, ctx, device, &err);
	if (st) {
		int code = tool_report(&err);
		report_error(&err);
		report_close();
		tool_quit(st == QD_E_INVALID ? EXIT_USAGE : code == EXIT_BUG ? code : EXIT_ENVIRONMENT);
	}
	r->suite.seed = q->seed;
	r->suite.plant = PLANT;
	r->suite.print = put_failure;
}

int
main(int argc, char **argv)
{
	struct request q = { .seed = 1 };
	static struct report r;
	struct steps steps = { NULL, 0, false };
	struct qd_error err;
	char *texts = NULL;
	size_t size = 0;

	/* What the driver makes now is what is tried, and nobody wants it again. */
	setenv("QD_CACHE", "0", 0);
	read_request(&q, argc, argv);
	if (q.lists) {
		if (q.ladder)
			ladder_list();
		else
			list(q.filter);
		return tool_finish(EXIT_OK);
	}
	const char *device = named_device(&q);
	if (q.json)
		report_silence();
	if (q.report)
		report_open(q.report);
	if (device && ladder_wanted(device))
		climb(&q, device, &steps);
	/* What the cases do on purpose is no message to anybody; QD_LOG still has it. */
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	if (qd_context_create(&desc, &ctx, &err))
		tool_fail(&err);
	open_device(&r, &q, device, ctx);
	if (!steps.climbed && ladder_wanted(r.suite.info.selector))
		climb(&q, r.suite.info.selector, &steps);
	if (q.json && !(failures = open_memstream(&texts, &size)))
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	report_print("%s: %s (%s), subgroup size %u\n", r.suite.selector, r.suite.info.name, r.suite.info.target,
		     r.suite.size);
	bool good = run_all(&r, q.filter);
	if (failures)
		fclose(failures);
	if (q.json)
		print_json(&r, texts ? texts : "", steps.text);
	else
		print_text(&r);
	suite_close(&r.suite);
	qd_context_free(ctx);
	free(texts);
	free(steps.text);
	report_close();
	if (!good)
		tool_die(EXIT_BUG, "other cells were run than the tables have");
	return tool_finish(r.suite.failed || r.suite.wrong ? EXIT_INPUT : EXIT_OK);
}
