/* The parser of a module: head, functions and statements. */
#include "parse.h"

enum { MAX_INSNS = 1 << 20, MAX_NEST = 1000, MAX_TARGETS = 1024 };

bool
parse_fail_at(struct parse *ps, qd_status code, uint32_t line, uint32_t col, const char *fmt, ...)
{
	va_list ap;

	if (ps->status != QD_OK)
		return false;
	/* For a malformed token, report the lexer's reason. */
	if (ps->lx.t.kind == TOK_BAD && line == ps->lx.t.line && col == ps->lx.t.col)
		fmt = ps->lx.bad;
	va_start(ap, fmt);
	ps->status = qd_vfail(ps->err, code, line, col, fmt, ap);
	va_end(ap);
	return false;
}

bool
parse_nomem(struct parse *ps)
{
	if (ps->status == QD_OK)
		ps->status = qd_fail(ps->err, QD_E_NOMEM, "out of memory for a PTX module");
	return false;
}

bool
parse_punct(struct parse *ps, char c)
{
	if (parse_accept(ps, c))
		return true;
	return parse_fail(ps, "expected '%c', found '%.*s'", c, TOKEN_ARGS(ps));
}

/* -- Instructions ------------------------------------------------------------------------- */

struct insn *
insn_add(struct parse *ps)
{
	struct insn *i;

	if (ps->m->code.len / sizeof *i >= MAX_INSNS) {
		parse_fail(ps, "too many instructions: expected at most %d", MAX_INSNS);
		return NULL;
	}
	i = buf_extend(&ps->m->code, sizeof *i);
	if (!i) {
		parse_nomem(ps);
		return NULL;
	}
	return i;
}

static bool
is_sync(uint8_t kind)
{
	return kind == K_bar || kind == K_warpsync || kind == K_shfl || kind == K_vote ||
	       kind == K_match || kind == K_redux || kind == K_elect;
}

/* Sets the functions that implement i, and its mode. */
static bool
bind(struct parse *ps, struct insn *i)
{
	const struct form *f = i->form;

	switch (i->kind) {
	case K_alu: i->fn.lanes = (*(alu_table *)f->table)[f->type[0]]; break;
	case K_setp:
		i->fn.mask = f->n_ops && f->row->name[0] == 't' ? testp_table[f->op[0]][f->type[0]]
								: cmp_table[f->cmp][f->type[0]];
		break;
	case K_set: i->fn.mask = cmp_table[f->cmp][f->type[1]]; break;
	case K_selp:
	case K_cvta:
	case K_mov: i->fn.lanes = mov_by_size(ptx_type[f->type[0]].size); break;
	default: return true;
	}
	/* With two types, the second is flushed (slct). */
	char kind = ptx_type[f->type[strchr(f->row->operands, 'b') != NULL]].kind;
	if (i->kind == K_alu &&
	    ((i->flags & (F_FTZ | F_SAT | F_RELU) && kind > 'e' && kind != 's' && kind != 'u') ||
	     f->round > ROUND_NEAR))
		i->kind = K_alu_mode;
	i->direct = true;
	for (unsigned k = 1; k < QD_COUNT(i->o); k++)
		i->direct &= i->o[k].slot != i->o[0].slot;
	return i->fn.lanes || parse_fail_at(ps, QD_E_INTERNAL, i->line, i->col,
					    "the table row of %s has no function", f->name);
}

bool
parse_insn(struct parse *ps)
{
	struct insn i = { .line = ps->lx.t.line, .col = ps->lx.t.col, .guard.slot = NO_SLOT };

	if (parse_accept(ps, '@')) {
		uint8_t type;

		i.guard_not = parse_accept(ps, '!');
		if (ps->lx.t.kind != TOK_NAME ||
		    !sym_reg(ps, ps->lx.t.s, ps->lx.t.len, &i.guard, &type) || type != T_pred)
			return parse_fail(ps, "expected a predicate, found '%.*s'", TOKEN_ARGS(ps));
		lex_next(&ps->lx);
	}
	if (ps->lx.t.kind != TOK_NAME)
		return parse_fail(ps, "expected an instruction, found '%.*s'", TOKEN_ARGS(ps));
	lex_extend(&ps->lx);
	i.form = form_find(ps);
	if (!i.form)
		return false;
	i.kind = i.form->row->kind;
	i.flags = i.form->flags;
	i.line = ps->lx.t.line;
	i.col = ps->lx.t.col;
	lex_next(&ps->lx);
	if (!parse_operands(ps, &i))
		return false;
	if (!parse_punct(ps, ';') || !bind(ps, &i))
		return false;
	if (i.kind == K_ret) {
		if (ps->func->is_entry)
			i.kind = K_exit;
		else
			i.o[0] = ps->func->back;
	}
	struct insn *to = insn_add(ps);

	if (!to)
		return false;
	uint32_t n = (uint32_t)(ps->m->code.len / sizeof i);

	/* Lanes may join here after a synchronization, a jump, an exit or a call. */
	i.merge = n > 1 && (is_sync(to[-1].kind) || to[-1].kind == K_bra || to[-1].kind == K_exit ||
			    to[-1].kind == K_call);
	*to = i;
	return true;
}

/* -- Functions ---------------------------------------------------------------------------- */

/* .branchtargets A, B, ...; */
static bool
parse_targets(struct parse *ps, struct sym *s)
{
	uint32_t *t = NULL, n = 0;

	do {
		lex_next(&ps->lx);
		if (ps->lx.t.kind != TOK_NAME)
			return parse_fail(ps, "expected a label, found '%.*s'", TOKEN_ARGS(ps));
		if (n == MAX_TARGETS)
			return parse_fail(ps, "too many labels: expected at most %d", MAX_TARGETS);
		if (!t) {
			t = arena_alloc(&ps->m->arena, MAX_TARGETS * sizeof *t);
			if (!t)
				return parse_nomem(ps);
		}
		if (!jump_add(ps, 0, &t[n++]))
			return false;
		lex_next(&ps->lx);
	} while (lex_is(&ps->lx, ','));
	s->targets = t;
	s->count = n;
	return parse_punct(ps, ';');
}

static bool
parse_label(struct parse *ps)
{
	struct sym *s = sym_add(ps, SYM_LABEL, ps->lx.t.s, ps->lx.t.len);

	if (!s)
		return false;
	s->addr = ps->m->code.len / sizeof(struct insn);
	lex_next(&ps->lx);
	if (!parse_punct(ps, ':'))
		return false;
	if (ps->lx.t.kind == TOK_DOT && token_is(&ps->lx.t, "branchtargets"))
		return parse_targets(ps, s);
	return true;
}

/* Returns whether a colon follows the name that is the next token. */
static bool
at_label(const struct parse *ps)
{
	const char *p = ps->lx.p;

	while (p < ps->lx.end && (*p == ' ' || *p == '\t'))
		p++;
	return p < ps->lx.end && *p == ':' && !(p + 1 < ps->lx.end && p[1] == ':');
}

static bool
skip_to(struct parse *ps, char c)
{
	while (ps->lx.t.kind != TOK_END && ps->lx.t.kind != TOK_BAD && !lex_is(&ps->lx, c))
		lex_next(&ps->lx);
	return parse_punct(ps, c);
}

/* .section NAME { ... }: data for debuggers. */
static bool
skip_section(struct parse *ps)
{
	while (ps->lx.t.kind != TOK_END && !lex_is(&ps->lx, '{'))
		lex_next(&ps->lx);
	return skip_to(ps, '}');
}

/* Parses a directive that is allowed anywhere; *done: it was one. */
static bool
parse_common(struct parse *ps, bool *done)
{
	const struct token *t = &ps->lx.t;

	*done = true;
	if (token_is(t, "loc") || token_is(t, "file")) {
		lex_skip_line(&ps->lx);
		return true;
	}
	if (token_is(t, "pragma"))
		return skip_to(ps, ';');
	if (token_is(t, "section"))
		return skip_section(ps);
	*done = false;
	return true;
}

static bool
parse_statement(struct parse *ps)
{
	const struct token *t = &ps->lx.t;
	bool done;

	if (t->kind == TOK_NAME && at_label(ps))
		return parse_label(ps);
	if (t->kind == TOK_NAME || lex_is(&ps->lx, '@'))
		return parse_insn(ps);
	if (parse_accept(ps, ';'))
		return true;
	if (t->kind != TOK_DOT)
		return parse_fail(ps, "expected a statement, found '%.*s'", TOKEN_ARGS(ps));
	if (token_is(t, "reg"))
		return parse_reg(ps);
	if (token_is(t, "shared"))
		return parse_var(ps, SPACE_SHARED, false);
	if (token_is(t, "local"))
		return parse_var(ps, SPACE_LOCAL, false);
	if (token_is(t, "param"))
		return parse_var(ps, SPACE_PARAM, false);
	if (token_is(t, "global"))
		return parse_var(ps, SPACE_GLOBAL, false);
	if (token_is(t, "const"))
		return parse_var(ps, SPACE_CONST, false);
	if (!parse_common(ps, &done) || done)
		return done && ps->status == QD_OK;
	return parse_fail(ps, "unsupported directive .%.*s", TOKEN_ARGS(ps));
}

/* .maxntid 256, 1, 1 */
static bool
parse_limit(struct parse *ps, uint32_t *product)
{
	uint64_t all = 1;

	do {
		uint64_t v;

		lex_next(&ps->lx);
		if (!parse_number(ps, &v))
			return false;
		all *= v & 0xffffffff;
		all = all > 65536 ? 65536 : all;
	} while (lex_is(&ps->lx, ','));
	*product = (uint32_t)all;
	return true;
}

static bool
parse_limits(struct parse *ps, struct func *f)
{
	const struct token *t = &ps->lx.t;

	while (t->kind == TOK_DOT) {
		uint32_t n;
		bool done;

		if (token_is(t, "maxntid") || token_is(t, "reqntid")) {
			if (!parse_limit(ps, &f->entry.max_threads))
				return false;
		} else if (token_is(t, "minnctapersm") || token_is(t, "maxnctapersm") ||
			   token_is(t, "maxnreg")) {
			if (!parse_limit(ps, &n))
				return false;
		} else if (token_is(t, "noreturn")) {
			lex_next(&ps->lx);
		} else if (!parse_common(ps, &done)) {
			return false;
		} else if (!done) {
			return parse_fail(ps, "unsupported directive .%.*s", TOKEN_ARGS(ps));
		}
	}
	return true;
}

static bool
parse_body(struct parse *ps)
{
	uint32_t outer = ps->scope;

	lex_next(&ps->lx);
	while (!lex_is(&ps->lx, '}') || ps->scope > outer) {
		if (lex_is(&ps->lx, '{')) {
			if (ps->scope > MAX_NEST)
				return parse_fail(ps, "braces are nested more than %d levels deep",
						  MAX_NEST);
			sym_scope_open(ps);
			lex_next(&ps->lx);
		} else if (lex_is(&ps->lx, '}')) {
			if (!sym_scope_close(ps))
				return false;
			lex_next(&ps->lx);
		} else if (ps->lx.t.kind == TOK_END) {
			return parse_fail(ps, "expected '}': the text ends inside a function");
		} else if (!parse_statement(ps)) {
			return false;
		}
	}
	struct insn *i = insn_add(ps);

	if (!i)
		return false;
	/* The end of the body is a return. */
	*i = (struct insn){ .kind = ps->func->is_entry ? K_exit : K_ret,
			    .guard.slot = NO_SLOT,
			    .line = ps->lx.t.line,
			    .col = ps->lx.t.col,
			    .o[0] = ps->func->back };
	return true;
}

static void
finish_func(struct parse *ps, struct func *f)
{
	f->has_body = true;
	f->file_size = ps->file_top;
	f->n_slots = ps->slot_top;
	f->local_size = (uint32_t)ps->local_top;
	f->entry.shared_size = ps->shared_func > ps->shared_base ? ps->shared_func
			       : ps->uses_module_shared		 ? ps->shared_module
								 : 0;
	if (ps->has_funcs)
		ps->shared_module = ps->shared_func;
}

/* (.param .b32 r, ...) */
static bool
parse_params(struct parse *ps, struct func *f, bool results)
{
	if (parse_accept(ps, ')'))
		return true;
	do {
		if (!parse_param(ps, f, results))
			return false;
	} while (parse_accept(ps, ','));
	return parse_punct(ps, ')');
}

static bool
same_params(const struct ptx_param *a, const struct ptx_param *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k].size != b[k].size)
			return false;
	return true;
}

/* Finds or adds the function of this name; one declared before keeps its struct. */
static bool
find_func(struct parse *ps, struct func *f, const char *name, uint32_t len, struct func **out)
{
	struct sym *s = sym_find(ps, name, len);

	if (s && s->kind == SYM_FUNC && !f->is_entry && !s->func->is_entry && !s->func->has_body) {
		*out = s->func;
		return true;
	}
	s = sym_add(ps, SYM_FUNC, name, len);
	if (!s)
		return false;
	*out = s->func = f;
	*ps->last_func = f;
	ps->last_func = &f->next;
	f->entry.name = arena_strdup(&ps->m->arena, name, len);
	return f->entry.name || parse_nomem(ps);
}

static bool
parse_func(struct parse *ps, bool is_entry)
{
	uint32_t file = ps->file_top, slots = ps->slot_top;
	uint64_t local = ps->local_top;
	struct func *f = arena_zalloc(&ps->m->arena, sizeof *f), *now;

	if (!f)
		return parse_nomem(ps);
	ps->has_funcs |= !is_entry;
	f->is_entry = is_entry;
	f->entry.module = ps->m;
	lex_next(&ps->lx);
	ps->scope++;
	if (!is_entry && parse_accept(ps, '(') && !parse_params(ps, f, true))
		return false;
	if (ps->lx.t.kind != TOK_NAME)
		return parse_fail(ps, "expected a function name, found '%.*s'", TOKEN_ARGS(ps));
	ps->scope--;
	if (!find_func(ps, f, ps->lx.t.s, ps->lx.t.len, &now))
		return false;
	ps->scope++;
	lex_next(&ps->lx);
	if (parse_accept(ps, '(') && !parse_params(ps, f, false))
		return false;
	f->entry.params = f->params;
	if (!parse_limits(ps, f))
		return false;
	if (now != f) {
		/* The function takes the addresses of the definition's parameters. */
		if (now->entry.n_params != f->entry.n_params || now->n_results != f->n_results ||
		    !same_params(now->params, f->params, f->entry.n_params) ||
		    !same_params(now->results, f->results, f->n_results))
			return parse_fail(ps,
					  "conflicting declarations of %s: the parameters differ",
					  now->entry.name);
		if (f->params)
			memcpy(now->params, f->params, f->entry.n_params * sizeof *f->params);
		if (f->results)
			memcpy(now->results, f->results, f->n_results * sizeof *f->results);
		f = now;
	}
	if (!is_entry && parse_accept(ps, ';'))
		return sym_scope_close(ps);
	ps->func = f;
	f->start = (uint32_t)(ps->m->code.len / sizeof(struct insn));
	f->back = is_entry ? (struct opnd){ 0, 0 } : reg_new(ps, T_b32, 1);
	ps->shared_func = ps->shared_base = ps->shared_module;
	ps->uses_module_shared = false;
	if (!lex_is(&ps->lx, '{'))
		return parse_punct(ps, '{');
	if (!parse_body(ps) || !sym_scope_close(ps))
		return false;
	finish_func(ps, f);
	lex_next(&ps->lx);
	ps->func = NULL;
	if (!ps->has_funcs) {
		ps->file_top = file;
		ps->slot_top = slots;
		ps->local_top = local;
	}
	return true;
}

static bool
parse_item(struct parse *ps)
{
	const struct token *t = &ps->lx.t;
	bool is_extern = false, done;

	while (t->kind == TOK_DOT && (token_is(t, "visible") || token_is(t, "weak") ||
				      token_is(t, "extern") || token_is(t, "common"))) {
		is_extern |= token_is(t, "extern");
		lex_next(&ps->lx);
	}
	if (t->kind != TOK_DOT)
		return parse_fail(ps, "expected a function or variable, found '%.*s'",
				  TOKEN_ARGS(ps));
	if (token_is(t, "entry"))
		return parse_func(ps, true);
	if (token_is(t, "func"))
		return parse_func(ps, false);
	if (token_is(t, "shared"))
		return parse_var(ps, SPACE_SHARED, is_extern);
	if (token_is(t, "global"))
		return parse_var(ps, SPACE_GLOBAL, is_extern);
	if (token_is(t, "const"))
		return parse_var(ps, SPACE_CONST, is_extern);
	if (!parse_common(ps, &done) || done)
		return done && ps->status == QD_OK;
	return parse_fail(ps, "unsupported directive .%.*s", TOKEN_ARGS(ps));
}

static bool
parse_module(struct parse *ps)
{
	if (!parse_head(ps))
		return false;
	while (ps->lx.t.kind != TOK_END)
		if (!parse_item(ps))
			return false;
	return finish_calls(ps);
}

/* -- The module --------------------------------------------------------------------------- */

qd_status
ptx_module_parse(struct pool *pool, const char *text, size_t len, struct ptx_module **out,
		 struct qd_error *err)
{
	struct ptx_module *m;
	struct pool_block *scratch;
	struct parse *ps;
	qd_status status;

	*out = NULL;
	scratch = pool_get(pool, sizeof *ps);
	m = pool_new(pool, sizeof *m);
	if (!scratch || !m) {
		if (scratch)
			pool_put(pool, scratch);
		if (m)
			pool_delete(pool, m);
		return qd_fail(err, QD_E_NOMEM, "out of memory for a PTX module");
	}
	ps = pool_data(scratch);
	memset(ps, 0, sizeof *ps);
	m->pool = pool;
	arena_init(&m->arena, pool);
	buf_init(&m->konst, pool);
	buf_init(&m->code, pool);
	ps->m = m;
	ps->last_func = &m->funcs;
	ps->err = err;
	ps->slot_top = 1; /* slot 0 is for constants */
	lex_open(&ps->lx, text, len);
	struct opnd zero;

	if ((!konst_get(ps, 0, 8, &zero) || !parse_module(ps)) && ps->status == QD_OK)
		parse_fail(ps, "invalid PTX");
	status = ps->status;
	pool_put(pool, scratch);
	if (status != QD_OK)
		ptx_module_free(m);
	else
		*out = m;
	return status;
}
