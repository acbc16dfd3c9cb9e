/* 64-bit scans, and 64-bit reductions on gfx9.
 *
 * Two moves fetch a pair of words, which is then combined with the lane's own pair. A lane without
 * a source gets a neutral value: zeros for a sum, which DPP supplies (bound_ctrl), or its own value
 * for a minimum or maximum. Float sums, which keep the canonical order, are not supported here. */
#include "dpp.h"
#include "gen_emit.h"

struct wide_scan {
	struct emit *e;
	enum op op;
	qd_type type;
	uint32_t v, t; /* the result; the fetched values */
};

static void
fetch_wide(const struct wide_scan *s, uint32_t to, uint32_t from, unsigned ctrl, unsigned rows, bool zeros)
{
	struct gcn_dpp d = { .ctrl = (uint16_t)ctrl, .row_mask = (uint8_t)rows, .bank_mask = DPP_ALL,
			     .bound_ctrl = zeros };

	for (uint32_t w = 0; w < 2; w++)
		put_dpp1(s->e, GCN_OP_v_mov_b32, to + w, src_v(from + w), &d);
}

/* Returns true if zero is the identity of the operation. */
static bool
takes_zeros(const struct wide_scan *s)
{
	return s->op == OP_ADD || (s->op == OP_MAX && s->type == QD_TYPE_U64);
}

/* Combines v with the fetched values, in the given rows. Lanes without a source keep their value. */
static void
step_wide(const struct wide_scan *s, unsigned ctrl, unsigned rows)
{
	bool zeros = takes_zeros(s);

	if (!zeros)
		put_mov_pair(s->e, s->t, src_v(s->v), src_v(s->v + 1));
	else if (rows != DPP_ALL)
		put_mov_pair(s->e, s->t, src_of(SRC_ZERO), src_of(SRC_ZERO));
	fetch_wide(s, s->t, s->v, ctrl, rows, zeros && rows == DPP_ALL);
	gen_combine_wide(s->e, s->op, s->type, s->v, src_v(s->t), src_v(s->v));
}

/* Copies t to v in the given lanes. */
static void
choose(const struct wide_scan *s, uint64_t lanes)
{
	struct emit *e = s->e;

	put_lanes(e, SRC_VCC, lanes);
	for (uint32_t w = 0; w < 2; w++)
		put_choose(e, s->v + w, src_v(s->v + w), src_v(s->t + w), src_of(SRC_VCC));
}

static void
step_of_wide_rows(const struct wide_scan *s, uint32_t m)
{
	struct emit *e = s->e;

	if (!e->t->x16) {
		step_wide(s, m == 16 ? DPP_BCAST_15 : DPP_BCAST_31, m == 16 ? DPP_ODD_ROWS : DPP_UPPER_ROWS);
		return;
	}
	for (uint32_t w = 0; w < 2; w++) {
		gen_permutes(e);
		if (m == 16) {
			put_v3(e, GCN_OP_v_permlanex16_b32, s->t + w, src_v(s->v + w), src_of(SRC_ONES), src_of(SRC_ONES));
		} else {
			uint32_t last = gen_temp_s(e, 1);
			put_readlane(e, last, src_v(s->v + w), gen_const(31));
			put_mov_v(e, s->t + w, src_of(last));
		}
	}
	uint64_t lanes = m == 16 ? UINT64_C(0xffff0000ffff0000) : UINT64_C(0xffffffff00000000);

	if (s->op != OP_ADD && s->type != QD_TYPE_F64) {
		gen_order_in(e, s->op, s->type, s->v, src_v(s->t), lanes);
		return;
	}
	gen_combine_wide(e, s->op, s->type, s->t, src_v(s->t), src_v(s->v));
	choose(s, lanes);
}

bool
gen_has_scan_wide(enum op op, qd_type type, uint32_t log2_size)
{
	bool extreme = op == OP_MIN || op == OP_MAX;

	return log2_size >= 4 && (type == QD_TYPE_F64 ? extreme : extreme || op == OP_ADD);
}

void
gen_emit_scan_wide(struct emit *e, uint32_t i, uint32_t log2_size)
{
	const struct ins *s = gen_ins(e, i);
	struct src lo = gen_word(e, s->a, 0), hi = gen_word(e, s->a, 1);
	struct wide_scan scan = { e, (enum op)op_info[s->op].combine, (qd_type)s->type,
				  gen_result(e, i, AT_V, 2, true), 0 };

	put_mov_pair(e, scan.v, lo, hi);
	scan.t = gen_temp_v(e, 2);
	for (uint32_t m = 1; m < 1u << log2_size; m *= 2) {
		if (m < 16)
			step_wide(&scan, DPP_ROW_SHR + m, DPP_ALL);
		else
			step_of_wide_rows(&scan, m);
	}
}

void
gen_emit_reduce_wide(struct emit *e, uint32_t i)
{
	static const uint16_t partners[] = { DPP_QUAD_PAIRS, DPP_QUAD_HALVES, DPP_HALF_MIRROR, DPP_ROW_ROR + 8,
					     DPP_BCAST_15, DPP_BCAST_31 };
	const struct ins *s = gen_ins(e, i);
	struct wide_scan r = { e, (enum op)op_info[s->op].combine, (qd_type)s->type, 0, 0 };
	uint32_t sum, dst;

	r.v = gen_wide_vector(e, gen_wide(e, s->a, false)).n - 256u;
	r.t = gen_temp_v(e, 2);
	sum = gen_temp_v(e, 2);
	for (uint32_t k = 0; k < QD_COUNT(partners); k++) {
		fetch_wide(&r, r.t, r.v, partners[k], DPP_ALL, false);
		gen_combine_wide(e, r.op, r.type, sum, src_v(r.t), src_v(r.v));
		r.v = sum;
	}
	dst = gen_result(e, i, AT_S, 2, false);
	for (uint32_t w = 0; w < 2; w++)
		put_readlane(e, dst + w, src_v(r.v + w), gen_const(63));
}
