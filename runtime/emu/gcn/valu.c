/* Vector arithmetic: an operation over the lanes of exec, with modifiers and DPP. */
#include "taint.h"
#include "wave.h"

static bool
is_mask(const struct gcn_view *o)
{
	return o->kind.bank == BANK_M || o->kind.bank == BANK_VCC || o->kind.bank == BANK_EXEC;
}

static bool
is_dst(const struct gcn_view *o)
{
	return o->field == GCN_F_VDST || o->field == GCN_F_Y_VDST || o->field == GCN_F_SDST;
}

static void
add_view(struct part *p, const struct gcn_view *o, bool first)
{
	if (is_mask(o)) {
		bool out = is_dst(o) || (o->field == GCN_F_NONE && first);
		*(out ? &p->mask_out : &p->mask_in) = o;
	} else if (is_dst(o)) {
		p->dst = o;
	} else if (p->n_src < 3) {
		p->src[p->n_src++].o = o;
		p->floats |= gcn_is_float(o->kind.type);
	}
}

/* -- Sources -------------------------------------------------------------------------------- */

/* Returns whether the first source is a float, and so the second; in e32 forms only the first has
 * a type. */
static bool
reads_floats(const struct insn *i)
{
	for (unsigned k = 0; k < i->n_view; k++)
		if (i->view[k].src == 0)
			return gcn_is_float(i->view[k].kind.type);
	return false;
}

static bool
is_16(unsigned type)
{
	return type == T_F16 || type == T_BF16 || type == T_B16;
}

/* Returns the part of a register that SDWA reads: a byte, a word or all of it. */
static uint64_t
selected(uint64_t v, unsigned sel, bool sign)
{
	unsigned bits = sel < 4 ? 8 : sel < 6 ? 16 : 32;
	uint32_t x = (uint32_t)v >> (sel < 4 ? 8 * sel : sel < 6 ? 16 * (sel - 4) : 0);
	uint32_t ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

	x &= ones;
	return sign && x >> (bits - 1) & 1 ? x | ~ones : x;
}

static bool
read_source(struct run *r, const struct wave *w, const struct insn *i, const struct gcn_view *o,
	    unsigned k, unsigned lane, uint64_t *v, uint64_t *undef)
{
	struct gcn_view whole = *o;
	unsigned sel, sign;

	if (i->in.form != GCN_FORM_SDWA || o->src < 0 || k > 1)
		return amd_source(r, w, i, o, lane, v, undef);
	sel = i->in.field[k ? GCN_F_SEL_1 : GCN_F_SEL_0];
	sign = i->in.field[k ? GCN_F_SEXT1 : GCN_F_SEXT0];
	whole.kind.type = is_16(o->kind.type) ? T_B32 : o->kind.type;
	if (!amd_source(r, w, i, &whole, lane, v, undef))
		return false;
	*v = selected(*v, sel, sign);
	*undef = selected(*undef, sel, sign);
	return true;
}

/* Sets the source's modifiers: bits to keep, then bits to invert. */
static void
modify(const struct insn *i, struct source *s, unsigned n)
{
	unsigned format = gcn_rows[i->in.row].format, bits = s->o->kind.n == 2 ? 64 : 32;
	uint64_t mods = gcn_row_mods(&gcn_rows[i->in.row]), sign;
	const uint32_t *f = i->in.field;
	bool neg = false, abs = false;

	s->keep = UINT64_MAX;
	if (s->o->src < 0)
		return;
	if (is_16(s->o->kind.type))
		bits = 16;
	if (format == GCN_VOP3) {
		neg = (mods & M_NEG0 << n) && (f[GCN_F_NEG] >> n & 1);
		abs = (mods & M_ABS0 << n) && (f[GCN_F_ABS] >> n & 1);
	} else if (i->in.form && i->in.form != GCN_FORM_DPP8 && n < 2 &&
		   (gcn_is_float(s->o->kind.type) || (mods & M_NEG0 << n) || format == GCN_VOP2) &&
		   reads_floats(i)) {
		neg = f[n ? GCN_F_X_NEG1 : GCN_F_X_NEG0];
		abs = f[n ? GCN_F_X_ABS1 : GCN_F_X_ABS0];
	}
	sign = UINT64_C(1) << (bits - 1);
	s->keep = abs ? ~sign : UINT64_MAX;
	s->flip = neg ? sign : 0;
}

static bool
is_constant(const struct gcn_view *o)
{
	return o->v == GCN_LITERAL || (o->v >= 128 && o->v <= 208) || (o->v >= GCN_FLOATS && o->v <= GCN_INV_2PI);
}

/* Sets the type of 16-bit operands, and the bank, which determines how their half is selected. An
 * e32 form states only the type of its first source. */
static void
find_halves(const struct gcn_target *t, struct insn *i)
{
	const struct gcn_row *row = &gcn_rows[i->in.row];
	unsigned sel = row->format == GCN_VOP3 ? gcn_sel_bits(t, row) : 0, known = 0, type = T_NONE;
	bool tied = i->fx.flags & E(TIED);

	for (unsigned k = 0; k < i->n_view; k++)
		if (i->view[k].src == 0 && is_16(i->view[k].kind.type))
			type = i->view[k].kind.type;
	for (unsigned k = 0; k < i->n_view; k++) {
		struct gcn_view *o = &i->view[k];
		unsigned bit = o->src >= 0 ? 1u << o->src : o->field == GCN_F_VDST ? 8 : 0;
		if (o->kind.bank == BANK_V && o->kind.n == 1 && !o->kind.type &&
		    (o->src > 0 || (tied && bit == 8)))
			o->kind.type = (uint8_t)type;
		if ((sel & bit) && o->kind.bank == BANK_VS && is_16(o->kind.type))
			o->kind.bank = BANK_VSH;
		if ((sel & bit) && o->kind.bank == BANK_V)
			o->kind.bank = BANK_VH;
		known |= (o->kind.bank == BANK_VSH || o->kind.bank == BANK_VH) && !is_constant(o) ? bit : 0;
	}
	if (row->format != GCN_VOP3 || (gcn_row_mods(row) & M_VOP3B))
		return;
	/* With register halves, a bit of no source changes what the others mean. */
	if (!sel || !(t->features & GCN_TRUE16))
		i->in.field[GCN_F_OPSEL] &= sel;
	i->odd_select = i->in.field[GCN_F_OPSEL] & ~known;
	/* Before gfx10 a result clears the other half, unless its own can be selected. LLVM:
	 * GCNSubtarget::zeroesHigh16BitsOfDest. */
	i->keeps_half = sel & 8;
}

/* Assigns the operands to the parts; the second part begins at its destination. */
void
amd_valu_decode(const struct gcn_target *t, struct insn *i)
{
	struct part *part = i->part;

	find_halves(t, i);
	i->keeps_half |= (i->fx.flags & E(TIED)) || i->in.row == GCN_v_madak_f16 || i->in.row == GCN_v_madmk_f16;
	i->n_part = 1;
	part[0].sem = i->sem;
	part[1].sem = i->sem_y;
	for (unsigned k = 0; k < i->n_view; k++) {
		const struct gcn_view *o = &i->view[k];
		if (o->field == GCN_F_Y_VDST)
			i->n_part = 2;
		add_view(&part[i->n_part - 1], o, k < 2);
	}
	for (unsigned k = 0; k < i->n_part; k++) {
		struct part *p = &part[k];
		uint64_t flags = gcn_props_of(k ? i->row_y : i->in.row).flags;
		p->tied = flags & E(TIED);
		p->wants_mask = p->mask_in || (flags & (E(LANE_MASK) | E(DIV_FMAS)));
		if (p->tied && p->dst && p->n_src < 3)
			p->src[p->n_src++] = (struct source){ .o = p->dst, .keep = UINT64_MAX, .tied = true };
		for (unsigned n = 0; n < p->n_src; n++)
			if (!p->src[n].tied)
				modify(i, &p->src[n], n);
	}
}

enum lane_state { LANE_RUNS, LANE_KEEPS, LANE_STOPS };

/* For DPP: *from is the lane of the first source, or *zero is set. */
static enum lane_state
moved(struct run *r, const struct wave *w, const struct insn *i, unsigned lane, unsigned *from,
      bool *zero)
{
	bool known, fetch = i->in.form == GCN_FORM_DPP8 ? i->in.field[GCN_F_SRC0] == 234
							: i->in.field[GCN_F_FI];
	int at = amd_dpp_lane(r, i, lane, &known);

	*from = lane;
	if (!known) {
		amd_find(r, w, i, lane, "this pattern of lanes is not emulated");
		return LANE_STOPS;
	}
	if (i->in.form == GCN_FORM_DPP16 && (!(i->in.field[GCN_F_ROW] >> lane / 16 % 4 & 1) ||
					     !(i->in.field[GCN_F_BANK] >> lane / 4 % 4 & 1)))
		return LANE_KEEPS;
	if (at >= 0 && !fetch && !(exec_of(r, w) >> at & 1)) {
		amd_find(r, w, i, lane, "the instruction reads lane %d, which is inactive", at);
		return LANE_STOPS;
	}
	*zero = at < 0;
	if (at < 0)
		return i->in.field[GCN_F_BC] ? LANE_RUNS : LANE_KEEPS;
	*from = (unsigned)at;
	return LANE_RUNS;
}

/* Sources and results of a part by lane. */
struct lanes {
	uint64_t runs; /* lanes that compute: exec without the lanes that DPP disables */
	uint64_t v[3][MAX_LANES], u[3][MAX_LANES];
	struct mask_value in;
	uint64_t d[MAX_LANES], du[MAX_LANES]; /* du: valid if `undefined` */
	struct mask_value out;
	bool half, undefined;
};

static bool
move_lanes(struct run *r, const struct wave *w, const struct insn *i, struct lanes *x,
	   uint8_t from[MAX_LANES], uint64_t *zeros)
{
	*zeros = 0;
	memset(from, 0, MAX_LANES);
	for (uint64_t left = x->runs; left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left), at;
		bool zero = false;
		switch (moved(r, w, i, lane, &at, &zero)) {
		case LANE_KEEPS: x->runs &= ~(UINT64_C(1) << lane); continue;
		case LANE_STOPS: return false;
		default: break;
		}
		from[lane] = (uint8_t)at;
		*zeros |= (uint64_t)zero << lane;
	}
	return true;
}

static bool
read_parts(struct run *r, const struct wave *w, const struct insn *i, struct lanes *x,
	   const struct source *s, unsigned k)
{
	memset(x->v[k], 0, sizeof x->v[k]);
	memset(x->u[k], 0, sizeof x->u[k]);
	for (uint64_t left = x->runs; left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		if (!read_source(r, w, i, s->o, k, lane, &x->v[k][lane], &x->u[k][lane]))
			return false;
	}
	return true;
}

/* Reads all lanes, which is faster; values of inactive lanes are not used. */
static bool
read_rows(struct run *r, const struct wave *w, const struct insn *i, struct lanes *x,
	  const struct gcn_view *o, unsigned k)
{
	uint64_t *v = x->v[k], *u = x->u[k], v0, u0;
	unsigned reg, shift;
	uint32_t bits;

	if (!amd_is_row(o)) {
		if (!amd_source(r, w, i, o, 0, &v0, &u0))
			return false;
		for (unsigned lane = 0; lane < MAX_LANES; lane++) {
			v[lane] = v0;
			u[lane] = u0;
		}
		return true;
	}
	reg = amd_register_of(o);
	if (o->kind.n == 2) {
		for (unsigned lane = 0; lane < MAX_LANES; lane++) {
			v[lane] = w->v[reg][lane] | (uint64_t)w->v[reg + 1][lane] << 32;
			u[lane] = w->vu[reg][lane] | (uint64_t)w->vu[reg + 1][lane] << 32;
		}
		return true;
	}
	shift = amd_is_half(o) ? amd_shift_of(i, o) : 0;
	bits = amd_is_half(o) ? 0xffff : UINT32_MAX;
	for (unsigned lane = 0; lane < MAX_LANES; lane++) {
		v[lane] = w->v[reg][lane] >> shift & bits;
		u[lane] = w->vu[reg][lane] >> shift & bits;
	}
	return true;
}

static void
fetch_moved(struct lanes *x, const uint8_t from[MAX_LANES], uint64_t zeros)
{
	uint64_t v[MAX_LANES], u[MAX_LANES];

	memcpy(v, x->v[0], sizeof v);
	memcpy(u, x->u[0], sizeof u);
	for (uint64_t left = x->runs; left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		bool zero = zeros >> lane & 1;
		x->v[0][lane] = zero ? 0 : v[from[lane]];
		x->u[0][lane] = zero ? 0 : u[from[lane]];
	}
}

static bool
read_lanes(struct run *r, const struct wave *w, const struct insn *i, const struct part *p,
	   struct lanes *x)
{
	bool moves = i->in.form == GCN_FORM_DPP16 || i->in.form == GCN_FORM_DPP8, ok;
	uint8_t from[MAX_LANES];
	uint64_t zeros = 0;

	x->runs = exec_of(r, w);
	x->in = (struct mask_value){ 0, 0 };
	if (p->wants_mask)
		x->in = amd_mask(r, w, p->mask_in ? p->mask_in->v : GCN_VCC);
	if (moves && !move_lanes(r, w, i, x, from, &zeros))
		return false;
	for (unsigned k = 0; k < p->n_src && x->runs; k++) {
		const struct source *s = &p->src[k];
		ok = i->in.form == GCN_FORM_SDWA && !s->tied ? read_parts(r, w, i, x, s, k)
							      : read_rows(r, w, i, x, s->o, k);
		if (!ok)
			return false;
		if (moves && !k)
			fetch_moved(x, from, zeros);
		if (~s->keep | s->flip)
			for (unsigned lane = 0; lane < MAX_LANES; lane++)
				x->v[k][lane] = (x->v[k][lane] & s->keep) ^ s->flip;
	}
	return true;
}

/* -- Results --------------------------------------------------------------------------------- */

static unsigned
format_of(const struct insn *i)
{
	return gcn_rows[i->in.row].format;
}

/* Sets the mode, and the modifiers of the result. */
void
amd_op_modes(struct op *o, const struct run *r, const struct wave *w, const struct insn *i)
{
	bool two_words = format_of(i) == GCN_VOP3, sdwa = i->in.form == GCN_FORM_SDWA && format_of(i) != GCN_VOPC;
	const uint32_t *f = i->in.field;
	uint64_t mods = gcn_row_mods(&gcn_rows[i->in.row]);

	*o = (struct op){ .ieee = w->mode >> 9 & 1, .mode = w->mode, .seed = r->l->seed };
	if (two_words || format_of(i) == GCN_VOP3P)
		o->clamp = f[GCN_F_CLAMP];
	else if (sdwa)
		o->clamp = f[GCN_F_X_CLAMP];
	if (two_words && (mods & M_OMOD))
		o->omod = (uint8_t)f[GCN_F_OMOD];
	else if (sdwa)
		o->omod = (uint8_t)f[GCN_F_X_OMOD];
	if (i->in.row == GCN_v_dot4_i32_iu8)
		o->table = (uint8_t)f[GCN_F_NEG_LO]; /* the signs of the factors */
	if (mods & M_BITOP3)
		o->table = (uint8_t)(f[GCN_F_NEG] | f[GCN_F_ABS] << 3 | f[GCN_F_OMOD] << 6);
}

/* Returns whether the instruction's modes and modifiers are supported here. */
static bool
modeled(struct run *r, const struct wave *w, const struct insn *i, const struct part *p)
{
	enum { NOT_NEAREST = 15 };

	if (i->in.form == GCN_FORM_SDWA && p->dst && i->in.field[GCN_F_DSTSEL] == 7)
		return amd_find(r, w, i, NO_LANE, "this part of a register is not emulated");
	if (p->floats && p->sem->taint != CHOOSE && (w->mode & NOT_NEAREST))
		return amd_find(r, w, i, NO_LANE, "float mode 0x%x is not emulated",
				w->mode & 0xff);
	if (i->odd_select)
		return amd_find(r, w, i, NO_LANE, "this op_sel is not emulated");
	return true;
}

/* Returns whether a source of an active lane has undefined bits. */
static bool
any_undefined(const struct lanes *x, unsigned n_src, unsigned n_lanes)
{
	uint64_t any = 0;

	for (unsigned k = 0; k < n_src; k++)
		for (unsigned lane = 0; lane < n_lanes; lane += 4)
			any |= x->u[k][lane] | x->u[k][lane + 1] | x->u[k][lane + 2] | x->u[k][lane + 3];
	if (!any)
		return x->in.undef != 0;
	any = x->in.undef;
	for (unsigned k = 0; k < n_src; k++)
		for (uint64_t left = x->runs; left; left &= left - 1)
			any |= x->u[k][qd_lowest_bit(left)];
	return any != 0;
}

static bool
compute(struct run *r, struct wave *w, const struct insn *i, const struct part *p, struct lanes *x)
{
	bool undefined = any_undefined(x, p->n_src, wave_size(r)), out_undef;
	op_fn *fn = p->sem->fn;
	unsigned n = p->n_src;
	struct op o;

	amd_op_modes(&o, r, w, i);
	x->out = (struct mask_value){ 0, 0 };
	x->undefined = undefined;
	for (uint64_t left = x->runs; left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		o.s[0] = n > 0 ? x->v[0][lane] : 0;
		o.s[1] = n > 1 ? x->v[1][lane] : 0;
		o.s[2] = n > 2 ? x->v[2][lane] : 0;
		o.d = 0;
		o.out = false;
		o.in = x->in.bits >> lane & 1;
		o.lane = lane;
		fn(&o);
		if (QD_UNLIKELY(undefined)) {
			uint64_t u[3] = { 0 };
			for (unsigned k = 0; k < n; k++)
				u[k] = x->u[k][lane];
			x->du[lane] = amd_taint(p->sem, &o, u, x->in.undef >> lane & 1, &out_undef);
			x->out.undef |= (uint64_t)out_undef << lane;
		}
		if (QD_UNLIKELY(o.cannot != NULL)) {
			if (!undefined || !x->du[lane])
				return amd_find(r, w, i, lane, "%s is not emulated", o.cannot);
			o.cannot = NULL;
		}
		x->d[lane] = o.d;
		x->out.bits |= (uint64_t)o.out << lane;
	}
	x->half = o.half;
	if (p->dst && !o.half && amd_shift_of(i, p->dst) && x->runs)
		return amd_find(r, w, i, NO_LANE,
				"a result in the upper half of a register is not emulated");
	/* The clamp of a comparison only signals NaNs. */
	return !o.clamp || o.clamped || !p->dst || !x->runs ||
	       amd_find(r, w, i, NO_LANE, "this clamp is not emulated");
}

/* Writes the part of a register that SDWA selects; the other bits are zero, the sign, or kept. */
static void
put_part(struct wave *w, const struct insn *i, const struct gcn_view *dst, unsigned lane,
	 uint64_t d, uint64_t du)
{
	unsigned sel = i->in.field[GCN_F_DSTSEL], rest = i->in.field[GCN_F_DSTU];
	unsigned bits = sel < 4 ? 8 : 16, at = sel < 4 ? 8 * sel : 16 * (sel - 4);
	uint32_t ones = ((1u << bits) - 1) << at, *v = &w->v[vector_of(dst->v)][lane];
	uint32_t *undef = &w->vu[vector_of(dst->v)][lane], above = ~ones & ~((1u << at) - 1);
	uint32_t part = (uint32_t)d << at & ones, none = (uint32_t)du << at & ones;

	if (rest == 2) {
		part |= *v & ~ones;
		none |= *undef & ~ones;
	} else if (rest == 1) {
		part |= d >> (bits - 1) & 1 ? above : 0;
		none |= du >> (bits - 1) & 1 ? above : 0;
	}
	*v = part;
	*undef = none;
}

static void
put_mask(const struct run *r, struct wave *w, const struct insn *i, const struct part *p,
	 struct mask_value m)
{
	if (p->mask_out)
		amd_set_mask(r, w, p->mask_out->v, m);
	if (!p->dst && (!p->mask_out || (gcn_props_of(i->in.row).writes >> X_EXEC & 1)))
		amd_set_mask(r, w, GCN_EXEC, m);
}

static void
put_lanes(struct run *r, struct wave *w, const struct insn *i, const struct gcn_view *dst,
	  const struct lanes *x)
{
	bool part = i->in.form == GCN_FORM_SDWA && i->in.field[GCN_F_DSTSEL] != 6;
	unsigned reg = amd_register_of(dst);

	for (uint64_t left = part || x->half ? x->runs : 0; left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		uint64_t du = x->undefined ? x->du[lane] : 0;
		if (part)
			put_part(w, i, dst, lane, x->d[lane], du);
		else
			amd_set_vector(r, i, w, dst, lane, x->d[lane], du, true);
	}
	if (part || x->half)
		return;
	for (unsigned k = 0; k < dst->kind.n && k < 2; k++) {
		uint32_t *v = w->v[reg + k], *undef = w->vu[reg + k];
		for (uint64_t left = x->runs; left; left &= left - 1) {
			unsigned lane = qd_lowest_bit(left);
			v[lane] = (uint32_t)(x->d[lane] >> 32 * k);
			undef[lane] = x->undefined ? (uint32_t)(x->du[lane] >> 32 * k) : 0;
		}
	}
}

bool
amd_valu(struct run *r, struct wave *w, const struct insn *i)
{
	const struct part *part = i->part;
	struct mask_value m = { 0, 0 };
	struct lanes x[2];

	for (unsigned k = 0; k < i->n_part; k++)
		if (!modeled(r, w, i, &part[k]))
			return false;
	/* All parts read their sources before results are written. */
	for (unsigned k = 0; k < i->n_part; k++)
		if (!read_lanes(r, w, i, &part[k], &x[k]) || !compute(r, w, i, &part[k], &x[k]))
			return false;
	for (unsigned k = 0; k < i->n_part; k++) {
		if (part[k].dst)
			put_lanes(r, w, i, part[k].dst, &x[k]);
		m.bits |= x[k].out.bits;
		m.undef |= x[k].out.undef;
	}
	if (part[0].mask_out || !part[0].dst)
		put_mask(r, w, i, &part[0], m);
	return true;
}
