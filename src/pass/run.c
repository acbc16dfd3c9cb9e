/* The passes in their order.
 *
 * Uniformity is judged right after specialise, on the operations the kernel was
 * written in: partial makes predicates vary that are the same for every thread
 * there is, and fold drops code that a reader still sees.  Legalise computes
 * constants as it goes, so a second fold would find next to nothing; the values
 * that nobody came to use are swept out.  Debug builds check every body after
 * the pass that made it. */
#include "rewrite.h"

#include <assert.h>

/* -- What every pass guarantees ------------------------------------------------------ */

/* Value operands that may be missing, a bit mask over a, b, c. */
static uint32_t
optional_operands(const struct ins *s)
{
	switch (op_info[s->op].sig) {
	case SIG_LOAD: return 6;
	case SIG_STORE:
	case SIG_LANE_OP: return 4;
	case SIG_PACK:
	case SIG_LANE_K: return 2;
	default: return 0;
	}
}

/* Before their use, and in a region its own: no value from before `region`. */
static bool
operands_right(const struct ir *ir, uint32_t i, uint32_t region)
{
	const struct ins *s = &ir->ins[i];
	uint32_t v[3] = { s->a, s->b, s->c };
	uint32_t values = ir_value_operands(s), needed = values & ~optional_operands(s);

	for (uint32_t j = 0; j < 3; j++)
		if ((values >> j & 1) && (v[j] >= i || (v[j] ? v[j] < region : needed >> j & 1)))
			return false;
	return true;
}

bool
ir_check(const struct ir *ir)
{
	uint32_t open[2 * MAX_NEST + 8], n_open = 0, region = 0;

	if (!ir->n || ir->ins[0].op != OP_NONE)
		return false;
	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];
		uint32_t top = n_open ? open[n_open - 1] : 0;

		if (s->op == OP_NONE || s->op >= N_OP || !operands_right(ir, i, region))
			return false;
		switch (s->op) {
		case OP_IF:
		case OP_LOOP:
		case OP_REGION:
			if (n_open == QD_COUNT(open))
				return false;
			open[n_open++] = i;
			region = s->op == OP_REGION ? i : region;
			break;
		case OP_ELSE:
			if (!top || ir->ins[top].op != OP_IF || ir->ins[top].x != i || s->x <= i ||
			    s->x >= ir->n || ir->ins[s->x].op != OP_END)
				return false;
			break;
		case OP_END:
			if (!top || s->x != top ||
			    (ir->ins[top].x != i &&
			     (ir->ins[top].x >= i || ir->ins[ir->ins[top].x].x != i)))
				return false;
			n_open--;
			region = top == region ? 0 : region;
			break;
		default: break;
		}
	}
	return n_open == 0;
}

/* -- All of them --------------------------------------------------------------------- */

qd_status
pass_run(struct pass_ctx *p, bool stop_before_legalise, struct ir *out)
{
	struct ir a, b;
	uint8_t *level;

	QD_TRY(pass_specialise(p, &p->k->ir, &a));
	assert(ir_check(&a));
	QD_TRY(pass_uniform(p, &a, &level));
	if (stop_before_legalise) {
		*out = a;
		return QD_OK;
	}
	if (p->partial) {
		QD_TRY(pass_partial(p, &a, &b));
		assert(ir_check(&b));
		a = b;
	}
	QD_TRY(pass_fold(p, &a, &b));
	assert(ir_check(&b));
	QD_TRY(pass_legalise(p, &b, &a));
	assert(ir_check(&a));
	QD_TRY(pass_sweep(p, &a, out));
	assert(ir_check(out));
	return QD_OK;
}
