/* Encodes fields to words. */
#include "table.h"

/* Encodes all fields; returns GCN_F_NONE, or the first field whose value is too wide. */
static unsigned
put_all(const struct gcn_target *t, const struct gcn_layout *l, const struct gcn_insn *in,
	uint32_t *w)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct gcn_bits *b = &l->bits[i];
		uint32_t v = in->field[b->field];
		/* The row determines the opcode, and whether exec is the destination. */
		if (b->field == GCN_F_OP)
			v = r->op[t->gen];
		else if (b->field == GCN_F_VDST && (r->mods & M_CMPX))
			v = 126;
		v >>= b->from;
		if (b->width < 32 && v >> b->width) {
			if (b->field != GCN_F_OP)
				return b->field;
			v &= (1u << b->width) - 1; /* another entry has the upper bits */
		}
		w[b->lo / 32] |= v << (b->lo % 32);
	}
	return GCN_F_NONE;
}

const char *
gcn_try_words(const struct gcn_target *t, const struct gcn_insn *in, bool strict,
	      uint32_t out[GCN_MAX_WORDS], int *n_words)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_layout *l;
	struct gcn_views ops;
	const char *why;
	unsigned bad;
	int n;

	gcn_operand_views(t, in, &ops);
	why = gcn_insn_check(t, in, &ops);
	if (strict && !why)
		why = gcn_strict_check(t, in, &ops);
	if (QD_UNLIKELY(why != NULL))
		return why;
	l = gcn_layout_of(t, r->format);
	memset(out, 0, sizeof(uint32_t[GCN_MAX_WORDS]));
	out[0] = l->match;
	out[1] = l->set1;
	out[2] = l->match2;
	n = l->n_words;
	bad = put_all(t, l, in, out);
	if (in->form && !bad) {
		l = gcn_layout_of(t, gcn_form_format(in->form, r->format));
		bad = put_all(t, l, in, out + n++);
	}
	if (QD_UNLIKELY(bad != GCN_F_NONE))
		return "a field is out of range";
	if (ops.literal)
		out[n++] = in->field[GCN_F_LIT];
	*n_words = n;
	return NULL;
}

static qd_status
put_words(const struct gcn_target *t, const struct gcn_insn *in, bool strict,
	  uint32_t out[GCN_MAX_WORDS], int *n_words, struct qd_error *err)
{
	const char *why;

	if (QD_UNLIKELY(in->row >= GCN_N_ROW || in->form > GCN_FORM_SDWA))
		return qd_fail(err, QD_E_INVALID, "no such row or form of an instruction");
	why = gcn_try_words(t, in, strict, out, n_words);
	if (QD_UNLIKELY(why != NULL))
		return qd_fail(err, QD_E_TARGET, "%s: %s on %s", gcn_rows[in->row].name, why, t->name);
	return QD_OK;
}

qd_status
gcn_words(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	  int *n_words, struct qd_error *err)
{
	return put_words(t, in, false, out, n_words, err);
}

qd_status
gcn_encode(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	   int *n_words, struct qd_error *err)
{
	return put_words(t, in, true, out, n_words, err);
}

uint32_t
gcn_filler(const struct gcn_target *t)
{
	struct gcn_insn in = { .row = gcn_has(t, GCN_s_code_end) ? GCN_s_code_end : GCN_s_nop };
	uint32_t words[GCN_MAX_WORDS];
	int n;

	return gcn_words(t, &in, words, &n, QD_IGNORE_ERROR) == QD_OK ? words[0] : 0;
}
