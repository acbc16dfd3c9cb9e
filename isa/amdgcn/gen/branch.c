/* Branches. A branch of one word reaches 32767 words. The walk assumes that every label is in reach,
 * records those that are not, and is then repeated: branches to them become jumps through vcc, which
 * holds no value between instructions. A condition selects a branch over the jump. */
#include "gen_emit.h"

enum { MOST_JUMP = 16 /* words of a jump and of the waits before it */ };

/* The distance to a label that is placed is known. */
static bool
out_of_reach(const struct emit *e, const struct gen_join *j)
{
	return j->far || (j->label.placed && (uint32_t)(e->o.at - e->o.begin) - j->label.at > GCN_BRANCH_MAX - MOST_JUMP);
}

/* The state after the branch is that of the path without the jump, except that the jump's accesses to
 * vcc are reported. */
static QD_COLD void
put_jump(struct emit *e, enum gcn_row_id row, struct gcn_label *to)
{
	enum gcn_row_id inverse = gcn_inverse_branch(row);
	struct gcn_label over = GCN_LABEL;

	gen_salu_writes(e, SRC_VCC);
	gen_salu_reads(e, src_of(SRC_VCC));
	struct gcn_out *o = gen_out(e);
	inverse = GEN_RULE(JUMP_CONDITION) ? inverse : GCN_N_ROW;
	if (inverse != GCN_N_ROW)
		gcn_branch(o, inverse, &over);
	gcn_jump(o, SRC_VCC, GEN_RULE(JUMP_WAIT) ? gen_scalar_wait(e) : GCN_NO_WAIT, to);
	if (inverse != GCN_N_ROW)
		gcn_bind_label(o, &over);
}

void
gen_put_branch(struct emit *e, enum gcn_op op, struct gen_join *j)
{
	if (QD_UNLIKELY(out_of_reach(e, j)))
		put_jump(e, gen_row(e, op), &j->label);
	else
		gcn_branch(gen_out(e), gen_row(e, op), &j->label);
	if (GEN_RULE(BRANCHED))
		gen_branched(e);
}

void
gen_mark_far(struct emit *e, const struct gen_act *a)
{
	e->o.bad &= (uint8_t)~GCN_BAD_FAR;
	e->found_far = true;
	if (!e->far)
		e->far = arena_zalloc(e->in->mem, e->ir->n);
	if (e->far)
		e->far[a->of] |= (uint8_t)(1u << a->label);
	else
		gen_fail(e, QD_E_NOMEM, "out of memory");
}
