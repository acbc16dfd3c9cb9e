/* Scalar instructions and branches. */
#include "taint.h"
#include "wave.h"

#include "effect.h"

static bool
writes_scc(const struct insn *i)
{
	return gcn_props_of(i->in.row).writes >> X_SCC & 1;
}

/* Returns the destination; sets the sources in their order. Values read from the destination come
 * first. */
static const struct gcn_view *
sources(const struct insn *i, const struct gcn_view *src[3], unsigned *n)
{
	bool old = i->fx.flags & (E(TIED) | E(DST_READ) | E(KEEPS));
	const struct gcn_view *dst = NULL;

	*n = 0;
	for (unsigned k = 0; k < i->n_view; k++) {
		const struct gcn_view *o = &i->view[k];
		if (o->field == GCN_F_SDST && !(i->fx.flags & E(DST_READ)))
			dst = o;
		if ((o->field != GCN_F_SDST || old) && *n < 3)
			src[(*n)++] = o;
	}
	return dst;
}

static bool
compute(struct run *r, struct wave *w, const struct insn *i, struct op *o, uint64_t u[3],
	const struct gcn_view **dst)
{
	const struct gcn_view *src[3];
	unsigned n;

	*dst = sources(i, src, &n);
	for (unsigned k = 0; k < n; k++) {
		if (!amd_scalar(r, w, i, src[k], &o->s[k], &u[k]))
			return false;
		if (i->sem->flags & F_HI) {
			o->s[k] >>= 16;
			u[k] >>= 16;
		} else if (i->sem->flags & F_D16) {
			o->s[k] &= 0xffff;
			u[k] &= 0xffff;
		}
	}
	o->in = w->scc;
	i->sem->fn(o);
	return true;
}

static void
set_scc(struct wave *w, const struct op *o, uint64_t du, bool out_undef, unsigned taint)
{
	w->scc = o->out;
	if (taint >= BITS && taint <= BITS12) /* scc is whether the result is nonzero */
		out_undef = du && !(o->d & ~du);
	w->scc_undef = out_undef;
}

bool
amd_salu(struct run *r, struct wave *w, const struct insn *i)
{
	bool reads = gcn_props_of(i->in.row).reads >> X_SCC & 1, out_undef;
	enum { NOT_NEAREST = 15 };
	const struct gcn_view *dst;
	uint64_t u[3] = { 0 }, du;
	struct op o = { .ieee = w->mode >> 9 & 1, .mode = w->mode, .seed = r->l->seed };

	if ((gcn_props_of(i->in.row).reads >> X_MODE & 1) &&
	    (w->mode & NOT_NEAREST))
		return amd_find(r, w, i, NO_LANE, "float mode 0x%x is not emulated",
				w->mode & 0xff);
	if (!compute(r, w, i, &o, u, &dst))
		return false;
	du = amd_taint(i->sem, &o, u, reads && w->scc_undef, &out_undef);
	if (o.half)
		du |= 0xffff0000; /* the guides do not define the upper half */
	if (o.cannot && !du)
		return amd_find(r, w, i, NO_LANE, "%s is not emulated", o.cannot);
	if (dst)
		amd_set_scalar(r, w, dst->v, dst->kind.n, o.d, du);
	if (dst && dst->kind.n == 1)
		du = (uint32_t)du;
	if (writes_scc(i))
		set_scc(w, &o, du, out_undef, i->sem->taint);
	return true;
}

/* s_setreg_b32: only the address of scratch on gfx10 is modeled. */
bool
amd_setreg(struct run *r, struct wave *w, const struct insn *i)
{
	enum { FLAT_SCR_LO = 20, FLAT_SCR_HI, ALL_BITS = 31 << 11 };
	unsigned hwreg = i->in.field[GCN_F_SIMM] & 63, reg = i->in.field[GCN_F_SDST];

	if (r->t->gen != GCN_G10 || hwreg < FLAT_SCR_LO || hwreg > FLAT_SCR_HI || (i->in.field[GCN_F_SIMM] & 0xffc0) != ALL_BITS ||
	    reg >= N_SCALAR)
		return amd_find(r, w, i, NO_LANE, "writes to hardware register %u are not emulated", hwreg);
	w->scratch_addr[hwreg - FLAT_SCR_LO] = w->s[reg];
	w->scratch_undef[hwreg - FLAT_SCR_LO] = w->su[reg];
	return true;
}

/* v_s_exp_f32 and similar: a vector instruction whose operands are scalar; exec has no effect. */
bool
amd_pseudo_scalar(struct run *r, struct wave *w, const struct insn *i)
{
	const struct gcn_view *dst = &i->view[0], *src = &i->view[1];
	bool half = src->kind.type == T_F16, none;
	uint64_t u[3] = { 0 }, du, sign = half ? 0x8000 : 0x80000000;
	struct op o;

	amd_op_modes(&o, r, w, i);
	if (!amd_scalar(r, w, i, src, &o.s[0], &u[0]))
		return false;
	if (half) {
		o.s[0] &= 0xffff;
		u[0] &= 0xffff;
	}
	o.s[0] &= i->in.field[GCN_F_ABS] & 1 ? ~sign : UINT64_MAX;
	o.s[0] ^= i->in.field[GCN_F_NEG] & 1 ? sign : 0;
	i->sem->fn(&o);
	du = amd_taint(i->sem, &o, u, false, &none);
	if (o.cannot && !du)
		return amd_find(r, w, i, NO_LANE, "%s is not emulated", o.cannot);
	amd_set_scalar(r, w, dst->v, 1, o.d, half ? du | 0xffff0000 : du);
	return true;
}

/* Writes the old exec to the destination and the result to exec. */
static bool
save_exec(struct run *r, struct wave *w, const struct insn *i)
{
	struct op o = { 0 };
	uint64_t u[3] = { 0 }, du;
	unsigned n = i->view[0].kind.n;
	struct mask_value exec = { w->s[GCN_EXEC], w->su[GCN_EXEC] };
	bool out_undef;

	if (n == 2) {
		exec.bits |= (uint64_t)w->s[GCN_EXEC + 1] << 32;
		exec.undef |= (uint64_t)w->su[GCN_EXEC + 1] << 32;
	}
	if (!amd_scalar(r, w, i, &i->view[1], &o.s[0], &u[0]))
		return false;
	o.s[1] = exec.bits;
	u[1] = exec.undef;
	i->sem->fn(&o);
	du = amd_taint(i->sem, &o, u, false, &out_undef);
	amd_set_scalar(r, w, i->view[0].v, n, exec.bits, exec.undef);
	amd_set_scalar(r, w, GCN_EXEC, n, o.d, du);
	set_scc(w, &o, n == 1 ? (uint32_t)du : du, out_undef, BITS);
	return true;
}

static bool
jump(struct run *r, struct wave *w, const struct insn *i, uint64_t addr)
{
	uint64_t at = (addr - r->l->code_addr) / 4;

	if ((addr & 3) || addr < r->l->code_addr || at >= r->l->code->n_words ||
	    r->l->code->place[at] == NOWHERE)
		return amd_find(r, w, i, NO_LANE,
				"no instruction begins at the branch target 0x%llx",
				(unsigned long long)addr);
	w->pc = r->l->code->place[at];
	return true;
}

static bool
counter(struct run *r, struct wave *w, const struct insn *i)
{
	uint64_t to = 0, undef = 0, here = r->l->code_addr + 4 * (uint64_t)i->next;
	bool link = i->fx.flags & E(LINK), goes = i->fx.class == CL_BRANCH;

	if (goes && !amd_scalar(r, w, i, &i->view[i->n_view - 1], &to, &undef))
		return false;
	if (undef)
		return amd_find(r, w, i, NO_LANE, "the address is undefined");
	if (link || !goes)
		amd_set_scalar(r, w, i->view[0].v, 2, here, 0);
	return !goes || jump(r, w, i, to);
}

static bool
branch(struct run *r, struct wave *w, const struct insn *i)
{
	uint8_t reads = gcn_props_of(i->in.row).reads;
	struct op o = { .in = w->scc };
	bool undef = (reads >> X_SCC & 1) && w->scc_undef;

	if (reads & (1 << X_VCC | 1 << X_EXEC)) {
		struct mask_value m = amd_mask(r, w, reads >> X_VCC & 1 ? GCN_VCC : GCN_EXEC);
		o.in = m.bits != 0;
		undef = m.undef && !(m.bits & ~m.undef);
	}
	if (undef)
		return amd_find(r, w, i, NO_LANE, "the condition is undefined");
	i->sem->fn(&o);
	if (!o.out)
		return true;
	if (i->target == NOWHERE)
		return amd_find(r, w, i, NO_LANE, "no instruction begins at the branch target");
	w->pc = i->target;
	return true;
}

bool
amd_control(struct run *r, struct wave *w, const struct insn *i)
{
	switch (i->sem->unit) {
	case U_SAVE: return save_exec(r, w, i);
	case U_PC: return counter(r, w, i);
	default: return branch(r, w, i);
	}
}
