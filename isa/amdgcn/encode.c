/* Encodes fields to words. */
#include "table.h"

/* Encodes all fields; returns GCN_F_NONE, or the first field whose value is too wide. */
static unsigned
put_all(const struct gcn_target *t, const struct gcn_layout *l, const struct gcn_insn *in,
	uint32_t *w)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	uint32_t value;
	unsigned fixed = gcn_fixed_field(r, &value);

	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct gcn_bits *b = &l->bits[i];
		uint32_t v = in->field[b->field];
		/* The row determines the opcode, and whether exec is the destination. */
		if (b->field == GCN_F_OP)
			v = r->op[t->gen];
		else if (b->field == GCN_F_VDST && (gcn_row_mods(r) & M_CMPX))
			v = 126;
		else if (b->field == fixed)
			v = value;
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
gcn_put_words(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops,
	      uint32_t out[GCN_MAX_WORDS], int *n_words)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_layout *l = gcn_layout_of(t, r->format);
	unsigned bad;
	int n = l->n_words;

	memset(out, 0, sizeof(uint32_t[GCN_MAX_WORDS]));
	out[0] = l->match;
	out[1] = l->set1;
	out[2] = l->match2;
	bad = put_all(t, l, in, out);
	if (in->form && !bad) {
		l = gcn_layout_of(t, gcn_form_format(in->form, r->format));
		bad = put_all(t, l, in, out + n++);
	}
	if (QD_UNLIKELY(bad != GCN_F_NONE))
		return "a field is out of range";
	for (unsigned i = 0; i < ops->literal; i++)
		out[n++] = in->field[i ? GCN_F_LIT_HI : GCN_F_LIT];
	*n_words = n;
	return NULL;
}

const char *
gcn_try_words(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	      int *n_words)
{
	struct gcn_views ops;
	const char *why;

	gcn_operand_views(t, in, &ops);
	why = gcn_insn_check(t, in, &ops);
	return why ? why : gcn_put_words(t, in, &ops, out, n_words);
}

qd_status
gcn_not_encodable(const struct gcn_target *t, const struct gcn_insn *in, const char *why,
		  struct qd_error *err)
{
	return qd_fail(err, QD_E_TARGET, "%s: %s on %s", gcn_row_name(&gcn_rows[in->row]), why, t->name);
}

qd_status
gcn_row_check(const struct gcn_insn *in, struct qd_error *err)
{
	if (QD_UNLIKELY(in->row >= GCN_N_ROW || in->form > GCN_FORM_SDWA))
		return qd_fail(err, QD_E_INVALID, "no such row or form of an instruction");
	return QD_OK;
}

qd_status
gcn_words(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	  int *n_words, struct qd_error *err)
{
	QD_TRY(gcn_row_check(in, err));
	const char *why = gcn_try_words(t, in, out, n_words);
	return QD_UNLIKELY(why != NULL) ? gcn_not_encodable(t, in, why, err) : QD_OK;
}

uint32_t
gcn_filler(const struct gcn_target *t)
{
	struct gcn_insn in = { .row = gcn_has(t, GCN_s_code_end) ? GCN_s_code_end : GCN_s_nop };
	uint32_t words[GCN_MAX_WORDS];
	int n;

	return gcn_words(t, &in, words, &n, QD_IGNORE_ERROR) == QD_OK ? words[0] : 0;
}
