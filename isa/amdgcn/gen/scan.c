/* Scans of a wave or of its tiles, in which each lane combines all lanes up to itself; and
 * reductions of a wave on gfx9, whose DPP crosses rows of 16 lanes in one direction only.
 *
 * If the order is free, each lane of a row of 16 combines its value with those of the lanes 1, 2, 4
 * and 8 below it; a lane without such a neighbor keeps its value. Floats, and tiles within a row,
 * keep the network of the canonical order (prim/scan.c): at distance m the lanes with bit m combine
 * their values with that of the last lane of the half below. From m = 4 on, DPP's bank and row masks
 * select these lanes (AMD's ISA guides, "DPP"). */
#include "dpp.h"
#include "gen_emit.h"

struct scan {
	struct emit *e;
	enum gcn_op op;
	uint32_t v, t; /* the result; the fetched values */
};

/* dst = op(the value of `from` that the control fetches, v), in the given rows and banks only. */
static void
take_from(const struct scan *s, uint32_t dst, uint32_t from, unsigned ctrl, unsigned rows, unsigned banks)
{
	put_dpp2(s->e, s->op, dst, src_v(from), src_v(s->v),
		 &(struct gcn_dpp){ .ctrl = (uint16_t)ctrl, .row_mask = (uint8_t)rows, .bank_mask = (uint8_t)banks });
}

static void
fetch(const struct scan *s, unsigned ctrl)
{
	put_dpp1(s->e, GCN_OP_v_mov_b32, s->t, src_v(s->v), &DPP_WHOLE(ctrl));
}

/* DPP's masks cannot select lanes within a quad. */
static void
step_of_quad(const struct scan *s, unsigned ctrl, uint32_t upper)
{
	struct emit *e = s->e;

	take_from(s, s->t, s->v, ctrl, DPP_ALL, DPP_ALL);
	put_lanes(e, SRC_VCC, upper | (uint64_t)upper << 32);
	put_choose(e, s->v, src_v(s->v), src_v(s->t), src_of(SRC_VCC));
}

static void
step_of_row(const struct scan *s, uint32_t m)
{
	if (m == 8 && s->e->t->x16) {
		take_from(s, s->v, s->v, DPP_ROW_SHARE + 7, DPP_ALL, DPP_UPPER_BANKS);
		return;
	}
	fetch(s, DPP_QUAD_LAST);
	take_from(s, s->v, s->t, DPP_ROW_SHR + 4, DPP_ALL, m == 4 ? DPP_ODD_BANKS : DPP_BANK_2);
	if (m == 8)
		take_from(s, s->v, s->t, DPP_ROW_SHR + 8, DPP_ALL, DPP_BANK_3);
}

static void
step_of_rows(const struct scan *s, uint32_t m)
{
	struct emit *e = s->e;

	if (!e->t->x16) {
		take_from(s, s->v, s->v, m == 16 ? DPP_BCAST_15 : DPP_BCAST_31, m == 16 ? DPP_ODD_ROWS : DPP_UPPER_ROWS, DPP_ALL);
		return;
	}
	if (m == 16) {
		gen_permutes(e);
		put_v3(e, GCN_OP_v_permlanex16_b32, s->t, src_v(s->v), src_of(SRC_ONES), src_of(SRC_ONES));
	} else {
		uint32_t last = gen_temp_s(e, 1);
		put_readlane(e, last, src_v(s->v), gen_const(31));
		put_mov_v(e, s->t, src_of(last));
	}
	take_from(s, s->v, s->t, DPP_QUAD_OWN, m == 16 ? DPP_ODD_ROWS : DPP_UPPER_ROWS, DPP_ALL);
}

static void
step(const struct scan *s, uint32_t m, bool free_order)
{
	if (m >= 16)
		step_of_rows(s, m);
	else if (free_order)
		take_from(s, s->v, s->v, DPP_ROW_SHR + m, DPP_ALL, DPP_ALL);
	else if (m >= 4)
		step_of_row(s, m);
	else
		step_of_quad(s, m == 1 ? DPP_QUAD_LAST_OF_1 : DPP_QUAD_LAST_OF_2, m == 1 ? 0xaaaaaaaa : 0xcccccccc);
}

bool
gen_has_scan(const struct query *q)
{
	enum op combine = (enum op)op_info[q->op].combine;

	return type_is(q->type, TM_64) ? gen_has_scan_wide(combine, q->type, q->log2_size) :
					 gen_short_of(combine, q->type) != 0;
}

void
gen_emit_scan(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	qd_type type = (qd_type)s->type;
	enum gcn_op op = (enum gcn_op)gen_short_of((enum op)op_info[s->op].combine, type);
	uint64_t log2_size = qd_log2(e->wave);
	struct src v = gen_src(e, s->a);

	gen_known(e, s->b, &log2_size);
	if (type_is(type, TM_64) && 1u << log2_size <= e->wave) {
		gen_emit_scan_wide(e, i, (uint32_t)log2_size);
		return;
	}
	if (!op || 1u << log2_size > e->wave) {
		gen_illegal(e, i, "the target has no such instruction");
		return;
	}
	struct scan scan = { e, op, gen_result_v(e, i), 0 };
	put_mov_v(e, scan.v, v);
	scan.t = gen_temp_v(e, 1);
	for (uint32_t m = 1; m < 1u << log2_size; m *= 2)
		step(&scan, m, !type_info[type].is_float && log2_size >= 4);
}

/* -- Reductions on gfx9 ------------------------------------------------------------------------- */

/* Whole waves only. The last lane has the reduction of all lanes in canonical order. */
bool
gen_has_reduce(const struct gen_target *t, const struct query *q)
{
	enum op combine = (enum op)op_info[q->op].combine;

	if (t->x16 || q->log2_size != LOG2_FULL)
		return false;
	return type_is(q->type, TM_64) ? gen_has_combine_wide(combine, q->type) : gen_short_of(combine, q->type) != 0;
}

void
gen_emit_reduce(struct emit *e, uint32_t i)
{
	static const uint16_t partners[] = { DPP_QUAD_PAIRS, DPP_QUAD_HALVES, DPP_HALF_MIRROR, DPP_ROW_ROR + 8 };
	const struct ins *s = gen_ins(e, i);
	enum gcn_op op = (enum gcn_op)gen_short_of((enum op)op_info[s->op].combine, (qd_type)s->type);

	if (type_is((qd_type)s->type, TM_64)) {
		gen_emit_reduce_wide(e, i);
		return;
	}
	struct src v = gen_vector(e, gen_src(e, s->a));
	struct scan r = { e, op, v.n - 256u, 0 };
	uint32_t sum = gen_temp_v(e, 1);

	if (!op || s->b || e->t->x16) {
		gen_illegal(e, i, "the target has no such instruction");
		return;
	}
	for (uint32_t k = 0; k < QD_COUNT(partners); k++) {
		take_from(&r, sum, r.v, partners[k], DPP_ALL, DPP_ALL);
		r.v = sum;
	}
	take_from(&r, sum, sum, DPP_BCAST_15, DPP_ODD_ROWS, DPP_ALL);
	take_from(&r, sum, sum, DPP_BCAST_31, DPP_UPPER_ROWS, DPP_ALL);
	put_readlane(e, gen_result(e, i, AT_S, 1, false), src_v(sum), gen_const(63));
}
