/* Plan, masks and order of loads of the AMD generator, compiled again with a switch for each rule. The symbols
 * have the same names as in the library, so a program that links this file uses them. */
#define gen_plan gen_plan_by_rules
#include "gen.h"
#include "injected.h"

struct injected injected;

/* Queries of the rule by the plan, and the index of the query that omits it. */
static struct {
	uint32_t asked, without;
} times;

static bool
keeps(enum injected_rule rule)
{
	if (rule != injected.rule)
		return true;
	if (rule >= RULE_TAKE) {
		injected.done = true;
		return false;
	}
	return times.asked++ != times.without;
}

#define PLAN_RULE(name) keeps(RULE_##name)
#define EXEC_RULE(name) keeps(RULE_##name)

#include "../../isa/amdgcn/gen/exec.c"
#include "../../isa/amdgcn/gen/liveness.c"

#define pass_schedule schedule_by_rules
#define SCHEDULE_RULE(name) keeps(RULE_##name)
static qd_status schedule_by_rules(struct pass_ctx *p, struct body *b);
#include "../../src/pass/schedule.c"
#undef pass_schedule

#undef gen_plan
void gen_plan(struct gen *g);

static uint32_t
plan_without(struct gen *g, uint32_t without)
{
	memset(g->plan, 0, g->in->body->ir.n * sizeof *g->plan);
	times.asked = 0;
	times.without = without;
	gen_plan_by_rules(g);
	return times.asked;
}

void
gen_plan(struct gen *g)
{
	size_t size = g->in->body->ir.n * sizeof *g->plan;
	uint32_t n = plan_without(g, UINT32_MAX);
	struct gen_plan_by_rules *right = n ? arena_alloc(g->in->mem, size) : NULL;

	if (!right)
		return;
	memcpy(right, g->plan, size);
	for (uint32_t k = 0; k < n; k++) {
		plan_without(g, (uint32_t)((injected.pick + k) % n));
		if (memcmp(right, g->plan, size)) {
			injected.done = true;
			return;
		}
	}
}

static void *
copy_of(struct arena *mem, const void *from, size_t size)
{
	void *to = arena_alloc(mem, size);

	return to ? memcpy(to, from, size) : to;
}

/* Schedules a copy of a body. Returns the number of queries of the rule. */
static uint32_t
schedule_without_one(struct pass_ctx *p, const struct body *in, struct body *out, uint32_t without)
{
	const size_t n = in->ir.n;

	*out = *in;
	out->ir.ins = copy_of(p->mem, in->ir.ins, n * sizeof *in->ir.ins);
	out->ir.pos = copy_of(p->mem, in->ir.pos, n * sizeof *in->ir.pos);
	out->uses = copy_of(p->mem, in->uses, n * sizeof *in->uses);
	out->level = copy_of(p->mem, in->level, n);
	times.asked = 0;
	times.without = without;
	schedule_by_rules(p, out);
	return times.asked;
}

qd_status
pass_schedule(struct pass_ctx *p, struct body *b)
{
	const struct body in = *b;
	uint32_t n = schedule_without_one(p, &in, b, UINT32_MAX);

	for (uint32_t k = 0; k < n; k++) {
		struct body other;
		schedule_without_one(p, &in, &other, (uint32_t)((injected.pick + k) % n));
		if (memcmp(other.ir.ins, b->ir.ins, in.ir.n * sizeof *in.ir.ins)) {
			*b = other;
			injected.done = true;
			return QD_OK;
		}
	}
	return QD_OK;
}
