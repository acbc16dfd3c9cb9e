/* tests/run: runs every test table without a framework, for sanitizer jobs and for machines without
 * Criterion.
 *
 *	run [--units] [-d SELECTOR]... [--family NAME] [--seed N] [--mutate]
 *	    [--count] [--threads N] [--silent] [--mutate-validation] [-v]
 *	    [--programs N] [--mutate-loop] [--skip GLOB --because REASON]...
 *
 * Without --units the conformance tables run on each device (default: the interpreter at every
 * subgroup size). --mutate flips one bit of one result, so the run must fail. --count prints the
 * number of cells. --threads runs the tables in N threads at once, on one device of one context.
 * --programs N: random programs per family; from 2000 on, their statistics are checked too. --skip
 * omits cases, such as order/publish. Rows and shapes have names; random programs and the other
 * families' cells have none. A glob that matches nothing is an error.
 * --mutate-loop: compares random programs with a wrong form of loop.
 * --silent: the validation layer is loaded and prints no message;
 * --mutate-validation: it must print one for an intended error. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include "cases.h"
#include "tables.h"
#include "vulkan_probe.h"
#include "watchdog.h"

enum { MAX_DEVICE = 16, MAX_THREAD = 32, MAX_ALSO = 32, MAX_LEFT_OUT = 8 };

static struct {
	const char *device[MAX_DEVICE];
	unsigned n_devices;
	const char *also[MAX_ALSO];
	unsigned n_also;
	struct left_out left_out[MAX_LEFT_OUT];
	unsigned n_left_out;
	const char *family;
	uint64_t seed;
	unsigned n_threads;
	uint64_t n_programs;
	bool units, inject, inject_loop, count, silent, inject_validation, verbose;
} opt = { .family = "*", .seed = 1 };

static struct {
	uint64_t passed, failed, skipped;
	char why[2048];
} total;

static void
skipped_because(const char *who, const char *why)
{
	size_t at = strlen(total.why);

	snprintf(total.why + at, sizeof total.why - at, "  skipped: %.200s: %.600s\n", who, why);
}

/* -- Units ------------------------------------------------------------------------- */

static void
run_units(void)
{
	for (unsigned i = 0; i < n_unit_tables; i++) {
		const struct unit_table *table = &unit_tables[i];

		for (unsigned n = 0; n < *table->n_units; n++) {
			const struct unit *u = &table->units[n];
			static struct unit_ctx t;
			char name[128];

			snprintf(name, sizeof name, "%.40s/%.80s", table->name, u->name);
			if (fnmatch(opt.family, table->name, 0) != 0 &&
			    fnmatch(opt.family, name, 0) != 0)
				continue;
			if (opt.verbose)
				printf("%s\n", name);
			watchdog_unit(table->name, u->name);
			unit_run(u, &t);
			if (opt.inject) {
				unit_fail(&t, __FILE__, __LINE__, "injected");
				opt.inject = false;
			}
			if (t.n_failed) {
				printf("FAIL %s: %u of %u checks\n%s\n", name, t.n_failed,
				       t.n_checks, t.text);
				total.failed++;
			} else if (t.skipped) {
				skipped_because(name, t.text);
				total.skipped++;
			} else if (t.n_checks == 0) {
				printf("FAIL %s: checked nothing\n", name);
				total.failed++;
			} else {
				total.passed++;
			}
		}
	}
}

/* -- Conformance --------------------------------------------------------------------- */

static void
run_family(struct suite *t, const struct family *f)
{
	uint64_t cells = suite_count(t, f), before = t->passed + t->failed + t->skipped, done;

	watchdog_family(t, f->name);
	suite_run(t, f);
	done = t->passed + t->failed + t->skipped - before;
	if (done != cells)
		suite_fail(t, 1, "family %s: %llu cells in the tables, %llu were run", f->name,
			   (unsigned long long)cells, (unsigned long long)done);
	printf("  %-10s %7llu cells\n", f->name, (unsigned long long)cells);
	fflush(stdout);
}

/* -- Threads -------------------------------------------------------------------------- */

/* Runs the families in a thread, with its own stream and seed, on a shared device. Family "canonical_order" is
 * omitted: it compares devices in one table. */
static void *
run_thread(void *user)
{
	struct suite *t = user;

	for (unsigned i = 0; i < n_families; i++)
		if (fnmatch(opt.family, families[i]->name, 0) == 0 &&
		    strcmp(families[i]->name, "canonical_order") != 0)
			suite_run(t, families[i]);
	return NULL;
}

static void
run_threads(const struct suite *shared)
{
	static struct suite t[MAX_THREAD];
	pthread_t id[MAX_THREAD];
	unsigned n = 0;
	struct qd_error err;

	for (; n < opt.n_threads; n++) {
		t[n] = *shared;
		/* Two threads each request the same kernels at the same time. */
		t[n].seed = opt.seed + n / 2;
		if (qd_stream_create(shared->dev, &t[n].stream, &err) ||
		    pthread_create(&id[n], NULL, run_thread, &t[n])) {
			printf("FAIL thread %u does not start\n", n);
			total.failed++;
			break;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(id[i], NULL);
		qd_stream_free(t[i].stream);
		total.passed += t[i].passed;
		total.failed += t[i].failed + t[i].wrong;
		total.skipped += t[i].skipped;
	}
	printf("%s: %u threads\n", shared->selector, n);
}

/* -- Required operations of random programs -------------------------------------------- */

/* Every operation of the IR, by its printed name; index 0 is unused. */
static const char *const made_ops[] = {
#define LOW(...)
#define OP(name, text, ...) text,
#include "op.def"
};
enum { N_MADE_OPS = sizeof made_ops / sizeof made_ops[0] - 1 };

/* -- Devices --------------------------------------------------------------------------- */

static void
check_validation(struct suite *t)
{
	uint64_t n = probe_validation_messages();

	if (!probe_layer_loaded()) {
		printf("FAIL the validation layer is not loaded\n");
		total.failed++;
	} else if (opt.silent && n) {
		printf("FAIL the validation layer sent %llu messages\n", (unsigned long long)n);
		total.failed++;
	} else if (opt.inject_validation) {
		probe_inject_error(t->dev);
		if (probe_validation_messages() == n) {
			printf("FAIL the validation layer did not notice the injected error\n");
			total.failed++;
		} else {
			total.passed++;
		}
	}
}

/* Returns false if the device is not available. */
static bool
run_device(struct qd_context *ctx, const char *selector)
{
	struct suite t;
	uint64_t cells = 0;

	if (!suite_open(&t, ctx, selector))
		return false;
	t.seed = opt.seed;
	t.inject = opt.inject;
	t.inject_loop = opt.inject_loop;
	t.n_programs = opt.n_programs;
	t.verbose = opt.verbose;
	t.some = getenv("QD_TEST_SOME") != NULL;
	t.also = opt.also;
	t.n_also = opt.n_also;
	t.left_out = opt.left_out;
	t.n_left_out = opt.n_left_out;
	printf("%s: %s (%s), subgroup size %u\n", selector, t.info.name, t.info.target, t.size);
	if (opt.n_threads) {
		run_threads(&t);
		suite_close(&t);
		return true;
	}
	for (unsigned i = 0; i < n_families; i++) {
		if (fnmatch(opt.family, families[i]->name, 0) != 0 || opt.inject_validation)
			continue;
		if (opt.count)
			printf("  %-10s %7llu cells\n", families[i]->name,
			       (unsigned long long)suite_count(&t, families[i]));
		else
			run_family(&t, families[i]);
		if (opt.count || opt.verbose)
			suite_census(&t, families[i], made_ops + 1, N_MADE_OPS);
		cells += suite_count(&t, families[i]);
	}
	printf("%s: %llu cells", selector, (unsigned long long)cells);
	if (!opt.count)
		printf(", %llu passed, %llu failed, %llu skipped", (unsigned long long)t.passed,
		       (unsigned long long)t.failed, (unsigned long long)t.skipped);
	printf("\n");
	if (t.skipped)
		skipped_because(t.info.name, t.skip_reasons);
	total.passed += t.passed;
	total.failed += t.failed + t.wrong;
	total.skipped += t.skipped;
	if (opt.silent || opt.inject_validation)
		check_validation(&t);
	suite_close(&t);
	return true;
}

static int
run_devices(void)
{
	static const char *const all[] = { "ref:4",  "ref:8",  "ref:16",
					   "ref:32", "ref:64", "ref:128" };
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error err;

	if (qd_context_create(&desc, &ctx, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	if (!opt.n_devices)
		for (unsigned i = 0; i < 6; i++)
			opt.device[opt.n_devices++] = all[i];
	for (unsigned i = 0; i < opt.n_devices; i++) {
		if (!run_device(ctx, opt.device[i]))
			total.failed++;
	}
	qd_context_free(ctx);
	return 0;
}

static void
print_left_out(void)
{
	for (unsigned i = 0; i < opt.n_left_out; i++) {
		const struct left_out *o = &opt.left_out[i];

		if (o->cells) {
			printf("%s is left out, %llu cells: %s\n", o->glob,
			       (unsigned long long)o->cells, o->reason);
		} else {
			printf("FAIL --skip %s: no case of the families that ran has such a name\n",
			       o->glob);
			total.failed++;
		}
	}
}

static const char help[] =
	"usage: run [OPTION]...           runs conformance cases\n"
	"       run --units [OPTION]...   runs unit tests\n"
	"\n"
	"  -d SELECTOR        a device, as in QD_DEVICE; may be repeated (default: ref:4 to ref:128)\n"
	"  --family GLOB      families of cases, tables of units, or units such as 'api/api.versions'\n"
	"  --list             print the names that --family takes, and run nothing\n"
	"  --count            print the number of cells of each family, and run nothing\n"
	"  --seed N           seed of the data (default: 1)\n"
	"  --programs N       random programs per family; from 2000 on the census is checked\n"
	"  --threads N        run the tables in N threads on one device\n"
	"  --skip GLOB --because REASON   leave out cases, such as 'order/publish'\n"
	"  --also TARGET      compile every kernel for this target too\n"
	"  --silent           fail if the validation layer sends a message\n"
	"  --mutate           flip one bit of one result; the run must fail\n"
	"  --mutate-loop      compare random programs with the results of a wrong loop; must fail\n"
	"  --mutate-validation  provoke a message of the validation layer, which must be seen\n"
	"  -v                 print more\n";

static int
usage(const char *what)
{
	fprintf(stderr, "run: %s\n%s", what, help);
	return 2;
}

/* Prints the names that --family selects from. */
static int
list(void)
{
	if (!opt.units)
		for (unsigned i = 0; i < n_families; i++)
			printf("%s\n", families[i]->name);
	for (unsigned i = 0; opt.units && i < n_unit_tables; i++)
		for (unsigned n = 0; n < *unit_tables[i].n_units; n++)
			printf("%s/%s\n", unit_tables[i].name, unit_tables[i].units[n].name);
	return 0;
}

int
main(int argc, char **argv)
{
	int rc = 0;
	bool names = false;

	setenv("QD_CACHE", "0", 0); /* not the user's cache */
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];
		bool more = i + 1 < argc;

		if (strcmp(a, "--help") == 0)
			return printf("%s", help) < 0;
		if (strcmp(a, "--units") == 0)
			opt.units = true;
		else if (strcmp(a, "--list") == 0)
			names = true;
		else if (strcmp(a, "--mutate") == 0)
			opt.inject = true;
		else if (strcmp(a, "--mutate-loop") == 0)
			opt.inject_loop = true;
		else if (strcmp(a, "--count") == 0)
			opt.count = true;
		else if (strcmp(a, "--silent") == 0)
			opt.silent = true;
		else if (strcmp(a, "--mutate-validation") == 0)
			opt.inject_validation = true;
		else if (strcmp(a, "--threads") == 0 && more)
			opt.n_threads = (unsigned)strtoul(argv[++i], NULL, 10) % (MAX_THREAD + 1);
		else if (strcmp(a, "-v") == 0)
			opt.verbose = true;
		else if (strcmp(a, "-d") == 0 && more && opt.n_devices < MAX_DEVICE)
			opt.device[opt.n_devices++] = argv[++i];
		else if (strcmp(a, "--also") == 0 && more && opt.n_also < MAX_ALSO)
			opt.also[opt.n_also++] = argv[++i];
		else if (strcmp(a, "--skip") == 0 && i + 3 < argc &&
			 strcmp(argv[i + 2], "--because") == 0 && opt.n_left_out < MAX_LEFT_OUT) {
			opt.left_out[opt.n_left_out++] =
				(struct left_out){ .glob = argv[i + 1], .reason = argv[i + 3] };
			i += 3;
		} else if (strcmp(a, "--family") == 0 && more)
			opt.family = argv[++i];
		else if (strcmp(a, "--programs") == 0 && more)
			opt.n_programs = strtoull(argv[++i], NULL, 0);
		else if (strcmp(a, "--seed") == 0 && more)
			opt.seed = strtoull(argv[++i], NULL, 0);
		else
			return usage(a);
	}
	if (opt.n_left_out && (opt.units || opt.count || opt.n_threads))
		return usage("--skip cannot be combined with --units, --count or --threads");
	if (names)
		return list();
	if (opt.units)
		run_units();
	else
		rc = run_devices();
	fputs(total.why, stdout);
	print_left_out();
	if (opt.count)
		return total.failed ? 1 : rc;
	/* A misspelled family is a failure; but a mutation test then has found nothing. */
	if (!total.passed && !total.failed && !total.skipped && !opt.inject && !opt.inject_validation)
		rc = 1;
	printf("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)total.passed,
	       (unsigned long long)total.failed, (unsigned long long)total.skipped);
	return total.failed ? 1 : rc;
}
