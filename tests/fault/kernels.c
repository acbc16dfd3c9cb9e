/* The program's kernels: one that contains every builder call, and small ones to run. Builder
 * errors are sticky, so only creation and finishing of a builder can fail. */
#define QD_NO_DEPRECATED_WARNINGS
#include "kernels.h"

#include <stdio.h>

#include "calls.h"

/* -- Every builder call ----------------------------------------------------------- */

static struct qd_val
bytes(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val v = qd_pack4_i8(b, x, y, x, y), n = qd_unpack_u8(b, v, x);

	v = qd_byte_permute(b, v, n, qd_bitcast(b, QD_TYPE_U32, y));
	n = qd_bitcast(b, QD_TYPE_U32, qd_unpack_i8(b, v, y));
	n = qd_dot4_u8(b, v, n, n);
	x = qd_dot4_i8(b, v, n, x);
	n = qd_bitcast(b, QD_TYPE_U32, qd_dot4_i8u8(b, v, n, x));
	return qd_pack4_u8(b, v, n, v, n);
}

static struct qd_val
integers(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val v = qd_add(b, x, y);

	v = qd_sub(b, v, qd_mul(b, x, y));
	v = qd_div(b, v, y);
	v = qd_rem(b, v, x);
	v = qd_min(b, v, qd_max(b, x, y));
	v = qd_mulhi(b, v, y);
	v = qd_floordiv(b, v, y);
	v = qd_floormod(b, v, x);
	v = qd_neg(b, qd_abs(b, v));
	v = qd_clamp(b, v, x, y);
	v = qd_add_sat(b, qd_sub_sat(b, v, x), y);
	v = qd_average_ceil(b, qd_average_floor(b, v, x), qd_sign(b, y));
	v = qd_cast(b, QD_TYPE_I32, qd_mul_wide(b, v, y));
	v = qd_bitcast(b, QD_TYPE_I32, qd_abs_diff(b, v, x));
	v = qd_rotl(b, qd_rotr(b, v, x), y);
	v = qd_funnel_left(b, v, x, y);
	v = qd_funnel_right(b, v, x, y);
	v = qd_insert_bits(b, v, qd_extract_bits(b, x, v, y), x, y);
	v = qd_bitcast(b, QD_TYPE_I32, bytes(b, v, x));
	v = qd_and(b, v, qd_i32(b, 0xffff));
	v = qd_or(b, v, qd_not(b, x));
	v = qd_xor(b, v, qd_shl(b, x, qd_i32(b, 3)));
	v = qd_shr(b, v, qd_u32(b, 1));
	x = qd_add(b, qd_popcount(b, v), qd_clz(b, v));
	x = qd_add(b, x, qd_ctz(b, v));
	return qd_cast(b, QD_TYPE_I32, qd_brev(b, qd_add(b, x, qd_ffs(b, v))));
}

static struct qd_val
floats(struct qd_builder *b, struct qd_val x)
{
	struct qd_val v = qd_fma(b, x, x, qd_f32(b, 0.5f)), odd;

	v = qd_sqrt(b, qd_abs(b, v));
	v = qd_add(b, qd_floor(b, v), qd_ceil(b, v));
	v = qd_sub(b, qd_trunc(b, v), qd_round(b, x));
	v = qd_log(b, qd_exp(b, qd_sin(b, v)));
	v = qd_pow(b, qd_cos(b, v), x);
	v = qd_mix(b, v, x, qd_fract(b, x));
	v = qd_step(b, v, qd_copysign(b, x, v));
	odd = qd_or(b, qd_isnan(b, v), qd_isinf(b, v));
	return qd_select(b, odd, qd_const_bits(b, QD_TYPE_F32, 0x3f800000), v);
}

static struct qd_val
comparisons(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val any = qd_or(b, qd_eq(b, x, y), qd_ne(b, x, y));

	any = qd_or(b, any, qd_lt(b, x, y));
	any = qd_or(b, any, qd_le(b, x, y));
	any = qd_or(b, any, qd_gt(b, x, y));
	any = qd_or(b, any, qd_ge(b, x, y));
	return qd_or(b, any, qd_bool(b, false));
}

/* Assigns v in each kind of control flow. */
static void
flow(struct qd_builder *b, struct qd_var v, struct qd_val stop)
{
	qd_scope(b);
	qd_leave_if(b, 1, stop);
	qd_loop(b);
	qd_set(b, v, qd_add(b, qd_get(b, v), qd_i32(b, 1)));
	qd_break_if(b, qd_gt(b, qd_get(b, v), qd_i32(b, 90)));
	qd_if(b, qd_eq(b, qd_get(b, v), qd_i32(b, 70)));
	qd_continue(b);
	qd_end(b);
	qd_if(b, qd_eq(b, qd_get(b, v), qd_i32(b, 80)));
	qd_break(b);
	qd_else(b);
	qd_if(b, qd_eq(b, qd_get(b, v), qd_i32(b, 60)));
	qd_leave(b, 2);
	qd_end(b);
	qd_end(b);
	qd_end(b);
	qd_end(b);
	struct qd_val zero = qd_i32(b, 0), three = qd_i32(b, 3), i = qd_for(QD_AT(b), zero, three);
	qd_while(b, qd_lt(b, qd_get(b, v), qd_i32(b, 95)));
	qd_set(b, v, qd_add(b, qd_get(b, v), i));
	qd_end(b);
}

static struct qd_val
places(struct qd_builder *b)
{
	struct qd_val v = qd_add(b, qd_block_idx(b), qd_mul(b, qd_block_dim(b), qd_grid_dim(b)));
	struct qd_val i = qd_add(b, qd_block_thread_idx(b), qd_block_thread_idx_axis(b, 1));

	v = qd_add(b, v, qd_add(b, qd_subgroup_id(b), qd_subgroup_count(b)));
	i = qd_add(b, i, qd_block_global_thread_idx(b));
	i = qd_add(b, i, qd_subgroup_invocation_id(b));
	i = qd_add(b, i, qd_subgroup_group_size(b));
	i = qd_add(b, i, qd_subgroup_log2_group_size(b));
	i = qd_add(b, i, qd_subgroup_tile_lane(b, 1));
	i = qd_add(b, i, qd_cast(b, QD_TYPE_U32, qd_subgroup_elect(b)));
	return qd_cast(b, QD_TYPE_I32, qd_add(b, i, v));
}

/* Uses a shared array and every kind of barrier. */
static struct qd_val
memory(struct qd_builder *b, struct qd_array s, struct qd_val v)
{
	struct qd_val at = qd_i32(b, 0), one = qd_i32(b, 1), old;

	qd_atomic_store(b, s, at, v, QD_SCOPE_BLOCK, QD_ORDER_RELEASE);
	qd_block_sync(b);
	old = qd_atomic_load(b, s, at, QD_SCOPE_BLOCK, QD_ORDER_ACQUIRE);
#define EACH_ATOMIC(name)                                                                          \
	old = qd_add(b, old, qd_atomic_##name(b, s, at, one, QD_SCOPE_DEVICE, QD_ORDER_RELAXED));
	EACH_ATOMIC(add)
	EACH_ATOMIC(sub)
	EACH_ATOMIC(min)
	EACH_ATOMIC(max)
	EACH_ATOMIC(and)
	EACH_ATOMIC(or)
	EACH_ATOMIC(xor)
	EACH_ATOMIC(exchange)
	old = qd_atomic_cas(b, s, at, old, one, QD_SCOPE_DEVICE, QD_ORDER_ACQ_REL);
	qd_subgroup_mem_fence(b, QD_ORDER_ACQ_REL);
	qd_block_mem_fence(b, QD_ORDER_ACQUIRE);
	qd_grid_mem_fence(b, QD_SCOPE_DEVICE, QD_ORDER_RELEASE);
	qd_subgroup_sync(b);
	/* The deprecated aliases. */
	qd_subgroup_memory_barrier(b, QD_ORDER_ACQ_REL);
	qd_block_mem_sync(b, QD_ORDER_ACQUIRE);
	qd_grid_memfence(b, QD_SCOPE_DEVICE, QD_ORDER_RELEASE);
	qd_subgroup_barrier(b);
	return old;
}

static void
larger(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
       struct qd_val *out, uint32_t k)
{
	(void)user;
	for (uint32_t i = 0; i < k; i++)
		out[i] = qd_max(b, x[i], y[i]);
}

static struct qd_val
on_warps(struct qd_builder *b, struct qd_val v)
{
	struct qd_val all = qd_u32(b, UINT32_MAX), bits, r[2];

	bits = qd_nvvm_match_any(b, all, v);
	qd_nvvm_match_all(b, all, v, r);
	bits = qd_xor(b, bits, r[0]);
#define VOTE(name)                                                                                 \
	r[0] = qd_nvvm_vote_##name(b, all, v);                                                     \
	bits = qd_xor(b, bits, qd_cast(b, QD_TYPE_U32, r[0]));
#define MASK(relation)									   \
	bits = qd_xor(b, bits, qd_nvvm_lanemask_##relation(b));
#define SHFL(how)                                                                                  \
	bits = qd_nvvm_shfl_##how(b, all, bits, v, 4);                                             \
	qd_nvvm_shfl_##how##_p(b, all, bits, v, 2, r);                                             \
	bits = r[0];
#define REDUX(name) bits = qd_nvvm_redux_##name(b, all, bits);
	VOTE(all)
	VOTE(any)
	VOTE(uni)
	VOTE(ballot)
	MASK(eq)
	MASK(ge)
	MASK(gt)
	MASK(le)
	MASK(lt)
	bits = qd_xor(b, bits, qd_nvvm_activemask(b));
	r[0] = qd_nvvm_elect(b, all);
	bits = qd_xor(b, bits, qd_cast(b, QD_TYPE_U32, r[0]));
	SHFL(up)
	SHFL(down)
	SHFL(bfly)
	SHFL(idx)
	REDUX(add)
	REDUX(min)
	REDUX(max)
	REDUX(and)
	REDUX(or)
	REDUX(xor)
	qd_nvvm_syncwarp(b, all);
	qd_nvvm_nanosleep(b, all);
	r[0] = qd_nvvm_r2p(b, bits, all);
	return qd_bitcast(b, QD_TYPE_I32, qd_nvvm_p2r(b, r, 2));
}

static struct qd_val
lanes(struct qd_builder *b, struct qd_val v, uint32_t log2_size)
{
	struct qd_val one = qd_i32(b, 1), bits;

	v = qd_subgroup_shuffle(b, v, one);
	v = qd_subgroup_shuffle_xor(b, v, one);
	v = qd_subgroup_shuffle_up(b, v, one);
	v = qd_subgroup_shuffle_down(b, v, one);
	v = qd_subgroup_broadcast(b, v, one);
	bits = qd_subgroup_ballot_first_n(b, v, 4);
	struct qd_val word[4];
	qd_subgroup_ballot128(b, v, word);
	bits = qd_xor(b, bits, qd_xor(b, word[0], word[3]));
	bits = qd_xor(b, bits, qd_cast(b, QD_TYPE_U32, qd_subgroup_ballot(b, v)));
	bits = qd_xor(b, bits, qd_cast(b, QD_TYPE_U32, qd_subgroup_ballot_full_subgroup(b, v)));
	v = qd_subgroup_reduce_add_tiled(b, v, log2_size);
#define WHOLE_AND_TILED(name)                                                                      \
	v = qd_subgroup_##name(b, v);                                                              \
	v = qd_subgroup_##name##_tiled(b, v, 1);
#define EACH(name)                                                                                 \
	WHOLE_AND_TILED(name##_add)                                                                \
	WHOLE_AND_TILED(name##_mul)                                                                \
	WHOLE_AND_TILED(name##_min)                                                                \
	WHOLE_AND_TILED(name##_max)                                                                \
	WHOLE_AND_TILED(name##_and)                                                                \
	WHOLE_AND_TILED(name##_or)                                                                 \
	WHOLE_AND_TILED(name##_xor)
#define SEGMENTED(name)                                                                            \
	v = qd_subgroup_segmented_reduce_##name(b, v, one);                                        \
	v = qd_subgroup_segmented_reduce_##name##_tiled(b, v, v, 1);
#define MASKS(relation)                                                                            \
	bits = qd_xor(b, bits, qd_subgroup_lanemask_##relation(b, v));                             \
	bits = qd_xor(b, bits, qd_cast(b, QD_TYPE_U32, qd_subgroup_lanemask64_##relation(b, v)));
	MASKS(eq)
	MASKS(ge)
	MASKS(gt)
	MASKS(le)
	MASKS(lt)
	WHOLE_AND_TILED(all_true)
	WHOLE_AND_TILED(any_true)
	WHOLE_AND_TILED(all_equal)
	EACH(reduce)
	EACH(reduce_all)
	EACH(inclusive)
	EACH(exclusive)
	SEGMENTED(add)
	SEGMENTED(min)
	SEGMENTED(max)
	v = on_warps(b, v);
	qd_subgroup_bitonic_sort_kv(b, v, bits, word);
	qd_subgroup_bitonic_sort_kv_tiled(b, word[0], word[1], 1, word);
	v = word[0];
	bits = word[1];
	qd_subgroup_reduce(b, &v, &v, 1, QD_FULL, larger, NULL);
	qd_subgroup_inclusive_scan(b, &v, &v, 1, 1, larger, NULL);
	qd_subgroup_exclusive_scan(b, &v, &one, &v, 1, 1, larger, NULL);
	return qd_add(b, v, qd_bitcast(b, QD_TYPE_I32, bits));
}

static struct qd_val
whole(struct qd_builder *b, struct qd_val v)
{
	struct qd_val at = qd_i32(b, 1);

	v = qd_add(b, v, qd_block_sync_all_nonzero(b, v));
	v = qd_add(b, v, qd_block_sync_any_nonzero(b, v));
	qd_block_n_active(b, qd_block_dim(b));
	v = qd_add(b, v, qd_block_sync_count_nonzero(b, v));
	v = qd_block_broadcast(b, v, at);
	v = qd_block_shuffle(b, v, at);
#define OF_BLOCK(kind)                                                                             \
	v = qd_block_##kind##_add(b, v);                                                           \
	v = qd_block_##kind##_mul(b, v);                                                           \
	v = qd_block_##kind##_min(b, v);                                                           \
	v = qd_block_##kind##_max(b, v);                                                           \
	v = qd_block_##kind##_and(b, v);                                                           \
	v = qd_block_##kind##_or(b, v);                                                            \
	v = qd_block_##kind##_xor(b, v);
	OF_BLOCK(reduce)
	OF_BLOCK(reduce_all)
	OF_BLOCK(inclusive)
	OF_BLOCK(exclusive)
	struct qd_val pair[2];
	struct qd_array bins = qd_shared(b, "bins", QD_TYPE_I32, 16);
	struct qd_array below = qd_shared(b, "below", QD_TYPE_I32, 16);
	qd_block_bitonic_sort_kv(b, v, at, pair);
	v = qd_block_radix_rank_match_atomic_or(b, qd_bitcast(b, QD_TYPE_U32, pair[0]), 4, 0, 3, bins,
						below);
	pair[0] = pair[1] = qd_bitcast(b, QD_TYPE_U32, v);
	qd_block_radix_rank_match_atomic_or_keys(b, pair, pair, 2, 4, 1, 3, bins, below);
	v = qd_add(b, pair[0], pair[1]);
	qd_block_reduce(b, &v, &v, 1, larger, NULL);
	qd_block_reduce_all(b, &v, &v, 1, larger, NULL);
	qd_block_inclusive_scan(b, &v, &v, 1, larger, NULL);
	qd_block_exclusive_scan(b, &v, &at, &v, 1, larger, NULL);
	return v;
}

static void
wide_types(struct qd_builder *b, struct qd_array a, struct qd_val i)
{
	struct qd_val x = qd_add(b, qd_load(b, a, i), qd_f64(b, 0.1));
	struct qd_val n = qd_add(b, qd_bitcast(b, QD_TYPE_I64, x), qd_i64(b, -2));

	n = qd_xor(b, n, qd_cast(b, QD_TYPE_I64, qd_u64(b, 5)));
	qd_store(b, a, i, qd_bitcast(b, QD_TYPE_F64, n));
}

qd_status
kernel_every(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err)
{
	static const uint32_t sizes[] = { 4, 8, 16, 32, 64, 128 };
	struct qd_builder *b;
	qd_status st = qd_builder_create(ctx, "every", &b, err);

	if (st)
		return st;
	qd_block(b, 16, 2, 1);
	qd_subgroup_sizes(b, sizes, sizeof sizes / sizeof sizes[0]);
	qd_assume_uniform(b, "it did not run");
	qd_assume_in_bounds(b, "it did not run");
	uint32_t log2 = qd_template(b, "L", 0, 2);
	struct qd_array f = qd_param_buffer(b, "f", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array n = qd_param_buffer(b, "n", QD_TYPE_I32, QD_ACCESS_INOUT);
	struct qd_array d = qd_param_buffer(b, "d", QD_TYPE_F64, QD_ACCESS_INOUT);
	struct qd_val k = qd_param_scalar(b, "k", QD_TYPE_I32);
	struct qd_array s = qd_shared(b, "s", QD_TYPE_I32, 4);
	struct qd_array table = qd_table(b, "table", QD_TYPE_I32, sizes, 1);
	struct qd_val known = qd_template_value(b, log2);
	qd_require(b, qd_le(b, known, qd_i32(b, 2)), "L is 2 at most");
	uint32_t more = qd_template_arg(b, qd_min(b, known, qd_i32(b, 1)));
	struct qd_val i = qd_grid(b, qd_len(b, n));
	struct qd_val x = qd_load(b, n, i), y = qd_load_else(b, f, i, qd_f32(b, 1));
	struct qd_val pair[2], pair_else[2];
	qd_store(b, n, i, qd_load(b, table, i));
	qd_load_wide(b, n, i, 2, pair);
	qd_load_wide_else(b, n, i, x, 2, pair_else);
	qd_store_wide(b, n, i, pair, 2);
	struct qd_var v = qd_var(b, integers(b, x, k));
	flow(b, v, comparisons(b, x, k));
	x = qd_add(b, qd_get(b, v), qd_cast(b, QD_TYPE_I32, floats(b, y)));
	x = qd_add(b, x, places(b));
	qd_assert(b, qd_ge(b, x, k), "x is k or more");
	qd_print(b, "x and y", (const struct qd_val[]){ x, y }, 2);
	x = lanes(b, lanes(b, x, log2), more);
	x = whole(b, x);
	x = memory(b, s, x);
	struct qd_val first = qd_i32(b, 0);
	qd_nvvm_cp_async(b, s, first, n, first, 4);
	qd_nvvm_cp_async_commit_group(b);
	qd_nvvm_cp_async_wait_group(b, 0);
	qd_nvvm_cp_async_wait_all(b);
	wide_types(b, d, i);
	qd_store(b, n, i, x);
	return qd_builder_finish(b, out, err);
}

/* -- Kernels to run ------------------------------------------------------------------ */

qd_status
kernel_mix(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_builder *b;
	qd_status st = qd_builder_create(ctx, "mix", &b, err);

	if (st)
		return st;
	qd_block(b, 8, 1, 1);
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val i32 = qd_param_scalar(b, "i", QD_TYPE_I32);
	struct qd_val u32 = qd_param_scalar(b, "u", QD_TYPE_U32);
	struct qd_val f32 = qd_param_scalar(b, "f", QD_TYPE_F32);
	struct qd_val i = qd_grid(b, qd_len(b, src));
	struct qd_val sum = qd_add(b, qd_load(b, src, i), u32);
	sum = qd_add(b, sum, qd_cast(b, QD_TYPE_U32, i32));
	qd_store(b, dst, i, qd_add(b, sum, qd_cast(b, QD_TYPE_U32, f32)));
	return qd_builder_finish(b, out, err);
}

qd_status
kernel_wide(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_builder *b;
	qd_status st = qd_builder_create(ctx, "wide", &b, err);

	if (st)
		return st;
	qd_block(b, 1, 1, 1);
	struct qd_array data = qd_param_buffer(b, "data", QD_TYPE_U32, QD_ACCESS_INOUT);
	for (int i = 0; i < WIDE_SPARE; i++) {
		char name[16];
		snprintf(name, sizeof name, "spare%d", i);
		qd_param_buffer(b, name, QD_TYPE_U32, QD_ACCESS_IN);
	}
	struct qd_val i = qd_block_idx(b);
	qd_store(b, data, i, qd_add(b, qd_load(b, data, i), qd_u32(b, WIDE_ADDS)));
	return qd_builder_finish(b, out, err);
}
