/* faults [OPTION]... ref | vulkan | cuda | amdgpu: runs a program that calls every function of
 * qd.h. Each run fails a different allocation or driver call. After each run, the error must
 * be complete or the data correct. No memory and no driver object may leak, the validation
 * layer must print nothing, and the context must work again. Prints the number of faults.
 *
 *	--all	    every call, but on a slow driver the context is reused only after every third
 *		    fault. Without --all: some calls of frequent functions, and one error of each
 *		    function if the host cannot map the device's memory
 *	--few	    for slow drivers: one error of each function, without reusing the context
 *	--mutate X   leak, swallow, data, drop: injects one of these errors, and fails
 *		    when it is detected */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "program.h"
#include "unit.h"

enum { SECONDS = 120, MAX_SAID = 20, MANY = 200 };

static struct {
	const struct fault_driver *driver;
	bool all, few;
	bool staged; /* the host cannot map the device's memory */
	enum fault_inject inject;
	size_t everyday;    /* allocations to test for a device */
	const char *device; /* name in messages */
	char point[200];
	bool slow;	    /* not an interpreter */
	uint64_t n_alloc, n_driver, n_bad;
} o = { .driver = &fault_vulkan };

static struct unit_alloc alloc;

/* -- Findings ----------------------------------------------------------------------- */

static void
bad(const struct fault_run *r, const char *what)
{
	if (o.n_bad++ < MAX_SAID)
		printf("FAIL %s, %s: %s\n  at %s\n  error: %.300s\n", o.device, o.point, what,
		       r->call ? r->call : "the end", r->call ? r->err.text : "none");
}

static void
die(int sig)
{
	static const char text[] = "FAIL, killed by a signal: ";

	/* An error here cannot be reported. */
	(void)!write(1, text, sizeof text - 1);
	(void)!write(1, o.point, strlen(o.point));
	(void)!write(1, "\n", 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Handles the signal, unless a sanitizer already does. */
static void
watch(int sig)
{
	struct sigaction old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		signal(sig, die);
}

static bool
inject_found(void)
{
	return o.n_bad && (o.inject || fault_vulkan_drop);
}

/* -- One run ------------------------------------------------------------------------ */

static void
calm(void)
{
	alloc.fail_at = 0;
	o.driver->calm();
}

static void
keep_nothing(struct qd_context *ctx)
{
	pool_limit(&ctx->pool, 0);
}

static void
count_log(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	(void)user, (void)level, (void)component;
	if (strlen(msg) != len)
		o.n_bad++;
}

static void
silent_log(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	(void)user, (void)level, (void)component, (void)msg, (void)len;
}

/* Runs the program, then checks for leaks. */
static qd_status
run(struct fault_run *r, bool again)
{
	uint64_t messages = o.driver->messages();
	qd_status st;

	r->allocator = unit_alloc_hooks(&alloc);
	r->log = again ? count_log : silent_log;
	if (o.few || (o.all && o.slow && (o.n_alloc + o.n_driver) % 3))
		again = false;
	r->calm = again ? calm : NULL;
	r->inject = o.inject;
	r->call = NULL;
	r->wrong[0] = '\0';
	alarm(SECONDS);
	st = fault_program(r);
	alarm(0);
	if (r->wrong[0])
		bad(r, r->wrong);
	if (st && (!r->call || r->err.code != st))
		bad(r, "the status differs from the code of the error");
	if (alloc.n_out)
		bad(r, "host memory is not freed");
	if (alloc.wrong_size)
		bad(r, "a block was freed with a size other than that of its allocation");
	if (o.driver->left())
		bad(r, o.driver->left());
	if (o.driver->messages() != messages)
		bad(r, "the validation layer sent a message");
	return st;
}

static bool
run_clean(struct fault_run *r)
{
	unit_alloc_init(&alloc);
	o.driver->arm(NULL);
	snprintf(o.point, sizeof o.point, "no fault");
	qd_status st = run(r, false);
	if (st)
		bad(r, "the program cannot be run");
	unit_alloc_fini(&alloc);
	return st == QD_OK;
}

/* -- Allocations -------------------------------------------------------------------- */

static void
fail_alloc(struct fault_run *r, size_t at)
{
	unit_alloc_init(&alloc);
	alloc.fail_at = at;
	o.driver->arm(NULL);
	snprintf(o.point, sizeof o.point, "allocation %zu", at);
	qd_status st = run(r, true);
	/* Memory of ref devices is host memory. */
	if (st && st != QD_E_NOMEM && st != QD_E_DEVICE_NOMEM)
		bad(r, "out of memory is reported with the wrong status");
	unit_alloc_fini(&alloc);
	o.n_alloc++;
}

/* Runs with the usual pool, and with one that caches nothing, so that every request of the library
 * is an allocation. */
static void
fail_allocs(struct fault_run *r)
{
	for (int bare = 0; bare < 2; bare++) {
		r->created = bare ? keep_nothing : NULL;
		unit_alloc_init(&alloc);
		o.driver->arm(NULL);
		snprintf(o.point, sizeof o.point, "no fault");
		run(r, false);
		size_t n = alloc.n_calls, step = o.all ? 1 : n / o.everyday + 1;
		unit_alloc_fini(&alloc);
		for (size_t at = 1; at <= n && !inject_found(); at += step)
			fail_alloc(r, at);
	}
	r->created = NULL;
}

/* -- Drivers ------------------------------------------------------------------------ */

static void
fail_call(struct fault_run *r, const struct fault_place *p, bool new_instance)
{
	const char *name = o.driver->function(p->fn);

	if (new_instance)
		o.driver->anew();
	unit_alloc_init(&alloc);
	o.driver->arm(p);
	snprintf(o.point, sizeof o.point, "%s number %u: %s", name, p->at,
		 o.driver->error(p->fn, p->error));
	qd_status st = run(r, true);
	if (o.driver->hit()) {
		o.n_driver++;
		if (!st && o.driver->must(p))
			bad(r, "the error is not reported");
		/* Another call may notice a lost device first. */
		if (st && st != QD_E_DEVICE_LOST && !strstr(r->err.text, name))
			bad(r, "the error does not name the call");
		/* qd_device_list reports a message without a status. */
		if (st && st != QD_E_DEVICE_LOST && o.driver->reported && strncmp(r->call, "qd_device_list", 14) &&
		    !o.driver->reported(p, &r->err))
			bad(r, "the error does not name the failure, or has the wrong status");
	} else if (st) {
		bad(r, "nothing failed");
	}
	unit_alloc_fini(&alloc);
}

static bool
one_of_each(void)
{
	return o.few || (o.staged && !o.all);
}

/* Without --all: each error of the first call, one error of the second and of the last. */
static bool
wanted(const struct fault_place *p, uint32_t n)
{
	if (one_of_each())
		return p->at == 1 && p->error == 0;
	if (p->at == 1)
		return true;
	/* Functions with many calls: one error per call, in rotation. */
	if (o.all && n >= MANY)
		return p->error == p->at % o.driver->errors(p->fn);
	return o.all || (p->error == 0 && (p->at == 2 || p->at == n));
}

static void
fail_calls(struct fault_run *r)
{
	enum { MAX_FN = 128 };
	uint32_t first[MAX_FN], n[MAX_FN];
	unsigned n_fn = o.driver->n_functions;

	o.driver->anew();
	run_clean(r);
	for (unsigned i = 0; i < n_fn; i++)
		first[i] = o.driver->calls(i);
	run_clean(r);
	for (unsigned i = 0; i < n_fn; i++)
		n[i] = o.driver->calls(i);
	for (struct fault_place p = { 0 }; p.fn < n_fn; p.fn++) {
		uint32_t most = n[p.fn] ? n[p.fn] : first[p.fn];

		if (!most)
			printf("%s: %s is not called\n", o.device, o.driver->function(p.fn));
		for (p.at = 1; p.at <= most; p.at++)
			for (p.error = 0; p.error < o.driver->errors(p.fn); p.error++)
				if (wanted(&p, most) && !inject_found())
					fail_call(r, &p, !n[p.fn]);
	}
}

/* -- Devices ------------------------------------------------------------------------ */

static void
on_ref(void)
{
	struct fault_run r = { .selector = "ref:8", .large = 1 << 20 };

	/* Hides the Vulkan drivers; listing devices would load them. */
	setenv("VK_DRIVER_FILES", "/dev/null", 1);
	setenv("VK_ICD_FILENAMES", "/dev/null", 1);
	o.device = "ref";
	o.everyday = SIZE_MAX; /* all */
	if (run_clean(&r))
		fail_allocs(&r);
}

static bool
on_vulkan(void)
{
	o.slow = true;
	struct fault_run r = { .selector = "vulkan", .large = 9 << 20 }; /* more than half a block */

	for (int staged = 0; staged < 2 - o.few && !inject_found(); staged++) {
		o.device = staged ? "vulkan staged" : "vulkan";
		o.staged = staged;
		o.everyday = one_of_each() ? 10 : 30;
		if (!fault_vulkan_begin(staged))
			return false;
		if (run_clean(&r)) {
			fail_allocs(&r);
			fail_calls(&r);
		}
	}
	fault_vulkan_end();
	return true;
}

static bool
on_cuda(void)
{
	struct fault_run r = { .selector = "cuda", .large = 9 << 18 }; /* more than half a block */

	o.driver = &fault_cuda;
	o.device = "cuda";
	o.slow = true;
	o.everyday = 10;
	if (!fault_cuda_begin())
		return false;
	if (run_clean(&r)) {
		fail_allocs(&r);
		fail_calls(&r);
	}
	return true;
}

static bool
on_amdgpu(void)
{
	struct fault_run r = { .selector = "amdgpu", .large = 9 << 18 };

	o.driver = &fault_amdgpu;
	o.device = "amdgpu";
	o.slow = true;
	o.everyday = 10;
	if (!fault_amdgpu_begin())
		return false;
	if (run_clean(&r)) {
		fail_allocs(&r);
		fail_calls(&r);
	}
	return true;
}

static int
usage(void)
{
	fprintf(stderr,
		"usage: faults [--all | --few] [--mutate leak|swallow|data|drop] ref | vulkan | cuda | amdgpu\n");
	return 2;
}

int
main(int argc, char **argv)
{
	static const char *const injects[] = { "", "leak", "swallow", "data" };
	const char *on = argc > 1 ? argv[argc - 1] : "";

	setenv("QD_CACHE", "0", 0); /* not the user's cache */
	for (int i = 1; i < argc - 1; i++) {
		if (strcmp(argv[i], "--all") == 0) {
			o.all = true;
		} else if (strcmp(argv[i], "--few") == 0) {
			o.few = true;
		} else if (strcmp(argv[i], "--mutate") == 0 && ++i < argc - 1) {
			for (unsigned p = 1; p < QD_COUNT(injects); p++)
				if (strcmp(argv[i], injects[p]) == 0)
					o.inject = (enum fault_inject)p;
			fault_vulkan_drop = strcmp(argv[i], "drop") == 0;
			if (!o.inject && !fault_vulkan_drop)
				return usage();
		} else {
			return usage();
		}
	}
	bool ref = strcmp(on, "ref") == 0, cuda = strcmp(on, "cuda") == 0, amdgpu = strcmp(on, "amdgpu") == 0;
	if (!ref && !cuda && !amdgpu && strcmp(on, "vulkan") != 0)
		return usage();
	watch(SIGALRM);
	watch(SIGSEGV);
	watch(SIGABRT);
	if (ref)
		on_ref();
	else if (!(cuda ? on_cuda() : amdgpu ? on_amdgpu() : on_vulkan()))
		return printf("1..0 # SKIP no %s here\n",
			      cuda ? "fake of CUDA" : amdgpu ? "fake of libdrm (driver.sh fakeamd)" : "Vulkan"),
		       77;
	const char *missing = fault_call_missing();
	if (missing && !o.inject && !fault_vulkan_drop) {
		printf("FAIL %s is not called: add it to tests/fault/program.c\n", missing);
		o.n_bad++;
	}
	printf("%s: alloc: %llu points, %s: %llu points\n", on, (unsigned long long)o.n_alloc,
	       o.driver->name, (unsigned long long)o.n_driver);
	return o.n_bad != 0;
}
