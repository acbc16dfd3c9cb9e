/* pipelines: compiles qd's kernels with the Vulkan drivers of real GPUs, without a GPU.
 *
 *	pipelines [-d SELECTOR] [--most N] [--least N] [--group NAME] [--only GROUP/N]
 *	    [--examples FOLDER] [--limit SECONDS] [--statistics] [-v]
 *	    [--mutate error|invalid|crash|hang]
 *
 * Each kernel is compiled and launched as usual: qd_function_get on a Vulkan device, buffers, a
 * launch. The driver is real and creates the pipelines; memory and queue are a stand-in
 * (swallow.c), so nothing runs. tests/scripts/driver.sh sets up drivers that need no GPU: navi21,
 * gfx1100, vega20, aldebaran, polaris10 (RADV), tgl, skl (ANV), bdw (hasvk).
 *
 * The kernels are those of the conformance tables, each distinct one once, and with --examples
 * those of the .qdk files in a directory. --most compiles at most N kernels of each family, spread
 * over it. --least fails if fewer pipelines are created. --only block/137 compiles one kernel,
 * as a report names it.
 *
 * A child process walks over the kernels. If it dies or hangs, the parent reports the kernel by
 * name and starts another child, which continues after that kernel. --limit is in seconds of
 * processor time for a kernel (120). --mutate injects a fault into the tenth pipeline, which must
 * be reported. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walk.h"
#include "swallow.h"

enum { MAX_DEATH = 20, FAULT_AT = 10 };

static struct options opt = { .device = "vulkan", .group = "*", .limit = 120 };
static struct shared *shared;

/* Runs a walk in a child. Returns its wait status, or -1. */
static int
run_walk(struct walk *p)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(walk_run(p) ? 0 : 3);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return status;
}

static void
layout_death(int status, char *out, size_t size)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (signal == SIGPROF)
		snprintf(out, size, "not compiled after %u s of processor time", opt.limit);
	else if (signal == SIGALRM)
		snprintf(out, size, "not compiled after %u s", 15 * opt.limit);
	else if (signal)
		snprintf(out, size, "the process ended by signal %d (%s) in the driver's compiler",
			 signal, strsignal(signal));
	else
		snprintf(out, size, "the process ended with status %d in the driver's compiler",
			 WEXITSTATUS(status));
}

/* Reports the kernel that ended its process. Returns false if no more kernels must be tried. */
static bool
report_death(int status, uint32_t *n_deaths)
{
	struct walk naming = {
		.mode = WALK_NAME, .shared = shared, .opt = &opt, .from = shared->at
	};

	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		return false; /* the device did not open, and the child printed why */
	if (!shared->busy) {
		printf("FAIL the process ended, and not in the compiler: wait status %#x\n",
		       (unsigned)status);
		shared->n_failed++;
		return false;
	}
	layout_death(status, naming.reason, sizeof naming.reason);
	shared->busy = false;
	run_walk(&naming);
	shared->at = naming.from;
	if (++*n_deaths < MAX_DEATH)
		return true;
	printf("FAIL %u kernels crashed their process; the rest is skipped\n", *n_deaths);
	return false;
}

static bool
compile_all(void)
{
	struct walk p = { .mode = WALK_COMPILE, .shared = shared, .opt = &opt };
	uint32_t n_deaths = 0;

	do {
		int status;

		shared->finished = false;
		status = run_walk(&p);
		if (!shared->finished && !report_death(status, &n_deaths))
			return false;
		p.from = shared->at;
		/* Only the first child injects the fault. */
		swallow.fault = n_deaths ? FAULT_NONE : swallow.fault;
	} while (!shared->finished);
	return true;
}

static uint64_t
print_counts(void)
{
	uint64_t n_kernels = 0, n = 0;

	for (uint32_t i = 0; i < walk_groups(); i++) {
		if (!shared->n_kernels[i])
			continue;
		printf("  %-10s %5u kernels, %5llu pipelines\n", walk_group_name(i),
		       shared->n_kernels[i], (unsigned long long)shared->n_pipelines[i]);
		n_kernels += shared->n_kernels[i];
		n += shared->n_pipelines[i];
	}
	if (shared->n_skipped)
		printf("  skipped: %llu kernels: %s\n", (unsigned long long)shared->n_skipped,
		       shared->why_skipped);
	if (shared->n_known)
		printf("  known: %llu kernels that the driver's compiler does not survive\n",
		       (unsigned long long)shared->n_known);
	printf("%s: %llu kernels, %llu pipelines, %llu failed\n", shared->device,
	       (unsigned long long)n_kernels, (unsigned long long)n,
	       (unsigned long long)shared->n_failed);
	return n;
}

/* -- Options -------------------------------------------------------------------------------- */

static bool
parse_only(const char *text)
{
	const char *slash = strchr(text, '/');

	for (uint32_t i = 0; slash && i < walk_groups(); i++) {
		const char *name = walk_group_name(i);

		if (strlen(name) == (size_t)(slash - text) &&
		    strncmp(name, text, strlen(name)) == 0) {
			opt.only = (struct place){ i, (uint32_t)strtoul(slash + 1, NULL, 10) };
			opt.group = name;
		}
	}
	return opt.only.kernel != 0;
}

static bool
parse_fault(const char *text)
{
	static const char *const names[] = { "error", "invalid", "crash", "hang" };

	for (uint32_t i = 0; i < 4; i++)
		if (strcmp(names[i], text) == 0)
			swallow.fault = (enum swallow_fault)(FAULT_ERROR + i);
	swallow.fault_at = FAULT_AT;
	return swallow.fault != FAULT_NONE;
}

static bool
parse_number(const char *text, uint32_t *out)
{
	char *end;

	*out = (uint32_t)strtoul(text, &end, 10);
	return *text && !*end;
}

static bool
parse(const char *a, const char *value)
{
	if (strcmp(a, "-d") == 0)
		opt.device = value;
	else if (strcmp(a, "--group") == 0)
		opt.group = value;
	else if (strcmp(a, "--examples") == 0)
		opt.examples = value;
	else if (strcmp(a, "--most") == 0)
		return parse_number(value, &opt.most);
	else if (strcmp(a, "--least") == 0)
		return parse_number(value, &opt.least);
	else if (strcmp(a, "--limit") == 0)
		return parse_number(value, &opt.limit) && opt.limit;
	else if (strcmp(a, "--only") == 0)
		return parse_only(value);
	else if (strcmp(a, "--mutate") == 0)
		return parse_fault(value);
	else
		return false;
	return true;
}

static int
usage(const char *what)
{
	fprintf(stderr,
		"pipelines: %s\n"
		"usage: pipelines [-d SELECTOR] [--most N] [--least N] [--group NAME] "
		"[--only GROUP/N] [--examples FOLDER] [--limit SECONDS] [--statistics] [-v] "
		"[--mutate error|invalid|crash|hang]\n",
		what);
	return 2;
}

int
main(int argc, char **argv)
{
	struct walk count = { .mode = WALK_COUNT, .opt = &opt };
	uint64_t n;
	int status;

	setenv("QD_CACHE", "0", 0); /* not the user's cache */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--statistics") == 0)
			opt.statistics = swallow.ask = true;
		else if (strcmp(argv[i], "-v") == 0)
			opt.verbose = true;
		else if (i + 1 < argc && parse(argv[i], argv[i + 1]))
			i++;
		else
			return usage(argv[i]);
	}
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED || walk_groups() > MAX_GROUP)
		return usage("out of memory for the walks");
	count.shared = shared;
	status = run_walk(&count);
	if (!shared->finished) {
		if (WIFSIGNALED(status))
			printf("FAIL the driver ended the process by signal %d (%s) when the device was "
			       "opened\n",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
		return 1;
	}
	printf("%s (%s)\n", shared->device, shared->target);
	if (!compile_all())
		shared->n_failed += !shared->n_failed;
	n = print_counts();
	if (n < opt.least) {
		printf("FAIL %llu pipelines were created; expected at least %u\n",
		       (unsigned long long)n, opt.least);
		return 1;
	}
	return shared->n_failed || !n;
}
