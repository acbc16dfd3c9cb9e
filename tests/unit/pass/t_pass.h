/* Test fixture of the passes: a kernel on a test target. */
#ifndef T_PASS_H
#define T_PASS_H

#include "unit.h"

#include <stdio.h>

#include "build.h"
#include "rewrite.h"

struct fx {
	struct unit_ctx *t;
	struct qd_context *ctx;
	struct qd_builder *b;
	struct qd_kernel *k;
	struct machine m; /* 8 lanes, everything native */
	struct arena mem;
	struct qd_error err;
	struct pass_ctx p;
	struct qd_array src, dst;
};

/* Begins a kernel with the parameters src: in f32[] and dst: out f32[], which are calls 1 and 2. */
struct qd_builder *fx_start(struct fx *f, struct unit_ctx *t);
/* Finishes the kernel without the check of uniformity, which the passes repeat. */
bool fx_finish(struct fx *f);
void fx_stop(struct fx *f);
/* Returns true if ir is a valid output of a pass. */
bool fx_right(struct fx *f, struct ir *ir);
/* Specializes the kernel and removes dead code. */
qd_status fx_fold(struct fx *f, const struct ir *in, struct ir *out);
/* Stores v in dst[thread]. */
void fx_put(struct fx *f, struct qd_val v);
qd_operator_fn fx_keep_first;

void fx_wants(struct fx *f, qd_status got, qd_status want, const char *text);
uint32_t fx_count(const struct ir *ir, enum op op);
uint32_t fx_find(const struct ir *ir, enum op op, uint32_t nth); /* 0: none */
bool fx_is_const(const struct ir *ir, uint32_t v, qd_type type, uint64_t bits);

/* A body as text and what a pass turns it into, without dead code; after: NULL if it stays. The
 * kernel has the buffers a (in), b (out) and c of u32. */
struct fx_row {
	const char *name, *before, *after;
};
typedef qd_status fx_pass(struct fx *f, struct ir *in, struct ir *out);
/* Returns whether the pass does so. must: it is checked. */
bool fx_rewrites(struct unit_ctx *t, const struct fx_row *r, fx_pass *pass, bool must);

/* Checks that the pass rewrites each body as its row states. */
void fx_exact(struct unit_ctx *t, const struct fx_row *rows, size_t n, fx_pass *pass);

/* Returns true if the pass rewrites a body in another way, or fails. */
bool fx_fails(struct unit_ctx *t, const struct fx_row *rows, size_t n, fx_pass *pass);

static inline struct qd_val
thread(struct qd_builder *b)
{
	return qd_block_thread_idx(b);
}

/* t_pass_fold.c, t_pass_uniform.c, t_pass_sim.c */
void t_fold_identities(struct unit_ctx *t);
void t_fold_floats(struct unit_ctx *t);
void t_fold_branches(struct unit_ctx *t);
void t_fold_memory_and_locals(struct unit_ctx *t);
void t_fold_regions(struct unit_ctx *t);
void t_uniform_levels(struct unit_ctx *t);
void t_uniform_variables(struct unit_ctx *t);
void t_uniform_errors(struct unit_ctx *t);
void t_uniform_tile(struct unit_ctx *t);
void t_uniform_position(struct unit_ctx *t);
void t_uniform_rounds(struct unit_ctx *t);
void t_uniform_nest(struct unit_ctx *t);
/* t_pass_specialize.c */
void t_tmpl_values(struct unit_ctx *t);
void t_specialize_constants(struct unit_ctx *t);
void t_specialize_tile(struct unit_ctx *t);
void t_specialize_tile_not_constant(struct unit_ctx *t);
void t_specialize_ballot(struct unit_ctx *t);
void t_specialize_lane(struct unit_ctx *t);
void t_specialize_adapts(struct unit_ctx *t);
void t_null_builder(struct unit_ctx *t);
void t_specialize_require(struct unit_ctx *t);
void t_specialize_target(struct unit_ctx *t);
/* t_pass_values.c */
void t_values_exact(struct unit_ctx *t);
void t_values_faults(struct unit_ctx *t);
void t_values_deep(struct unit_ctx *t);
void t_values_interpreter(struct unit_ctx *t);
/* t_pass_number.c */
void t_number_exact(struct unit_ctx *t);
void t_number_collisions(struct unit_ctx *t);
void t_number_repeats(struct unit_ctx *t);
/* t_pass_fact.c */
void t_fact_guards(struct unit_ctx *t);
/* t_pass_range.c */
void t_range_exact(struct unit_ctx *t);
/* t_pass_neighbors.c */
void t_neighbors_exact(struct unit_ctx *t);
/* t_pass_hoist.c */
void t_hoist_exact(struct unit_ctx *t);
void t_hoist_faults(struct unit_ctx *t);
/* t_pass_flatten.c */
void t_flatten_exact(struct unit_ctx *t);
void t_flatten_faults(struct unit_ctx *t);
/* t_pass_schedule.c */
void t_schedule_exact(struct unit_ctx *t);
void t_schedule_faults(struct unit_ctx *t);
/* t_pass_unroll.c */
void t_unroll_exact(struct unit_ctx *t);
void t_unroll_faults(struct unit_ctx *t);
void t_unroll_growth(struct unit_ctx *t);
/* t_pass_quirk.c */
void t_quirk_atomics(struct unit_ctx *t);
void t_quirk_sign(struct unit_ctx *t);
void t_uniform_grid(struct unit_ctx *t);
void t_sim_fold(struct unit_ctx *t);
void t_sim_partial(struct unit_ctx *t);
void t_sim_run(struct unit_ctx *t);
void t_sim_levels(struct unit_ctx *t);
void t_sim_nomem(struct unit_ctx *t);

#endif
