/* Calls of primitives: one table of all that the language names. */
#include "lower.h"

enum prim_shape {
	PRIM_LATER,
	PRIM_FIELD,	   /* a u32 */
	PRIM_NONE,	   /* (), an i32 */
	PRIM_AXIS,	   /* () or (axis) */
	PRIM_LANE,	   /* (value, lane) */
	PRIM_FIRST,	   /* (value), of lane 0 */
	PRIM_FULL,	   /* (value) */
	PRIM_TILED,	   /* (value, log2_size) */
	PRIM_BALLOT,	   /* (predicate, n) */
	PRIM_TILE_LANE,	   /* (log2_size) */
	PRIM_GENERIC,	   /* (value, ..., op = fn) */
	PRIM_GENERIC_TILED /* (value, ..., log2_size, op = fn) */
};

typedef struct qd_val call_plain(struct qd_builder *);
typedef struct qd_val call_lane(struct qd_builder *, struct qd_val, struct qd_val);
typedef struct qd_val call_value(struct qd_builder *, struct qd_val);
typedef struct qd_val call_tile(struct qd_builder *, struct qd_val, uint32_t);
typedef struct qd_val call_token(struct qd_builder *, uint32_t);
typedef void call_generic(struct qd_builder *, const struct qd_val *, struct qd_val *, uint32_t,
			  uint32_t, qd_operator_fn *, void *);

struct prim {
	const char *name;
	enum prim_shape shape;
	union {
		call_plain *FIELD, *NONE, *AXIS;
		call_lane *LANE, *FIRST;
		call_value *FULL;
		call_tile *TILED, *BALLOT;
		call_token *TILE_LANE;
		call_generic *GENERIC, *GENERIC_TILED;
	} call;
};

static const struct prim prims[] = {
#define FIELD(name, fn)	       { name, PRIM_FIELD, { .FIELD = fn } },
#define NAMED(name, shape, fn) { name, PRIM_##shape, { .shape = fn } },
#define LATER(name)	       { name, PRIM_LATER, { NULL } },
#include "prim.def"
};

/* -- Names -------------------------------------------------------------------------- */

static const struct prim *
find_prim(const char *name)
{
	size_t lo = 0, hi = QD_COUNT(prims);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(prims[mid].name, name);

		if (order == 0)
			return &prims[mid];
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static const struct prim *
prim_of(const struct lower *l, const struct node *member)
{
	char name[64];

	snprintf(name, sizeof name, "%.*s.%.*s", SYM(l->m, member->a->sym), SYM(l->m, member->sym));
	return find_prim(name);
}

/* Is it a constant once target and templates are known? */
static bool
is_fixed(const struct prim *p)
{
	return (p->shape == PRIM_FIELD &&
		(p->call.FIELD == qd_block_dim || p->call.FIELD == qd_subgroup_count)) ||
	       (p->shape == PRIM_NONE && (p->call.NONE == qd_subgroup_group_size ||
					  p->call.NONE == qd_subgroup_log2_group_size));
}

uint32_t
primitive_weight(const struct lower *l, const struct node *member)
{
	const struct prim *p = prim_of(l, member);

	if (!p || (p->shape != PRIM_FIELD && p->shape != PRIM_NONE && p->shape != PRIM_AXIS &&
		   p->shape != PRIM_TILE_LANE))
		return WEIGHT_ACTS;
	return is_fixed(p) ? 0 : WEIGHT_VARIES;
}

/* A number that v is. */
static struct value
index_of(const struct prim *p, qd_type type, struct qd_val v)
{
	struct value r = value_dyn(type, v);

	r.known = is_fixed(p);
	r.deps = r.known ? DEP_TARGET : 0;
	return r;
}

/* The row that a member names; an error and NULL where there is none. */
static const struct prim *
member_prim(struct lower *l, const struct node *member)
{
	const struct prim *p = prim_of(l, member);
	char name[64];
	const struct symbol *group = &l->m->syms.sym[member->a->sym];
	struct suggest g;

	if (p && p->shape != PRIM_LATER)
		return p;
	if (p) {
		lower_error(l, member, DIAG_E0117, p->name);
		return NULL;
	}
	suggest_init(&g, l->m->syms.sym[member->sym].s, l->m->syms.sym[member->sym].len);
	for (size_t i = 0; i < QD_COUNT(prims); i++)
		if (strncmp(prims[i].name, group->s, group->len) == 0)
			suggest_offer(&g, prims[i].name + group->len + 1,
				      (uint32_t)strlen(prims[i].name) - group->len - 1);
	snprintf(name, sizeof name, "'%.*s'", SYM(l->m, member->a->sym));
	l->help.help = suggest_text(&g, NULL);
	lower_error(l, member, DIAG_E0118, name, SYM(l->m, member->sym));
	return NULL;
}

static bool
may_stand_here(struct lower *l, const struct node *n, const struct prim *p)
{
	if (!l->b)
		return lower_error(l, n, DIAG_E0218, l->const_what);
	if (l->in_operator)
		return lower_error(l, n, DIAG_E0326, p->name);
	return true;
}

struct value
lower_primitive_field(struct lower *l, const struct node *member)
{
	const struct prim *p = member_prim(l, member);

	if (!p)
		return value_error;
	if (p->shape != PRIM_FIELD)
		return value_refuse(l, member, DIAG_E0135, p->name);
	if (!may_stand_here(l, member, p))
		return value_error;
	lower_at(l, member);
	return index_of(p, QD_TYPE_U32, p->call.FIELD(l->b));
}

/* -- Arguments ------------------------------------------------------------------------ */

/* A template argument: a number in lo..hi, a parameter's token, or what is computed
 * from such and from constants of the target. */
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
		v = value_bitcast(l, a, QD_TYPE_I32, v);
		*out = build_tile_value(value_emit(l, &v));
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

/* min and max of a load that gives 0 where it is out of range. */
static void
warn_guarded(struct lower *l, const struct node *a, const struct prim *p, const struct value *v)
{
	bool is_min = strstr(p->name, "_min") != NULL;
	char other[16];

	if (!v->guarded || (!is_min && !strstr(p->name, "_max")))
		return;
	if (!is_min && !type_info[v->type].is_signed && !type_info[v->type].is_float)
		return; /* 0 is the least of them */
	snprintf(other, sizeof other, "%s.%s", type_info[v->type].name, is_min ? "max" : "min");
	sink_warn(l->sink, a->at, a->len, DIAG_W0301, is_min ? "min" : "max", other);
}

/* -- Calls by shape ---------------------------------------------------------------------- */

static bool
axis_call(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct value v;
	int64_t axis;

	if (!n->b) {
		lower_at(l, n);
		out[0] = value_dyn(QD_TYPE_I32, p->call.AXIS(l->b));
		return true;
	}
	if (n->num != 1 || n->b->kind == N_NAMED)
		return lower_error(l, n, DIAG_E0129, p->name, "at most 1 argument",
				   (unsigned)n->num);
	v = lower_expr(l, n->b, QD_TYPE_I32);
	if (!value_need(l, n->b, &v, "an axis", &axis))
		return false;
	lower_at(l, n->b);
	out[0] = value_dyn(QD_TYPE_I32, qd_block_thread_idx_axis(l->b, (uint32_t)axis));
	return true;
}

static bool
lane_call(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct value v, lane = value_const(QD_TYPE_U32, 0);

	if (!call_takes(l, n, p->name, p->shape == PRIM_FIRST ? 1 : 2))
		return false;
	v = lower_expr(l, n->b, QD_TYPE_NONE);
	if (p->shape != PRIM_FIRST)
		lane = lower_expr(l, n->b->next, QD_TYPE_U32);
	if (v.kind == V_ERROR || lane.kind == V_ERROR)
		return false;
	/* Where the builder will complain. */
	lower_at(l, !type_is(v.type, TM_NUM) ? n->b : !type_is(lane.type, TM_I32) ? n->b->next : n);
	out[0] = value_dyn(v.type, p->call.LANE(l->b, value_emit(l, &v), value_emit(l, &lane)));
	return true;
}

static bool
tile_call(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	bool tiled = p->shape == PRIM_TILED;
	struct qd_val x;
	struct value v;
	uint32_t log2 = QD_FULL;

	if (!call_takes(l, n, p->name, tiled ? 2 : 1))
		return false;
	v = lower_expr(l, n->b, QD_TYPE_NONE);
	if (v.kind == V_ERROR || (tiled && !log2_argument(l, n->b->next, &log2)))
		return false;
	warn_guarded(l, n->b, p, &v);
	lower_at(l, type_is(v.type, TM_NUM) ? n : n->b);
	x = value_emit(l, &v);
	out[0] = value_dyn(v.type, tiled ? p->call.TILED(l->b, x, log2) : p->call.FULL(l->b, x));
	return true;
}

static bool
ballot_call(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct value v;
	uint32_t count;

	if (!call_takes(l, n, p->name, 2))
		return false;
	v = lower_condition(l, n->b);
	if (!template_argument(l, n->b->next, 1, 32, DIAG_E0212, "n", &count) || v.kind == V_ERROR)
		return false;
	lower_at(l, n);
	out[0] = value_dyn(QD_TYPE_U32, p->call.BALLOT(l->b, value_emit(l, &v), count));
	return true;
}

static bool
tile_lane_call(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	uint32_t log2;

	if (!call_takes(l, n, p->name, 1) || !log2_argument(l, n->b, &log2))
		return false;
	lower_at(l, n);
	out[0] = value_dyn(QD_TYPE_I32, p->call.TILE_LANE(l->b, log2));
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
		b->failed = QD_E_INVALID; /* the reason is in the sink, or stop is set */
}

/* op = name, among the arguments */
static const struct node *
operator_argument(struct lower *l, const struct node *n, const struct prim *p,
		  const struct node **at)
{
	struct meaning m = { .is = B_VALUE };

	*at = n;
	for (const struct node *a = n->b; a; a = a->next) {
		if (a->kind == N_NAMED && a->sym != W_op) {
			lower_error(l, a, DIAG_E0131, p->name, SYM(l->m, a->sym));
			return NULL;
		}
		*at = a->kind == N_NAMED ? a->a : *at;
	}
	if ((*at)->kind == N_NAME)
		m = scope_find(l, (*at)->sym);
	if (m.is == M_FN)
		return m.global;
	if (m.is == M_NOTHING)
		scope_wrong(l, *at, (*at)->sym, "");
	else
		lower_error(l, *at, DIAG_E0138, p->name);
	return NULL;
}

/* What the operator wants of its values: where that is said, literals follow. */
static qd_type
operand_type(const struct node *fn, uint32_t i)
{
	const struct node *p = fn->b;

	for (; p && i; i--)
		p = p->next;
	return p && word_is_type(p->a->sym) && !(p->a->flags & F_ARRAY) ? word_type(p->a->sym)
									: QD_TYPE_NONE;
}

static bool
generic_call(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	struct operator_use use = { .l = l };
	struct qd_val x[MAX_YIELD], r[MAX_YIELD];
	struct value v[MAX_YIELD];
	bool tiled = p->shape == PRIM_GENERIC_TILED;
	uint32_t k = 0, i = 0, log2 = QD_FULL;

	if (!(use.fn = operator_argument(l, n, p, &use.n)))
		return false;
	for (const struct node *a = n->b; a; a = a->next)
		k += a->kind != N_NAMED;
	k -= tiled && k;
	if (k < 1 || k > MAX_YIELD)
		return lower_error(l, n, DIAG_E0327, k);
	for (const struct node *a = n->b; a; a = a->next) {
		if (a->kind == N_NAMED)
			continue;
		if (i == k) {
			if (!log2_argument(l, a, &log2))
				return false;
			continue;
		}
		v[i] = lower_expr(l, a, operand_type(use.fn, i));
		if (v[i].kind == V_ERROR)
			return false;
		use.types[i] = v[i].type;
		i++;
	}
	lower_at(l, n);
	for (i = 0; i < k; i++)
		x[i] = value_emit(l, &v[i]);
	memset(r, 0, sizeof r);
	if (l->failed) {
		/* The builder is off; the operator is looked at all the same. */
		operator_body(l->b, &use, x, x, r, k);
	} else {
		p->call.GENERIC(l->b, x, r, k, log2, operator_body, &use);
	}
	for (i = 0; i < k; i++)
		out->v[i] = value_dyn(v[i].type, r[i]);
	out->n = k;
	return use.ok;
}

/* -- Any of them ------------------------------------------------------------------------------ */

bool
lower_primitive(struct lower *l, const struct node *n, const struct node *member,
		struct results *out)
{
	const struct prim *p = member_prim(l, member);

	if (!p || !may_stand_here(l, n, p))
		return false;
	out->n = 1;
	switch (p->shape) {
	case PRIM_FIELD: return lower_error(l, n, DIAG_E0134, p->name);
	case PRIM_NONE:
		if (!call_takes(l, n, p->name, 0))
			return false;
		lower_at(l, n);
		out->v[0] = index_of(p, QD_TYPE_I32, p->call.NONE(l->b));
		return true;
	case PRIM_AXIS: return axis_call(l, n, p, out->v);
	case PRIM_LANE:
	case PRIM_FIRST: return lane_call(l, n, p, out->v);
	case PRIM_FULL:
	case PRIM_TILED: return tile_call(l, n, p, out->v);
	case PRIM_BALLOT: return ballot_call(l, n, p, out->v);
	case PRIM_TILE_LANE: return tile_lane_call(l, n, p, out->v);
	default: return generic_call(l, n, p, out);
	}
}
