/* Checks of DPP and SDWA: lane patterns, modifiers by the type of each source, parts of
 * registers. */
#include "table.h"

/* Returns whether a source is a float; a source without a type has that of the one before. */
static bool
float_source(const struct gcn_row *r, const struct gcn_views *ops, int src)
{
	unsigned type = T_NONE;

	for (unsigned i = 0; i < ops->n; i++) {
		if (ops->op[i].src >= 0 && ops->op[i].src <= src && ops->op[i].kind.type)
			type = ops->op[i].kind.type;
	}
	return gcn_is_float(type) || (gcn_row_mods(r) & M_NEG0);
}

static const char *
check_pattern(const struct gcn_target *t, uint32_t c)
{
	static const struct {
		uint16_t first, last;
		uint32_t has;
	} patterns[] = {
		{ 0x000, 0x0ff, ALL }, { 0x101, 0x10f, ALL }, { 0x111, 0x11f, ALL },
		{ 0x121, 0x12f, ALL }, { 0x130, 0x130, GFX9 }, { 0x134, 0x134, GFX9 },
		{ 0x138, 0x138, GFX9 }, { 0x13c, 0x13c, GFX9 }, { 0x140, 0x141, ALL },
		{ 0x142, 0x143, GFX9 }, { 0x150, 0x15f, ALL & ~GFX90 },
		{ 0x160, 0x16f, GFX10 | GFX11 | GFX12 },
	};

	for (size_t i = 0; i < QD_COUNT(patterns); i++) {
		if (c >= patterns[i].first && c <= patterns[i].last)
			return patterns[i].has & t->class_bit
				       ? NULL
				       : "the target has no such lane pattern";
	}
	return "no such lane pattern";
}

static const char *
check_dpp(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in,
	  const struct gcn_views *ops)
{
	bool newbcast = t->gen < GCN_G10 && in->field[GCN_F_CTRL] >> 4 == 0x15;

	/* Rows with DPP on gfx1251 alone are arithmetic of 64 bits. */
	bool wide = t->class_bit == C1251 && !(gcn_row_forms(r) & C1250);

	if (wide && in->field[GCN_F_CTRL] >> 4 != 0x15)
		return "DPP of 64 bits only as row_share";
	for (unsigned i = 0; i < ops->n && !wide && t->gen != GCN_G9 && !newbcast; i++) {
		if (ops->op[i].kind.n > 1 && ops->op[i].v >= 256 &&
		    (ops->op[i].src == 0 || t->gen < GCN_G10))
			return "a 64-bit operation takes no DPP except row_newbcast";
	}
	if (!gcn_is_vop3(r->format)) {
		bool first = float_source(r, ops, 0) || (gcn_row_mods(r) & M_INT0);
		bool second = r->format != GCN_VOP1 &&
			      (float_source(r, ops, 1) || (gcn_row_mods(r) & M_INT1));
		if ((!first && (in->field[GCN_F_X_NEG0] | in->field[GCN_F_X_ABS0])) ||
		    (!second && (in->field[GCN_F_X_NEG1] | in->field[GCN_F_X_ABS1])))
			return "neg and abs need a float operand";
	}
	return check_pattern(t, in->field[GCN_F_CTRL]);
}

static const char *
check_sdwa(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in,
	   const struct gcn_views *ops)
{
	const uint32_t *f = in->field;
	bool first = float_source(r, ops, 0), second = float_source(r, ops, 1);

	if (f[GCN_F_SEL_0] == 7 || f[GCN_F_SEL_1] == 7 || f[GCN_F_DSTSEL] == 7 ||
	    f[GCN_F_DSTU] == 3)
		return "no such part of a register";
	if ((gcn_row_mods(r) & M_WHOLE) && f[GCN_F_DSTSEL] != 6)
		return "only the whole register can be written";
	if (r->format == GCN_VOP1 &&
	    (f[GCN_F_SEL_1] | f[GCN_F_SEXT1] | f[GCN_F_X_NEG1] | f[GCN_F_X_ABS1] | f[GCN_F_S1]))
		return "unused bits must be clear";
	if (r->format == GCN_VOPC && t->gen >= GCN_G10 && f[GCN_F_SD] && ops->op[0].src >= 0)
		return "the instruction has no destination";
	if (f[GCN_F_X_OMOD] && !(gcn_row_mods(r) & M_OMOD))
		return "the instruction takes no output modifier";
	if ((first ? f[GCN_F_SEXT0] : f[GCN_F_X_NEG0] | f[GCN_F_X_ABS0]) ||
	    (r->format != GCN_VOP1 &&
	     (second ? f[GCN_F_SEXT1] : f[GCN_F_X_NEG1] | f[GCN_F_X_ABS1])))
		return "a float operand takes neg and abs, an integer operand takes sext";
	return NULL;
}

static bool
sdwa_bits(const uint32_t *f)
{
	static const uint8_t fields[] = { GCN_F_DSTSEL,  GCN_F_DSTU,   GCN_F_X_CLAMP, GCN_F_X_OMOD, GCN_F_SEL_0,
					  GCN_F_SEXT0,   GCN_F_X_NEG0, GCN_F_X_ABS0,  GCN_F_S0,	    GCN_F_SEL_1,
					  GCN_F_SEXT1,   GCN_F_X_NEG1, GCN_F_X_ABS1,  GCN_F_S1 };
	uint32_t any = 0;

	for (size_t i = 0; i < QD_COUNT(fields); i++)
		any |= f[fields[i]];
	return any != 0;
}

const char *
gcn_form_check(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in,
	       const struct gcn_views *ops)
{
	const uint32_t *f = in->field;

	/* The text of an instruction without operands cannot express these bits. */
	if (in->form != GCN_FORM_BASE && !ops->n &&
	    (f[GCN_F_X_SRC0] || (in->form == GCN_FORM_SDWA && sdwa_bits(f))))
		return "unused bits must be clear";
	switch (in->form) {
	case GCN_FORM_DPP16:
		return gcn_row_dpp16(r) & t->class_bit ? check_dpp(t, r, in, ops) : "no DPP here";
	case GCN_FORM_DPP8:
		return gcn_row_dpp8(r) & t->class_bit ? NULL : "no DPP8 here";
	case GCN_FORM_SDWA:
		return gcn_row_sdwa(r) & t->class_bit ? check_sdwa(t, r, in, ops) : "no SDWA here";
	default:
		return NULL;
	}
}
