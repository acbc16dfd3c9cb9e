/* Random instances of one row, with the registers that they read and write according to the
 * tables. */
#include "effect_rows.h"

#include "effect.h"
#include "table.h"

static uint64_t rng;

static uint32_t
random32(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 16);
}

const char *
effect_target(int i)
{
	const struct gcn_target *t = gcn_target_at((size_t)i);

	return t ? t->name : NULL;
}

const char *
effect_row(int row)
{
	static const char *const ids[] = {
#define GCN(id, ...) #id,
#include "insn.def"
	};

	return row < GCN_N_ROW ? ids[row] : NULL;
}

const char *
effect_text(int row)
{
	return gcn_row_name(&gcn_rows[row]);
}

int
effect_has(int target, int row, int form)
{
	const struct gcn_target *t = gcn_target_at((size_t)target);
	const struct gcn_row *r = &gcn_rows[row];
	const uint32_t forms[N_FORM] = { gcn_row_has(r), gcn_row_dpp16(r), gcn_row_dpp8(r), gcn_row_sdwa(r) };

	if (gcn_is_dual(r->format) && (t->wave != 32 || r->op[t->gen] > 15 || (gcn_row_mods(r) & M_SECOND)))
		return 0; /* the second half of a dual instruction */
	return (gcn_row_has(r) & forms[form] & t->class_bit) && r->op[t->gen] != GCN_NA;
}

/* Returns random field values. Register numbers satisfy every alignment rule for tuples. Small
 * fields are modifiers, which are rarely set. */
static uint32_t
random_field(unsigned width, int mode)
{
	uint32_t v = random32();

	if (width >= 32)
		return v;
	v &= (1u << width) - 1;
	switch (width) {
	case 9: return mode == 3 ? v : v & 1 ? 256 + (v & 0x7c) : v & 0x5c;
	case 8:
	case 7: return v & 0x5c;
	case 6: return v & 0x1e;
	default: return width > 9 ? (mode & 1 ? 0 : v & 0xff) : mode == 2 ? v : 0;
	}
}

static void
fill(const struct gcn_layout *l, struct gcn_insn *in, int mode)
{
	for (unsigned i = 0; i < l->n_fields; i++) {
		if (l->bits[i].field != GCN_F_OP)
			in->field[l->bits[i].field] = random_field(l->bits[i].width, mode);
	}
}

/* Clears the unused register fields of formats that require it. */
static void
clear_unused(const struct gcn_target *t, const struct gcn_row *r, struct gcn_insn *in)
{
	static const uint8_t fields[] = { GCN_F_ADDR, GCN_F_DATA0, GCN_F_DATA1, GCN_F_VDST };
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (r->format == GCN_SOPK && !strncmp(gcn_row_name(r), "s_waitcnt", 9))
		in->field[GCN_F_SDST] = gcn_null_of(t);
	if (gcn_is_flat(r->format) &&
	    (r->format == GCN_FLAT || !s->n_op || (in->field[GCN_F_SADDR] & 8)))
		in->field[GCN_F_SADDR] = gcn_no_saddr(t, r->format, false);
	if (r->format != GCN_DS && !gcn_is_flat(r->format) && s->n_op)
		return;
	for (size_t i = 0; i < sizeof fields; i++) {
		bool used = false;
		for (unsigned k = 0; k < s->n_op; k++)
			used |= s->op[k].field == fields[i];
		if (!used)
			in->field[fields[i]] = 0;
	}
	if (!s->n_op)
		in->field[GCN_F_SIMM] = in->field[GCN_F_IMM] = in->field[GCN_F_GLC] = 0;
	if (r->format == GCN_DS && !(gcn_row_mods(r) & (M_OFF | M_OFF2)))
		in->field[GCN_F_OFFSET] = 0;
	if (gcn_row_mods(r) & M_GDSONLY)
		in->field[GCN_F_GDS] = 1;
}

static int
make_words(const struct gcn_target *t, int row, int form, uint32_t words[8], struct gcn_insn *out)
{
	static const uint16_t src0[N_FORM] = { 0, 250, 233, 249 };
	const struct gcn_row *r = &gcn_rows[row];
	const struct gcn_layout *l = gcn_layout_of(t, r->format), *x = NULL;
	unsigned form_format = form == GCN_FORM_DPP16  ? GCN_DPP16
			       : form == GCN_FORM_DPP8 ? GCN_DPP8
			       : r->format == GCN_VOPC ? GCN_SDWAB
						   : GCN_SDWA;

	if (form && !(x = gcn_layout_of(t, form_format)))
		return 0;
	for (int tries = 0; tries < 2000; tries++) {
		struct gcn_insn in = { .row = (uint16_t)row, .form = (uint8_t)form };
		uint32_t w[GCN_MAX_WORDS];
		int n;
		fill(l, &in, tries % 4);
		if (gcn_is_dual(r->format))
			in.field[GCN_F_OPY] = random32() & 15;
		if (r->format == GCN_SOP1 && tries > 1000) /* barriers with an immediate number */
			in.field[GCN_F_SSRC0] = 193;
		if (r->format == GCN_VOPD3) { /* only v_dual_mov_b32, which has one source, as the second half */
			in.field[GCN_F_OPY] = gcn_rows[GCN_v_dual_mov_b32_vopd3].op[t->gen];
			in.field[GCN_F_Y_VSRC1] = in.field[GCN_F_Y_VSRC2] = 0;
			in.field[GCN_F_VSRC1] = gcn_shapes[r->shape].n_op < 3 ? 0 : in.field[GCN_F_VSRC1];
			in.field[GCN_F_VSRC2] = gcn_shapes[r->shape].n_op < 4 ? 0 : in.field[GCN_F_VSRC2];
		}
		if ((r->format == GCN_VOP3P || gcn_is_scaled(r->format)) && (tries & 4)) /* op_sel_hi all ones */
			in.field[GCN_F_OMOD] = 3, in.field[GCN_F_OPSEL] = 8;
		if (r->format == GCN_TENSOR) { /* random words rarely have four aligned groups and no unused bit */
			for (unsigned f = GCN_F_GROUP0; f <= GCN_F_GROUP3; f++)
				in.field[f] = in.field[f] % 96 & ~3u;
			in.field[GCN_F_X_ZERO] = in.field[GCN_F_X_ZERO1] = 0;
		}
		clear_unused(t, r, &in);
		if (r->format == GCN_SMEM && t->gen >= GCN_G10)
			in.field[GCN_F_SOFFSET] = tries & 1 ? 8 : gcn_null_of(t);
		if (x) {
			fill(x, &in, tries % 3);
			in.field[GCN_F_SRC0] = src0[form];
			in.field[GCN_F_X_SRC0] &= 0x7c;
			in.field[GCN_F_S0] = in.field[GCN_F_S1] = 0;
		}
		in.field[GCN_F_LIT] = 0x1234;
		if (gcn_encode(t, &in, w, &n, NULL))
			continue;
		memset(words, 0, 32);
		memcpy(words, w, (size_t)n * 4);
		if (gcn_decode(t, words, 8, out) == n && out->row == row && out->form == form)
			return n;
	}
	return 0;
}

int
effect_make(int target, int row, int form, uint64_t seed, struct effect_case *c)
{
	const struct gcn_target *t = gcn_target_at((size_t)target);
	struct gcn_insn in;
	struct gcn_effect e;

	rng = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
	memset(c, 0, sizeof *c);
	c->n_words = make_words(t, row, form, c->words, &in);
	if (!c->n_words)
		return 0;
	gcn_effect_of(t, &in, &e);
	for (unsigned i = 0; i < e.n_range; i++) {
		const struct gcn_range *g = &e.range[i];
		for (uint32_t k = g->first; k < (uint32_t)g->first + g->n; k++) {
			if ((g->access & (GCN_READ | GCN_KEEP)) && c->n_reads < 160)
				c->reads[c->n_reads++] = (uint32_t)g->file << 16 | k;
			if ((g->access & GCN_WRITE) && c->n_writes < 160)
				c->writes[c->n_writes++] = (uint32_t)g->file << 16 | k;
		}
	}
	c->events = e.events;
	c->class_ = e.class;
	c->form = (unsigned)form;
	c->format = gcn_rows[row].format;
	c->trans = (e.flags & E(TRANS)) != 0;
	c->dot = (e.flags & E(DOT)) != 0;
	c->wmma = (e.flags & E(WMMA)) != 0;
	c->swmmac = (e.flags & E(SWMMAC)) != 0;
	return c->n_words;
}
