/* Fields to words. */
#include "table.h"

static bool
put(uint32_t *w, unsigned lo, unsigned width, uint32_t v)
{
	if (width < 32 && v >> width)
		return false;
	w[lo / 32] |= v << (lo % 32);
	return true;
}

static int
put_all(const struct gcn_layout *l, const struct gcn_insn *in, uint32_t *w)
{
	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct gcn_bits *b = &l->bits[i];
		if (!put(w, b->lo, b->width, in->field[b->field]))
			return b->field;
	}
	return 0;
}

qd_status
gcn_words(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	  int *n_words, struct qd_error *err)
{
	static const uint8_t word_of[] = { [FORM_DPP16] = DPP16, [FORM_DPP8] = DPP8,
					   [FORM_SDWA] = SDWA };
	const struct gcn_row *r;
	const struct gcn_layout *l;
	struct gcn_insn copy;
	const char *why;
	int n, bad;

	if (QD_UNLIKELY(in->row >= GCN_N_ROW || in->form > FORM_SDWA))
		return qd_fail(err, QD_E_INVALID, "gcn_words: no such row");
	r = &gcn_rows[in->row];
	why = gcn_insn_check(t, in);
	if (QD_UNLIKELY(why != NULL))
		return qd_fail(err, QD_E_TARGET, "%s: %s on %s", r->name, why, t->name);
	l = gcn_layout_of(t, r->format);
	if (in->field[F_OP] != r->op[t->gen] || (r->mods & M_CMPX)) {
		copy = *in;
		if (r->mods & M_CMPX)
			copy.field[F_VDST] = 126;
		copy.field[F_OP] = r->op[t->gen];
		in = &copy;
	}
	memset(out, 0, sizeof(uint32_t[GCN_MAX_WORDS]));
	out[0] = l->match;
	n = l->n_words;
	bad = put_all(l, in, out);
	if (!bad && in->form) {
		unsigned format = word_of[in->form];
		if (format == SDWA && r->format == VOPC)
			format = SDWAB;
		bad = put_all(gcn_layout_of(t, format), in, out + n++);
	}
	if (QD_UNLIKELY(bad != 0))
		return qd_fail(err, QD_E_TARGET, "%s: field %d is out of range on %s", r->name, bad,
			       t->name);
	if (gcn_uses_literal(t, in))
		out[n++] = in->field[F_LIT];
	*n_words = n;
	return QD_OK;
}

qd_status
gcn_encode(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	   int *n_words, struct qd_error *err)
{
	const char *why;

	QD_TRY(gcn_words(t, in, out, n_words, err));
	why = gcn_strict_check(t, in);
	if (QD_UNLIKELY(why != NULL))
		return qd_fail(err, QD_E_TARGET, "%s: %s on %s", gcn_rows[in->row].name, why,
			       t->name);
	return QD_OK;
}
