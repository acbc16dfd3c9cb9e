/* Expansions of what lanes of a warp do, against the lockstep machine. */
#include "t_prim.h"

/* Every machine, subgroup size and type; a block that is whole, and one that is not. */
static void
each(struct unit_ctx *t, void (*fn)(struct kit *k, struct qd_builder *b, qd_type type),
     const char *what, uint32_t types)
{
	for (unsigned i = 0; i < n_prim_machines; i++) {
		for (uint32_t log2 = 2; log2 <= 7; log2++) {
			struct machine m = prim_machine(i, log2);
			uint32_t lanes = m.subgroup_size;

			for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
				struct kit k;
				struct qd_builder *b;

				if (!kit_has_type(&m, type) || !type_is(type, types))
					continue;
				b = kit_open(&k, t, &m, type % 2 ? 2 * lanes : 3 * lanes - 3);
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

/* Lanes of three kinds, each of which names its own. */
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
	each(t, matches, "matches", TM_NUM);
}
