/* Classification of instructions for states.def. */
#include "states.h"

#include "table.h"
#include "counter.h"

/* clang-format off */
static const struct state_rule rules[] = {
#define P(kind, regs)			      { KIND_##kind, REGS_##regs }
#define NONE				      { 0 }
#define FIRST(kind, regs, shape, forgotten, by, which) \
	{ KIND_##kind, REGS_##regs, SHAPE_##shape, forgotten, { KIND_##by, REGS_##which } }
#define OVER(kind, regs, shape)		      { KIND_##kind, REGS_##regs, SHAPE_##shape }
#define STATE(name, targets, wave, first, earlier, later, unit, need, resolved, over, remedy, what, source) \
	{ #name, targets, wave, first, earlier, later, UNIT_##unit, need, resolved, over, remedy, what, source },
#include "states.def"
#undef P
#undef NONE
#undef FIRST
#undef OVER
};
/* clang-format on */

void
amd_states_of(const struct gcn_target *t, struct state_rules *out)
{
	out->n = 0;
	for (size_t i = 0; i < QD_COUNT(rules); i++)
		if ((rules[i].targets & t->class_bit) &&
		    (!rules[i].wave || rules[i].wave == t->wave))
			out->rule[out->n++] = &rules[i];
}

/* -- Registers ----------------------------------------------------------------------------- */

enum {
	SGPRS = 1,
	VCC = 2,
	EXEC = 4,
	M0 = 8,
	VECTORS = 16,
	ACCS = 32,
	SGPR = SGPRS | VCC,
	SCALARS = SGPR | EXEC | M0
};
#define ROLE(x) (1u << ROLE_##x)

/* clang-format off */
static const struct {
	uint8_t files, access;
	uint32_t roles;
} which[] = {
	[REGS_W_VECTOR] = { VECTORS, GCN_WRITE, ~0u },
	[REGS_W_ANY_VECTOR] = { VECTORS | ACCS, GCN_WRITE, ~0u },
	[REGS_R_VECTOR] = { VECTORS, GCN_READ, ~0u },
	[REGS_R_VECTOR0] = { VECTORS, GCN_READ, ROLE(SRC0) },
	[REGS_R_FACTOR] = { VECTORS, GCN_READ, ROLE(SRC0) | ROLE(SRC1) },
	[REGS_ANY_VECTOR] = { VECTORS, GCN_READ | GCN_WRITE, ~0u },
	[REGS_R_DATA] = { VECTORS | ACCS, GCN_READ, ROLE(DATA) | ROLE(DST) },
	[REGS_W_SGPR] = { SGPR, GCN_WRITE, ~0u },
	[REGS_W_SGPR_ONLY] = { SGPRS, GCN_WRITE, ~0u },
	[REGS_W_SCALAR] = { SCALARS, GCN_WRITE, ~0u },
	[REGS_W_RESULT] = { SCALARS, GCN_WRITE, ROLE(DST) },
	[REGS_W_VCC] = { VCC, GCN_WRITE, ~0u },
	[REGS_W_EXEC] = { EXEC, GCN_WRITE, ~0u },
	[REGS_W_M0] = { M0, GCN_WRITE, ~0u },
	[REGS_W_EXEC_M0] = { EXEC | M0, GCN_WRITE, ~0u },
	[REGS_R_SGPR] = { SGPR, GCN_READ, ~0u },
	[REGS_R_SGPR_ONLY] = { SGPRS, GCN_READ, ~0u },
	[REGS_R_SCALAR] = { SCALARS, GCN_READ, ~0u },
	[REGS_R_SCALAR1] = { SCALARS, GCN_READ, ROLE(SRC1) },
	[REGS_R_VCC] = { VCC, GCN_READ, ~0u },
	[REGS_ANY_VCC] = { VCC, GCN_READ | GCN_WRITE, ~0u },
	[REGS_R_EXEC] = { EXEC, GCN_READ, ~0u },
	[REGS_R_SRC_EXEC_M0] = { EXEC | M0, GCN_READ, ROLE(SRC0) | ROLE(SRC1) | ROLE(SRC2) | ROLE(MASK) },
	[REGS_R_MASK] = { SGPR, GCN_READ, ROLE(MASK) | ROLE(IMPLICIT) },
};
/* clang-format on */

static unsigned
file_of(const struct gcn_range *u)
{
	switch (u->file) {
	case FILE_V: return VECTORS;
	case FILE_A: return ACCS;
	case FILE_X: return u->first == X_M0 ? M0 : 0;
	default: return u->first >= GCN_EXEC ? EXEC : u->first >> 1 == GCN_VCC >> 1 ? VCC : SGPRS;
	}
}

static bool
names(const struct gcn_range *u, unsigned regs)
{
	return (file_of(u) & which[regs].files) && (u->access & which[regs].access) &&
	       (which[regs].roles >> u->role & 1);
}

static bool
has(const struct gcn_effect *fx, unsigned regs)
{
	for (unsigned k = 0; k < fx->n_range; k++)
		if (names(&fx->range[k], regs))
			return true;
	return false;
}

unsigned
amd_slots(const struct gcn_range *u, unsigned regs, unsigned *n)
{
	*n = names(u, regs) ? u->n : 0;
	switch (u->file) {
	case FILE_S: return u->first;
	case FILE_X: return SLOT_M0;
	default: break;
	}
	*n *= 2;
	if (u->half != 3 && *n) /* half of a register */
		*n = 1;
	return SLOT_VECTOR + 2 * (u->first + (u->file == FILE_A ? 256u : 0u)) + (u->half == 2);
}

/* -- Kinds ------------------------------------------------------------------------------------ */

/* Returns whether an instruction overwrites one of its factors with the sum. */
static bool
over_factor(const struct gcn_effect *fx)
{
	for (unsigned k = 0; k < fx->n_range; k++) {
		const struct gcn_range *w = &fx->range[k];
		for (unsigned j = 0; j < fx->n_range; j++) {
			const struct gcn_range *r = &fx->range[j];
			if (w->file == FILE_V && (w->access & GCN_WRITE) &&
			    (r->access & GCN_READ) && r->role != ROLE_SRC2 && gcn_overlap(w, r))
				return true;
		}
	}
	return false;
}

/* Returns whether a store of more than 64 bits may still read its data when the next instruction
 * executes. Before gfx940, an SGPR as offset delays that instruction enough. */
static bool
wide_store(const struct gcn_target *t, const struct gcn_effect *fx)
{
	bool wide = false;

	for (unsigned k = 0; k < fx->n_range; k++) {
		if (fx->range[k].role == ROLE_OFFSET && t->gen != GCN_G94)
			return false;
		wide |= fx->range[k].n > 2 && names(&fx->range[k], REGS_R_DATA);
	}
	return wide && (fx->flags & E(STORE));
}

/* Returns whether the result is shifted to its position in the register. */
static bool
part_result(const struct gcn_insn *in, const struct gcn_effect *fx)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	if (in->form == GCN_FORM_SDWA)
		return r->format != GCN_VOPC && in->field[GCN_F_DSTSEL] != 6;
	if (fx->flags & E(PART_DST))
		return true;
	return r->format == GCN_VOP3 && !(gcn_row_mods(r) & M_VOP3B) &&
	       (in->field[GCN_F_OPSEL] & (fx->flags & E(BYTE_DST) ? 12u : 8u));
}

static uint64_t
valu_kinds(const struct gcn_insn *in, const struct gcn_effect *fx)
{
	/* clang-format off */
	static const struct {
		uint64_t flags, kinds;
	} by_flag[] = {
		{ E(DIV_FMAS), K(DIV_FMAS) }, { E(LANE_SELECT), K(LANE_SELECT) | K(ONE_LANE) },
		{ E(READ_LANE), K(READ_LANE) | K(ONE_LANE) }, { E(LANE_MASK), K(LANE_MASK) },
		{ E(PERMLANE16), K(PERMUTE) }, { E(PERMLANE_SWAP), K(SWAP_ROWS) },
	};
	/* clang-format on */
	uint64_t k = K(VALU) | K(ALU);

	k |= fx->flags & E(VNOP) ? 0 : K(REAL_VALU);
	k |= fx->flags & E(TRANS) ? K(TRANS) : K(NOT_TRANS);
	for (size_t j = 0; j < QD_COUNT(by_flag); j++)
		if (fx->flags & by_flag[j].flags)
			k |= by_flag[j].kinds;
	if (has(fx, REGS_W_SCALAR))
		k |= K(VALU_TO_SCALAR);
	if (has(fx, REGS_W_EXEC))
		k |= K(VALU_TO_EXEC);
	if (in->form == GCN_FORM_DPP16 || in->form == GCN_FORM_DPP8)
		k |= K(DPP);
	if (part_result(in, fx))
		k |= K(PART_RESULT);
	if ((fx->flags & E(MAD64)) && over_factor(fx))
		k |= K(MAD64_SELF);
	return k;
}

static uint64_t
wait_kinds(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_effect *fx)
{
	uint32_t v = in->field[GCN_F_SIMM];
	uint8_t limit[GCN_N_EVENT];
	uint64_t k = 0;

	if (fx->flags & E(DEPCTR)) {
		k |= v & 1 ? 0 : K(SA_SDST);
		k |= v >> 1 & 1 ? 0 : K(VA_VCC);
		k |= v >> 2 & 7 ? 0 : K(VM_VSRC);
		k |= v >> 9 & 7 ? 0 : K(VA_SDST);
		return k | (v >> 12 & 15 ? 0 : K(VA_VDST));
	}
	if (!gcn_wait_limits(t, in, limit))
		return 0;
	if (gcn_rows[in->row].format == GCN_SOPK)
		k |= limit[EV_STORE] ? 0 : K(STORES_WAIT);
	else
		k |= v ? 0 : K(ALL_WAIT);
	return k | (limit[EV_DS] ? 0 : K(LGKM_WAIT));
}

static uint64_t
kinds_of(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_effect *fx)
{
	unsigned format = gcn_rows[in->row].format;
	uint64_t k = K(ALL), dma = fx->flags & E(LDS_DMA);

	k |= fx->flags & E(NOP) ? 0 : K(NOT_NOP);
	k |= in->row == GCN_v_dot4_i32_i8 ? K(DOT_I8) : K(NOT_DOT_I8);
	k |= in->row == GCN_v_dot4_u32_u8 ? K(DOT_U8) : K(NOT_DOT_U8);
	k |= fx->flags & (E(MOVREL) | E(SENDMSG)) ? K(M0_USER) : 0;

	if (fx->class == CL_VALU || fx->class == CL_MATRIX)
		return k | valu_kinds(in, fx);
	k |= K(NOT_VALU);
	switch (fx->class) {
	case CL_BRANCH:
		k |= K(BRANCH);
		if (in->field[GCN_F_SIMM] == 0x3f && !(fx->flags & E(INDIRECT)))
			k |= K(BRANCH_3F); /* fallthrough */
	case CL_SALU:
		return k | K(SALU) | K(ALU) | K(SCALAR) | (format != GCN_SOPP ? K(SALU_RUN) : 0);
	case CL_SMEM: return k | K(SMEM) | K(SCALAR);
	case CL_DS: return k | K(VECTOR_MEMORY) | K(LDS);
	case CL_VMEM:
	case CL_FLAT:
		k |= K(VECTOR_MEMORY) | K(VMEM) | (dma ? K(LDS) : K(MEMORY_ONLY));
		k |= gcn_is_buffer(format) ? K(BUFFER) : 0;
		return k | (wide_store(t, fx) ? K(WIDE_STORE) : 0);
	case CL_WAIT: return k | wait_kinds(t, in, fx);
	case CL_MESSAGE: return k | (in->field[GCN_F_SIMM] == MSG_DEALLOC_VGPRS ? K(DEALLOC) : 0);
	default: return k;
	}
}

static bool
is(uint64_t kinds, const struct gcn_effect *fx, unsigned kind, unsigned regs)
{
	return kind && (kinds >> kind & 1) && (!regs || has(fx, regs));
}

void
amd_states_bits(const struct gcn_target *t, const struct state_rules *s, const struct gcn_insn *in,
		const struct gcn_effect *fx, struct state_bits *out)
{
	uint64_t k = kinds_of(t, in, fx);

	*out = (struct state_bits){ .states = 1 };
	if (fx->flags & E(NOP))
		out->states = (uint8_t)((in->field[GCN_F_SIMM] & 15) + 1);
	out->valu = k & K(VALU);
	out->trans = k & K(TRANS);
	out->salu_run = k & K(SALU_RUN);
	out->exec_by_salu = (k & K(SALU)) && has(fx, REGS_W_EXEC);
	for (unsigned j = 0; j < s->n; j++) {
		const struct state_rule *r = s->rule[j];
		uint32_t bit = 1u << j;
		out->first |= is(k, fx, r->first.kind, r->first.regs) ? bit : 0;
		out->forgets |= k & r->first.forgotten ? bit : 0;
		out->overwrites |=
			is(k, fx, r->first.overwritten.kind, r->first.overwritten.regs) ? bit : 0;
		out->earlier |= is(k, fx, r->earlier.kind, r->earlier.regs) ? bit : 0;
		out->later |= is(k, fx, r->later.kind, r->later.regs) ? bit : 0;
		out->resolves |= k & r->resolved ? bit : 0;
		out->over |= is(k, fx, r->over.kind, r->over.regs) ? bit : 0;
	}
}
