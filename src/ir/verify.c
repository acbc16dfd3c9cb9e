/* Is this body well formed?  Nesting, scope, operand and result types, operand
 * rules; fills partners.  Runs on every kernel, from the builder or from text,
 * so it trusts nothing: any array of instructions may come in. */
#include "diag.h"

const struct op_info op_info[N_OP] = {
#define OP(name, text, n, sig, types, flags, doc) { text, n, sig, flags, types },
#include "op.def"
};

/* Partners: if -> else or end, else -> end, loop and region -> end, end -> if,
 * loop or region. */

enum x_kind
ir_x_kind(enum op op)
{
	switch (op) {
	case OP_PARAM:
	case OP_LEN:
	case OP_LOAD:
	case OP_STORE: return X_PARAM;
	case OP_TEMPLATE: return X_TEMPLATE;
	case OP_REQUIRE: return X_TEXT;
	case OP_ARGWORD:
	case OP_ARG:
	case OP_YIELD:
	case OP_RESULT: return X_NUMBER;
	case OP_IF:
	case OP_ELSE:
	case OP_LOOP:
	case OP_REGION:
	case OP_END: return X_PARTNER;
	default: return X_NONE;
	}
}

/* A constant once target and templates are known. */
enum { FIXED = 2 };

struct verify {
	struct qd_kernel *k;
	struct ins *ins;
	struct qd_error *err;
	uint8_t *visible;		 /* per instruction: its block is still open; FIXED */
	uint32_t open[MAX_NEST], n_open; /* if, loop, region */
	uint32_t arm[MAX_NEST];		 /* where the open block of it began: itself or its else */
	uint32_t region, n_yields;	 /* the open region */
	uint32_t n_loops;		 /* open */
};

#define FAIL(v, i, ...) diag_ins((v)->k, &(v)->k->ir, i, (v)->err, NULL, __VA_ARGS__)

/* The type of value operand id of instruction i: defined before, in a block
 * that is open, and a value at all.  NONE otherwise.  A variable and a list have
 * a type too, but are none. */
static qd_type
value(const struct verify *v, uint32_t i, uint32_t id)
{
	if (!id || id >= i || !v->visible[id] || v->ins[id].op == OP_VAR ||
	    v->ins[id].op == OP_PACK)
		return QD_TYPE_NONE;
	if (v->region && id < v->region)
		return QD_TYPE_NONE; /* an operator sees its own values only */
	return v->ins[id].type;
}

/* Operand id must have type want. */
static qd_status
want(const struct verify *v, uint32_t i, uint32_t id, qd_type want)
{
	qd_type t = value(v, i, id);

	if (QD_LIKELY(t == want && t != QD_TYPE_NONE))
		return QD_OK;
	if (t == QD_TYPE_NONE)
		return FAIL(v, i, DIAG_E0309);
	return FAIL(v, i, DIAG_E0301, qd_type_name(t), qd_type_name(want));
}

static qd_status
allowed(const struct verify *v, uint32_t i, qd_type t)
{
	const struct op_info *info = &op_info[v->ins[i].op];

	if (QD_LIKELY(type_is(t, info->types) && t != QD_TYPE_NONE))
		return QD_OK;
	return FAIL(v, i, DIAG_E0324, qd_type_name(t), info->text);
}

/* The leading operand, checked against the row's types; its type in *t. */
static qd_status
lead(const struct verify *v, uint32_t i, uint32_t id, qd_type *t)
{
	*t = value(v, i, id);
	if (*t == QD_TYPE_NONE)
		return FAIL(v, i, DIAG_E0309);
	return allowed(v, i, *t);
}

static qd_status
result(const struct verify *v, uint32_t i, qd_type t)
{
	if (QD_LIKELY(v->ins[i].type == t))
		return QD_OK;
	return FAIL(v, i, DIAG_E0301, qd_type_name(v->ins[i].type), qd_type_name(t));
}

/* A template argument: a constant i32 in lo..hi, or one that will be constant. */
static qd_status
tmpl_arg(const struct verify *v, uint32_t i, uint32_t id, int32_t lo, int32_t hi, enum diag range)
{
	const struct ins *k = &v->ins[id];

	QD_TRY(want(v, i, id, QD_TYPE_I32));
	if (!(v->visible[id] & FIXED))
		return FAIL(v, i, DIAG_E0216);
	if (k->op != OP_CONST)
		return QD_OK;
	if ((int32_t)k->a < lo || (int32_t)k->a > hi)
		return FAIL(v, i, range, (int)(int32_t)k->a);
	return QD_OK;
}

static qd_status
param(const struct verify *v, uint32_t i, bool buffer)
{
	const struct ins *s = &v->ins[i];

	if (s->x >= v->k->n_params || (v->k->params[s->x].access != 0) != buffer)
		return FAIL(v, i, DIAG_E0310, buffer ? "buffer" : "scalar parameter");
	return QD_OK;
}

static qd_status
variable(const struct verify *v, uint32_t i, uint32_t id, qd_type *t)
{
	*t = QD_TYPE_NONE;
	if (!id || id >= i || !v->visible[id] || v->ins[id].op != OP_VAR)
		return FAIL(v, i, DIAG_E0310, "variable");
	*t = v->ins[id].type;
	return QD_OK;
}

/* -- By signature ----------------------------------------------------------------- */

static qd_status
check_leaf(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];

	QD_TRY(allowed(v, i, s->type));
	switch (s->op) {
	case OP_CONST:
		if (type_bits(s->type) < 64 && const_bits(s) >> type_bits(s->type))
			return FAIL(v, i, DIAG_E0324, qd_type_name(s->type), "these bits");
		return QD_OK;
	case OP_TEMPLATE:
		return s->x < v->k->n_tmpls ? QD_OK : FAIL(v, i, DIAG_E0310, "template parameter");
	case OP_PARAM: QD_TRY(param(v, i, false)); return result(v, i, v->k->params[s->x].type);
	case OP_LEN: return param(v, i, true);
	default: return QD_OK;
	}
}

static qd_status
check_memory(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	const struct param *p;
	qd_type t;

	QD_TRY(param(v, i, true));
	p = &v->k->params[s->x];
	t = type_info[p->type].wide;
	QD_TRY(want(v, i, s->a, QD_TYPE_U32));
	if (s->c)
		QD_TRY(want(v, i, s->c, QD_TYPE_BOOL));
	if (s->op == OP_STORE) {
		if (p->access == QD_ACCESS_IN)
			return FAIL(v, i, DIAG_E0312, p->name);
		QD_TRY(want(v, i, s->b, t));
		return result(v, i, QD_TYPE_NONE);
	}
	if (p->access == QD_ACCESS_OUT)
		return FAIL(v, i, DIAG_E0311, p->name);
	if (s->b)
		QD_TRY(want(v, i, s->b, t));
	return result(v, i, t);
}

static bool
is_list(const struct verify *v, uint32_t i, uint32_t id)
{
	return id && id < i && v->visible[id] && v->ins[id].op == OP_PACK;
}

/* A list of exactly the values that the region yields, of their types. */
static qd_status
check_generic(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	uint32_t list = s->b, n = 0, end;

	if (!s->a || s->a >= i || !v->visible[s->a] || v->ins[s->a].op != OP_REGION)
		return FAIL(v, i, DIAG_E0310, "region");
	end = v->ins[s->a].x;
	if (s->c)
		QD_TRY(tmpl_arg(v, i, s->c, 0, MAX_LOG2, DIAG_E0211));
	for (uint32_t k = v->ins[s->a].b; n < k; n++, list = v->ins[list].b) {
		qd_type t, yields = v->ins[end - k + n].type;

		if (!is_list(v, i, list))
			return FAIL(v, i, DIAG_E0310, "list of the operator's values");
		t = v->ins[list].type;
		if (t != yields)
			return FAIL(v, i, DIAG_E0328, n, type_info[yields].name, type_info[t].name);
	}
	if (list)
		return FAIL(v, i, DIAG_E0310, "list of the operator's values");
	return result(v, i, QD_TYPE_NONE);
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
		return allowed(v, i, s->type);
	}
	if (s->x != v->n_yields || s->x >= k || i <= v->region + 2 * k)
		return FAIL(v, i, DIAG_E0310, "region's result");
	v->n_yields++;
	/* Both sides and the result have one type. */
	for (uint32_t side = 0; side < 2; side++) {
		const struct ins *arg = &v->ins[v->region + 1 + s->x + side * k];

		if (arg->op != OP_ARG || arg->type != s->type)
			return FAIL(v, i, DIAG_E0328, s->x, qd_type_name(arg->type),
				    qd_type_name(s->type));
	}
	return want(v, i, s->a, s->type);
}

static qd_status
check_types(struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	enum op_sig sig = (enum op_sig)op_info[s->op].sig;
	qd_type t = QD_TYPE_NONE;

	switch (sig) {
	case SIG_VOID: return result(v, i, QD_TYPE_NONE);
	case SIG_LEAF: return check_leaf(v, i);
	case SIG_UN:
	case SIG_BIN:
	case SIG_TER:
		QD_TRY(lead(v, i, s->a, &t));
		if (sig != SIG_UN)
			QD_TRY(want(v, i, s->b, t));
		if (sig == SIG_TER)
			QD_TRY(want(v, i, s->c, t));
		return result(v, i, t);
	case SIG_CMP:
		QD_TRY(lead(v, i, s->a, &t));
		QD_TRY(want(v, i, s->b, t));
		return result(v, i, QD_TYPE_BOOL);
	case SIG_SHIFT:
	case SIG_LANE:
		QD_TRY(lead(v, i, s->a, &t));
		QD_TRY(want(v, i, s->b, QD_TYPE_U32));
		return result(v, i, t);
	case SIG_COUNT: QD_TRY(lead(v, i, s->a, &t)); return result(v, i, QD_TYPE_I32);
	case SIG_SELECT:
		QD_TRY(want(v, i, s->a, QD_TYPE_BOOL));
		t = value(v, i, s->b);
		if (t == QD_TYPE_NONE)
			return FAIL(v, i, DIAG_E0309);
		QD_TRY(want(v, i, s->c, t));
		return result(v, i, t);
	case SIG_CVT: QD_TRY(lead(v, i, s->a, &t)); return allowed(v, i, s->type);
	case SIG_BITCAST:
		QD_TRY(lead(v, i, s->a, &t));
		QD_TRY(allowed(v, i, s->type));
		if (type_info[t].size != type_info[s->type].size)
			return FAIL(v, i, DIAG_E0304, type_info[t].name, type_info[s->type].name);
		return QD_OK;
	case SIG_VAR: QD_TRY(lead(v, i, s->a, &t)); return result(v, i, t);
	case SIG_GET: QD_TRY(variable(v, i, s->a, &t)); return result(v, i, t);
	case SIG_SET:
		QD_TRY(variable(v, i, s->a, &t));
		if (value(v, i, s->b) != t && value(v, i, s->b))
			return FAIL(v, i, DIAG_E0306, type_info[t].name,
				    type_info[value(v, i, s->b)].name);
		QD_TRY(want(v, i, s->b, t));
		return result(v, i, QD_TYPE_NONE);
	case SIG_COND:
		if (value(v, i, s->a) != QD_TYPE_BOOL && value(v, i, s->a))
			return FAIL(v, i, DIAG_E0303, type_info[value(v, i, s->a)].name);
		QD_TRY(want(v, i, s->a, QD_TYPE_BOOL));
		return result(v, i, QD_TYPE_NONE);
	case SIG_ARG:
	case SIG_YIELD: return check_region_part(v, i);
	case SIG_PACK:
		QD_TRY(lead(v, i, s->a, &t));
		if (s->b && !is_list(v, i, s->b))
			return FAIL(v, i, DIAG_E0310, "list");
		return result(v, i, t);
	case SIG_RESULT: {
		const struct ins *op = &v->ins[s->a];

		if (!s->a || s->a >= i || !v->visible[s->a] || op_info[op->op].sig != SIG_LANE_OP ||
		    s->x >= v->ins[op->a].b)
			return FAIL(v, i, DIAG_E0310, "result of this operation");
		return result(v, i, v->ins[v->ins[op->a].x - v->ins[op->a].b + s->x].type);
	}
	case SIG_LOAD:
	case SIG_STORE: return check_memory(v, i);
	case SIG_LANE_K:
		QD_TRY(lead(v, i, s->a, &t));
		if (s->b)
			QD_TRY(tmpl_arg(v, i, s->b, 0, MAX_LOG2, DIAG_E0211));
		return result(v, i, t);
	case SIG_BALLOT:
		QD_TRY(want(v, i, s->a, QD_TYPE_BOOL));
		QD_TRY(tmpl_arg(v, i, s->b, 1, 32, DIAG_E0212));
		return result(v, i, QD_TYPE_U32);
	case SIG_LANE_OP: return check_generic(v, i);
	}
	return FAIL(v, i, DIAG_E0310, "known operation");
}

/* -- Nesting ------------------------------------------------------------------------- */

/* Values of the block that began after `open` are out of sight. */
static void
close_scope(struct verify *v, uint32_t open, uint32_t i)
{
	memset(v->visible + open + 1, 0, i - open - 1);
}

static qd_status
check_nesting(struct verify *v, uint32_t i)
{
	struct ins *s = &v->ins[i];
	uint32_t top = v->n_open ? v->open[v->n_open - 1] : 0;

	switch (s->op) {
	case OP_IF:
	case OP_LOOP:
	case OP_REGION:
		if (v->n_open == MAX_NEST)
			return FAIL(v, i, DIAG_E0315, MAX_NEST);
		if (s->op == OP_REGION) {
			if (v->region)
				return FAIL(v, i, DIAG_E0326, "region");
			if (s->b < 1 || s->b > MAX_YIELD)
				return FAIL(v, i, DIAG_E0327, s->b);
			v->region = i;
			v->n_yields = 0;
		}
		v->n_loops += s->op == OP_LOOP;
		v->arm[v->n_open] = i;
		v->open[v->n_open++] = i;
		return QD_OK;
	case OP_ELSE:
		if (!top || v->ins[v->arm[v->n_open - 1]].op != OP_IF)
			return FAIL(v, i, DIAG_E0313, "else", "if");
		close_scope(v, top, i);
		v->ins[top].x = i;
		v->arm[v->n_open - 1] = i;
		return QD_OK;
	case OP_END:
		if (!top)
			return FAIL(v, i, DIAG_E0313, "end", "if or loop");
		if (v->ins[top].op == OP_REGION) {
			/* The results stand last, so that they are found from the end. */
			if (v->n_yields != v->ins[top].b ||
			    v->ins[i - v->ins[top].b].op != OP_YIELD ||
			    v->ins[i - v->ins[top].b].x != 0)
				return FAIL(v, i, DIAG_E0310, "region's end: results are missing");
			v->region = 0;
		}
		v->n_loops -= v->ins[top].op == OP_LOOP;
		close_scope(v, v->arm[v->n_open - 1], i);
		v->ins[v->arm[v->n_open - 1]].x = i;
		s->x = top;
		v->n_open--;
		return QD_OK;
	case OP_BREAK:
	case OP_BREAK_IF:
	case OP_CONTINUE:
		return v->n_loops ? QD_OK : FAIL(v, i, DIAG_E0313, op_info[s->op].text, "loop");
	case OP_GRID:
		if (v->k->grid != i)
			return FAIL(v, i, DIAG_E0316);
		return v->n_open ? FAIL(v, i, DIAG_E0317) : QD_OK;
	case OP_REQUIRE:
		return s->x < v->k->n_texts ? QD_OK : FAIL(v, i, DIAG_E0310, "requirement's text");
	default: return QD_OK;
	}
}

/* FIXED, or 0. */
static uint8_t
fixed(const struct verify *v, const struct ins *s)
{
	uint32_t arg[3] = { s->a, s->b, s->c };

	switch (s->op) {
	case OP_CONST:
	case OP_TEMPLATE:
	case OP_GROUP_SIZE:
	case OP_LOG2_GROUP_SIZE:
	case OP_BLOCK_DIM:
	case OP_SUBGROUP_COUNT: return FIXED;
	default:
		if (!(op_info[s->op].flags & OPF_ALU))
			return 0;
		for (uint32_t i = 0; i < op_info[s->op].n_args; i++)
			if (!(v->visible[arg[i]] & FIXED))
				return 0;
		return FIXED;
	}
}

static qd_status
check_ins(struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i], *before = &v->ins[i - 1];
	uint16_t flags;

	if (s->op == OP_NONE || s->op >= N_OP || (op_info[s->op].flags & OPF_LOW))
		return FAIL(v, i, DIAG_E0310, "known operation");
	flags = op_info[s->op].flags;
	if ((before->op == OP_BREAK || before->op == OP_CONTINUE) && !(flags & OPF_CLOSE))
		return FAIL(v, i, DIAG_E0331, op_info[before->op].text);
	if (v->region && !(flags & OPF_ALU) && s->op != OP_CONST && s->op != OP_ARG &&
	    s->op != OP_YIELD && s->op != OP_END)
		return FAIL(v, i, DIAG_E0326, op_info[s->op].text);
	QD_TRY(check_nesting(v, i));
	return check_types(v, i);
}

qd_status
ir_verify(struct qd_kernel *k, struct qd_error *err)
{
	struct verify v = { .k = k, .ins = k->ir.ins, .err = err };
	struct pool_block *visible = pool_get(&k->ctx->pool, k->ir.n);
	qd_status st = QD_OK;

	if (!visible)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", k->name);
	v.visible = pool_data(visible);
	v.visible[0] = 0;
	for (uint32_t i = 1; i < k->ir.n && !st; i++) {
		v.visible[i] = 1;
		st = check_ins(&v, i);
		if (!st)
			v.visible[i] |= fixed(&v, &v.ins[i]);
	}
	if (!st && v.n_open)
		st = FAIL(&v, v.open[v.n_open - 1], DIAG_E0314,
			  op_info[v.ins[v.open[v.n_open - 1]].op].text);
	pool_put(&k->ctx->pool, visible);
	return st;
}
