/* Random words for the disassembler. Half of them are uniform; the others are filled by kind of
 * field with values that are likely to be legal, since most formats reject random bits in every
 * field. */
#include "words.h"

enum style { UNIFORM, LIKELY, SPARSE, N_STYLES };

/* Operand numbers with a meaning: vcc, m0, null, exec, constants, literal, keys of DPP and SDWA. */
static const uint8_t special[] = { 102, 104, 106, 107, 108, 123, 124, 125, 126, 127, 128, 129, 192,
				   193, 208, 230, 231, 235, 238, 240, 242, 247, 248, 251, 252, 253,
				   254, 255, 233, 234, 249, 250 };

static uint32_t
scalar(struct dice *d)
{
	switch (dice_below(d, 6)) {
	case 0:
		return dice_below(d, 128);
	case 1:
		return dice_below(d, 26) * 4;
	case 2:
		return dice_below(d, 53) * 2;
	case 3:
		return 128 + dice_below(d, 81);
	default:
		return special[dice_below(d, sizeof special)];
	}
}

uint32_t
likely_value(struct dice *d, unsigned width)
{
	uint32_t all = width >= 32 ? 0xffffffff : (1u << width) - 1;

	switch (width) {
	case 1:
	case 2:
	case 3:
	case 4:
		return dice32(d) & all;
	case 9:
		if (!dice_below(d, 16))
			return dice_below(d, 4);
		if (dice_below(d, 2))
			return 256 + dice_below(d, 256);
		return scalar(d);
	case 7:
	case 8:
		/* m0, null and exec_hi: "no register" of one format or another */
		if (width == 7 && !dice_below(d, 4))
			return 124 + dice_below(d, 4);
		switch (dice_below(d, 4)) {
		case 0:
			return dice32(d) & all;
		case 1:
			return dice_below(d, 8) & all;
		case 2:
			return dice32(d) & all & ~3u;
		default:
			return scalar(d) & all;
		}
	default:
		switch (dice_below(d, 6)) {
		case 0:
			return 0;
		case 1:
			return dice_below(d, 8);
		case 2:
			return all - dice_below(d, 3);
		case 3:
			return (all ^ all >> 1) + dice_below(d, 2);
		default:
			return dice32(d) & all;
		}
	}
}

static void
fill(struct dice *d, const struct gcn_layout *l, enum style style, uint32_t *w)
{
	unsigned zeros = style == SPARSE ? 6 : 2; /* of 8 */

	for (unsigned i = 0; l && i < l->n_fields; i++) {
		const struct gcn_bits *b = &l->bits[i];
		bool zero = dice_below(d, 8) < (b->width == 9 ? zeros / 2 : zeros);
		bits_set(w, b->lo, b->width, zero ? 0 : likely_value(d, b->width));
	}
}

/* Fills the word that DPP or SDWA adds after the format's own words. */
static void
fill_form(struct dice *d, const struct gcn_target *t, const struct gcn_layout *l, uint32_t w[N_WORDS])
{
	static const uint16_t pattern[] = { 0x100, 0x110, 0x120, 0x130, 0x140, 0x150, 0x160 };
	const struct gcn_layout *form = NULL;
	uint32_t key = 0;

	for (unsigned i = 0; i < l->n_fields; i++) {
		if (l->bits[i].field == GCN_F_SRC0 && l->bits[i].width == 9)
			key = w[l->bits[i].lo / 32] >> l->bits[i].lo % 32 & 511;
	}
	if (key == 249)
		form = gcn_layout_of(t, GCN_SDWA);
	else if (key == 250)
		form = gcn_layout_of(t, GCN_DPP16);
	else if (key == 233 || key == 234)
		form = gcn_layout_of(t, GCN_DPP8);
	if (!form)
		return;
	w += l->n_words;
	fill(d, form, LIKELY, w);
	if (form->format == GCN_DPP16 && dice_below(d, 2)) {
		uint32_t base = pattern[dice_below(d, 7)];
		bits_set(w, 8, 9, base + dice_below(d, 16));
	}
}

static bool
words(struct dice *d, const struct gcn_target *t, unsigned encoding, int opcode, enum style style,
      uint32_t w[N_WORDS])
{
	const struct gcn_layout *l = encoding_layout(t, encoding);

	for (unsigned i = 0; i < N_WORDS; i++)
		w[i] = dice32(d);
	if (style != UNIFORM && l) {
		fill(d, l, style, w);
	} else if (style != UNIFORM) {
		/* Sets few bits of encodings without a layout in qd's tables. */
		for (unsigned i = 0; i < N_WORDS; i++) {
			w[i] &= dice32(d);
			w[i] &= style == SPARSE ? dice32(d) : 0xffffffff;
		}
	}
	if (!encoding_set(t, encoding, opcode, w))
		return false;
	if (l && style != UNIFORM)
		w[2] = (w[2] & ~l->mask2) | l->match2;
	if (l && style != UNIFORM)
		fill_form(d, t, l, w);
	return true;
}

bool
words_of_encoding(struct dice *d, const struct gcn_target *t, unsigned encoding, uint32_t w[N_WORDS])
{
	enum style style = dice_below(d, 2) ? UNIFORM : 1 + dice_below(d, N_STYLES - 1);
	int opcode = -1;

	if (style != UNIFORM)
		opcode = (int)dice_below(d, encoding_n_opcodes(encoding));
	return words(d, t, encoding, opcode, style, w);
}

bool
words_of_opcode(struct dice *d, const struct gcn_target *t, unsigned encoding, unsigned opcode,
		uint32_t w[N_WORDS])
{
	return words(d, t, encoding, (int)opcode, dice_below(d, N_STYLES), w);
}

enum gcn_field
opcode_field(const struct gcn_target *t, unsigned row)
{
	const struct gcn_row *r = &gcn_rows[row];
	bool second = r->format == GCN_VOPD && r->op[t->gen] > 15;

	return second || (gcn_row_mods(r) & M_SECOND) ? GCN_F_OPY : GCN_F_OP;
}

void
words_near(struct dice *d, const uint32_t like[N_WORDS], uint32_t w[N_WORDS])
{
	memcpy(w, like, N_WORDS * sizeof *w);
	for (unsigned i = 1 + dice_below(d, 3); i; i--) {
		unsigned bit = dice_below(d, dice_below(d, 4) ? 64 : 128);
		w[bit / 32] ^= 1u << bit % 32;
	}
}

bool
words_of_row(struct dice *d, const struct gcn_target *t, unsigned row, uint32_t w[N_WORDS])
{
	const struct gcn_layout *l = gcn_layout_of(t, gcn_rows[row].format);
	enum style style = dice_below(d, N_STYLES);

	if (!l)
		return false;
	for (unsigned i = 0; i < N_WORDS; i++)
		w[i] = dice32(d);
	if (style != UNIFORM)
		fill(d, l, style, w);
	w[0] = (w[0] & ~l->mask) | l->match;
	w[2] = (w[2] & ~l->mask2) | l->match2;
	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct gcn_bits *b = &l->bits[i];
		if (b->field == opcode_field(t, row))
			bits_set(w, b->lo, b->width, gcn_rows[row].op[t->gen] >> b->from);
	}
	if (style != UNIFORM)
		fill_form(d, t, l, w);
	return true;
}

bool
has_short_constant(const struct gcn_target *t, const struct gcn_insn *in)
{
	struct gcn_views ops;

	gcn_operand_views(t, in, &ops);
	for (unsigned i = 0; i < ops.n; i++) {
		/* LLVM prints these without their extension to 64 bits. */
		if (t->gen == GCN_G125 && ops.op[i].v == GCN_LITERAL && ops.op[i].kind.type == T_B64 &&
		    in->field[GCN_F_LIT] >> 31)
			return true;
		if (ops.op[i].kind.bank == BANK_LIT16 && in->field[GCN_F_LIT] >> 15 == 0x1ffff)
			return true;
		if (ops.op[i].kind.type == T_B16 && ops.op[i].v >= 240 && ops.op[i].v <= 248)
			return true;
	}
	return false;
}
