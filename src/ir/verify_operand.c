/* Checks operands and results against the operation's row: types, operand rules beyond types, and
 * the instruction's own fields. */
#include "verify.h"

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

/* -- References by x ------------------------------------------------------------------- */

/* Checks the memory row of a load, store or atomic: it exists and is in a memory space. */
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
		return FAIL(v, i, m->space == SPACE_TABLE ? DIAG_E0392 : DIAG_E0312, m->name);
	if (info->effect == EFFECT_ATOMIC && !type_is((qd_type)m->type, info->types))
		return FAIL(v, i, DIAG_E0324, qd_type_name((qd_type)m->type), info->text);
	if (s->op == OP_PLACE && m->space != SPACE_SHARED)
		return FAIL(v, i, DIAG_E0310, "shared array");
	if (m->space == SPACE_SHARED && s->attr & ATTR_GUARD)
		return FAIL(v, i, DIAG_E0357, info->text);
	if (v->stage == STAGE_SOURCE && m->space != SPACE_SHARED &&
	    !(s->attr & ATTR_GUARD) != (v->k->assume_in_bounds != NULL))
		return FAIL(v, i, DIAG_E0351, info->text);
	return QD_OK;
}

/* Checks a shared array into which a rank writes an element for each digit. */
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

/* Returns the type of an element as the access reads or writes it. */
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

/* Checks a log2_size or a count: i32, known once templates and sizes are; in range if it is a
 * constant. */
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

/* Checks a list that must match the values that the region yields, in number and type. */
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

/* Checks the destination of a copy: a shared array of the source buffer's type. */
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
	case OPND_ACTIVE:
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

/* Checks scope and order of an atomic or a fence. */
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

qd_status
verify_types(struct verify *v, uint32_t i)
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
		/* Fast path: most operands are values of the leading type. */
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
