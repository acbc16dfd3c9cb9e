/* Random structured programs as .qdk text, each run on the device and on the machine
 * of program_eval.c, which was written from the contract and shares nothing with the
 * library: every element of every buffer must agree bit for bit. */
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "program.h"

enum { N_PROGRAM = 40, MAX_TEXT = 1 << 17, MAX_TRIES = 2000 };

/* clang-format off */
const char *const trait_text[N_TRAIT] = {
	[HAS_FN] = "calls of functions",
	[HAS_FN_DEEP] = "calls deeper than 2",
	[HAS_FN_RESULTS] = "functions of several results",
	[HAS_FN_STORES] = "functions that store",
	[HAS_FN_IN_EXPR] = "calls inside expressions",
	[HAS_EARLY_RETURN] = "early return of a function",
	[HAS_RETURN_IN_LOOP] = "return out of a loop",
	[HAS_RETURN_IN_NESTED] = "return out of nested loops",
	[HAS_KERNEL_RETURN] = "early return of the kernel",
	[HAS_WHILE] = "while", [HAS_FOR] = "for", [HAS_STEP] = "for with step",
	[HAS_NESTED] = "loops two deep", [HAS_NESTED3] = "loops three deep",
	[HAS_BREAK] = "break", [HAS_BREAK_NESTED] = "break of an inner loop", [HAS_CONTINUE] = "continue",
	[HAS_UNROLL] = "unroll", [HAS_UNROLL_BREAK] = "break in an unroll",
	[HAS_UNROLL_CONTINUE] = "continue in an unroll",
	[HAS_ELSE_IF] = "else if", [HAS_STATIC_IF] = "static if",
	[HAS_AND_OR] = "&& and ||", [HAS_AND_OR_LANES] = "&& and || around cross-lane calls",
	[HAS_LANES] = "cross-lane calls", [HAS_LANES_IN_IF] = "cross-lane calls under uniform ifs",
	[HAS_LANES_IN_LOOP] = "cross-lane calls in loops", [HAS_LANES_IN_FN] = "cross-lane calls in functions",
	[HAS_LANES_BEFORE_JUMP] = "cross-lane calls before a varying jump",
	[HAS_SHUFFLE] = "shuffles", [HAS_BROADCAST] = "broadcasts", [HAS_BALLOT] = "ballots",
	[HAS_VOTE] = "votes", [HAS_REDUCE] = "reductions", [HAS_SCAN] = "scans", [HAS_GENERIC] = "generic reductions and scans",
	[HAS_SORT] = "sorts",
	[HAS_TILE_L] = "tiles by template",
	[HAS_LOAD_ELSE] = "loads with else", [HAS_WIDE_INDEX] = "i64 indices",
	[HAS_SHORT_STORE] = "stores out of range",
	[HAS_GRID] = "grid loops", [HAS_GRID_BELOW] = "their count below the length",
	[HAS_GRID_AT] = "at the length", [HAS_GRID_ABOVE] = "above the length",
	[HAS_GRID_TAIL] = "count no multiple of the block", [HAS_GRID_SURPLUS] = "blocks wholly past the count",
	[HAS_GRID_BEFORE] = "code before the grid loop", [HAS_GRID_BEHIND] = "code behind the grid loop",
	[HAS_GRID_CONTINUE] = "continue in the grid loop",
	[HAS_FN_STATIC] = "functions with integer templates", [HAS_FN_TYPE] = "functions with type templates",
	[HAS_IGNORED] = "results that nobody takes", [HAS_SET_OP_TWO] = "two compound assignments in one",
	[HAS_U64] = "u64", [HAS_F64] = "f64", [HAS_SMALL] = "elements of 8 and 16 bits",
	[HAS_WIDE_LOOP] = "loops over 64-bit indices", [HAS_WIDE_GRID] = "grid loops over i64",
	[HAS_CONVERSION] = "conversions",
	[HAS_PARTIAL_BLOCK] = "blocks of no multiple of 4", [HAS_SHADOW] = "names that hide others",
};
/* clang-format on */

/* -- One launch --------------------------------------------------------------------- */

struct work {
	struct suite *t;
	const struct program *p;
	uint64_t seed;
	char *text;
	void *init[N_ARRAY], *got[N_ARRAY], *want[N_ARRAY];
	char why[1200]; /* what is wrong, or empty */
	bool differs;	/* it is a result */
};

static void *
must(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	return p;
}

static size_t
array_size(const struct program *p, uint32_t i)
{
	return p->array[i].len * qd_type_size(p->array[i].type);
}

static void
fill(struct work *w)
{
	uint64_t rng = w->seed + 77;

	for (uint32_t i = 0; i < N_ARRAY; i++) {
		const struct array *a = &w->p->array[i];

		w->init[i] = must(malloc(array_size(w->p, i)));
		w->got[i] = must(malloc(array_size(w->p, i)));
		w->want[i] = must(malloc(array_size(w->p, i)));
		for (uint32_t n = 0; n < a->len; n++) {
			uint64_t bits = random_u64(&rng);

			if (a->type == QD_TYPE_F32)
				bits = pattern_value(a->type, 0, &rng);
			else if (a->type == QD_TYPE_F16 || a->type == QD_TYPE_BF16)
				bits = ref_narrow(a->type,
						  ref_cast(QD_TYPE_I32, QD_TYPE_F32,
							   (uint32_t)(bits % 400 - 200), false));
			else if (i != A_OUT)
				bits = n % 4 ? bits >> bits % 64 : bits;
			element_put(w->init[i], a->type, n, bits);
		}
	}
}

static void
run_on_device(struct work *w)
{
	const struct program *p = w->p;
	struct host_buffer bufs[N_ARRAY + N_SCALAR];
	struct qd_arg scalar[N_SCALAR];
	struct qd_tmpl tmpl[2] = { { .name = "N", .value = p->shape },
				   { .name = "L", .value = p->tile % (w->t->log2_size + 1) } };
	struct qd_error err = { 0 };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	uint32_t n = p->tile_early ? 2 : 1;
	qd_status st;

	for (uint32_t i = 0; i < N_ARRAY; i++) {
		bufs[i] = (struct host_buffer){ w->got[i], array_size(p, i) };
		memcpy(w->got[i], w->init[i], array_size(p, i));
	}
	for (uint32_t i = 0; i < N_SCALAR; i++) {
		scalar[i] = (struct qd_arg){ .type = p->kernel.var[i].type, .bits = p->scalar[i] };
		bufs[N_ARRAY + i] = (struct host_buffer){ &scalar[i], 0 };
	}
	st = qd_module_parse(w->t->ctx, w->text, strlen(w->text), "program.qdk", &m, &err);
	if (!st)
		st = qd_module_kernel(m, "program", tmpl, n, &k, &err);
	if (!st)
		st = run_kernel(w->t, k, tmpl + n, 2 - n, p->blocks_given ? p->n_blocks : QD_GRID, bufs,
				N_ARRAY + N_SCALAR, &err);
	if (st)
		snprintf(w->why, sizeof w->why, "%.1000s", err.text);
	qd_kernel_free(k);
	qd_module_free(m);
}

static void
compare(struct work *w)
{
	for (uint32_t i = 0; i < N_ARRAY; i++) {
		const struct array *a = &w->p->array[i];

		for (uint32_t n = 0; n < a->len; n++) {
			uint64_t got = element_get(w->got[i], a->type, n);
			uint64_t want = element_get(w->want[i], a->type, n);

			if (got == want)
				continue;
			w->differs = true;
			snprintf(w->why, sizeof w->why, "%s[%u]: got %016llx, want %016llx",
				 a->name, n, (unsigned long long)got, (unsigned long long)want);
			return;
		}
	}
}

static void
run_once(struct work *w)
{
	const char *fault;

	w->why[0] = '\0';
	w->differs = false;
	if (program_text(w->p, w->text, MAX_TEXT) >= MAX_TEXT) {
		snprintf(w->why, sizeof w->why, "its text is too long");
		return;
	}
	for (uint32_t i = 0; i < N_ARRAY; i++)
		memcpy(w->want[i], w->init[i], array_size(w->p, i));
	fault = program_eval(w->p, w->t->size, w->t->flush, w->want);
	if (fault) {
		snprintf(w->why, sizeof w->why, "the program is wrong itself: %s", fault);
		return;
	}
	run_on_device(w);
	if (w->why[0])
		return;
	if (w->t->plant && !w->t->planted) {
		*(uint8_t *)w->got[A_OUT] ^= 1;
		w->t->planted = true;
	}
	compare(w);
}

/* -- A smaller program that fails as well ----------------------------------------------- */

static uint32_t
list_statements(struct stmt *first, struct stmt **out, uint32_t n)
{
	for (struct stmt *s = first; s; s = s->next) {
		if (s->kind != S_LET && s->kind != S_GRID)
			out[n++] = s;
		n = list_statements(s->body, out, n);
		n = list_statements(s->other, out, n);
	}
	return n;
}

/* Both refused, with the same words. */
static bool
same_refusal(const char *a, const char *b)
{
	const char *from = strstr(a, "error: "), *at = strstr(b, "error: ");

	/* Without the position. */
	from = from ? from : a;
	at = at ? at : b;
	return strncmp(from, at, strcspn(from, "\n")) == 0;
}

static void
shrink(struct work *w, struct program *p)
{
	struct stmt **all = must(malloc((p->n_stmts + 64) * sizeof *all));
	uint32_t n = list_statements(p->kernel.body, all, 0), tries = 0;
	char why[sizeof w->why];
	bool differs = w->differs, smaller = true;

	for (uint32_t i = 0; i < p->n_fn; i++)
		n = list_statements(p->fn[i].body, all, n);
	memcpy(why, w->why, sizeof why);
	while (smaller && tries < MAX_TRIES) {
		smaller = false;
		for (uint32_t i = 0; i < n && tries < MAX_TRIES; i++) {
			if (all[i]->removed)
				continue;
			all[i]->removed = true;
			tries++;
			run_once(w);
			if (differs ? w->differs : !w->differs && same_refusal(why, w->why)) {
				smaller = true;
				memcpy(why, w->why, sizeof why);
			} else {
				all[i]->removed = false;
			}
		}
	}
	run_once(w);
	free(all);
}

static void
run_program(struct suite *t, uint64_t seed)
{
	struct program *p = program_make(seed);
	struct work w = { .t = t, .p = p, .seed = seed, .text = must(malloc(MAX_TEXT)) };

	const char *lacks = p->has_small ? skip_reason(t, QD_TYPE_I8) : NULL;

	if (!lacks && p->has_f64)
		lacks = skip_reason(t, QD_TYPE_F64);
	fill(&w);
	if (!lacks)
		run_once(&w);
	if (lacks) {
		suite_skip(t, 1, lacks);
	} else if (!w.why[0]) {
		t->passed++;
	} else {
		suite_fail(t, 1, "program %llu%s: %s", (unsigned long long)seed,
			   t->verbose ? "" : " (-v prints it)", w.why);
		if (t->verbose && !t->planted) {
			shrink(&w, p);
			printf("%s\n%s\n", w.why, w.text);
		}
	}
	for (uint32_t i = 0; i < N_ARRAY; i++) {
		free(w.init[i]);
		free(w.got[i]);
		free(w.want[i]);
	}
	free(w.text);
	program_free(p);
}

static void
run_programs(struct suite *t, const struct family *f)
{
	(void)f;
	for (uint32_t n = 0; n < N_PROGRAM; n++)
		run_program(t, t->seed * 1000 + n);
}

static uint64_t
count_programs(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return N_PROGRAM;
}

/* -- The census ----------------------------------------------------------------------------- */

/* Instructions of the printed IR; 0 where there is none. */
static uint32_t
instructions(struct qd_context *ctx, const struct program *p, char *text)
{
	struct qd_tmpl shape = { .name = "N", .value = p->shape };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	uint32_t lines = 0;
	size_t len = 0;
	char *ir;

	program_text(p, text, MAX_TEXT);
	if (!qd_module_parse(ctx, text, strlen(text), "program.qdk", &m, NULL) &&
	    !qd_module_kernel(m, "program", &shape, 1, &k, NULL) &&
	    !qd_kernel_print(k, NULL, 0, &len, NULL)) {
		ir = must(malloc(len + 1));
		qd_kernel_print(k, ir, len + 1, &len, NULL);
		for (const char *s = ir; (s = strstr(s, "\n  ")); s++)
			lines++;
		free(ir);
	}
	qd_kernel_free(k);
	qd_module_free(m);
	return lines;
}

void
suite_census(const struct suite *t, const struct family *f)
{
	uint32_t n[N_TRAIT] = { 0 }, least = UINT32_MAX, most = 0, in_line = 0;
	uint64_t total = 0, stmts = 0;
	char *text;

	if (f != &family_program)
		return;
	text = must(malloc(MAX_TEXT));
	for (uint32_t i = 0; i < N_PROGRAM; i++) {
		struct program *p = program_make(t->seed * 1000 + i);
		uint32_t size = instructions(t->ctx, p, text);

		for (uint32_t j = 0; j < N_TRAIT; j++)
			n[j] += (uint32_t)(p->traits >> j & 1);
		least = size < least ? size : least;
		most = size > most ? size : most;
		total += size;
		stmts += p->n_stmts;
		program_free(p);
	}
	free(text);
	printf("    of %d programs (%llu statements, %llu instructions of IR, %u to %u each):\n",
	       N_PROGRAM, (unsigned long long)stmts, (unsigned long long)total, least, most);
	for (uint32_t j = 0; j < N_TRAIT; j++) {
		in_line +=
			(uint32_t)printf("%s%u %s", in_line ? ", " : "    ", n[j], trait_text[j]);
		if (in_line > 80 || j + 1 == N_TRAIT) {
			printf("\n");
			in_line = 0;
		}
	}
}

const struct family family_program = { "program", NULL, 0, run_programs, count_programs };
