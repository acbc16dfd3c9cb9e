/* Counts of the features and IR operations in random programs. */
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "program.h"

/* clang-format off */
static const char *const trait_text[N_TRAIT] = {
	[HAS_FN] = "calls of functions",
	[HAS_FN_DEEP] = "calls deeper than 2",
	[HAS_FN_RESULTS] = "functions of several results",
	[HAS_FN_STORES] = "functions that store",
	[HAS_FN_IN_EXPR] = "calls inside expressions",
	[HAS_EARLY_RETURN] = "early return of a function",
	[HAS_RETURN_IN_LOOP] = "return out of a loop",
	[HAS_RETURN_IN_NESTED] = "return out of nested loops",
	[HAS_KERNEL_RETURN] = "early return of the kernel",
	[HAS_WHILE] = "while", [HAS_FOR] = "for", [HAS_SHORT_LOOP] = "loops of a constant count", [HAS_STEP] = "for with step",
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
	[HAS_SORT] = "sorts", [HAS_WARP] = "calls of warps", [HAS_MEMBERS] = "reductions and scans of some members",
	[HAS_TILE_L] = "tiles by template",
	[HAS_LOAD_ELSE] = "loads with else", [HAS_WIDE_INDEX] = "i64 indices",
	[HAS_SHORT_STORE] = "stores out of range",
	[HAS_GRID] = "grid loops", [HAS_GRID_BELOW] = "a count below the length",
	[HAS_GRID_AT] = "at the length", [HAS_GRID_ABOVE] = "above the length",
	[HAS_GRID_TAIL] = "a count that is not a multiple of the block", [HAS_GRID_SURPLUS] = "blocks entirely beyond the count",
	[HAS_GRID_BEFORE] = "code before the grid loop", [HAS_GRID_AFTER] = "code after the grid loop",
	[HAS_GRID_CONTINUE] = "continue in the grid loop",
	[HAS_FN_STATIC] = "functions with integer templates", [HAS_FN_TYPE] = "functions with type templates",
	[HAS_IGNORED] = "unused results", [HAS_SET_OP_TWO] = "two compound assignments in one",
	[HAS_U64] = "u64", [HAS_F64] = "f64", [HAS_SMALL] = "elements of 8 and 16 bits",
	[HAS_WIDE_LOOP] = "loops over 64-bit indices", [HAS_WIDE_GRID] = "grid loops over i64",
	[HAS_CONVERSION] = "conversions", [HAS_ACTIVE] = "totals of a block's first threads",
	[HAS_DEPTH4] = "constructs four deep",
	[HAS_SHARED] = "shared arrays", [HAS_SHARED_TWO] = "shared arrays of two indices",
	[HAS_SHARED_WIDE] = "of 64 bits", [HAS_SHARED_FLOAT] = "of floats", [HAS_SHARED_SMALL] = "of 8 and 16 bits",
	[HAS_SHARED_FN] = "functions with parameters of them", [HAS_SHARED_ANY] = "of any size",
	[HAS_SHARED_LOCAL] = "functions that have them",
	[HAS_SYNC_BLOCK] = "block.sync", [HAS_SYNC_IF] = "in ifs", [HAS_SYNC_LOOP] = "in loops",
	[HAS_SYNC_FN] = "in functions", [HAS_SYNC_BEFORE] = "before the grid loop",
	[HAS_SYNC_GRID] = "in the grid loop", [HAS_SYNC_TAIL] = "with padding threads",
	[HAS_SYNC_BEHIND] = "after the grid loop", [HAS_SYNC_AROUND] = "around the grid loop",
	[HAS_SYNC_SUBGROUP] = "subgroup.sync",
	[HAS_PHASE_READ] = "reading elements of other threads", [HAS_PHASE_TURNED] = "writing elements of other threads",
	[HAS_PHASE_ATOMIC] = "atomics of all threads on all elements", [HAS_PHASE_LANES] = "the same in a subgroup",
	[HAS_ATOMIC_OWN] = "atomics on buffers with results", [HAS_ATOMIC_SHARED] = "on shared arrays",
	[HAS_ATOMIC_BINS] = "atomics of the whole launch", [HAS_ATOMIC_WIDE] = "of 64 bits", [HAS_ATOMIC_FLOAT] = "of floats",
	[HAS_ATOMIC_TAIL] = "with padding threads",
	[HAS_FENCE] = "fences", [HAS_FENCE_VARYING] = "in divergent control flow", [HAS_FENCE_LOOP] = "in loops",
	[HAS_REPORTED] = "asserts and prints", [HAS_REPORTED_LANES] = "with cross-lane calls",
	[HAS_AHEAD] = "values ahead of their variables", [HAS_AHEAD_CROSSED] = "values ahead of another variable", [HAS_BOOL_SET] = "assigned bools",
	[HAS_TABLE] = "constant tables", [HAS_TABLE_ELSE] = "with else", [HAS_TABLE_WIDE] = "of 64 bits",
	[HAS_TABLE_FN] = "in functions",
	[HAS_WIDE_LOAD] = "wide loads", [HAS_WIDE_STORE] = "wide stores", [HAS_WIDE_ELSE] = "wide loads with else",
	[HAS_WIDE_8] = "accesses to 8 elements", [HAS_WIDE_16] = "to 16 elements", [HAS_WIDE_SHARED] = "to shared arrays",
	[HAS_WIDE_TAIL] = "with padding threads",
	[HAS_PARTIAL_BLOCK] = "blocks whose size is not a multiple of 4", [HAS_SHADOW] = "shadowed names",
	[HAS_TESTED] = "loads guarded by tests of their index", [HAS_IMPLIED] = "guarded by tests that may imply their range",
	[HAS_COUNTED] = "in loops up to the length", [HAS_NEIGHBORS] = "of neighboring elements",
};
/* clang-format on */

/* -- Counting ------------------------------------------------------------------------ */

/* In a run of this many programs every feature must occur. */
enum { ENOUGH = 2000, MEAN_INSTRUCTIONS = 40, MAX_OP = 256 };

struct census {
	const char *const *op;
	uint32_t n_ops;
	uint32_t ops[MAX_OP]; /* number of programs with the operation */
	uint32_t traits[N_TRAIT];
	uint32_t least, most;
	uint64_t total, stmts;
	char *text;
};

/* Notes the operation in a line, "%7 = add ..." or "store ...". */
static void
note_line(const struct census *c, const char *s, bool *seen)
{
	const char *equals = strchr(s, '=');
	size_t len;

	s += strspn(s, " ");
	if (*s == '%' && equals)
		s = equals + 2;
	len = strcspn(s, " \n");
	for (uint32_t i = 0; i < c->n_ops; i++)
		if (strlen(c->op[i]) == len && memcmp(c->op[i], s, len) == 0)
			seen[i] = true;
}

/* Counts the operations of the printed IR. */
static void
count_instructions(struct census *c, struct qd_context *ctx, const struct program *p)
{
	struct qd_tmpl shape = { .name = "N", .value = p->shape };
	bool seen[MAX_OP] = { false };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	uint32_t lines = 0;
	size_t len = 0;
	char *ir;

	program_text(p, c->text, MAX_TEXT);
	if (!qd_module_parse(ctx, c->text, strlen(c->text), "program.qdk", &m, NULL) &&
	    !qd_module_kernel(m, "program", &shape, 1, &k, NULL) &&
	    !qd_kernel_print(k, NULL, 0, &len, NULL) && (ir = malloc(len + 1))) {
		qd_kernel_print(k, ir, len + 1, &len, NULL);
		for (const char *s = ir; (s = strstr(s, "\n  ")); lines++)
			note_line(c, ++s, seen);
		free(ir);
	}
	qd_kernel_free(k);
	qd_module_free(m);
	for (uint32_t i = 0; i < c->n_ops; i++)
		c->ops[i] += seen[i];
	c->least = lines < c->least ? lines : c->least;
	c->most = lines > c->most ? lines : c->most;
	c->total += lines;
}

static void
put_count(uint32_t n, const char *what, int *in_line)
{
	if (!*in_line)
		*in_line = printf("    ");
	else
		*in_line += printf(", ");
	*in_line += printf("%u %s", n, what);
	if (*in_line > 85) {
		printf("\n");
		*in_line = 0;
	}
}

/* Excluded: requires two shared arrays without other uses, of one type and size. Family block
 * tests it. */
static const char *const apart[] = {
	"block.radix_rank_match_atomic_or",
};

static bool
is_apart(const char *op)
{
	for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
		if (strcmp(op, apart[i]) == 0)
			return true;
	return false;
}

static void
examine(struct suite *t, const struct census *c, uint64_t n)
{
	if (n < ENOUGH)
		return;
	if (c->total < n * MEAN_INSTRUCTIONS)
		suite_fail(t, 0, "programs have %llu instructions in the mean, and not %u",
			   (unsigned long long)(c->total / n), (unsigned)MEAN_INSTRUCTIONS);
	for (uint32_t i = 0; i < N_TRAIT; i++)
		if (!c->traits[i])
			suite_fail(t, 0, "no program has %s", trait_text[i]);
	for (uint32_t i = 0; i < c->n_ops; i++)
		if (!c->ops[i] && !is_apart(c->op[i]))
			suite_fail(t, 0, "no program has the operation %s", c->op[i]);
}

void
suite_census(struct suite *t, const struct family *f, const char *const *ops, uint32_t n_ops)
{
	struct census c = { .op = ops, .n_ops = n_ops < MAX_OP ? n_ops : MAX_OP, .least = UINT32_MAX };
	uint64_t n = program_count(t);
	int in_line = 0;

	if (f != &family_program || !(c.text = malloc(MAX_TEXT)))
		return;
	for (uint64_t i = 0; i < n; i++) {
		struct program *p = program_make(t->seed * 1000 + i, program_device(t));

		count_instructions(&c, t->ctx, p);
		for (uint32_t j = 0; j < N_TRAIT; j++)
			c.traits[j] += program_has(p, (enum trait)j);
		c.stmts += p->n_stmts;
		program_free(p);
	}
	free(c.text);
	printf("    of %llu programs (%llu statements, %llu instructions of IR, %u to %u each):\n",
	       (unsigned long long)n, (unsigned long long)c.stmts, (unsigned long long)c.total,
	       c.least, c.most);
	for (uint32_t j = 0; j < N_TRAIT; j++)
		put_count(c.traits[j], trait_text[j], &in_line);
	printf("\n    operations, by the programs that have them:\n");
	in_line = 0;
	for (uint32_t j = 0; j < c.n_ops; j++)
		put_count(c.ops[j], c.op[j], &in_line);
	printf(in_line ? "\n" : "");
	examine(t, &c, n);
}
