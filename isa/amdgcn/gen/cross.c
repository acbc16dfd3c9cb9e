/* Values of other lanes, and ballots. All lanes of the wave are active here. */
#include "dpp.h"
#include "gen_emit.h"

static bool
is_uniform_value(const struct emit *e, uint32_t v)
{
	return gen_is_scalar(e, v);
}

struct words {
	struct src v[2];
	uint32_t n;
};

static struct words
words_of(struct emit *e, const struct ins *s)
{
	struct words r = { .n = type_info[s->type].size / 4 };

	for (uint32_t w = 0; w < r.n; w++)
		r.v[w] = gen_word(e, s->a, w);
	return r;
}

/* -- Shuffles -------------------------------------------------------------------------------------- */

/* Shuffles from any of 64 lanes through one word of LDS for each thread (gfx10, where ds_bpermute
 * reaches only 32 lanes). */
static void
by_lds(struct emit *e, uint32_t dst, struct src v, struct src lane)
{
	uint32_t at = gen_temp_v(e, 1);

	put_v2(e, VOP(v_lshlrev_b32), at, gen_const(2), src_of(256));
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_write_b32), GCN_OFF, 256 + at, v.n, GCN_OFF, (uint16_t)e->far_base);
	gen_issued(e, CNT_DS, 0, 0);
	/* The thread index of that lane in this wave. */
	put_v3(e, GCN_OP_v_bfi_b32, at, gen_const(63), lane, src_of(256));
	put_v2(e, VOP(v_lshlrev_b32), at, gen_const(2), src_of(256 + at));
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_read_b32), 256 + dst, 256 + at, GCN_OFF, GCN_OFF,
	       (uint16_t)e->far_base);
	gen_issued(e, CNT_DS, 256 + dst, 1);
}

/* Shuffles from any of 64 lanes on gfx11: reads from the lane's own half and from the exchanged
 * other half, then selects. */
static void
by_halves(struct emit *e, uint32_t dst, struct src v, struct src lane)
{
	uint32_t at = gen_temp_v(e, 1), other = gen_temp_v(e, 1), far = gen_temp_v(e, 1);

	put_v2(e, VOP(v_lshlrev_b32), at, gen_const(2), gen_vector(e, lane));
	gen_permutes(e);
	put_v1(e, (struct vop){ .e32 = GCN_OP_v_permlane64_b32 }, other, v);
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_bpermute_b32), 256 + dst, 256 + at, v.n, GCN_OFF, 0);
	gen_issued(e, CNT_DS, 256 + dst, 1);
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_bpermute_b32), 256 + far, 256 + at, 256 + other, GCN_OFF, 0);
	gen_issued(e, CNT_DS, 256 + far, 1);
	/* vcc: the source lane is in the lane's own half. */
	put_v2(e, VOP_C(v_and_b32), at, gen_const(32), gen_vector(e, lane));
	put_cmp(e, VOP(v_cmp_eq_u32), SRC_VCC, src_of(SRC_ZERO), src_of(256 + at), 0);
	put_sop1(e, GCN_OP_s_not_b32, SRC_VCC + 1, src_of(SRC_VCC + 1));
	gen_wait_reg(e, 256 + dst, 1);
	gen_wait_reg(e, 256 + far, 1);
	put_choose(e, dst, src_of(256 + far), src_of(256 + dst), src_of(SRC_VCC));
}

/* Returns true if ds_bpermute cannot reach all lanes: waves of 64 on gfx10 and gfx11. */
static bool
is_far(const struct emit *e)
{
	return e->wave == 64 && (e->gcn->gen == GCN_G10 || e->gcn->gen == GCN_G11);
}

bool
gen_needs_lds(const struct emit *e)
{
	return e->wave == 64 && e->gcn->gen == GCN_G10 && e->ir->has & HAS_CROSS;
}

/* Emits ds_bpermute of each word; vector register `at` contains the address. */
static void
from_address(struct emit *e, uint32_t dst, const struct words *v, uint32_t at)
{
	for (uint32_t w = 0; w < v->n; w++) {
		gen_memory_reads(e, true);
		gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_bpermute_b32), 256 + dst + w, 256 + at, v->v[w].n, GCN_OFF, 0);
		gen_issued(e, CNT_DS, 256 + dst + w, 1);
	}
}

static void
from_lane(struct emit *e, uint32_t dst, const struct words *v, struct src lane)
{
	uint32_t at;

	for (uint32_t w = 0; w < v->n && is_far(e); w++) {
		if (e->gcn->gen == GCN_G11)
			by_halves(e, dst + w, v->v[w], lane);
		else
			by_lds(e, dst + w, v->v[w], lane);
	}
	if (is_far(e))
		return;
	at = gen_temp_v(e, 1);
	put_v2(e, VOP(v_lshlrev_b32), at, gen_const(2), gen_vector(e, lane));
	from_address(e, dst, v, at);
}

/* Shuffles from the lane index that is the operand of a fused AND. This operand may be a fused
 * product. */
static void
from_number(struct emit *e, uint32_t dst, const struct words *v, uint32_t and)
{
	uint32_t of = gen_ins(e, and)->a, at = gen_temp_v(e, 1);
	uint64_t by = 0;

	if (gen_ins(e, of)->op == OP_BITCAST && gen_is_fused(e, gen_ins(e, of)->a))
		of = gen_ins(e, of)->a;
	if (gen_is_fused(e, of)) {
		gen_known(e, gen_ins(e, of)->b, &by);
		put_v2(e, VOP_3(v_mul_lo_u32), at, gen_src(e, gen_ins(e, of)->a), gen_const(4 * (uint32_t)by));
	} else {
		put_v2(e, VOP(v_lshlrev_b32), at, gen_const(2), gen_vector(e, gen_src(e, of)));
	}
	from_address(e, dst, v, at);
}

void
gen_emit_move(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct words v = words_of(e, s);

	if (is_uniform_value(e, s->a)) {
		gen_result(e, i, AT_S, v.n, false);
		put_move(e, e->loc[i], s->a);
		return;
	}
	if (s->op == OP_BROADCAST || is_uniform_value(e, s->b)) {
		struct src lane = gen_scalar(e, gen_src(e, s->b));
		if (lane.n == GCN_LITERAL)
			lane = gen_const(lane.bits & (e->wave - 1));
		/* Each readlane reads the lane index, so dst may reuse its register only for one
		 * word. */
		uint32_t dst = gen_result(e, i, AT_S, v.n, v.n == 1);
		for (uint32_t w = 0; w < v.n; w++)
			put_readlane(e, dst + w, v.v[w], lane);
		return;
	}
	if (gen_is_fused(e, s->b)) {
		from_number(e, gen_result(e, i, AT_V, v.n, false), &v, s->b);
		return;
	}
	struct src lane = gen_src(e, s->b);
	from_lane(e, gen_result(e, i, AT_V, v.n, false), &v, lane);
}

/* -- Patterns ----------------------------------------------------------------------------------------- */

/* Reads from the lane of the other row of 16 whose index in the row is xored with `low`. An
 * instruction reads one literal at most, so the low half of the selector is in a register. */
static void
other_row(struct emit *e, uint32_t dst, const struct words *v, uint32_t low)
{
	uint64_t sel = 0;
	uint32_t lo = gen_temp_s(e, 1);

	for (uint64_t l = 0; l < 16; l++)
		sel |= (l ^ low) << 4 * l;
	put_mov_s(e, lo, gen_const((uint32_t)sel));
	gen_permutes(e);
	for (uint32_t w = 0; w < v->n; w++)
		put_v3(e, GCN_OP_v_permlanex16_b32, dst + w, v->v[w], src_of(lo), gen_const((uint32_t)(sel >> 32)));
}

/* Computes the pattern's source lane from the thread index. Before gfx12 the hardware ignores the
 * bits above the wave size. */
static void
put_lane(struct emit *e, const struct ins *s, uint32_t at)
{
	struct src thread = src_of(256);
	uint32_t lane;

	if (e->gcn->gen >= GCN_G12) {
		put_v2(e, VOP_C(v_and_b32), at, gen_const(e->wave - 1), thread);
		thread = src_of(256 + at);
	}
	switch ((enum lane_pattern)s->x) {
	case PATTERN_LAST:
		put_v2(e, VOP_C(v_or_b32), at, gen_const(2 * s->b - 1), thread);
		put_v2(e, VOP_C(v_xor_b32), at, gen_const(s->b), src_of(256 + at));
		break;
	case PATTERN_SHIFT: {
		lane = gen_temp_v(e, 1);
		put_v2(e, VOP_C(v_and_b32), lane, gen_const(e->wave - 1), thread);
		uint32_t below = gen_temp_v(e, 1);
		put_v2(e, VOP(v_sub_u32), below, thread, gen_const(s->b));
		put_cmp(e, VOP(v_cmp_gt_u32), SRC_VCC, gen_const(s->b), src_of(256 + lane), 0);
		put_choose(e, at, src_of(256 + below), thread, src_of(SRC_VCC));
		break;
	}
	case PATTERN_DOWN: {
		lane = gen_temp_v(e, 1);
		put_v2(e, VOP_C(v_and_b32), lane, gen_const(e->wave - 1), thread);
		uint32_t above = gen_temp_v(e, 1);
		put_v2(e, VOP_C(v_add_u32), above, gen_const(s->b), thread);
		put_cmp(e, VOP(v_cmp_le_u32), SRC_VCC, gen_const(e->wave - s->b),
			src_of(256 + lane), 0);
		put_choose(e, at, src_of(256 + above), thread, src_of(SRC_VCC));
		break;
	}
	default: put_v2(e, VOP_C(v_xor_b32), at, gen_const(s->b), thread);
	}
}

static void
by_address(struct emit *e, uint32_t i, const struct words *v)
{
	uint32_t at = gen_temp_v(e, 1), dst = gen_result(e, i, AT_V, v->n, false);

	put_lane(e, gen_ins(e, i), at);
	from_lane(e, dst, v, src_of(256 + at));
}

/* Shifts each lane's value to the next lane, up or down. The lane without a source gets `end`. dst
 * may be the register of v if v is also `end`. */
static void
one_on(struct emit *e, uint32_t dst, struct src v, struct src end, bool up)
{
	bool whole = e->gcn->gen < GCN_G10;
	unsigned ctrl = whole ? (up ? DPP_WAVE_SHR_1 : DPP_WAVE_SHL_1) : (up ? DPP_ROW_SHR : DPP_ROW_SHL) + 1;
	struct gcn_dpp d = DPP_WHOLE(ctrl);
	uint32_t rows = whole ? 1 : e->wave / 16, over[4];

	for (uint32_t row = 1; row < rows; row++) {
		over[row] = gen_temp_s(e, 1);
		put_readlane(e, over[row], v, gen_const(up ? 16 * row - 1 : 16 * row));
	}
	put_mov_v(e, dst, end);
	put_dpp1(e, GCN_OP_v_mov_b32, dst, v, &d);
	for (uint32_t row = 1; row < rows; row++)
		put_writelane(e, dst, src_of(over[row]), up ? 16 * row : 16 * row - 1);
}

void
gen_emit_next(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i), *next = gen_ins(e, s->c);
	struct words v = words_of(e, next), first = v;
	uint32_t dst;

	for (uint32_t w = 0; w < v.n; w++) {
		v.v[w] = gen_vector(e, v.v[w]);
		first.v[w] = gen_word(e, s->b, w);
	}
	dst = gen_result(e, i, AT_V, v.n, false);
	for (uint32_t w = 0; w < v.n; w++)
		one_on(e, dst + w, v.v[w], first.v[w], true);
}

/* Exchanges the halves of the wave, each of which is uniform. */
static void
other_half(struct emit *e, uint32_t dst, struct src v)
{
	uint32_t low = gen_temp_s(e, 1), high = gen_temp_s(e, 1), mask = gen_temp_s(e, 2);

	put_readlane(e, low, v, src_of(SRC_ZERO));
	put_readlane(e, high, v, gen_const(32));
	put_mov_s(e, mask, src_of(SRC_ONES));
	put_mov_s(e, mask + 1, src_of(SRC_ZERO));
	put_mov_v(e, dst, src_of(high));
	put_choose(e, dst, src_of(low), src_of(256 + dst), src_of(mask));
}

/* Methods of reading a pattern. */
enum way { BY_DPP, BY_OCTET, BY_READLANE, BY_ROW, BY_HALF, BY_UNIFORM_HALF, BY_SHIFT, BY_SWIZZLE, BY_ADDRESS };

/* Selects the LDS method: ds_swizzle needs no address but stays within 32 lanes. */
static enum way
by_lds_path(const struct ins *s)
{
	return s->b < 32 ? BY_SWIZZLE : BY_ADDRESS;
}

static enum way
way_of(const struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	if (gen_pattern_ctrl(e, s) >= 0)
		return BY_DPP;
	if (s->x == PATTERN_LAST)
		return s->b == 4 && e->t->x16 ? BY_OCTET : 2 * s->b == e->wave ? BY_READLANE : by_lds_path(s);
	if (s->x == PATTERN_SHIFT || s->x == PATTERN_DOWN)
		return s->b == 1 ? BY_SHIFT : BY_ADDRESS;
	if (s->b >= 16 && s->b < 32 && e->t->x16)
		return BY_ROW;
	if (s->b == 32 && e->gcn->gen >= GCN_G11)
		return BY_HALF;
	return s->x == PATTERN_PARTNER && s->b == 32 && is_far(e) ? BY_UNIFORM_HALF : by_lds_path(s);
}

/* Reads from lane ((l & and) | or) ^ xor of each group of 32. */
static void
swizzle(struct emit *e, const struct ins *s, uint32_t dst, struct src v)
{
	uint32_t last = s->x == PATTERN_LAST, and = last ? ~(2 * s->b - 1) & 31 : 31, or = last ? s->b - 1 : 0,
		 xor = last ? 0 : s->b;

	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_swizzle_b32), 256 + dst, v.n, GCN_OFF, GCN_OFF,
	       (uint16_t)(and | or << 5 | xor << 10));
	gen_issued(e, CNT_DS, 256 + dst, 1);
}

static void
put_way(struct emit *e, uint32_t i, enum way way, uint32_t dst, struct src v)
{
	static const uint8_t last_of_4[8] = { 3, 3, 3, 3, 3, 3, 3, 3 };
	const struct ins *s = gen_ins(e, i);

	switch (way) {
	case BY_DPP:
		put_dpp1(e, GCN_OP_v_mov_b32, dst, v, &DPP_WHOLE(gen_pattern_ctrl(e, s)));
		break;
	case BY_OCTET:
		gen_valu_writes_one(e, dst);
		gcn_dpp8(gen_out(e), gen_row(e, GCN_OP_v_mov_b32), 256 + dst, v.n, GCN_OFF, last_of_4, false);
		break;
	case BY_READLANE: put_readlane(e, dst, v, gen_const(s->b - 1)); break;
	case BY_ROW:
		gen_permutes(e);
		put_v3(e, GCN_OP_v_permlanex16_b32, dst, v, src_of(SRC_ZERO), src_of(SRC_ZERO));
		break;
	case BY_HALF:
		gen_permutes(e);
		put_v1(e, (struct vop){ .e32 = GCN_OP_v_permlane64_b32 }, dst, v);
		break;
	case BY_UNIFORM_HALF: other_half(e, dst, v); break;
	case BY_SHIFT: one_on(e, dst, v, v, s->x == PATTERN_SHIFT); break;
	case BY_SWIZZLE: swizzle(e, s, dst, v); break;
	case BY_ADDRESS: break;
	}
}

void
gen_emit_pattern(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	enum way way = way_of(e, i);
	struct words v = words_of(e, s);
	uint32_t dst;

	for (uint32_t w = 0; w < v.n; w++)
		v.v[w] = gen_vector(e, v.v[w]);
	if (way == BY_ADDRESS) {
		by_address(e, i, &v);
	} else {
		/* Each word is read before the same word is written, so dst may be the source. */
		if (way == BY_SHIFT)
			dst = gen_result_over(e, i, v.v[0], v.n);
		else
			dst = gen_result(e, i, way == BY_READLANE ? AT_S : AT_V, v.n, way <= BY_READLANE);
		if (way == BY_ROW && (s->x == PATTERN_XOR || s->b > 16)) {
			other_row(e, dst, &v, s->b & 15);
			return;
		}
		for (uint32_t w = 0; w < v.n; w++)
			put_way(e, i, way, dst + w, v.v[w]);
	}
}

/* -- Ballots --------------------------------------------------------------------------------------------- */

void
gen_emit_ballot(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	if (s->x >= e->mask_words) {
		gen_illegal(e, i, "the ballot has no such word");
		return;
	}
	const struct gen_loc *l = &e->loc[s->a];
	if (l->at == AT_LANES) {
		e->loc[i] = (struct gen_loc){ .at = AT_LANES, .n = 1, .reg = (uint16_t)(l->reg + s->x), .of = AT_S };
		return;
	}
	if (l->at == AT_MASK && !gen_is_fused(e, s->a)) {
		gen_wait_reg(e, l->reg + s->x, 1);
		e->loc[i] = (struct gen_loc){ .at = AT_S, .n = 1, .reg = (uint16_t)(l->reg + s->x) };
		return;
	}
	uint32_t dst = gen_result(e, i, AT_S, 1, false);
	struct src m = gen_mask_in(e, s->a, e->wave == 32 ? dst : SRC_VCC);
	if (src_is_s(m))
		m.n = (uint16_t)(m.n + s->x);
	put_mov_s(e, dst, m);
}
