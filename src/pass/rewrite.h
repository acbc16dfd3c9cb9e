/* Writing a body while reading another: map from old values to new ones, and
 * short names for what passes and expansions append. */
#ifndef QD_PASS_REWRITE_H
#define QD_PASS_REWRITE_H

#include "pass.h"

struct rw {
	struct pass_ctx *p;
	const struct ir *in;
	struct ir *out;
	uint32_t *map; /* old value to new; 0 until defined */
	uint32_t pos;  /* position for what is appended */
	bool nomem, too_deep;
	/* Open constructs of out, for partners. */
	uint32_t open[2 * MAX_NEST + 8], n_open;
	uint32_t n_region;     /* of those, regions */
	uint32_t consts[16];   /* constants outside control flow, to be found again */
	uint32_t argword_base; /* index of the first tail word in the argument block */
	struct ins spare;      /* where a draft goes when memory is out */
};

qd_status rw_begin(struct rw *w, struct pass_ctx *p, const struct ir *in, struct ir *out);
qd_status rw_end(struct rw *w);

/* Appends; returns the value.  rw_ins maps nothing: operands are new values.
 * It keeps partners (x of if, else, loop, end) right. */
uint32_t rw_ins(struct rw *w, struct ins ins);
/* Copies old instruction i with its operands mapped, and maps i to the copy. */
uint32_t rw_copy(struct rw *w, uint32_t i);

/* Which operands of this operation are values, as a bit mask over a, b, c. */
extern const uint8_t op_value_operands[N_OP];
static inline uint32_t
ir_value_operands(const struct ins *i)
{
	return op_value_operands[i->op];
}

static inline qd_type
rw_type(const struct rw *w, uint32_t v)
{
	return w->out->ins[v].type;
}
static inline uint32_t
rw_op(struct rw *w, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	return rw_ins(w, (struct ins){ .op = (uint16_t)op, .type = (uint8_t)type, .a = a, .b = b,
				       .c = c });
}
/* Operand and result of one type. */
static inline uint32_t
rw_bin(struct rw *w, enum op op, uint32_t a, uint32_t b)
{
	return rw_op(w, op, rw_type(w, a), a, b, 0);
}
static inline uint32_t
rw_un(struct rw *w, enum op op, uint32_t a)
{
	return rw_op(w, op, rw_type(w, a), a, 0, 0);
}
static inline uint32_t
rw_cmp(struct rw *w, enum op op, uint32_t a, uint32_t b)
{
	return rw_op(w, op, QD_TYPE_BOOL, a, b, 0);
}
static inline uint32_t
rw_select(struct rw *w, uint32_t c, uint32_t a, uint32_t b)
{
	return rw_op(w, OP_SELECT, rw_type(w, a), c, a, b);
}
uint32_t rw_const(struct rw *w, qd_type type, uint64_t bits);
static inline uint32_t
rw_u32(struct rw *w, uint32_t v)
{
	return rw_const(w, QD_TYPE_U32, v);
}
/* Same bits in another type of the width; nothing where it has it already. */
uint32_t rw_bitcast(struct rw *w, qd_type to, uint32_t v);
uint32_t rw_cvt(struct rw *w, qd_type to, uint32_t v);
uint32_t rw_lane_u32(struct rw *w);
uint32_t rw_var(struct rw *w, uint32_t init);
uint32_t rw_get(struct rw *w, uint32_t var);
void rw_set(struct rw *w, uint32_t var, uint32_t v);
void rw_if(struct rw *w, uint32_t cond);
void rw_else(struct rw *w);
void rw_loop(struct rw *w);
void rw_end_block(struct rw *w);
/* Is v a constant of out?  Its bits. */
bool rw_is_const(const struct rw *w, uint32_t v, uint64_t *bits);
/* What a per-lane operation on constants of out computes; false where it is no
 * such operation or an operand is not constant.  Operands are new values. */
bool rw_eval(const struct rw *w, const struct ins *ins, uint64_t *bits);

/* Old instruction i with its operands mapped, for a pass that may change it;
 * later values stand at its position.  It is no part of out before rw_commit,
 * and the next append or draft takes its place. */
struct ins *rw_draft(struct rw *w, uint32_t i);
static inline uint32_t
rw_commit(struct rw *w)
{
	struct ir *o = w->out;

	if (QD_UNLIKELY(w->nomem))
		return 0;
	o->pos[o->n] = w->pos;
	return o->n++;
}

#endif
