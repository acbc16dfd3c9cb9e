/* Views of the operands of an instruction in any form, and checks of operands against the
 * target. Source of the numbers: AMD's ISA guides, tables "Scalar operands" and "Vector
 * operands". */
#include "table.h"
#include "text.h"

static const struct {
	uint8_t lo, gens; /* gens: enum of table.h, B9 and so on */
	uint8_t pair;     /* 0: one register; 1: two, from lo on; 2: either */
	const char *name;
} special[] = {
	{ 102, B9 | B90A | B94, 0, "flat_scratch_lo" }, { 103, B9 | B90A | B94, 0, "flat_scratch_hi" },
	{ 102, B9 | B90A | B94, 1, "flat_scratch" },
	{ 104, B9 | B90A | B94, 0, "xnack_mask_lo" }, { 105, B9 | B90A | B94, 0, "xnack_mask_hi" },
	{ 104, B9 | B90A | B94, 1, "xnack_mask" },
	{ 106, 0x7f, 0, "vcc_lo" }, { 107, 0x7f, 0, "vcc_hi" }, { 106, 0x7f, 1, "vcc" },
	{ 124, B9 | B90A | B94 | B10, 0, "m0" }, { 125, B9 | B90A | B94 | B10, 2, "null" },
	{ 125, B11 | B12 | B125, 0, "m0" }, { 124, B11 | B12 | B125, 2, "null" },
	{ 126, 0x7f, 0, "exec_lo" }, { 127, 0x7f, 0, "exec_hi" }, { 126, 0x7f, 1, "exec" },
	{ 230, 0x7f, 0, "src_flat_scratch_base_lo" }, { 231, 0x7f, 0, "src_flat_scratch_base_hi" },
	{ 230, 0x7f, 1, "src_flat_scratch_base_lo" },
	{ 235, 0x7f, 2, "src_shared_base" }, { 236, 0x7f, 2, "src_shared_limit" },
	{ 237, 0x7f, 2, "src_private_base" }, { 238, 0x7f, 2, "src_private_limit" },
	{ 239, 0x7f, 2, "src_pops_exiting_wave_id" },
	{ 251, 0x7f, 2, "src_vccz" }, { 252, 0x7f, 2, "src_execz" }, { 253, 0x7f, 2, "src_scc" },
	{ 254, 0x3f, 0, "src_lds_direct" },
};

/* "7" or "[4:7]" */
void
gcn_add_registers(struct gcn_text *x, unsigned first, unsigned n)
{
	if (n == 1) {
		gcn_add_number(x, first);
		return;
	}
	gcn_add_text(x, "[", 1);
	gcn_add_number(x, first);
	gcn_add_text(x, ":", 1);
	gcn_add_number(x, first + n - 1);
	gcn_add_text(x, "]", 1);
}

/* Returns whether special[i] names n registers on the target. */
static bool
is_special(const struct gcn_target *t, size_t i, unsigned n)
{
	return (special[i].gens & 1u << t->gen) &&
	       (special[i].pair == 2 || special[i].pair == (n == 2)) &&
	       (n <= 2 || special[i].lo == gcn_null_of(t));
}

static bool
add_special(const struct gcn_target *t, struct gcn_text *x, unsigned v, unsigned n)
{
	for (size_t i = 0; i < QD_COUNT(special); i++) {
		if (special[i].lo == v && is_special(t, i, n)) {
			gcn_add_string(x, special[i].name);
			return true;
		}
	}
	return false;
}

const uint16_t gcn_half_bits[GCN_N_CONSTANT] = { 0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
						 0xc000, 0x4400, 0xc400, 0x3118 };
const uint16_t gcn_brain_bits[GCN_N_CONSTANT] = { 0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
						  0xc000, 0x4080, 0xc080, 0x3e22 };
const uint16_t gcn_double_bits[GCN_N_CONSTANT - 1] = { 0x3fe0, 0xbfe0, 0x3ff0, 0xbff0,
						       0x4000, 0xc000, 0x4010, 0xc010 };

unsigned
gcn_float_code(const uint16_t *list, unsigned n, uint32_t bits)
{
	while (n && list[n - 1] != bits)
		n--;
	return n ? GCN_FLOATS + n - 1 : 0;
}

unsigned
gcn_inline64(uint64_t v)
{
	if (v <= 64)
		return 128 + (unsigned)v;
	if (v >= UINT64_MAX - 15)
		return 192 + (unsigned)(0 - v);
	if (v == UINT64_C(0x3fc45f306dc9c882)) /* 1 / (2 pi) */
		return GCN_INV_2PI;
	return v << 16 ? 0 : gcn_float_code(gcn_double_bits, GCN_N_CONSTANT - 1, (uint32_t)(v >> 48));
}

static bool
add_constant(struct gcn_text *x, unsigned v, unsigned type)
{
	static const char *const fp[] = { "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0" };

	if (v >= 128 && v <= 192) {
		gcn_add_number(x, v - 128);
	} else if (v >= 193 && v <= 208) {
		gcn_add_text(x, "-", 1);
		gcn_add_number(x, v - 192);
	} else if (v >= 240 && v <= 248 && type == T_B16) {
		gcn_add_text(x, "0x", 2);
		gcn_add_hex(x, gcn_half_bits[v - GCN_FLOATS]);
	} else if (v >= 240 && v <= 247) {
		gcn_add_string(x, fp[v - 240]);
	} else if (v == 248) {
		gcn_add_string(x, type == T_B64 || type == T_F64 ? "0.15915494309189532" : "0.15915494");
	} else {
		return false;
	}
	return true;
}

bool
gcn_scalar_add(const struct gcn_target *t, struct gcn_text *x, unsigned v, unsigned n, unsigned type)
{
	if (v < 128 && n > 1 && (v & (n == 2 ? 1 : 3)) && !(v == 125 && t->gen < GCN_G11))
		return false;
	if (v < t->n_sgpr) {
		if (v + n > (n > 2 ? 106u : t->n_sgpr))
			return false;
		gcn_add_text(x, "s", 1);
		gcn_add_registers(x, v, n);
		return true;
	}
	if (v >= 108 && v < 124) {
		if (v + n > 124)
			return false;
		gcn_add_text(x, "ttmp", 4);
		gcn_add_registers(x, v - 108, n);
		return true;
	}
	if (type && v >= 128 && v <= 208)
		return add_constant(x, v, type);
	return add_special(t, x, v, n) || (type && add_constant(x, v, type));
}

bool
gcn_scalar_is(const struct gcn_target *t, unsigned v, unsigned n, unsigned type)
{
	return gcn_scalar_add(t, &(struct gcn_text){ NULL, 0, 0 }, v, n, type);
}

bool
gcn_scalar_find(const struct gcn_target *t, const char *name, size_t len, unsigned n, uint32_t *v)
{
	for (size_t i = 0; i < QD_COUNT(special); i++) {
		const char *own = special[i].name;
		unsigned lo = special[i].lo;
		if (!is_special(t, i, n))
			continue;
		if (lo >= 235 && (len < 4 || memcmp(name, "src_", 4)) && !memcmp(own, "src_", 4))
			own += 4;
		if (own[0] == name[0] && strlen(own) == len && !memcmp(own, name, len)) {
			*v = lo;
			return true;
		}
	}
	return false;
}

enum gcn_field
gcn_acc_bit(unsigned format, unsigned field, unsigned *bit)
{
	*bit = field == GCN_F_SRC1;
	if (!gcn_is_vop3(format))
		return GCN_F_ACC;
	return field == GCN_F_SRC0 || field == GCN_F_SRC1 ? GCN_F_ACC_AB : GCN_F_ACC_CD;
}

const struct gcn_row *
gcn_second_row(const struct gcn_target *t, const struct gcn_insn *in)
{
	unsigned row;

	unsigned format = gcn_rows[in->row].format;

	if (!gcn_is_dual(format) || in->field[GCN_F_OPY] > (format == GCN_VOPD ? 31 : 63))
		return NULL;
	row = gcn_row_find(t, format, in->field[GCN_F_OPY]);
	return row == GCN_N_ROW ? NULL : &gcn_rows[row];
}

/* Fields of the second half of a dual instruction, by the field of the first half. */
static const uint8_t second_field[GCN_N_FIELD] = {
	[GCN_F_VDST] = GCN_F_Y_VDST, [GCN_F_SRC0] = GCN_F_Y_SRC0, [GCN_F_VSRC1] = GCN_F_Y_VSRC1, [GCN_F_VSRC2] = GCN_F_Y_VSRC2,
};

static const uint8_t n_of_format[8] = { 8, 8, 6, 6, 4, 8, 8, 8 };

/* Returns the number of registers of A or B on gfx1250. LLVM takes both as 8-bit elements if a
 * format is unknown. */
static uint8_t
wmma_width(uint32_t a, uint32_t b, bool is_a)
{
	return a > 4 || b > 4 ? 16 : (uint8_t)(2 * n_of_format[is_a ? a : b]);
}

/* Adjusts the kind of an operand whose width or register file depends on the instruction or the
 * target. */
static void
fit_kind(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_view *o)
{
	if ((o->kind.bank == BANK_VH || o->kind.bank == BANK_VSH) && !gcn_has_halves(t, in))
		o->kind.bank = o->kind.bank == BANK_VH ? BANK_V : BANK_VS;
	if ((o->kind.flags & R_WAVE) && t->wave == 64) {
		o->kind.n /= 2;
		if (o->kind.type == T_F64)
			o->kind.type = T_F32;
	}
	if (o->field == GCN_F_VDST && in->field[GCN_F_TFE] &&
	    gcn_is_buffer(gcn_rows[in->row].format))
		o->kind.n++; /* tfe also returns whether a page was not resident */
	if ((o->kind.flags & R_F8F6F4) && t->gen == GCN_G125)
		o->kind.n = wmma_width(in->field[GCN_F_OPSEL] & 7, gcn_op_sel_hi(in), o->field == GCN_F_SRC0);
	else if (o->kind.flags & R_F8F6F4)
		o->kind.n = n_of_format[(o->field == GCN_F_SRC0 ? in->field[GCN_F_CBSZ]
								: in->field[GCN_F_BLGP]) & 7];
	/* if the register files are separate, results are accumulation registers */
	if (gcn_is_vop3(gcn_rows[in->row].format) && !(t->features & GCN_ALIGN2) && o->src != 0 &&
	    o->src != 1) {
		if (o->kind.bank == BANK_AV)
			o->kind.bank = BANK_A;
		else if (o->kind.bank == BANK_AVC)
			o->kind.bank = BANK_AC;
	}
}

/* 1 to 3 for fields that contain a source of a vector instruction. */
static const uint8_t source_number[GCN_N_FIELD] = {
	[GCN_F_SRC0] = 1, [GCN_F_Y_SRC0] = 1, [GCN_F_SRC1] = 2, [GCN_F_VSRC1] = 2,
	[GCN_F_Y_VSRC1] = 2, [GCN_F_SRC2] = 3, [GCN_F_VSRC2] = 3, [GCN_F_Y_VSRC2] = 3,
};

/* Banks that gcn_operand_view handles itself: the field's value; a vector register, numbered
 * from 256; a lane mask; a 16-bit source; a 16-bit destination. view_other handles the rest. */
enum { LOOKED_AT, AS_IT_SAYS, ABOVE, MASK, HALF, HALF_ABOVE };
static const uint8_t plain_bank[GCN_N_BANK] = {
	[BANK_VS] = AS_IT_SAYS, [BANK_SS] = AS_IT_SAYS, [BANK_SI] = AS_IT_SAYS, [BANK_S] = AS_IT_SAYS,
	[BANK_SD] = AS_IT_SAYS, [BANK_LIT32] = AS_IT_SAYS, [BANK_HEX16] = AS_IT_SAYS,
	[BANK_DEC16] = AS_IT_SAYS, [BANK_BRANCH] = AS_IT_SAYS, [BANK_WAITCNT] = AS_IT_SAYS,
	[BANK_DELAY] = AS_IT_SAYS, [BANK_V] = ABOVE, [BANK_M] = MASK, [BANK_VSH] = HALF, [BANK_VSI] = AS_IT_SAYS,
	[BANK_VH] = HALF_ABOVE,
};

static bool
view_other(const struct gcn_target *t, const struct gcn_insn *in, unsigned i, struct gcn_view *out)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	bool second = gcn_is_dual(r->format) && i >= s->n_op;
	enum gcn_field acc;
	unsigned bit;

	if (second) {
		i -= s->n_op;
		if (!(r = gcn_second_row(t, in)))
			return false;
		s = &gcn_shapes[r->shape];
	}
	if (gcn_is_vmem(r->format))
		i += gcn_memory_hidden(t, in);
	if (r->format == GCN_TENSOR && i > 1 && in->field[GCN_F_GROUP2] == gcn_null_of(t) &&
	    in->field[GCN_F_GROUP3] == gcn_null_of(t))
		return false; /* a tensor of two dimensions */
	if (i >= s->n_op + (unsigned)gcn_flat_scalar(t, in))
		return false;
	out->field = i < s->n_op ? s->op[i].field : GCN_F_SADDR;
	if (second && second_field[out->field])
		out->field = second_field[out->field];
	out->kind = gcn_kinds[i < s->n_op ? s->op[i].kind :
				  s->n_op < 2 || (gcn_row_mods(r) & M_ATOMIC) ? K_SA2X : K_SA2];
	if (out->field == GCN_F_ADDR && gcn_flat_scalar(t, in))
		out->kind.n = 1;
	out->v = in->field[out->field];
	out->src = -1;
	if (gcn_is_valu(r->format) || gcn_is_dual(r->format))
		out->src = (int8_t)(source_number[out->field] - 1);
	fit_kind(t, in, out);
	switch (out->kind.bank) {
	case BANK_ATTR: /* a source field has channel and number in the other order */
		if (out->field == GCN_F_SRC0)
			out->v = (out->v & 63) << 2 | (out->v >> 6 & 3) |
				 (gcn_row_mods(r) & M_HIGH ? 0 : out->v & 256);
		break;
	case BANK_V:
	case BANK_VH:
	case BANK_VL:
		/* The lowest bit is the complement of the first destination's. */
		if (out->field == GCN_F_Y_VDST && r->format == GCN_VOPD)
			out->v = out->v << 1 | (~in->field[GCN_F_VDST] & 1);
		if (!gcn_is_source(out->field))
			out->v += 256;
		break;
	case BANK_A:
	case BANK_AC:
	case BANK_AV:
	case BANK_AVC:
		if (!gcn_is_source(out->field))
			out->v += 256;
		acc = gcn_acc_bit(r->format, out->field, &bit);
		if (out->v >= 256 && (out->kind.bank == BANK_A || out->kind.bank == BANK_AC ||
				      (in->field[acc] >> bit & 1)))
			out->v += GCN_ACC - 256;
		break;
	case BANK_S:
		if (out->field == GCN_F_SBASE)
			out->v *= 2;
		else if (out->field == GCN_F_SRSRC)
			out->v *= 4;
		break;
	case BANK_M:
		if (out->field == GCN_F_SDST && (gcn_row_mods(r) & M_VOP3B))
			out->v = in->field[GCN_F_ABS] | in->field[GCN_F_OPSEL] << 3;
		out->kind.n = t->wave == 64 ? 2 : 1;
		break;
	case BANK_VCC:
		out->v = 106;
		out->kind.n = t->wave == 64 ? 2 : 1;
		if (in->form == GCN_FORM_SDWA && r->format == GCN_VOPC && i == 0 &&
		    in->field[GCN_F_SD]) {
			out->v = in->field[GCN_F_X_SDST];
			out->kind.bank = BANK_M;
		}
		break;
	case BANK_EXEC:
		out->v = 126;
		out->kind.n = t->wave == 64 ? 2 : 1;
		break;
	case BANK_VADDR:
	case BANK_SADDR:
		gcn_address_view(t, in, out);
		break;
	case BANK_M0:
		out->v = gcn_m0_of(t);
		break;
	default:
		break;
	}
	if (in->form == GCN_FORM_SDWA && out->src >= 0 && out->src < 2) {
		bool scalar = in->field[out->src ? GCN_F_S1 : GCN_F_S0];
		out->v = in->field[out->src ? GCN_F_VSRC1 : GCN_F_X_SRC0] + (scalar ? 0 : 256);
		out->kind.bank = BANK_VS;
		if (!out->kind.type)
			out->kind.type = gcn_kinds[s->op[i - 1].kind].type;
	} else if ((in->form == GCN_FORM_DPP16 || in->form == GCN_FORM_DPP8) && out->src == 0) {
		out->v = in->field[GCN_F_X_SRC0] + 256;
		if (out->kind.bank >= BANK_VS && out->kind.bank <= BANK_VSL)
			out->kind.bank = (uint8_t)(out->kind.bank - BANK_VS + BANK_V);
	}
	return true;
}

bool
gcn_operand_view(const struct gcn_target *t, const struct gcn_insn *in, unsigned i,
		 struct gcn_view *out)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	unsigned how;

	if (in->form || gcn_is_dual(r->format) || gcn_is_vmem(r->format) || r->format == GCN_TENSOR)
		return view_other(t, in, i, out);
	if (i >= s->n_op)
		return false;
	out->kind = gcn_kinds[s->op[i].kind];
	out->field = s->op[i].field;
	out->v = in->field[out->field];
	how = plain_bank[out->kind.bank];
	if (how == LOOKED_AT || (out->kind.flags & (R_WAVE | R_F8F6F4)) ||
	    out->field == GCN_F_SBASE || (gcn_row_mods(r) & M_VOP3B) ||
	    (how >= HALF && !gcn_has_halves(t, in)))
		return view_other(t, in, i, out);
	if (how == MASK)
		out->kind.n = t->wave == 64 ? 2 : 1;
	if ((how == ABOVE || how == HALF_ABOVE) && !gcn_is_source(out->field))
		out->v += 256;
	out->src = gcn_is_valu(r->format) ? (int8_t)(source_number[out->field] - 1) : -1;
	return true;
}

static const char *
check_vector(const struct gcn_target *t, const struct gcn_view *o)
{
	unsigned n = o->v & 255;

	if ((o->kind.bank == BANK_A || o->kind.bank == BANK_AC) && o->v < GCN_ACC)
		return "expected an accumulation register";
	if (o->v == 254 && (o->kind.flags & R_LDS) && t->gen < GCN_G12)
		return NULL;
	if (o->v < 256)
		return "expected a vector register";
	if (o->v >= GCN_ACC && !(t->features & GCN_AGPR))
		return "the target has no accumulation registers";
	if (n + o->kind.n > 256 && t->gen != GCN_G125) /* more registers by s_set_vgpr_msb */
		return "the register tuple exceeds v255";
	if (o->kind.n > 1 && (t->features & GCN_ALIGN2) && (n & 1) && !(o->kind.flags & R_ODD))
		return "the register tuple must begin at an even register";
	return NULL;
}

/* Returns true for the common valid operands, without a search by name. */
static bool
plain_scalar(const struct gcn_target *t, const struct gcn_view *o)
{
	unsigned n = o->kind.n;

	if (o->v + n <= t->n_sgpr)
		return !(o->v & (n == 1 ? 0 : n == 2 ? 1 : 3));
	return o->kind.type && ((o->v >= 128 && o->v <= 208) || (o->v >= 240 && o->v <= 248));
}

/* Returns whether a scalar source may be lds_direct. */
static bool
reads_lds(const struct gcn_target *t, const struct gcn_view *o)
{
	return (o->kind.flags & R_LDS) && t->gen == GCN_G10;
}

const char *
gcn_operand_check(const struct gcn_target *t, const struct gcn_view *o)
{
	switch (o->kind.bank) {
	case BANK_V:
	case BANK_VH:
	case BANK_VL:
	case BANK_A:
	case BANK_AV:
		return check_vector(t, o);
	case BANK_AC:
	case BANK_AVC:
	case BANK_VC:
		if (o->v >= 256)
			return check_vector(t, o);
		if ((o->v < 128 || o->v > 208) && (o->v < 240 || o->v > 248))
			return "expected a vector register or an inline constant";
		return NULL;
	case BANK_VS:
	case BANK_VSH:
	case BANK_VSL:
		if (o->v >= 256)
			return check_vector(t, o);
		/* fall through */
	case BANK_SS:
		if (o->v == GCN_LITERAL || plain_scalar(t, o) || gcn_is_wide(t, o))
			return NULL;
		if (!gcn_scalar_is(t, o->v, o->kind.n, o->kind.type) ||
		    (o->v == 254 && (o->src < 0 || (o->kind.bank == BANK_SS && !reads_lds(t, o)))))
			return "no such register or constant";
		return NULL;
	case BANK_VSI:
		if (o->v >= 256)
			return check_vector(t, o);
		/* fall through */
	case BANK_SI:
		if (plain_scalar(t, o))
			return NULL;
		if (o->v == GCN_LITERAL || o->v == 254 ||
		    !gcn_scalar_is(t, o->v, o->kind.n, o->kind.type))
			return "expected a scalar register or an inline constant";
		return NULL;
	case BANK_PARAM:
		return o->v > 2 ? "no such parameter" : NULL;
	case BANK_ATTR: return o->v >> 8 ? "the instruction takes no half of an attribute" : NULL;
	case BANK_SD:
		if (o->v == GCN_LITERAL || o->v == 254 ||
		    !gcn_scalar_is(t, o->v, o->kind.n, T_NONE))
			return "expected a scalar register";
		return NULL;
	case BANK_S:
	case BANK_M:
		if (plain_scalar(t, o))
			return NULL;
		if (o->v > 127 || !gcn_scalar_is(t, o->v, o->kind.n, T_NONE))
			return "no such scalar register";
		if ((o->kind.flags & R_XM0) && o->v == gcn_m0_of(t))
			return "the operand cannot be m0";
		if ((o->kind.flags & R_XEXEC) && (o->v == 126 || o->v == 127))
			return "the operand cannot be exec";
		if ((o->kind.flags & R_XEXECHI) && o->v == 127)
			return "the operand cannot be exec_hi";
		return NULL;
	default:
		return NULL;
	}
}

/* Returns the number of literal words that the operand needs. */
static uint8_t
literal_words(const struct gcn_target *t, const struct gcn_view *o)
{
	bool source = o->kind.bank == BANK_SS ||
		      (o->kind.bank >= BANK_VS && o->kind.bank <= BANK_VSL);

	if (o->kind.bank == BANK_LIT64 || (source && gcn_is_wide(t, o)))
		return 2;
	return o->kind.bank == BANK_LIT32 || o->kind.bank == BANK_LIT16 ||
	       (o->v == GCN_LITERAL && source);
}

void
gcn_operand_views(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_views *out)
{
	unsigned i;

	out->literal = 0;
	out->scalar = false;
	for (i = 0; i < GCN_MAX_VIEWS && gcn_operand_view(t, in, i, &out->op[i]); i++) {
		out->literal |= literal_words(t, &out->op[i]);
		out->scalar |= out->op[i].v < 128 || (out->op[i].v >= 230 && out->op[i].v < 256);
	}
	out->n = i;
}
