/* gcn_injected [--programs N] [--clean N] [--seed N] [TARGET...]: tests whether random programs
 * detect faults of the AMD generator. The programs of tests/cases run on the wave emulator with
 * code that has one fault. Some program within N (1000) must report it: by a wrong value, a
 * finding, or code that cannot be generated. The number of programs after --clean (N) runs without
 * a fault and must pass.
 *
 * The rarest fault, "lanes read after a jump", is reported by 0.6 % of the programs of seeds 1 to 5,
 * the next three by 3 % each. 1000 programs miss the rarest with a probability of 0.25 %.
 *
 * "Found by program 3" means the third program, which tests/run calls 1002.
 *
 * QD_TEST_VERBOSE=1: runs all N programs, counts reports of the fault, prints them.
 * QD_TEST_MUTATION=1: injects no fault, though it counts as injected: no fault is reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "emu.h"
#include "function.h"
#include "injected.h"
#include "program.h"

enum { USUAL = 1000, USUAL_CLEAN = 100 };

static const char *const all_targets[] = { "gfx906",  "gfx90a",	     "gfx942",	"gfx950",  "gfx1010",	"gfx1030",
					   "gfx1100", "gfx1100:w64", "gfx1150", "gfx1201", "gfx1201:w64" };

/* Three rules have no row. RULE_NEXT: a value that is assigned and read after the variable's next
 * write is in about 1 program of 200 (seeds 1 to 5 find it by program 391 and 104, and three times
 * earlier); gcn_plan.without tests it. RULE_SINGLE: gen_result checks again at emission whether one instruction
 * makes the value, so a wrong plan has no effect. RULE_LOOP_SKIP: it needs an arm of at most 8
 * instructions with a jump, and after it a loop that a varying value ends for all lanes. About 3
 * programs of 100 have such code, and they terminate even so; tests/unit/amdgcn/t_gcn_exec.c tests
 * the rule. */
static const struct fault {
	const char *name;
	enum injected_word word;
	enum injected_rule rule;
	const char *not_on; /* targets whose code has no place for the fault */
} faults[] = {
	{ "a wait dropped", WORD_WAIT, RULE_NONE, "" },
	{ "a nop dropped", WORD_NOP, RULE_NONE, "gfx1030 gfx1150" },
	{ "a restore of exec from a save dropped", WORD_RESTORE, RULE_NONE, "" },
	{ "a restore of all lanes dropped", WORD_ALL, RULE_NONE, "" },
	{ "leaving lanes kept in a save", WORD_TAKE, RULE_NONE, "" },
	{ "leaving lanes kept in exec", WORD_LEAVE, RULE_NONE, "" },
	{ "else's exchange of lanes dropped", WORD_ELSE, RULE_NONE, "" },
	{ "if's and of exec dropped", WORD_AND, RULE_NONE, "" },
	{ "if's mask of all lanes dropped", WORD_ONLY, RULE_NONE, "" },
	{ "a comparison to exec dropped", WORD_CMPX, RULE_NONE,
	  "gfx906 gfx90a gfx942 gfx950 gfx1010" },
	{ "the and of exec around an access dropped", WORD_GUARD, RULE_NONE, "" },
	{ "two DPP controls exchanged", WORD_DPP, RULE_NONE, "" },
	{ "a descriptor without its stride", WORD_STRIDE, RULE_NONE, "" },
	{ "plan: a copy left out", WORD_NONE, RULE_COPY, "" },
	{ "plan: into across a jump", WORD_NONE, RULE_JUMP, "" },
	{ "plan: into a register that is read in between", WORD_NONE, RULE_TOUCHED, "" },
	{ "plan: a variable that ends before its value", WORD_NONE, RULE_OWNER, "" },
	{ "plan: into a mask of some lanes", WORD_NONE, RULE_MERGE, "" },
	{ "plan: the next write not moved up", WORD_NONE, RULE_LINK, "" },
	{ "plan: an end that is not the latest", WORD_NONE, RULE_LATEST, "" },
	{ "plan: an end in a loop", WORD_NONE, RULE_LOOP_END, "" },
	{ "plan: lanes read after a jump", WORD_NONE, RULE_LANES, "" },
	{ "order: a load before a store to its memory", WORD_NONE, RULE_STORE, "" },
	{ "masks: nothing taken from saves", WORD_NONE, RULE_TAKE, "" },
	{ "masks: else without its save", WORD_NONE, RULE_XOR, "" },
	{ "masks: straight jumps that vary", WORD_NONE, RULE_STRAIGHT, "" },
	{ "masks: no restore", WORD_NONE, RULE_RESTORE, "" },
};

static struct {
	uint64_t n_programs, n_clean, seed;
	bool report, inject;
	const char *target;
	const struct fault *fault; /* NULL: none */
	uint64_t pick;
	bool done; /* this program's code has the fault */
	char said[1500];
} now = { .n_programs = USUAL, .seed = 1 };

/* -- A device whose code has a fault -------------------------------------------------------- */

static struct emu_kind kind;

static const struct gcn_target *
waves(void)
{
	const char *wave = strstr(now.target, ":w");
	char plain[32];

	snprintf(plain, sizeof plain, "%.*s", (int)strcspn(now.target, ":"), now.target);
	return gcn_target_find(plain, wave ? (unsigned)strtoul(wave + 2, NULL, 10) : 0);
}

static qd_status
load_injected(struct pool *pool, const struct qd_image *image, void **code,
	     struct qd_function_info *info, struct qd_error *err)
{
	struct mutant_code c = { 0 };
	struct qd_image other = *image;
	uint8_t *room = malloc(image->code_size);
	size_t size = 0;
	qd_status st;

	if (room && mutant_code_read(&c, waves(), image->code, image->code_size))
		size = injected_make(&c, now.fault->word, now.pick, room);
	mutant_code_free(&c);
	now.done = size != 0;
	if (size && !now.inject) {
		other.code = room;
		other.code_size = size;
	}
	st = emu_amd.load(pool, &other, code, info, err);
	free(room);
	return st;
}

static qd_status
load(struct pool *pool, const struct qd_image *image, void **code, struct qd_function_info *info,
     struct qd_error *err)
{
	if (!now.fault || !now.fault->word)
		return emu_amd.load(pool, image, code, info, err);
	return load_injected(pool, image, code, info, err);
}

static qd_status
open_here(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	  struct qd_error *err)
{
	struct target t;

	(void)sel;
	kind = emu_amd;
	kind.load = load;
	QD_TRY(isa_target(now.target, &t, err));
	return emu_open(ctx, &kind, &t, now.target, out, err);
}

static void
note(const char *line)
{
	if (!now.said[0])
		snprintf(now.said, sizeof now.said, "%s", line);
}

static bool
open_suite(struct suite *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct selector sel = { .driver = "emu" };
	static struct driver driver;
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_error e = { 0 };
	qd_status st;

	driver = driver_emu;
	driver.open = open_here;
	st = qd_context_create(&desc, &ctx, &e);
	st = st ? st : device_open_with(ctx, &driver, &sel, &dev, &e);
	st = st ? st : suite_start_on(t, ctx, dev, now.target, &e);
	if (st) {
		printf("%s: %s\n", now.target, e.text);
		qd_context_free(ctx);
		return false;
	}
	t->print = note;
	t->seed = now.seed;
	return true;
}

static void
close_suite(struct suite *t)
{
	struct qd_context *ctx = t->ctx;

	suite_close(t);
	qd_context_free(ctx);
}

/* -- Programs -------------------------------------------------------------------------------------- */

/* Returns whether program n fails. Without a place for the fault it must pass. */
static bool
reports(struct suite *t, uint64_t n)
{
	uint64_t failed = t->failed;
	struct dice d = dice(n, now.seed);

	now.pick = dice64(&d) >> 1;
	now.done = false;
	now.said[0] = '\0';
	injected = (struct injected){ .pick = now.pick };
	if (now.fault && !now.inject)
		injected.rule = now.fault->rule;
	program_run(t, t->seed * 1000 + n);
	now.done |= injected.done;
	return t->failed > failed;
}

static const char *
how(void)
{
	return strstr(now.said, "finding: ") ? "a finding" : strstr(now.said, "]: got ") ? "a wrong value"
										      : "a refusal";
}

/* -- Faults ------------------------------------------------------------------------------------------ */

static bool
exists(const struct fault *f)
{
	const char *at = strstr(f->not_on, now.target);

	return !at || (at[strlen(now.target)] && at[strlen(now.target)] != ' ');
}

static bool
try_fault(const struct fault *f)
{
	uint64_t n_with = 0, n_reported = 0, first = 0;
	char by[16] = "";
	struct suite t;

	if (!open_suite(&t))
		return false;
	now.fault = f;
	for (uint64_t n = 0; n < now.n_programs && (!n_reported || now.report); n++) {
		bool reported = reports(&t, n);
		n_with += now.done;
		if (reported && now.report)
			printf("%s\n", now.said);
		if (reported && !n_reported++) {
			first = n + 1;
			snprintf(by, sizeof by, "%s", how());
		}
	}
	now.fault = NULL;
	injected.rule = RULE_NONE;
	close_suite(&t);
	if (!exists(f) && !n_with)
		return true;
	printf("%s: %s: ", now.target, f->name);
	if (n_reported)
		printf("Found by program %llu (%s)", (unsigned long long)first, by);
	else
		printf("NOT FOUND by %llu programs", (unsigned long long)now.n_programs);
	printf(now.report ? "; %llu programs of %llu that have it report it\n" : "\n", (unsigned long long)n_reported,
	       (unsigned long long)n_with);
	if (!exists(f))
		printf("%s: %s: the fault was injected, although no program should allow it\n",
		       now.target, f->name);
	else if (!n_with)
		printf("%s: %s: no program allows this fault\n", now.target, f->name);
	fflush(stdout);
	return n_reported && exists(f);
}

static bool
try_clean(void)
{
	uint64_t failed = 0;
	struct suite t;

	if (!open_suite(&t))
		return false;
	for (uint64_t n = 0; n < now.n_clean; n++)
		if (reports(&t, n)) {
			printf("%s\n", now.said);
			failed++;
		}
	printf("%s: nothing injected: %llu programs, %llu fail, %llu are skipped\n", now.target,
	       (unsigned long long)now.n_clean, (unsigned long long)failed, (unsigned long long)t.skipped);
	close_suite(&t);
	return !failed;
}

static int
usage(const char *what)
{
	fprintf(stderr,
		"gcn_injected: %s\nusage: gcn_injected [--programs N] [--clean N] [--seed N] "
		"[TARGET...]\n",
		what);
	return 2;
}

int
main(int argc, char **argv)
{
	const char *targets[QD_COUNT(all_targets)];
	size_t n = 0;
	unsigned ignored = 0;
	bool ok = true, clean_given = false;

	now.report = getenv("QD_TEST_VERBOSE") != NULL;
	now.inject = getenv("QD_TEST_MUTATION") != NULL;
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;
		if (!strcmp(argv[i], "--programs") && more)
			now.n_programs = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--clean") && more)
			now.n_clean = strtoull(argv[++i], NULL, 0), clean_given = true;
		else if (!strcmp(argv[i], "--seed") && more)
			now.seed = strtoull(argv[++i], NULL, 0);
		else if (argv[i][0] != '-' && n < QD_COUNT(targets))
			targets[n++] = argv[i];
		else
			return usage(argv[i]);
	}
	if (!clean_given)
		now.n_clean = now.n_programs < USUAL_CLEAN ? now.n_programs : USUAL_CLEAN;
	setenv("QD_EMU_STEPS", "100000", 1);
	unsetenv("QD_EMU_SEED");
	if (!n) {
		memcpy(targets, all_targets, sizeof targets);
		n = QD_COUNT(targets);
	}
	for (size_t i = 0; i < n; i++) {
		now.target = targets[i];
		if (!waves())
			return usage(targets[i]);
		ok &= try_clean();
		for (size_t k = 0; k < QD_COUNT(faults); k++)
			ignored += !try_fault(&faults[k]);
	}
	printf("%u faults not found\n", ignored);
	return !ok || ignored;
}
