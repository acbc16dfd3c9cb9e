/* Is this body well formed?  Nesting, scope, operand and result types, operand
 * rules; fills partners.  Runs on every kernel, from the builder or from text, so it
 * trusts nothing: any array of instructions may come in.  Debug builds run it on what
 * every pass gives.
 *
 * It fills ir.has too.  Partners: if -> else or end, else -> end, loop, block, grid and region -> end, end
 * -> what it closes, break -> what it leaves. */
#include "diag.h"

#include <assert.h>

/* VALUE: an operand that is no variable, list or place.  KNOWN: may stand for a log2_size. */
enum { VISIBLE = 1, KNOWN = 2, VALUE = 4 };

struct verify {
	const struct qd_kernel *k;
	struct ir *ir;
	struct ins *ins;
	const struct memory *mems;
	uint32_t n_mems;
	enum stage stage;
	struct qd_error *err;
	uint32_t *arm;	/* by instruction: the open block of code it stands in */
	uint8_t *state; /* by value: VALUE, KNOWN; by arm: VISIBLE while it is open */
	uint32_t at;		   /* the innermost arm: a construct or an else, or 0 */
	uint32_t since;		   /* what stands behind it is in sight */
	uint32_t region, n_yields; /* the open region */
	uint32_t n_open, open[2 * MAX_NEST]; /* constructs */
};

#define FAIL(v, i, ...) diag_ins((v)->k, (v)->ir, i, (v)->err, NULL, __VA_ARGS__)

/* An instruction before i in a block that is open; an operator sees its own only. */
static bool
in_sight(const struct verify *v, uint32_t i, uint32_t id)
{
	if (QD_LIKELY(id > v->since))
		return id < i;
	return id && id < i && id > v->region && (v->state[v->arm[id]] & VISIBLE);
}

/* A variable, a list and a place have a type, but are no value. */
static bool
gives_value(enum op op)
{
	return op != OP_VAR && op != OP_PACK && op != OP_PLACE;
}

/* The type of value operand id of instruction i, NONE where it is no value. */
static qd_type
value(const struct verify *v, uint32_t i, uint32_t id)
{
	const struct ins *s = &v->ins[id];

	if (!in_sight(v, i, id) || !gives_value((enum op)s->op))
		return QD_TYPE_NONE;
	return (qd_type)s->type;
}

static qd_status
bad_type(const struct verify *v, uint32_t i, uint32_t operand, qd_type t, qd_type want)
{
	enum op op = (enum op)v->ins[i].op;

	if (t == QD_TYPE_NONE)
		return FAIL(v, i, DIAG_E0309);
	if (op_info[op].effect == EFFECT_LOCAL)
		return FAIL(v, i, DIAG_E0306, qd_type_name(want), qd_type_name(t));
	if (opnd_kind(op_sig(op)->opnd[operand]) == OPND_BOOL && operand == 0)
		return FAIL(v, i, DIAG_E0303, qd_type_name(t));
	return FAIL(v, i, DIAG_E0301, qd_type_name(t), qd_type_name(want));
}

static qd_status
want(const struct verify *v, uint32_t i, uint32_t operand, qd_type type)
{
	qd_type t = value(v, i, v->ins[i].arg[operand]);

	if (QD_LIKELY(t == type && t != QD_TYPE_NONE))
		return QD_OK;
	return bad_type(v, i, operand, t, type);
}

static qd_status
allowed(const struct verify *v, uint32_t i, qd_type t)
{
	const struct op_info *info = &op_info[v->ins[i].op];

	if (QD_LIKELY(type_is(t, info->types) && t != QD_TYPE_NONE))
		return QD_OK;
	return FAIL(v, i, DIAG_E0324, qd_type_name(t), info->text);
}

static qd_status
is_op(const struct verify *v, uint32_t i, uint32_t id, enum op op, const char *what)
{
	return in_sight(v, i, id) && v->ins[id].op == op ? QD_OK : FAIL(v, i, DIAG_E0310, what);
}

/* -- What x names ---------------------------------------------------------------------- */

/* Memory row of a load, store or atomic: there, and of a space. */
static qd_status
check_memory(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	const struct memory *m = &v->mems[s->x];
	const struct op_info *info = &op_info[s->op];

	if (s->x >= v->n_mems || m->space == SPACE_NONE)
		return FAIL(v, i, DIAG_E0310, "buffer");
	if (op_reads((enum op)s->op) && !(m->access & QD_ACCESS_IN))
		return FAIL(v, i, DIAG_E0311, m->name);
	if (op_writes((enum op)s->op) && !(m->access & QD_ACCESS_OUT))
		return FAIL(v, i, DIAG_E0312, m->name);
	if (info->effect == EFFECT_ATOMIC && !type_is((qd_type)m->type, info->types))
		return FAIL(v, i, DIAG_E0324, qd_type_name((qd_type)m->type), info->text);
	if (s->op == OP_PLACE && m->space != SPACE_SHARED)
		return FAIL(v, i, DIAG_E0310, "shared array");
	if (m->space == SPACE_SHARED && s->attr & ATTR_GUARD)
		return FAIL(v, i, DIAG_E0357, info->text);
	if (v->stage == STAGE_SOURCE && m->space == SPACE_GLOBAL &&
	    !(s->attr & ATTR_GUARD) != (v->k->assume_in_bounds != NULL))
		return FAIL(v, i, DIAG_E0351, info->text);
	return QD_OK;
}

/* A memory into which a rank writes for each digit. */
static qd_status
check_bins(const struct verify *v, uint32_t i, uint32_t x, uint32_t len)
{
	const struct memory *m = &v->mems[x];

	if (x >= v->n_mems)
		return FAIL(v, i, DIAG_E0310, "shared array");
	if (m->space != SPACE_SHARED || m->type != QD_TYPE_I32)
		return FAIL(v, i, DIAG_E0373, m->name);
	if (m->len > 1u << MAX_RADIX || m->len & (m->len - 1) || (len && m->len != len))
		return FAIL(v, i, DIAG_E0310, "shared array of 2^radix_bits elements");
	return QD_OK;
}

static qd_status
check_rank(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];

	QD_TRY(check_bins(v, i, s->x, 0));
	QD_TRY(check_bins(v, i, s->b, v->mems[s->x].len));
	return s->x == s->b ? FAIL(v, i, DIAG_E0374, v->mems[s->x].name) : QD_OK;
}

static qd_status
check_x(const struct verify *v, uint32_t i)
{
	const struct qd_kernel *k = v->k;
	const struct ins *s = &v->ins[i];

	switch ((enum x_kind)op_sig((enum op)s->op)->x) {
	case X_PARAM:
		if (s->x >= k->n_params || k->params[s->x].access)
			return FAIL(v, i, DIAG_E0310, "scalar parameter");
		return QD_OK;
	case X_BUFFER:
		if (s->x >= k->n_params || !k->params[s->x].access)
			return FAIL(v, i, DIAG_E0310, "buffer");
		return QD_OK;
	case X_MEMORY: return check_memory(v, i);
	case X_TEMPLATE:
		return s->x < k->n_tmpls ? QD_OK : FAIL(v, i, DIAG_E0310, "template parameter");
	case X_TEXT:
		return s->x < k->n_texts ? QD_OK : FAIL(v, i, DIAG_E0310, "requirement's text");
	case X_NUMBER: return op_info[s->op].sig == SIG_RANK ? check_rank(v, i) : QD_OK;
	case X_NONE: return s->x ? FAIL(v, i, DIAG_E0310, "operation without a number") : QD_OK;
	default: return QD_OK;
	}
}

/* What elements of the memory are as values; as the access takes them. */
static qd_type
element(const struct verify *v, const struct ins *s)
{
	if (s->attr & ATTR_BITS && v->mems[s->x].type == QD_TYPE_F64)
		return QD_TYPE_U64;
	if (s->attr & (ATTR_LO | ATTR_HI | ATTR_BITS))
		return QD_TYPE_U32;
	return (qd_type)type_info[v->mems[s->x].type].wide;
}

/* -- Operands and results ----------------------------------------------------------------- */

/* A log2_size or a count: i32, known once templates and sizes are; in range where it
 * is a constant. */
static qd_status
check_known(const struct verify *v, uint32_t i, uint32_t operand, bool is_count)
{
	uint32_t id = v->ins[i].arg[operand];
	const struct ins *k = &v->ins[id];
	int32_t bits = (int32_t)k->a;

	QD_TRY(want(v, i, operand, QD_TYPE_I32));
	if (!(v->state[id] & KNOWN))
		return FAIL(v, i, DIAG_E0216);
	if (k->op != OP_CONST)
		return v->stage == STAGE_SOURCE ? QD_OK : FAIL(v, i, DIAG_E0216);
	if (is_count && (bits < 1 || bits > 32))
		return FAIL(v, i, DIAG_E0212, (int)bits);
	if (!is_count && (bits < 0 || bits > MAX_LOG2))
		return FAIL(v, i, DIAG_E0211, (int)bits);
	return QD_OK;
}

/* A list of exactly the values that the region yields, of their types. */
static qd_status
check_list(const struct verify *v, uint32_t i, uint32_t operand)
{
	const struct ins *s = &v->ins[i];
	uint32_t list = s->arg[operand], n = v->ins[s->a].b, end = v->ins[s->a].x;

	for (uint32_t j = 0; j < n; j++, list = v->ins[list].b) {
		qd_type yields = (qd_type)v->ins[v->ins[end - n + j].a].type, t;

		QD_TRY(is_op(v, i, list, OP_PACK, "list of the operator's values"));
		t = (qd_type)v->ins[list].type;
		if (t != yields)
			return FAIL(v, i, DIAG_E0328, j, qd_type_name(yields), qd_type_name(t));
	}
	return list ? FAIL(v, i, DIAG_E0310, "list of the operator's values") : QD_OK;
}

/* A list of values of any types. */
static qd_status
check_values(const struct verify *v, uint32_t i, uint32_t list)
{
	for (uint32_t n = 0; list; list = v->ins[list].b) {
		QD_TRY(is_op(v, i, list, OP_PACK, "list of values"));
		if (++n > MAX_PRINT)
			return FAIL(v, i, DIAG_E0371, MAX_PRINT);
	}
	return QD_OK;
}

/* The digits of a thread. */
static qd_status
check_digits(const struct verify *v, uint32_t i, uint32_t list)
{
	uint32_t n = 0;

	for (; list; list = v->ins[list].b) {
		QD_TRY(is_op(v, i, list, OP_PACK, "list of digits"));
		if (v->ins[list].type != QD_TYPE_U32)
			return FAIL(v, i, DIAG_E0376, qd_type_name((qd_type)v->ins[list].type));
		if (++n > MAX_YIELD)
			break;
	}
	return n < 1 || n > MAX_YIELD ? FAIL(v, i, DIAG_E0375, n) : QD_OK;
}

static qd_status
check_several(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];

	if (!in_sight(v, i, s->a) || op_sig((enum op)v->ins[s->a].op)->n_results < 2 ||
	    s->x >= ir_n_results(v->ir, s->a))
		return FAIL(v, i, DIAG_E0310, "result of this operation");
	return QD_OK;
}

/* Where a copy goes: a shared array of the type of the buffer that it comes from. */
static qd_status
check_place(const struct verify *v, uint32_t i, uint32_t id)
{
	const struct ins *s = &v->ins[i];
	const struct memory *from = &v->mems[s->x], *to;
	uint32_t size = type_info[from->type].size;

	QD_TRY(is_op(v, i, id, OP_PLACE, "place of a shared array"));
	to = &v->mems[v->ins[id].x];
	if (from->space != SPACE_GLOBAL)
		return FAIL(v, i, DIAG_E0310, "buffer");
	if (!type_is((qd_type)from->type, op_info[s->op].types))
		return FAIL(v, i, DIAG_E0324, qd_type_name((qd_type)from->type), op_info[s->op].text);
	if (to->type != from->type)
		return FAIL(v, i, DIAG_E0377, to->name, qd_type_name((qd_type)to->type), from->name,
			    qd_type_name((qd_type)from->type));
	if (!ir_can_copy(ir_count(s), size))
		return FAIL(v, i, DIAG_E0240, (long long)ir_count(s), size);
	return QD_OK;
}

static qd_status
check_operand(const struct verify *v, uint32_t i, uint32_t j, uint8_t kind, qd_type *t, qd_type *u)
{
	const struct ins *s = &v->ins[i];
	uint32_t id = s->arg[j];

	if (kind & OPND_MAY) {
		if (!id)
			return QD_OK;
		kind = opnd_kind(kind);
	}
	switch ((enum opnd)kind) {
	case OPND_NO: return id ? FAIL(v, i, DIAG_E0310, "operand of this operation") : QD_OK;
	case OPND_T:
		if (*t)
			return want(v, i, j, *t);
		if (!(*t = value(v, i, id)))
			return FAIL(v, i, DIAG_E0309);
		return allowed(v, i, *t);
	case OPND_U:
		if (*u)
			return want(v, i, j, *u);
		if (!(*u = value(v, i, id)))
			return FAIL(v, i, DIAG_E0309);
		return allowed(v, i, *u);
	case OPND_VAR:
		QD_TRY(is_op(v, i, id, OP_VAR, "variable"));
		*t = (qd_type)v->ins[id].type;
		return QD_OK;
	case OPND_BOOL: return want(v, i, j, QD_TYPE_BOOL);
	case OPND_I32: return want(v, i, j, QD_TYPE_I32);
	case OPND_U32:
	case OPND_INDEX:
	case OPND_UINDEX:
	case OPND_MEMBERS: return want(v, i, j, QD_TYPE_U32);
	case OPND_ELEM: return want(v, i, j, element(v, s));
	case OPND_REGION:
		if (v->region && id == v->region) /* an argument of the open one */
			return QD_OK;
		return is_op(v, i, id, OP_REGION, "region");
	case OPND_LIST:
		if (s->op == OP_PACK)
			return is_op(v, i, id, OP_PACK, "list");
		if (op_info[s->op].sig == SIG_RANK)
			return check_digits(v, i, id);
		return op_sig((enum op)s->op)->opnd[0] == OPND_REGION ? check_list(v, i, j)
								      : check_values(v, i, id);
	case OPND_SEV: return check_several(v, i);
	case OPND_PLACE: return check_place(v, i, id);
	case OPND_K: return check_known(v, i, j, false);
	case OPND_N: return check_known(v, i, j, true);
	default: return QD_OK; /* literals */
	}
}

static qd_status
result(const struct verify *v, uint32_t i, qd_type t)
{
	if (QD_LIKELY(v->ins[i].type == t))
		return QD_OK;
	return FAIL(v, i, DIAG_E0301, qd_type_name((qd_type)v->ins[i].type), qd_type_name(t));
}

static qd_status
check_result(const struct verify *v, uint32_t i, const struct sig_info *sig, qd_type t, qd_type u)
{
	const struct ins *s = &v->ins[i];

	if (sig->n_results != 1)
		return result(v, i, QD_TYPE_NONE);
	switch ((enum opnd)sig->result[0]) {
	case OPND_OWN:
		QD_TRY(allowed(v, i, (qd_type)s->type));
		if (s->op == OP_CONST && type_bits((qd_type)s->type) < 64 &&
		    const_bits(s) >> type_bits((qd_type)s->type))
			return FAIL(v, i, DIAG_E0324, qd_type_name((qd_type)s->type), "these bits");
		return QD_OK;
	case OPND_SAME:
		QD_TRY(allowed(v, i, (qd_type)s->type));
		if (type_info[t].size != type_info[s->type].size)
			return FAIL(v, i, DIAG_E0304, type_info[t].name, type_info[s->type].name);
		return QD_OK;
	case OPND_PART: return result(v, i, ir_result_type(v->ir, s->a, s->x));
	case OPND_ARGS:
		if (s->attr & (ATTR_LO | ATTR_HI))
			return result(v, i, QD_TYPE_U32);
		return result(v, i, (qd_type)v->k->params[s->x].type);
	case OPND_ELEM: return result(v, i, element(v, s));
	case OPND_U: return result(v, i, u);
	case OPND_BOOL: return result(v, i, QD_TYPE_BOOL);
	case OPND_I32: return result(v, i, QD_TYPE_I32);
	case OPND_U32: return result(v, i, QD_TYPE_U32);
	default: return result(v, i, t);
	}
}

/* Scope and order of an atomic or a fence. */
static qd_status
check_order(const struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	uint32_t orders = op_orders((enum op)s->op);

	if (!orders)
		return QD_OK;
	if (!(orders >> ir_order(s) & 1))
		return FAIL(v, i, DIAG_E0358, op_info[s->op].text, mem_order_name[ir_order(s)]);
	if (!(op_scopes((enum op)s->op) >> ir_scope(s) & 1))
		return FAIL(v, i, DIAG_E0359, op_info[s->op].text, mem_scope_name[ir_scope(s)]);
	return QD_OK;
}

static qd_status
check_types(struct verify *v, uint32_t i)
{
	const struct ins *s = &v->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);
	qd_type t = QD_TYPE_NONE, u = QD_TYPE_NONE;
	uint8_t known = op_is_known((enum op)s->op) ? KNOWN : 0;

	QD_TRY(check_x(v, i));
	QD_TRY(check_order(v, i));
	for (uint32_t j = 0; j < MAX_OPND; j++) {
		uint8_t kind = sig->opnd[j];

		if (kind == OPND_NO && !s->arg[j])
			continue;
		/* Most operands are values of the leading type. */
		if (kind == OPND_T && t && value(v, i, s->arg[j]) == t) {
			known &= v->state[s->arg[j]];
			continue;
		}
		QD_TRY(check_operand(v, i, j, kind, &t, &u));
		if (sig->values >> j & 1)
			known &= v->state[s->arg[j]];
	}
	v->state[i] = known;
	if (gives_value((enum op)s->op))
		v->state[i] |= VALUE;
	return check_result(v, i, sig, t, u);
}

/* -- Nesting ------------------------------------------------------------------------- */

/* Values of the block that began at the innermost arm are out of sight. */
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
	/* Passes put ifs around what a kernel nests. */
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
	/* The results stand last, so that they are found from the end. */
	if (opener->op == OP_REGION && (v->n_yields != opener->b ||
					v->ins[i - opener->b].op != OP_YIELD ||
					v->ins[i - opener->b].x != 0))
		return FAIL(v, i, DIAG_E0310, "region's end: results are missing");
	close_arm(v, i);
	v->ins[v->at].x = i;
	v->ins[i].x = top;
	v->n_open--;
	/* A grid loop counts as part of its own body, and stands in blocks only. */
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

/* What an operator may hold: arithmetic, its arguments, its results. */
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
	/* Both sides and the result have one type. */
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

/* May it stand in a body of this stage? */
static bool
in_stage(const struct verify *v, const struct ins *s)
{
	const struct op_info *info = &op_info[s->op];

	if (s->op == OP_NONE)
		return false;
	if (v->stage == STAGE_SOURCE)
		return !info->is_low && ((info->absent != ABSENT_SKIPPED && !op_copies((enum op)s->op)) || !s->d) &&
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
		return check_types(v, i);
	}
	if (before->op == OP_BREAK && !before->a && op_flow[s->op] != FLOW_CLOSE &&
	    op_flow[s->op] != FLOW_ELSE)
		return FAIL(v, i, DIAG_E0331, "break");
	if (v->region && s->op != OP_END)
		return FAIL(v, i, DIAG_E0326, op_info[s->op].text);
	QD_TRY(check_flow(v, i));
	QD_TRY(check_types(v, i));
	if (op_flow[s->op] == FLOW_OPEN) {
		v->open[v->n_open++] = i;
		if (s->op == OP_REGION)
			v->region = v->since = i;
		open_arm(v, i);
		/* The index of a grid loop stands in its own body. */
		if (s->op == OP_GRID)
			v->arm[i] = i;
	} else if (op_flow[s->op] == FLOW_ELSE) {
		open_arm(v, i);
	}
	return QD_OK;
}

/* Most instructions: a plain per-lane operation on what stands before it.  What is not
 * as simple, or wrong, goes the long way. */
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
