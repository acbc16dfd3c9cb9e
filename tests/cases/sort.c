/* Sorts of pairs: keys of each type with values of each type, on the whole subgroup and every tile
 * size. */
#include "family.h"

static const uint16_t blocks[] = { 7, 37, 160, 37 | BLOCK_SHORT, 64 | BLOCK_LEN, 0 };

/* Returns a zero; of a float, with either sign. */
static uint64_t
zero_of(qd_type type, bool minus)
{
	return minus && ref_is_float(type) ? UINT64_C(1) << (ref_width(type) - 1) : 0;
}

/* Returns w in the value's width: the high word if it is too wide; if too narrow, w with its
 * complement. */
static uint64_t
value_bits(qd_type from, qd_type to, uint64_t w)
{
	if (ref_width(from) == ref_width(to))
		return w;
	return ref_width(to) == 32 ? w >> 32 : w << 32 | (~w & UINT32_MAX);
}

/* Half of the lanes have a zero as their value. Together with zero keys this makes equal pairs. */
static struct qd_val
value_of(struct qd_builder *b, const struct operands *o, qd_type type)
{
	struct qd_val high = qd_u32(b, 32), zero = qd_const_bits(b, type, zero_of(type, false));
	struct qd_val minus = qd_const_bits(b, type, zero_of(type, true)), own, low, w;

	if (ref_width(o->type) == ref_width(type)) {
		w = qd_bitcast(b, type, o->w);
	} else if (ref_width(type) == 32) {
		w = qd_shr(b, qd_bitcast(b, QD_TYPE_U64, o->w), high);
		w = qd_bitcast(b, type, qd_cast(b, QD_TYPE_U32, w));
	} else {
		w = qd_bitcast(b, QD_TYPE_U32, o->w);
		low = qd_cast(b, QD_TYPE_U64, qd_not(b, w));
		w = qd_shl(b, qd_cast(b, QD_TYPE_U64, w), high);
		w = qd_bitcast(b, type, qd_or(b, w, low));
	}
	own = qd_cast(b, QD_TYPE_BOOL, qd_and(b, o->idx, qd_u32(b, 1)));
	low = qd_cast(b, QD_TYPE_BOOL, qd_and(b, o->idx, qd_u32(b, 2)));
	zero = qd_select(b, low, minus, zero);
	return qd_select(b, own, w, zero);
}

static struct qd_val
as_u64(struct qd_builder *b, qd_type type, struct qd_val v)
{
	if (ref_width(type) == 64)
		return qd_bitcast(b, QD_TYPE_U64, v);
	return qd_cast(b, QD_TYPE_U64, qd_bitcast(b, QD_TYPE_U32, v));
}

/* Combines both into one word, without loss if they have 32 bits each. */
static uint64_t
both(uint64_t key, uint64_t value)
{
	return key ^ (value << 32 | value >> 32);
}

static struct qd_val
build(struct qd_builder *b, const struct operands *o, uint32_t variant, qd_type type)
{
	struct qd_val pair[2], value = value_of(b, o, type), turned, half = qd_u32(b, 32);

	if (variant > o->t->log2_size)
		qd_subgroup_bitonic_sort_kv(b, o->v, value, pair);
	else
		qd_subgroup_bitonic_sort_kv_tiled(b, o->v, value, variant, pair);
	value = as_u64(b, type, pair[1]);
	turned = qd_shl(b, value, half);
	turned = qd_or(b, turned, qd_shr(b, value, half));
	return qd_xor(b, as_u64(b, o->type, pair[0]), turned);
}

static void
want(const struct suite *t, const struct lanes *in, uint32_t variant, qd_type type, uint64_t *out)
{
	uint64_t value[REF_MAX_LANES], keys[REF_MAX_LANES], values[REF_MAX_LANES];

	for (uint32_t l = 0; l < in->s.n; l++)
		value[l] = in->idx[l] & 1 ? value_bits(in->s.type, type, in->w[l])
					  : zero_of(type, (in->idx[l] & 2) != 0);
	ref_sort(&in->s, type, value, tile_log2(t, variant), keys, values);
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = both(keys[l], values[l]);
}

/* No variants if the device lacks the type. */
#define SORT(name, type)                                                                           \
	static uint32_t name##_variants(const struct suite *t, qd_type key)                        \
	{                                                                                          \
		return skip_reason(t, type) ? 0 : tile_variants(t, key);                           \
	}                                                                                          \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return build(b, o, variant, type);                                                 \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)defined;                                                                     \
		want(t, in, variant, type, out);                                                   \
	}

SORT(i32, QD_TYPE_I32)
SORT(u32, QD_TYPE_U32)
SORT(i64, QD_TYPE_I64)
SORT(u64, QD_TYPE_U64)
SORT(f32, QD_TYPE_F32)
SORT(f64, QD_TYPE_F64)

#define ROW(value)                                                                                 \
	{                                                                                          \
		.name = "subgroup.bitonic_sort_kv(" #value " values)", .types = T_ALL,             \
		.result = QD_TYPE_U64, .flags = ROW_SOME, .blocks = blocks,                        \
		.n_variants = value##_variants, .label = tile_label, .build = value##_build,       \
		.want = value##_want                                                               \
	}

static const struct row sort_rows[] = { ROW(i32), ROW(u32), ROW(i64),
					ROW(u64), ROW(f32), ROW(f64) };
const struct family family_sort = { "sort", sort_rows, 6, NULL, NULL };
