/* Segmented reductions with some heads, on the whole subgroup and every tile size. */
#include "family.h"

/* Returns a value that is not a head: -0.0 of a float, 0 of an integer. */
static uint64_t
no_head(qd_type type)
{
	return ref_is_float(type) ? UINT64_C(1) << (ref_width(type) - 1) : 0;
}

/* One lane in four has w as its flag, which may be any number, NaN or zero. */
static struct qd_val
flag(struct qd_builder *b, const struct operands *o)
{
	struct qd_val none = qd_const_bits(b, o->type, no_head(o->type));
	struct qd_val others = qd_cast(b, QD_TYPE_BOOL, qd_and(b, o->idx, qd_u32(b, 3)));

	return qd_select(b, others, none, o->w);
}

static void
want(const struct suite *t, const struct lanes *in, enum ref_reduction op, uint32_t variant,
     uint64_t *out)
{
	bool head[REF_MAX_LANES];

	for (uint32_t l = 0; l < in->s.n; l++)
		head[l] = (in->idx[l] & 3) == 0 && ref_truth(in->s.type, in->w[l]);
	ref_segmented(&in->s, op, head, tile_log2(t, variant), out);
}

#define SEGMENTED(name, op)                                                                        \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return variant > o->t->log2_size                                                   \
			       ? qd_subgroup_segmented_##name(b, o->v, flag(b, o))                 \
			       : qd_subgroup_segmented_##name##_tiled(b, o->v, flag(b, o),         \
								      variant);                    \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)defined;                                                                     \
		want(t, in, op, variant, out);                                                     \
	}

SEGMENTED(reduce_add, REF_ADD)
SEGMENTED(reduce_min, REF_MIN)
SEGMENTED(reduce_max, REF_MAX)

#define ROW(fn)                                                                                    \
	{                                                                                          \
		.name = "subgroup.segmented_" #fn, .types = T_ALL,                                 \
		.flags = ROW_ANY_NAN | ROW_SOME, .blocks = blocks_all,                             \
		.n_variants = tile_variants, .label = tile_label, .build = fn##_build,             \
		.want = fn##_want                                                                  \
	}

static const struct row segmented_rows[] = { ROW(reduce_add), ROW(reduce_min), ROW(reduce_max) };
const struct family family_segmented = { "segmented", segmented_rows, 3, NULL, NULL };
