/* gcn_mutants ROOT [TARGET...]: mutation test of the code for AMD targets. Removes each wait, nop
 * and write of exec of the kernels of tests/golden and docs/examples, one at a time. The image
 * checker or the emulator must find the removal, it must change the results, or the code's flow
 * must prove it harmless; else the mutant survives, which is a failure.
 *
 * Survivors that were reviewed by hand have a row in mutant_read.def with the reason why they are
 * harmless.
 *
 * QD_TEST_SOME=1: only the kernels of tests/golden.
 * QD_TEST_KERNEL=NAME: only this kernel. QD_TEST_VERBOSE=1: prints each mutant that is not found.
 * QD_TEST_MUTATION=1: removes nothing, though it counts as removed: every mutant survives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/example.h"
#include "mutant.h"
#include "mutant_run.h"
#include "table.h"

enum { MAX_TEXT = 1 << 16, MAX_IMAGE = 1 << 18, MAX_SURVIVORS = 200 };

static const char *const all_targets[] = { "gfx906",  "gfx942",	     "gfx1030",
					   "gfx1100", "gfx1100:w64", "gfx1201" };

static const char *const goldens[] = { "block", "control", "copy", "lanes", "reduce", "sorts" };
static const char *const examples[] = { "block",    "cumsum",	"demo",	    "grid",	"lookback",
					"nvvm", "subgroup", "tile_min", "tile_sum", "wave" };

/* Template values other than the middle of the range, and element counts other than the default. */
static const struct special {
	const char *kernel, *tmpl;
	int64_t value;
	uint32_t n;
} specials[] = {
	{ "lookback", "D", 64, 0 },
	{ "lookback", "POLLS", 3, 0 },
	{ "lookback", NULL, 0, 64 * 9 + 3 }, /* looks back far */
	{ "compact", NULL, 0, 29 }, /* one block */
	{ "sum_all", NULL, 0, 64 * 65 + 3 }, /* the last block sums twice */
};

/* Results of mutants: how they were found, or why they are harmless. */
enum verdict {
	BY_CHECK,
	BY_EMULATOR,
	BY_OUTPUT,
	BY_STORES,
	BY_READER,
	BY_PROOF,
	N_VERDICT = BY_PROOF + N_MUTANT_PROOF
};

/* The rows reviewed by hand. */
static struct read {
	const char *file, *kernel, *instruction;
	unsigned most, n; /* per target */
	bool used;
	const char *why;
} reads[] = {
#define READ(file, kernel, instruction, most, why) { file, kernel, instruction, most, 0, false, why },
#include "mutant_read.def"
};

struct tally {
	unsigned kernels, refused, bad, n[N_MUTANT_KIND][N_VERDICT];
};
static const char *const kinds[N_MUTANT_KIND] = { "waits", "nops", "exec" };

struct run {
	const char *root, *target, *file, *only;
	bool some, report, inject;
	struct mutant_device d;
	struct tally y;
	unsigned survivors, wrong; /* wrong: proofs that a difference refutes */
};

static const struct gcn_target *
target_of(const char *name)
{
	const char *wave = strstr(name, ":w");
	char plain[32];

	snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, ":"), name);
	return gcn_target_find(plain, wave ? (unsigned)strtoul(wave + 2, NULL, 10) : 0);
}

/* -- One mutant -------------------------------------------------------------------------------- */

static enum verdict
verdict_of(const struct run *run, const struct mutant_code *c, struct mutant_rig *rig, uint32_t line,
	   enum mutant_kind kind)
{
	static uint8_t image[MAX_IMAGE];
	size_t size = run->inject ? c->size : mutant_make(c, line, kind, image);
	char why[256];

	if (run->inject)
		memcpy(image, c->image, size);
	if (!size)
		return BY_PROOF + PROOF_NONE;
	if (!gcn_check_image(image, size, c->t, why, sizeof why))
		return BY_CHECK;
	/* Removing a nop does not change the order of memory accesses: one run is enough. */
	switch (mutant_rig_try(rig, image, size, kind == MUTANT_NOP ? 1 : MUTANT_SEEDS)) {
	case END_FOUND: return BY_EMULATOR;
	case END_DIFFERS: return BY_OUTPUT;
	case END_STORES: return BY_STORES;
	case END_FAILED: return BY_PROOF + PROOF_NONE;
	default:
		return run->inject ? BY_PROOF + PROOF_NONE : BY_PROOF + mutant_prove(c, line, kind);
	}
}

/* Returns the row for the mutant, or NULL. */
static const struct read *
read_of(const struct run *run, const char *kernel, const struct mutant_code *c, uint32_t line)
{
	const char *name = gcn_row_name(&gcn_rows[c->f.line[line].insn.row]), *file = strrchr(run->file, '/');

	for (size_t i = 0; !run->inject && i < QD_COUNT(reads); i++) {
		struct read *r = &reads[i];
		size_t n = strlen(r->file);
		if (strncmp(file + 1, r->file, n) || file[1 + n] != '.' ||
		    strcmp(kernel, r->kernel) || strncmp(name, r->instruction, strlen(r->instruction)) ||
		    r->n == r->most)
			continue;
		r->n++;
		r->used = true;
		return r;
	}
	return NULL;
}

static void
report(const struct run *run, const char *kernel, const struct mutant_code *c, uint32_t line, const char *why)
{
	char text[256];

	gcn_print(c->t, &c->f.line[line].insn, text, sizeof text);
	printf("%s, %s, %s: offset 0x%x: %s: %s\n", run->target, run->file, kernel,
	       c->f.line[line].offset, text, why);
}

/* Checks that a removal that changes memory is not proved harmless by the proofs for exec. The
 * emulator also reports accesses without effect on memory: loads past the end of LDS, atomics past
 * the end of a buffer. */
static void
check_proof(struct run *run, const struct mutant_code *c, uint32_t line, enum mutant_kind kind,
	    const char *kernel)
{
	if (kind != MUTANT_EXEC || mutant_prove(c, line, kind) == PROOF_NONE)
		return;
	run->wrong++;
	printf("a detected mutation is proved harmless: ");
	report(run, kernel, c, line, mutant_proofs[mutant_prove(c, line, kind)]);
}

static void
try_all(struct run *run, const struct mutant_code *c, struct mutant_rig *rig, const char *kernel)
{
	for (uint32_t k = 0; k < c->f.n_line; k++) {
		enum mutant_kind kind;
		if (!mutant_at(c, k, &kind))
			continue;
		enum verdict v = verdict_of(run, c, rig, k, kind);
		const struct read *read = NULL;
		if (kind == MUTANT_EXEC && v == BY_PROOF + PROOF_NONE && (read = read_of(run, kernel, c, k)))
			v = BY_READER;
		run->y.n[kind][v]++;
		if (v < BY_READER) {
			if (v != BY_EMULATOR)
				check_proof(run, c, k, kind, kernel);
			continue;
		}
		run->survivors += v == BY_PROOF + PROOF_NONE;
		if (run->report || (v == BY_PROOF + PROOF_NONE && run->survivors <= MAX_SURVIVORS))
			report(run, kernel, c, k, read ? read->why : mutant_proofs[v - BY_PROOF]);
	}
}

/* -- One kernel ----------------------------------------------------------------------------------- */

/* Returns whether the kernel has fences, or atomics that order memory. */
static bool
publishes(const struct qd_kernel *k)
{
	static char text[1 << 18];
	struct qd_error e;
	size_t len;

	if (qd_kernel_print(k, text, sizeof text, &len, &e))
		return true;
	return strstr(text, "mem_fence") || strstr(text, "acq") || strstr(text, "release");
}

static void
try_kernel(struct run *run, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
	   uint32_t n)
{
	struct mutant_rig rig;
	struct mutant_code c = { 0 };
	struct qd_error e = { .text = "out of memory" };
	char why[256];

	run->y.kernels++;
	if (!mutant_rig_open(&rig, &run->d, k, tmpl, n_tmpl, n)) {
		run->y.bad++;
		mutant_rig_close(&rig);
		return;
	}
	const struct qd_image *image = mutant_rig_image(&rig);
	if (image->code_size > MAX_IMAGE)
		printf("%s, %s: too much code\n", run->target, qd_kernel_name(k)), run->y.bad++;
	else if (!gcn_check_image(image->code, image->code_size, target_of(run->target), why, sizeof why))
		printf("%s, %s: %s\n", run->target, qd_kernel_name(k), why), run->y.bad++;
	else if (!mutant_rig_record(&rig, &e) ||
		 !mutant_code_read(&c, target_of(run->target), image->code, image->code_size))
		printf("%s, %s: %s\n", run->target, qd_kernel_name(k), e.text), run->y.bad++;
	else {
		c.publishes = publishes(k);
		try_all(run, &c, &rig, qd_kernel_name(k));
	}
	mutant_code_free(&c);
	mutant_rig_close(&rig);
}

/* -- Files ------------------------------------------------------------------------------------------- */

static int64_t
value_of(const char *kernel, const struct qd_tmpl_info *t)
{
	for (size_t i = 0; i < QD_COUNT(specials); i++)
		if (specials[i].tmpl && !strcmp(kernel, specials[i].kernel) &&
		    !strcmp(t->name, specials[i].tmpl))
			return specials[i].value;
	return (t->lo + t->hi) / 2;
}

static uint32_t
elements_of(const char *kernel, const struct qd_kernel *k)
{
	for (size_t i = 0; i < QD_COUNT(specials); i++)
		if (specials[i].n && !strcmp(kernel, specials[i].kernel))
			return specials[i].n;
	return k->block_dim * 5 / 2 + 3;
}

static bool
take(struct run *run, struct qd_module *m, uint32_t at)
{
	const char *name = qd_module_kernel_name(m, at);
	uint32_t n_tmpl = qd_module_tmpl_count(m, at);
	struct qd_tmpl tmpl[MAX_TMPL];
	struct qd_kernel *k = NULL;
	struct qd_error e;

	if (run->only && strcmp(run->only, name))
		return true;
	for (uint32_t i = 0; i < n_tmpl && i < MAX_TMPL; i++) {
		struct qd_tmpl_info t;
		if (qd_module_tmpl(m, at, i, &t, &e))
			return false;
		tmpl[i] = (struct qd_tmpl){ .name = t.name };
		if (t.is_type)
			tmpl[i].type = qd_log2(t.type_mask);
		else
			tmpl[i].value = value_of(name, &t);
	}
	if (n_tmpl > MAX_TMPL || qd_module_kernel(m, name, tmpl, n_tmpl, &k, &e))
		return printf("%s: %s: %s\n", run->file, name, e.text), false;
	try_kernel(run, k, NULL, 0, elements_of(name, k));
	qd_kernel_free(k);
	return true;
}

static bool
try_file(struct run *run, const char *folder, const char *stem)
{
	static char text[MAX_TEXT];
	struct qd_module *m = NULL;
	struct qd_error e;
	char file[128];
	bool ok = true;

	snprintf(file, sizeof file, "%s/%s.qdk", folder, stem);
	run->file = file;
	if (!example_read(run->root, file, text, sizeof text))
		return false;
	if (qd_module_parse(run->d.ctx, text, strlen(text), file, &m, &e))
		return printf("%s\n", e.text), false;
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++)
		ok &= take(run, m, i);
	qd_module_free(m);
	return ok;
}

/* -- Counts --------------------------------------------------------------------------------------------- */

static unsigned
sum(const unsigned *n, unsigned count)
{
	unsigned all = 0;

	while (count)
		all += n[--count];
	return all;
}

static void
print_tally(const struct run *run)
{
	const struct tally *y = &run->y;

	printf("%s: %u kernels, %u of them not tried\n", run->target, y->kernels, y->bad);
	for (unsigned k = 0; k < N_MUTANT_KIND; k++) {
		const unsigned *n = y->n[k];
		printf("  %u %s: %u by the checker, %u by the emulator, %u by the results, %u by the storing threads", sum(n, N_VERDICT),
		       kinds[k], n[BY_CHECK], n[BY_EMULATOR], n[BY_OUTPUT], n[BY_STORES]);
		for (unsigned p = PROOF_NONE + 1; p < N_MUTANT_PROOF; p++)
			if (n[BY_PROOF + p])
				printf(", %u %s", n[BY_PROOF + p], mutant_proofs[p]);
		if (n[BY_READER])
			printf(", %u read and harmless", n[BY_READER]);
		printf(", %u survive\n", n[BY_PROOF + PROOF_NONE]);
	}
	fflush(stdout);
}

static bool
try_target(struct run *run, const char *target)
{
	bool ok = true;

	run->target = target;
	run->y = (struct tally){ 0 };
	for (size_t i = 0; i < QD_COUNT(reads); i++)
		reads[i].n = 0;
	if (!mutant_device_open(&run->d, target))
		return false;
	for (size_t i = 0; i < QD_COUNT(goldens); i++)
		ok &= try_file(run, "tests/golden", goldens[i]);
	for (size_t i = 0; !run->some && i < QD_COUNT(examples); i++)
		ok &= try_file(run, "docs/examples", examples[i]);
	mutant_device_close(&run->d);
	print_tally(run);
	return ok && !run->y.bad && run->y.kernels;
}

int
main(int argc, char **argv)
{
	const char *some = getenv("QD_TEST_SOME");
	struct run run = { .root = argc > 1 ? argv[1] : NULL,
			   .only = getenv("QD_TEST_KERNEL"),
			   .some = some && *some == '1',
			   .report = getenv("QD_TEST_VERBOSE") != NULL,
			   .inject = getenv("QD_TEST_MUTATION") != NULL };
	const char *const *targets = all_targets;
	size_t n = QD_COUNT(all_targets);
	bool ok = true;

	if (!run.root) {
		fprintf(stderr, "usage: gcn_mutants ROOT [TARGET...]\n");
		return 2;
	}
	setenv("QD_EMU_STEPS", "20000", 1);
	unsetenv("QD_EMU_SEED");
	if (argc > 2) {
		targets = (const char *const *)argv + 2;
		n = (size_t)argc - 2;
	}
	for (size_t i = 0; i < n; i++)
		ok &= try_target(&run, targets[i]);
	/* Every row must have a survivor. */
	for (size_t i = 0;
	     !run.some && !run.only && !run.inject && argc <= 2 && i < QD_COUNT(reads); i++)
		if (!reads[i].used) {
			printf("mutant_read.def: %s, %s, %s: no such mutation survives\n",
			       reads[i].file, reads[i].kernel, reads[i].instruction);
			ok = false;
		}
	printf("%u survivors, %u wrong proofs\n", run.survivors, run.wrong);
	return !ok || run.survivors || run.wrong;
}
