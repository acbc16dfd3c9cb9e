/* Draws the operands by rejection, one at a time. Then adds modifiers one by one and keeps each if
 * the encoder accepts the instruction. */
#include "random.h"

#include "words.h"

#include <stdio.h>

enum { TRIES = 400, OPERAND_TRIES = 24, SHORTER_TRIES = 16 };

struct field_list {
	unsigned n;
	struct gcn_bits bits[2 * GCN_MAX_FIELDS];
};

static void
add_fields(struct field_list *l, const struct gcn_layout *layout)
{
	for (unsigned i = 0; layout && i < layout->n_fields; i++) {
		if (layout->bits[i].field != GCN_F_OP)
			l->bits[l->n++] = layout->bits[i];
	}
}

static struct field_list
fields_of(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	struct field_list l = { 0 };

	add_fields(&l, gcn_layout_of(t, r->format));
	if (in->form == GCN_FORM_DPP16)
		add_fields(&l, gcn_layout_of(t, GCN_DPP16));
	else if (in->form == GCN_FORM_DPP8)
		add_fields(&l, gcn_layout_of(t, GCN_DPP8));
	else if (in->form == GCN_FORM_SDWA)
		add_fields(&l, gcn_layout_of(t, r->format == GCN_VOPC ? GCN_SDWAB : GCN_SDWA));
	return l;
}

static unsigned
pick_form(struct dice *d, const struct gcn_target *t, const struct gcn_row *r)
{
	unsigned form[4] = { GCN_FORM_BASE }, n = 1;

	if (gcn_row_dpp16(r) & t->class_bit)
		form[n++] = GCN_FORM_DPP16;
	if (gcn_row_dpp8(r) & t->class_bit)
		form[n++] = GCN_FORM_DPP8;
	if (gcn_row_sdwa(r) & t->class_bit)
		form[n++] = GCN_FORM_SDWA;
	return dice_below(d, 2) ? GCN_FORM_BASE : form[dice_below(d, n)];
}

static void
set_key(struct dice *d, struct gcn_insn *in)
{
	static const uint32_t key[] = {
		[GCN_FORM_DPP16] = 250, [GCN_FORM_DPP8] = 233, [GCN_FORM_SDWA] = 249
	};

	if (in->form)
		in->field[GCN_F_SRC0] =
			key[in->form] + (in->form == GCN_FORM_DPP8 && dice_below(d, 2));
}

/* Initializes the modifiers of DPP and SDWA to values that are always legal. */
static void
start(struct dice *d, const struct gcn_target *t, unsigned row, unsigned form, struct gcn_insn *in)
{
	memset(in, 0, sizeof *in);
	in->row = (uint16_t)row;
	if (gcn_is_vop3(gcn_rows[row].format) && gcn_rows[row].format != GCN_VOP3 &&
	    !(gcn_rows[row].mods & (M_MATRIX | M_MIXSEL | M_LDSCALE | M_FMT)))
		gcn_set_op_sel_hi(in, 7);
	if (opcode_field(t, row) != GCN_F_OP) {
		/* any opcode for the first half; the target has not all of them */
		do
			in->row = (uint16_t)gcn_row_find(t, gcn_rows[row].format, dice_below(d, 11));
		while (in->row == GCN_N_ROW);
		in->field[opcode_field(t, row)] = gcn_rows[row].op[t->gen];
	}
	in->form = (uint8_t)form;
	in->field[GCN_F_SEL_0] = in->field[GCN_F_SEL_1] = in->field[GCN_F_DSTSEL] =
		form == GCN_FORM_SDWA ? 6 : 0;
	set_key(d, in);
}

static uint32_t
value(struct dice *d, const struct gcn_bits *b)
{
	return b->width < 32 ? likely_value(d, b->width) : dice32(d);
}

/* Draws a value for the field of operand i that the operand's check accepts, if possible. */
static bool
fill_operand(struct dice *d, const struct gcn_target *t, struct gcn_insn *in, unsigned i,
	     const struct field_list *l)
{
	struct gcn_view o;

	if (!gcn_operand_view(t, in, i, &o))
		return false;
	for (unsigned k = 0; k < l->n; k++) {
		if (l->bits[k].field != o.field)
			continue;
		for (unsigned n = 0; n < OPERAND_TRIES; n++) {
			in->field[o.field] = value(d, &l->bits[k]);
			gcn_operand_view(t, in, i, &o);
			if (!gcn_operand_check(t, &o))
				break;
		}
	}
	return true;
}

static bool
encodes(const struct gcn_target *t, const struct gcn_insn *in, struct sample *out, char why[256])
{
	struct qd_error err = { 0 };
	bool ok = !gcn_encode(t, in, out->w, &out->n_words, &err);

	if (!ok)
		snprintf(why, 256, "%.255s", err.text);
	return ok;
}

static bool
first_legal(struct dice *d, const struct gcn_target *t, unsigned row, struct gcn_insn *in,
	    struct sample *out, char why[256])
{
	unsigned form = pick_form(d, t, &gcn_rows[row]);
	struct field_list l;

	for (unsigned tries = 0; tries < TRIES; tries++) {
		start(d, t, row, tries < TRIES / 2 ? form : GCN_FORM_BASE, in);
		if (gcn_rows[row].format == GCN_VOP3P && !(gcn_rows[row].mods & (M_LDSCALE | M_FMT)) &&
		    tries % 2) {
			/* op_sel_hi of all three sources */
			in->field[GCN_F_OPSEL] = 8;
			in->field[GCN_F_OMOD] = 3;
		}
		l = fields_of(t, in);
		in->field[GCN_F_LIT] = dice32(d) | 0x01000000;
		if (dice_below(d, 2))
			in->field[GCN_F_LIT] &= 0xffff;
		for (unsigned i = 0; fill_operand(d, t, in, i, &l); i++)
			;
		for (unsigned i = 0; i < l.n && tries > TRIES / 4; i++) {
			if (!in->field[l.bits[i].field] && !dice_below(d, 4))
				in->field[l.bits[i].field] = value(d, &l.bits[i]);
		}
		set_key(d, in);
		if (encodes(t, in, out, why))
			return true;
	}
	return false;
}

static void
vary(struct dice *d, const struct gcn_target *t, unsigned row, struct gcn_insn *in,
     struct sample *out)
{
	struct field_list l = fields_of(t, in);
	char why[256];

	for (unsigned i = 0; i < l.n; i++) {
		struct gcn_bits b = l.bits[dice_below(d, l.n)];
		uint32_t before = in->field[b.field];
		if ((b.field == GCN_F_SRC0 && in->form) || (b.field == GCN_F_OPY && in->row != row))
			continue;
		in->field[b.field] = value(d, &b);
		if (!encodes(t, in, out, why))
			in->field[b.field] = before;
	}
}

bool
gcn_random(struct dice *d, const struct gcn_target *t, unsigned row, struct sample *out,
	   char why[256])
{
	struct qd_error err = { 0 };
	struct gcn_insn in, back;
	char text[sizeof out->text];

	for (unsigned tries = 0; tries < SHORTER_TRIES; tries++) {
		if (!first_legal(d, t, row, &in, out, why))
			return false;
		vary(d, t, row, &in, out);
		if (!encodes(t, &in, out, why) ||
		    gcn_decode(t, out->w, (size_t)out->n_words, &back) != out->n_words) {
			snprintf(why, 256, "!%08x %08x: encoded, but not decoded", out->w[0], out->w[1]);
			return false;
		}
		gcn_print(t, &back, out->text, sizeof out->text);
		out->insn = back;
		if (has_short_constant(t, &back))
			continue;
		if (gcn_parse(t, out->text, &out->insn, &err)) {
			snprintf(why, 256, "!%.100s: %.140s", out->text, err.text);
			return false;
		}
		/* A literal that equals an inline constant parses as the constant. */
		if (out->insn.n_words == back.n_words)
			break;
		/* Some rows have no text of their own: v_nop of two words. */
		out->insn = back;
	}
	if (!encodes(t, &out->insn, out, text)) {
		snprintf(why, 256, "!%.100s: %.140s", out->text, text);
		return false;
	}
	gcn_print(t, &out->insn, text, sizeof text);
	if (strcmp(text, out->text)) {
		snprintf(why, 256, "!%.110s reads back as %.110s", out->text, text);
		return false;
	}
	return true;
}
