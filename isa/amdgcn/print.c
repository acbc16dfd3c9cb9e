/* Fields to the text of LLVM 22. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>

struct text {
	char *at;
	size_t cap, len;
};

static void QD_PRINTF(2, 3)
add(struct text *x, const char *fmt, ...)
{
	size_t room = x->len < x->cap ? x->cap - x->len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? x->at + x->len : NULL, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		x->len += (size_t)n;
}

static const char *const sdwa_sel[8] = { "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1",
					 "DWORD", "?" };
static const char *const sdwa_unused[4] = { "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?" };

static void
add_vector(struct text *x, unsigned v, unsigned n)
{
	v -= 256;
	if (n == 1)
		add(x, "v%u", v);
	else
		add(x, "v[%u:%u]", v, v + n - 1);
}

static bool
is_16(unsigned type)
{
	return type == T_B16 || type == T_F16 || type == T_BF16;
}

/* The register or constant alone. */
static void
add_plain(const struct gcn_target *t, struct text *x, const struct gcn_insn *in,
	  const struct gcn_view *o)
{
	char name[40];
	bool half;

	switch (o->kind.bank) {
	case BANK_VL:
	case BANK_VSL:
		if (o->v >= 256) {
			add(x, "v%u.%c", o->v & 127, o->v & 128 ? 'h' : 'l');
			return;
		}
		break;
	case BANK_VH:
	case BANK_VSH:
		half = in->field[F_OPSEL] >> (o->src < 0 ? 3 : o->src) & 1;
		if (o->v >= 256) {
			add(x, "v%u.%c", o->v - 256, half ? 'h' : 'l');
			return;
		}
		break;
	default:
		break;
	}
	if (o->v >= 256) {
		add_vector(x, o->v, o->kind.n);
	} else if (o->v == GCN_LITERAL) {
		add(x, "0x%x", in->field[F_LIT] & (is_16(o->kind.type) ? 0xffff : 0xffffffff));
	} else {
		gcn_scalar_name(t, o->v, o->kind.n, o->kind.type, name);
		add(x, "%s", name);
	}
}

static bool
is_constant(unsigned v)
{
	return (v >= 128 && v <= 208) || (v >= 240 && v <= 248) || v == GCN_LITERAL;
}

static void
add_source(const struct gcn_target *t, struct text *x, const struct gcn_insn *in,
	   const struct gcn_view *o)
{
	bool neg = false, abs = false, sext = false;

	if (gcn_rows[in->row].format == VOP3 && o->src >= 0) {
		neg = in->field[F_NEG] >> o->src & 1;
		abs = !(gcn_rows[in->row].mods & M_VOP3B) && (in->field[F_ABS] >> o->src & 1);
	} else if (o->src == 0) {
		neg = in->field[F_X_NEG0];
		abs = in->field[F_X_ABS0];
		sext = in->field[F_SEXT0];
	} else if (o->src == 1) {
		neg = in->field[F_X_NEG1];
		abs = in->field[F_X_ABS1];
		sext = in->field[F_SEXT1];
	}
	if ((o->src == 0 && (gcn_rows[in->row].mods & M_INT0)) ||
	    (o->src == 1 && (gcn_rows[in->row].mods & M_INT1)) ||
	    (o->src == 2 && (gcn_rows[in->row].mods & M_INT2)))
		neg = abs = false;
	if (neg)
		add(x, is_constant(o->v) && !abs ? "neg(" : "-");
	if (abs)
		add(x, "|");
	if (sext)
		add(x, "sext(");
	add_plain(t, x, in, o);
	if (sext)
		add(x, ")");
	if (abs)
		add(x, "|");
	if (neg && is_constant(o->v) && !abs)
		add(x, ")");
}

static void
add_signed_hex(struct text *x, uint32_t v, unsigned width)
{
	if (v >> (width - 1) & 1)
		add(x, "-0x%x", (1u << width) - v);
	else
		add(x, "0x%x", v);
}

static void
add_smem_offset(const struct gcn_target *t, struct text *x, const struct gcn_insn *in)
{
	unsigned width = t->gen >= G12 ? 24 : 21, reg = in->field[F_SOFFSET];
	unsigned null = t->gen >= G11 ? 124 : 125;
	bool imm, soff;
	char name[40];

	if (t->gen < G10) {
		imm = in->field[F_IMM];
		soff = in->field[F_SOE];
		if (!imm && !soff) {
			soff = true;
			reg = in->field[F_OFFSET] & 127;
		}
	} else {
		soff = reg != null;
		imm = !soff || in->field[F_OFFSET];
	}
	if (soff) {
		gcn_scalar_name(t, reg, 1, T_NONE, name);
		add(x, "%s", name);
		if (imm)
			add(x, " offset:");
	}
	if (imm)
		add_signed_hex(x, in->field[F_OFFSET], width);
}

static void
add_operand(const struct gcn_target *t, struct text *x, const struct gcn_insn *in,
	    const struct gcn_view *o)
{
	char name[40], symbol[160];

	switch (o->kind.bank) {
	case BANK_LIT32:
		if (o->kind.type == T_NONE && gcn_rows[in->row].format == SOPK &&
		    in->field[F_LIT] + 16 <= 80)
			add(x, "%d", (int)(in->field[F_LIT] + 16) - 16);
		else
			add(x, "0x%x", in->field[F_LIT]);
		break;
	case BANK_LIT16:
		add(x, "0x%x", in->field[F_LIT]);
		break;

	case BANK_HEX16:
		add(x, "0x%x", o->v);
		break;
	case BANK_DEC16:
		add(x, o->v <= 64 ? "%u" : "0x%x", o->v);
		break;
	case BANK_BRANCH:
		add(x, "%u", o->v);
		break;
	case BANK_ENDPGM:
		if (o->v)
			add(x, "%u", o->v);
		break;
	case BANK_WAITCNT:
	case BANK_DELAY:
	case BANK_DEPCTR:
	case BANK_SENDMSG:
	case BANK_MSGRTN:
	case BANK_GPRIDX:
	case BANK_HWREG:
		gcn_symbol_text(t, o->kind.bank, o->v, symbol, sizeof symbol);
		add(x, "%s", symbol);
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
		gcn_scalar_name(t, o->v, o->kind.n, T_NONE, name);
		add(x, "%s", name);
		break;
	default:
		add_source(t, x, in, o);
		break;
	}
}

static void
add_dpp(const struct gcn_target *t, struct text *x, const struct gcn_insn *in)
{
	uint32_t c = in->field[F_CTRL];

	if (c <= 0xff)
		add(x, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6);
	else if (c < 0x110)
		add(x, " row_shl:%u", c & 15);
	else if (c < 0x120)
		add(x, " row_shr:%u", c & 15);
	else if (c < 0x130)
		add(x, " row_ror:%u", c & 15);
	else if (c < 0x140)
		add(x, " wave_%s:1", c == 0x130 ? "shl" : c == 0x134 ? "rol" : c == 0x138 ? "shr" : "ror");
	else if (c == 0x140)
		add(x, " row_mirror");
	else if (c == 0x141)
		add(x, " row_half_mirror");
	else if (c < 0x150)
		add(x, " row_bcast:%u", c == 0x142 ? 15 : 31);
	else if (c < 0x160)
		add(x, " row_%s:%u", t->gen >= G10 ? "share" : "newbcast", c & 15);
	else
		add(x, " row_xmask:%u", c & 15);
	add(x, " row_mask:0x%x bank_mask:0x%x", in->field[F_ROW], in->field[F_BANK]);
	if (in->field[F_BC])
		add(x, " bound_ctrl:1");
	if (in->field[F_FI] && t->gen >= G10)
		add(x, " fi:1");
}

static void
add_omod(struct text *x, uint32_t v)
{
	if (v)
		add(x, v == 1 ? " mul:2" : v == 2 ? " mul:4" : " div:2");
}

/* op_sel where the halves are not told by the registers' names. */
static void
add_op_sel(const struct gcn_target *t, struct text *x, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	uint32_t sel = in->field[F_OPSEL], shown = (r->mods / M_SEL0) & 15;
	unsigned n = 0;
	struct gcn_view o;

	if (r->format != VOP3 || (r->mods & (M_VOP3B | M_SELANY)))
		return;
	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
		if (o.src >= 0)
			n++;
	}
	if (!shown || !sel)
		return;
	add(x, " op_sel:[");
	for (unsigned i = 0; i < n; i++)
		add(x, "%s%u", i ? "," : "", sel >> i & 1);
	if ((r->mods & M_SEL3) || gcn_shapes[r->shape].op[0].kind == K_M)
		add(x, ",%u", sel >> 3 & 1);
	add(x, "]");
}

static void
add_modifiers(const struct gcn_target *t, struct text *x, const struct gcn_insn *in)
{
	static const char *const scope[4] = { "", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS" };
	static const char *const th[4] = { "", "TH_LOAD_NT", "TH_LOAD_HT", "TH_LOAD_LU" };
	const struct gcn_row *r = &gcn_rows[in->row];

	if (r->format == SMEM) {
		const struct gcn_shape *s = &gcn_shapes[r->shape];
		if (!s->n_op || s->op[s->n_op - 1].kind != K_SMEMOFF)
			return;
		if (in->field[F_GLC])
			add(x, " glc");
		if (in->field[F_DLC])
			add(x, " dlc");
		if (in->field[F_SOE] && t->gen >= G12)
			add(x, " scale_offset");
		if (in->field[F_TH])
			add(x, " th:%s", in->field[F_TH] == 3 && in->field[F_SCOPE] == 3
					 ? "TH_LOAD_BYPASS" : th[in->field[F_TH]]);
		if (in->field[F_SCOPE])
			add(x, " scope:%s", scope[in->field[F_SCOPE]]);
		if (in->field[F_NV] && t->gen >= G12)
			add(x, " nv");
		return;
	}
	if (r->format == DS) {
		uint32_t v = in->field[F_OFFSET];
		if (r->mods & M_OFF2) {
			if (v & 255)
				add(x, " offset0:%u", v & 255);
			if (v >> 8)
				add(x, " offset1:%u", v >> 8);
		} else if (v && (r->mods & M_OFF)) {
			add(x, " offset:%u", v);
		}
		if (in->field[F_GDS])
			add(x, " gds");
		return;
	}
	if (!gcn_is_valu(r->format))
		return;
	add_op_sel(t, x, in);
	if (r->format == VOP3) {
		if (in->field[F_CLAMP] && (r->mods & M_CLAMP))
			add(x, " clamp");
		add_omod(x, in->field[F_OMOD]);
	}
	if (in->form == FORM_DPP16) {
		add_dpp(t, x, in);
	} else if (in->form == FORM_DPP8) {
		add(x, " dpp8:[");
		for (unsigned i = 0; i < 8; i++)
			add(x, "%s%u", i ? "," : "", in->field[F_SEL8] >> (3 * i) & 7);
		add(x, "]%s", in->field[F_SRC0] == 234 ? " fi:1" : "");
	} else if (in->form == FORM_SDWA) {
		struct gcn_view o;
		if (in->field[F_X_CLAMP])
			add(x, " clamp");
		add_omod(x, in->field[F_X_OMOD]);
		if (r->format != VOPC)
			add(x, " dst_sel:%s dst_unused:%s", sdwa_sel[in->field[F_DSTSEL]],
			    sdwa_unused[in->field[F_DSTU]]);
		add(x, " src0_sel:%s", sdwa_sel[in->field[F_SEL_0]]);
		for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
			if (o.src == 1)
				add(x, " src1_sel:%s", sdwa_sel[in->field[F_SEL_1]]);
		}
	}
}

static void
add_name(const struct gcn_target *t, struct text *x, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	size_t len = strlen(r->name);
	bool e32 = len > 4 && !strcmp(r->name + len - 4, "_e32");
	bool e64 = len > 4 && !strcmp(r->name + len - 4, "_e64");

	if (!in->form) {
		add(x, "%s", r->name);
		return;
	}
	if (r->format == VOP3) {
		add(x, "%s%s_dpp", r->name, e64 ? "" : "_e64");
		return;
	}
	add(x, "%.*s", (int)(e32 ? len - 4 : len), r->name);
	if (in->form == FORM_SDWA)
		add(x, "_sdwa");
	else if (r->format != VOPC || t->gen < G11)
		add(x, "_dpp");
}

size_t
gcn_print(const struct gcn_target *t, const struct gcn_insn *in, char *text, size_t cap)
{
	struct text x = { text, cap, 0 };
	struct gcn_view o;

	if (cap)
		text[0] = '\0';
	add_name(t, &x, in);
	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
		size_t before = x.len + 2;
		add(&x, i ? ", " : " ");
		add_operand(t, &x, in, &o);
		if (!i && x.len + 1 == before && before <= cap) {
			x.len--;
			text[x.len] = '\0';
		}
	}
	add_modifiers(t, &x, in);
	return x.len;
}
