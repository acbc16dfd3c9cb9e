/* Compares LLVM and the tables: texts and lengths must be equal, or both reject the words. Decoded
 * instructions must encode to words that decode to the same instruction; the text must parse to
 * words that print the same text. */
#include "compare.h"
#include "words.h"

#include <stdio.h>

/* Copies the mnemonic, "v_add_f32_e32", or both mnemonics of a dual instruction. */
static void
name_of(const char *text, char out[N_NAME])
{
	const char *second = strstr(text, " :: ");
	int n = (int)strcspn(text, " ");

	if (second)
		snprintf(out, N_NAME, "%.*s+%.*s", n, text, (int)strcspn(second + 4, " "), second + 4);
	else
		snprintf(out, N_NAME, "%.*s", n, text);
}

static bool
same_name(const char *name, const char *text)
{
	char other[N_NAME];

	name_of(text, other);
	return !strcmp(name, other);
}

static bool
goes_back(const struct gcn_target *t, const struct gcn_insn *in, char why[TEXT_CAP])
{
	uint32_t w[GCN_MAX_WORDS];
	struct qd_error err = { 0 };
	struct gcn_insn again;
	int n;

	if (gcn_words(t, in, w, &n, &err)) {
		snprintf(why, TEXT_CAP, "%.400s", err.text);
		return false;
	}
	snprintf(why, TEXT_CAP, "%08x %08x", w[0], n > 1 ? w[1] : 0);
	return gcn_decode(t, w, (size_t)n, &again) == n && n == in->n_words &&
	       !memcmp(in, &again, sizeof again);
}

static bool
parses(const struct gcn_target *t, const char *text, int n_words, char back[TEXT_CAP])
{
	uint32_t w[GCN_MAX_WORDS];
	struct qd_error err = { 0 };
	struct gcn_insn in;
	int n;

	if (gcn_parse(t, text, &in, &err) || gcn_words(t, &in, w, &n, &err)) {
		snprintf(back, TEXT_CAP, "%.400s", err.text);
		return false;
	}
	snprintf(back, TEXT_CAP, "no instruction");
	if (gcn_decode(t, w, (size_t)n, &in))
		gcn_print(t, &in, back, TEXT_CAP);
	return n <= n_words && !strcmp(text, back);
}

static bool
has_odd_bits(uint32_t v)
{
	for (unsigned shift = 16; shift; shift /= 2)
		v ^= v >> shift;
	return v & 1;
}

bool
compare(struct llvm_dis *x, const uint32_t w[N_WORDS], bool parse, struct tally *out)
{
	const struct gcn_target *t = x->target;
	unsigned encoding = encoding_of(t, w[0]), e = encoding_name(encoding), rule;
	char them[TEXT_CAP], us[TEXT_CAP] = "", note[TEXT_CAP], name[N_NAME];
	int n_llvm = llvm_text(x, w, N_WORDS, them), n;
	struct gcn_insn in;
	uint32_t again[GCN_MAX_WORDS];
	int n_again;
	enum outcome o;

	if (n_llvm < 0) {
		out->n[e][CRASH]++;
		tally_difference(out, e, CRASH, "", w, "", "");
		return false;
	}
	n = gcn_decode(t, w, N_WORDS, &in);
	if (n && in.row == out->fault && has_odd_bits(w[0]))
		n = 0;
	if (n)
		gcn_print(t, &in, us, sizeof us);
	name_of(n_llvm ? them : us, name);
	if (!n_llvm && !n)
		o = REJECT;
	else if (!n_llvm || !n)
		o = n_llvm ? ONLY_LLVM : ONLY_US;
	else
		o = n_llvm == n * 4 && !strcmp(us, them) ? SAME : TEXT;
	if (o > EXPLAINED && encodings[encoding].scope == IN) {
		rule = explain(t, encodings[encoding].name, w, n_llvm ? them : "", us);
		if (rule < n_rules)
			tally_explained(out, rule, w, them, n_llvm / 4);
		else
			tally_difference(out, e, o, name, w, them, us);
		if (rule < n_rules)
			o = EXPLAINED;
	}
	out->n[e][o]++;
	if (n_llvm && o != EXPLAINED)
		tally_opcode(out, e, name, n && same_name(name, us), w);
	if (o == SAME) {
		out->row[in.row]++;
		if (gcn_second_row(t, &in))
			out->row[gcn_second_row(t, &in) - gcn_rows]++;
	}
	if (n && !goes_back(t, &in, note)) {
		out->n[e][UNSTABLE]++;
		tally_difference(out, e, UNSTABLE, name, w, us, note);
	}
	/* Parsing cannot restore bits that the text does not show. */
	if (n && parse && !gcn_encode(t, &in, again, &n_again, NULL) && !has_short_constant(t, &in) &&
	    !parses(t, us, n, note)) {
		out->n[e][UNPARSED]++;
		tally_difference(out, e, UNPARSED, name, w, us, note);
	}
	return o == SAME;
}
