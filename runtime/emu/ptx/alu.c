/* Instructions on registers without exchange between lanes. All 32 lanes are computed; the
 * results of active lanes are kept. */
#include <fenv.h>

#include "exec.h"
#include "half.h"
#include "table.h"

/* -- Results ------------------------------------------------------------------------------ */

union lanes {
	uint16_t h[64]; /* two to a word */
	uint32_t w[32];
	uint64_t d[32];
	float f[32];
	double g[32];
};

static inline void
put_lanes(void *d, const void *from, unsigned size, uint32_t act)
{
	if (act == UINT32_MAX) {
		memcpy(d, from, 32 * (size_t)size);
	} else if (size == 4) {
		EACH_LANE(l, act)
		((uint32_t *)d)[l] = ((const uint32_t *)from)[l];
	} else if (size == 8) {
		EACH_LANE(l, act)
		((uint64_t *)d)[l] = ((const uint64_t *)from)[l];
	} else {
		EACH_LANE(l, act)
		((uint16_t *)d)[l] = ((const uint16_t *)from)[l];
	}
}

/* -- Float modes: .ftz, .sat, .relu, rounding --------------------------------------------- */

static void
flush(union lanes *v, char kind, unsigned size)
{
	if (kind == 'f' && size == 4) {
		for (unsigned l = 0; l < 32; l++)
			if (!(v->w[l] & 0x7f800000))
				v->w[l] &= 0x80000000;
	} else if (kind == 'h' || kind == 'x') {
		for (unsigned l = 0; l < 16u * size; l++)
			if (!(v->h[l] & 0x7c00))
				v->h[l] &= 0x8000;
	}
}

/* Clamps to 0..1; a NaN becomes 0. */
static void
saturate(union lanes *v, char kind, unsigned size)
{
	if (kind == 'f' && size == 4) {
		for (unsigned l = 0; l < 32; l++)
			v->f[l] = v->f[l] > 0 ? v->f[l] < 1 ? v->f[l] : 1 : 0;
	} else if (kind == 'f') {
		for (unsigned l = 0; l < 32; l++)
			v->g[l] = v->g[l] > 0 ? v->g[l] < 1 ? v->g[l] : 1 : 0;
	} else {
		for (unsigned l = 0; l < 16u * size; l++)
			v->h[l] = v->h[l] & 0x8000 || v->h[l] > 0x7c00 ? 0
				  : v->h[l] > 0x3c00		       ? 0x3c00
								       : v->h[l];
	}
}

/* Clamps to at least 0; keeps a NaN. */
static void
rectify(union lanes *v, char kind, unsigned size)
{
	uint16_t inf = kind == 'h' || kind == 'x' ? 0x7c00 : 0x7f80;

	for (unsigned l = 0; l < 16u * size; l++)
		if ((v->h[l] & 0x7fff) <= inf && v->h[l] & 0x8000)
			v->h[l] = 0;
}

static int
fe_rounding(unsigned round)
{
	switch (round) {
	case ROUND_ZERO: return FE_TOWARDZERO;
	case ROUND_DOWN: return FE_DOWNWARD;
	case ROUND_UP: return FE_UPWARD;
	default: return FE_TONEAREST;
	}
}

static void
alu_mode(const struct insn *i, union lanes *d, const void *const *s)
{
	const struct type_info *t = &ptx_type[i->form->type[0]];
	/* With two types (slct), only operands of the second type are flushed. */
	const char *kinds = i->form->row->operands + i->n_dst;
	bool two = strchr(kinds, 'b') != NULL;
	const struct type_info *f = two ? &ptx_type[i->form->type[1]] : t;
	union lanes flat[3];
	const void *from[4] = { s[0], s[1], s[2], s[3] };

	if (i->flags & F_FTZ)
		for (unsigned k = 0; k < i->n_src && k < 3; k++) {
			if (two && kinds[k] != 'b')
				continue;
			memcpy(&flat[k], s[k], 32 * (size_t)f->size);
			flush(&flat[k], f->kind, f->size);
			from[k] = &flat[k];
		}
	if (i->form->round > ROUND_NEAR)
		fesetround(fe_rounding(i->form->round));
	i->fn.lanes(d, from);
	if (i->form->round > ROUND_NEAR)
		fesetround(FE_TONEAREST);
	if (i->flags & F_FTZ && !two)
		flush(d, t->kind, t->size);
	if (i->flags & F_SAT)
		saturate(d, t->kind, t->size);
	if (i->flags & F_RELU)
		rectify(d, t->kind, t->size);
}

void
exec_alu(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const void *s[4] = { src_at(r, w, i->o[1]), src_at(r, w, i->o[2]), src_at(r, w, i->o[3]),
			     src_at(r, w, i->o[4]) };
	uint64_t p = poison_of(w, i->o[1]) | poison_of(w, i->o[2]) | poison_of(w, i->o[3]) |
		     poison_of(w, i->o[4]);
	void *d = dst_at(w, i->o[0]);
	union lanes v;

	if (i->kind == K_alu_mode) {
		alu_mode(i, &v, s);
	} else if (act == UINT32_MAX && i->direct) {
		i->fn.lanes(d, s);
		w->poison[i->o[0].slot] = p;
		return;
	} else {
		i->fn.lanes(&v, s);
	}
	put_lanes(d, &v, i->d_size, act);
	poison_set(w, i->o[0], act, p);
}

/* -- Carries ------------------------------------------------------------------------------ */

const struct carry_op carry_add = { 0, false, false }, carry_addc = { 0, false, true },
		      carry_sub = { 0, true, false }, carry_subc = { 0, true, true },
		      carry_mad_lo = { 1, false, false }, carry_mad_hi = { 2, false, false },
		      carry_madc_lo = { 1, false, true }, carry_madc_hi = { 2, false, true };

void
exec_carry(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const struct carry_op *op = i->form->table;
	unsigned type = i->form->type[0], size = ptx_type[type].size;
	const void *s[4] = { src_at(r, w, i->o[1]), src_at(r, w, i->o[2]), src_at(r, w, i->o[3]),
			     NULL };
	const void *x = s[0], *y = s[1];
	uint64_t p = poison_of(w, i->o[1]) | poison_of(w, i->o[2]) |
		     (op->mul ? poison_of(w, i->o[3]) : 0);
	uint64_t top = size == 8 ? UINT64_MAX : UINT32_MAX;
	union lanes product, d = { .w = { 0 } };
	uint32_t carry = 0;

	if (op->mul) {
		(op->mul == 1 ? alu_mul : alu_mul_hi)[type](&product, s);
		x = &product;
		y = s[2];
	}
	if (op->with)
		p |= w->carry_poison;
	EACH_LANE(l, act)
	{
		uint64_t a = lane_value(x, size, l), b = lane_value(y, size, l);
		uint64_t in = op->with ? w->carry >> l & 1 : 0, v;
		bool out;

		if (op->subtract) {
			v = (a - b - in) & top;
			out = a < b || (a == b && in);
		} else {
			v = (a + b + in) & top;
			out = v < a || (v == a && in && b == top);
		}
		lane_put(&d, size, l, v);
		carry |= (uint32_t)out << l;
	}
	if (i->flags & F_CC) {
		uint64_t a = act | (uint64_t)act << 32;

		w->carry = (w->carry & ~act) | carry;
		w->carry_poison = (w->carry_poison & ~a) | (p & a);
	}
	put_lanes(dst_at(w, i->o[0]), &d, size, act);
	poison_set(w, i->o[0], act, p);
}

/* -- Predicates --------------------------------------------------------------------------- */

static uint32_t
bool_op(unsigned op, uint32_t a, uint32_t b)
{
	return op == OP_AND ? a & b : op == OP_OR ? a | b : a ^ b;
}

/* Compares two sources; for a pair of halves, the lower or the upper ones. */
static uint32_t
compare(struct run *r, struct warp *w, const struct insn *i, unsigned type, bool upper)
{
	const struct type_info *t = &ptx_type[type];
	const void *s[2] = { src_at(r, w, i->o[i->n_dst]), src_at(r, w, i->o[i->n_dst + 1]) };
	bool pair = t->kind == 'x' || t->kind == 'y';
	union lanes flat[2];

	for (unsigned k = 0; k < 2 && (pair || i->flags & F_FTZ); k++) {
		if (pair) {
			for (unsigned l = 0; l < 32; l++)
				flat[k].h[l] =
					(uint16_t)(((const uint32_t *)s[k])[l] >> (upper ? 16 : 0));
		} else {
			memcpy(&flat[k], s[k], 32 * (size_t)t->size);
		}
		if (i->flags & F_FTZ)
			flush(&flat[k], pair ? 'h' : t->kind, pair ? 2 : t->size);
		s[k] = &flat[k];
	}
	return i->fn.mask(s);
}

static bool
is_pair(unsigned type)
{
	return ptx_type[type].kind == 'x' || ptx_type[type].kind == 'y';
}

void
exec_setp(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const struct form *f = i->form;
	bool tests = i->n_src == 1;
	uint32_t p = compare(r, w, i, f->type[0], false);
	/* q is the complement of p; for a pair, p is the result of the lower halves and q of the
	 * upper ones. */
	uint32_t q = is_pair(f->type[0]) ? compare(r, w, i, f->type[0], true) : ~p;
	uint64_t poison =
		poison_of(w, i->o[i->n_dst]) | (tests ? 0 : poison_of(w, i->o[i->n_dst + 1]));

	if (i->n_src == 3) {
		uint32_t c = pred_value(r, w, i, 2);

		p = bool_op(f->op[0], p, c);
		q = bool_op(f->op[0], q, c);
		poison |= poison_of(w, i->o[i->n_dst + 2]);
	}
	pred_set(w, i->o[0], act, p, poison);
	if (i->n_dst > 1 && i->o[1].slot != NO_SLOT)
		pred_set(w, i->o[1], act, q, poison);
}

/* Returns the value of true in a result of this type; for a pair, in each half. */
static uint32_t
yes_of(unsigned type)
{
	switch (type) {
	case T_f32: return 0x3f800000;
	case T_f16:
	case T_f16x2: return 0x3c00;
	case T_bf16:
	case T_bf16x2: return 0x3f80;
	default: return UINT32_MAX;
	}
}

void
exec_set(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const struct form *f = i->form;
	bool pair = is_pair(f->type[1]);
	uint32_t m = compare(r, w, i, f->type[1], false),
		 up = pair ? compare(r, w, i, f->type[1], true) : 0;
	uint32_t yes = yes_of(f->type[0]), high = yes << 16;
	uint64_t poison = poison_of(w, i->o[1]) | poison_of(w, i->o[2]);
	void *d = dst_at(w, i->o[0]);

	if (i->n_src == 3) {
		uint32_t c = pred_value(r, w, i, 2);

		m = bool_op(f->op[0], m, c);
		up = bool_op(f->op[0], up, c);
		poison |= poison_of(w, i->o[3]);
	}
	EACH_LANE(l, act)
	{
		uint32_t v = m >> l & 1 ? pair ? yes & 0xffff : yes : 0;

		lane_put(d, i->d_size, l, v | (pair && up >> l & 1 ? high : 0));
	}
	poison_set(w, i->o[0], act, poison);
}

void
exec_selp(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const void *a = src_at(r, w, i->o[1]), *b = src_at(r, w, i->o[2]);
	uint32_t c = pred_value(r, w, i, 2);
	uint64_t yes = c | (uint64_t)c << 32;
	void *d = dst_at(w, i->o[0]);
	union lanes v;

	if (i->d_size == 4) {
		for (unsigned l = 0; l < 32; l++)
			v.w[l] = c >> l & 1 ? ((const uint32_t *)a)[l] : ((const uint32_t *)b)[l];
	} else if (i->d_size == 8) {
		for (unsigned l = 0; l < 32; l++)
			v.d[l] = c >> l & 1 ? ((const uint64_t *)a)[l] : ((const uint64_t *)b)[l];
	} else {
		for (unsigned l = 0; l < 32; l++)
			v.h[l] = c >> l & 1 ? ((const uint16_t *)a)[l] : ((const uint16_t *)b)[l];
	}
	uint64_t p = poison_of(w, i->o[3]) | (poison_of(w, i->o[1]) & yes) |
		     (poison_of(w, i->o[2]) & ~yes);

	put_lanes(d, &v, i->d_size, act);
	poison_set(w, i->o[0], act, p);
}

/* Returns a mask in both halves of poison. */
static inline uint64_t
both(uint32_t m)
{
	return m | (uint64_t)m << 32;
}

void
exec_pred(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	uint32_t a = pred_value(r, w, i, 0), b;
	uint64_t pa = poison_of(w, i->o[1]), pb;

	if (i->n_src == 1) {
		pred_set(w, i->o[0], act, i->form->row->name[0] == 'n' ? ~a : a, pa);
		return;
	}
	b = pred_value(r, w, i, 1);
	pb = poison_of(w, i->o[2]);
	/* A defined operand that determines the result alone removes the other's poison. */
	switch (i->form->row->name[0]) {
	case 'a':
		pred_set(w, i->o[0], act, a & b,
			 (pa & ~both(~b & ~(uint32_t)pb)) | (pb & ~both(~a & ~(uint32_t)pa)));
		break;
	case 'o':
		pred_set(w, i->o[0], act, a | b,
			 (pa & ~both(b & ~(uint32_t)pb)) | (pb & ~both(a & ~(uint32_t)pa)));
		break;
	default: pred_set(w, i->o[0], act, a ^ b, pa | pb); break;
	}
}

/* -- Moves -------------------------------------------------------------------------------- */

void
exec_special(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	uint64_t t = clock_ns(), v;
	void *d = dst_at(w, i->o[0]);

	(void)r;
	switch (i->imm) {
	case SR_clock64:
	case SR_clock: v = w->clock; break;
	case SR_clock_hi: v = w->clock >> 32; break;
	case SR_globaltimer_hi: v = t >> 32; break;
	default: v = t; break;
	}
	EACH_LANE(l, act)
	lane_put(d, i->d_size, l, v);
	poison_set(w, i->o[0], act, 0);
}

void
exec_pack(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	unsigned size = ptx_type[i->form->type[0]].size, part = size / i->n_vec;
	void *d = dst_at(w, i->o[0]);
	uint64_t p = 0;

	for (unsigned k = 0; k < i->n_vec; k++)
		p |= poison_of(w, i->o[1 + k]);
	EACH_LANE(l, act)
	{
		uint64_t v = 0;

		for (unsigned k = 0; k < i->n_vec; k++)
			v |= lane_value(src_at(r, w, i->o[1 + k]), part, l) << 8 * part * k;
		lane_put(d, size, l, v);
	}
	poison_set(w, i->o[0], act, p);
}

void
exec_unpack(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	unsigned size = ptx_type[i->form->type[0]].size, part = size / i->n_vec;
	const void *a = src_at(r, w, i->o[i->n_dst]);
	uint64_t p = poison_of(w, i->o[i->n_dst]);
	union lanes v;

	/* A part may be in the register of the source. */
	memcpy(&v, a, 32 * (size_t)size);
	for (unsigned k = 0; k < i->n_vec; k++) {
		void *d;

		if (i->o[k].slot == NO_SLOT)
			continue;
		d = dst_at(w, i->o[k]);
		EACH_LANE(l, act)
		lane_put(d, part, l, lane_value(&v, size, l) >> 8 * part * k);
		poison_set(w, i->o[k], act, p);
	}
}

static uint64_t
window_of(unsigned space)
{
	return space == SPACE_SHARED ? SHARED_WINDOW : space == SPACE_LOCAL ? LOCAL_WINDOW : 0;
}

void
exec_cvta(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const void *a = src_at(r, w, i->o[1]);
	void *d = dst_at(w, i->o[0]);
	uint64_t window = window_of(i->form->space);

	if (i->flags & F_TO)
		window = -window;
	EACH_LANE(l, act)
	lane_put(d, i->d_size, l, lane_value(a, i->d_size, l) + window);
	poison_set(w, i->o[0], act, poison_of(w, i->o[1]));
}

void
exec_isspace(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const void *from = src_at(r, w, i->o[1]);
	unsigned space = i->form->space;
	uint32_t m = 0;

	EACH_LANE(l, act)
	{
		uint64_t a = lane_value(from, i->s_size, l), window = a & WINDOW_MASK;
		bool in = window == SHARED_WINDOW  ? space == SPACE_SHARED
			  : window == LOCAL_WINDOW ? space == SPACE_LOCAL
						   : space == SPACE_GLOBAL;

		for (const struct gvar *g = r->m->vars; g; g = g->next)
			if (g->is_const && a - g->addr < g->size)
				in = space == SPACE_CONST;
		m |= (uint32_t)in << l;
	}
	pred_set(w, i->o[0], act, m, poison_of(w, i->o[1]));
}
