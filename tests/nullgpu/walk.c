/* Chooses kernels, follows their compilation, and finds their names.
 *
 * A family of the tables names a kernel only when it reports a failure. Here every kernel fails:
 * the watch replaces the error's text with a mark, and the report around the mark is the name. */
#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "ir.h"

#include "walk.h"
#include "swallow.h"

static const char mark[] = "@@@";
const char walk_examples[] = "examples";

uint32_t
walk_groups(void)
{
	return n_families + 1;
}

const char *
walk_group_name(uint32_t group)
{
	return group < n_families ? families[group]->name : walk_examples;
}

/* -- Distinct kernels -------------------------------------------------------------------- */

struct seen {
	struct hash128 *hash;
	size_t n, cap;
};

/* Returns false if the group had this kernel before. */
static bool
is_new(struct seen *s, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n_tmpl)
{
	struct hash128 h = k->hash;

	for (uint32_t i = 0; i < n_tmpl; i++) {
		uint64_t words[4] = { h.lo, h.hi, (uint64_t)tmpl[i].value, tmpl[i].type };

		h = hash_bytes(words, sizeof words);
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->hash[i].lo == h.lo && s->hash[i].hi == h.hi)
			return false;
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->hash = realloc(s->hash, s->cap * sizeof *s->hash);
		if (!s->hash) {
			fputs("out of memory\n", stderr);
			exit(4);
		}
	}
	s->hash[s->n++] = h;
	return true;
}

/* Chooses `most` kernels of a family at equal distances, and all examples. */
static bool
is_chosen(const struct walk *p, struct place at)
{
	const struct options *o = p->opt;
	const uint64_t n = p->shared->n_kernels[at.group];

	if (o->only.kernel)
		return at.group == o->only.group && at.kernel == o->only.kernel;
	if (!o->most || n <= o->most || at.group == n_families)
		return true;
	return at.kernel * o->most / n != (at.kernel - 1) * o->most / n;
}

static bool
is_after(struct place a, struct place b)
{
	return a.group > b.group || (a.group == b.group && a.kernel > b.kernel);
}

/* -- One kernel ------------------------------------------------------------------------- */

/* Limits processor time, so that a loaded machine is not taken for a hang. The alarm is for a
 * process that sleeps. */
static void
set_limit(uint32_t seconds)
{
	const struct itimerval t = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &t, NULL);
	alarm(15 * seconds);
}

bool
walk_begin(struct walk *p, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n_tmpl)
{
	struct shared *s = p->shared;

	p->named = false;
	p->known = !is_new(p->seen, k, tmpl, n_tmpl);
	if (p->known)
		return false;
	s->at.kernel++;
	if (p->mode == WALK_COUNT)
		s->n_kernels[s->at.group]++;
	if (p->mode != WALK_COMPILE || !is_after(s->at, p->from) || !is_chosen(p, s->at))
		return false;
	p->made_before = swallow.n_pipelines;
	s->busy = true;
	set_limit(p->opt->limit);
	return true;
}

void
walk_end(struct walk *p, bool begun, qd_status st, const char *why)
{
	set_limit(0);
	p->shared->busy = false;
	p->begun = begun;
	p->status = st;
	snprintf(p->why, sizeof p->why, "%s", st ? why : "");
}

static void
print_statistics(const struct walk *p, const char *name)
{
	const struct swallow_report *r = &swallow.last;

	printf("%s/%u\t%s\t%" PRIu64 " us", walk_group_name(p->shared->at.group),
	       p->shared->at.kernel, name, r->cpu_ns / 1000);
	for (uint32_t i = 0; i < r->n_executables; i++) {
		printf("\t%s, %u lanes", r->executable[i].name, r->executable[i].subgroup_size);
		for (uint32_t j = 0; j < r->executable[i].n; j++)
			printf("; %s %" PRIu64, r->executable[i].statistic[j].name,
			       r->executable[i].statistic[j].value);
	}
	putchar('\n');
}

/* Errors of kernels that demand something which the device may lack. */
static const char *const skips[] = {
	"requirement not met",
	"[E0404]", /* subgroups apart in a block, with a size unlike the hardware's */
	"[E0210]", /* tiles with more lanes than the subgroup, by an example's template */
};

static bool
is_skipped(struct walk *p)
{
	struct shared *s = p->shared;

	for (size_t i = 0; i < sizeof skips / sizeof *skips; i++) {
		size_t at = strlen(s->why_skipped);

		if (!strstr(p->why, skips[i]))
			continue;
		s->n_skipped++;
		if (!strstr(s->why_skipped, skips[i]))
			snprintf(s->why_skipped + at, sizeof s->why_skipped - at, "%s%s",
				 at ? "; " : "", skips[i]);
		return true;
	}
	return false;
}

/* Kernels that crash a driver's compiler through a known bug of the driver. */
static const struct {
	const char *device, *group, *name, *why;
} known[] = {
	{ "(BDW GT2)", "program", "program 1026",
	  "hasvk: docs/targets.md, tests/nullgpu/spill.qdk" },
};

static bool
is_known(struct walk *p, const char *name)
{
	const char *group = walk_group_name(p->shared->at.group);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (!strstr(p->shared->device, known[i].device) ||
		    strcmp(group, known[i].group) != 0 || strcmp(name, known[i].name) != 0)
			continue;
		p->shared->n_known++;
		printf("known: %s/%u %s: %s (%s)\n", group, p->shared->at.kernel, name, p->reason,
		       known[i].why);
		return true;
	}
	return false;
}

static void
fail(struct walk *p, const char *name, const char *why)
{
	if (p->mode == WALK_NAME && is_known(p, name))
		return;
	p->shared->n_failed++;
	printf("FAIL %s/%u %s: %s\n", walk_group_name(p->shared->at.group), p->shared->at.kernel,
	       name, why);
	fflush(stdout);
}

void
walk_named(struct walk *p, const char *name)
{
	struct shared *s = p->shared;
	const uint64_t made = swallow.n_pipelines - p->made_before;

	if (p->named || p->known)
		return;
	p->named = true;
	if (p->mode == WALK_NAME && s->at.group == p->from.group &&
	    s->at.kernel == p->from.kernel) {
		fail(p, name, p->reason);
		exit(0);
	}
	if (!p->begun)
		return;
	s->n_pipelines[s->at.group] += made;
	if (p->status && !is_skipped(p))
		fail(p, name, p->why);
	else if (!p->status && p->opt->statistics && made)
		print_statistics(p, name);
	else if (!p->status && p->opt->verbose)
		printf("%s/%u %s\n", walk_group_name(s->at.group), s->at.kernel, name);
}

/* -- The tables ---------------------------------------------------------------------------- */

static struct walk *current; /* suite.print has no user pointer */

static bool
on_begin(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n_tmpl)
{
	return walk_begin(t->watch->user, k, tmpl, n_tmpl);
}

static void
on_end(struct suite *t, bool begun, qd_status st, struct qd_error *err)
{
	walk_end(t->watch->user, begun, st, err->text);
	snprintf(err->text, sizeof err->text, "%s", mark);
}

/* "FAIL vulkan S=32 seed=1: reduce_add f32 block=64: @@@" */
static void
on_print(const char *line)
{
	const char *from = strstr(line, "seed="), *to = strstr(line, mark);
	char name[MAX_NAME];

	from = from ? strchr(from, ' ') : NULL;
	from = from ? from + 1 : line;
	if (!to) { /* a failure before the launch */
		if (current->mode == WALK_COMPILE)
			fail(current, "before the next kernel", from);
		return;
	}
	while (to > from && (to[-1] == ' ' || to[-1] == ':'))
		to--;
	snprintf(name, sizeof name, "%.*s", (int)(to - from), from);
	walk_named(current, name);
}

bool
walk_run(struct walk *p)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct suite_watch watch = { on_begin, on_end, p };
	struct shared *s = p->shared;
	struct suite t;
	struct seen seen = { 0 };
	struct qd_context *ctx;
	struct qd_error err;

	p->seen = &seen;
	p->suite = &t;
	current = p;
	swallow_begin();
	if (qd_context_create(&desc, &ctx, &err)) {
		printf("%s\n", err.text);
		return false;
	}
	if (!suite_open(&t, ctx, p->opt->device)) {
		qd_context_free(ctx);
		return false;
	}
	snprintf(s->device, sizeof s->device, "%.127s", t.info.name);
	snprintf(s->target, sizeof s->target, "%.255s", t.info.target);
	t.watch = &watch;
	t.print = on_print;
	t.verbose = true; /* prints the name of each kernel */
	t.injected = true; /* keeps family "program" from shrinking programs */
	t.some = p->opt->most != 0;
	for (uint32_t i = 0; i < walk_groups(); i++) {
		if (fnmatch(p->opt->group, walk_group_name(i), 0) != 0 || i < p->from.group)
			continue;
		s->at = (struct place){ i, 0 };
		seen.n = 0;
		if (i < n_families)
			suite_run(&t, families[i]);
		else if (p->opt->examples)
			walk_run_examples(p, p->opt->examples);
	}
	if (p->mode == WALK_NAME)
		fail(p, "a kernel with an unknown name", p->reason);
	suite_close(&t);
	qd_context_free(ctx);
	free(seen.hash);
	s->finished = true;
	fflush(stdout);
	return true;
}
