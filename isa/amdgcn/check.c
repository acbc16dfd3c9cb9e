/* Checks of whole instructions: modifiers that the row has, bits that must be clear, forms that
 * the target supports. */
#include "table.h"

/* Checks offset, policy, and a number in SDST, which gfx12 limits to 5 bits. */
static const char *
check_smem(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	bool offset = false, buffer = false, number = false;

	for (unsigned i = 0; i < s->n_op; i++) {
		offset |= s->op[i].field == GCN_F_OFFSET;
		buffer |= s->op[i].field == GCN_F_SBASE && gcn_kinds[s->op[i].kind].n == 4;
		number |= s->op[i].field == GCN_F_SDST && s->op[i].kind == K_DEC16;
	}
	if ((!offset && in->field[GCN_F_IMM]) ||
	    (t->gen == GCN_G11 && !(gcn_row_mods(r) & M_CPOL) &&
	     (in->field[GCN_F_GLC] || in->field[GCN_F_DLC])))
		return "unused bits must be clear";
	if (t->gen >= GCN_G12 && buffer && in->field[GCN_F_OFFSET] >> 23)
		return "the offset from a buffer cannot be negative";
	if (t->gen >= GCN_G12 && number && in->field[GCN_F_SDST] > 31)
		return "the number must be below 32";
	return NULL;
}

/* Checks that unused fields are clear if LLVM's decoder requires it. */
static const char *
check_unused(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	static const uint8_t ds[] = { GCN_F_ADDR, GCN_F_DATA0, GCN_F_DATA1, GCN_F_VDST };
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (!s->n_op && (r->format == GCN_SOPP || r->format == GCN_VOP1) &&
	    (in->field[GCN_F_SIMM] || in->field[GCN_F_VDST]))
		return "unused bits must be clear";
	if (r->format == GCN_TENSOR && (in->field[GCN_F_X_ZERO] || in->field[GCN_F_X_ZERO1]))
		return "unused bits must be clear";
	if (r->format == GCN_DS) {
		for (size_t i = 0; i < sizeof ds; i++) {
			bool used = false;
			for (unsigned k = 0; k < s->n_op; k++)
				used |= s->op[k].field == ds[i];
			if (!used && in->field[ds[i]])
				return "unused bits must be clear";
		}
		if ((in->field[GCN_F_GDS] &&
		     (t->gen >= GCN_G12 || !(gcn_row_mods(r) & (M_GDS | M_GDSONLY)))) ||
		    (!in->field[GCN_F_GDS] && (gcn_row_mods(r) & M_GDSONLY)) ||
		    (in->field[GCN_F_OFFSET] && !(gcn_row_mods(r) & (M_OFF | M_OFF2 | M_SWIZZLE))))
			return "unused bits must be clear";
	}
	return NULL;
}

/* Checks the order of the halves, and that a half leaves the fields of missing sources clear. */
static const char *
check_second(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *x = &gcn_rows[in->row], *y = gcn_second_row(t, in);
	unsigned n_x = gcn_shapes[x->shape].n_op, n_y = y ? gcn_shapes[y->shape].n_op : 0;

	if (!y)
		return "the instruction cannot be the second half of a dual instruction";
	if ((gcn_row_mods(x) & M_SECOND) || (gcn_row_mods(y) & M_FIRST))
		return "only as the other half of a dual instruction";
	if ((n_x < 3 && in->field[GCN_F_VSRC1]) || (n_x < 4 && in->field[GCN_F_VSRC2]) ||
	    (n_y < 3 && in->field[GCN_F_Y_VSRC1]) ||
	    (n_y < 4 && in->field[GCN_F_Y_VSRC2] && !(gcn_row_mods(y) & M_BITOP3)) ||
	    (in->field[GCN_F_NEG] & ~(gcn_row_mods(x) / M_NEG0) & 7) ||
	    (in->field[GCN_F_Y_NEG] & ~(gcn_row_mods(y) / M_NEG0) & 7))
		return "unused bits must be clear";
	return NULL;
}

const char *
gcn_insn_check(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	const char *why;

	if (!(gcn_row_has(r) & t->class_bit) || r->op[t->gen] == GCN_NA)
		return "the target has no such instruction";
	if (gcn_is_dual(r->format) && t->wave != 32)
		return "dual instructions need waves of 32 lanes";
	if (r->format == GCN_VOPD && r->op[t->gen] > 15)
		return "the instruction must be the second half of a dual instruction";
	if (gcn_is_dual(r->format) && (why = check_second(t, in)))
		return why;
	if (in->form != gcn_form_of(t, r, in->field[GCN_F_SRC0]))
		return "the first source belongs to another form";
	why = gcn_form_check(t, r, in, ops);
	if (why)
		return why;
	if (ops->literal && in->form)
		return "DPP and SDWA take no literal";
	if (ops->literal && gcn_is_vop3(r->format) && t->gen < GCN_G10)
		return "VOP3 takes no literal on this target";
	if (ops->literal == 3 || (ops->literal == 2 && gcn_is_vop3(r->format)))
		return ops->literal == 3 ? "two literals differ in width"
					 : "VOP3 takes no 64-bit literal";
	for (unsigned i = 0; i < ops->n; i++) {
		struct gcn_view o = ops->op[i];
		why = gcn_operand_check(t, &o);
		if (why)
			return why;
		if (r->format == GCN_VOP3P && in->form && o.v < 256 &&
		    ((o.src == 1 && (gcn_row_mods(r) & (M_MIXSEL | M_HIONES))) ||
		     (o.src == 2 && (gcn_row_mods(r) & M_HIONES))))
			return "expected a vector register";
	}
	why = gcn_is_vmem(r->format) ? gcn_memory_check(t, in, ops) : check_unused(t, r, in);
	if (!why && r->format == GCN_SMEM)
		why = check_smem(t, r, in);
	if (why)
		return why;
	if (r->format == GCN_DS && in->field[GCN_F_ACC] && !gcn_takes_acc(t, ops))
		return "the instruction takes no accumulation register";
	if (r->format == GCN_SOPP && s->n_op && s->op[0].kind == K_DELAY &&
	    ((in->field[GCN_F_SIMM] & 15) > 11 || (in->field[GCN_F_SIMM] >> 4 & 7) > 5 ||
	     (in->field[GCN_F_SIMM] >> 7 & 15) > 11))
		return "no such delay";
	if (r->format == GCN_VOP3 && (why = gcn_vop3_check(t, r, in)))
		return why;
	if (r->format == GCN_VOP3P || gcn_is_scaled(r->format))
		return gcn_packed_check(t, r, in);
	return NULL;
}
