/* Parsing of operands: registers, immediates, predicates, addresses, vectors, and sources of
 * mov. */
#include "parse.h"

/* -- Constants ---------------------------------------------------------------------------- */

/* Finds or adds the constant with this value in all 32 lanes; size 0: a predicate. */
bool
konst_get(struct parse *ps, uint64_t value, uint32_t size, struct opnd *out)
{
	uint32_t bytes = size ? 32 * size : 4;
	uint64_t h = (value ^ value >> 29) * UINT64_C(0x9e3779b97f4a7c15) + size;
	unsigned at = (unsigned)(h >> 56) % KONST_TABLE;

	if (size && size < 8)
		value &= (UINT64_C(1) << 8 * size) - 1;
	out->slot = 0;
	if (ps->konsts[at].size == size + 1 && ps->konsts[at].value == value) {
		out->off = ps->konsts[at].off;
		return true;
	}
	size_t off = (ps->m->konst.len + 63) & ~(size_t)63;

	if (off > UINT32_MAX / 2)
		return parse_fail(ps, "too many constants");
	if (!buf_extend(&ps->m->konst, off - ps->m->konst.len + bytes))
		return parse_nomem(ps);
	uint8_t *p = (uint8_t *)buf_data(&ps->m->konst) + off;

	switch (size) {
	case 0: memcpy(p, value ? "\377\377\377\377" : "\0\0\0", 4); break;
	case 2:
		for (unsigned l = 0; l < 32; l++)
			((uint16_t *)(void *)p)[l] = (uint16_t)value;
		break;
	case 4:
		for (unsigned l = 0; l < 32; l++)
			((uint32_t *)(void *)p)[l] = (uint32_t)value;
		break;
	default:
		for (unsigned l = 0; l < 32; l++)
			((uint64_t *)(void *)p)[l] = value;
		break;
	}
	ps->konsts[at].value = value;
	ps->konsts[at].size = size + 1;
	ps->konsts[at].off = (uint32_t)off;
	out->off = (uint32_t)off;
	return true;
}

/* -- Register types ----------------------------------------------------------------------- */

/* Returns whether a register of type r is valid for an operand of type t. wide: it may be
 * larger. */
static bool
fits(enum ptx_type_id t, enum ptx_type_id r, bool wide)
{
	const struct type_info *a = &ptx_type[t], *b = &ptx_type[r];
	uint32_t size = a->size;

	if (b->kind == 'p' || a->kind == 'p')
		return a->kind == b->kind;
	if (wide ? b->size < size : b->size != (size < 2 ? 2 : size) && b->size != size)
		return false;
	if (a->kind == 'b' || b->kind == 'b')
		return true;
	if (a->kind == 'u' || a->kind == 's')
		return b->kind == 'u' || b->kind == 's' || b->kind == 'x' || b->kind == 'y';
	return a->kind == b->kind && a->size == b->size;
}

enum ptx_type_id
type_twice(enum ptx_type_id t)
{
	switch (t) {
	case T_u16: return T_u32;
	case T_s16: return T_s32;
	case T_u32: return T_u64;
	default: return T_s64;
	}
}

uint32_t
lane_size(enum ptx_type_id t)
{
	uint32_t size = ptx_type[t].size;

	return size == 1 ? 2 : size;
}

bool
operand_wrong(struct parse *ps, const char *what)
{
	return parse_fail(ps, "expected %s, found '%.*s'", what, TOKEN_ARGS(ps));
}

static const char *
type_text(enum ptx_type_id t, char text[40])
{
	text[0] = '.';
	strcpy(text + 1, ptx_type[t].name);
	return text;
}

static bool
wrong_type(struct parse *ps, enum ptx_type_id want, enum ptx_type_id is)
{
	char a[40], b[40];

	return parse_fail(ps, "expected a register of type %s, but %.*s has type %s",
			  type_text(want, a), TOKEN_ARGS(ps), type_text(is, b));
}

/* Parses a register; *is: its type. */
bool
take_reg(struct parse *ps, enum ptx_type_id want, bool wide, struct opnd *o, uint8_t *is)
{
	if (ps->lx.t.kind != TOK_NAME)
		return operand_wrong(ps, "a register");
	if (!sym_reg(ps, ps->lx.t.s, ps->lx.t.len, o, is))
		return parse_fail(ps, "unknown register %.*s", TOKEN_ARGS(ps));
	if (!fits(want, (enum ptx_type_id) * is, wide))
		return wrong_type(ps, want, (enum ptx_type_id) * is);
	lex_next(&ps->lx);
	return true;
}

static uint64_t
float_bits(const struct token *t, enum ptx_type_id type)
{
	uint64_t v = t->value;
	double d;
	float f;

	if (t->float_size == 4) {
		uint32_t w = (uint32_t)v;

		if (type != T_f64)
			return v;
		memcpy(&f, &w, 4);
		d = f;
		memcpy(&v, &d, 8);
		return v;
	}
	if (type == T_f64 || type == T_b64)
		return v;
	memcpy(&d, &v, 8);
	f = (float)d;
	uint32_t w;

	memcpy(&w, &f, 4);
	return w;
}

/* Parses an immediate as bits of a type. */
static bool
take_number(struct parse *ps, enum ptx_type_id want, uint64_t *v)
{
	char kind = ptx_type[want].kind;

	if (ps->lx.t.kind == TOK_FLOAT || (lex_is(&ps->lx, '-') && kind == 'f')) {
		bool minus = parse_accept(ps, '-');

		/* A float for a .b type must have the size of the type. */
		if (ps->lx.t.kind != TOK_FLOAT ||
		    !(kind == 'f' || (kind == 'b' && !minus &&
				      (ps->lx.t.float_size == 4 ? 4 : 8) == ptx_type[want].size)))
			return operand_wrong(ps, kind == 'f' ? "a float" : "an integer");
		*v = float_bits(&ps->lx.t, want);
		if (minus)
			*v ^= want == T_f64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
		lex_next(&ps->lx);
		return true;
	}
	if (kind != 'b' && kind != 'u' && kind != 's')
		return operand_wrong(ps, kind == 'f' ? "a register or a float" : "a register");
	return parse_number(ps, v);
}

/* Parses a register or an immediate. */
bool
take_source(struct parse *ps, enum ptx_type_id want, bool wide, struct opnd *o, uint8_t *is)
{
	uint64_t v;

	if (ps->lx.t.kind == TOK_NAME)
		return take_reg(ps, want, wide, o, is);
	*is = (uint8_t)want;
	return take_number(ps, want, &v) && konst_get(ps, v, lane_size(want), o);
}

bool
take_pred(struct parse *ps, struct insn *i, struct opnd *o)
{
	uint8_t is;
	uint64_t v;

	if (parse_accept(ps, '!')) {
		i->flags |= (uint32_t)F_NEG << i->n_src;
		if (ps->lx.t.kind != TOK_NAME)
			return operand_wrong(ps, "a predicate");
	}
	if (ps->lx.t.kind == TOK_NAME)
		return take_reg(ps, T_pred, false, o, &is);
	return parse_number(ps, &v) && konst_get(ps, v != 0, 0, o);
}

/* -- Addresses ---------------------------------------------------------------------------- */

/* Parses a variable's name; its address is an offset in its space. */
static const struct sym *
take_var(struct parse *ps)
{
	const struct sym *s = sym_find(ps, ps->lx.t.s, ps->lx.t.len);

	if (!s || s->kind != SYM_VAR) {
		parse_fail(ps, "unknown variable or register %.*s", TOKEN_ARGS(ps));
		return NULL;
	}
	if (s->space == SPACE_SHARED && !s->extern_shared && s->scope == 0)
		ps->uses_module_shared = true;
	lex_next(&ps->lx);
	return s;
}

bool
take_address(struct parse *ps, struct insn *i, struct opnd *o, enum space space, bool *wide)
{
	uint8_t is = T_b64;
	uint64_t v = 0;
	bool minus = false;

	i->space = (uint8_t)space;
	*o = (struct opnd){ 0, 0 };
	if (!parse_punct(ps, '['))
		return false;
	if (ps->lx.t.kind == TOK_NAME) {
		if (sym_reg(ps, ps->lx.t.s, ps->lx.t.len, o, &is)) {
			char kind = ptx_type[is].kind;

			if (ptx_type[is].size < 4 || !(kind == 'b' || kind == 'u' || kind == 's') ||
			    (ptx_type[is].size == 4 &&
			     (space == SPACE_GLOBAL || space == SPACE_GENERIC)))
				return parse_fail(
					ps, "the type of register %.*s is not valid for an address",
					TOKEN_ARGS(ps));
			lex_next(&ps->lx);
		} else {
			const struct sym *s = take_var(ps);

			if (!s)
				return false;
			if (s->space == SPACE_PARAM && i->kind == K_st)
				return parse_fail(ps, "a parameter of an entry is read-only");
			if (s->is_param && space == SPACE_PARAM)
				i->space = SPACE_LOCAL;
			else if (space == SPACE_GENERIC && s->space == SPACE_SHARED)
				v = SHARED_WINDOW;
			else if (space == SPACE_GENERIC && s->space == SPACE_LOCAL)
				v = LOCAL_WINDOW;
			else if ((s->space != (uint8_t)space || s->is_param) &&
				 space != SPACE_GENERIC)
				return parse_fail(
					ps, "the variable is not in the instruction's state space");
			else if (space == SPACE_GENERIC && s->space == SPACE_CONST)
				return parse_fail(
					ps,
					"use cvta to get the generic address of a .const variable");
			else if (space == SPACE_GENERIC && s->space == SPACE_PARAM)
				return parse_fail(ps, "a parameter has no generic address");
			v += s->addr;
			i->flags |= F_UNIFORM;
		}
		if (lex_is(&ps->lx, '+') || (minus = lex_is(&ps->lx, '-'))) {
			uint64_t more;

			lex_next(&ps->lx);
			if (!parse_number(ps, &more))
				return false;
			v += minus ? -more : more;
		}
	} else {
		if (!parse_number(ps, &v))
			return false;
		i->flags |= F_UNIFORM;
	}
	*wide = ptx_type[is].size == 8;
	i->imm = (int64_t)v;
	return parse_punct(ps, ']');
}

/* -- Sources of mov ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t type;
} specials[N_SPECIALS] = {
#define SPECIAL(id, name, type) { name, T_##type },
#include "special.def"
#undef SPECIAL
};

bool
take_special(struct parse *ps, struct insn *i, struct opnd *o, uint8_t *is)
{
	for (unsigned s = 0; s < N_SPECIALS; s++) {
		struct specials *known = ps->has_funcs ? &ps->m->specials : &ps->func->specials;

		if (!token_is(&ps->lx.t, specials[s].name))
			continue;
		*is = specials[s].type;
		lex_next(&ps->lx);
		if (s >= SR_clock) {
			i->imm = (int64_t)s;
			i->kind = K_special;
			return konst_get(ps, 0, ptx_type[*is].size, o);
		}
		for (uint32_t k = 0; k < known->n; k++)
			if (known->use[k].special == s) {
				*o = known->use[k].at;
				return true;
			}
		if (!known->use) {
			known->use = arena_alloc(&ps->m->arena, N_SPECIALS * sizeof *known->use);
			if (!known->use)
				return parse_nomem(ps);
		}
		*o = reg_new(ps, (enum ptx_type_id) * is, 1);
		known->use[known->n++] = (struct special_use){ (uint16_t)s, *o };
		return true;
	}
	return parse_fail(ps, "unsupported special register %.*s", TOKEN_ARGS(ps));
}

/* Parses {a, b}: parts of a value of type t. */
bool
take_parts(struct parse *ps, struct insn *i, enum ptx_type_id t, bool results)
{
	uint32_t size = ptx_type[t].size, n = 0, numbers = 0;
	uint64_t value[4];
	uint8_t is[4];

	lex_next(&ps->lx);
	do {
		struct opnd *o = &i->o[i->n_dst + i->n_src];

		if (n == 4)
			return parse_fail(ps, "expected at most 4 elements");
		if (results && ps->lx.t.kind == TOK_NAME && token_is(&ps->lx.t, "_")) {
			*o = (struct opnd){ 0, NO_SLOT };
			is[n] = T_none;
			lex_next(&ps->lx);
		} else if (ps->lx.t.kind == TOK_NAME) {
			if (!sym_reg(ps, ps->lx.t.s, ps->lx.t.len, o, &is[n]))
				return parse_fail(ps, "unknown register %.*s", TOKEN_ARGS(ps));
			lex_next(&ps->lx);
		} else if (!results) {
			uint64_t v;

			is[n] = T_none;
			numbers |= 1u << n;
			if (!parse_number(ps, &v))
				return false;
			value[n] = v;
		} else {
			return operand_wrong(ps, "a register");
		}
		if (results)
			i->n_dst++;
		else
			i->n_src++;
		n++;
	} while (parse_accept(ps, ','));
	for (uint32_t k = 0; k < n; k++)
		if (n < 2 || size % n || (is[k] != T_none && ptx_type[is[k]].size != size / n) ||
		    size / n < 2)
			return parse_fail(ps, "the elements do not have the size of type .%s",
					  ptx_type[t].name);
	for (uint32_t k = 0; k < n; k++)
		if (numbers >> k & 1 &&
		    !konst_get(ps, value[k], size / n, &i->o[i->n_dst + i->n_src - n + k]))
			return false;
	i->n_vec = (uint8_t)n;
	return parse_punct(ps, '}');
}

bool
take_mov_source(struct parse *ps, struct insn *i, enum ptx_type_id t, struct opnd *o)
{
	uint8_t is;

	if (lex_is(&ps->lx, '{')) {
		if (ptx_type[t].kind != 'b')
			return operand_wrong(ps, "a value");
		i->kind = K_pack;
		i->n_src--; /* take_parts counts each part */
		return take_parts(ps, i, t, false);
	}
	if (ps->lx.t.kind != TOK_NAME)
		return take_source(ps, t, false, o, &is);
	if (sym_reg(ps, ps->lx.t.s, ps->lx.t.len, o, &is))
		return take_reg(ps, t, false, o, &is);
	if (ps->lx.t.s[0] == '%') {
		if (i->kind == K_cvta)
			return operand_wrong(ps, "an address");
		if (!take_special(ps, i, o, &is))
			return false;
		if (!fits(t, (enum ptx_type_id)is, false))
			return parse_fail(
				ps, "expected type .%s, but the special register has type .%s",
				ptx_type[t].name, ptx_type[is].name);
		return true;
	}
	const struct sym *s = take_var(ps);
	uint64_t v;

	if (!s)
		return false;
	if (ptx_type[t].size < 4 || ptx_type[t].kind == 'f' ||
	    (ptx_type[t].size == 4 && (s->space == SPACE_GLOBAL || s->space == SPACE_CONST)))
		return parse_fail(ps, "type .%s cannot hold an address", ptx_type[t].name);
	v = s->addr;
	if (parse_accept(ps, '+')) {
		uint64_t more;

		if (!parse_number(ps, &more))
			return false;
		v += more;
	}
	if (i->kind == K_cvta && s->space != i->form->space)
		return parse_fail(ps, "the variable is not in the instruction's state space");
	/* The result of cvta is a generic address. */
	if (i->form->row->name[0] == 'c' && s->space == SPACE_SHARED)
		v += SHARED_WINDOW;
	else if (i->form->row->name[0] == 'c' && s->space == SPACE_LOCAL)
		v += LOCAL_WINDOW;
	i->kind = K_mov;
	return konst_get(ps, v, ptx_type[t].size, o);
}

/* -- Values of loads and stores ----------------------------------------------------------- */

bool
take_value(struct parse *ps, struct insn *i, enum ptx_type_id t, bool result)
{
	const struct form *f = i->form;
	uint32_t n = f->vec ? f->vec : 1, numbers = 0;
	uint8_t *size = result ? &i->d_size : &i->s_size;
	uint64_t value[4];
	char kind = 0;

	if (n * ptx_type[t].size > 16)
		return parse_fail(ps, "expected a vector of at most 16 bytes, found %u",
				  n * ptx_type[t].size);
	if (f->vec && !parse_punct(ps, '{'))
		return false;
	for (uint32_t k = 0; k < n; k++) {
		struct opnd *o = &i->o[i->n_dst + i->n_src];
		uint8_t is = (uint8_t)t;

		if (k && !parse_punct(ps, ','))
			return false;
		if (result)
			i->n_dst++;
		else
			i->n_src++;
		if (result && ps->lx.t.kind == TOK_NAME && token_is(&ps->lx.t, "_")) {
			*o = (struct opnd){ 0, NO_SLOT };
			lex_next(&ps->lx);
			continue;
		}
		if (!result && ps->lx.t.kind != TOK_NAME) {
			if (!take_number(ps, t, &value[k]))
				return false;
			numbers |= 1u << k;
			if (kind && kind != 'u' && kind != ptx_type[t].kind)
				return parse_fail(ps, "the elements of a vector must have the same "
						      "size and kind");
			kind = ptx_type[t].kind == 'f' ? 'f' : 'u';
			continue;
		}
		if (!take_reg(ps, t, true, o, &is))
			return false;
		uint8_t lane = (uint8_t)lane_size((enum ptx_type_id)is);
		char now = ptx_type[is].kind == 's' ? 'u' : ptx_type[is].kind;

		if ((*size && *size != lane) || (kind && now != 'b' && now != kind))
			return parse_fail(
				ps, "the elements of a vector must have the same size and kind");
		kind = now == 'b' ? kind : now;
		*size = lane;
	}
	if (!*size)
		*size = (uint8_t)lane_size(t);
	/* A number has the size of the vector's registers. */
	for (uint32_t k = 0; k < n; k++)
		if (numbers >> k & 1 &&
		    !konst_get(ps, value[k], *size, &i->o[i->n_dst + i->n_src - n + k]))
			return false;
	i->n_vec = (uint8_t)n;
	return !f->vec || parse_punct(ps, '}');
}
