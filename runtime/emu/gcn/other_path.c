/* Instructions that end a rule of states.def because of a FIRST on another path.
 *
 * If the OVER of a rule is about pairs, the instruction makes all earlier ones safe on every path.
 * LLVM relies on this if a FIRST has read the pair on some path to the instruction. This pass
 * collects the pairs forward over all paths. */
#include "wave.h"

/* Set of pairs of SGPRs. No rule is about exec, which is pair 63. */
#define QUEUED (UINT64_C(1) << 63)

static uint64_t
pairs_of(const struct insn *i, unsigned regs)
{
	uint64_t set = 0;
	unsigned n;

	for (unsigned k = 0; k < i->fx.n_range; k++) {
		unsigned slot = amd_slots(&i->fx.range[k], regs, &n);
		for (unsigned j = slot; j < slot + n; j++)
			set |= UINT64_C(1) << j / 2;
	}
	return set & ~QUEUED;
}

static bool
continues(const struct insn *i)
{
	if (!i->decoded || i->fx.class == CL_END)
		return false;
	return i->fx.class != CL_BRANCH || (i->fx.flags & (E(COND) | E(LINK)));
}

/* Adds to each instruction's set the pairs that a FIRST on some path to it reads. Each is on the
 * stack at most once. */
static void
spread(const struct amd_code *c, unsigned rule, uint64_t *set, uint32_t *stack)
{
	const struct state_rule *r = c->rules.rule[rule];
	uint32_t n = 0;

	for (uint32_t k = c->n_insns; k-- > 0;) {
		set[k] = c->insns[k].is.first >> rule & 1 ? QUEUED : 0;
		if (set[k])
			stack[n++] = k;
	}
	while (n) {
		uint32_t from = stack[--n];
		const struct insn *i = &c->insns[from];
		uint32_t to[2] = { continues(i) ? from + 1 : NOWHERE, i->target };
		uint64_t after = set[from] &= ~QUEUED;
		if (i->is.first >> rule & 1)
			after |= pairs_of(i, r->first.regs);
		for (unsigned k = 0; k < 2; k++) {
			if (to[k] >= c->n_insns || !(after & ~set[to[k]]))
				continue;
			if (!(set[to[k]] & QUEUED))
				stack[n++] = to[k];
			set[to[k]] |= after | QUEUED;
		}
	}
}

bool
amd_states_of_other_paths(struct amd_code *c)
{
	for (unsigned rule = 0; rule < c->rules.n; rule++) {
		const struct state_rule *r = c->rules.rule[rule];
		if (!r->over.kind || r->over.shape != SHAPE_PAIR || !c->n_insns)
			continue;
		uint64_t *set = pool_new(c->pool, c->n_insns * sizeof *set);
		uint32_t *stack = pool_new(c->pool, c->n_insns * sizeof *stack);
		if (set && stack)
			spread(c, rule, set, stack);
		for (uint32_t k = 0; set && stack && k < c->n_insns; k++) {
			struct insn *i = &c->insns[k];
			if ((i->is.over >> rule & 1) && (pairs_of(i, r->over.regs) & set[k]))
				i->is.resolves |= 1u << rule;
		}
		if (stack)
			pool_delete(c->pool, stack);
		if (set)
			pool_delete(c->pool, set);
		if (!set || !stack)
			return false;
	}
	return true;
}
