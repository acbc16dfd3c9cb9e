/* Surplus threads become absent.
 *
 * Where block_dim is no multiple of the subgroup size, the hardware block is
 * rounded up to whole subgroups.  The surplus threads run the code, but they
 * store nothing, read nothing that is not guarded, count in no ballot, and
 * reductions skip them: their operand becomes what the operation skips exactly
 * (-0.0 in a float sum, NaN in a float minimum or maximum).  A generic reduction
 * has no such value and is marked AUX_PARTIAL for legalise.
 *
 * Scans need nothing: absent lanes stand above all present ones, and a scan
 * looks downward only.
 *
 * Takes and gives specialised IR.  Costs one comparison per kernel and one
 * select or and per store, ballot and reduction; not run where block_dim is a
 * multiple. */
#include "rewrite.h"

#include <assert.h>

/* What op on this type skips, bit for bit. */
static uint64_t
skipped(enum op op, qd_type type)
{
	const struct type_info *t = &type_info[type];
	uint64_t top = UINT64_C(1) << (type_bits(type) - 1), ones = top | (top - 1);

	if (t->is_float) {
		if (op == OP_REDUCE_ADD)
			return top; /* -0.0 */
		return type == QD_TYPE_F64 ? UINT64_C(0x7ff8) << 48 : UINT32_C(0x7fc00000);
	}
	switch (op) {
	case OP_REDUCE_MIN: return t->is_signed ? top - 1 : ones;
	case OP_REDUCE_MAX: return t->is_signed ? top : 0;
	default: assert(op == OP_REDUCE_ADD); return 0;
	}
}

static uint32_t
both(struct rw *w, uint32_t condition, uint32_t present)
{
	return condition ? rw_bin(w, OP_AND, condition, present) : present;
}

qd_status
pass_partial(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct rw w;

	QD_TRY(rw_begin(&w, p, in, out));
	uint32_t thread = rw_op(&w, OP_THREAD_IDX, QD_TYPE_I32, 0, 0, 0);
	uint32_t present = rw_cmp(&w, OP_LT, thread, rw_const(&w, QD_TYPE_I32, p->k->block_dim));

	for (uint32_t i = 1; i < in->n; i++) {
		enum op op = (enum op)in->ins[i].op;
		uint32_t v;

		switch (op) {
		case OP_LOAD:
			if (in->ins[i].aux & AUX_GUARD) {
				rw_copy(&w, i);
				break;
			}
			/* fall through */
		case OP_STORE:
			v = both(&w, w.map[in->ins[i].c], present);
			rw_draft(&w, i)->c = v;
			w.map[i] = rw_commit(&w);
			break;
		case OP_BALLOT_FIRST_N:
			v = both(&w, w.map[in->ins[i].a], present);
			rw_draft(&w, i)->a = v;
			w.map[i] = rw_commit(&w);
			break;
		case OP_REDUCE_ADD:
		case OP_REDUCE_MIN:
		case OP_REDUCE_MAX:
			v = rw_const(&w, in->ins[i].type, skipped(op, in->ins[i].type));
			v = rw_select(&w, present, w.map[in->ins[i].a], v);
			rw_draft(&w, i)->a = v;
			w.map[i] = rw_commit(&w);
			break;
		case OP_REDUCE:
			rw_draft(&w, i)->aux |= AUX_PARTIAL;
			w.map[i] = rw_commit(&w);
			break;
		default: rw_copy(&w, i);
		}
	}
	return rw_end(&w);
}
