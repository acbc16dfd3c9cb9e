/* Parts of a PTX or SPIR-V instruction, in a form that is independent of whitespace and comments in
 * the file. */
#include "dis_code_text.h"

#include "lex.h"

/* Returns the length of the whitespace and PTX comments at s. */
static size_t
blanks(const char *s, size_t len, bool ptx)
{
	struct lex lx = { .p = s, .end = s + len };
	size_t n = 0;

	if (ptx)
		return lex_skip(&lx) ? (size_t)(lx.p - s) : len;
	while (n < len && s[n] == ' ')
		n++;
	return n;
}

/* Copies the text up to the separator outside brackets and quotes. Each run of whitespace becomes
 * one blank. *room then is after the copy, which is never longer than the text: its NUL replaces
 * the separator. */
static char *
piece(char **room, const char **at, const char *end, char sep, bool ptx)
{
	const char *s = *at + blanks(*at, (size_t)(end - *at), ptx);
	char *out = *room, *o = out;
	bool quoted = false;
	int depth = 0;

	for (; s < end; s++) {
		size_t gap = quoted ? 0 : blanks(s, (size_t)(end - s), ptx);
		if (!quoted && depth == 0 && (sep == ' ' ? gap != 0 : *s == sep))
			break;
		if (gap) {
			s += gap - 1;
			*o++ = ' ';
			continue;
		}
		if (*s == '"')
			quoted = !quoted;
		else if (quoted && *s == '\\' && s + 1 < end)
			*o++ = *s++;
		else if (!quoted && strchr("([{", *s))
			depth++;
		else if (!quoted && strchr(")]}", *s))
			depth--;
		*o++ = *s;
	}
	while (o > out && o[-1] == ' ')
		o--;
	*o = '\0';
	*room = o + 1;
	*at = s < end ? s + 1 : end;
	return out;
}

/* Guards may contain whitespace: "@ ! %p". */
static char *
guard_at(struct arena *mem, const char **at, const char *end)
{
	char *out = code_alloc(mem, (size_t)(end - *at) + 1), *o = out;
	const char *s = *at;

	while (s < end && (*s == '@' || *s == '!' || blanks(s, (size_t)(end - s), true))) {
		if (*s == '@' || *s == '!')
			*o++ = *s++;
		else
			s += blanks(s, (size_t)(end - s), true);
	}
	while (s < end && !blanks(s, (size_t)(end - s), true))
		*o++ = *s++;
	*at = s + blanks(s, (size_t)(end - s), true);
	return out;
}

static void
join(struct arena *mem, struct code_pieces *p)
{
	size_t size = strlen(p->guard) + strlen(p->result) + strlen(p->op) + 8;

	for (uint32_t i = 0; i < p->n; i++)
		size += strlen(p->operand[i]) + 2;
	p->text = code_alloc(mem, size);
	int n = snprintf(p->text, size, "%s%s%s%s%s", p->guard, *p->guard ? " " : "", p->result,
			 *p->result ? " = " : "", p->op);
	for (uint32_t i = 0; i < p->n; i++)
		n += snprintf(p->text + n, size - (size_t)n, "%s%s", i ? p->separator : " ", p->operand[i]);
}

void
code_pieces(const struct code *c, struct arena *mem, const struct code_insn *in, struct code_pieces *p)
{
	bool ptx = !c->module;
	const char *s = in->text, *end = s + in->len;
	char *room = code_alloc(mem, in->len + 4); /* NULs of the last piece and of empty ones */

	*p = (struct code_pieces){ .guard = "", .result = "", .op = "", .separator = ptx ? ", " : " ",
				   .operand = code_alloc(mem, (in->len + 1) * sizeof *p->operand) };
	if (ptx && *s == '@')
		p->guard = guard_at(mem, &s, end);
	p->op = piece(&room, &s, end, ' ', ptx);
	if (!ptx && s + 1 < end && s[0] == '=' && s[1] == ' ') {
		p->result = p->op;
		s += 2;
		p->op = piece(&room, &s, end, ' ', false);
	}
	while (s < end) {
		if (s + blanks(s, (size_t)(end - s), ptx) == end)
			break;
		p->operand[p->n++] = piece(&room, &s, end, ptx ? ',' : ' ', ptx);
	}
	join(mem, p);
}
