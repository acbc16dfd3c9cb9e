/* Declarations of registers, variables and parameters, and the integer expressions in them. */
#include "parse.h"

enum { MAX_DEPTH = 64, MAX_REGS = 1 << 16, MAX_LOCAL = 512 << 10 };
#define MAX_BYTES (UINT64_C(1) << 24)

const struct type_info ptx_type[N_TYPES] = {
#define TYPE(name, size, kind) { #name, size, kind },
#include "type.def"
#undef TYPE
};

enum ptx_type_id
ptx_type_named(const char *s, uint32_t len)
{
	if (len < 2 || len > 6)
		return T_none;
	for (unsigned t = 1; t < N_TYPES; t++)
		if (ptx_type[t].name[0] == *s && strlen(ptx_type[t].name) == len &&
		    !memcmp(ptx_type[t].name, s, len))
			return (enum ptx_type_id)t;
	return T_none;
}

/* -- Integer expressions ------------------------------------------------------------------ */

static bool binary(struct parse *ps, unsigned level, uint64_t *v);
static bool unary(struct parse *ps, uint64_t *v);

/* Parses an operand with prefix operators or in parentheses. */
static bool
operand_of(struct parse *ps, uint64_t *v)
{
	if (parse_accept(ps, '(')) {
		if (ps->lx.t.kind == TOK_DOT) { /* casts affect only signedness */
			if (!token_is(&ps->lx.t, "s64") && !token_is(&ps->lx.t, "u64"))
				return parse_fail(ps, "expected (.s64) or (.u64)");
			lex_next(&ps->lx);
			return parse_punct(ps, ')') && unary(ps, v);
		}
		return binary(ps, 0, v) && parse_punct(ps, ')');
	}
	char op = ps->lx.t.kind == TOK_CHAR ? ps->lx.t.s[0] : 0;

	if (op && strchr("-+~!", op)) {
		lex_next(&ps->lx);
		if (!unary(ps, v))
			return false;
		*v = op == '-' ? -*v : op == '~' ? ~*v : op == '!' ? !*v : *v;
		return true;
	}
	return parse_fail(ps, "expected a number, found '%.*s'", TOKEN_ARGS(ps));
}

static bool
unary(struct parse *ps, uint64_t *v)
{
	if (ps->lx.t.kind == TOK_INT) {
		*v = ps->lx.t.value;
		lex_next(&ps->lx);
		return true;
	}
	if (!depth_enter(&ps->nested, MAX_DEPTH))
		return parse_fail(ps, "the expression is nested too deeply");
	bool ok = operand_of(ps, v);
	depth_leave(&ps->nested);
	return ok;
}

static const char *const levels[] = { "|", "^", "&", "<>", "+-", "*/%" };

static bool
binary(struct parse *ps, unsigned level, uint64_t *v)
{
	if (level == QD_COUNT(levels))
		return unary(ps, v);
	if (!binary(ps, level + 1, v))
		return false;
	while (ps->lx.t.kind == TOK_CHAR && ps->lx.t.s[0] && strchr(levels[level], ps->lx.t.s[0])) {
		char op = ps->lx.t.s[0];
		uint64_t b;

		lex_next(&ps->lx);
		if ((op == '<' || op == '>') && !parse_punct(ps, op))
			return false;
		if (!binary(ps, level + 1, &b))
			return false;
		if ((op == '/' || op == '%') && !b)
			return parse_fail(ps, "division by zero");
		switch (op) {
		case '|': *v |= b; break;
		case '^': *v ^= b; break;
		case '&': *v &= b; break;
		case '<': *v = b < 64 ? *v << b : 0; break;
		case '>': *v = b < 64 ? *v >> b : 0; break;
		case '+': *v += b; break;
		case '-': *v -= b; break;
		case '*': *v *= b; break;
		case '/': *v /= b; break;
		default: *v %= b; break;
		}
	}
	return true;
}

bool
parse_number(struct parse *ps, uint64_t *value)
{
	return binary(ps, 0, value);
}

/* -- Registers ---------------------------------------------------------------------------- */

uint32_t
reg_size(enum ptx_type_id type)
{
	switch (ptx_type[type].size) {
	case 0: return 8;
	case 8: return 256;
	case 4: return 128;
	default: return 64;
	}
}

struct opnd
reg_new(struct parse *ps, enum ptx_type_id type, uint32_t count)
{
	struct opnd at = { ps->file_top, ps->slot_top };

	ps->file_top += reg_size(type) * count;
	ps->slot_top += count;
	return at;
}

bool
parse_reg(struct parse *ps)
{
	enum ptx_type_id type;

	lex_next(&ps->lx);
	type = ps->lx.t.kind == TOK_DOT ? ptx_type_named(ps->lx.t.s, ps->lx.t.len) : T_none;
	if (type == T_none)
		return parse_fail(ps, "unsupported register type '%.*s'", TOKEN_ARGS(ps));
	if (type == T_f16x2 && ps->m->sm < 53)
		return parse_fail_at(ps, QD_E_TARGET, ps->lx.t.line, ps->lx.t.col,
				     ".f16x2 requires .target sm_53 or later, found sm_%u",
				     ps->m->sm);
	do {
		struct sym *s;
		uint64_t count = 0;

		lex_next(&ps->lx);
		if (ps->lx.t.kind != TOK_NAME)
			return parse_fail(ps, "expected a register name, found '%.*s'",
					  TOKEN_ARGS(ps));
		s = sym_add(ps, SYM_REG, ps->lx.t.s, ps->lx.t.len);
		if (!s)
			return false;
		lex_next(&ps->lx);
		if (parse_accept(ps, '<')) {
			if (ps->lx.t.kind != TOK_INT)
				return parse_fail(ps, "expected the number of registers");
			count = ps->lx.t.value;
			lex_next(&ps->lx);
			if (!count || count > MAX_REGS || ps->slot_top + count > MAX_REGS)
				return parse_fail(ps, "expected 1 to %d registers, found %llu",
						  MAX_REGS, (unsigned long long)count);
			if (!parse_punct(ps, '>'))
				return false;
		}
		s->type = (uint8_t)type;
		s->count = (uint32_t)count;
		s->reg = reg_new(ps, type, count ? (uint32_t)count : 1);
		if (ps->slot_top > MAX_REGS)
			return parse_fail(ps, "too many registers: expected at most %d", MAX_REGS);
	} while (lex_is(&ps->lx, ','));
	return parse_punct(ps, ';');
}

/* -- Variables ---------------------------------------------------------------------------- */

struct decl {
	enum ptx_type_id type;
	uint32_t align, vec;
	const char *name;
	uint32_t name_len;
	uint64_t n; /* elements; 0: no size given */
	bool is_array, is_pointer;
};

/* Parses the directives between the space and the name. */
static bool
parse_decl_type(struct parse *ps, struct decl *d)
{
	*d = (struct decl){ .vec = 1 };
	for (; ps->lx.t.kind == TOK_DOT; lex_next(&ps->lx)) {
		const struct token *t = &ps->lx.t;

		if (token_is(t, "align")) {
			lex_next(&ps->lx);
			if (ps->lx.t.kind != TOK_INT || !ps->lx.t.value || ps->lx.t.value > 4096 ||
			    (ps->lx.t.value & (ps->lx.t.value - 1)))
				return parse_fail(
					ps,
					"invalid alignment: expected a power of two up to 4096");
			d->align = (uint32_t)ps->lx.t.value;
		} else if (token_is(t, "v2") || token_is(t, "v4")) {
			d->vec = (uint32_t)(t->s[1] - '0');
		} else if (token_is(t, "ptr") || token_is(t, "global") || token_is(t, "shared") ||
			   token_is(t, "const") || token_is(t, "local")) {
			d->is_pointer |= token_is(t, "ptr");
			continue; /* the pointer's space is not used */
		} else if (token_is(t, "attribute")) {
			lex_next(&ps->lx);
			return parse_fail(ps, ".attribute is not supported");
		} else {
			enum ptx_type_id type = ptx_type_named(t->s, t->len);

			if (type == T_none || type == T_pred || d->type != T_none)
				return parse_fail(ps, "unsupported variable type '.%.*s'",
						  TOKEN_ARGS(ps));
			d->type = type;
		}
	}
	if (d->type == T_none)
		return parse_fail(ps, "expected a type, found '%.*s'", TOKEN_ARGS(ps));
	return true;
}

static bool
parse_decl_name(struct parse *ps, struct decl *d)
{
	if (ps->lx.t.kind != TOK_NAME)
		return parse_fail(ps, "expected a name, found '%.*s'", TOKEN_ARGS(ps));
	d->name = ps->lx.t.s;
	d->name_len = ps->lx.t.len;
	d->n = 1;
	d->is_array = false;
	lex_next(&ps->lx);
	while (parse_accept(ps, '[')) {
		uint64_t n = 0;

		if (!lex_is(&ps->lx, ']') && !parse_number(ps, &n))
			return false;
		if (n > MAX_BYTES || (n && d->n * n > MAX_BYTES))
			return parse_fail(ps, "%.*s is too large: expected at most 16 MB",
					  (int)d->name_len, d->name);
		d->n = d->is_array && !d->n ? 0 : d->n * n;
		d->is_array = true;
		if (!parse_punct(ps, ']'))
			return false;
	}
	return true;
}

static uint64_t
decl_size(const struct decl *d)
{
	return d->n * d->vec * ptx_type[d->type].size;
}

static uint32_t
decl_align(const struct decl *d)
{
	uint32_t natural = d->vec * ptx_type[d->type].size;

	return d->align ? d->align : natural;
}

static uint64_t
align_to(uint64_t at, uint64_t align)
{
	return (at + align - 1) & ~(align - 1);
}

/* Parses numbers and addresses of variables, in order; the nesting of braces is ignored. */
static bool
parse_init(struct parse *ps, const struct decl *d, uint8_t *mem)
{
	uint64_t size = decl_size(d), at = 0;
	uint32_t step = ptx_type[d->type].size, braces = 0;

	for (;;) {
		uint64_t v;

		if (parse_accept(ps, '{')) {
			if (++braces > MAX_DEPTH)
				return parse_fail(ps, "braces are nested more than %d levels deep",
						  MAX_DEPTH);
			continue;
		}
		if (braces && parse_accept(ps, '}')) {
			if (!--braces)
				return true;
			parse_accept(ps, ',');
			continue;
		}
		if (ps->lx.t.kind == TOK_FLOAT) {
			double f;
			float g;

			v = ps->lx.t.value;
			if (ps->lx.t.float_size == 4) {
				uint32_t w = (uint32_t)v;

				memcpy(&g, &w, 4);
				f = g;
			} else {
				memcpy(&f, &v, 8);
				g = (float)f;
			}
			if (ptx_type[d->type].kind != 'f')
				return parse_fail(ps, "the type of %.*s does not allow a float",
						  (int)d->name_len, d->name);
			v = 0;
			memcpy(&v, step == 8 ? (void *)&f : (void *)&g, step);
			lex_next(&ps->lx);
		} else if (ps->lx.t.kind == TOK_NAME) {
			bool generic = token_is(&ps->lx.t, "generic");
			const struct sym *s;

			if (generic) {
				lex_next(&ps->lx);
				if (!parse_punct(ps, '('))
					return false;
			}
			s = ps->lx.t.kind == TOK_NAME ? sym_find(ps, ps->lx.t.s, ps->lx.t.len)
						      : NULL;
			if (!s || s->kind != SYM_VAR ||
			    (s->space != SPACE_GLOBAL && s->space != SPACE_CONST) || step != 8)
				return parse_fail(ps, "'%.*s' is not allowed in this initializer",
						  TOKEN_ARGS(ps));
			v = s->addr;
			lex_next(&ps->lx);
			if (generic && !parse_punct(ps, ')'))
				return false;
			if (lex_is(&ps->lx, '+')) {
				uint64_t more;

				lex_next(&ps->lx);
				if (!parse_number(ps, &more))
					return false;
				v += more;
			}
		} else if (!parse_number(ps, &v)) {
			return false;
		}
		if (at + step > size)
			return parse_fail(ps, "too many initial values for %.*s", (int)d->name_len,
					  d->name);
		memcpy(mem + at, &v, step);
		at += step;
		if (!braces)
			return true;
		if (!lex_is(&ps->lx, '}') && !parse_punct(ps, ','))
			return false;
	}
}

static bool
place_global(struct parse *ps, struct sym *s, const struct decl *d)
{
	uint64_t size = decl_size(d), align = decl_align(d) < 16 ? 16 : decl_align(d);
	struct gvar *g = arena_alloc(&ps->m->arena, sizeof *g);

	ps->global_bytes += size;
	if (ps->global_bytes > MAX_BYTES)
		return parse_fail(ps, "the module's variables exceed 16 MB");
	uint8_t *mem = arena_zalloc(&ps->m->arena, (size_t)(size + align));

	if (!g || !mem)
		return parse_nomem(ps);
	s->addr = align_to((uint64_t)(uintptr_t)mem, align);
	*g = (struct gvar){ ps->m->vars, s->addr, size, s->space == SPACE_CONST };
	ps->m->vars = g;
	if (parse_accept(ps, '='))
		return parse_init(ps, d, (uint8_t *)(uintptr_t)s->addr);
	return true;
}

bool
parse_var(struct parse *ps, enum space space, bool is_extern)
{
	struct decl d;

	lex_next(&ps->lx);
	if (!parse_decl_type(ps, &d))
		return false;
	do {
		struct sym *s;
		uint32_t *shared = ps->func ? &ps->shared_func : &ps->shared_module;

		if (!parse_decl_name(ps, &d))
			return false;
		s = sym_add(ps, SYM_VAR, d.name, d.name_len);
		if (!s)
			return false;
		s->is_param = space == SPACE_PARAM;
		s->space = (uint8_t)(s->is_param ? SPACE_LOCAL : space);
		s->type = (uint8_t)d.type;
		s->size = decl_size(&d);
		if (s->size > MAX_BYTES)
			return parse_fail(ps, "%.*s is too large: expected at most 16 MB",
					  (int)d.name_len, d.name);
		if (space == SPACE_SHARED && (is_extern || (d.is_array && !d.n))) {
			if (!is_extern)
				return parse_fail(ps,
						  "%.*s has no size: only .extern .shared "
						  "variables may omit it",
						  (int)d.name_len, d.name);
			s->extern_shared = true;
			s->addr = DYNAMIC_SHARED;
		} else if (is_extern) {
			return parse_fail(ps, "%.*s is .extern: linking modules is not supported",
					  (int)d.name_len, d.name);
		} else if (!s->size) {
			return parse_fail(ps, "%.*s has no size", (int)d.name_len, d.name);
		} else if (space == SPACE_SHARED) {
			s->addr = align_to(*shared, decl_align(&d));
			if (s->addr + s->size > DYNAMIC_SHARED)
				return parse_fail(
					ps, "%.*s is too large: shared memory is limited to 1 GB",
					(int)d.name_len, d.name);
			*shared = (uint32_t)(s->addr + s->size);
		} else if (space == SPACE_GLOBAL || space == SPACE_CONST) {
			if (!place_global(ps, s, &d))
				return false;
		} else {
			s->addr = align_to(ps->local_top, decl_align(&d));
			ps->local_top = s->addr + s->size;
			if (ps->local_top > MAX_LOCAL)
				return parse_fail(ps,
						  "%.*s is too large: the limit of local memory is "
						  "512 KB per thread",
						  (int)d.name_len, d.name);
		}
	} while (parse_accept(ps, ','));
	return parse_punct(ps, ';');
}

/* Appends a parameter; doubles the array when it is full. */
static bool
add_param(struct parse *ps, struct ptx_param **list, uint32_t *n, struct ptx_param p)
{
	if (!(*n & (*n - 1))) {
		struct ptx_param *more = arena_alloc(&ps->m->arena, sizeof p * (*n ? 2 * *n : 1));

		if (!more)
			return parse_nomem(ps);
		if (*n)
			memcpy(more, *list, *n * sizeof p);
		*list = more;
	}
	(*list)[(*n)++] = p;
	return true;
}

bool
parse_param(struct parse *ps, struct func *f, bool result)
{
	struct decl d;
	struct sym *s;

	if (ps->lx.t.kind == TOK_DOT && token_is(&ps->lx.t, "reg"))
		return parse_fail(ps, "parameters in registers are not supported: use .param");
	if (ps->lx.t.kind != TOK_DOT || !token_is(&ps->lx.t, "param"))
		return parse_fail(ps, "expected .param, found '%.*s'", TOKEN_ARGS(ps));
	lex_next(&ps->lx);
	if (!parse_decl_type(ps, &d) || !parse_decl_name(ps, &d))
		return false;
	s = sym_add(ps, SYM_VAR, d.name, d.name_len);
	if (!s)
		return false;
	s->size = decl_size(&d);
	if (!s->size || s->size > 32764)
		return parse_fail(ps, "parameter %.*s: expected a size from 1 to 32764 bytes",
				  (int)d.name_len, d.name);
	s->type = (uint8_t)d.type;
	if (f->is_entry) {
		s->space = SPACE_PARAM;
		s->addr = align_to(f->entry.params_size, decl_align(&d));
		f->entry.params_size = (uint32_t)(s->addr + s->size);
		if (f->entry.params_size > 32764)
			return parse_fail(ps, "the parameters exceed 32764 bytes");
	} else {
		s->space = SPACE_LOCAL;
		s->is_param = true;
		s->addr = align_to(ps->local_top, decl_align(&d));
		ps->local_top = s->addr + s->size;
		if (ps->local_top > MAX_LOCAL)
			return parse_fail(
				ps,
				"%.*s is too large: the limit of local memory is 512 KB per thread",
				(int)d.name_len, d.name);
	}
	struct ptx_param p = { .offset = (uint32_t)s->addr,
			       .size = (uint32_t)s->size,
			       .align = decl_align(&d),
			       .kind = ptx_type[d.type].kind,
			       .is_pointer = d.is_pointer,
			       .is_array = d.is_array || d.vec > 1 };

	return result ? add_param(ps, &f->results, &f->n_results, p)
		      : add_param(ps, &f->params, &f->entry.n_params, p);
}
