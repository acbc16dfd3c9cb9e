/* The operands of an instruction, by the letters of its row. */
#include "parse.h"

/* -- Operands by letter ------------------------------------------------------------------- */

static bool
next_is_pred(struct parse *ps)
{
	struct opnd o;
	uint8_t is;

	return lex_is(&ps->lx, '!') ||
	       (ps->lx.t.kind == TOK_NAME && sym_reg(ps, ps->lx.t.s, ps->lx.t.len, &o, &is) &&
		is == T_pred);
}

static bool
sink(struct parse *ps, enum ptx_type_id t, struct opnd *o)
{
	*o = reg_new(ps, t, 1);
	lex_next(&ps->lx);
	return true;
}

static bool
take_result(struct parse *ps, struct insn *i, enum ptx_type_id t, bool wide)
{
	struct opnd *o = &i->o[i->n_dst];
	uint8_t is = (uint8_t)t;

	if (ps->lx.t.kind == TOK_NAME && token_is(&ps->lx.t, "_")) {
		if (!sink(ps, t, o))
			return false;
	} else if (!take_reg(ps, t, wide, o, &is)) {
		return false;
	}
	if (!i->n_dst)
		i->d_size = (uint8_t)(t == T_pred ? 0 : lane_size((enum ptx_type_id)is));
	i->n_dst++;
	return true;
}

/* Parses an address of a copy: the destination first, then the source. */
static bool
take_copy_address(struct parse *ps, struct insn *i, struct opnd *o)
{
	uint32_t flags = i->flags;
	int64_t first = i->imm;
	bool wide, second = i->n_src++ > 0;

	i->flags &= ~(uint32_t)F_UNIFORM;
	if (!take_address(ps, i, o, second ? SPACE_GLOBAL : SPACE_SHARED, &wide))
		return false;
	if (!second) {
		i->flags |= wide ? 0 : F_ADDR32;
		return true;
	}
	i->imm2 = i->imm;
	i->imm = first;
	i->flags = flags | (i->flags & F_UNIFORM ? F_UNIFORM2 : 0);
	return true;
}

static bool
take_operand(struct parse *ps, struct insn *i, char letter, bool *separated)
{
	const struct form *f = i->form;
	enum ptx_type_id t0 = (enum ptx_type_id)f->type[0], t1 = (enum ptx_type_id)f->type[1];
	struct opnd *o = &i->o[i->n_dst + i->n_src];
	uint64_t v;
	uint8_t is;
	bool wide;

	switch (letter) {
	case 'd':
		if (i->kind == K_mov && lex_is(&ps->lx, '{')) {
			if (ptx_type[t0].kind != 'b')
				return operand_wrong(ps, "a register");
			i->kind = K_unpack;
			return take_parts(ps, i, t0, true);
		}
		return take_result(ps, i, t0, false);
	case 'D': return take_result(ps, i, type_twice(t0), false);
	case 'e': return take_result(ps, i, T_u32, false);
	case 'x': return take_result(ps, i, t0, ptx_type[t0].kind != 'g');
	case 'p': return take_result(ps, i, T_pred, false);
	case 'q':
	case 'r':
	case 'R':
		if (letter == 'q' && !take_result(ps, i, T_pred, false))
			return false;
		if (!lex_is(&ps->lx, '|')) {
			if (letter == 'R')
				return operand_wrong(ps, "'|' and a predicate");
			i->o[i->n_dst++] = (struct opnd){ 0, NO_SLOT };
			return true;
		}
		lex_next(&ps->lx);
		return take_result(ps, i, T_pred, false);
	case 'v': return take_value(ps, i, t0, true);
	case 'w': return take_value(ps, i, t0, false);
	case 'M': i->n_src++; return take_mov_source(ps, i, t0, o);
	case 'm':
		if (i->kind == K_async)
			return take_copy_address(ps, i, o);
		i->n_src++;
		if (!take_address(ps, i, o, (enum space)f->space, &wide))
			return false;
		if (!wide)
			i->flags |= F_ADDR32;
		return true;
	case 'i':
		if (!parse_number(ps, &v))
			return false;
		if (i->kind == K_alu) { /* immLut of lop3 */
			i->n_src++;
			return konst_get(ps, v & 0xff, 4, o);
		}
		if (i->kind == K_nop && v > 15)
			return parse_fail(ps, "expected a number from 0 to 15, found %llu",
					  (unsigned long long)v);
		if (i->kind == K_async) {
			i->n_vec = (uint8_t)v;
			return v == 16 || (!f->table && (v == 4 || v == 8)) ||
			       parse_fail(ps, "expected a copy of %s bytes, found %llu",
					  f->table ? "16" : "4, 8 or 16",
					  (unsigned long long)v);
		} else
			i->imm = (int64_t)v;
		return true;
	case 'l':
		if (ps->lx.t.kind != TOK_NAME)
			return operand_wrong(ps, "a label");
		if (!jump_add(ps, (uint32_t)(ps->m->code.len / sizeof *i), NULL))
			return false;
		lex_next(&ps->lx);
		return true;
	case 'C': return parse_call(ps, i);
	case 'T': return parse_brx(ps, i);
	case 'n':
		if (!take_pred(ps, i, o))
			return false;
		break;
	case 'U':
		/* The count of bar.red is optional; a predicate may follow instead. */
		if (*separated && !next_is_pred(ps)) {
			if (!take_source(ps, T_u32, false, o, &is))
				return false;
			*separated = false;
		} else {
			*o = (struct opnd){ 0, NO_SLOT };
		}
		break;
	case 'a':
		if (!take_source(ps, t0, false, o, &is))
			return false;
		break;
	case 'b':
		if (!take_source(ps, t1, false, o, &is))
			return false;
		i->s_size = (uint8_t)lane_size((enum ptx_type_id)is);
		break;
	case 'A':
		if (!take_source(ps, type_twice(t0), false, o, &is))
			return false;
		break;
	case 'u':
		if (!take_source(ps, T_u32, false, o, &is))
			return false;
		break;
	case 'L':
		if (!take_source(ps, T_u32, true, o, &is))
			return false;
		i->s_size = (uint8_t)lane_size((enum ptx_type_id)is);
		break;
	case 'y':
		if (ps->lx.t.kind == TOK_NAME && ps->lx.t.s[0] == '%' &&
		    !sym_reg(ps, ps->lx.t.s, ps->lx.t.len, o, &is)) {
			if (!take_special(ps, i, o, &is))
				return false;
			if (i->kind == K_special || ptx_type[is].size < ptx_type[t1].size)
				return parse_fail(ps, "this special register is not allowed here");
		} else if (!take_source(ps, t1, ptx_type[t1].kind != 'g', o, &is)) {
			return false;
		}
		i->s_size = (uint8_t)lane_size((enum ptx_type_id)is);
		break;
	default: return parse_fail(ps, "unsupported instruction %s", f->name);
	}
	i->n_src++;
	return true;
}

/* Rejects .sat in a conversion whose result is always in range. */
static bool
check_sat(struct parse *ps, const struct insn *i)
{
	const struct type_info *to = &ptx_type[i->form->type[0]],
			       *from = &ptx_type[i->form->type[1]];

	if (!(i->flags & F_SAT) || !strchr("us", to->kind) || !strchr("us", from->kind))
		return true;
	if (to->size > from->size ? to->kind == 's' || from->kind == 'u'
				  : to->size == from->size && to->kind == from->kind)
		return parse_fail_at(ps, QD_E_SYNTAX, i->line, i->col,
				     "%s: .sat is not allowed: the result is always in range",
				     i->form->name);
	return true;
}

/* Checks the source size of a copy, if it is a constant. */
static bool
check_part(struct parse *ps, const struct insn *i)
{
	uint32_t v;

	if (i->o[2].slot)
		return true;
	memcpy(&v, buf_data(&ps->m->konst) + i->o[2].off, 4);
	return v <= i->n_vec ||
	       parse_fail_at(ps, QD_E_SYNTAX, i->line, i->col,
			     "the copy size is %u bytes, but the source size is %u", i->n_vec, v);
}

/* Checks a barrier's number and count, if they are constants. */
static bool
check_bar(struct parse *ps, const struct insn *i)
{
	const uint8_t *konst = (const uint8_t *)buf_data(&ps->m->konst);
	struct opnd which = i->o[i->n_dst], count = i->o[i->n_dst + 1];
	const struct bar_op *bar = i->form->table;
	uint32_t v;

	if (!which.slot) {
		memcpy(&v, konst + which.off, 4);
		if (v > 15)
			return parse_fail_at(ps, QD_E_SYNTAX, i->line, i->col,
					     "barrier %u is out of range: expected 0 to 15", v);
	}
	if (!count.slot) {
		memcpy(&v, konst + count.off, 4);
		if (v % 32 || (!v && i->n_dst + i->n_src == 2 && !bar->waits))
			return parse_fail_at(
				ps, QD_E_SYNTAX, i->line, i->col,
				"barrier thread count %u: expected a positive multiple of 32", v);
	}
	return true;
}

bool
parse_operands(struct parse *ps, struct insn *i)
{
	bool first = true, separated = false;

	for (const char *l = i->form->row->operands; *l; l++) {
		bool joined = *l == 'r' || *l == 'R';

		if (*l == 'U') {
			if (!separated)
				separated = parse_accept(ps, ',');
		} else if (!first && !joined && !separated && !parse_punct(ps, ',')) {
			return false;
		}
		if (*l != 'U')
			separated = false;
		if (!take_operand(ps, i, *l, &separated))
			return false;
		first = false;
	}
	if (separated)
		return operand_wrong(ps, "an operand");
	return (i->kind != K_bar || check_bar(ps, i)) &&
	       (i->kind != K_async || check_part(ps, i)) && (i->kind != K_cvt || check_sat(ps, i));
}
