/* Builder calls: deprecated aliases. Each behaves as the new function, keeps its own name in
 * messages, and logs a warning. */
#include "build_call.h"

static QD_COLD void
warn(struct qd_builder *b, const char *name, const char *instead)
{
	if (b && !b->failed)
		diag_warn(b->ctx,
			  (struct diag_at){ .pos = b->pos, .c = diag_place(b->k, b->pos) }, name,
			  DIAG_W0305, name, instead);
}

void
qd_subgroup_barrier(struct qd_builder *b)
{
	build_op(b, "qd_subgroup_barrier", OP_SUBGROUP_SYNC, NULL, 0);
	warn(b, "qd_subgroup_barrier", "qd_subgroup_sync");
}

void
qd_subgroup_memory_barrier(struct qd_builder *b, qd_mem_order order)
{
	build_fence(b, "qd_subgroup_memory_barrier", OP_SUBGROUP_FENCE, QD_SCOPE_SUBGROUP, order);
	warn(b, "qd_subgroup_memory_barrier", "qd_subgroup_mem_fence");
}

struct qd_val
qd_subgroup_ballot_full_subgroup(struct qd_builder *b, struct qd_val predicate)
{
	struct qd_val bits = build_op(b, "qd_subgroup_ballot_full_subgroup", OP_BALLOT, &predicate,
				      QD_FULL);

	warn(b, "qd_subgroup_ballot_full_subgroup", "qd_subgroup_ballot");
	return bits;
}

void
qd_block_mem_sync(struct qd_builder *b, qd_mem_order order)
{
	build_fence(b, "qd_block_mem_sync", OP_BLOCK_FENCE, QD_SCOPE_BLOCK, order);
	warn(b, "qd_block_mem_sync", "qd_block_mem_fence");
}

void
qd_grid_memfence(struct qd_builder *b, qd_mem_scope scope, qd_mem_order order)
{
	build_fence(b, "qd_grid_memfence", OP_GRID_FENCE, scope, order);
	warn(b, "qd_grid_memfence", "qd_grid_mem_fence");
}
