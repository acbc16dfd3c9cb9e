/* Statements. */
#include "lang.h"

static struct node *parse_statement(struct parser *p);

/* Returns whether 'const' was written for 'let': it is not at the beginning of a line. */
static bool
is_local_const(const struct parser *p)
{
	return parse_is_word(p, W_const_) && p->tok.at && p->m->text[p->tok.at - 1] != '\n';
}

/* -- Braces --------------------------------------------------------------------- */

/* Detects a missing '}'. A '}' that begins a line and is indented less than the line of its '{'
 * was probably meant to close an outer block; its indentation must be a prefix of the other one.
 * Lines may be very long: the line of a '{' is only scanned for a '}' that begins a line, and few
 * of these are open at a time. */
static void
note_layout(struct parser *p, uint32_t open, uint32_t close)
{
	const char *s = p->m->text;
	uint32_t from = open, to = close, n;

	while (to && (s[to - 1] == ' ' || s[to - 1] == '\t'))
		to--;
	if (p->left_of || (to && s[to - 1] != '\n'))
		return;
	while (from && s[from - 1] != '\n')
		from--;
	n = (uint32_t)strspn(s + from, " \t");
	if (from != to && close - to < n && memcmp(s + from, s + to, close - to) == 0)
		p->left_of = open + 1;
}

/* Reports a declaration or the end of the file inside a block. */
static void
not_closed(struct parser *p, const struct node *block)
{
	bool ends = p->tok.kind == T_EOF;
	struct help help = { p->tok.at, p->tok.len,
			     ends ? "the file ends before its '}'"
				  : "its '}' is missing before this",
			     "write the '}' that ends its body" };

	p->panic = true;
	sink_error(p->sink, p->left_of ? p->left_of - 1 : block->at, 1, &help, DIAG_E0142);
}

/* "{" { stmt } "}" */
struct node *
parse_block(struct parser *p)
{
	struct node *n = parse_node(p, N_BLOCK, p->tok.at), *s;
	struct list l = { .tail = &l.first };

	if (!parse_is(p, T_LBRACE))
		parse_error_expected(p, "'{'");
	if (p->panic || !parse_enter(p))
		return n;
	parse_advance(p);
	while (!parse_is(p, T_RBRACE)) {
		if (!p->panic && parse_at_declaration(p) && !is_local_const(p))
			not_closed(p, n);
		s = p->panic ? NULL : parse_statement(p);
		if (p->panic) {
			parse_recover(p, false);
			if (parse_at_declaration(p)) {
				p->panic = true; /* its end is unknown; the file level continues */
				break;
			}
		} else if (s) {
			list_add(&l, s);
			n->jumps |= s->jumps;
			n->maybe |= s->maybe;
		}
	}
	parse_leave(p);
	n->a = l.first;
	if (parse_is(p, T_RBRACE))
		note_layout(p, n->at, p->tok.at);
	parse_take(p, T_RBRACE);
	return parse_node_end(p, n);
}

static struct node *
parse_new_name(struct parser *p)
{
	struct node *n = parse_node(p, N_NAME, p->tok.at);

	if (parse_is(p, T_NAME) && word_is_type(p->tok.sym))
		parse_error_help(p, "a name",
				 &(struct help){ .help = "the type follows the name: let x: f32 = ...;" });
	parse_name(p, n);
	return n;
}

/* ("let" | "var") id, ... [":" type] "=" expr, ... ";" */
static struct node *
parse_let(struct parser *p)
{
	struct node *n = parse_node(p, N_LET, p->tok.at);

	n->op = p->tok.sym == W_var;
	parse_advance(p);
	n->a = parse_list(p, parse_new_name, MAX_VALUES, DIAG_E0139, &n->num);
	if (parse_take(p, T_COLON))
		n->b = parse_type(p);
	if (n->b && n->b->flags & F_ARRAY && parse_is(p, T_SEMICOLON))
		parse_error_help(p, "'='", &(struct help){ .help = help_local_array });
	parse_expect(p, T_ASSIGN, "'='");
	n->c = parse_exprs(p, NULL);
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}

static struct node *
parse_shared(struct parser *p)
{
	struct node *n = parse_node(p, N_SHARED, p->tok.at);

	parse_advance(p);
	parse_name(p, n);
	parse_expect(p, T_COLON, "':'");
	n->a = parse_type(p);
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}

/* Parses an if with its else-ifs. They may be many, so they are read in a loop; then the jumps
 * of later arms are added to the earlier ones. */
static struct node *
parse_if(struct parser *p, uint32_t at, uint8_t flags)
{
	struct node *n = NULL, *first = NULL, *up = NULL;

	for (uint32_t arms = 0; !p->panic; arms++, up = n) {
		if (arms == MAX_ARMS)
			parse_error(p, DIAG_E0141, MAX_ARMS);
		n = parse_node(p, N_IF, at);
		n->flags = flags;
		n->d = up;
		*(up ? &up->c : &first) = n;
		parse_expect_word(p, W_if_);
		n->a = parse_expr(p);
		n->b = parse_block(p);
		if (!parse_take_word(p, W_else_))
			break;
		at = p->tok.at;
		flags = parse_take_word(p, W_static_) ? F_STATIC : 0;
		if (!flags && !parse_is_word(p, W_if_)) {
			n->c = parse_block(p);
			break;
		}
	}
	for (; n; n = n->d) {
		n->jumps = n->b->jumps | (n->c ? n->c->jumps : 0);
		n->maybe = n->jumps;
		if (n->flags & F_STATIC)
			n->maybe = n->b->maybe | (n->c ? n->c->maybe : 0);
	}
	return first;
}

static struct node *
parse_while(struct parser *p)
{
	struct node *n = parse_node(p, N_WHILE, p->tok.at);

	parse_advance(p);
	n->a = parse_expr(p);
	n->b = parse_block(p);
	n->jumps = n->maybe = n->b->jumps & J_RETURN;
	return n;
}

/* Skips the head of 'for (', but parses the body. */
static struct node *
parse_c_for(struct parser *p, struct node *n)
{
	parse_error_expected(p, "the loop's name");
	do {
		p->panic = false;
		parse_advance(p);
	} while (!parse_is(p, T_LBRACE) && !parse_at_declaration(p));
	parse_block(p);
	return n;
}

/* "for" id "in" ( "grid" "(" expr ")" | expr ".." expr ["step" expr] ) body */
static struct node *
parse_for(struct parser *p, bool unroll, uint32_t at)
{
	static const char one_count[] =
		"a grid loop has one index and one count: for i in grid(w * h) { }, with x = i % w and y = i / w";
	struct node *n = parse_node(p, N_FOR, at), *body;
	struct node name = { 0 };

	parse_expect_word(p, W_for_);
	if (parse_is(p, T_LPAREN))
		return parse_c_for(p, n);
	parse_name(p, &name);
	n->sym = name.sym;
	if (parse_is(p, T_COMMA))
		parse_error_help(p, "'in'", &(struct help){ .help = one_count });
	parse_expect_word(p, W_in);
	if (!unroll && parse_is_word(p, W_grid) && parse_ahead(p)->kind == T_LPAREN) {
		n->kind = N_GRID;
		parse_advance(p);
		parse_advance(p);
		n->a = parse_expr(p);
		if (parse_is(p, T_COMMA))
			parse_error_help(p, "')'", &(struct help){ .help = one_count });
		parse_expect(p, T_RPAREN, "')'");
		body = n->b = parse_block(p);
	} else {
		n->flags = unroll ? F_STATIC : 0;
		p->grows = p->grows || unroll;
		n->a = parse_expr(p);
		if (parse_is(p, T_DOTDOTEQ))
			parse_error(p, DIAG_E0103);
		parse_expect(p, T_DOTDOT, "'..'");
		n->b = n->a->next = parse_expr(p);
		if (parse_take_word(p, W_step))
			n->c = parse_expr(p);
		body = n->d = parse_block(p);
	}
	n->jumps = n->maybe = body->jumps & J_RETURN;
	n->at = name.at;
	n->len = name.len;
	return n;
}

/* lhs, ... op expr, ... ";" or expr ";" */
static struct node *
parse_assignment(struct parser *p)
{
	struct node *n = parse_node(p, N_EXPR, p->tok.at);

	n->a = parse_exprs(p, &n->num);
	if (!p->panic && p->tok.kind >= T_ASSIGN) {
		/* ORDER token.def */
		n->kind = N_ASSIGN;
		n->op = p->tok.kind == T_ASSIGN ? T_ASSIGN
						: (uint8_t)(p->tok.kind - T_OR_ASSIGN + T_OR);
		if (n->num > MAX_VALUES)
			parse_error(p, DIAG_E0139, MAX_VALUES);
		parse_advance(p);
		n->c = parse_exprs(p, NULL);
	} else if (n->num > 1) {
		parse_error_expected(p, "an assignment");
	}
	parse_node_end(p, n);
	if (n->kind == N_EXPR && parse_is(p, T_RBRACE) && n->a && n->a->kind != N_CALL)
		parse_error_help(p, "';'", &(struct help){ .help = help_found("a result's ';'", "", 0) });
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}

static struct node *
parse_jump(struct parser *p)
{
	bool is_break = parse_is_word(p, W_break_), is_return = parse_is_word(p, W_return_);
	struct node *n = parse_node(p,
				    is_break	? N_BREAK
				    : is_return ? N_RETURN
						: N_CONTINUE,
				    p->tok.at);

	n->jumps = is_break ? J_BREAK : is_return ? J_RETURN : J_CONTINUE;
	parse_advance(p);
	if (is_return && !parse_is(p, T_SEMICOLON))
		n->a = parse_exprs(p, &n->num);
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}

/* Words of C's declarations that are not types by themselves. */
static const char *const c_words[] = { "const",	 "constexpr", "volatile", "static",
				       "signed", "mut",	      "thread",	  "register" };

/* Returns the language's type for a word before a variable, "" for a word that only accompanies a
 * type, or NULL. */
static const char *
type_word(const struct parser *p, const char *s, uint32_t len)
{
	for (uint32_t w = FIRST_TYPE; w <= LAST_TYPE; w++)
		if (p->m->syms.sym[w].len == len && memcmp(p->m->syms.sym[w].s, s, len) == 0)
			return p->m->syms.sym[w].s;
	for (size_t i = 0; i < QD_COUNT(c_words); i++)
		if (strlen(c_words[i]) == len && memcmp(c_words[i], s, len) == 0)
			return "";
	return foreign_type(&p->m->syms, s, len);
}

/* Parses "float x", "const unsigned int x" from `at` on. Returns the type that the words mean
 * and the position of the name, or NULL if there is no type. */
static const char *
c_type(const struct parser *p, uint32_t at, struct token *name)
{
	const char *s = p->m->text, *type = NULL, *word;
	bool is_unsigned = false;
	uint32_t len;

	for (;; at += len) {
		at += (uint32_t)strspn(s + at, " \t*&");
		for (len = 0; at + len < p->m->len && is_word_char(s[at + len]);)
			len++;
		if (!len || !(word = type_word(p, s + at, len)))
			break;
		is_unsigned = is_unsigned || (len == 8 && memcmp(s + at, "unsigned", 8) == 0);
		/* "unsigned int", "long long": int adds nothing */
		if (*word && (!type || strcmp(word, "i32") != 0))
			type = word;
	}
	name->at = at;
	name->len = len;
	if (type && is_unsigned)
		type = type[1] == '6' ? "u64" : "u32";
	return len ? type : NULL;
}

/* Reports "float x = 1;" and other statements that begin with two names. */
static struct node *
parse_two_names(struct parser *p)
{
	const char *s = p->m->text + p->tok.at, *type;
	struct help help = { 0 };
	struct foreign f;
	struct token name;
	char text[MAX_NAME + 64];

	type = c_type(p, p->tok.at, &name);
	if (type)
		snprintf(text, sizeof text, "write var %.*s: %s = ...; or 'let' if it never changes",
			 name.len > MAX_NAME ? MAX_NAME : (int)name.len, p->m->text + name.at, type);
	help.help = type ? text : help_found("a statement", s, p->tok.len);
	if (!type && help.help == help_found("a statement", "", 0)) {
		const char *theirs = foreign_help(&f, s, p->tok.len);
		help.help = theirs ? theirs : help.help;
	}
	parse_error_help(p, "a statement", &help);
	return NULL;
}

static struct node *
parse_statement(struct parser *p)
{
	uint32_t at = p->tok.at;
	struct token name;

	if (parse_is(p, T_LBRACE))
		return parse_block(p);
	switch (parse_is(p, T_NAME) ? p->tok.sym : 0) {
	case W_const_:
		if (c_type(p, p->tok.at, &name)) {
			parse_two_names(p);
			p->panic = false;
			parse_advance(p); /* not a declaration, at which recovery would stop */
			p->panic = true;
			return NULL;
		}
		parse_error_expected(p, "a statement");
		p->panic = false;
		parse_const(p);
		return NULL;
	case W_let:
	case W_var: return parse_let(p);
	case W_static_:
		if (c_type(p, p->tok.at, &name))
			return parse_two_names(p);
		parse_advance(p);
		return parse_if(p, at, F_STATIC);
	case W_if_: return parse_if(p, at, 0);
	case W_while_: return parse_while(p);
	case W_unroll: parse_advance(p); return parse_for(p, true, at);
	case W_for_: return parse_for(p, false, at);
	case W_break_:
	case W_continue_:
	case W_return_: return parse_jump(p);
	case W_shared:
		if (parse_ahead(p)->kind == T_NAME)
			return parse_shared(p);
		break;
	default: break;
	}
	if (parse_is(p, T_NAME) && parse_ahead(p)->kind == T_NAME)
		return parse_two_names(p);
	return parse_assignment(p);
}
