/* Assembles lines of text: instructions, labels, branches to labels, comments, .long. A single
 * pass records the branches, which are resolved at the end. */
#include "asm.h"

enum { MAX_STATEMENT = 512, MAX_LABELS = 256, MAX_BRANCHES = 1024 };

struct label {
	struct token name;
	size_t at; /* in words */
};
struct branch {
	struct token name;
	uint32_t line, col;
	size_t at;
};
struct assembler {
	const struct gcn_target *t;
	uint32_t *words;
	size_t cap, n;
	struct qd_error *err;
	unsigned n_labels, n_branches;
	struct label labels[MAX_LABELS];
	struct branch branches[MAX_BRANCHES];
};

static qd_status
fail(struct assembler *a, qd_status code, uint32_t line, uint32_t col, const char *why,
     struct token k)
{
	qd_fail(a->err, code, "%.*s: %s", (int)(k.len < 40 ? k.len : 40), k.at, why);
	if (a->err) {
		a->err->line = line;
		a->err->col = col;
	}
	return code;
}

#define SPACE " \t\r\v\f"

static const struct label *
find_label(const struct assembler *a, struct token name)
{
	for (unsigned i = 0; i < a->n_labels; i++) {
		if (a->labels[i].name.len == name.len &&
		    !memcmp(a->labels[i].name.at, name.at, name.len))
			return &a->labels[i];
	}
	return NULL;
}

static qd_status
put(struct assembler *a, const uint32_t *w, size_t n, uint32_t line, struct token k)
{
	if (a->cap - a->n < n)
		return fail(a, QD_E_LIMIT, line, 1, "no room for more words", k);
	memcpy(a->words + a->n, w, n * 4);
	a->n += n;
	return QD_OK;
}

/* Parses the numbers of ".long 0x1, 2". */
static qd_status
add_longs(struct assembler *a, struct token k, uint32_t line, uint32_t col)
{
	struct token all = k;

	for (;;) {
		struct token one;
		uint32_t v;
		token_skip_all(&k, SPACE);
		one = token_until(&k, "," SPACE);
		if (!token_number(one, &v))
			return fail(a, QD_E_SYNTAX, line, col + (uint32_t)(one.at - all.at),
				    "expected a 32-bit number", one);
		QD_TRY(put(a, &v, 1, line, one));
		token_skip_all(&k, SPACE);
		if (!k.len)
			return QD_OK;
		if (*k.at != ',')
			return fail(a, QD_E_SYNTAX, line, col + (uint32_t)(k.at - all.at),
				    "expected a comma", k);
		token_drop(&k, 1);
	}
}

static qd_status
add_instruction(struct assembler *a, struct token k, uint32_t line, uint32_t col)
{
	char text[MAX_STATEMENT];
	uint32_t w[GCN_MAX_WORDS];
	struct gcn_insn in;
	struct token label = { 0 };
	qd_status status;
	int n;

	if (k.len >= sizeof text)
		return fail(a, QD_E_LIMIT, line, col, "the statement is too long", k);
	memcpy(text, k.at, k.len);
	text[k.len] = '\0';
	status = gcn_parse_statement(a->t, text, &in, &label, a->err);
	if (status && a->err) {
		a->err->line = line;
		a->err->col += col - 1;
	}
	if (!status && (status = gcn_encode(a->t, &in, w, &n, a->err)) && a->err) {
		a->err->line = line;
		a->err->col = col;
	}
	if (status)
		return status;
	if (label.len) {
		struct token name = { k.at + (label.at - text), label.len };
		uint32_t at = col + (uint32_t)(label.at - text);
		if (a->n_branches == MAX_BRANCHES)
			return fail(a, QD_E_LIMIT, line, at, "more than 1024 branches to labels",
				    name);
		a->branches[a->n_branches++] = (struct branch){ name, line, at, a->n };
	}
	return put(a, w, (size_t)n, line, k);
}

static qd_status
add_label(struct assembler *a, struct token name, uint32_t line, uint32_t col)
{
	if (!token_is_word(name))
		return fail(a, QD_E_SYNTAX, line, col, "the label's name is invalid", name);
	if (find_label(a, name))
		return fail(a, QD_E_SYNTAX, line, col, "the label is defined twice", name);
	if (a->n_labels == MAX_LABELS)
		return fail(a, QD_E_LIMIT, line, col, "more than 256 labels", name);
	a->labels[a->n_labels++] = (struct label){ name, a->n };
	return QD_OK;
}

/* Assembles a line, without its newline: labels, then at most one statement. */
static qd_status
add_line(struct assembler *a, struct token k, uint32_t line)
{
	const char *start = k.at;
	size_t i;

	for (i = 0; i < k.len; i++) {
		if (k.at[i] == ';' || (k.at[i] == '/' && i + 1 < k.len && k.at[i + 1] == '/'))
			k.len = i;
		else if (!k.at[i])
			return fail(a, QD_E_SYNTAX, line, (uint32_t)i + 1,
				    "the text contains a zero byte", (struct token){ "", 0 });
	}
	for (;;) {
		token_skip_all(&k, SPACE);
		while (k.len && strchr(SPACE, k.at[k.len - 1]))
			k.len--;
		for (i = 0; i < k.len && !strchr(":" SPACE, k.at[i]); i++)
			;
		if (i == k.len || k.at[i] != ':')
			break;
		QD_TRY(add_label(a, (struct token){ k.at, i }, line, (uint32_t)(k.at - start) + 1));
		token_drop(&k, i + 1);
	}
	if (!k.len)
		return QD_OK;
	if (*k.at != '.')
		return add_instruction(a, k, line, (uint32_t)(k.at - start) + 1);
	if (!token_is((struct token){ k.at, i }, ".long"))
		return fail(a, QD_E_SYNTAX, line, (uint32_t)(k.at - start) + 1, "no such directive",
			    (struct token){ k.at, i });
	token_drop(&k, i);
	return add_longs(a, k, line, (uint32_t)(k.at - start) + 1);
}

/* Resolves branches: the low 16 bits are the distance in words from the end of the branch. */
static qd_status
fill_branches(struct assembler *a)
{
	for (unsigned i = 0; i < a->n_branches; i++) {
		const struct branch *b = &a->branches[i];
		const struct label *l = find_label(a, b->name);
		int64_t by;
		if (!l)
			return fail(a, QD_E_SYNTAX, b->line, b->col, "no such label", b->name);
		by = (int64_t)l->at - (int64_t)b->at - 1;
		if (by < INT16_MIN || by > INT16_MAX)
			return fail(a, QD_E_LIMIT, b->line, b->col,
				    "the label is too far for a branch", b->name);
		a->words[b->at] = (a->words[b->at] & 0xffff0000) | ((uint32_t)by & 0xffff);
	}
	return QD_OK;
}

qd_status
gcn_assemble(const struct gcn_target *t, const char *text, size_t len, uint32_t *words, size_t cap,
	     size_t *n, struct qd_error *err)
{
	struct assembler a = { .t = t, .words = words, .cap = cap, .err = err };
	uint32_t line = 1;

	*n = 0;
	while (len) {
		struct token k = { text, 0 };
		while (k.len < len && text[k.len] != '\n')
			k.len++;
		QD_TRY(add_line(&a, k, line++));
		text += k.len;
		len -= k.len;
		if (len) {
			text++;
			len--;
		}
	}
	QD_TRY(fill_branches(&a));
	*n = a.n;
	return QD_OK;
}
