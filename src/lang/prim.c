/* Calls of primitives. The row in op.def determines the form of a call. */
#include "build_call.h"
#include "lower.h"

static bool
may_stand_here(struct lower *l, const struct node *n, const struct prim *p)
{
	if (!l->b)
		return lower_error(l, n, DIAG_E0218, l->const_what);
	if (l->in_operator)
		return lower_error(l, n, DIAG_E0326, p->name);
	return true;
}

/* lead: the type of the leading operand */
static struct value
call_op(struct lower *l, const struct prim *p, const struct qd_val *arg, qd_type lead,
	uint32_t token)
{
	struct value r = value_dyn(build_result(p->op, lead),
				   build_op(l->b, op_info[p->op].text, p->op, arg, token));

	r.known = op_is_known(p->op);
	r.deps = r.known ? DEP_TARGET : 0;
	return r;
}

struct value
lower_primitive_field(struct lower *l, const struct node *member)
{
	struct prim p;

	if (!prim_named(l, member, &p))
		return value_error;
	if (!p.field)
		return value_refuse(l, member, DIAG_E0135, p.name);
	if (!may_stand_here(l, member, &p))
		return value_error;
	lower_at(l, member);
	return call_op(l, &p, NULL, QD_TYPE_NONE, QD_FULL);
}

/* -- Arguments ------------------------------------------------------------------------ */

/* Lowers a template argument: a number in lo..hi, a parameter's token, or a value computed from
 * these and from constants of the target. */
static bool
template_argument(struct lower *l, const struct node *a, int32_t lo, int32_t hi, enum diag range,
		  const char *what, uint32_t *out)
{
	struct value v = lower_expr(l, a, QD_TYPE_I32);
	int64_t n;

	if (v.kind == V_ERROR)
		return false;
	if (v.kind == V_TOKEN) {
		*out = (uint32_t)v.bits;
	} else if (v.kind == V_DYN && v.known && type_is(v.type, TM_I32)) {
		lower_at(l, a);
		*out = qd_template_arg(l->b, value_emit(l, &v));
	} else {
		if (!v.known && range == DIAG_E0211)
			return lower_error(l, a, DIAG_E0216);
		if (!value_need(l, a, &v, what, &n))
			return false;
		if (n < lo || n > hi)
			return lower_error(l, a, range,
					   (int)(n < INT32_MIN || n > INT32_MAX ? INT32_MAX : n));
		*out = (uint32_t)n;
	}
	build_arg_at(l->b, sink_pos(l->sink, a->at));
	return true;
}

static bool
log2_argument(struct lower *l, const struct node *a, uint32_t *out)
{
	return template_argument(l, a, 0, MAX_LOG2, DIAG_E0211, "log2_size", out);
}

/* Lowers a segment's width in lanes. */
static bool
width_argument(struct lower *l, const struct node *a, uint32_t *out)
{
	struct value v = lower_expr(l, a, QD_TYPE_I32);
	int64_t n;

	if (!value_need(l, a, &v, "width", &n))
		return false;
	if (n < 1 || n > WARP_LANES || (n & (n - 1)))
		return lower_error(l, a, DIAG_E0230, (long long)n);
	*out = (uint32_t)n;
	return true;
}

/* Warns about a load that gives 0 out of range if the identity of the reduction or scan is
 * another value. */
static void
warn_guarded(struct lower *l, const struct node *a, enum op op, const struct value *v)
{
	static const char *const identity[] = { [PADDING_MUL] = "1",
						[PADDING_MIN] = ".max",
						[PADDING_MAX] = ".min",
						[PADDING_ONES] = "~0" };
	uint32_t combine = op_info[op].combine, padding = PADDING_ADD;
	char other[16];

	if (!v->guarded || !combine)
		return;
	if (op_info[combine].expand == EXPAND_reduce)
		combine = op_info[combine].combine;
	for (uint32_t o = 0; o < N_OP; o++)
		if (op_info[o].combine == combine && op_info[o].padding > PADDING_ADD &&
		    op_info[o].padding < QD_COUNT(identity))
			padding = op_info[o].padding;
	if (padding == PADDING_ADD ||
	    !ir_padding_bits((enum padding_effect)padding, (qd_type)v->type))
		return;
	snprintf(other, sizeof other, "%s%s",
		 identity[padding][0] == '.' ? type_info[v->type].name : "", identity[padding]);
	lower_warn(l, a, DIAG_W0301, op_info[combine].text, other);
}

/* -- Calls by signature ------------------------------------------------------------------ */

static bool
is_written(const struct prim *p, uint32_t operand)
{
	uint8_t kind = op_sig(p->op)->opnd[operand];

	if (kind & OPND_MAY)
		return p->tiled && opnd_kind(kind) == OPND_K;
	return kind != OPND_NO && !(p->special == PRIM_FIRST && kind == OPND_UINDEX);
}

/* Returns the operand at position n of a call: members come first. */
static uint32_t
as_written(const struct sig_info *sig, uint32_t n)
{
	uint32_t members = sig->members < 0 ? 0 : (uint32_t)sig->members;

	return n == 0 ? members : n <= members ? n - 1 : n;
}

/* Lowers one operand. lead: the type that earlier operands determined. */
static bool
operand(struct lower *l, const struct node *a, enum op op, enum opnd kind, qd_type lead,
	struct value *v, uint32_t *token)
{
	switch (kind) {
	case OPND_K: return log2_argument(l, a, token);
	case OPND_N: return template_argument(l, a, 1, 32, DIAG_E0212, "n", token);
	case OPND_BOOL: *v = lower_condition(l, a); return v->kind != V_ERROR;
	case OPND_U:
		*v = lower_expr(l, a, QD_TYPE_NONE);
		return value_is(l, a, v, op_info[op].types);
	case OPND_T:
		*v = lower_expr(l, a, lead);
		if (!value_is(l, a, v, op_info[op].types))
			return false;
		warn_guarded(l, a, op, v);
		if (!lead || v->type == lead)
			return true;
		return lower_error(l, a, DIAG_E0301, type_info[lead].name, type_info[v->type].name);
	default: break;
	}
	*v = lower_expr(l, a, QD_TYPE_U32);
	if (v->kind == V_ERROR || type_is(v->type, TM_I32))
		return v->kind != V_ERROR;
	return lower_error(l, a, DIAG_E0305,
			   kind == OPND_U32	  ? "offset"
			   : kind == OPND_MEMBERS ? "mask"
						  : "index",
			   type_info[v->type].name);
}

/* Returns whether an operation on a block takes the number of its threads after its
 * operands. */
static bool
takes_block_dim(enum op op)
{
	uint32_t sig = op_info[op].sig;

	return op_info[op].scope == SCOPE_BLOCK &&
	       (sig == SIG_TOTAL_B || sig_info[sig].opnd[0] == OPND_REGION);
}

/* Checks that the argument repeats the kernel's block size. */
static bool
block_dim_argument(struct lower *l, const struct node *a, const struct prim *p)
{
	struct value v = lower_expr(l, a, QD_TYPE_I32);
	uint32_t dim = l->b->k->block_dim;
	int64_t n;

	if (!value_need(l, a, &v, "block_dim", &n))
		return false;
	return n == dim || lower_error(l, a, DIAG_E0233, p->name, (long long)n, dim);
}

/* The argument n_active = m; without it, all threads. */
struct active {
	bool given;
	struct value n;
};

static bool
active_argument(struct lower *l, const struct node *call, struct active *active)
{
	const struct node *a = call_argument(call, W_n_active);

	active->given = a;
	if (!a)
		return true;
	active->n = lower_expr(l, a->a, QD_TYPE_U32);
	if (active->n.kind == V_ERROR || type_is(active->n.type, TM_I32))
		return active->n.kind != V_ERROR;
	return lower_error(l, a->a, DIAG_E0305, "n_active", type_info[active->n.type].name);
}

/* Sets n_active for the next operation that is built. */
static void
set_active(struct lower *l, struct active *active)
{
	if (active->given && !l->failed)
		qd_block_n_active(l->b, value_emit(l, &active->n));
}

/* Returns W_n_active if the operation takes it. */
static uint32_t
active_word(const struct prim *p)
{
	return op_sig(p->op)->active < 0 ? 0 : W_n_active;
}

/* Sets the help of the next error: "write subgroup.shuffle(v, lane)". */
static void
say_form(struct lower *l, const struct prim *p)
{
	static const char *const names[] = {
		[OPND_T] = "v",	      [OPND_BOOL] = "p",	  [OPND_U32] = "offset",
		[OPND_INDEX] = "lane", [OPND_UINDEX] = "lane", [OPND_K] = "log2_size",
		[OPND_N] = "n",	      [OPND_U] = "value",		  [OPND_MEMBERS] = "mask",
	};
	const struct sig_info *sig = op_sig(p->op);
	const uint8_t *opnd = sig->opnd;
	size_t len = 0, size = sizeof l->convert_text;

	len += (size_t)snprintf(l->convert_text, size, "write %s(", p->name);
	for (uint32_t n = 0; n < MAX_OPND; n++) {
		uint32_t j = as_written(sig, n), kind = opnd_kind(opnd[j]);
		const char *name = kind < QD_COUNT(names) ? names[kind] : NULL;

		if (kind == OPND_T && opnd[j + 1 < MAX_OPND ? j + 1 : j] == OPND_U)
			name = "key";
		else if (kind == OPND_BOOL && j)
			name = "head";
		else if (op_info[p->op].scope == SCOPE_BLOCK && kind != OPND_U && j)
			name = "thread";
		if (is_written(p, j) && name && len < size)
			len += (size_t)snprintf(l->convert_text + len, size - len, "%s%s", n ? ", " : "",
						name);
	}
	if (len < size)
		snprintf(l->convert_text + len, size - len, "%s)", sig->x == X_NUMBER ? ", width" : "");
	l->help.help = l->convert_text;
}

/* Returns the type of result j. v: the operands. */
static qd_type
result_type(const struct sig_info *sig, uint32_t j, const struct value *v)
{
	uint32_t from = 0;

	switch (sig->result[j]) {
	case OPND_T:
	case OPND_U:
		while (opnd_kind(sig->opnd[from]) != sig->result[j])
			from++;
		return (qd_type)v[from].type;
	case OPND_I32: return QD_TYPE_I32;
	case OPND_BOOL: return QD_TYPE_BOOL;
	default: return QD_TYPE_U32;
	}
}

static bool
plain_call(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	const struct sig_info *sig = op_sig(p->op);
	const struct node *a = call_next(n->b);
	struct value v[MAX_OPND] = { { 0 } };
	struct active active;
	struct qd_val arg[MAX_OPND];
	uint32_t n_args = 0, n_given = call_count(n), token = QD_FULL;
	qd_type lead = QD_TYPE_NONE;
	bool ok = true, dim;

	for (uint32_t j = 0; j < MAX_OPND; j++)
		n_args += is_written(p, j);
	n_args += sig->x == X_NUMBER;
	dim = takes_block_dim(p->op) && n_given == n_args + 1;
	n_args += dim;
	if (!call_named(l, n, p->name, active_word(p), 0))
		return false;
	if (n_given != n_args)
		say_form(l, p);
	if (!call_has(l, n, p->name, n_args))
		return false;
	for (uint32_t nth = 0; nth < MAX_OPND; nth++) {
		uint32_t j = as_written(sig, nth);

		if (!is_written(p, j))
			continue;
		ok = operand(l, a, p->op, (enum opnd)opnd_kind(sig->opnd[j]), lead, &v[j],
			     &token) &&
		     ok;
		lead = sig->lead == (int)j ? v[j].type : lead;
		a = call_next(a->next);
	}
	if (sig->x == X_NUMBER)
		ok = width_argument(l, a, &token) && ok;
	ok = active_argument(l, n, &active) && ok;
	if (!ok || (dim && !block_dim_argument(l, a, p)))
		return false;
	if (p->special == PRIM_FIRST)
		v[1] = value_const(QD_TYPE_U32, 0);
	lower_at(l, n);
	for (uint32_t j = 0; j < MAX_OPND; j++)
		arg[j] = value_emit(l, &v[j]);
	set_active(l, &active);
	out->n = sig->n_results;
	if (out->n < 2) {
		out->v[0] = call_op(l, p, arg, lead, token);
		return true;
	}
	struct qd_val r[MAX_RESULT];
	build_several(l->b, op_info[p->op].text, p->op, arg, token, r, out->n);
	for (uint32_t j = 0; j < out->n; j++)
		out->v[j] = value_dyn(result_type(sig, j, v), r[j]);
	return true;
}

/* -- Ranks ---------------------------------------------------------------------------------- */

/* Lowers one key. The first argument is a key or a tuple of keys. */
static bool
key_operand(struct lower *l, const struct node *a, struct value *v)
{
	*v = lower_expr(l, a, QD_TYPE_U32);
	if (v->kind == V_ERROR)
		return false;
	if (v->type == QD_TYPE_U32)
		return true;
	lower_convert(l, QD_TYPE_U32, NULL);
	return lower_error(l, a, DIAG_E0376, type_info[v->type].name);
}

/* Looks up a shared array by its name. */
static bool
bins_operand(struct lower *l, const struct node *a, struct qd_array *out)
{
	struct binding *found = lower_array(l, a);

	if (!found)
		return false;
	*out = found->array;
	return true;
}

/* (key, block_dim, radix_bits, bit_start, num_bits, bins, excl_prefix); block_dim is optional */
static bool
rank_call(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	static const struct {
		const char *name;
		int32_t hi;
		enum diag range;
	} number[3] = { { "radix_bits", MAX_RADIX, DIAG_E0234 },
			{ "bit_start", 31, DIAG_E0235 },
			{ "num_bits", MAX_RADIX, DIAG_E0236 } };
	const struct node *a = call_next(n->b), *key;
	struct value v[MAX_YIELD];
	struct active active;
	struct qd_val arg[MAX_YIELD], r[MAX_YIELD] = { { 0 } };
	struct qd_array bins, excl_prefix;
	uint32_t k = 1, token[3];
	bool dim = call_count(n) == 7, ok;

	if (!call_named(l, n, p->name, W_n_active, 0))
		return false;
	if (call_count(n) != 6u + dim)
		l->help.help = "write block.radix_rank_match_atomic_or(key, radix_bits, bit_start, num_bits, bins, excl_prefix)";
	if (!call_has(l, n, p->name, 6u + dim))
		return false;
	key = a;
	if (a->kind == N_TUPLE) {
		k = (uint32_t)a->num;
		key = a->a;
	}
	if (k < 1 || k > MAX_YIELD)
		return lower_error(l, a, DIAG_E0375, k);
	ok = true;
	for (uint32_t i = 0; i < k; i++, key = key->next)
		ok = key_operand(l, key, &v[i]) && ok;
	a = call_next(a->next);
	if (dim) {
		ok = block_dim_argument(l, a, p) && ok;
		a = call_next(a->next);
	}
	for (uint32_t i = 0; i < 3; i++, a = call_next(a->next))
		ok = template_argument(l, a, 0, number[i].hi, number[i].range, number[i].name, &token[i]) && ok;
	ok = active_argument(l, n, &active) && ok;
	if (!ok || !bins_operand(l, a, &bins) ||
	    !bins_operand(l, call_next(a->next), &excl_prefix))
		return false;
	lower_at(l, n);
	build_arg_at(l->b, 0);
	for (uint32_t i = 0; i < k; i++)
		arg[i] = value_emit(l, &v[i]);
	set_active(l, &active);
	build_rank(l->b, op_info[p->op].text, arg, r, k, token, bins, excl_prefix);
	for (uint32_t i = 0; i < k; i++)
		out->v[i] = value_dyn(QD_TYPE_I32, r[i]);
	out->n = k;
	return true;
}

/* -- Custom operators ---------------------------------------------------------------------- */

struct operator_use {
	struct lower *l;
	const struct node *n, *fn;
	uint8_t types[MAX_YIELD];
	bool ok;
};

static void
operator_body(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	      struct qd_val *out, uint32_t k)
{
	struct operator_use *use = user;
	struct lower *l = use->l;
	struct value v[2 * MAX_YIELD];
	struct results r;

	for (uint32_t i = 0; i < k; i++) {
		v[i] = value_dyn(use->types[i], x[i]);
		v[k + i] = value_dyn(use->types[i], y[i]);
	}
	l->in_operator = true;
	use->ok = lower_operator(l, use->n, use->fn, v, k, &r);
	for (uint32_t i = 0; i < k && use->ok; i++)
		out[i] = value_emit(l, &r.v[i]);
	l->in_operator = false;
	if (!use->ok && !b->failed)
		b->failed = QD_E_INVALID; /* the sink has the error, or stop is set */
}

static bool
has_identity(const struct prim *p)
{
	return opnd_kind(op_sig(p->op)->opnd[3]) == OPND_LIST;
}

/* Finds op = name among the arguments. */
static const struct node *
operator_argument(struct lower *l, const struct node *n, const struct prim *p,
		  const struct node **at)
{
	struct meaning m = { .is = B_VALUE };

	*at = n;
	for (const struct node *a = n->b; a; a = a->next) {
		if (a->kind == N_NAMED &&
		    !call_may_name(l, n, a, p->name,
				   a->sym == W_op || (a->sym == W_identity && has_identity(p)) ||
					   (a->sym == W_n_active && active_word(p))))
			return NULL;
		*at = a->kind == N_NAMED && a->sym == W_op ? a->a : *at;
	}
	if ((*at)->kind == N_NAME || scope_is_imported(l, *at))
		m = scope_named(l, *at);
	if (m.is == M_FN)
		return m.global;
	if (m.is == M_NOTHING)
		scope_wrong(l, *at, "");
	else
		lower_error(l, *at, DIAG_E0138, p->name);
	return NULL;
}

static uint32_t
n_params(const struct node *fn)
{
	uint32_t n = 0;

	for (const struct node *p = fn->b; p; p = p->next)
		n++;
	return n;
}

/* Returns the type that the operator requires of a value, for literals; NONE if it is generic. */
static qd_type
operand_type(const struct node *fn, uint32_t i)
{
	const struct node *p = fn->b;

	for (; p && i; i--)
		p = p->next;
	return p && word_is_type(p->a->sym) && !(p->a->flags & F_ARRAY) ? word_type(p->a->sym)
									: QD_TYPE_NONE;
}

/* Lowers identity = value or (value, ...), of the types of v. */
static bool
identities(struct lower *l, const struct node *n, const struct prim *p, const struct value *v,
	   uint32_t k, struct value *out)
{
	const struct node *a = call_argument(n, W_identity), *e;
	uint32_t n_given;

	n_given = a ? a->a->kind == N_TUPLE ? (uint32_t)a->a->num : 1 : 0;
	if (n_given != k)
		return lower_error(l, a ? a : n, DIAG_E0229, p->name, k, n_given);
	e = a->a->kind == N_TUPLE ? a->a->a : a->a;
	for (uint32_t i = 0; i < k; i++, e = e->next) {
		out[i] = lower_expr(l, e, (qd_type)v[i].type);
		if (!value_is(l, e, &out[i], TM_NUM))
			return false;
		if (out[i].type != v[i].type)
			return lower_error(l, e, DIAG_E0301, type_info[v[i].type].name,
					   type_info[out[i].type].name);
	}
	return true;
}

static bool
generic_call(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	struct operator_use use = { .l = l };
	struct qd_val x[MAX_YIELD], r[MAX_YIELD], first[MAX_YIELD];
	struct value v[MAX_YIELD], e[MAX_YIELD];
	struct active active;
	uint32_t k = call_count(n), i = 0, log2 = QD_FULL;
	bool dim;

	if (!(use.fn = operator_argument(l, n, p, &use.n)))
		return false;
	k -= p->tiled && k;
	dim = takes_block_dim(p->op) && 2 * (k - 1) == n_params(use.fn);
	k -= dim;
	if (k < 1 || k > MAX_YIELD)
		return lower_error(l, n, DIAG_E0327, k);
	for (const struct node *a = n->b; a; a = a->next) {
		if (a->kind == N_NAMED)
			continue;
		if (i == k) {
			if (dim ? !block_dim_argument(l, a, p) : !log2_argument(l, a, &log2))
				return false;
		} else {
			v[i] = lower_expr(l, a, operand_type(use.fn, i));
			if (!value_is(l, a, &v[i], TM_NUM))
				return false;
			use.types[i] = v[i].type;
			i++;
		}
	}
	if ((has_identity(p) && !identities(l, n, p, v, k, e)) || !active_argument(l, n, &active))
		return false;
	lower_at(l, n);
	for (i = 0; i < k; i++)
		x[i] = value_emit(l, &v[i]);
	for (i = 0; i < k && has_identity(p); i++)
		first[i] = value_emit(l, &e[i]);
	set_active(l, &active);
	memset(r, 0, sizeof r);
	if (l->failed) {
		/* The builder is off; the operator is still checked. */
		operator_body(l->b, &use, x, x, r, k);
	} else {
		build_operator(l->b, op_info[p->op].text, p->op, x, has_identity(p) ? first : NULL, r,
			       k, log2, operator_body, &use);
	}
	for (i = 0; i < k; i++)
		out->v[i] = value_dyn(v[i].type, r[i]);
	out->n = k;
	return use.ok;
}

/* -- Any primitive ---------------------------------------------------------------------------- */

bool
lower_primitive(struct lower *l, const struct node *n, const struct node *member,
		struct results *out)
{
	struct prim p;
	uint32_t log2;

	if (!prim_named(l, member, &p) || !may_stand_here(l, n, &p))
		return false;
	out->n = 1;
	if (p.special == PRIM_THREAD && n->b)
		return prim_axis(l, n, &p, out->v);
	if (p.special == PRIM_TILE_LANE || p.special == PRIM_GLOBAL_THREAD) {
		bool tile = p.special == PRIM_TILE_LANE;

		if (!call_takes(l, n, p.name, tile) || (tile && !log2_argument(l, n->b, &log2)))
			return false;
		lower_at(l, n);
		out->v[0] = value_dyn(QD_TYPE_U32, tile ? qd_subgroup_tile_lane(l->b, log2)
							: qd_block_global_thread_idx(l->b));
		return true;
	}
	if (p.special == PRIM_MASK)
		return prim_mask(l, n, &p, out->v);
	if (p.special == PRIM_PACK)
		return prim_pack(l, n, &p, out->v);
	if (p.special == PRIM_UNPACK)
		return prim_unpack(l, n, &p, out->v);
	if (p.special == PRIM_MADE) {
		if (!call_takes(l, n, p.name, 0))
			return false;
		lower_at(l, n);
		out->v[0] = value_dyn(QD_TYPE_U32, p.made(l->b));
		return true;
	}
	if (op_info[p.op].effect == EFFECT_ATOMIC)
		return lower_atomic(l, n, &p, out);
	if (op_info[p.op].effect == EFFECT_FENCE)
		return lower_fence(l, n, &p, out);
	if (op_info[p.op].sig == SIG_RANK)
		return rank_call(l, n, &p, out);
	if (op_copies(p.op))
		return lower_copy(l, n, &p, out);
	if (op_info[p.op].sig == SIG_COPIES)
		return lower_copy_wait(l, n, &p, out);
	if (op_sig(p.op)->opnd[0] == OPND_REGION)
		return generic_call(l, n, &p, out);
	if (!p.field)
		return plain_call(l, n, &p, out);
	return lower_error(l, n, DIAG_E0134, p.name);
}
