/* Forks of a process whose threads compile, parse and launch. In the child, calls on objects
 * from before the fork fail with QD_E_FORKED or do nothing, whatever locks the other threads held.
 * A context that the child creates works. */
#define QD_NO_DEPRECATED_WARNINGS
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build.h"
#include "unit.h"

#if defined(QD_ASAN) || defined(QD_TSAN)
#define SANITIZED 1
#endif

enum { FORKS = 200, SOME_FORKS = 50, THREADS = 2, SECONDS = 60 };

static const char text[] = "kernel scale<static L in 0..=3>(a: u32[], by: u32) block(8) {\n"
			   "  for i in grid(a.len) {\n"
			   "    a[i] = a[i] * by + subgroup.tile_lane(L) * 0;\n"
			   "  }\n"
			   "}\n";
static const char wrong[] = "kernel k(a: u32[]) { a[0] = b; }\n";

struct world {
	struct unit_things o;
	struct qd_builder *builder;
	struct qd_error e;
	pthread_mutex_t log_lock;
	uint32_t n_logged;
	atomic_bool stop;
	atomic_uint n_bad, n_rounds;
};

/* A log callback that takes a lock of the caller, which may be locked in the child. */
static void
on_log(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct world *w = user;
	(void)level, (void)component, (void)msg, (void)len;
	pthread_mutex_lock(&w->log_lock);
	w->n_logged++;
	usleep(50); /* makes a fork at this point likely */
	pthread_mutex_unlock(&w->log_lock);
}

/* -- The threads --------------------------------------------------------------------------- */

/* Parses, compiles for one of several targets, loads, launches and frees; r varies the work. */
static qd_status
round_trip(struct world *w, uint32_t r, struct qd_error *e)
{
	static const char *const target[] = { "spirv:w4", "spirv:w8", "spirv:w16", "spirv:w32" };
	struct qd_tmpl l = { .name = "L", .value = r % 3 };
	struct qd_module *m = NULL, *bad = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *img = NULL;
	struct qd_function *fn = NULL;
	struct qd_buffer *buf = NULL;
	struct qd_stream *s = NULL;
	struct qd_cache_stats stats;
	qd_status st = qd_module_parse(w->o.ctx, text, sizeof text - 1, "t.qdk", &m, e);
	st = st ? st : qd_module_kernel(m, "scale", NULL, 0, &k, e);
	st = st ? st : qd_compile(w->o.ctx, k, target[r % 4], &l, 1, &img, e);
	st = st ? st : qd_function_get(w->o.dev, k, &l, 1, &fn, e);
	st = st ? st : qd_stream_create(w->o.dev, &s, e);
	st = st ? st : qd_buffer_create(w->o.dev, 64 + r % 1000, 0, &buf, e);
	struct qd_arg a[] = { qd_arg_buffer(buf), qd_arg_u32(r) };
	st = st ? st : qd_launch(s, fn, QD_GRID, a, 2, e);
	st = st ? st : qd_stream_sync(s, e);
	if (qd_module_parse(w->o.ctx, wrong, sizeof wrong - 1, "t.qdk", &bad, e) == QD_OK)
		st = QD_E_INTERNAL;
	if (r % 4 == 0)
		qd_context_trim(w->o.ctx, e);
	qd_cache_stats(w->o.ctx, &stats);
	qd_buffer_free(buf);
	qd_stream_free(s);
	qd_function_free(fn);
	qd_image_free(img);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

static void *
work(void *user)
{
	struct world *w = user;
	struct qd_device_info info;
	struct qd_error e;
	uint32_t n;
	for (uint32_t r = 0; !atomic_load(&w->stop); r++) {
		/* the first call loads drivers */
		if (r == 2 && qd_device_list(w->o.ctx, &info, 1, &n, &e))
			atomic_fetch_add(&w->n_bad, 1);
		if (round_trip(w, r, &e))
			atomic_fetch_add(&w->n_bad, 1);
		atomic_fetch_add(&w->n_rounds, 1);
	}
	return NULL;
}

/* -- The child ----------------------------------------------------------------------------- */

static int step; /* number of the child's check; its exit status if the check fails */

static void
require(bool ok)
{
	step++;
	if (!ok)
		_exit(step);
}

#define REFUSED(call) require((call) == QD_E_FORKED && qd_last_error()->code == QD_E_FORKED)

static void
combine(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	struct qd_val *out, uint32_t k)
{
	(void)b, (void)user, (void)y, (void)k;
	out[0] = x[0];
}

/* Every call that takes a builder; each must detect the fork by itself. */
/* clang-format off */
#define WHOLE_AND_TILED(X, name) \
	X(qd_subgroup_##name(b, x)) X(qd_subgroup_##name##_tiled(b, x, 1))
#define MASKS(X, relation) \
	X(qd_subgroup_lanemask_##relation(b, x)) X(qd_subgroup_lanemask64_##relation(b, x))
#define TOTALS(X, name) \
	WHOLE_AND_TILED(X, name##_add) WHOLE_AND_TILED(X, name##_mul) \
	WHOLE_AND_TILED(X, name##_min) WHOLE_AND_TILED(X, name##_max) \
	WHOLE_AND_TILED(X, name##_and) WHOLE_AND_TILED(X, name##_or) WHOLE_AND_TILED(X, name##_xor)
#define OF_BLOCK(X, kind) \
	X(qd_block_##kind##_add(b, x)) X(qd_block_##kind##_mul(b, x)) X(qd_block_##kind##_min(b, x)) \
	X(qd_block_##kind##_max(b, x)) X(qd_block_##kind##_and(b, x)) X(qd_block_##kind##_or(b, x)) \
	X(qd_block_##kind##_xor(b, x))
#define SEGMENTED(X, name) \
	X(qd_subgroup_segmented_reduce_##name(b, x, x)) \
	X(qd_subgroup_segmented_reduce_##name##_tiled(b, x, x, 1))
#define ATOMIC(X, name) \
	X(qd_atomic_##name(b, a, x, x, QD_SCOPE_DEVICE, QD_ORDER_RELAXED))
#define BUILDER_CALLS(X) \
	X(qd_block(b, 1, 1, 1)) X(qd_subgroup_sizes(b, &one, 1)) \
	X(qd_assume_uniform(b, "t")) X(qd_assume_in_bounds(b, "t")) \
	X(qd_param_buffer(b, "t", QD_TYPE_U32, QD_ACCESS_IN)) \
	X(qd_param_scalar(b, "t", QD_TYPE_U32)) X(qd_template(b, "t", 1, 1)) \
	X(qd_template_value(b, 1)) X(qd_template_arg(b, x)) X(qd_require(b, x, "t")) \
	X(qd_assert(b, x, "t")) X(qd_print(b, "t", &x, 1)) \
	X(qd_bool(b, true)) X(qd_i32(b, 1)) X(qd_u32(b, 1)) X(qd_i64(b, 1)) X(qd_u64(b, 1)) \
	X(qd_f32(b, 1)) X(qd_f64(b, 1)) X(qd_const_bits(b, QD_TYPE_U32, 1)) \
	X(qd_add(b, x, x)) X(qd_sub(b, x, x)) X(qd_mul(b, x, x)) X(qd_div(b, x, x)) \
	X(qd_rem(b, x, x)) X(qd_min(b, x, x)) X(qd_max(b, x, x)) X(qd_mulhi(b, x, x)) \
	X(qd_floordiv(b, x, x)) X(qd_floormod(b, x, x)) X(qd_neg(b, x)) X(qd_abs(b, x)) \
	X(qd_clamp(b, x, x, x)) X(qd_fma(b, x, x, x)) X(qd_sqrt(b, x)) X(qd_floor(b, x)) \
	X(qd_ceil(b, x)) X(qd_trunc(b, x)) X(qd_round(b, x)) X(qd_exp(b, x)) X(qd_log(b, x)) \
	X(qd_sin(b, x)) X(qd_cos(b, x)) X(qd_pow(b, x, x)) X(qd_and(b, x, x)) \
	X(qd_or(b, x, x)) X(qd_xor(b, x, x)) X(qd_not(b, x)) X(qd_shl(b, x, x)) \
	X(qd_shr(b, x, x)) X(qd_popcount(b, x)) X(qd_clz(b, x)) X(qd_ffs(b, x)) \
	X(qd_brev(b, x)) X(qd_eq(b, x, x)) X(qd_ne(b, x, x)) X(qd_lt(b, x, x)) \
	X(qd_le(b, x, x)) X(qd_gt(b, x, x)) X(qd_ge(b, x, x)) X(qd_isnan(b, x)) \
	X(qd_isinf(b, x)) X(qd_sign(b, x)) X(qd_copysign(b, x, x)) X(qd_mix(b, x, x, x)) \
	X(qd_step(b, x, x)) X(qd_fract(b, x)) X(qd_abs_diff(b, x, x)) X(qd_add_sat(b, x, x)) \
	X(qd_sub_sat(b, x, x)) X(qd_average_floor(b, x, x)) X(qd_average_ceil(b, x, x)) \
	X(qd_mul_wide(b, x, x)) X(qd_rotl(b, x, x)) X(qd_rotr(b, x, x)) X(qd_ctz(b, x)) \
	X(qd_funnel_left(b, x, x, x)) X(qd_funnel_right(b, x, x, x)) \
	X(qd_extract_bits(b, x, x, x)) X(qd_insert_bits(b, x, x, x, x)) \
	X(qd_byte_permute(b, x, x, x)) X(qd_dot4_i8(b, x, x, x)) X(qd_dot4_u8(b, x, x, x)) \
	X(qd_dot4_i8u8(b, x, x, x)) X(qd_pack4_i8(b, x, x, x, x)) X(qd_pack4_u8(b, x, x, x, x)) \
	X(qd_unpack_i8(b, x, x)) X(qd_unpack_u8(b, x, x)) X(qd_select(b, x, x, x)) X(qd_cast(b, QD_TYPE_U32, x)) \
	X(qd_bitcast(b, QD_TYPE_U32, x)) X(qd_var(b, x)) X(qd_get(b, var)) \
	X(qd_set(b, var, x)) X(qd_if(b, x)) X(qd_else(b)) X(qd_loop(b)) X(qd_break(b)) \
	X(qd_break_if(b, x)) X(qd_continue(b)) X(qd_scope(b)) X(qd_leave(b, 1)) \
	X(qd_leave_if(b, 1, x)) X(qd_end(b)) X(qd_len(b, a)) X(qd_load(b, a, x)) \
	X(qd_load_else(b, a, x, x)) X(qd_load_wide(b, a, x, 2, words)) X(qd_load_wide_else(b, a, x, x, 2, words)) \
	X(qd_store_wide(b, a, x, words, 2)) X(qd_store(b, a, x, x)) X(qd_grid(b, x)) \
	X(qd_block_idx(b)) X(qd_block_dim(b)) X(qd_grid_dim(b)) X(qd_block_thread_idx(b)) \
	X(qd_block_thread_idx_axis(b, 1)) X(qd_block_global_thread_idx(b)) \
	X(qd_subgroup_id(b)) X(qd_subgroup_count(b)) X(qd_subgroup_invocation_id(b)) \
	X(qd_subgroup_group_size(b)) X(qd_subgroup_log2_group_size(b)) \
	X(qd_subgroup_tile_lane(b, 1)) X(qd_subgroup_elect(b)) \
	X(qd_subgroup_shuffle(b, x, x)) X(qd_subgroup_shuffle_xor(b, x, x)) \
	X(qd_subgroup_shuffle_up(b, x, x)) X(qd_subgroup_shuffle_down(b, x, x)) \
	X(qd_subgroup_broadcast(b, x, x)) X(qd_subgroup_ballot_first_n(b, x, 1)) \
	MASKS(X, eq) MASKS(X, ge) MASKS(X, gt) MASKS(X, le) MASKS(X, lt) \
	X(qd_subgroup_ballot(b, x)) X(qd_subgroup_ballot128(b, x, words)) \
	WHOLE_AND_TILED(X, all_true) WHOLE_AND_TILED(X, any_true) WHOLE_AND_TILED(X, all_equal) \
	TOTALS(X, reduce) TOTALS(X, reduce_all) TOTALS(X, inclusive) TOTALS(X, exclusive) \
	SEGMENTED(X, add) SEGMENTED(X, min) SEGMENTED(X, max) \
	X(qd_shared(b, "s", QD_TYPE_U32, 1)) X(qd_table(b, "t", QD_TYPE_U32, "one", 1)) X(qd_for(b, x, x)) X(qd_while(b, x)) \
	X(qd_atomic_load(b, a, x, QD_SCOPE_DEVICE, QD_ORDER_RELAXED)) \
	X(qd_atomic_store(b, a, x, x, QD_SCOPE_DEVICE, QD_ORDER_RELAXED)) \
	ATOMIC(X, add) ATOMIC(X, sub) ATOMIC(X, min) ATOMIC(X, max) ATOMIC(X, and) ATOMIC(X, or) \
	ATOMIC(X, xor) ATOMIC(X, exchange) \
	X(qd_atomic_cas(b, a, x, x, x, QD_SCOPE_DEVICE, QD_ORDER_RELAXED)) \
	X(qd_block_sync(b)) X(qd_subgroup_sync(b)) X(qd_subgroup_mem_fence(b, QD_ORDER_ACQ_REL)) \
	X(qd_block_mem_fence(b, QD_ORDER_ACQ_REL)) \
	X(qd_grid_mem_fence(b, QD_SCOPE_DEVICE, QD_ORDER_ACQ_REL)) \
	X(qd_subgroup_barrier(b)) X(qd_subgroup_memory_barrier(b, QD_ORDER_ACQ_REL)) \
	X(qd_subgroup_ballot_full_subgroup(b, x)) X(qd_block_mem_sync(b, QD_ORDER_ACQ_REL)) \
	X(qd_grid_memfence(b, QD_SCOPE_DEVICE, QD_ORDER_ACQ_REL)) \
	X(qd_nvvm_match_any(b, x, x)) X(qd_nvvm_match_all(b, x, x, words)) \
	X(qd_nvvm_p2r(b, words, 1)) X(qd_nvvm_r2p(b, x, x)) X(qd_nvvm_syncwarp(b, x)) \
	X(qd_nvvm_cp_async(b, a, x, a, x, 1)) X(qd_nvvm_cp_async_commit_group(b)) \
	X(qd_nvvm_cp_async_wait_group(b, 0)) X(qd_nvvm_cp_async_wait_all(b)) \
	X(qd_nvvm_nanosleep(b, x)) X(qd_nvvm_vote_all(b, x, x)) X(qd_nvvm_vote_any(b, x, x)) X(qd_nvvm_vote_uni(b, x, x)) \
	X(qd_nvvm_vote_ballot(b, x, x)) X(qd_nvvm_activemask(b)) X(qd_nvvm_elect(b, x)) \
	X(qd_nvvm_lanemask_eq(b)) X(qd_nvvm_lanemask_ge(b)) X(qd_nvvm_lanemask_gt(b)) \
	X(qd_nvvm_lanemask_le(b)) X(qd_nvvm_lanemask_lt(b)) \
	X(qd_nvvm_shfl_up(b, x, x, x, 32)) X(qd_nvvm_shfl_up_p(b, x, x, x, 32, words)) \
	X(qd_nvvm_shfl_down(b, x, x, x, 32)) X(qd_nvvm_shfl_down_p(b, x, x, x, 32, words)) \
	X(qd_nvvm_shfl_bfly(b, x, x, x, 32)) X(qd_nvvm_shfl_bfly_p(b, x, x, x, 32, words)) \
	X(qd_nvvm_shfl_idx(b, x, x, x, 32)) X(qd_nvvm_shfl_idx_p(b, x, x, x, 32, words)) \
	X(qd_nvvm_redux_add(b, x, x)) X(qd_nvvm_redux_min(b, x, x)) X(qd_nvvm_redux_max(b, x, x)) \
	X(qd_nvvm_redux_and(b, x, x)) X(qd_nvvm_redux_or(b, x, x)) X(qd_nvvm_redux_xor(b, x, x)) \
	X(qd_subgroup_bitonic_sort_kv(b, x, x, words)) \
	X(qd_subgroup_bitonic_sort_kv_tiled(b, x, x, 1, words)) \
	X(qd_subgroup_reduce(b, v, v, 1, 1, combine, NULL)) \
	X(qd_subgroup_inclusive_scan(b, v, v, 1, 1, combine, NULL)) \
	X(qd_subgroup_exclusive_scan(b, v, v, v, 1, 1, combine, NULL)) \
	X(qd_block_sync_all_nonzero(b, x)) X(qd_block_sync_any_nonzero(b, x)) \
	X(qd_block_sync_count_nonzero(b, x)) X(qd_block_broadcast(b, x, x)) \
	X(qd_block_shuffle(b, x, x)) OF_BLOCK(X, reduce) OF_BLOCK(X, reduce_all) \
	OF_BLOCK(X, inclusive) OF_BLOCK(X, exclusive) \
	X(qd_block_bitonic_sort_kv(b, x, x, words)) \
	X(qd_block_radix_rank_match_atomic_or(b, x, 4, 0, 4, a, a)) \
	X(qd_block_radix_rank_match_atomic_or_keys(b, words, words, 1, 4, 0, 4, a, a)) \
	X(qd_block_reduce(b, v, v, 1, combine, NULL)) \
	X(qd_block_reduce_all(b, v, v, 1, combine, NULL)) \
	X(qd_block_inclusive_scan(b, v, v, 1, combine, NULL)) \
	X(qd_block_exclusive_scan(b, v, v, v, 1, combine, NULL))
/* clang-format on */

static void
use_builder(struct world *w)
{
	struct qd_builder *b = w->builder;
	struct qd_val x = { 1 }, v[1] = { x }, words[4];
	struct qd_var var = { 1 };
	struct qd_array a = { 1 };
	uint32_t one = 1;
	struct qd_kernel *k = NULL;
#define CALL(call)                                                                                 \
	b->failed = QD_OK;                                                                         \
	(void)(call);                                                                              \
	require(b->failed == QD_E_FORKED);
	BUILDER_CALLS(CALL)
#undef CALL
	b->failed = QD_OK;
	REFUSED(qd_builder_finish(b, &k, &w->e));
	qd_builder_free(b);
}

static void
use_code(struct world *w)
{
	struct qd_builder *b = NULL;
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *img = NULL;
	struct qd_cache_stats stats;
	struct qd_param_info param;
	struct qd_tmpl_info tmpl;
	struct qd_fatbin *fatbin = NULL;
	struct qd_fatbin_entry entry;
	char out[64];
	size_t len;
	REFUSED(qd_context_trim(w->o.ctx, &w->e));
	qd_cache_stats(w->o.ctx, &stats);
	require(stats.misses == 0);
	REFUSED(qd_builder_create(w->o.ctx, "k", &b, &w->e));
	require(strcmp(qd_kernel_name(w->o.kernel), "scale") == 0);
	REFUSED(qd_kernel_print(w->o.kernel, out, sizeof out, &len, &w->e));
	REFUSED(qd_kernel_read(w->o.ctx, "kernel", 6, "t.ir", &k, &w->e));
	require(qd_kernel_param_count(w->o.kernel) == 2);
	require(qd_kernel_param(w->o.kernel, 0, &param, &w->e) == QD_OK && param.is_buffer);
	REFUSED(qd_module_parse(w->o.ctx, text, sizeof text - 1, "t.qdk", &m, &w->e));
	require(qd_module_kernel_count(w->o.module) == 1);
	require(strcmp(qd_module_kernel_name(w->o.module, 0), "scale") == 0);
	REFUSED(qd_module_kernel(w->o.module, "scale", NULL, 0, &k, &w->e));
	require(qd_module_tmpl_count(w->o.module, 0) == 1);
	require(qd_module_tmpl(w->o.module, 0, 0, &tmpl, &w->e) == QD_OK && tmpl.hi == 3);
	REFUSED(qd_compile(w->o.ctx, w->o.kernel, "spirv", NULL, 0, &img, &w->e));
	require(qd_image_data(w->o.image, &len) && len > 20);
	require(strcmp(qd_image_target(w->o.image), "spirv:w8") == 0);
	require(qd_image_subgroup_size(w->o.image) == 8);
	REFUSED(qd_image_save(w->o.image, NULL, 0, &len, &w->e));
	REFUSED(qd_image_from_object(w->o.ctx, w->o.saved, w->o.saved_size, NULL, NULL, NULL, &img, &w->e));
	REFUSED(qd_image_load(w->o.ctx, w->o.saved, w->o.saved_size, &img, &w->e));
	REFUSED(qd_fatbin_open(w->o.ctx, w->o.saved, w->o.saved_size, NULL, &fatbin, &w->e));
	REFUSED(qd_fatbin_open_file(w->o.ctx, "/nowhere", &fatbin, &w->e));
	require(qd_fatbin_count(w->o.fatbin) == 1);
	require(qd_fatbin_entry(w->o.fatbin, 0, &entry, &w->e) == QD_OK &&
		strcmp(entry.kernel, "scale") == 0);
	REFUSED(qd_fatbin_image(w->o.fatbin, 0, &img, &w->e));
	REFUSED(qd_fatbin_kernel(w->o.fatbin, 0, &k, &w->e));
}

static void
use_device(struct world *w)
{
	struct qd_device_info info;
	struct qd_device *dev = NULL;
	struct qd_function *fn = NULL;
	struct qd_function_info fn_info;
	struct qd_buffer *buf = NULL;
	struct qd_stream *s = NULL;
	struct qd_event *event = NULL;
	struct qd_arg a[] = { qd_arg_buffer(w->o.buf), qd_arg_u32(3) };
	uint32_t word = 0, n;
	uint64_t ns;
	bool done;
	void *host;
	REFUSED(qd_device_list(w->o.ctx, &info, 1, &n, &w->e));
	REFUSED(qd_device_open(w->o.ctx, "ref:8", &dev, &w->e));
	REFUSED(qd_device_open(w->o.ctx, "vulkan", &dev, &w->e));
	require(qd_device_info(w->o.dev, &info, &w->e) == QD_OK && info.subgroup_size == 8);
	require(strcmp(qd_device_target(w->o.dev), "ref:w8") == 0);
	REFUSED(qd_function_get(w->o.dev, w->o.kernel, NULL, 0, &fn, &w->e));
	require(qd_function_info(w->o.fn, &fn_info, &w->e) == QD_OK && fn_info.block_dim == 8);
	REFUSED(qd_buffer_create(w->o.dev, 4, 0, &buf, &w->e));
	REFUSED(qd_buffer_slice(w->o.buf, 0, 4, &buf, &w->e));
	require(qd_buffer_size(w->o.buf) == 64);
	REFUSED(qd_buffer_map(w->o.buf, &host, &w->e));
	REFUSED(qd_stream_create(w->o.dev, &s, &w->e));
	REFUSED(qd_stream_sync(w->o.stream, &w->e));
	REFUSED(qd_stream_flush(w->o.stream, &w->e));
	REFUSED(qd_stream_sync_for(w->o.stream, 1, &done, &w->e));
	REFUSED(qd_stream_query(w->o.stream, &done, &w->e));
	REFUSED(qd_buffer_upload(w->o.stream, w->o.buf, 0, &word, 4, &w->e));
	REFUSED(qd_buffer_upload_async(w->o.stream, w->o.buf, 0, &word, 4, &w->e));
	REFUSED(qd_buffer_download(w->o.stream, w->o.buf, 0, &word, 4, &w->e));
	REFUSED(qd_buffer_download_async(w->o.stream, w->o.buf, 0, &word, 4, &w->e));
	REFUSED(qd_buffer_copy(w->o.stream, w->o.buf, 0, w->o.buf, 8, 4, &w->e));
	REFUSED(qd_buffer_fill(w->o.stream, w->o.buf, 0, 4, &word, 4, &w->e));
	REFUSED(qd_event_create(w->o.dev, &event, &w->e));
	REFUSED(qd_event_record(w->o.stream, w->o.event, &w->e));
	REFUSED(qd_event_sync(w->o.event, QD_FOREVER, NULL, &w->e));
	REFUSED(qd_event_query(w->o.event, &done, &w->e));
	REFUSED(qd_event_elapsed(w->o.event, w->o.event, &ns, &w->e));
	REFUSED(qd_stream_wait(w->o.stream, w->o.event, &w->e));
	REFUSED(qd_launch(w->o.stream, w->o.fn, QD_GRID, a, 2, &w->e));
	REFUSED(qd_function_load(w->o.dev, w->o.image, &fn, &w->e));
	REFUSED(qd_fatbin_function(w->o.dev, w->o.fatbin, "scale", NULL, 0, &fn, &w->e));
	REFUSED(qd_run(w->o.dev, text, sizeof text - 1, NULL, NULL, NULL, 0, QD_GRID, a, 2, &w->e));
}

static bool
make(struct world *w)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .log = on_log, .log_user = w };
	struct qd_tmpl l = { .name = "L", .value = 1 };
	memset(w, 0, sizeof *w);
	pthread_mutex_init(&w->log_lock, NULL);
	qd_status st = unit_things_make(&w->o, &desc, text, "scale", "spirv:w8", &l, 1, &w->e);
	st = st ? st : qd_builder_create(w->o.ctx, "built", &w->builder, &w->e);
	return st == QD_OK;
}

static void
child(struct world *old, bool list)
{
	static struct world w;
	struct qd_device_info info;
	uint32_t data[16], got[16], n;
	alarm(SECONDS);
	use_code(old);
	use_device(old);
	use_builder(old);
	unit_things_free(&old->o);
	/* a new context must not contain state of the parent's */
	require(make(&w));
	for (uint32_t i = 0; i < 16; i++)
		data[i] = i + 1;
	struct qd_arg a[] = { qd_arg_buffer(w.o.buf), qd_arg_u32(7) };
	require(!qd_buffer_upload(w.o.stream, w.o.buf, 0, data, sizeof data, &w.e) &&
		!qd_launch(w.o.stream, w.o.fn, QD_GRID, a, 2, &w.e) &&
		!qd_buffer_download_async(w.o.stream, w.o.buf, 0, got, sizeof got, &w.e) &&
		!qd_stream_sync(w.o.stream, &w.e));
	for (uint32_t i = 0; i < 16; i++)
		require(got[i] == 7 * (i + 1));
	require(round_trip(&w, 5, &w.e) == QD_OK);
	/* drivers may be unavailable, each with its reason */
	require(!list || qd_device_list(w.o.ctx, &info, 1, &n, &w.e) == QD_OK);
	qd_builder_free(w.builder);
	unit_things_free(&w.o);
	_exit(0);
}

static void
forks(struct unit_ctx *t)
{
#ifdef SANITIZED
	unit_skip(t, "a sanitizer's own locks do not survive a fork of a threaded process");
	return;
#endif
	static struct world w;
	pthread_t thread[THREADS];
	bool ok = make(&w);
	UNIT_CHECK(t, ok, "%s", w.e.text);
	for (int i = 0; i < THREADS && ok; i++)
		if (pthread_create(&thread[i], NULL, work, &w))
			abort();
	int n = getenv("QD_TEST_SOME") ? SOME_FORKS : FORKS;
	for (int i = 0; i < n && ok && !t->n_failed; i++) {
		int status = -1;
		pid_t pid = fork();
		if (pid == 0)
			child(&w, i < 10 || i % 20 == 0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			abort();
		UNIT_CHECK(t, WIFEXITED(status) && WEXITSTATUS(status) == 0,
			   "fork %d: %s %d", i, WIFEXITED(status) ? "step" : "signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	}
	atomic_store(&w.stop, true);
	for (int i = 0; i < THREADS && ok; i++)
		pthread_join(thread[i], NULL);
	UNIT_CHECK(t, atomic_load(&w.n_bad) == 0 && atomic_load(&w.n_rounds) > 0 && w.n_logged > 0,
		   "%u of %u rounds failed", atomic_load(&w.n_bad), atomic_load(&w.n_rounds));
	/* the forks have not affected the parent */
	UNIT_CHECK(t, round_trip(&w, 3, &w.e) == QD_OK, "%s", w.e.text);
	qd_builder_free(w.builder);
	unit_things_free(&w.o);
}

const struct unit units_fork[] = {
	{ "fork.threads", forks },
};
const unsigned n_units_fork = QD_COUNT(units_fork);
