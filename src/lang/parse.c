/* The file level, and functions for all parts of the parser. After an error, tokens read as
 * T_BAD until the parser has recovered after a ';' or at a '}'. */
#include "lang.h"

/* -- Tokens -------------------------------------------------------------------- */

void
parse_advance(struct parser *p)
{
	if (p->panic)
		return;
	p->end = p->tok.at + p->tok.len;
	if (p->has_ahead) {
		p->tok = p->ahead;
		p->has_ahead = false;
	} else {
		p->tok = lex_token(p);
	}
	if (p->tok.kind == T_BAD)
		p->panic = true; /* already reported by the lexer */
}

const struct token *
parse_ahead(struct parser *p)
{
	if (!p->has_ahead && !p->panic) {
		p->ahead = lex_token(p);
		p->has_ahead = true;
	}
	return &p->ahead;
}

bool
parse_is(const struct parser *p, enum token_kind kind)
{
	return !p->panic && p->tok.kind == kind;
}

bool
parse_is_word(const struct parser *p, enum word w)
{
	return parse_is(p, T_NAME) && p->tok.sym == (uint32_t)w;
}

bool
parse_take(struct parser *p, enum token_kind kind)
{
	if (!parse_is(p, kind))
		return false;
	parse_advance(p);
	return true;
}

bool
parse_take_word(struct parser *p, enum word w)
{
	if (!parse_is_word(p, w))
		return false;
	parse_advance(p);
	return true;
}

void
parse_error(struct parser *p, enum diag d, ...)
{
	va_list ap;

	if (p->panic)
		return;
	p->panic = true;
	va_start(ap, d);
	sink_verror(p->sink, p->tok.at, p->tok.len, NULL, d, ap);
	va_end(ap);
}

void
parse_error_help(struct parser *p, const char *what, const struct help *help)
{
	bool cut = p->tok.len > 40;
	char found[64] = "the end of the file";

	if (p->panic)
		return;
	p->panic = true;
	if (p->tok.kind != T_EOF)
		snprintf(found, sizeof found, "'%.*s%s'", cut ? 40 : (int)p->tok.len,
			 p->m->text + p->tok.at, cut ? "..." : "");
	/* Report a ';' that is missing at the end of a line at that end. */
	if (strcmp(what, "';'") == 0 && memchr(p->m->text + p->end, '\n', p->tok.at - p->end))
		sink_error(p->sink, p->end, 1, help, DIAG_E0101, what, found);
	else
		sink_error(p->sink, p->tok.at, p->tok.len, help, DIAG_E0101, what, found);
}

/* Returns whether a comment that ends like a statement follows the last token, as in x // 2; */
static bool
is_comment_of_code(const struct parser *p)
{
	const char *s = p->m->text + p->end, *end = p->m->text + p->m->len, *eol;

	while (s < end && *s == ' ')
		s++;
	if (end - s < 3 || s[0] != '/' || s[1] != '/')
		return false;
	eol = memchr(s, '\n', (size_t)(end - s));
	for (s = eol ? eol : end; s[-1] == ' ' || s[-1] == '\r'; s--)
		;
	return s[-1] == ';';
}

void
parse_error_expected(struct parser *p, const char *what)
{
	const char *s = p->m->text + p->tok.at;
	uint32_t len = p->tok.len;

	if (p->end >= 2 && strcmp(what, "an expression") == 0 &&
	    memcmp(p->m->text + p->end - 2, "--", 2) == 0) {
		s = "--";
		len = 2;
	}
	if (strncmp(s + len, "<<<", 3) == 0) {
		s = "<<<";
		len = 3;
	} else if (strcmp(what, "';'") == 0 && is_comment_of_code(p)) {
		s = "//";
		len = 2;
	} else if (parse_is_word(p, W_var) && s[len] == '<') {
		len++;
	}
	/* the word before, such as a namespace: cub:: */
	uint32_t word = p->end;
	struct foreign f;
	const char *help = p->callee ? foreign_help(&f, p->m->text + p->callee->at, p->callee->len) : NULL;

	while (word && is_word_char(p->m->text[word - 1]))
		word--;
	if (!help && parse_is(p, T_COLON))
		help = foreign_help(&f, p->m->text + word, p->end - word);
	if (!help && parse_is(p, T_STRING) && strcmp(what, "an expression") == 0)
		help = "a string is the first argument of print and the last of assert";
	if (!help)
		help = help_after(what, p->m->text + word, p->end - word);
	parse_error_help(p, what, &(struct help){ .help = help ? help : help_found(what, s, len) });
}

bool
parse_expect(struct parser *p, enum token_kind kind, const char *what)
{
	if (parse_take(p, kind))
		return true;
	parse_error_expected(p, what);
	return false;
}

bool
parse_expect_word(struct parser *p, enum word w)
{
	char what[32];

	if (parse_take_word(p, w))
		return true;
	snprintf(what, sizeof what, "'%s'", p->m->syms.sym[w].s);
	parse_error_expected(p, what);
	return false;
}

uint32_t
parse_name(struct parser *p, struct node *out)
{
	uint32_t sym = p->tok.sym;

	if (parse_is(p, T_NAME) && sym <= LAST_RESERVED)
		parse_error_help(p, "a name",
				 &(struct help){ .help = sym == W_const_ ? help_found("a name", "const", 5)
									  : "this word is reserved" });
	if (!parse_is(p, T_NAME)) {
		parse_error_expected(p, "a name");
		return 0;
	}
	if (out) {
		out->at = p->tok.at;
		out->len = p->tok.len;
		out->sym = sym;
	}
	p->m->syms.sym[sym].n_declared++;
	parse_advance(p);
	return sym;
}

/* -- Recovery and depth -------------------------------------------------------------- */

static struct node *(*const declarations[N_WORD])(struct parser *) = {
	[W_kernel] = parse_kernel,
	[W_fn] = parse_fn,
	[W_const_] = parse_const,
	[W_instantiate] = parse_instantiate,
	[W_import] = parse_import,
};

static const bool statements[N_WORD] = {
	[W_let] = true,	   [W_var] = true,	 [W_if_] = true,
	[W_while_] = true, [W_for_] = true,	 [W_unroll] = true,
	[W_break_] = true, [W_continue_] = true, [W_return_] = true,
};

/* Returns the word at the current token, also during recovery, or NONE. */
static uint32_t
word(const struct parser *p)
{
	return p->tok.kind == T_NAME && p->tok.sym < N_WORD ? p->tok.sym : W_NONE;
}

bool
parse_at_declaration(const struct parser *p)
{
	return declarations[word(p)] || p->tok.kind == T_EOF;
}

/* Skips one statement, or to the next declaration. */
static void
skip_statement(struct parser *p, bool top)
{
	uint32_t braces = 0;

	while (!parse_at_declaration(p)) {
		enum token_kind kind = p->tok.kind;
		bool ends = kind == T_SEMICOLON || kind == T_RBRACE;

		if (!top && braces == 0 && (kind == T_RBRACE || statements[word(p)]))
			return;
		if (kind == T_LBRACE)
			braces++;
		if (kind == T_RBRACE && braces)
			braces--;
		p->end = p->tok.at + p->tok.len;
		p->tok = p->has_ahead ? p->ahead : lex_token(p);
		p->has_ahead = false;
		/* An else belongs to the statement with the error. */
		if (!top && braces == 0 && ends && word(p) != W_else_)
			return;
	}
}

void
parse_recover(struct parser *p, bool top)
{
	do {
		p->panic = false;
		skip_statement(p, top);
		p->panic = p->tok.kind == T_BAD;
	} while (p->panic);
}

void
parse_too_deep(struct parser *p)
{
	const struct qd_context *ctx = p->m->ctx;

	parse_error(p, DIAG_E0112, ctx->limits.max_depth, LIMIT_FIELD(ctx, max_depth, LIMIT_DEPTH));
}

bool
parse_enter(struct parser *p)
{
	if (depth_enter(&p->depth, p->m->ctx->limits.max_depth))
		return true;
	parse_too_deep(p);
	return false;
}

void
parse_leave(struct parser *p)
{
	depth_leave(&p->depth);
}

/* -- Nodes --------------------------------------------------------------------------------- */

struct node *
parse_node(struct parser *p, enum node_kind kind, uint32_t at)
{
	struct node *n = arena_zalloc(&p->m->arena, sizeof *n);

	if (!n) {
		p->sink->nomem = p->panic = true;
		n = &p->spare;
		*n = (struct node){ 0 };
	}
	p->n_nodes++;
	n->kind = (uint8_t)kind;
	n->at = at;
	n->len = p->tok.len;
	return n;
}

struct node *
parse_node_end(struct parser *p, struct node *n)
{
	n->len = p->end > n->at ? p->end - n->at : 1;
	return n;
}

void
list_add(struct list *l, struct node *n)
{
	*l->tail = n;
	l->tail = &n->next;
	l->n++;
}

struct node *
parse_list(struct parser *p, struct node *(*item)(struct parser *), uint32_t max, enum diag d,
	   uint64_t *n)
{
	struct list l = { .tail = &l.first };

	do {
		if (l.n == max)
			parse_error(p, d, max);
		list_add(&l, item(p));
	} while (parse_take(p, T_COMMA));
	if (n)
		*n = l.n;
	return l.first;
}

/* -- The file --------------------------------------------------------------------------------- */

static void
parse_version(struct parser *p)
{
	if (!parse_take_word(p, W_qdk))
		return;
	if (!parse_is(p, T_INT)) {
		parse_error_expected(p, "the number of a language version");
		return;
	}
	if (p->tok.num != LANGUAGE_VERSION) {
		const struct help old = { .help = "adapt the kernels to the changes in CHANGELOG.md, 'Language version 2', and write 'qdk 2;'" };

		sink_error(p->sink, p->tok.at, p->tok.len, p->tok.num == 1 ? &old : NULL, DIAG_E0110,
			   (unsigned long long)p->tok.num, LANGUAGE_VERSION);
		p->tok.kind = T_EOF; /* the rest may mean anything */
		p->pos = p->m->len;
		return;
	}
	parse_advance(p);
	parse_expect(p, T_SEMICOLON, "';'");
}

void
parse_module(struct parser *p, struct list *items)
{
	p->tok = lex_token(p);
	p->panic = p->tok.kind == T_BAD;
	parse_version(p);
	if (p->panic)
		parse_recover(p, true);
	while (!parse_is(p, T_EOF)) {
		struct node *(*parse)(struct parser *) = declarations[word(p)], *n = NULL;

		p->depth = p->n_nodes = p->left_of = 0;
		p->grows = false;
		if (parse)
			n = parse(p);
		else
			parse_error_expected(p, "'kernel', 'fn', 'const', 'instantiate' or 'import'");
		if (n && !p->panic) {
			n->n_nodes = p->n_nodes;
			n->flags |= p->grows ? F_CALL : 0;
			list_add(items, n);
		}
		if (p->panic)
			parse_recover(p, true);
	}
}
