/* Shuffles, ballots, votes, reductions (PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync,
 * bar.red).
 *
 * The member mask is always the constant of all lanes: a variable mask costs ten instructions. The
 * last operand of a shuffle limits its lanes. Bits 0 to 4 are the clamp; bits 8 to 12 mask the bits
 * of the lane index that stay the same. */
#include "ptx.h"

#define MEMBERS "0xffffffff"

/* Returns the last operand of a shuffle within tiles of `width` lanes. */
static uint32_t
segment(uint32_t width)
{
	return (32 - width) << 8 | 31;
}

static void
shuffle_word(struct emitter *e, enum ptx_insn insn, struct val d, struct val v, struct val b,
	     uint32_t c)
{
	ptx_begin(e);
	ptx_insn(e, insn);
	PTX_TEXT(e, " ");
	ptx_put_val(e, d);
	PTX_TEXT(e, ", ");
	ptx_put_val(e, v);
	PTX_TEXT(e, ", ");
	ptx_put_val(e, b);
	PTX_TEXT(e, ", ");
	ptx_put_number(e, c);
	PTX_TEXT(e, ", " MEMBERS ";\n");
}

/* Emits a shuffle of operand a. 64-bit values take two, with the same lanes. */
static void
shuffle(struct emitter *e, uint32_t i, enum ptx_insn insn, struct val b, uint32_t c)
{
	const struct ins *s = &e->ir->ins[i];
	struct val v = ptx_use(e, s->a), from[2], to[2];

	e->id[i] = ptx_new(e, (qd_type)s->type);
	if (type_info[s->type].size == 4) {
		shuffle_word(e, insn, e->id[i], ptx_reg(e, v), b, c);
		return;
	}
	ptx_split(e, v, from);
	for (uint32_t j = 0; j < 2; j++) {
		to[j] = ptx_new(e, QD_TYPE_U32);
		shuffle_word(e, insn, to[j], from[j], b, c);
	}
	ptx_join(e, e->id[i], to[0], to[1]);
}

qd_status
ptx_emit_move(struct emitter *e, uint32_t i, struct qd_error *err)
{
	(void)err;
	shuffle(e, i, PTX_SHFL_IDX, ptx_use(e, e->ir->ins[i].b), segment(32));
	return QD_OK;
}

/* The instruction uses the low five bits of the distance. A distance that leaves the subgroup
 * becomes 32, which acts as 0: each lane receives its own value. */
qd_status
ptx_emit_shift(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	struct val far = ptx_use(e, s->b), n;
	bool up = s->op == OP_SHUFFLE_UP;

	(void)err;
	if (far.kind == VAL_CONST) {
		n = ptx_const(QD_TYPE_U32, far.bits < 32 ? far.bits : 0);
	} else {
		n = ptx_new(e, QD_TYPE_U32);
		ptx_line(e, "min.u32 %v, %v, 32", n, far);
	}
	shuffle(e, i, up ? PTX_SHFL_UP : PTX_SHFL_DOWN, n, up ? 0 : segment(32));
	return QD_OK;
}

qd_status
ptx_emit_pattern(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];

	if (s->b >= e->machine->lanes)
		return ptx_illegal(e, i, "the lane is outside the subgroup", err);
	switch (s->x) {
	case PATTERN_XOR:
	case PATTERN_PARTNER:
		shuffle(e, i, PTX_SHFL_BFLY, ptx_const(QD_TYPE_U32, s->b), segment(32));
		return QD_OK;
	case PATTERN_LAST:
		shuffle(e, i, PTX_SHFL_IDX, ptx_const(QD_TYPE_U32, s->b - 1), segment(2 * s->b));
		return QD_OK;
	case PATTERN_SHIFT:
		shuffle(e, i, PTX_SHFL_UP, ptx_const(QD_TYPE_U32, s->b), 0);
		return QD_OK;
	case PATTERN_DOWN:
		shuffle(e, i, PTX_SHFL_DOWN, ptx_const(QD_TYPE_U32, s->b), segment(32));
		return QD_OK;
	default: return ptx_illegal(e, i, "the target has no such pattern", err);
	}
}

qd_status
ptx_emit_ballot(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	struct val p = ptx_reg(e, ptx_use(e, s->a));

	if (s->x)
		return ptx_illegal(e, i, "a ballot has one word", err);
	e->id[i] = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "%i %v, %v, " MEMBERS, PTX_VOTE_BALLOT, e->id[i], p);
	return QD_OK;
}

qd_status
ptx_emit_vote(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	bool all = op_info[s->op].combine == OP_AND;
	struct val p = ptx_reg(e, ptx_use(e, s->a)), yes = ptx_new(e, QD_TYPE_BOOL);

	if (s->b)
		return ptx_illegal(e, i, "votes need the whole subgroup", err);
	e->id[i] = ptx_new(e, QD_TYPE_I32);
	ptx_line(e, "%i %v, %v, " MEMBERS, all ? PTX_VOTE_ALL : PTX_VOTE_ANY, yes, p);
	ptx_line(e, "selp.b32 %v, 1, 0, %v", e->id[i], yes);
	return QD_OK;
}

/* -- Warp operations: all lanes are members ----------------------------------------------- */

qd_status
ptx_emit_members(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	enum op combine = (enum op)op_info[s->op].combine;
	struct val p = ptx_reg(e, ptx_use(e, s->a));

	(void)err;
	e->id[i] = ptx_new(e, QD_TYPE_BOOL);
	ptx_line(e, "%i %v, %v, " MEMBERS,
		 combine == OP_AND ? PTX_VOTE_ALL
		 : combine == OP_OR ? PTX_VOTE_ANY
				    : PTX_VOTE_UNI,
		 e->id[i], p);
	return QD_OK;
}

qd_status
ptx_emit_shfl(struct emitter *e, uint32_t i, struct qd_error *err)
{
	static const uint8_t insns[N_OP] = { [OP_SHFL_UP] = PTX_SHFL_UP,
					     [OP_SHFL_DOWN] = PTX_SHFL_DOWN,
					     [OP_SHFL_BFLY] = PTX_SHFL_BFLY,
					     [OP_SHFL_IDX] = PTX_SHFL_IDX };
	const struct ins *s = &e->ir->ins[i];
	uint32_t c = segment(1u << s->x);

	if (s->x > WARP_LOG2)
		return ptx_illegal(e, i, "a segment has at most the width of a warp", err);
	shuffle(e, i, (enum ptx_insn)insns[s->op], ptx_use(e, s->c),
		s->op == OP_SHFL_UP ? c & ~31u : c);
	return QD_OK;
}

qd_status
ptx_emit_match(struct emitter *e, uint32_t i, struct qd_error *err)
{
	static const uint8_t insns[][2] = { [MATCH_ANY] = { PTX_MATCH_ANY_32, PTX_MATCH_ANY_64 },
					    [MATCH_ALL] = { PTX_MATCH_ALL_32, PTX_MATCH_ALL_64 } };
	const struct ins *s = &e->ir->ins[i];
	struct val v = ptx_reg(e, ptx_use(e, s->a));
	enum ptx_insn insn;

	if (s->x >= QD_COUNT(insns))
		return ptx_illegal(e, i, "the target has no such match", err);
	insn = (enum ptx_insn)insns[s->x][v.kind == VAL_PAIR];
	if (ptx_insns[insn].sm > e->sm)
		return ptx_illegal(e, i, "the target has no such instruction", err);
	e->id[i] = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "%i %v, %v, " MEMBERS, insn, e->id[i], v);
	return QD_OK;
}

/* bar.red is a barrier that evaluates the vote. */
qd_status
ptx_emit_block_vote(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	enum op combine = (enum op)op_info[s->op].combine;
	struct val p = ptx_reg(e, ptx_use(e, s->a)), yes;

	(void)err;
	if (combine == OP_ADD) {
		e->id[i] = ptx_new(e, QD_TYPE_I32);
		ptx_line(e, "%i %v, 0, %v", PTX_BAR_RED_POPC, e->id[i], p);
		return QD_OK;
	}
	yes = ptx_new(e, QD_TYPE_BOOL);
	e->id[i] = ptx_new(e, QD_TYPE_I32);
	ptx_line(e, "%i %v, 0, %v", combine == OP_AND ? PTX_BAR_RED_AND : PTX_BAR_RED_OR, yes, p);
	ptx_line(e, "selp.b32 %v, 1, 0, %v", e->id[i], yes);
	return QD_OK;
}

/* -- Reductions ---------------------------------------------------------------------- */

/* Indexed by the combining operation, then by the signedness of the words; 0: not available. */
static const uint8_t redux[N_OP][2] = {
	[OP_ADD] = { PTX_REDUX_ADD_U32, PTX_REDUX_ADD_S32 },
	[OP_MIN] = { PTX_REDUX_MIN_U32, PTX_REDUX_MIN_S32 },
	[OP_MAX] = { PTX_REDUX_MAX_U32, PTX_REDUX_MAX_S32 },
	[OP_AND] = { PTX_REDUX_AND, PTX_REDUX_AND },
	[OP_OR] = { PTX_REDUX_OR, PTX_REDUX_OR },
	[OP_XOR] = { PTX_REDUX_XOR, PTX_REDUX_XOR },
};

enum ptx_insn
ptx_redux(enum op combine, qd_type t)
{
	uint32_t insn = type_is(t, TM_I32) ? redux[combine][type_info[t].is_signed] : 0;

	return insn ? (enum ptx_insn)insn : N_PTX;
}

/* The order of evaluation is free for integers, and for the minimum and maximum of f32. */
bool
ptx_has_scan(enum op combine, qd_type t)
{
	return type_is(t, TM_INT) || (t == QD_TYPE_F32 && (combine == OP_MIN || combine == OP_MAX));
}

/* Emits a read of the value m lanes below, within the tile. The shuffle sets the predicate `in` if
 * that lane is in the tile; otherwise it returns the lane's own value. */
static struct val
scan_step(struct emitter *e, struct val v, uint32_t m, uint32_t c, struct val in)
{
	struct val r = ptx_new(e, (qd_type)v.type), from[2], to[2];

	if (type_info[v.type].size == 4) {
		ptx_line(e, "%i %v|%v, %v, %u, %u, " MEMBERS, PTX_SHFL_UP, r, in, v, m, c);
		return r;
	}
	ptx_split(e, v, from);
	for (uint32_t j = 0; j < 2; j++)
		to[j] = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "%i %v|%v, %v, %u, %u, " MEMBERS, PTX_SHFL_UP, to[0], in, from[0], m, c);
	ptx_line(e, "%i %v, %v, %u, %u, " MEMBERS, PTX_SHFL_UP, to[1], from[1], m, c);
	ptx_join(e, r, to[0], to[1]);
	return r;
}

qd_status
ptx_emit_scan(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	enum op combine = (enum op)op_info[s->op].combine;
	uint32_t width = s->b ? 1u << e->ir->ins[s->b].a : e->machine->subgroup_size;
	struct val v = ptx_reg(e, ptx_use(e, s->a)), in = ptx_new(e, QD_TYPE_BOOL), below;
	const char *form = ptx_form(combine, (qd_type)s->type);

	if (!ptx_has_scan(combine, (qd_type)s->type) || !*form ||
	    width > e->machine->subgroup_size)
		return ptx_illegal(e, i, "the target has no such instruction", err);
	for (uint32_t m = 1; m < width; m *= 2) {
		if (!ptx_room(e))
			return ptx_no_memory(err);
		below = scan_step(e, v, m, (32 - width) << 8, in);
		ptx_guard(e, in, false);
		ptx_line(e, "%s %v, %v, %v", form, below, below, v);
		ptx_unguard(e);
		v = below;
	}
	e->id[i] = v;
	return QD_OK;
}

qd_status
ptx_emit_reduce(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	enum ptx_insn insn = ptx_redux((enum op)op_info[s->op].combine, (qd_type)s->type);

	if (insn == N_PTX || ptx_insns[insn].sm > e->sm || s->b)
		return ptx_illegal(e, i, "the target has no such instruction", err);
	struct val v = ptx_reg(e, ptx_use(e, s->a));
	e->id[i] = ptx_new(e, (qd_type)s->type);
	ptx_line(e, "%i %v, %v, " MEMBERS, insn, e->id[i], v);
	return QD_OK;
}
