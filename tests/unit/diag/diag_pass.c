/* Diagnostics that need a target: template values, ranges, capabilities. */
#include "diag_case.h"
#include "rewrite.h"

static void
tiled(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_F32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a));
	uint32_t l = qd_template(b, "L", 0, 6);

	qd_store(b, a, i, qd_subgroup_reduce_add_tiled(b, qd_load(b, a, i), l));
}
static void
rank(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_array bins = qd_shared(b, "bins", QD_TYPE_I32, 16);
	struct qd_array below = qd_shared(b, "below", QD_TYPE_I32, 16);
	struct qd_val i = qd_grid(b, qd_len(b, a)), r;
	uint32_t n = qd_template(b, "N", -1, 40);

	r = qd_block_radix_rank_match_atomic_or(b, qd_load(b, a, i), 4, 29, n, bins, below);
	qd_store(b, a, i, qd_bitcast(b, QD_TYPE_U32, r));
}
static void
ballot(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a));
	uint32_t n = qd_template(b, "N", 0, 40);

	qd_store(b, a, i, qd_subgroup_ballot_first_n(b, qd_load(b, a, i), n));
}
static void
lane_40(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a));

	qd_store(b, a, i, qd_subgroup_shuffle(b, qd_load(b, a, i), qd_u32(b, 40)));
}
static void
thread_64(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a)), v = qd_load(b, a, i);

	qd_store(b, a, i, qd_block_broadcast(b, v, qd_u32(b, 64)));
}
static void
active(struct qd_builder *b, struct qd_val n)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a)), v = qd_load(b, a, i);

	qd_block_n_active(b, n);
	qd_store(b, a, i, qd_block_reduce_add(b, v));
}
static void
active_65(struct qd_builder *b)
{
	active(b, qd_u32(b, 65));
}
static void
active_negative(struct qd_builder *b)
{
	active(b, qd_i32(b, -1));
}
static void
sum(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
    struct qd_val *out, uint32_t k)
{
	(void)user, (void)k;
	out[0] = qd_add(b, x[0], y[0]);
}
static void
active_none(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a)), v = qd_load(b, a, i);

	qd_block_n_active(b, qd_u32(b, 0));
	qd_block_inclusive_scan(b, &v, &v, 1, sum, NULL);
	qd_store(b, a, i, v);
}
static void
ballot_of_all(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U64, QD_ACCESS_OUT);
	struct qd_val i = qd_grid(b, qd_len(b, a));

	qd_store(b, a, i, qd_subgroup_ballot(b, qd_lt(b, i, qd_u32(b, 5))));
}
static void
match_of(struct qd_builder *b, uint32_t mask)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_block_global_thread_idx(b);

	qd_store(b, a, i, qd_nvvm_match_any(b, qd_u32(b, mask), qd_load(b, a, i)));
}
static void
match(struct qd_builder *b)
{
	match_of(b, UINT32_MAX);
}
static void
match_few(struct qd_builder *b)
{
	qd_block(b, 72, 1, 1); /* a warp has at least 8 lanes */
	match_of(b, 0x7f);
}
static void
require_size(struct qd_builder *b)
{
	qd_require(b, qd_ge(b, qd_subgroup_group_size(b), qd_u32(b, 64)), "64 lanes");
}
static void
require_lane(struct qd_builder *b)
{
	qd_require(b, qd_eq(b, qd_subgroup_invocation_id(b), qd_u32(b, 0)), "lane 0");
}
static void
doubles(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_F64, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a));

	qd_store(b, a, i, qd_sqrt(b, qd_load(b, a, i)));
}
/* Each construct saves the mask of lanes, because a statement follows its end. */
static void
deep(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_block_thread_idx(b), v = qd_load(b, a, i);
	struct qd_var x = qd_var(b, v);

	for (uint32_t k = 0; k < 60; k++)
		qd_if(b, qd_lt(b, v, qd_u32(b, 100 - k)));
	for (uint32_t k = 0; k < 60; k++) {
		qd_end(b);
		qd_set(b, x, qd_add(b, qd_get(b, x), v));
	}
	qd_store(b, a, i, qd_get(b, x));
}
static void
big_block(struct qd_builder *b)
{
	qd_block(b, 2048, 1, 1);
}
static void
wants_64(struct qd_builder *b)
{
	qd_subgroup_sizes(b, (const uint32_t[]){ 64, 128 }, 2);
}

/* Machine without square roots, which have no expansion. */
static bool
no_sqrt(const struct machine *m, const struct query *q)
{
	(void)m;
	return q->op != OP_SQRT;
}

static qd_status
no_lowering(struct qd_context *ctx, struct qd_error *err)
{
	struct machine m = { .name = "test:w8", .subgroup_size = 8, .log2_size = 3, .lanes = 8, .log2_lanes = 3,
			     .caps = CAP_I64 | CAP_F64, .max_block_dim = 1024, .native = no_sqrt };
	struct arena mem;
	struct pass_ctx p;
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct body out;
	qd_status st = qd_builder_create(ctx, "k", &b, err);

	if (st)
		return st;
	doubles(b);
	if ((st = qd_builder_finish(b, &k, err)))
		return st;
	arena_init(&mem, &ctx->pool);
	pass_ctx_init(&p, k, &m, &mem, err);
	st = pass_run(&p, false, &out);
	arena_fini(&mem);
	qd_kernel_free(k);
	return st;
}

/* Exceeds the nesting depth of rewrites. No kernel does, because the constructs that passes add are
 * fewer than a kernel may nest. */
static qd_status
deep_rewrite(struct qd_context *ctx, struct qd_error *err)
{
	struct machine m = { .name = "test:w8", .subgroup_size = 8, .log2_size = 3, .lanes = 8, .log2_lanes = 3,
			     .max_block_dim = 1024, .native = no_sqrt };
	struct arena mem;
	struct pass_ctx p;
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct ir out;
	struct rw w;
	qd_status st = qd_builder_create(ctx, "k", &b, err);

	if (st)
		return st;
	doubles(b);
	if ((st = qd_builder_finish(b, &k, err)))
		return st;
	arena_init(&mem, &ctx->pool);
	pass_ctx_init(&p, k, &m, &mem, err);
	if (!(st = rw_begin(&w, &p, &k->ir, &out))) {
		for (uint32_t i = 0; i <= 2 * MAX_NEST; i++) {
			w.o.pos = i < 2 * MAX_NEST ? 5 : 6;
			rw_open(&w, OP_BLOCK, 0);
		}
		st = rw_end(&w);
	}
	arena_fini(&mem);
	qd_kernel_free(k);
	return st;
}

#define SPIRV(code, fn, to, text) { .d = DIAG_##code, .build = fn, .target = to, .want = text }
#define TMPL(code, fn, to, name, v, text)                                                          \
	{ .d = DIAG_##code, .build = fn, .target = to, .tmpl = { { name, v, 0 } }, .n_tmpl = 1,    \
	  .want = text }

/* clang-format off */
const struct diag_case diag_cases_pass[] = {	SPIRV(E0201, tiled, "spirv:w32", "kernel 'k': template parameter 'L' has no value; it takes 0..=6 [E0201]"),
	TMPL(E0202, tiled, "spirv:w32", "M", 1, "kernel 'k' has no template parameter 'M' [E0202]"),
	TMPL(E0203, tiled, "spirv:w32", "L", 7, "kernel 'k': L = 7 is outside its range 0..=6 [E0203]"),
	{ .d = DIAG_E0204, .build = tiled, .target = "spirv:w32", .tmpl = { { "L", 0, QD_TYPE_F32 } },
	  .n_tmpl = 1, .want = "kernel 'k': template parameter 'L' is an integer, not a type [E0204]" },
	{ .d = DIAG_E0206, .build = tiled, .target = "spirv:w32", .tmpl = { { "L", 1, 0 }, { "L", 2, 0 } },
	  .n_tmpl = 2, .want = "kernel 'k': template parameter 'L' is given twice [E0206]" },
	TMPL(E0210, tiled, "spirv:w32", "L", 6, "call 6, qd_subgroup_reduce_add_tiled: log2_size 6 needs 64 lanes but target spirv:w32 has 32 [E0210]\nnote: call 4: L = 6 comes from this template range (instantiated for spirv:w32)"),
	TMPL(E0214, rank, "spirv:w32", "N", 5, "call 8, qd_block_radix_rank_match_atomic_or: requirement not met: num_bits is at most radix_bits [E0214]"),
	TMPL(E0214, rank, "spirv:w32", "N", 4, "call 8, qd_block_radix_rank_match_atomic_or: requirement not met: bit_start + num_bits is at most 32 [E0214]"),
	TMPL(E0214, rank, "spirv:w32", "N", -1, "call 8, qd_block_radix_rank_match_atomic_or: requirement not met: num_bits is not negative [E0214]"),
	TMPL(E0212, ballot, "spirv:w32", "N", 33, "call 6, qd_subgroup_ballot_first_n: n = 33 is outside 1..=32 [E0212]\nnote: call 4: N = 33 comes from this template range (instantiated for spirv:w32)"),
	SPIRV(E0228, ballot_of_all, "spirv:w128", "call 6, qd_subgroup_ballot: subgroup.ballot has a bit for each of 64 lanes, but target spirv:w128 has 128: use subgroup.ballot128 [E0228]"),
	SPIRV(E0232, thread_64, "spirv:w32", "call 6, qd_block_broadcast: thread 64 is outside 0..63: the block has 64 threads [E0232]"),
	SPIRV(E0242, active_65, "spirv:w32", "call 7, qd_block_reduce_add: n_active 65 is outside 0..=64: the block has 64 threads [E0242]"),
	SPIRV(E0242, active_negative, "spirv:w32", "call 7, qd_block_reduce_add: n_active 4294967295 is outside 0..=64: the block has 64 threads [E0242]"),
	SPIRV(E0243, active_none, "spirv:w32", "call 7, qd_block_inclusive_scan: n_active is 0: 'block.inclusive_scan' of no values has no result [E0243]"),
	SPIRV(E0213, lane_40, "spirv:w32", "call 6, qd_subgroup_shuffle: lane 40 is outside 0..31: target spirv:w32 has 32 lanes [E0213]"),
	SPIRV(E0214, require_size, "spirv:w32", "call 4, qd_require: requirement not met: 64 lanes [E0214]"),
	SPIRV(E0215, require_lane, "spirv:w32", "call 4, qd_require: a requirement must be constant when the kernel is compiled [E0215]"),
	{ .d = DIAG_E0315, .custom = deep_rewrite, .want = "call 5, qd_sqrt: control flow is nested deeper than 4096 [E0315]" },
	SPIRV(E0501, doubles, "spirv:w32:-f64", "call 4, qd_load: target spirv:w32:-f64 has no 64-bit floats, which load needs [E0501]"),
	{ .d = DIAG_E0502, .custom = no_lowering, .want = "call 5, qd_sqrt: no lowering of sqrt on f64 for target test:w8 [E0502]" },
	SPIRV(E0403, match_few, "ptx:sm_70", "call 6, qd_nvvm_match_any: nvvm.match_any: the mask 0x0000007f does not include lane 7, which executes it [E0403]\nhelp: 0xffffffff includes all active lanes"),
	SPIRV(E0403, match_few, "spirv:w64", "call 6, qd_nvvm_match_any: nvvm.match_any: the mask 0x0000007f does not include lane 7, which executes it [E0403]\nhelp: 0xffffffff includes all active lanes"),
	SPIRV(E0507, deep, "gfx906", "call 154, qd_if: it needs more scalar registers than the 102 that a wave has on gfx906 [E0507]"),
	SPIRV(E0506, match, "spirv:w16", "call 5, qd_nvvm_match_any: nvvm.match_any works on warps of 32 lanes, but the subgroups of target spirv:w16 have 16 [E0506]\nhelp: call qd_subgroup_sizes with 32: smaller hardware subgroups are then combined into subgroups of 32"),
	SPIRV(E0503, big_block, "spirv:w32", "call 1, qd_block: block of 2048 threads, but target spirv:w32 runs 1024 at most; use a smaller block [E0503]"),
	SPIRV(E0504, wants_64, "spirv:w32:b32", "call 1, qd_subgroup_sizes: the kernel accepts subgroup sizes 64, 128; spirv:w32:b32 has 32 [E0504]"),
};
/* clang-format on */
const unsigned n_diag_cases_pass = QD_COUNT(diag_cases_pass);
