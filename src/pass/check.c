/* The uniformity rules on a kernel that no target is chosen for yet.
 *
 * What is uniform only for some subgroup size counts as uniform here (a tile may
 * be the whole subgroup), so that every error is one on every target; the rest
 * is found when the kernel is compiled.  Scratch comes from the context's pool
 * and goes back.  One walk. */
#include "uniform.h"

qd_status
pass_check_kernel(const struct qd_kernel *k, struct qd_error *err)
{
	struct arena mem;

	if (k->assume_uniform)
		return QD_OK;
	arena_init(&mem, &k->ctx->pool);
	struct uniform u = {
		.k = k, .ir = &k->ir, .mem = &mem, .err = err, .log2_size = LOG2_FULL, .check = true
	};
	qd_status st = uniform_run(&u);
	arena_fini(&mem);
	return st;
}
