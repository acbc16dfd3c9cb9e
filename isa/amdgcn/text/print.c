/* Prints instructions as LLVM 22 does. */
#include "call.h"
#include "constant.h"
#include "modifier.h"

static void
add_vector(struct gcn_text *x, unsigned v, unsigned n)
{
	char bank = v >= GCN_ACC ? 'a' : 'v';

	gcn_add_text(x, &bank, 1);
	gcn_add_registers(x, v & 255, n);
}

static void
add_hex(struct gcn_text *x, uint32_t v)
{
	gcn_add_text(x, "0x", 2);
	gcn_add_hex(x, v);
}

static void
add_half(struct gcn_text *x, unsigned v, bool high)
{
	gcn_add_text(x, "v", 1);
	gcn_add_number(x, v);
	gcn_add_text(x, high ? ".h" : ".l", 2);
}

/* Returns whether the literal's value also has an inline constant; the text then needs lit(). */
static bool
has_constant(unsigned type, uint32_t v)
{
	uint32_t small = v + 16, small16 = (v + 16) & 0xffff;

	switch (type) {
	case T_F16:
		return small16 <= 80 || gcn_float_code(gcn_half_bits, GCN_N_CONSTANT, v & 0xffff);
	case T_BF16:
		return small16 <= 80 || gcn_float_code(gcn_brain_bits, GCN_N_CONSTANT, v & 0xffff);
	case T_V2F16:
		return small <= 80 || gcn_float_code(gcn_half_bits, GCN_N_CONSTANT, v);
	case T_V2F16_TWICE:
		return small <= 80 || (v >> 16 == (v & 0xffff) && gcn_float_code(gcn_half_bits, GCN_N_CONSTANT, v & 0xffff));
	case T_V2BF16:
		return small <= 80 || gcn_float_code(gcn_brain_bits, GCN_N_CONSTANT, v);
	case T_B64:
		return v <= 64;
	case T_F64:
		return false;
	default:
		return small <= 80 || v == 0x3e22f983 ||
		       (!(v & 0xffff) &&
			gcn_float_code(gcn_brain_bits, GCN_N_CONSTANT - 1, v >> 16));
	}
}

static void
add_literal(const struct gcn_target *t, struct gcn_text *x, unsigned type, uint32_t v)
{
	unsigned code = type == T_F64 && !(v & 0xffff)
				? gcn_float_code(gcn_double_bits, GCN_N_CONSTANT - 1, v >> 16)
				: 0;

	if (code)
		gcn_scalar_add(t, x, code, 1, T_F64);
	else if (has_constant(type, v))
		gcn_add(x, "lit(0x%x)", v);
	else
		add_hex(x, type == T_F16 || type == T_B16 ? v & 0xffff : v);
}

static void
add_hex64(struct gcn_text *x, uint64_t v)
{
	add_hex(x, (uint32_t)(v >> 32));
	for (unsigned shift = 32; shift; shift -= 4)
		gcn_add_hex(x, (uint32_t)(v >> (shift - 4) & 15));
}

/* Appends a literal of 64 bits. LLVM prints the upper half alone if the lower half of a double is
 * zero, and, except for a constant K, the name of an inline constant of the same value. */
static void
add_wide(const struct gcn_target *t, struct gcn_text *x, const struct gcn_insn *in, unsigned type)
{
	uint64_t v = (uint64_t)in->field[GCN_F_LIT_HI] << 32 | in->field[GCN_F_LIT];
	unsigned code = type ? gcn_inline64(v) : 0;

	if (code && v > 64)
		gcn_scalar_add(t, x, code, 2, type);
	else if (type != T_B64 && v && !(uint32_t)v)
		add_hex(x, (uint32_t)(v >> 32));
	else if (v >> 32)
		add_hex64(x, v);
	else
		gcn_add(x, "lit64(0x%x)", (uint32_t)v);
}

/* Appends the register or constant without its modifiers. */
static void
add_plain(const struct gcn_target *t, struct gcn_text *x, const struct gcn_insn *in,
	  const struct gcn_view *o)
{
	unsigned bank = o->kind.bank, type = gcn_number_type(t, &gcn_rows[in->row], o->kind.type);

	if (o->v == GCN_LITERAL)
		add_literal(t, x, type, in->field[GCN_F_LIT]);
	else if (gcn_is_wide(t, o))
		add_wide(t, x, in, type);
	else if (type == T_V2F16_TWICE && o->v >= GCN_FLOATS && o->v < GCN_FLOATS + GCN_N_CONSTANT)
		add_hex(x, gcn_half_bits[o->v - GCN_FLOATS] * 0x10001u);
	else if (o->v < 256)
		gcn_scalar_add(t, x, o->v, o->kind.n, o->kind.type);
	else if (bank == BANK_VL || bank == BANK_VSL)
		add_half(x, o->v & 127, o->v & 128);
	else if (bank == BANK_VH || bank == BANK_VSH)
		add_half(x, o->v - 256, in->field[GCN_F_OPSEL] >> (o->src < 0 ? 3 : o->src) & 1);
	else
		add_vector(x, o->v, o->kind.n);
}

/* Returns whether a minus before the operand would be parsed as the sign of a number. */
static bool
is_number(const struct gcn_insn *in, const struct gcn_view *o)
{
	if (o->v == GCN_LITERAL)
		return !has_constant(o->kind.type, in->field[GCN_F_LIT]);
	return (o->v >= 128 && o->v <= 208) || (o->v >= 240 && o->v <= 248);
}

static void
add_source(const struct gcn_target *t, struct gcn_text *x, const struct gcn_insn *in,
	   const struct gcn_view *o)
{
	uint64_t mods = gcn_row_mods(&gcn_rows[in->row]);
	bool neg = false, abs = false, sext = false, wrap;

	if (gcn_rows[in->row].format == GCN_VOPD3 && o->src >= 0) {
		neg = in->field[gcn_is_second(o->field) ? GCN_F_Y_NEG : GCN_F_NEG] >> o->src & 1;
	} else if (gcn_has_source_modifiers(&gcn_rows[in->row]) && o->src >= 0) {
		neg = (in->field[GCN_F_NEG] & mods / M_NEG0) >> o->src & 1;
		abs = !(mods & M_VOP3B) && ((in->field[GCN_F_ABS] & mods / M_ABS0) >> o->src & 1);
	} else if (gcn_is_vop3(gcn_rows[in->row].format)) {
		neg = false; /* printed as lists after the operands */
	} else if (o->src == 0 || o->src == 1) {
		neg = in->field[o->src ? GCN_F_X_NEG1 : GCN_F_X_NEG0];
		abs = in->field[o->src ? GCN_F_X_ABS1 : GCN_F_X_ABS0];
		sext = in->field[o->src ? GCN_F_SEXT1 : GCN_F_SEXT0];
	}
	if (o->src >= 0 && (mods / M_INT0 >> o->src & 1))
		neg = abs = false;
	wrap = neg && !abs && is_number(in, o);
	if (neg)
		gcn_add_string(x, wrap ? "neg(" : "-");
	if (abs)
		gcn_add_string(x, "|");
	if (sext)
		gcn_add_string(x, "sext(");
	add_plain(t, x, in, o);
	if (sext)
		gcn_add_string(x, ")");
	if (abs)
		gcn_add_string(x, "|");
	if (wrap)
		gcn_add_string(x, ")");
}

static void
add_signed_hex(struct gcn_text *x, uint32_t v, unsigned width)
{
	if (v >> (width - 1) & 1)
		gcn_add(x, "-0x%x", (1u << width) - v);
	else
		add_hex(x, v);
}

static void
add_smem_offset(const struct gcn_target *t, struct gcn_text *x, const struct gcn_insn *in)
{
	unsigned width = t->gen >= GCN_G12 ? 24 : 21, reg = in->field[GCN_F_SOFFSET];
	unsigned null = gcn_null_of(t);
	bool imm, soff;

	if (t->gen < GCN_G10) {
		imm = in->field[GCN_F_IMM];
		soff = in->field[GCN_F_SOE];
		if (!imm && !soff) {
			soff = true;
			reg = in->field[GCN_F_OFFSET] & 127;
		}
	} else if (t->gen < GCN_G12) {
		/* if both parts add nothing, the text has the register null */
		imm = in->field[GCN_F_OFFSET];
		soff = reg != null || !imm;
	} else {
		soff = reg != null;
		imm = true;
	}
	if (soff) {
		gcn_scalar_add(t, x, reg, 1, T_NONE);
		if (imm)
			gcn_add_string(x, " offset:");
	}
	if (imm)
		add_signed_hex(x, in->field[GCN_F_OFFSET], width);
}

static void
add_operand(const struct gcn_target *t, struct gcn_text *x, const struct gcn_insn *in,
	    const struct gcn_view *o)
{
	switch (o->kind.bank) {
	case BANK_LIT32:
		if (gcn_rows[in->row].format == GCN_SOPK && gcn_inline(in->field[GCN_F_LIT]))
			gcn_scalar_add(t, x, gcn_inline(in->field[GCN_F_LIT]), 1, T_B32);
		else
			add_hex(x, in->field[GCN_F_LIT]);
		break;
	case BANK_LIT64:
		add_wide(t, x, in, T_NONE);
		break;
	case BANK_LIT16:
		add_hex(x, in->field[GCN_F_LIT]);
		break;
	case BANK_HEX16:
		add_hex(x, o->v);
		break;
	case BANK_DEC16:
		gcn_add(x, o->v <= 64 ? "%u" : "0x%x", o->v);
		break;
	case BANK_BRANCH:
		gcn_add_number(x, o->v);
		break;
	case BANK_ENDPGM:
		if (o->v)
			gcn_add_number(x, o->v);
		break;
	case BANK_WAITCNT:
	case BANK_DELAY:
	case BANK_DEPCTR:
	case BANK_SENDMSG:
	case BANK_MSGRTN:
	case BANK_GPRIDX:
	case BANK_HWREG:
	case BANK_VERSION:
		gcn_symbol_add(t, o->kind.bank, o->v, x);
		break;
	case BANK_OFF:
		gcn_add_string(x, "off");
		break;
	case BANK_ATTR:
		gcn_add(x, "attr%u.%c", o->v >> 2, "xyzw"[o->v & 3]);
		break;
	case BANK_PARAM:
		gcn_add(x, "%s", gcn_param_name[o->v]);
		break;
	case BANK_OFFSET24:
		add_signed_hex(x, o->v, 24);
		break;
	case BANK_SMEMOFF:
		add_smem_offset(t, x, in);
		break;
	case BANK_S:
	case BANK_SD:
	case BANK_M:
	case BANK_VCC:
	case BANK_EXEC:
	case BANK_M0:
		gcn_scalar_add(t, x, o->v, o->kind.n, T_NONE);
		break;
	default:
		add_source(t, x, in, o);
		break;
	}
}

static void
add_name(const struct gcn_target *t, struct gcn_text *x, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const char *name = gcn_row_name(r);
	size_t len = strlen(name);

	if (!in->form) {
		gcn_add_text(x, name, len);
		return;
	}
	bool e32 = len > 4 && !strcmp(name + len - 4, "_e32");
	bool e64 = len > 4 && !strcmp(name + len - 4, "_e64");
	if (gcn_is_vop3(r->format)) {
		gcn_add(x, "%s%s_dpp", name, e64 ? "" : "_e64");
		return;
	}
	gcn_add(x, "%.*s", (int)(e32 ? len - 4 : len), name);
	/* As in LLVM, v_nop has no _dpp; its lane pattern shows the form. */
	if (in->form == GCN_FORM_SDWA)
		gcn_add(x, "_sdwa");
	else if (gcn_shapes[r->shape].n_op && (r->format != GCN_VOPC || t->gen < GCN_G11))
		gcn_add(x, "_dpp");
}

size_t
gcn_print(const struct gcn_target *t, const struct gcn_insn *in, char *text, size_t cap)
{
	struct gcn_text x = { text, cap, 0 };
	struct gcn_view o;

	if (cap)
		text[0] = '\0';
	add_name(t, &x, in);
	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
		size_t before = x.len + 2;
		if (o.field == GCN_F_Y_VDST)
			gcn_add(&x, " :: %s ", gcn_row_name(gcn_second_row(t, in)));
		else
			gcn_add_string(&x, i ? ", " : " ");
		add_operand(t, &x, in, &o);
		if (!i && x.len + 1 == before) {
			x.len--;
			if (x.len < cap)
				text[x.len] = '\0';
		}
	}
	gcn_modifiers_print(t, in, &x);
	return x.len;
}
