/* Lockstep machine of lanes.h: reductions, scans and sorts of tiles. */
#include "lanes_part.h"

/* -- Canonical order of reductions ------------------------------------------------- */

struct combine {
	const struct ins *s; /* the operation */
	uint32_t n;	     /* number of values combined at a time */
	uint32_t region;     /* 0: the operation op on type */
	enum op op;
	qd_type type;
	uint32_t thread;
};

static void
combine(struct lanes *x, const struct combine *c, const uint64_t *lo, const uint64_t *hi,
	uint64_t *out)
{
	if (!c->region) {
		*out = ir_eval(c->op, c->type, c->type, *lo, *hi, 0);
		return;
	}
	uint64_t result[MAX_YIELD] = { 0 };
	for (uint32_t i = c->region + 1; i < x->ir->ins[c->region].x; i++) {
		const struct ins *s = &x->ir->ins[i];
		uint64_t *v = &lanes_at(x, i)[c->thread];
		if (s->op == OP_ARG) {
			*v = s->x < c->n ? lo[s->x] : hi[s->x - c->n];
		} else if (s->op == OP_YIELD) {
			result[s->x] = lanes_at(x, s->a)[c->thread];
		} else if (s->op == OP_CONST) {
			*v = const_bits(s);
		} else {
			uint64_t o[3] = { lanes_at(x, s->a)[c->thread], lanes_at(x, s->b)[c->thread],
					  lanes_at(x, s->c)[c->thread] };
			*v = lanes_alu(x, s, o);
		}
	}
	memcpy(out, result, c->n * sizeof *out);
}

/* Computes T(v[0..n)) = T(v[0..h)) op T(v[h..n)), with h the largest power of two below n. */
static void
tree(struct lanes *x, const struct combine *c, uint64_t (*v)[MAX_YIELD], uint32_t n, uint64_t *out)
{
	uint64_t lo[MAX_YIELD], hi[MAX_YIELD];
	uint32_t h = 1;

	if (n == 1) {
		memcpy(out, v[0], c->n * sizeof *out);
		return;
	}
	while (2 * h < n)
		h *= 2;
	tree(x, c, v, h, lo);
	tree(x, c, v + h, n - h, hi);
	combine(x, c, lo, hi, out);
}

static void
reduce_tile(struct lanes *x, const struct combine *c, const uint32_t *from, uint32_t first,
	    uint32_t n, enum expansion family, const uint32_t *identity, uint64_t (*out)[LANES_MAX])
{
	bool scan = family == EXPAND_scan || family == EXPAND_operator_scan;
	bool below = family == EXPAND_exclusive || family == EXPAND_operator_exclusive;
	uint64_t v[128][MAX_YIELD], r[MAX_YIELD];

	for (uint32_t t = 0; t < n; t++)
		for (uint32_t j = 0; j < c->n; j++)
			v[t][j] = lanes_at(x, from[j])[first + t];
	for (uint32_t t = 0; t < n; t++) {
		if (below && t == 0 && !c->region)
			r[0] = ir_identity_bits(c->op, c->type);
		else if (below && t == 0)
			for (uint32_t j = 0; j < c->n; j++)
				r[j] = lanes_at(x, identity[j])[first];
		else if (below || scan || t == 0)
			tree(x, c, v, below ? t : scan ? t + 1 : n, r);
		for (uint32_t j = 0; j < c->n; j++)
			out[j][first + t] = r[j];
	}
}

/* Combines the first n positions of a tile, without those below head, in canonical order. */
static uint64_t
tree_since(struct lanes *x, const struct combine *c, uint64_t (*v)[MAX_YIELD], uint32_t n, uint32_t head)
{
	uint64_t lo, hi, out;
	uint32_t h = 1;

	while (2 * h < n)
		h *= 2;
	if (!head) {
		tree(x, c, v, n, &out);
		return out;
	}
	if (head >= h)
		return tree_since(x, c, v + h, n - h, head - h);
	lo = tree_since(x, c, v, h, head);
	tree(x, c, v + h, n - h, &hi);
	combine(x, c, &lo, &hi, &out);
	return out;
}

/* Returns the storage of result j of instruction i, which RESULT reads. */
uint64_t *
lanes_result(struct lanes *x, uint32_t i, uint32_t j)
{
	return x->v + ((size_t)x->ir->n * (j + 1) + i) * x->n_threads;
}

uint32_t
lanes_taking_part(struct lanes *x, const struct ins *s, const bool *act, uint32_t first, uint32_t n)
{
	uint32_t here = 0, active = 0;

	for (uint32_t t = first; t < first + n; t++) {
		here += t == first + here && x->here[t];
		active += act[t];
	}
	for (uint32_t t = first + here; t < first + n; t++)
		if (x->here[t])
			lanes_fault(x, "thread %u is active and thread %u is not", t, first + here);
	if (active && active != here)
		lanes_fault(x, "%s of %u threads out of %u", op_info[s->op].text, active, here);
	return active;
}

void
lanes_reduce(struct lanes *x, uint32_t i, const struct ins *s, const bool *act)
{
	static uint64_t out[MAX_YIELD][LANES_MAX];
	const struct op_info *info = &op_info[s->op];
	struct combine c = { .s = s, .n = 1, .op = info->combine, .type = s->type };
	uint32_t from[MAX_YIELD] = { s->a }, identity[MAX_YIELD] = { 0 }, k = s->arg[op_sig((enum op)s->op)->known];

	if (c.op == OP_NONE) {
		c.region = s->a;
		c.n = 0;
		for (uint32_t p = s->b; p; p = x->ir->ins[p].b)
			from[c.n++] = x->ir->ins[p].a;
		if (info->expand == EXPAND_operator_exclusive)
			for (uint32_t p = s->d, j = 0; p; p = x->ir->ins[p].b)
				identity[j++] = x->ir->ins[p].a;
	}
	uint32_t size = k ? 1u << const_bits(&x->ir->ins[k]) : x->m->subgroup_size;
	memset(out, 0, sizeof out);
	for (uint32_t t = 0; t < x->n_threads; t += size) {
		c.thread = t;
		reduce_tile(x, &c, from, t, lanes_taking_part(x, s, act, t, size),
			    (enum expansion)info->expand, identity, out);
	}
	for (uint32_t j = 0; j < c.n; j++)
		memcpy(c.region ? lanes_result(x, i, j) : lanes_at(x, i), out[j],
		       x->n_threads * sizeof(uint64_t));
}

void
lanes_segmented(struct lanes *x, uint32_t i, const struct ins *s, const bool *act)
{
	struct combine c = { .s = s, .n = 1, .op = op_info[s->op].combine, .type = s->type };
	uint32_t size = s->c ? 1u << const_bits(&x->ir->ins[s->c]) : x->m->subgroup_size;
	uint64_t v[128][MAX_YIELD];

	for (uint32_t first = 0; first < x->n_threads; first += size) {
		uint32_t n = lanes_taking_part(x, s, act, first, size), head = 0;

		for (uint32_t t = 0; t < n; t++) {
			v[t][0] = lanes_at(x, s->a)[first + t];
			head = lanes_at(x, s->b)[first + t] ? t : head;
			lanes_at(x, i)[first + t] = tree_since(x, &c, v, t + 1, head);
		}
	}
}

/* -- Sorts ---------------------------------------------------------------------------- */

/* Returns true if the pair (k, v) of these types precedes (l, w). Values without an order, such as
 * NaNs and zeros of both signs, are ordered by their bits. */
static bool
precedes(qd_type kt, uint64_t k, uint64_t l, qd_type vt, uint64_t v, uint64_t w)
{
	const qd_type types[3] = { kt, vt, kt };
	const uint64_t a[3] = { k, v, k }, b[3] = { l, w, l };

	for (uint32_t n = 0; n < 3; n++) {
		qd_type t = types[n];
		uint32_t top = type_bits(t) - 1;
		bool nan = type_is(t, TM_FLT) && (ir_eval(OP_NE, t, QD_TYPE_BOOL, a[n], a[n], 0) ||
						  ir_eval(OP_NE, t, QD_TYPE_BOOL, b[n], b[n], 0));
		bool a_minus = a[n] >> top & 1, b_minus = b[n] >> top & 1;

		if (!nan && ir_eval(OP_LT, t, QD_TYPE_BOOL, a[n], b[n], 0))
			return true;
		if (!nan && ir_eval(OP_LT, t, QD_TYPE_BOOL, b[n], a[n], 0))
			return false;
		/* Equal values, and keys that compare equal: their bits are compared last. */
		if (!nan && (a[n] == b[n] || !n))
			continue;
		if (a_minus != b_minus)
			return a_minus;
		if (a[n] != b[n])
			return (a[n] < b[n]) != a_minus;
	}
	return false;
}

void
lanes_sort(struct lanes *x, uint32_t i, const struct ins *s, const bool *act)
{
	uint32_t size = s->c ? 1u << const_bits(&x->ir->ins[s->c]) : x->m->subgroup_size;
	qd_type kt = (qd_type)x->ir->ins[s->a].type, vt = (qd_type)x->ir->ins[s->b].type;

	for (uint32_t first = 0; first < x->n_threads; first += size) {
		uint32_t n = lanes_taking_part(x, s, act, first, size);
		const uint64_t *k = lanes_at(x, s->a) + first, *v = lanes_at(x, s->b) + first;

		for (uint32_t t = 0; t < n; t++) {
			uint32_t place = 0;

			for (uint32_t j = 0; j < n; j++)
				place += j < t ? !precedes(kt, k[t], k[j], vt, v[t], v[j])
					       : j > t && precedes(kt, k[j], k[t], vt, v[j], v[t]);
			lanes_result(x, i, 0)[first + place] = k[t];
			lanes_result(x, i, 1)[first + place] = v[t];
		}
	}
}
