/* Checks that a body is well formed: nesting, scope, types of operands and results, operand rules.
 * Runs on every kernel, from the builder or from text. The input is untrusted: any array of
 * instructions is possible. Debug builds run it on the output of every pass.
 *
 * It fills ir.has and the partners: if -> else or end; else -> end; loop, block, grid and region ->
 * end; end -> what it closes; break -> what it leaves. */
#include "verify.h"

#include <assert.h>

/* -- Nesting ------------------------------------------------------------------------- */

/* Hides the values of the block that began at the innermost arm. */
static void
close_arm(struct verify *v, uint32_t i)
{
	v->state[v->at] &= (uint8_t)~VISIBLE;
	v->since = i;
}

static void
open_arm(struct verify *v, uint32_t i)
{
	v->state[i] |= VISIBLE;
	v->at = i;
}

static qd_status
open_construct(struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	/* Passes wrap a kernel's constructs in ifs. */
	uint32_t max = v->stage == STAGE_SOURCE ? MAX_NEST : 2 * MAX_NEST;

	if (v->n_open == max)
		return FAIL(v, i, DIAG_E0315, (int)max);
	if (s->op == OP_REGION) {
		if (s->b < 1 || s->b > MAX_YIELD)
			return FAIL(v, i, DIAG_E0327, s->b);
		v->n_yields = 0;
	} else if (s->op == OP_GRID) {
		if (v->k->grid != i && v->stage == STAGE_SOURCE)
			return FAIL(v, i, DIAG_E0316);
		for (uint32_t d = 0; d < v->n_open; d++)
			if (v->ins[v->open[d]].op != OP_BLOCK)
				return FAIL(v, i, DIAG_E0317);
	}
	return QD_OK;
}

static qd_status
check_break(const struct verify *v, uint32_t i)
{
	struct ins *s = &v->ins[i];
	uint32_t n = s->b;

	for (uint32_t d = v->n_open; d-- > 0;) {
		enum op op = (enum op)v->ins[v->open[d]].op;

		if ((op == OP_LOOP || op == OP_BLOCK || op == OP_GRID) && --n == 0) {
			s->x = v->open[d];
			return QD_OK;
		}
	}
	return FAIL(v, i, DIAG_E0313, "break", "loop");
}

static qd_status
close_construct(struct verify *v, uint32_t i)
{
	uint32_t top = v->n_open ? v->open[v->n_open - 1] : 0;
	struct ins *opener = &v->ins[top];

	if (!top)
		return FAIL(v, i, DIAG_E0313, "end", "if or loop");
	/* The yields must be last, so that they are found from the end. */
	if (opener->op == OP_REGION && (v->n_yields != opener->b ||
					v->ins[i - opener->b].op != OP_YIELD ||
					v->ins[i - opener->b].x != 0))
		return FAIL(v, i, DIAG_E0310, "region's end: results are missing");
	close_arm(v, i);
	v->ins[v->at].x = i;
	v->ins[i].x = top;
	v->n_open--;
	/* A grid loop is part of its own body, and may be nested in blocks only. */
	if (opener->op == OP_GRID)
		v->at = v->n_open ? v->open[v->n_open - 1] : 0;
	else
		v->at = v->arm[top];
	if (opener->op == OP_REGION)
		v->region = 0;
	return QD_OK;
}

static qd_status
check_flow(struct verify *v, uint32_t i)
{
	uint32_t top = v->n_open ? v->open[v->n_open - 1] : 0;

	switch ((enum flow_kind)op_flow[v->ins[i].op]) {
	case FLOW_OPEN: return open_construct(v, i);
	case FLOW_JUMP: return check_break(v, i);
	case FLOW_CLOSE: return close_construct(v, i);
	case FLOW_ELSE:
		if (!top || v->at != top || v->ins[top].op != OP_IF)
			return FAIL(v, i, DIAG_E0313, "else", "if");
		close_arm(v, i);
		v->ins[top].x = i;
		v->arm[i] = v->arm[top];
		return QD_OK;
	case FLOW_NONE: break;
	}
	return QD_OK;
}

/* -- Regions --------------------------------------------------------------------------- */

/* Returns whether a region may contain the operation. */
static bool
op_in_region(enum op op)
{
	return op_info[op].is_alu || op == OP_CONST || op == OP_ARG || op == OP_YIELD || op == OP_END;
}

static qd_status
check_region_part(struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	uint32_t k;

	if (!v->region)
		return FAIL(v, i, DIAG_E0313, op_info[s->op].text, "region");
	k = v->ins[v->region].b;
	if (s->op == OP_ARG) {
		if (s->a != v->region || s->x >= 2 * k || i != v->region + 1 + s->x)
			return FAIL(v, i, DIAG_E0310, "region's argument");
		return QD_OK;
	}
	if (s->x != v->n_yields || s->x >= k || i <= v->region + 2 * k)
		return FAIL(v, i, DIAG_E0310, "region's result");
	v->n_yields++;
	/* Both sides and the result have the same type. */
	for (uint32_t side = 0; side < 2; side++) {
		const struct ins *arg = &v->ins[v->region + 1 + s->x + side * k];
		qd_type t = value(v, i, s->a);

		if (t && (arg->op != OP_ARG || arg->type != t))
			return FAIL(v, i, DIAG_E0328, s->x, qd_type_name((qd_type)arg->type),
				    qd_type_name(t));
	}
	return QD_OK;
}

/* -- One instruction ---------------------------------------------------------------------- */

/* Returns whether a body of this stage may contain the instruction. */
static bool
in_stage(const struct verify *v, const struct ins *s)
{
	const struct op_info *info = &op_info[s->op];
	bool passes_say = info->padding == PADDING_SKIPPED || op_copies((enum op)s->op);

	if (s->op == OP_NONE)
		return false;
	if (v->stage == STAGE_SOURCE)
		return !info->is_low &&
		       (!s->d || !passes_say || op_sig((enum op)s->op)->active == 3) &&
		       !(s->attr & ~op_attrs((enum op)s->op)) && ir_order(s) <= MEM_ACQ_REL;
	if (info->expand == EXPAND_folded)
		return s->op == OP_GRID && v->stage == STAGE_FOLDED;
	return v->stage != STAGE_LEGAL || info->expand != EXPAND_gone;
}

static qd_status
check_ins(struct verify *v, uint32_t i)
{
	struct ins *s = &v->ins[i], *before = &v->ins[i - 1];

	if (s->op >= N_OP || !in_stage(v, s))
		return FAIL(v, i, DIAG_E0310, "known operation");
	v->arm[i] = v->at;
	if (op_info[s->op].expand == EXPAND_shfl && s->x > WARP_LOG2)
		return FAIL(v, i, DIAG_E0230, 1ll << (s->x & 31));
	if (op_info[s->op].sig == SIG_COPIES && s->x > MAX_COPY_GROUPS)
		return FAIL(v, i, DIAG_E0219, "the number of groups", (long long)s->x, "0 to 63");
	if (QD_LIKELY(!op_flow[s->op])) {
		if (before->op == OP_BREAK && !before->a)
			return FAIL(v, i, DIAG_E0331, "break");
		if (v->region && !op_in_region((enum op)s->op))
			return FAIL(v, i, DIAG_E0326, op_info[s->op].text);
		if (s->op == OP_ARG || s->op == OP_YIELD)
			QD_TRY(check_region_part(v, i));
		return verify_types(v, i);
	}
	if (before->op == OP_BREAK && !before->a && op_flow[s->op] != FLOW_CLOSE &&
	    op_flow[s->op] != FLOW_ELSE)
		return FAIL(v, i, DIAG_E0331, "break");
	if (v->region && s->op != OP_END)
		return FAIL(v, i, DIAG_E0326, op_info[s->op].text);
	QD_TRY(check_flow(v, i));
	QD_TRY(verify_types(v, i));
	if (op_flow[s->op] == FLOW_OPEN) {
		v->open[v->n_open++] = i;
		if (s->op == OP_REGION)
			v->region = v->since = i;
		open_arm(v, i);
		/* The index of a grid loop is visible in its own body. */
		if (s->op == OP_GRID)
			v->arm[i] = i;
	} else if (op_flow[s->op] == FLOW_ELSE) {
		open_arm(v, i);
	}
	return QD_OK;
}

/* Checks most instructions fast: a plain per-lane operation on visible values. Returns false for
 * other instructions and for errors, which need the full check. */
static bool
is_plain(struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	const struct op_plain p = op_plain[s->op];
	uint8_t state, type;

	if (!p.n || s->d || s->x || (s->attr && v->stage == STAGE_SOURCE) ||
	    v->ins[i - 1].op == OP_BREAK || !in_sight(v, i, s->a))
		return false;
	state = v->state[s->a];
	type = v->ins[s->a].type;
	if (p.n == 1) {
		if (s->b || s->c)
			return false;
	} else {
		if (!in_sight(v, i, s->b) || v->ins[s->b].type != type)
			return false;
		state &= v->state[s->b];
		if (p.n == 2) {
			if (s->c)
				return false;
		} else {
			if (!in_sight(v, i, s->c) || v->ins[s->c].type != type)
				return false;
			state &= v->state[s->c];
		}
	}
	if (!(state & VALUE) || !(p.types >> type & 1) || s->type != (p.result ? p.result : type))
		return false;
	v->arm[i] = v->at;
	v->state[i] = state & (VALUE | KNOWN);
	return true;
}

qd_status
ir_verify_body(const struct qd_kernel *k, struct ir *ir, const struct memory *mems,
	       uint32_t n_mems, enum stage stage, struct qd_error *err)
{
	struct verify v;
	struct pool_block *block = pool_get(&k->ctx->pool, (size_t)ir->n * (sizeof *v.arm + 1));
	qd_status st = QD_OK;
	uint32_t has = 0;

	if (!block)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", k->name);
	memset(&v, 0, offsetof(struct verify, open));
	v.k = k;
	v.ir = ir;
	v.ins = ir->ins;
	v.mems = mems;
	v.n_mems = n_mems;
	v.stage = stage;
	v.err = err;
	v.arm = pool_data(block);
	v.state = (uint8_t *)(v.arm + ir->n);
	v.arm[0] = 0;
	v.state[0] = VISIBLE;
	for (uint32_t i = 1; i < ir->n && !st; i++) {
		if (QD_UNLIKELY(v.ins[i].op >= N_OP || !is_plain(&v, i)))
			st = check_ins(&v, i);
		if (QD_LIKELY(!st))
			has |= op_has[v.ins[i].op];
	}
	assert(st || stage == STAGE_SOURCE || !(has & ~ir->has));
	ir->has |= has;
	if (!st && v.n_open)
		st = FAIL(&v, v.open[v.n_open - 1], DIAG_E0314,
			  op_info[v.ins[v.open[v.n_open - 1]].op].text);
	pool_put(&k->ctx->pool, block);
	return st;
}
