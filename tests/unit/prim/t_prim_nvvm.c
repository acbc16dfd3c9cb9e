/* Expansions of warp operations, against the lockstep machine. */
#include "t_prim.h"

/* Calls fn for every machine, subgroup size and type, with a complete or
 * incomplete block. With whole, every block is complete. */
static void
each(struct unit_ctx *t, void (*fn)(struct kit *k, struct qd_builder *b, qd_type type),
     const char *what, uint32_t types, bool whole)
{
	for (unsigned i = 0; i < n_prim_machines; i++) {
		for (uint32_t log2 = 2; log2 <= 7; log2++) {
			struct machine m = prim_machine(i, log2);
			uint32_t lanes = m.subgroup_size;

			for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
				struct kit k;
				struct qd_builder *b;

				if (!kit_has_type(&m, type) || !type_is(type, types) ||
				    !prim_chosen(i, log2, type))
					continue;
				b = kit_open(&k, t, &m, type % 2 || whole ? 2 * lanes : 3 * lanes - 3);
				qd_subgroup_sizes(b, &lanes, 1);
				fn(&k, b, type);
				kit_check(&k, what, 2, 2);
				kit_close(&k);
			}
		}
	}
}

static struct qd_val
everyone(struct qd_builder *b)
{
	return qd_u32(b, UINT32_MAX);
}

/* Returns members: lanes of three kinds, each of which names its own kind. */
static struct qd_val
some(struct qd_builder *b, struct qd_val y)
{
	return qd_nvvm_match_any(b, everyone(b), qd_rem(b, y, qd_u32(b, 3)));
}

static void
matches(struct kit *k, struct qd_builder *b, qd_type type)
{
	struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", QD_TYPE_U32), all[2];
	struct qd_val same = qd_nvvm_match_any(b, everyone(b), x);

	(void)k;
	kit_result(b, same);
	kit_result(b, qd_nvvm_match_any(b, some(b, y), x));
	kit_result(b, qd_nvvm_match_any(b, everyone(b), qd_const_bits(b, type, 0)));
	qd_nvvm_match_all(b, everyone(b), x, all);
	kit_result(b, all[0]);
	kit_result(b, all[1]);
	qd_nvvm_match_all(b, same, x, all);
	kit_result(b, all[0]);
	kit_result(b, all[1]);
	qd_nvvm_match_all(b, some(b, y), qd_const_bits(b, type, 7), all);
	kit_result(b, all[0]);
	qd_nvvm_match_all(b, everyone(b), qd_const_bits(b, type, 7), all);
	kit_result(b, all[0]);
}

void
prim_matches(struct unit_ctx *t)
{
	each(t, matches, "matches", TM_NUM, false);
}

static void
votes(struct kit *k, struct qd_builder *b, qd_type type)
{
	struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", QD_TYPE_U32), mask[3];
	struct qd_val few = qd_eq(b, qd_rem(b, y, qd_u32(b, 7)), qd_u32(b, 0));

	(void)k;
	mask[0] = everyone(b);
	mask[1] = some(b, y);
	mask[2] = qd_nvvm_activemask(b);
	for (uint32_t i = 0; i < 3; i++) {
		kit_result(b, qd_nvvm_vote_all(b, mask[i], x));
		kit_result(b, qd_nvvm_vote_any(b, mask[i], few));
		kit_result(b, qd_nvvm_vote_uni(b, mask[i], i ? few : x));
		kit_result(b, qd_nvvm_vote_uni(b, mask[i], qd_bool(b, false)));
		kit_result(b, qd_nvvm_vote_ballot(b, mask[i], few));
		kit_result(b, qd_nvvm_elect(b, mask[i]));
	}
	kit_result(b, mask[2]);
}

void
prim_warp_votes(struct unit_ctx *t)
{
	each(t, votes, "votes of members", TM_I32 | TM(F32), false);
}

/* Checks shuffles from active lanes only: those of a complete block. */
static void
shuffles(struct kit *k, struct qd_builder *b, qd_type type)
{
	static const uint32_t widths[] = { 1, 2, 8, 32 };
	struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", QD_TYPE_U32), r[2], n;
	uint32_t lanes = k->m->subgroup_size;

	n = qd_and(b, y, qd_u32(b, (lanes < 32 ? lanes : 64) - 1));
	for (uint32_t i = 0; i < QD_COUNT(widths); i++) {
		uint32_t width = widths[i] < lanes ? widths[i] : lanes < 32 ? lanes : 32;

		kit_result(b, qd_nvvm_shfl_up(b, everyone(b), x, n, width));
		kit_result(b, qd_nvvm_shfl_down(b, everyone(b), x, n, width));
		kit_result(b, qd_nvvm_shfl_bfly(b, everyone(b), x, n, width));
		kit_result(b, qd_nvvm_shfl_idx(b, everyone(b), x, y, width));
		qd_nvvm_shfl_up_p(b, everyone(b), x, qd_u32(b, i), width, r);
		kit_result(b, r[1]);
		qd_nvvm_shfl_down_p(b, everyone(b), x, qd_u32(b, i), width, r);
		kit_result(b, r[0]);
		qd_nvvm_shfl_bfly_p(b, everyone(b), x, qd_u32(b, i), width, r);
		kit_result(b, r[0]);
		kit_result(b, r[1]);
		qd_nvvm_shfl_idx_p(b, everyone(b), x, qd_i32(b, -3), width, r);
		kit_result(b, r[0]);
		kit_result(b, r[1]);
	}
}

void
prim_warp_shuffles(struct unit_ctx *t)
{
	each(t, shuffles, "shuffles in segments", TM_NUM, true);
}

static void
reductions(struct kit *k, struct qd_builder *b, qd_type type)
{
	struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", QD_TYPE_U32), mask[2];

	(void)k;
	mask[0] = everyone(b);
	mask[1] = some(b, y);
	for (uint32_t i = 0; i < 2; i++) {
		kit_result(b, qd_nvvm_redux_add(b, mask[i], x));
		kit_result(b, qd_nvvm_redux_min(b, mask[i], x));
		kit_result(b, qd_nvvm_redux_max(b, mask[i], x));
		kit_result(b, qd_nvvm_redux_and(b, mask[i], x));
		kit_result(b, qd_nvvm_redux_or(b, mask[i], x));
		kit_result(b, qd_nvvm_redux_xor(b, mask[i], x));
	}
}

void
prim_redux(struct unit_ctx *t)
{
	each(t, reductions, "reductions of members", TM_I32, false);
}
