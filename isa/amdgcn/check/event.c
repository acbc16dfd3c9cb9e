/* Classifies a line of code for the rules of hazard.def: its events and the registers
 * that they concern. */
#include "rule.h"

#include "table.h"
#include "wait.h"

#include <assert.h>

const struct gcn_happening gcn_happenings[N_EVENT] = {
#define EVENT(id, classes, any, none, traits)  { classes, any, none, traits },
#define ENDING(id, classes, any, none, traits) { classes, any, none, traits },
#include "hazard.def"
};
static_assert(N_END <= 64, "events that end a step are bits of a mask");
static_assert(GCN_N_ROW < 1 << 14, "row and form have 16 bits together");

const struct gcn_touch gcn_touches[N_TOUCH] = {
#define TOUCH(id, files, access, roles) { files, access, roles },
#include "hazard.def"
};

enum { HWREG_BASE_LO = 20, HWREG_BASE_HI }; /* gfx12 */
enum { MSG_DEALLOC_VGPRS = 3 }; /* of s_sendmsg, gfx11 and later */

/* Returns the index of the instruction's pass count in the four numbers of a step. */
static unsigned
passes_idx(const struct gcn_target *t, const struct gcn_insn *in)
{
	static const struct {
		uint8_t passes, on_950;
	} table[GCN_N_EFFECT] = {
#define EFFECT(...)
#define MATRIX(id, flags, passes, on_950) [FX_##id] = { passes, on_950 },
#include "effect.def"
	};
	unsigned fx = gcn_rows[in->row].effect, i = 0;
	unsigned n = t->class_bit == C950 ? table[fx].on_950 : table[fx].passes;
	bool wmma = t->gen == GCN_G125;
	unsigned a = wmma ? in->field[GCN_F_OPSEL] & 7 : in->field[GCN_F_CBSZ];
	unsigned b = wmma ? gcn_op_sel_hi(in) : in->field[GCN_F_BLGP];

	if ((gcn_kinds[gcn_shapes[gcn_rows[in->row].shape].op[1].kind].flags & R_F8F6F4) &&
	    (a < 2 || b < 2))
		n *= 2;
	if (wmma) /* dense with 8 and 16 cycles, sparse with 8 and 16 */
		return (n > 8) + (gcn_props_of(in->row).flags & E(SWMMAC) ? 2u : 0u);
	for (; n > 2 && i < 3; n /= 2)
		i++;
	return i;
}

static unsigned
file_of(const struct gcn_range *r)
{
	switch (r->file) {
	case FILE_V: return FV;
	case FILE_A: return FA;
	case FILE_S:
		return r->first == GCN_VCC || r->first == GCN_VCC + 1 ? FVCC
		       : r->first >= GCN_EXEC			      ? FEXEC
								      : FS;
	default: return r->first == X_M0 ? FM0 : 0;
	}
}

bool
gcn_touched(const struct gcn_range *r, const struct gcn_touch *t)
{
	return (file_of(r) & t->files) && (r->access & t->access) && (t->roles >> r->role & 1);
}

static bool
touches_any(const struct gcn_effect *e, unsigned files, unsigned access)
{
	for (unsigned i = 0; i < e->n_range; i++) {
		if ((file_of(&e->range[i]) & files) && (e->range[i].access & access))
			return true;
	}
	return false;
}

static uint32_t
depctr_traits(uint32_t v)
{
	static const struct {
		uint8_t lo, width, trait;
	} field[] = { { 0, 1, T_SA_SDST_0 },
		      { 1, 1, T_VA_VCC_0 },
		      { 2, 3, T_VM_VSRC_0 },
		      { 9, 3, T_VA_SDST_0 },
		      { 12, 4, T_VA_VDST_0 } };
	uint32_t traits = 0;

	for (size_t i = 0; i < QD_COUNT(field); i++) {
		if (!(v >> field[i].lo & ((1u << field[i].width) - 1)))
			traits |= 1u << field[i].trait;
	}
	return traits;
}

unsigned
gcn_scratch_halves(const struct gcn_insn *in, const struct gcn_effect *e, bool written)
{
	unsigned halves = 0, hwreg = in->field[GCN_F_SIMM] & 63;

	for (unsigned i = 0; i < e->n_range; i++) {
		const struct gcn_range *r = &e->range[i];
		if (!written && r->file == FILE_X && r->first == X_FLAT_SCRATCH && r->role != ROLE_IMPLICIT)
			halves |= r->half;
		for (unsigned k = 0; written && k < 2; k++) {
			if (r->file == FILE_S && (r->access & GCN_WRITE) && r->first <= 102 + k &&
			    r->first + r->n > 102 + k)
				halves |= 1u << k;
		}
	}
	if (!written && (e->flags & E(GETREG)) && (hwreg == HWREG_BASE_LO || hwreg == HWREG_BASE_HI))
		halves |= 1u << (hwreg - HWREG_BASE_LO);
	return halves;
}

/* Traits of gfx1250's rules; `all` contains the other traits. */
static uint32_t
traits_of_125(const struct gcn_insn *in, const struct gcn_effect *e, uint32_t all)
{
	enum { STATUS = 2, STATE_PRIV = 4, EXCP_PRIV = 17, EXCP_USER = 18 };
	unsigned hwreg = in->field[GCN_F_SIMM] & 63;
	uint32_t traits = 0;

	if (!gcn_is_dual(gcn_rows[in->row].format))
		traits |= T(ONE_RESULT);
	if ((all & T(SA_SDST_0)) && (all & T(VA_SDST_0)))
		traits |= T(BOTH_SDST_0);
	if (e->class == CL_WAIT && (e->flags & E(DEPCTR)) && !in->field[GCN_F_SIMM])
		traits |= T(IDLE);
	if ((e->flags & E(GETREG)) &&
	    (hwreg == STATUS || hwreg == STATE_PRIV || hwreg == EXCP_PRIV || hwreg == EXCP_USER))
		traits |= T(IDLE_HWREG);
	if (gcn_scratch_halves(in, e, false))
		traits |= T(SCRATCH_BASE);
	if (gcn_scratch_halves(in, e, true))
		traits |= T(BASE_SGPR);
	return traits;
}

/* Returns true for stores of more than 64 bits, including the comparand of a
 * compare-and-swap. Before gfx940, buffer stores count only without an SGPR offset; LLVM 22
 * assumes the same for gfx940 and later, where an MI350X overwrites the data
 * (llvm-project issue 197267). A buffer atomic's data is in the destination operand. */
static bool
is_wide_store(const struct gcn_target *t, const struct gcn_effect *e)
{
	bool wide = false, offset = false;

	for (unsigned i = 0; i < e->n_range; i++) {
		const struct gcn_range *r = &e->range[i];
		wide |= (r->role == ROLE_DATA || r->role == ROLE_DST) && r->n > 2 &&
			(r->access & GCN_READ);
		offset |= r->role == ROLE_OFFSET;
	}
	return wide && (!offset || t->gen == GCN_G94) && (e->flags & E(STORE));
}

/* Returns true if the instruction writes what it reads. An instruction that keeps part of
 * its old destination reads it. For VALU, only vector registers count, and the third
 * source does not: LLVM places sums there whose upper half is undefined. */
static bool
is_self(const struct gcn_effect *e)
{
	for (unsigned i = 0; i < e->n_range; i++) {
		const struct gcn_range *w = &e->range[i];
		if (!(w->access & GCN_WRITE) || (e->class == CL_VALU && w->file == FILE_S))
			continue;
		if (w->access & (GCN_READ | GCN_KEEP))
			return true;
		for (unsigned k = 0; k < e->n_range; k++) {
			const struct gcn_range *r = &e->range[k];
			if ((r->access & GCN_READ) && gcn_overlap(w, r) &&
			    (e->class != CL_VALU || r->role != ROLE_SRC2))
				return true;
		}
	}
	return false;
}

/* Returns true if the result is written to a part of the register only. */
static bool
is_part_dst(const struct gcn_insn *in, const struct gcn_effect *e)
{
	unsigned format = gcn_rows[in->row].format;

	if (in->form == GCN_FORM_SDWA)
		return format != GCN_VOPC && in->field[GCN_F_DSTSEL] != 6;
	if (e->flags & E(PART_DST))
		return true;
	if (format != GCN_VOP3 || (gcn_row_mods(&gcn_rows[in->row]) & M_VOP3B))
		return false;
	return in->field[GCN_F_OPSEL] & (e->flags & E(BYTE_DST) ? 12u : 8u);
}

static uint32_t
traits_of(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_hazard_line *l)
{
	const struct gcn_effect *e = &l->effect;
	const struct gcn_row *r = &gcn_rows[in->row];
	uint8_t wait[GCN_N_EVENT];
	uint32_t traits = 0;

	if (in->form == GCN_FORM_DPP16 || in->form == GCN_FORM_DPP8)
		traits |= T(DPP);
	if (r->format != GCN_SOPP)
		traits |= T(NOT_SOPP);
	if (gcn_is_buffer(r->format))
		traits |= T(BUFFER);
	if (e->class == CL_VALU && in->field[GCN_F_SRC0] == 254 && t->gen < GCN_G11)
		traits |= T(LDS_DIRECT);
	if (e->class == CL_MESSAGE && in->field[GCN_F_SIMM] == MSG_DEALLOC_VGPRS)
		traits |= T(DEALLOC);
	if (is_wide_store(t, e))
		traits |= T(WIDE_STORE);
	if (e->class == CL_VALU && is_part_dst(in, e))
		traits |= T(PART_DST);
	if (e->flags & E(DEPCTR))
		traits |= depctr_traits(in->field[GCN_F_SIMM]);
	else if (e->class == CL_WAIT && gcn_wait_limits(t, in, wait)) {
		traits |= wait[EV_DS] == 0 ? T(LGKM_0) : 0;
		traits |= wait[EV_STORE] == 0 && r->format == GCN_SOPK ? T(VSCNT_0) : 0;
		traits |= r->format == GCN_SOPP && !in->field[GCN_F_SIMM] ? T(WAIT_ALL_0) : 0;
	}
	if (e->class == CL_MATRIX && l->passes == 1)
		traits |= T(PASSES_4);
	if (e->class == CL_DS || (e->flags & E(LDS_DMA)))
		traits |= T(LDS);
	if (e->class == CL_BRANCH && in->field[GCN_F_SIMM] == 0x3f && !(e->flags & E(INDIRECT)))
		traits |= T(OFFSET_3F);
	if (touches_any(e, FS | FVCC | FM0 | FV | FA, GCN_WRITE))
		traits |= T(LOADS);
	else
		traits |= T(NO_RESULT);
	if (is_self(e))
		traits |= T(SELF);
	if (touches_any(e, FS | FVCC | FEXEC | FM0, GCN_WRITE))
		traits |= T(WRITES_SGPR);
	if (t->gen == GCN_G125)
		traits |= traits_of_125(in, e, traits);
	return traits;
}

bool
gcn_fits(const struct gcn_hazard_line *l, const struct gcn_happening *e)
{
	return (e->classes >> l->effect.class & 1) && (!e->any || (l->effect.flags & e->any)) &&
	       !(l->effect.flags & e->none) && (!e->traits || (l->traits & e->traits));
}

void
gcn_hazard_events(struct gcn_hazard_line *out)
{
	out->events = 0;
	for (unsigned i = 0; i < N_EVENT && i < 64; i++)
		out->events |= (uint64_t)gcn_fits(out, &gcn_happenings[i]) << i;
}

void
gcn_hazard_traits(const struct gcn_target *t, const struct gcn_line *l,
		  struct gcn_hazard_line *out)
{
	out->traits = traits_of(t, &l->insn, out);
}

void
gcn_hazard_classify(const struct gcn_target *t, const struct gcn_line *l,
		    struct gcn_hazard_line *out)
{
	*out = (struct gcn_hazard_line){ .states = 1 };
	if (l->flags & LINE_UNKNOWN)
		return;
	gcn_effect_of(t, &l->insn, &out->effect);
	if (out->effect.flags & E(NOP))
		out->states = (uint8_t)((l->insn.field[GCN_F_SIMM] & 15) + 1);
	if (out->effect.class == CL_MATRIX)
		out->passes = (uint8_t)passes_idx(t, &l->insn);
	out->opcode = (uint16_t)(l->insn.row | l->insn.form << 14);
	gcn_hazard_traits(t, l, out);
	gcn_hazard_events(out);
}
