/* Decodes words to fields. The decoder applies the encoder's checks of operands and modifiers;
 * words that fail them are not an instruction. */
#include "table.h"

static uint32_t
get(const uint32_t *w, unsigned lo, unsigned width)
{
	uint32_t v = w[lo / 32] >> (lo % 32);

	return width == 32 ? v : v & ((1u << width) - 1);
}

static void
get_all(const struct gcn_layout *l, const uint32_t *w, struct gcn_insn *out)
{
	for (unsigned i = 0; i < l->n_fields; i++)
		out->field[l->bits[i].field] |= get(w, l->bits[i].lo, l->bits[i].width)
						<< l->bits[i].from;
}

/* Returns whether the first source's field contains a source. */
static bool
reads_source(const struct gcn_row *r)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	for (unsigned i = 0; i < s->n_op; i++) {
		if (s->op[i].field == GCN_F_SRC0)
			return gcn_kinds[s->op[i].kind].bank != BANK_ATTR;
	}
	return false;
}

enum gcn_form
gcn_form_of(const struct gcn_target *t, const struct gcn_row *r, uint32_t src0)
{
	if (src0 < 233 || src0 > 250 || !gcn_has_forms(r->format))
		return GCN_FORM_BASE;
	/* v_nop has no source, but before gfx11 its field still selects DPP or SDWA. */
	if (!reads_source(r) && !(gcn_shapes[r->shape].n_op == 0 && gcn_row_dpp16(r) & t->class_bit))
		return GCN_FORM_BASE;
	if (src0 == 250)
		return GCN_FORM_DPP16;
	if (src0 == 249 && !gcn_is_vop3(r->format) && t->gen < GCN_G11)
		return GCN_FORM_SDWA;
	if ((src0 == 233 || src0 == 234) && t->gen >= GCN_G10)
		return GCN_FORM_DPP8;
	return GCN_FORM_BASE;
}

/* Decodes the DPP or SDWA word, which follows the format's words. */
static bool
decode_form(const struct gcn_target *t, const struct gcn_layout *l, const uint32_t *w, size_t n,
	    struct gcn_insn *out)
{
	enum gcn_form form = gcn_form_of(t, &gcn_rows[out->row], out->field[GCN_F_SRC0]);

	out->form = (uint8_t)form;
	if (form == GCN_FORM_BASE)
		return true;
	if (n < l->n_words + 1u)
		return false;
	get_all(gcn_layout_of(t, gcn_form_format(form, l->format)), w + l->n_words, out);
	out->n_words++;
	return true;
}

/* Returns whether a matrix instruction with scales has known operands that are in the wrong place.
 * Its words are not two instructions then. */
static bool
is_misplaced(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	for (unsigned i = 0; i < ops->n; i++) {
		const struct gcn_view *o = &ops->op[i];
		uint32_t odd = o->v < 124 ? o->kind.n > 2 ? 3 : o->kind.n - 1u : 0; /* bits that LLVM ignores */
		if (o->v < 256 && !gcn_scalar_is(t, o->v & ~odd, o->kind.n, T_B32))
			return false;
	}
	return gcn_is_scaled(r->format) && !gcn_packed_check(t, r, in);
}

static int
decode_as(const struct gcn_target *t, const struct gcn_layout *l, const uint32_t *w, size_t n,
	  struct gcn_insn *out)
{
	struct gcn_views ops;
	unsigned row, fixed;
	uint32_t value;

	memset(out, 0, sizeof *out);
	get_all(l, w, out);
	row = gcn_row_find(t, l->format, out->field[GCN_F_OP]);
	if (row == GCN_N_ROW)
		return 0;
	fixed = gcn_fixed_field(&gcn_rows[row], &value);
	if (fixed && out->field[fixed] != value)
		return 0;
	out->row = (uint16_t)row;
	out->n_words = l->n_words;
	if (!decode_form(t, l, w, n, out))
		return 0;
	gcn_operand_views(t, out, &ops);
	if (n < out->n_words + ops.literal)
		return 0;
	for (unsigned i = 0; i < ops.literal; i++)
		out->field[i ? GCN_F_LIT_HI : GCN_F_LIT] = w[out->n_words++];
	if (gcn_row_mods(&gcn_rows[row]) & M_CMPX)
		out->field[GCN_F_VDST] = 126; /* ignored: the destination is exec */
	if (!gcn_insn_check(t, out, &ops))
		return out->n_words;
	return is_misplaced(t, out, &ops) ? -1 : 0;
}

int
gcn_decode(const struct gcn_target *t, const uint32_t *w, size_t n, struct gcn_insn *out)
{
	size_t i = n ? gcn_first_layout[t->gen][w[0] >> 26] : gcn_n_layouts;
	int n_words = 0;

	if (!n)
		memset(out, 0, sizeof *out);
	for (; i < gcn_n_layouts && !n_words; i++) {
		const struct gcn_layout *l = &gcn_layouts[i];
		if ((l->gens & 1u << t->gen) && (w[0] & l->mask) == l->match && n >= l->n_words &&
		    (!l->mask2 || (w[2] & l->mask2) == l->match2))
			n_words = decode_as(t, l, w, n, out);
	}
	return n_words > 0 ? n_words : 0;
}
