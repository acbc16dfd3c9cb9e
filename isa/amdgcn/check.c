/* What a target takes as a whole instruction: modifiers that the row has, bits
 * that must be clear, forms that the target knows. */
#include "table.h"

/* Lane patterns by generation. */
static const char *
check_dpp_ctrl(const struct gcn_target *t, const struct gcn_insn *in)
{
	uint32_t c = in->field[F_CTRL];

	if (c <= 0xff)
		return NULL;
	if (c > 0x100 && c < 0x130 && (c & 15))
		return NULL;
	if (t->gen < G10 && (c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c))
		return NULL;
	if (c == 0x140 || c == 0x141)
		return NULL;
	if (t->gen < G10 && (c == 0x142 || c == 0x143))
		return NULL;
	if (c >= 0x150 && c < 0x160 && t->gen != G9)
		return NULL;
	if (c >= 0x160 && c < 0x170 && t->gen >= G10)
		return NULL;
	return "no such lane pattern on this target";
}

static bool
is_float(unsigned type)
{
	return type == T_F16 || type == T_F32 || type == T_F64 || type == T_BF16 ||
	       type == T_V2F16;
}

/* An offset, a policy that the row does not have; numbers that gfx12 cut. */
static const char *
check_smem(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	bool offset = false, buffer = false, number = false;

	for (unsigned i = 0; i < s->n_op; i++) {
		offset |= s->op[i].field == F_OFFSET;
		buffer |= s->op[i].field == F_SBASE && gcn_kinds[s->op[i].kind].n == 4;
		number |= s->op[i].field == F_SDST && s->op[i].kind == K_DEC16;
	}
	if ((!offset && in->field[F_IMM]) ||
	    (t->gen == G11 && !(r->mods & M_CPOL) && (in->field[F_GLC] || in->field[F_DLC])))
		return "unused bits must be clear";
	if (t->gen >= G12 && buffer && in->field[F_OFFSET] >> 23)
		return "the offset from a buffer cannot be negative";
	if (t->gen >= G12 && number && in->field[F_SDST] > 31)
		return "the number must be below 32";
	return NULL;
}

/* What the row does not use must be clear where the decoder of the reference
 * looks at it. */
static const char *
check_unused(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	static const uint8_t ds[] = { F_ADDR, F_DATA0, F_DATA1, F_VDST };
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	bool fl[2] = { false, false };
	struct gcn_view o;

	if (!s->n_op && (r->format == SOPP || r->format == VOP1) &&
	    (in->field[F_SIMM] || in->field[F_VDST]))
		return "unused bits must be clear";
	if (r->format == VOPC && in->form == FORM_SDWA && t->gen >= G10 && in->field[F_SD] &&
	    s->op[0].kind != K_VCC)
		return "no destination here";
	if (r->format == DS) {
		for (size_t i = 0; i < sizeof ds; i++) {
			bool used = false;
			for (unsigned k = 0; k < s->n_op; k++)
				used |= s->op[k].field == ds[i];
			if (!used && in->field[ds[i]])
				return "unused bits must be clear";
		}
		if ((in->field[F_GDS] && (t->gen >= G12 || !(r->mods & (M_GDS | M_GDSONLY)))) ||
		    (!in->field[F_GDS] && (r->mods & M_GDSONLY)) ||
		    (in->field[F_OFFSET] && !(r->mods & (M_OFF | M_OFF2 | M_SWIZZLE))))
			return "unused bits must be clear";
	}
	if (in->form != FORM_SDWA && in->form != FORM_DPP16)
		return NULL;
	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
		if (o.src == 0)
			fl[0] = fl[1] = is_float(gcn_kinds[s->op[i].kind].type);
	}
	if (r->mods & M_NEG0)
		fl[0] = fl[1] = true;
	if (in->form == FORM_DPP16 && r->format != VOP3) {
		if (r->format == VOP1)
			fl[1] = false;
		fl[0] = fl[0] || (r->mods & M_INT0);
		fl[1] = fl[1] || (r->mods & M_INT1);
		if ((!fl[0] && (in->field[F_X_NEG0] | in->field[F_X_ABS0])) ||
		    (!fl[1] && (in->field[F_X_NEG1] | in->field[F_X_ABS1])))
			return "neg and abs are for floats";
	}
	if (in->form == FORM_SDWA) {
		if (in->field[F_SEL_0] == 7 || in->field[F_SEL_1] == 7 ||
		    in->field[F_DSTSEL] == 7 || in->field[F_DSTU] == 3)
			return "no such part of a register";
		if (r->format == VOP1 && t->gen < G10 &&
		    (in->field[F_SEL_1] | in->field[F_SEXT1] | in->field[F_X_NEG1] |
		     in->field[F_X_ABS1] | in->field[F_X_ZERO1] | in->field[F_S1]))
			return "unused bits must be clear";
		if ((!fl[0] || (r->mods & M_NEG0)) && in->field[F_X_OMOD])
			return "no output modifier here";
		if (fl[0] ? in->field[F_SEXT0] : in->field[F_X_NEG0] | in->field[F_X_ABS0])
			return "a float takes neg and abs, an integer sext";
		if (fl[1] ? in->field[F_SEXT1] : in->field[F_X_NEG1] | in->field[F_X_ABS1])
			return "a float takes neg and abs, an integer sext";
	}
	return NULL;
}

/* A half without a second source leaves its place clear. */
static const char *
check_second(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *y = gcn_second_row(t, in);

	if (!y)
		return "no such second half of a dual instruction";
	if ((gcn_shapes[gcn_rows[in->row].shape].n_op < 3 && in->field[F_VSRC1]) ||
	    (gcn_shapes[y->shape].n_op < 3 && in->field[F_Y_VSRC1]))
		return "unused bits must be clear";
	return NULL;
}

const char *
gcn_insn_check(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	const char *why;

	if (!(r->has & t->class_bit) || r->op[t->gen] == GCN_NA)
		return "the target has no such instruction";
	if (r->format == VOPD && t->wave != 32)
		return "dual instructions are for waves of 32";
	if (r->format == VOPD && r->op[t->gen] > 15)
		return "only as the second half of a dual instruction";
	if (r->format == VOPD && (why = check_second(t, in)))
		return why;
	if (in->form != gcn_form_of(t, r->format, in->field[F_SRC0]))
		return "the first source tells of another form";
	if (in->form == FORM_DPP16 && !(r->dpp16 & t->class_bit))
		return "no DPP here";
	if (in->form == FORM_DPP8 && !(r->dpp8 & t->class_bit))
		return "no DPP8 here";
	if (in->form == FORM_SDWA && !(r->sdwa & t->class_bit))
		return "no SDWA here";
	for (unsigned i = 0; i < ops->n; i++) {
		struct gcn_view o = ops->op[i];
		why = gcn_operand_check(t, &o);
		if (why)
			return why;
		if (in->form && o.src >= 0 && o.v == GCN_LITERAL)
			return "no literal beside DPP or SDWA";
		if (in->form == FORM_DPP16 && o.kind.n > 1 && o.src == 0 && t->gen != G9 &&
		    (t->gen >= G10 || in->field[F_CTRL] - 0x150 > 15))
			return "DPP of 64 bits only as row_newbcast";
		if (gcn_is_vop3(r->format) && o.v == GCN_LITERAL && o.src >= 0 && t->gen < G10)
			return "VOP3 takes no literal on this target";
		if (r->format == VOP3P && in->form && o.v < 256 &&
		    ((o.src == 1 && (r->mods & (M_MIXSEL | M_HIONES))) ||
		     (o.src == 2 && (r->mods & M_HIONES))))
			return "a vector register is wanted";
	}
	why = gcn_is_vmem(r->format) ? gcn_memory_check(t, in, ops) : check_unused(t, r, in);
	if (!why && r->format == SMEM)
		why = check_smem(t, r, in);
	if (why)
		return why;
	if (r->format == DS && in->field[F_ACC] && !gcn_takes_acc(t, ops))
		return "no accumulation register here";
	if (r->format == SOPP && s->n_op && s->op[0].kind == K_DELAY &&
	    ((in->field[F_SIMM] & 15) > 11 || (in->field[F_SIMM] >> 4 & 7) > 5 ||
	     (in->field[F_SIMM] >> 7 & 15) > 11))
		return "no such delay";
	if (r->format == VOP3 && (why = gcn_vop3_check(t, r, in)))
		return why;
	if ((r->format == VOP3P || r->format == VOP3PX) && (why = gcn_packed_check(t, r, in)))
		return why;
	if (in->form == FORM_DPP16 && (why = check_dpp_ctrl(t, in)))
		return why;
	return NULL;
}
