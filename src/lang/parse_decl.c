/* Declarations: constants, functions, kernels with their templates, parameters
 * and attributes, instantiations. */
#include "lang.h"

/* id [ "[" exprs "]" ] */
struct node *
parse_type(struct parser *p)
{
	struct node *n = parse_node(p, N_TYPENAME, p->tok.at);

	if (!parse_is(p, T_NAME) || (p->tok.sym <= LAST_RESERVED && !word_is_type(p->tok.sym))) {
		bool is_const = parse_is_word(p, W_const_);

		parse_error_expected(p, "a type");
		if (is_const) {
			p->panic = false;
			parse_advance(p); /* not a declaration, at which recovery would stop */
			p->panic = true;
		}
		return n;
	}
	n->sym = p->tok.sym;
	parse_advance(p);
	if (parse_take(p, T_LBRACKET)) {
		n->flags |= F_ARRAY;
		if (!parse_is(p, T_RBRACKET))
			n->a = parse_exprs(p, NULL);
		parse_expect(p, T_RBRACKET, "']'");
	}
	return parse_node_end(p, n);
}

/* ["static"] id "in" ( "{" arg, ... "}" | sum "..=" sum ) */
static struct node *
parse_tparam(struct parser *p)
{
	struct node *n = parse_node(p, N_TPARAM, p->tok.at);

	if (parse_take_word(p, W_static_))
		n->flags |= F_STATIC;
	parse_name(p, n);
	if (!parse_is_word(p, W_in))
		parse_error_help(p, "'in'",
				 &(struct help){ .help = "list the choices: <T in {f32, i32}> or <static L in 0..=6>" });
	parse_expect_word(p, W_in);
	if (parse_take(p, T_LBRACE)) {
		n->a = parse_list(p, parse_sum, MAX_CHOICES, DIAG_E0139, NULL);
		parse_expect(p, T_RBRACE, "'}'");
		return n;
	}
	n->b = parse_sum(p);
	if (parse_is(p, T_DOTDOT))
		parse_error(p, DIAG_E0102);
	parse_expect(p, T_DOTDOTEQ, "'..='");
	n->c = parse_sum(p);
	return n;
}

static struct node *
parse_tparams(struct parser *p)
{
	struct node *first;

	if (!parse_take(p, T_LT))
		return NULL;
	first = parse_list(p, parse_tparam, MAX_TMPL, DIAG_E0329, NULL);
	parse_expect(p, T_GT, "'>'");
	return first;
}

/* ["static"] id ":" ["in" | "out" | "shared"] type */
static struct node *
parse_param(struct parser *p)
{
	struct node *n = parse_node(p, N_PARAM, p->tok.at);

	if (parse_take_word(p, W_static_))
		n->flags |= F_STATIC;
	if (parse_is(p, T_NAME) && word_is_type(p->tok.sym))
		parse_error_help(p, "a name", &(struct help){ .help = help_found("':'", "", 0) });
	parse_name(p, n);
	parse_expect(p, T_COLON, "':'");
	n->op = QD_ACCESS_INOUT;
	if (parse_take_word(p, W_in))
		n->op = QD_ACCESS_IN;
	else if (parse_take_word(p, W_out))
		n->op = QD_ACCESS_OUT;
	else if (parse_take_word(p, W_shared))
		n->op = 0;
	n->a = parse_type(p);
	return n;
}

static struct node *
parse_params(struct parser *p)
{
	struct node *first = NULL;

	parse_expect(p, T_LPAREN, "'('");
	if (!parse_is(p, T_RPAREN))
		first = parse_list(p, parse_param, MAX_PARAM, DIAG_E0321, NULL);
	parse_expect(p, T_RPAREN, "')'");
	return first;
}

/* Returns a node that spans a string. */
static struct node *
parse_string(struct parser *p, const char *what)
{
	struct node *n = parse_node(p, N_NAME, p->tok.at);

	parse_expect(p, T_STRING, what);
	return n;
}

static struct node *
parse_attr(struct parser *p)
{
	struct node *n = parse_node(p, N_ATTR, p->tok.at);

	n->sym = p->tok.sym;
	parse_advance(p);
	parse_expect(p, T_LPAREN, "'('");
	if (n->sym == W_assume_uniform || n->sym == W_assume_in_bounds) {
		n->d = parse_string(p, "a string with the reason");
	} else if (n->sym == W_allow) {
		n->d = parse_string(p, "the code of a warning, as in allow(\"W0301\", \"why\")");
		parse_expect(p, T_COMMA, "','");
		parse_string(p, "a string with the reason");
	} else {
		n->a = parse_exprs(p, NULL);
	}
	parse_expect(p, T_RPAREN, "')'");
	return parse_node_end(p, n);
}

static struct node *
parse_attrs(struct parser *p)
{
	struct list l = { .tail = &l.first };

	for (;;) {
		switch (parse_is(p, T_NAME) ? p->tok.sym : 0) {
		case W_allow:
		case W_block:
		case W_subgroup:
		case W_requires:
		case W_assume_uniform:
		case W_assume_in_bounds: list_add(&l, parse_attr(p)); continue;
		default: return l.first;
		}
	}
}

/* "kernel" id [tparams] "(" params ")" attrs body */
struct node *
parse_kernel(struct parser *p)
{
	struct node *n = parse_node(p, N_KERNEL, p->tok.at);

	parse_advance(p);
	parse_name(p, n);
	n->a = parse_tparams(p);
	n->b = parse_params(p);
	n->c = parse_attrs(p);
	if (!parse_is(p, T_LBRACE))
		parse_error_expected(p, "'{' or an attribute");
	n->d = parse_block(p);
	return n;
}

/* "fn" id [tparams] "(" params ")" ["->" type, ...] body */
struct node *
parse_fn(struct parser *p)
{
	struct node *n = parse_node(p, N_FN, p->tok.at);

	parse_advance(p);
	parse_name(p, n);
	n->a = parse_tparams(p);
	n->b = parse_params(p);
	if (parse_take(p, T_ARROW))
		n->c = parse_list(p, parse_type, MAX_VALUES, DIAG_E0139, &n->num);
	else if (parse_is(p, T_NAME) || parse_is(p, T_COLON))
		parse_error_help(p, "'{'", &(struct help){ .help = help_found("a result", ":", 1) });
	n->d = parse_block(p);
	return n;
}

/* "[" expr, ... [","] "]" */
static struct node *
parse_elements(struct parser *p)
{
	struct node *n = parse_node(p, N_LIST, p->tok.at);
	struct list l = { .tail = &l.first };

	parse_expect(p, T_LBRACKET, "'[' and the elements of the table");
	while (!p->panic && !parse_is(p, T_RBRACKET)) {
		list_add(&l, parse_expr(p));
		if (!parse_take(p, T_COMMA))
			break;
	}
	parse_expect(p, T_RBRACKET, "']'");
	n->a = l.first;
	n->num = l.n;
	return parse_node_end(p, n);
}

/* "const" id [":" type] "=" ( expr | elements ) ";" */
struct node *
parse_const(struct parser *p)
{
	struct node *n = parse_node(p, N_CONST, p->tok.at);

	parse_advance(p);
	parse_name(p, n);
	if (parse_take(p, T_COLON))
		n->a = parse_type(p);
	parse_expect(p, T_ASSIGN, "'='");
	if (!n->a && parse_is(p, T_LBRACKET))
		parse_error_help(p, "an expression",
				 &(struct help){ .help = "a table has a type: const K: u32[2] = [1, 2];" });
	n->b = n->a && n->a->flags & F_ARRAY ? parse_elements(p) : parse_expr(p);
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}

/* "import" string ["as" id] ";" */
struct node *
parse_import(struct parser *p)
{
	struct node *n = parse_node(p, N_IMPORT, p->tok.at);
	static const uint32_t groups[] = { W_subgroup, W_block, W_grid, W_atomic, W_nvvm };

	parse_advance(p);
	n->a = parse_node(p, N_STRING, p->tok.at);
	parse_expect(p, T_STRING, "the name of a file in quotes");
	parse_node_end(p, n->a);
	parse_node_end(p, n);
	if (parse_take_word(p, W_as)) {
		bool reserved = parse_is(p, T_NAME) && p->tok.len == 4 && memcmp(p->m->text + p->tok.at, "fast", 4) == 0;

		for (size_t i = 0; i < QD_COUNT(groups); i++)
			reserved = reserved || parse_is_word(p, (enum word)groups[i]);
		if (reserved)
			parse_error_help(p, "a name", &(struct help){ .help = "this word names a group of primitives" });
		parse_name(p, n);
	}
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}

/* "instantiate" id ["." id] ["<" arg, ... ">"] "as" id ";" */
struct node *
parse_instantiate(struct parser *p)
{
	struct node *n = parse_node(p, N_INSTANTIATE, p->tok.at);

	parse_advance(p);
	n->a = parse_node(p, N_NAME, p->tok.at);
	parse_name(p, n->a);
	if (parse_take(p, T_DOT)) {
		struct node *member = parse_node(p, N_MEMBER, n->a->at);

		member->a = n->a;
		n->a = member;
		if ((member->sym = p->tok.sym) && parse_expect(p, T_NAME, "a name"))
			parse_node_end(p, member);
	}
	if (!parse_is_word(p, W_as)) {
		parse_expect(p, T_LT, "'<'");
		n->b = parse_list(p, parse_sum, UINT32_MAX, DIAG_E0139, &n->num);
		parse_expect(p, T_GT, "'>'");
	}
	parse_expect_word(p, W_as);
	parse_name(p, n);
	parse_expect(p, T_SEMICOLON, "';'");
	return n;
}
