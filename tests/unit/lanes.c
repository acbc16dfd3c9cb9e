/* The lockstep machine of lanes.h. */
#include "lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void QD_PRINTF(2, 3) fault(struct lanes *x, const char *fmt, ...)
{
	va_list ap;

	if (x->fault[0])
		return;
	va_start(ap, fmt);
	vsnprintf(x->fault, sizeof x->fault, fmt, ap);
	va_end(ap);
}

static uint64_t *
at(const struct lanes *x, uint32_t i)
{
	return x->v + (size_t)i * x->n_threads;
}

static double
number(qd_type t, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;
	double d;

	memcpy(&f, &low, sizeof f);
	memcpy(&d, &bits, sizeof d);
	return t == QD_TYPE_F32 ? (double)f : d;
}

/* -- Arithmetic ----------------------------------------------------------------- */

/* What the bare instruction does not promise. */
static void
check_raw(struct lanes *x, const struct ins *s, qd_type t, uint64_t a, uint64_t b)
{
	uint32_t caps = x->m->caps, bits = type_bits(t);
	uint64_t ones = bits == 64 ? ~0ull : 0xffffffffu;
	bool flt = type_is(t, TM_FLT);

	switch (s->op) {
	case OP_DIV:
	case OP_REM:
		if (!flt && !(caps & CAP_INT_DIV_CHECKED) &&
		    (!b || (type_info[t].is_signed && b == ones && a == ones / 2 + 1)))
			fault(x, "%s of %llx by %llx", op_info[s->op].text, (unsigned long long)a,
			      (unsigned long long)b);
		break;
	case OP_SHL:
	case OP_SHR:
		if (!(caps & CAP_SHIFT_MASKS) && b >= bits)
			fault(x, "shift by %llu", (unsigned long long)b);
		break;
	case OP_CVT:
		if (flt && !type_is(s->type, TM_FLT) && !(caps & CAP_CVT_SATURATES)) {
			double v = number(t, a), limit = ldexp(1, (int)type_bits(s->type));
			bool is_signed = type_info[s->type].is_signed;
			double low = is_signed ? -limit / 2 : 0;
			double high = is_signed ? limit / 2 : limit;
			if (!(v >= low && v < high))
				fault(x, "conversion of %g", v);
		}
		if (!flt && s->type == QD_TYPE_F32 && (caps & CAP_U32_TO_F32_INEXACT))
			fault(x, "conversion to f32");
		break;
	default:
		break;
	}
}

static uint64_t
alu(struct lanes *x, const struct ins *s, const uint64_t v[3])
{
	const struct ins *a = &x->ir->ins[s->a];
	qd_type t = s->op == OP_SELECT ? s->type : a->type;

	if (x->legal)
		check_raw(x, s, t, v[0], v[1]);
	return ir_eval((enum op)s->op, a->type, s->type, v[0], v[1], v[2]);
}

/* -- The law of reductions --------------------------------------------------------- */

struct combine {
	const struct ins *s; /* the operation */
	uint32_t n;	     /* values at a time */
	uint32_t region;     /* or 0: op on type */
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
		uint64_t *v = &at(x, i)[c->thread];
		if (s->op == OP_ARG) {
			*v = s->x < c->n ? lo[s->x] : hi[s->x - c->n];
		} else if (s->op == OP_YIELD) {
			result[s->x] = at(x, s->a)[c->thread];
		} else if (s->op == OP_CONST) {
			*v = const_bits(s);
		} else {
			uint64_t o[3] = { at(x, s->a)[c->thread], at(x, s->b)[c->thread],
					  at(x, s->c)[c->thread] };
			*v = alu(x, s, o);
		}
	}
	memcpy(out, result, c->n * sizeof *out);
}

/* T(v[0..n)) = T(v[0..h)) op T(v[h..n)), h the largest power of two below n. */
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
	    uint32_t n, bool scan, uint64_t (*out)[LANES_MAX])
{
	uint64_t v[128][MAX_YIELD], r[MAX_YIELD];

	for (uint32_t t = 0; t < n; t++)
		for (uint32_t j = 0; j < c->n; j++)
			v[t][j] = at(x, from[j])[first + t];
	for (uint32_t t = 0; t < n; t++) {
		if (scan || t == 0)
			tree(x, c, v, scan ? t + 1 : n, r);
		for (uint32_t j = 0; j < c->n; j++)
			out[j][first + t] = r[j];
	}
}

/* Results of value j of instruction i; RESULT finds them. */
static uint64_t *
result_of(struct lanes *x, uint32_t i, uint32_t j)
{
	return x->v + ((size_t)x->ir->n * (j + 1) + i) * x->n_threads;
}

static void
lane_reduce(struct lanes *x, uint32_t i, const struct ins *s)
{
	static uint64_t out[MAX_YIELD][LANES_MAX];
	struct combine c = { .s = s, .n = 1, .type = s->type };
	uint32_t from[MAX_YIELD] = { s->a }, k = s->b;
	bool scan = s->op == OP_INCLUSIVE_ADD || s->op == OP_INCLUSIVE_SCAN;

	c.op = s->op == OP_REDUCE_MIN ? OP_MIN : s->op == OP_REDUCE_MAX ? OP_MAX : OP_ADD;
	if (s->op == OP_REDUCE || s->op == OP_INCLUSIVE_SCAN) {
		c.region = s->a;
		k = s->c;
		c.n = 0;
		for (uint32_t p = s->b; p; p = x->ir->ins[p].b)
			from[c.n++] = x->ir->ins[p].a;
	}
	uint32_t size = k ? 1u << const_bits(&x->ir->ins[k]) : x->m->subgroup_size;
	uint32_t present = x->legal ? x->n_threads : x->k->block_dim;
	memset(out, 0, sizeof out);
	for (uint32_t t = 0; t < present; t += size) {
		c.thread = t;
		reduce_tile(x, &c, from, t, t + size > present ? present - t : size, scan, out);
	}
	for (uint32_t j = 0; j < c.n; j++)
		memcpy(c.region ? result_of(x, i, j) : at(x, i), out[j],
		       x->n_threads * sizeof(uint64_t));
}

/* -- Lanes ---------------------------------------------------------------------------- */

static uint64_t
lane_move(struct lanes *x, const struct ins *s, uint32_t t)
{
	uint32_t size = x->m->subgroup_size, lane = t % size, from = lane;
	uint32_t b = (uint32_t)at(x, s->b)[t];

	switch (s->op) {
	case OP_SHUFFLE:
	case OP_BROADCAST:
		from = b;
		break;
	case OP_SHUFFLE_XOR:
		from = lane ^ b;
		break;
	case OP_SHUFFLE_UP:
		from = b <= lane ? lane - b : lane;
		break;
	default:
		from = b < size - lane ? lane + b : lane;
		break;
	}
	if (x->legal && from >= size)
		fault(x, "%s from lane %u of %u", op_info[s->op].text, from, size);
	return at(x, s->a)[t - lane + from % size];
}

static uint64_t
ballot(const struct lanes *x, const struct ins *s, const bool *act, uint32_t t)
{
	uint32_t size = x->m->subgroup_size, first = t - t % size, bits = 0;
	uint64_t n = const_bits(&x->ir->ins[s->b]);

	for (uint32_t j = 0; j < size && j < n; j++)
		bits |= (uint32_t)(act[first + j] && at(x, s->a)[first + j]) << j;
	return bits;
}

/* -- Memory ----------------------------------------------------------------------------- */

static void
access(struct lanes *x, const struct ins *s, uint32_t i, uint32_t t)
{
	qd_type e = x->k->params[s->x].type;
	uint64_t index = at(x, s->a)[t], *out = &at(x, i)[t];
	bool in = index < x->len[s->x];

	if (s->op == OP_LOAD)
		*out = s->b ? at(x, s->b)[t] : 0;
	if (s->c && !at(x, s->c)[t])
		return;
	if (!in) {
		if (x->legal || !(s->aux & AUX_GUARD))
			fault(x, "access to element %llu of %u", (unsigned long long)index,
			      x->len[s->x]);
		return;
	}
	uint64_t *m = &x->buf[s->x][index];
	uint32_t high = x->legal && (s->aux & AUX_HI) ? 32 : 0;
	bool part = x->legal && (s->aux & (AUX_LO | AUX_HI));
	bool raw = x->legal && (s->aux & AUX_RAW_BITS);
	if (s->op == OP_LOAD) {
		*out = part ? (uint32_t)(*m >> high) : raw ? *m : ir_widen(e, *m);
		return;
	}
	uint64_t v = at(x, s->b)[t];
	if (part)
		*m = (*m & ~(0xffffffffull << high)) | v << high;
	else
		*m = raw ? v : ir_narrow(e, v);
	if (raw && v > 0xffff)
		fault(x, "16 bits are %llx", (unsigned long long)v);
}

/* -- One instruction ------------------------------------------------------------------------ */

static uint64_t
leaf(struct lanes *x, const struct ins *s, uint32_t t)
{
	uint32_t size = x->m->subgroup_size;

	switch (s->op) {
	case OP_CONST:
		return const_bits(s);
	case OP_PARAM:
		if (x->legal && (s->aux & AUX_LO))
			return (uint32_t)x->scalar[s->x];
		return x->legal && (s->aux & AUX_HI) ? x->scalar[s->x] >> 32 : x->scalar[s->x];
	case OP_LEN:
		return x->len[s->x];
	case OP_ARGWORD:
		if (s->x != x->k->tail / 4 + TAIL_ZERO)
			fault(x, "word %u of the arguments", s->x);
		return 0;
	case OP_GRID:
		return ir_eval(OP_ADD, s->type, s->type,
			       (uint64_t)x->block_idx * x->k->block_dim, t, 0);
	case OP_BLOCK_IDX:
		return x->block_idx;
	case OP_GRID_DIM:
		return x->n_blocks;
	case OP_THREAD_IDX:
		return t;
	case OP_LANE:
		return t % size;
	case OP_SUBGROUP_ID:
		return t / size;
	case OP_ELECT:
		return t % size == 0;
	default:
		fault(x, "%s is not for here", op_info[s->op].text);
		return 0;
	}
}

static void
step(struct lanes *x, uint32_t i, const bool *act)
{
	const struct ins *s = &x->ir->ins[i];
	uint32_t flags = op_info[s->op].flags;

	if (s->op >= OP_REDUCE_ADD && s->op <= OP_INCLUSIVE_SCAN) {
		lane_reduce(x, i, s);
		return;
	}
	for (uint32_t t = 0; t < x->n_threads; t++) {
		uint64_t *v = &at(x, i)[t];
		uint64_t a = at(x, s->a < x->ir->n ? s->a : 0)[t];
		if (!act[t])
			continue;
		if (flags & OPF_ALU) {
			uint64_t o[3] = { a, at(x, s->b)[t], at(x, s->c)[t] };
			*v = alu(x, s, o);
		} else if (flags & OPF_MEM) {
			access(x, s, i, t);
		} else if (s->op == OP_VAR || s->op == OP_GET) {
			*v = a;
		} else if (s->op == OP_SET) {
			at(x, s->a)[t] = at(x, s->b)[t];
		} else if (s->op == OP_RESULT) {
			*v = result_of(x, s->a, s->x)[t];
		} else if (s->op == OP_BALLOT_FIRST_N) {
			*v = ballot(x, s, act, t);
		} else if (flags & OPF_CROSS) {
			*v = lane_move(x, s, t);
		} else if (s->op != OP_PACK) {
			*v = leaf(x, s, t);
		}
	}
}

static bool
any(const struct lanes *x, const bool *act)
{
	for (uint32_t t = 0; t < x->n_threads; t++)
		if (act[t])
			return true;
	return false;
}

/* From begin on up to end; act loses the threads that leave the loop or the
 * round, and those go to gone (who continues). */
static void
run(struct lanes *x, uint32_t begin, uint32_t end, bool *act, bool *again)
{
	for (uint32_t i = begin; i < end && !x->fault[0]; i++) {
		const struct ins *s = &x->ir->ins[i];
		bool part[LANES_MAX], rest[LANES_MAX];

		switch (s->op) {
		case OP_REGION:
			i = s->x;
			break;
		case OP_IF: {
			uint32_t other = s->x, last = x->ir->ins[other].op == OP_ELSE
							      ? x->ir->ins[other].x : other;
			for (uint32_t t = 0; t < x->n_threads; t++) {
				part[t] = act[t] && at(x, s->a)[t];
				rest[t] = act[t] && !at(x, s->a)[t];
			}
			if (any(x, part))
				run(x, i + 1, other, part, again);
			if (other != last && any(x, rest))
				run(x, other + 1, last, rest, again);
			for (uint32_t t = 0; t < x->n_threads; t++)
				act[t] = part[t] || rest[t];
			i = last;
			break;
		}
		case OP_LOOP:
			memcpy(part, act, x->n_threads);
			while (any(x, part) && !x->fault[0]) {
				memset(rest, 0, sizeof rest);
				if (++x->rounds > 200000)
					fault(x, "a loop does not end");
				run(x, i + 1, s->x, part, rest);
				for (uint32_t t = 0; t < x->n_threads; t++)
					part[t] |= rest[t];
			}
			i = s->x;
			break;
		case OP_BREAK:
		case OP_CONTINUE:
		case OP_BREAK_IF:
			for (uint32_t t = 0; t < x->n_threads; t++) {
				if (!act[t] || (s->op == OP_BREAK_IF && !at(x, s->a)[t]))
					continue;
				act[t] = false;
				if (s->op == OP_CONTINUE)
					again[t] = true;
			}
			if (!any(x, act))
				return;
			break;
		default:
			step(x, i, act);
		}
	}
}

bool
lanes_run(struct lanes *x, const struct ir *ir)
{
	bool act[LANES_MAX];
	uint32_t size = x->m->subgroup_size, planes = 1;

	x->ir = ir;
	x->fault[0] = '\0';
	x->rounds = 0;
	x->n_threads = (x->k->block_dim + size - 1) / size * size;
	for (uint32_t i = 1; i < ir->n; i++) {
		if (ir->ins[i].op == OP_RESULT)
			planes = MAX_YIELD + 1;
	}
	x->v = calloc((size_t)ir->n * planes * x->n_threads, sizeof *x->v);
	if (!x->v || x->n_threads > LANES_MAX) {
		fault(x, "no memory");
	} else {
		for (uint32_t t = 0; t < x->n_threads; t++)
			act[t] = x->legal || t < x->k->block_dim;
		run(x, 1, ir->n, act, act);
	}
	free(x->v);
	return !x->fault[0];
}

/* -- Form ------------------------------------------------------------------------------------ */

static bool
is_native(const struct machine *m, const struct ir *ir, const struct ins *s)
{
	const struct op_info *info = &op_info[s->op];
	qd_type t = s->type;
	uint32_t k = 0;

	switch (info->sig) {
	case SIG_CMP:
	case SIG_COUNT:
	case SIG_CVT:
	case SIG_BITCAST:
		t = ir->ins[s->a].type;
		break;
	case SIG_BALLOT:
		t = QD_TYPE_BOOL;
		break;
	case SIG_LANE_K:
		k = s->b ? (uint32_t)const_bits(&ir->ins[s->b]) : LOG2_FULL;
		break;
	default:
		break;
	}
	if (s->op == OP_CVT && !m->native(m, OP_CVT, s->type, 0))
		return false;
	if (!(info->flags & (OPF_ALU | OPF_CROSS)) && s->op != OP_ELECT && s->op != OP_SUBGROUP_ID)
		return true;
	return m->native(m, (enum op)s->op, t, k);
}

/* A literal zero, or what a driver may find out to be one: a variable, and a
 * count that became a float. */
static bool
literal_zero(const struct machine *m, const struct ir *ir, uint32_t v)
{
	const struct ins *s = &ir->ins[v];
	uint64_t sign = s->type == QD_TYPE_F64 ? 1ull << 63 : 1u << 31;

	if (!type_is(s->type, TM_FLT))
		return false;
	if (s->op == OP_GET || s->op == OP_CVT)
		return s->type == QD_TYPE_F32 || (m->caps & CAP_I64);
	return s->op == OP_CONST && !(const_bits(s) & ~sign);
}

const char *
lanes_illegal(const struct machine *m, const struct ir *ir)
{
	static _Thread_local char text[96];
	bool at_head = false;

	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];
		uint32_t flags = op_info[s->op].flags;
		bool is_64 = type_is(s->type, TM_I64), wrong = false;

		if (s->op == OP_LOOP) {
			at_head = true;
			continue;
		}
		wrong |= !is_native(m, ir, s) || (is_64 && !(m->caps & CAP_I64));
		wrong |= (flags & OPF_ALU) && s->aux != AUX_RAW;
		wrong |= s->op == OP_REGION || s->op == OP_ARG || s->op == OP_YIELD ||
			 s->op == OP_PACK || s->op == OP_RESULT || s->op == OP_GRID;
		if ((m->caps & CAP_HIDE_ZERO) &&
		    (s->op == OP_ADD || s->op == OP_SUB || s->op == OP_MUL || s->op == OP_DIV ||
		     s->op == OP_FMA))
			wrong |= literal_zero(m, ir, s->a) || literal_zero(m, ir, s->b) ||
				 literal_zero(m, ir, s->c);
		if (m->caps & CAP_FLAG_LOOPS) {
			wrong |= s->op == OP_BREAK || s->op == OP_CONTINUE;
			wrong |= s->op == OP_BREAK_IF && !at_head;
			if (!(flags & (OPF_PURE | OPF_CROSS)) && s->op != OP_GET &&
			    s->op != OP_LOAD)
				at_head = false;
		}
		if (wrong) {
			snprintf(text, sizeof text, "%%%u = %s %s", i, op_info[s->op].text,
				 type_info[s->type].name);
			return text;
		}
	}
	return NULL;
}
