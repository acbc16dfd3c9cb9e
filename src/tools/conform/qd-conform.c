/* qd-conform: runs the conformance cases on one device and compares the results bit for bit with
 * plain C. The cases are in tests/cases; this is their driver for users with a device. */
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "conform.h"
#include "kind.h"

#ifndef INJECT
#define INJECT false /* true: fault injection, one bit of a result is flipped */
#endif

enum { OPT_DEVICE, OPT_FILTER, OPT_LIST, OPT_SEED, OPT_JOBS, OPT_TIMEOUT, OPT_JSON, OPT_BRINGUP, OPT_REPORT };
static const struct tool_option options[] = {
	[OPT_DEVICE] = { 'd', "device", "SELECTOR",
			 "the device, such as amdgpu, vulkan:0, emu:sm_90 or ref:32 (default: "
			 "QD_DEVICE, else the best available)" },
	[OPT_FILTER] = { 0, "filter", "GLOB",
			 "only these families (reduce) or cases ('scan/*add*')" },
	[OPT_LIST] = { 0, "list", NULL, "print the names of the cases and run none" },
	[OPT_SEED] = { 0, "seed", "N", "the seed of random values and programs (default: 1)" },
	[OPT_JOBS] = { 'j', "jobs", "N",
		       "run the cases in N processes, with the same report (default: 1); useful if "
		       "the driver's compiler takes most of the time" },
	[OPT_TIMEOUT] = { 0, "timeout", "SECONDS",
			  "end a process that starts no kernel for this time, and report its cells "
			  "as failed (default: 600); without --jobs, runs the cases in a separate "
			  "process" },
	[OPT_JSON] = { 0, "json", NULL, "one JSON object, schema qd.conform/1" },
	[OPT_BRINGUP] = { 0, "bringup", NULL,
			  "only the bring-up steps of an amdgpu device, which precede the cases; "
			  "with --list their names" },
	[OPT_REPORT] = { 0, "report", "FILE", "also write the output to this file" },
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
	.examples = { "qd-conform -d ref:8 --filter control", "qd-conform -d emu:sm_90 --filter 'scan/*'", "qd-conform -d ref:8 --filter 'vote/*' --jobs 4",
		      "qd-conform --list" },
};

/* -- Selection of cases -------------------------------------------------------------- */

enum { MAX_ROWS = 256, MAX_JOBS = 256 };

/* A family with its selected rows. */
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

/* Returns false if nothing is selected. The cases of a family outside its rows have the family's
 * name. */
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

/* Results of the bring-up steps, as JSON. */
struct steps {
	char *text;
	size_t size;
	bool climbed;
};

static FILE *failures; /* as JSON strings; NULL: no JSON */
static uint32_t n_failures;

static void
put_failure(const char *line)
{
	report_print("%s\n", line);
	if (!failures)
		return;
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

/* Returns false if the number of cells differs from the tables, which is an error of this
 * program. */
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

/* -- Request ---------------------------------------------------------------------------------- */

struct request {
	const char *device, *filter, *report;
	uint64_t seed, timeout_ms;
	uint32_t jobs;
	bool apart; /* run the cases in processes of their own */
	bool lists, json, bringup;
};

/* Ends the program after the bring-up steps if one failed or nothing else is requested. */
static void
climbed(const struct request *q, const char *selector, struct steps *steps, bool good)
{
	steps->climbed = true;
	if (good && !q->bringup)
		return;
	if (q->json) {
		printf("{\"schema\":\"qd.conform/1\",\"device\":");
		tool_json_string(stdout, selector);
		printf(",\"bringup\":%s,\"families\":[],\"failures\":[],\"passed\":0,\"failed\":0,\"skipped\":0}\n",
		       steps->text);
	}
	free(steps->text);
	report_close();
	tool_quit(tool_finish(good ? EXIT_OK : EXIT_INPUT));
}

static void
climb(const struct request *q, const char *selector, struct steps *steps)
{
	FILE *f = q->json ? open_memstream(&steps->text, &steps->size) : NULL;

	if (q->json && !f)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	bool good = bringup_run(selector, f);
	if (f)
		fclose(f);
	climbed(q, selector, steps, good);
}

/* Runs the bring-up steps in a child process, because drivers do not work in children of a process
 * that has opened them. */
static void
climb_apart(const struct request *q, const char *selector, struct steps *steps)
{
	FILE *text = q->json ? open_memstream(&steps->text, &steps->size) : NULL;
	int ends[2], status = 0;
	char bytes[4096];

	if ((q->json && !text) || pipe(ends))
		tool_die(EXIT_ENVIRONMENT, "out of memory or descriptors");
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		tool_die(EXIT_ENVIRONMENT, "cannot create a process for the bring-up steps");
	if (pid == 0) {
		FILE *f = q->json ? fdopen(ends[1], "w") : NULL;
		bool good = bringup_run(selector, f);
		fflush(NULL);
		_exit(good ? EXIT_OK : EXIT_INPUT);
	}
	close(ends[1]);
	for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
		if (text)
			fwrite(bytes, 1, (size_t)n, text);
	close(ends[0]);
	if (text)
		fclose(text);
	bool ended = waitpid(pid, &status, 0) == pid && WIFEXITED(status);
	if (!ended || WEXITSTATUS(status) > EXIT_INPUT) {
		/* The process has printed its error, unless a signal killed it. */
		if (!ended)
			tool_message("error", "the bring-up was killed by signal %d", WTERMSIG(status));
		report_close();
		tool_quit(ended ? WEXITSTATUS(status) : EXIT_INPUT);
	}
	climbed(q, selector, steps, WEXITSTATUS(status) == EXIT_OK);
}

/* Exits without a device. The exit code is not 1, which means failed cases. */
TOOL_NORETURN static void
no_device(const struct qd_error *err)
{
	int code = tool_report(err);

	report_error(err);
	report_close();
	tool_quit(err->code == QD_E_INVALID ? EXIT_USAGE : code == EXIT_BUG ? code : EXIT_ENVIRONMENT);
}

static void
print_head(const struct report *r)
{
	report_print("%s: %s (%s), subgroup size %u\n", r->suite.selector, r->suite.info.name, r->suite.info.target,
		     r->suite.size);
}

/* -- Running in several processes ------------------------------------------------------------ */

/* State for a report from pieces as they complete. */
struct gathering {
	struct report *r;
	const struct request *q;
	struct steps *steps;
	uint32_t n_pieces;
};

/* Adds the pieces of a family: each row with each type, and the cases outside its rows. */
static uint32_t
put_pieces(struct piece *out, uint32_t at, const struct choice *c, const struct family *f, uint32_t place)
{
	for (uint32_t i = 0; i < c->family.n_rows; i++) {
		const struct row *row = NULL;
		for (uint32_t k = 0; k < f->n_rows; k++)
			if (strcmp(f->rows[k].name, c->rows[i].name) == 0)
				row = &f->rows[k];
		for (qd_type type = 1; row && type < 32; type++) {
			if (!(row->types >> type & 1))
				continue;
			if (out)
				out[at] = (struct piece){ .family = place, .of = f, .row = row, .type = type };
			at++;
		}
	}
	if (c->family.run && out)
		out[at] = (struct piece){ .family = place, .of = f };
	return at + (c->family.run != NULL);
}

/* Lists all pieces in the order of a single process; out NULL: returns their number. */
static uint32_t
list_pieces(struct report *r, const char *filter, struct piece *out)
{
	static struct choice c;
	uint32_t n = 0;

	r->n = 0;
	for (uint32_t i = 0; i < n_families && r->n < QD_COUNT(r->family); i++) {
		if (!choose(&c, families[i], filter))
			continue;
		r->family[r->n].name = families[i]->name;
		n = put_pieces(out, n, &c, families[i], r->n++);
	}
	return n;
}

static void
on_opened(void *user, const struct suite *suite)
{
	struct gathering *g = user;

	g->r->suite = *suite;
	if (!g->steps->climbed && bringup_wanted(suite->info.selector))
		climb_apart(g->q, suite->info.selector, g->steps);
	print_head(g->r);
}

/* Counts and shows lines as suite_fail does. */
static void
put_lines(const struct suite *t, const char *lines, uint32_t n_lines)
{
	enum { MOST = 50 };
	uint64_t failed;

	for (uint32_t i = 0; i < n_lines; i++) {
		memcpy(&failed, lines, sizeof failed);
		lines += sizeof failed;
		if (failed == JOBS_ALWAYS || t->failed + failed <= MOST)
			put_failure(lines);
		lines += strlen(lines) + 1;
	}
}

static void
put_skips(struct suite *t, const char *reasons)
{
	char reason[512];

	while (*reasons) {
		const char *end = strstr(reasons, "; ");
		size_t len = end ? (size_t)(end - reasons) : strlen(reasons);
		snprintf(reason, sizeof reason, "%.*s", (int)len, reasons);
		suite_skip(t, 0, reason);
		reasons += end ? len + 2 : len;
	}
}

static void
on_done(void *user, const struct piece *p, const struct worker_outcome *o, const char *lines, uint32_t n_lines)
{
	struct gathering *g = user;
	struct suite *t = &g->r->suite;
	struct tally *y = &g->r->family[p->family];
	struct family f;
	struct row row;

	piece_family(p, &row, &f);
	y->cells += suite_count(t, &f);
	put_lines(t, lines, n_lines);
	put_skips(t, o->skip_reasons);
	y->passed += o->passed;
	y->failed += o->failed;
	y->skipped += o->skipped;
	t->passed += o->passed;
	t->failed += o->failed;
	t->skipped += o->skipped;
	t->wrong |= o->wrong;
}

static void
on_broke(void *user, const char *how)
{
	struct gathering *g = user;
	char line[256];

	snprintf(line, sizeof line, "FAIL %s: a process that ran no case %s", g->r->suite.selector, how);
	put_failure(line);
	g->r->suite.wrong = true;
}

static void
on_progress(void *user, uint32_t done)
{
	struct gathering *g = user;

	progress("pieces", done, g->n_pieces);
}

/* Returns false if the number of cells differs from the tables. */
static bool
run_jobs(struct report *r, const struct request *q, const char *device, struct steps *steps)
{
	struct gathering g = { .r = r, .q = q, .steps = steps };
	struct qd_error err;
	bool good = true;

	g.n_pieces = list_pieces(r, q->filter, NULL);
	struct piece *pieces = calloc(g.n_pieces, sizeof *pieces);
	if (!pieces)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	list_pieces(r, q->filter, pieces);
	struct jobs j = {
		.task = { .pieces = pieces, .device = device, .seed = q->seed },
		.n_pieces = g.n_pieces,
		.n_workers = q->jobs < g.n_pieces ? q->jobs : g.n_pieces,
		.timeout_ms = q->timeout_ms,
		.inject = INJECT && !getenv("QD_TEST_DIE") && !getenv("QD_TEST_HANG"),
		.opened = on_opened,
		.done = on_done,
		.broke = on_broke,
		.progress = on_progress,
		.user = &g,
	};
	if (!jobs_run(&j, &err))
		no_device(&err);
	progress(NULL, 0, 0);
	if (err.code)
		tool_message("warning", "fewer than %u processes ran the cases: %s", j.n_workers, err.text);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tally *y = &r->family[i];
		good &= y->passed + y->failed + y->skipped == y->cells;
	}
	free(pieces);
	return good;
}

/* -- Results --------------------------------------------------------------------------------- */

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
print_json(const struct report *r, const char *failed_texts, const char *bringup)
{
	const struct suite *t = &r->suite;

	printf("{\"schema\":\"qd.conform/1\",\"device\":");
	tool_json_string(stdout, t->info.selector);
	json_text("name", t->info.name);
	json_text("driver", t->info.driver);
	json_text("target", t->info.target);
	printf(",\"subgroup_size\":%u,\"seed\":\"%llu\"", t->size, (unsigned long long)t->seed);
	if (bringup)
		printf(",\"bringup\":%s", bringup);
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
		case OPT_JOBS: q->jobs = (uint32_t)tool_number("--jobs", value, 1, MAX_JOBS); break;
		case OPT_TIMEOUT:
			q->timeout_ms = tool_milliseconds("--timeout", value);
			q->apart = true;
			break;
		case OPT_JSON: q->json = true; break;
		case OPT_BRINGUP: q->bringup = true; break;
		case OPT_REPORT: q->report = value; break;
		default: kind_unexpected(value);
		}
	}
	q->apart |= q->jobs > 1;
	if (q->lists && (q->device || q->json || q->report || q->apart))
		tool_usage("--list needs no device and prints only names");
	if (q->bringup && q->filter)
		tool_usage("--bringup runs no case; it cannot be combined with --filter");
	if (q->bringup && q->apart)
		tool_usage(
			"--bringup runs no case; it cannot be combined with --jobs and --timeout");
	if (!count_families(q->filter))
		tool_usage("--filter: no case matches '%s'; --list prints the names", q->filter);
}

/* Returns the device of the command line or the environment; NULL: none. */
static const char *
named_device(const struct request *q)
{
	const char *device = q->device ? q->device : getenv("QD_DEVICE");

	if (!device || !*device)
		device = q->bringup ? "amdgpu" : NULL;
	if (q->bringup && !bringup_wanted(device))
		tool_usage("--bringup is for devices of the driver amdgpu, not for '%s'", device);
	return device;
}

static void
open_device(struct report *r, const struct request *q, const char *device, struct qd_context *ctx)
{
	struct qd_error err;

	if (suite_start(&r->suite, ctx, device, &err))
		no_device(&err);
	r->suite.seed = q->seed;
	r->suite.inject = INJECT;
	r->suite.print = put_failure;
}

/* Runs the cases in this process. Returns false if the number of cells differs from the tables. */
static bool
run_here(struct report *r, const struct request *q, const char *device, struct steps *steps)
{
	/* The cases cause errors on purpose, so the context logs nothing by default; QD_LOG enables
	 * it. */
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error err;

	if (qd_context_create(&desc, &ctx, &err))
		tool_fail(&err);
	open_device(r, q, device, ctx);
	if (!steps->climbed && bringup_wanted(r->suite.info.selector))
		climb(q, r->suite.info.selector, steps);
	print_head(r);
	bool good = run_all(r, q->filter);
	suite_close(&r->suite);
	qd_context_free(ctx);
	return good;
}

int
main(int argc, char **argv)
{
	struct request q = { .seed = 1, .jobs = 1, .timeout_ms = 600000 };
	static struct report r;
	struct steps steps = { NULL, 0, false };
	char *texts = NULL;
	size_t size = 0;

	/* The cases must test newly compiled code, which is of no use later. */
	setenv("QD_CACHE", "0", 0);
	read_request(&q, argc, argv);
	if (q.lists) {
		if (q.bringup)
			bringup_list();
		else
			list(q.filter);
		return tool_finish(EXIT_OK);
	}
	const char *device = named_device(&q);
	if (q.json)
		report_silence();
	if (q.report)
		report_open(q.report);
	if (device && bringup_wanted(device))
		(q.apart ? climb_apart : climb)(&q, device, &steps);
	if (q.json && !(failures = open_memstream(&texts, &size)))
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	bool good = q.apart ? run_jobs(&r, &q, device, &steps) : run_here(&r, &q, device, &steps);
	if (failures)
		fclose(failures);
	if (q.json)
		print_json(&r, texts ? texts : "", steps.text);
	print_text(&r); /* with JSON, only to the report */
	free(texts);
	free(steps.text);
	report_close();
	if (!good)
		tool_die(EXIT_BUG, "the number of cells differs from the tables");
	return tool_finish(r.suite.failed || r.suite.wrong ? EXIT_INPUT : EXIT_OK);
}
