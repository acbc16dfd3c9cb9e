/* Calls and indexed branches. Recursion is unsupported, so each function has static registers and
 * parameters. A call is copies of the arguments, a jump, and copies of the results. */
#include "parse.h"

enum { MAX_CALLS = 200, MAX_ARGS = 255 };

struct edge {
	struct edge *next;
	struct func *to;
	uint32_t line, col;
};

/* -- Calls -------------------------------------------------------------------------------- */

/* Parses the variables of (a, b, ...); finish_calls sets the callee's addresses. */
static bool
take_args(struct parse *ps, struct copy *c, uint32_t *n, bool results)
{
	*n = 0;
	if (parse_accept(ps, ')'))
		return true;
	do {
		const struct sym *s =
			ps->lx.t.kind == TOK_NAME ? sym_find(ps, ps->lx.t.s, ps->lx.t.len) : NULL;

		if (!s || s->kind != SYM_VAR || !s->is_param)
			return parse_fail(
				ps, "expected a .param variable of this function, found '%.*s'",
				TOKEN_ARGS(ps));
		if (*n == MAX_ARGS)
			return parse_fail(ps, "too many parameters: expected at most %d", MAX_ARGS);
		if (results)
			c[*n] = (struct copy){ .dst = (uint32_t)s->addr,
					       .size = (uint32_t)s->size };
		else
			c[*n] = (struct copy){ .src = (uint32_t)s->addr,
					       .size = (uint32_t)s->size };
		++*n;
		lex_next(&ps->lx);
	} while (parse_accept(ps, ','));
	return parse_punct(ps, ')');
}

/* Appends an instruction that copies, with the guard of the call. */
static bool
add_copies(struct parse *ps, const struct insn *call, const struct copy *from, uint32_t n)
{
	struct copy *c = arena_alloc(&ps->m->arena, (n ? n : 1) * sizeof *c);
	struct insn *i = c ? insn_add(ps) : NULL;

	if (!c)
		return parse_nomem(ps);
	if (!i)
		return false;
	memcpy(c, from, n * sizeof *c);
	*i = (struct insn){ .kind = K_copy,
			    .form = call->form,
			    .guard = call->guard,
			    .guard_not = call->guard_not,
			    .line = call->line,
			    .col = call->col,
			    .fn.copies = c,
			    .n_vec = (uint8_t)n };
	return true;
}

/* Appends the copies of arguments and the call; the caller appends *i, which becomes the copy of
 * results. */
bool
parse_call(struct parse *ps, struct insn *i)
{
	struct copy args[MAX_ARGS], results[MAX_ARGS];
	uint32_t n_args = 0, n_results = 0;
	struct insn *to;
	struct jump *j;
	struct edge *e;
	const struct sym *s;

	if (parse_accept(ps, '(') &&
	    (!take_args(ps, results, &n_results, true) || !parse_punct(ps, ',')))
		return false;
	s = ps->lx.t.kind == TOK_NAME ? sym_find(ps, ps->lx.t.s, ps->lx.t.len) : NULL;
	if (!s || s->kind != SYM_FUNC || s->func->is_entry)
		return parse_fail(ps, "unknown function %.*s; indirect calls are not supported",
				  TOKEN_ARGS(ps));
	e = arena_alloc(&ps->m->arena, sizeof *e);
	j = arena_zalloc(&ps->m->arena, sizeof *j);
	if (!e || !j)
		return parse_nomem(ps);
	*e = (struct edge){ ps->func->edges, s->func, i->line, i->col };
	ps->func->edges = e;
	lex_next(&ps->lx);
	if (parse_accept(ps, ',') &&
	    (!parse_punct(ps, '(') || !take_args(ps, args, &n_args, false)))
		return false;
	if (n_args != s->func->entry.n_params || n_results != s->func->n_results)
		return parse_fail_at(
			ps, QD_E_SYNTAX, i->line, i->col,
			"call of %s: expected %u parameters and %u results, found %u and %u",
			s->func->entry.name, s->func->entry.n_params, s->func->n_results, n_args,
			n_results);
	for (uint32_t k = 0; k < n_args; k++)
		if (args[k].size != s->func->params[k].size)
			return parse_fail_at(ps, QD_E_SYNTAX, i->line, i->col,
					     "parameter %u of %s: expected %u bytes, found %u",
					     k + 1, s->func->entry.name, s->func->params[k].size,
					     args[k].size);
	for (uint32_t k = 0; k < n_results; k++)
		if (results[k].size != s->func->results[k].size)
			return parse_fail_at(ps, QD_E_SYNTAX, i->line, i->col,
					     "result %u of %s: expected %u bytes, found %u", k + 1,
					     s->func->entry.name, s->func->results[k].size,
					     results[k].size);
	if (!add_copies(ps, i, args, n_args))
		return false;
	to = insn_add(ps);
	if (!to)
		return false;
	*to = *i;
	j->next = ps->calls;
	j->insn = (uint32_t)(ps->m->code.len / sizeof *i - 1);
	j->func = s->func;
	ps->calls = j;
	/* *i becomes the copy of the results. */
	struct copy *c = arena_alloc(&ps->m->arena, (n_results ? n_results : 1) * sizeof *c);

	if (!c)
		return parse_nomem(ps);
	memcpy(c, results, n_results * sizeof *c);
	i->kind = K_copy;
	i->fn.copies = c;
	i->n_vec = (uint8_t)n_results;
	return true;
}

/* Checks the functions that f calls; recursion is an error. */
static bool
walk(struct parse *ps, struct func *f, uint32_t *depth)
{
	f->visit = 1;
	for (const struct edge *e = f->edges; e; e = e->next) {
		if (e->to->visit == 1)
			return parse_fail_at(ps, QD_E_SYNTAX, e->line, e->col,
					     "recursion is not supported");
		if (!depth_enter(depth, MAX_CALLS))
			return parse_fail_at(ps, QD_E_SYNTAX, e->line, e->col,
					     "calls are nested more than %d levels deep",
					     MAX_CALLS);
		if (!e->to->has_body)
			return parse_fail_at(ps, QD_E_SYNTAX, e->line, e->col,
					     "function %s has no body", e->to->entry.name);
		if (!e->to->visit && !walk(ps, e->to, depth))
			return false;
		depth_leave(depth);
	}
	f->visit = 2;
	return true;
}

bool
finish_calls(struct parse *ps)
{
	struct insn *code = (struct insn *)(void *)buf_data(&ps->m->code);

	uint32_t depth = 0;

	if (!ps->has_funcs)
		return true;
	for (struct func *f = ps->m->funcs; f; f = f->next) {
		if (!f->visit && !walk(ps, f, &depth))
			return false;
		f->file_size = ps->file_top;
		f->n_slots = ps->slot_top;
		f->local_size = (uint32_t)ps->local_top;
		f->entry.shared_size = ps->shared_module;
	}
	for (const struct jump *j = ps->calls; j; j = j->next) {
		struct insn *i = &code[j->insn];
		struct copy *in = (struct copy *)(uintptr_t)i[-1].fn.copies,
			    *out = (struct copy *)(uintptr_t)i[1].fn.copies;

		i->imm = j->func->start;
		i->o[0] = j->func->back;
		code[j->func->start].merge = 1;
		i[1].merge = 1;
		for (uint32_t k = 0; k < i[-1].n_vec; k++)
			in[k].dst = j->func->params[k].offset;
		for (uint32_t k = 0; k < i[1].n_vec; k++)
			out[k].src = j->func->results[k].offset;
	}
	return true;
}

/* -- Indexed branches --------------------------------------------------------------------- */

bool
parse_brx(struct parse *ps, struct insn *i)
{
	const struct sym *s =
		ps->lx.t.kind == TOK_NAME ? sym_find(ps, ps->lx.t.s, ps->lx.t.len) : NULL;

	if (!s || s->kind != SYM_LABEL || !s->targets)
		return parse_fail(ps, "unknown list %.*s: declare it with .branchtargets first",
				  TOKEN_ARGS(ps));
	i->fn.table = s->targets;
	i->imm2 = s->count;
	lex_next(&ps->lx);
	return true;
}
