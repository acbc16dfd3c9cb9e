/* Expressions. Operators of one level are parsed in a loop, so only parentheses, calls, indices
 * and unary operators nest. */
#include "lang.h"

enum { LEVEL_COMPARE = 3, LEVEL_SUM = 8 };

static struct node *parse_binary(struct parser *p, uint32_t min);

static uint32_t
token_level(const struct parser *p)
{
	return p->panic ? 0 : marks[p->tok.kind].level;
}

/* Returns F_INT or F_FLOAT if the operator takes its type from context like its literals. */
static uint8_t
binary_flags(enum token_kind op, const struct node *a, const struct node *b)
{
	uint8_t flags = (a->flags | b->flags) & F_CALL;

	if (op <= T_GE)
		return flags;
	if (op == T_SHL || op == T_SHR)
		return flags & F_CALL ? flags : flags | (a->flags & F_UNTYPED);
	if ((a->flags & F_UNTYPED) && (b->flags & F_UNTYPED))
		flags |= (a->flags | b->flags) & F_FLOAT ? F_FLOAT : F_INT;
	return flags;
}

struct node *
parse_expr(struct parser *p)
{
	return parse_binary(p, 1);
}

struct node *
parse_sum(struct parser *p)
{
	return parse_binary(p, LEVEL_SUM);
}

struct node *
parse_exprs(struct parser *p, uint64_t *n)
{
	return parse_list(p, parse_expr, UINT32_MAX, DIAG_E0139, n);
}

/* "(float)x" */
static void
parse_c_cast(struct parser *p, const struct node *type)
{
	const char *s = p->m->text + type->at, *ours = foreign_type(&p->m->syms, s, type->len);
	struct help help = { 0 };
	char text[64];

	if (word_is_type(type->sym))
		ours = p->m->syms.sym[type->sym].s;
	if (!ours)
		return;
	snprintf(text, sizeof text, "a conversion is written %s(x)", ours);
	help.help = text;
	parse_error_help(p, "an operator", &help);
}

/* ( expr ), or ( expr, ... ) for the identity of a call */
static struct node *
parse_parentheses(struct parser *p)
{
	struct node *n = parse_node(p, N_TUPLE, p->tok.at);

	if (!parse_enter(p))
		return n;
	parse_advance(p);
	n->a = parse_exprs(p, &n->num);
	parse_leave(p);
	parse_expect(p, T_RPAREN, "')'");
	if (n->num == 1 && n->a->kind == N_NAME && !p->panic && p->tok.kind >= T_NAME &&
	    p->tok.kind <= T_FLOAT)
		parse_c_cast(p, n->a);
	return n->num == 1 ? n->a : parse_node_end(p, n);
}

static struct node *
parse_bitcast(struct parser *p)
{
	struct node *n = parse_node(p, N_BITCAST, p->tok.at);

	if (!parse_enter(p))
		return n;
	parse_advance(p);
	parse_expect(p, T_LT, "'<'");
	n->a = parse_type(p);
	parse_expect(p, T_GT, "'>'");
	parse_expect(p, T_LPAREN, "'('");
	n->b = parse_expr(p);
	parse_leave(p);
	n->flags = n->b->flags & F_CALL;
	parse_expect(p, T_RPAREN, "')'");
	return parse_node_end(p, n);
}

static struct node *
parse_primary(struct parser *p)
{
	struct node *n;

	if (parse_is(p, T_LPAREN))
		return parse_parentheses(p);
	if (parse_is_word(p, W_bitcast))
		return parse_bitcast(p);
	if (parse_is(p, T_NAME) && p->tok.len == 3 && parse_ahead(p)->kind == T_NAME &&
	    memcmp(p->m->text + p->tok.at, "not", 3) == 0)
		parse_error_expected(p, "an expression");
	if (parse_is(p, T_STRING))
		parse_error_expected(p, "an expression");
	n = parse_node(p, N_NAME, p->tok.at);
	n->type = p->tok.type;
	n->num = p->tok.num;
	n->sym = p->tok.sym;
	if (parse_is(p, T_INT)) {
		n->kind = N_INT;
		n->flags = n->type ? 0 : F_INT;
	} else if (parse_is(p, T_FLOAT)) {
		n->kind = N_FLOAT;
		n->flags = n->type ? 0 : F_FLOAT;
	} else if (parse_is_word(p, W_inf) || parse_is_word(p, W_nan)) {
		n->kind = n->sym == W_inf ? N_INF : N_NAN;
		n->flags = F_FLOAT;
	} else if (parse_is_word(p, W_true_) || parse_is_word(p, W_false_)) {
		n->kind = N_BOOL;
		n->num = n->sym == W_true_;
	} else if (!parse_is(p, T_NAME) || (n->sym <= LAST_RESERVED && !word_is_type(n->sym))) {
		parse_error_expected(p, "an expression");
		return n;
	}
	parse_advance(p);
	return n;
}

/* Returns whether argument n of this callee is a string. */
static bool
takes_text(const struct node *callee, uint32_t n)
{
	return callee->kind == N_NAME &&
	       ((callee->sym == W_assert && n == 1) || (callee->sym == W_print && n == 0));
}

/* ( args, id = arg ) after callee */
static struct node *
parse_call(struct parser *p, struct node *callee)
{
	struct node *n = parse_node(p, N_CALL, callee->at), *arg;
	struct list args = { .tail = &args.first };
	const struct node *outer = p->callee;

	n->a = callee;
	n->flags = callee->flags & F_CALL;
	if (callee->kind == N_NAME && !word_is_type(callee->sym) && callee->sym < FIRST_MATH)
		n->flags |= F_CALL;
	if (callee->kind == N_NAME && callee->sym >= N_WORD)
		n->flags |= F_CALL;
	if (!parse_enter(p))
		return n;
	parse_advance(p);
	p->callee = callee->kind == N_NAME ? callee : NULL;
	while (!parse_is(p, T_RPAREN)) {
		if (parse_is(p, T_NAME) && parse_ahead(p)->kind == T_ASSIGN) {
			arg = parse_node(p, N_NAMED, p->tok.at);
			parse_name(p, arg);
			parse_advance(p);
			arg->a = parse_expr(p);
			arg->flags = arg->a->flags & F_CALL;
		} else if (parse_is(p, T_STRING) && takes_text(callee, args.n)) {
			arg = parse_node(p, N_STRING, p->tok.at);
			parse_advance(p);
			parse_node_end(p, arg);
		} else {
			arg = parse_expr(p);
		}
		n->flags |= arg->flags & F_CALL;
		list_add(&args, arg);
		if (!parse_take(p, T_COMMA))
			break;
	}
	p->grows = p->grows || (n->flags & F_CALL);
	parse_leave(p);
	n->b = args.first;
	n->num = args.n;
	parse_expect(p, T_RPAREN, "')'");
	p->callee = outer;
	return parse_node_end(p, n);
}

static struct node *parse_unary(struct parser *p);

/* [ i ] after base, and the value for an index out of range */
static struct node *
parse_index(struct parser *p, struct node *base)
{
	struct node *n = parse_node(p, N_INDEX, base->at);

	n->a = base;
	if (!parse_enter(p))
		return n;
	parse_advance(p);
	n->b = parse_exprs(p, NULL);
	for (const struct node *i = n->b; i; i = i->next)
		n->flags |= i->flags & F_CALL;
	parse_expect(p, T_RBRACKET, "']'");
	parse_node_end(p, n);
	if (parse_take_word(p, W_else_)) {
		n->c = parse_unary(p);
		n->flags |= n->c->flags & F_CALL;
		parse_node_end(p, n);
	}
	parse_leave(p);
	return n;
}

/* Parses the value for elements past the end after a call that loads several. */
static void
parse_wide_else(struct parser *p, struct node *call)
{
	const struct node *f = call->a;
	uint32_t n;
	bool is_store;

	if (f->kind != N_MEMBER || !parse_is_word(p, W_else_) ||
	    !wide_named(&p->m->syms.sym[f->sym], &n, &is_store) || is_store)
		return;
	parse_advance(p);
	call->c = parse_unary(p);
	call->flags |= call->c->flags & F_CALL;
	parse_node_end(p, call);
}

static struct node *
parse_postfix(struct parser *p)
{
	struct node *n = parse_primary(p), *m;
	uint32_t links = 0;

	for (;;) {
		if (links == p->m->ctx->limits.max_depth)
			parse_too_deep(p);
		links++;
		if (parse_is(p, T_LPAREN)) {
			n = parse_call(p, n);
			parse_wide_else(p, n);
		} else if (parse_is(p, T_LBRACKET)) {
			n = parse_index(p, n);
		} else if (parse_is(p, T_DOT)) {
			m = parse_node(p, N_MEMBER, n->at);
			m->a = n;
			m->flags = n->flags & F_CALL;
			parse_advance(p);
			if (!parse_is(p, T_NAME)) {
				parse_error_expected(p, "a name");
				return n;
			}
			m->sym = p->tok.sym;
			parse_advance(p);
			n = parse_node_end(p, m);
		} else {
			return n;
		}
	}
}

static struct node *
parse_unary(struct parser *p)
{
	struct node *n;

	if (!parse_is(p, T_SUB) && !parse_is(p, T_NOT) && !parse_is(p, T_TILDE))
		return parse_postfix(p);
	n = parse_node(p, N_UNARY, p->tok.at);
	n->op = p->tok.kind;
	if (!parse_enter(p))
		return n;
	parse_advance(p);
	n->a = parse_unary(p);
	n->flags = n->a->flags & (n->op == T_NOT ? F_CALL : F_CALL | F_UNTYPED);
	parse_leave(p);
	return parse_node_end(p, n);
}

static struct node *
parse_binary(struct parser *p, uint32_t min)
{
	struct node *left = parse_unary(p), *n;
	uint32_t lv;

	while ((lv = token_level(p)) >= min && lv) {
		n = parse_node(p, N_BINARY, p->tok.at);
		n->op = p->tok.kind;
		parse_advance(p);
		n->a = left;
		left->d = n;
		n->b = parse_binary(p, lv + 1);
		n->flags = binary_flags((enum token_kind)n->op, n->a, n->b);
		left = n;
		if (lv == LEVEL_COMPARE && token_level(p) == LEVEL_COMPARE)
			parse_error(p, DIAG_E0114);
	}
	return left;
}
