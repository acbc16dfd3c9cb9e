/* Parses the text that print.c writes, with the same tables. Names may omit the suffixes _e32,
 * _e64, _dpp and _sdwa if the first row that accepts the operands is the right one. Used by
 * tests, tools and assembly in kernels; compilation does not parse text. */
#include "asm.h"
#include "modifier.h"
#include "parse.h"
#include "suffix.h"

/* -- Names ---------------------------------------------------------------------- */

#include "names.inc"

/* Returns the next row + 1 of the list, from `row` (also plus 1) on, that has this name on the
 * target; 0 if there is none. */
static unsigned
next_named(const struct gcn_target *t, struct token base, unsigned row)
{
	while (row && (row_name[row - 1].len != base.len || !gcn_has(t, row - 1) ||
		       memcmp(gcn_row_name(&gcn_rows[row - 1]), base.at, base.len)))
		row = row_name[row - 1].next;
	return row;
}

/* Returns the row + 1 for another target's name that LLVM accepts on this target, or 0. Sets
 * *base to the target's own name. */
static unsigned
next_alias(const struct gcn_target *t, struct token *base)
{
	unsigned row = first_row[gcn_name_hash(base->at, base->len)], own;

	for (; row; row = row_name[row - 1].next) {
		if (!(row_name[row - 1].reads & t->class_bit) ||
		    row_name[row - 1].len != base->len ||
		    memcmp(gcn_row_name(&gcn_rows[row - 1]), base->at, base->len))
			continue;
		own = gcn_row_of(t, (enum gcn_op)(row - 1));
		if (!gcn_has(t, own))
			continue;
		base->at = gcn_row_name(&gcn_rows[own]);
		base->len = row_name[own].len;
		return next_named(t, *base, first_row[gcn_name_hash(base->at, base->len)]);
	}
	return 0;
}

/* Returns the form that the modifiers of a statement imply. */
static enum gcn_form
form_asked(const char *rest)
{
	static const struct {
		const char *text;
		uint8_t len, form;
	} forms[] = {
		{ "dpp8:[", 6, GCN_FORM_DPP8 }, { "quad_perm:[", 11, GCN_FORM_DPP16 },
		{ "row_", 4, GCN_FORM_DPP16 }, { "wave_", 5, GCN_FORM_DPP16 },
		{ "src0_sel:", 9, GCN_FORM_SDWA }, { "dst_sel:", 8, GCN_FORM_SDWA },
		{ "src1_sel:", 9, GCN_FORM_SDWA }, { "dst_unused:", 11, GCN_FORM_SDWA },
	};

	while ((rest = strchr(rest, ' '))) {
		char c = *++rest;
		if (c != 'd' && c != 'q' && c != 'r' && c != 'w' && c != 's')
			continue;
		for (size_t i = 0; i < QD_COUNT(forms); i++) {
			if (!strncmp(rest, forms[i].text, forms[i].len))
				return forms[i].form;
		}
	}
	return GCN_FORM_BASE;
}

/* Returns whether the row may have the suffix; *form is the resulting form. */
static bool
row_ends(unsigned row, enum gcn_suffix end, enum gcn_form asked, enum gcn_form *form)
{
	const struct gcn_row *r = &gcn_rows[row];
	bool vop3 = gcn_is_vop3(r->format);
	bool lanes = asked == GCN_FORM_DPP16 || asked == GCN_FORM_DPP8;

	*form = asked;
	if (!gcn_has_forms(r->format)) {
		*form = GCN_FORM_BASE;
		return end == row_name[row].suffix || (end == NO_SUFFIX && row_name[row].suffix == E32);
	}
	switch (end) {
	case NO_SUFFIX:
		return !vop3 || asked != GCN_FORM_SDWA;
	case E32:
		return !vop3 && asked == GCN_FORM_BASE;
	case E64:
		return vop3 && asked == GCN_FORM_BASE;
	case E64_DPP:
		return vop3 && lanes;
	case DPP_SUFFIX:
		return !vop3 && lanes;
	default:
		*form = GCN_FORM_SDWA;
		return !vop3 && !lanes;
	}
}

/* -- Statements --------------------------------------------------------------------- */

/* Parses ":: name" of the second half of a dual instruction. */
static bool
parse_second(struct parser *p)
{
	struct token k = gcn_next_token(p);

	if (!token_is(k, "::"))
		return false;
	k = gcn_next_token(p);
	for (unsigned op = 0; op < 64; op++) {
		unsigned row = gcn_row_find(p->t, gcn_rows[p->out->row].format, op);
		if (row != GCN_N_ROW && token_is(k, gcn_row_name(&gcn_rows[row]))) {
			p->out->field[GCN_F_OPY] = op;
			return true;
		}
	}
	return false;
}

static const char *
parse_operands(struct parser *p)
{
	struct gcn_view o;

	for (unsigned i = 0; gcn_operand_view(p->t, p->out, i, &o); i++) {
		if (i)
			gcn_skip_blanks(p);
		if (o.field == GCN_F_Y_VDST) {
			if (!parse_second(p))
				return "the second half of the dual instruction is missing";
		} else if (i && *p->at == ',') {
			p->at++;
		} else if (i) {
			p->where = p->at;
			return "an operand is missing";
		}
		if (!gcn_operand_parse(p, i, o))
			return "operand not understood";
	}
	return NULL;
}

static const char *
parse_rest(struct parser *p)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	const char *why = parse_operands(p);
	struct gcn_modifiers_seen seen = { 0 };
	uint32_t named = p->out->field[GCN_F_OPSEL], sel;
	struct gcn_view o;
	struct token k;

	if (why)
		return why;
	for (k = gcn_next_token(p); k.len; k = gcn_next_token(p)) {
		if ((p->has_format && token_starts(k, "format:")) ||
		    !gcn_modifier_parse(p->t, p->out, k, &seen))
			return "modifier not understood";
	}
	if (*p->at)
		return "more operands than the instruction has";
	/* TH 3 is a bypass in the widest scope and another hint in the others. */
	if (seen.hint && !(gcn_row_mods(r) & M_ATOMIC) && p->out->field[GCN_F_TH] == 3 &&
	    seen.bypass != (p->out->field[GCN_F_SCOPE] == 3))
		return "no such hint in this scope";
	/* op_sel must agree with the halves that registers name. */
	sel = p->out->field[GCN_F_OPSEL];
	if ((p->halves == 2 && ((sel ^ named) & p->half_places)) ||
	    (p->halves == 1 && sel && r->format == GCN_VOP3 && !(gcn_row_mods(r) & M_SELS3)))
		return "op_sel selects another half";
	if ((p->out->form == GCN_FORM_DPP16 || p->out->form == GCN_FORM_DPP8) && !seen.pattern)
		return "the lane pattern is missing";
	if (!gcn_is_flat(r->format) || (r->format == GCN_FLAT && p->t->gen != GCN_G125))
		return NULL;
	for (unsigned i = 0; gcn_operand_view(p->t, p->out, i, &o); i++) {
		if (o.field == GCN_F_ADDR &&
		    p->vaddr != (o.kind.bank == BANK_OFF ? 0 : o.kind.n))
			return "the target has no such address";
	}
	return NULL;
}

/* Returns the number after a modifier's name, or 0: cbsz and blgp determine the widths of
 * operands that precede them. */
static uint32_t
number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	at = at ? at + strlen(name) : "";
	return *at >= '0' && *at <= '7' ? (uint32_t)(*at - '0') : 0;
}

/* Sets the values of omitted modifiers. */
static void
set_defaults(struct parser *p, enum gcn_form form)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	uint32_t *f = p->out->field, value;
	unsigned fixed;

	p->out->form = (uint8_t)form;
	f[GCN_F_OP] = r->op[p->t->gen];
	if (form)
		f[GCN_F_SRC0] = form == GCN_FORM_DPP16 ? 250 : form == GCN_FORM_SDWA ? 249 : 233;
	f[GCN_F_ROW] = f[GCN_F_BANK] = 15;
	if (form == GCN_FORM_SDWA && gcn_shapes[r->shape].n_op) {
		f[GCN_F_SEL_0] = 6;
		f[GCN_F_SEL_1] = r->format == GCN_VOP1 ? 0 : 6;
		f[GCN_F_DSTSEL] = r->format == GCN_VOPC ? 0 : 6;
		f[GCN_F_DSTU] = r->format == GCN_VOPC || (gcn_row_mods(r) & M_WHOLE) ? 0 : 2;
	}
	/* LLVM's default of op_sel_hi */
	if (gcn_is_vop3(r->format) && r->format != GCN_VOP3 &&
	    !(gcn_row_mods(r) & (M_MIXSEL | M_MATRIX | M_LDSCALE | M_FMT)))
		gcn_set_op_sel_hi(p->out, gcn_row_mods(r) & M_REUSE ? 3 : 7);
	if ((gcn_row_mods(r) & M_MATRIX) && gcn_is_vop3(r->format)) {
		f[GCN_F_CBSZ] = number_after(p->at, " cbsz:");
		f[GCN_F_BLGP] = number_after(p->at, " blgp:");
	}
	if (gcn_is_flat(r->format))
		f[GCN_F_SADDR] = gcn_no_saddr(p->t, r->format, false);
	if (r->format == GCN_MTBUF)
		f[GCN_F_FORMAT] = GCN_BUF_FORMAT;
	fixed = gcn_fixed_field(r, &value);
	f[fixed] = value;
	f[GCN_F_NONE] = 0;
	if (r->format == GCN_TENSOR && !strchr(strchr(p->at, ',') ? strchr(p->at, ',') + 1 : "", ','))
		f[GCN_F_GROUP2] = f[GCN_F_GROUP3] = gcn_null_of(p->t);
	if (gcn_is_vmem(r->format) || (gcn_row_mods(r) & M_FMT))
		gcn_peek_modifiers(p);
}

static const char *
parse_as(struct parser *p, unsigned row, enum gcn_form form)
{
	uint32_t w[GCN_MAX_WORDS];
	const char *why;
	int n = 0;

	memset(p->out, 0, sizeof *p->out);
	memset(&p->label, 0, sizeof p->label);
	p->has_literal = p->has_format = false;
	p->halves = p->half_places = 0;
	p->out->row = (uint16_t)row;
	set_defaults(p, form);
	why = parse_rest(p);
	if (!why) {
		why = gcn_try_words(p->t, p->out, w, &n);
		p->out->n_words = (uint8_t)n;
		p->where = NULL;
	}
	return why;
}

qd_status
gcn_parse_statement(const struct gcn_target *t, const char *text, struct gcn_insn *out,
		    struct token *label, struct qd_error *err)
{
	struct parser p = { .t = t, .at = text, .out = out };
	const char *rest, *why = "no such instruction", *where = NULL;
	struct token name = gcn_next_token(&p), base = name;
	enum gcn_form form = GCN_FORM_BASE, asked;
	enum gcn_suffix end = gcn_cut_suffix(base.at, &base.len);
	unsigned row = next_named(t, base, first_row[gcn_name_hash(base.at, base.len)]);

	if (!row)
		row = next_alias(t, &base);
	rest = p.at;
	asked = form_asked(rest);
	for (; row; row = next_named(t, base, row_name[row - 1].next)) {
		if (!row_ends(row - 1, end, asked, &form))
			continue;
		p.at = rest;
		p.why = parse_as(&p, row - 1, form);
		if (!p.why) {
			*label = p.label;
			return QD_OK;
		}
		/* Report the error of the row that parsed furthest. */
		if (!where || !p.where || p.where > where) {
			why = p.why;
			where = p.where ? p.where : name.at;
		}
	}
	qd_fail(err, QD_E_SYNTAX, "%.*s: %s on %s", (int)(name.len < 40 ? name.len : 40), name.at,
		why, t->name);
	if (err) {
		err->line = 1;
		err->col = (uint32_t)((where ? where : name.at) - text) + 1;
	}
	return QD_E_SYNTAX;
}

qd_status
gcn_parse(const struct gcn_target *t, const char *text, struct gcn_insn *out, struct qd_error *err)
{
	struct token label = { 0 };

	QD_TRY(gcn_parse_statement(t, text, out, &label, err));
	if (!label.len)
		return QD_OK;
	return qd_fail(err, QD_E_SYNTAX, "%.*s: a label is not allowed in a single instruction",
		       (int)(label.len < 40 ? label.len : 40), label.at);
}
