/* Assembler restrictions on scalar memory, vector memory and LDS; see strict.c. */
#include "strict.h"

/* Returns true for a tuple that crosses the end of its registers. Four registers from
 * s100 on would be two SGPRs and the halves of flat_scratch; four from m0 on would be m0
 * and registers with other names. */
static bool
tuple_cut(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_view *o = &s->op[i];
		if (o->kind.n > 2 && gcn_is_scalar_bank(o->kind.bank) &&
		    ((o->v < 106 && o->v + o->kind.n > s->t->n_sgpr) ||
		     o->v == gcn_m0_of(s->t) ||
		     (o->field != GCN_F_SDST && o->v == gcn_null_of(s->t))))
			return true;
	}
	return false;
}

/* Checks the register that is added to the offset or replaces it. */
static bool
offset_register_unsupported(const struct strict *s)
{
	const uint32_t *f = s->in->field;

	if (!s->n || s->op[s->n - 1].kind.bank != BANK_SMEMOFF)
		return false;
	if (f[GCN_F_SOE])
		return f[GCN_F_SOFFSET] == 125;
	return !f[GCN_F_IMM] && (f[GCN_F_OFFSET] & 127) == 125;
}

static bool
buffer_offset_negative(const struct strict *s)
{
	return s->n == 3 && s->op[1].kind.n == 4 && s->in->field[GCN_F_OFFSET] >> 20 & 1 &&
	       (s->t->gen >= GCN_G10 || s->in->field[GCN_F_IMM]);
}

/* LLVM's disassembler has no name for a tuple of three trap registers. */
static bool
three_trap_registers(const struct strict *s)
{
	return s->n && s->op[0].kind.n == 3 && s->op[0].v >= 108 && s->op[0].v < 124;
}

/* Scaling applies to a vector part that is added to a scalar part or to the scratch base, and
 * not to buffers. */
static bool
scale_offset_alone(const struct strict *s)
{
	const uint32_t *f = s->in->field;

	if (!f[GCN_F_SOE])
		return false;
	if (s->row->format == GCN_SMEM)
		return s->n > 1 && s->op[1].kind.n == 4;
	for (unsigned i = 0; i < s->n; i++) {
		if (s->op[i].field == GCN_F_ADDR)
			return s->row->format == GCN_SCRATCH
				       ? !f[GCN_F_SVE]
				       : f[GCN_F_SADDR] == gcn_no_saddr(s->t, GCN_GLOBAL, false);
	}
	return true;
}

static bool
scale_offset(const struct strict *s)
{
	return (s->n || s->row->format != GCN_SMEM) && s->in->field[GCN_F_SOE];
}

static bool
non_volatile(const struct strict *s)
{
	return (s->n || s->row->format != GCN_SMEM) && s->in->field[GCN_F_NV];
}

static bool
flat_offset_wide(const struct strict *s)
{
	return s->in->field[GCN_F_OFFSET] >> (s->t->gen == GCN_G10 ? 11 : 12);
}

/* Returns true for hints without a name: a load with all bits set, an atomic that
 * cascades within a work-group or returns its value, and an atomic with a load's bypass. */
static bool
hint_nameless(const struct strict *s)
{
	uint32_t th = s->in->field[GCN_F_TH];

	if (gcn_row_mods(s->row) & M_ATOMIC)
		return th > 3 ? s->in->field[GCN_F_SCOPE] < 2 || (th & 1)
			      : th == 3 && s->in->field[GCN_F_SCOPE] == 3;
	return th == 7 && !(gcn_row_mods(s->row) & M_STORE);
}

/* Returns true if a pattern of ds_swizzle_b32 has a shorter form: a bit is both kept and
 * set, or is inverted without being kept (see swizzle.c). */
static bool
swizzle_redundant(const struct strict *s)
{
	uint32_t v = s->in->field[GCN_F_OFFSET], and = v, or = v >> 5, xor = v >> 10;

	if (!(gcn_row_mods(s->row) & M_SWIZZLE))
		return false;
	if (v >= 0xc000)
		return v & (v >= 0xe000 ? 0x1fe0 : 0x181f);
	return v < 0x8000 && (((or & (and | xor)) | (xor & ~and)) & 31);
}

static bool
barrier_odd(const struct strict *s)
{
	return (gcn_row_mods(s->row) & M_GDSONLY) && s->n && (s->op[0].v & 1);
}

static bool
float_atomic_accumulator(const struct strict *s)
{
	return (gcn_row_mods(s->row) & M_FLOAT_ATOMIC) && s->in->field[GCN_F_ACC] &&
	       gcn_returns(s->t, s->in) && (s->op[0].kind.n == 1 || s->in->field[GCN_F_SCC]);
}

static bool
store_tfe(const struct strict *s)
{
	return (gcn_row_mods(s->row) & M_STORE) && s->in->field[GCN_F_TFE];
}

static bool
r128(const struct strict *s)
{
	return s->in->field[GCN_F_R128];
}

static const struct rule memory_rules[] = {
	{ F(SMEM) | VMEM, ALL, SCALAR, HARDWARE, gcn_register_unsupported,
	  "the target has no such register" },
	{ F(TENSOR), GFX125, ANY, HARDWARE, r128, "r128 must be clear here" },
	{ F(SMEM) | F(TENSOR) | VMEM, ALL, SCALAR, HARDWARE, tuple_cut,
	  "the register tuple extends past the last register" },
	{ F(SMEM), GFX9, ANY, HARDWARE, offset_register_unsupported,
	  "the target has no such register" },
	{ F(SMEM), GFX9 | GFX10 | GFX11, ANY, HARDWARE, buffer_offset_negative,
	  "the offset from a buffer cannot be negative" },
	{ F(FLAT), GFX9 | GFX11, ANY, HARDWARE, flat_offset_wide, "the offset must be below 4096" },
	{ F(FLAT), GFX10, ANY, HARDWARE, flat_offset_wide, "the offset must be below 2048" },
	{ F(TENSOR) | VMEM, GFX12, ANY, ASSEMBLER, hint_nameless, "no such temporal hint" },
	{ F(DS), ALL, ANY, ASSEMBLER, swizzle_redundant, "the pattern has bits without effect" },
	{ F(DS), C90A | GFX94, ANY, HARDWARE, barrier_odd, "the register number must be even" },
	{ F(FLAT) | F(GLOBAL), GFX94, ANY, ASSEMBLER, float_atomic_accumulator,
	  "the instruction takes no accumulation register" },
	{ F(MUBUF), ALL, ANY, HARDWARE, store_tfe, "the instruction takes no tfe" },
	{ F(SMEM), GFX12, ANY, ASSEMBLER, three_trap_registers,
	  "a tuple of three trap registers has no name" },
	{ F(FLAT) | F(GLOBAL) | F(SCRATCH) | F(SMEM), GFX125, ANY, HARDWARE, scale_offset_alone,
	  "the address takes no scale_offset" },
	{ F(MUBUF) | F(MTBUF), GFX125, ANY, HARDWARE, scale_offset,
	  "the address takes no scale_offset" },
	{ F(SMEM) | VMEM, C1200, ANY, HARDWARE, scale_offset, "the target has no scale_offset" },
	{ F(SMEM) | VMEM, C1200, ANY, HARDWARE, non_volatile, "the target has no nv" },
};
const struct rules gcn_memory_rules = {
	F(SMEM) | F(TENSOR) | VMEM | F(DS), QD_COUNT(memory_rules), memory_rules
};
