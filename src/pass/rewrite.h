/* Output of a body while reading another: a map from old values to new ones, and short names for
 * the operations that passes append. */
#ifndef QD_PASS_REWRITE_H
#define QD_PASS_REWRITE_H

#include "pass.h"

struct rw {
	struct pass_ctx *p;
	const struct ir *in;
	struct appender o;
	uint32_t *map; /* old value or construct to new; 0: not defined yet, or removed */
	bool fold;     /* the old body was not folded when it was written */
};

qd_status rw_begin(struct rw *w, struct pass_ctx *p, const struct ir *in, struct ir *out);
qd_status rw_end(struct rw *w);

/* Skips dead code from i on. Returns the end or else of the innermost construct that is open in
 * `out`. A construct that was replaced by its contents has no value in `out`; its else and end
 * are dead too. */
uint32_t rw_skip_dead(const struct rw *w, uint32_t i);
/* Replaces an `if` on a constant by one of its sides. Returns the next instruction of the input to visit
 * after control-flow instruction i, if i is such an if, its else or its end; else 0. */
uint32_t rw_fold_if(struct rw *w, uint32_t i);
/* Returns old instruction i with its operands mapped. Later appends get its position. */
struct ins rw_draft(struct rw *w, uint32_t i);
/* Appends rw_draft(w, i) and maps i to it. */
static inline uint32_t
rw_copy(struct rw *w, uint32_t i)
{
	return w->map[i] = append(&w->o, rw_draft(w, i));
}
/* Appends per-lane operation i on new values a, b, c, without folding. The caller checks
 * rw_has_room. */
static inline struct ins *
rw_move(struct rw *w, uint32_t i, uint32_t a, uint32_t b, uint32_t c)
{
	struct ir *out = w->o.ir;
	struct ins *to = &out->ins[out->n];

	*to = w->in->ins[i];
	to->a = a;
	to->b = b;
	to->c = c;
	out->pos[out->n] = w->in->pos[i];
	w->map[i] = out->n++;
	return to;
}
static inline bool
rw_has_room(const struct rw *w)
{
	return QD_LIKELY(w->o.ir->n != w->o.ir->cap);
}
/* Copies a per-lane operation. It is folded again only if an operand has become another
 * operation since the input was written. */
static inline void
rw_copy_alu(struct rw *w, uint32_t i)
{
	const struct ins *old = w->in->ins, *now = w->o.ir->ins, *s = &old[i];
	const uint32_t a = w->map[s->a], b = w->map[s->b], c = w->map[s->c];

	if (QD_UNLIKELY(w->fold || old[s->a].op != now[a].op || old[s->b].op != now[b].op ||
			old[s->c].op != now[c].op || !rw_has_room(w)))
		rw_copy(w, i);
	else
		rw_move(w, i, a, b, c);
}
static inline qd_type
rw_type(const struct rw *w, uint32_t v)
{
	return (qd_type)w->o.ir->ins[v].type;
}
static inline uint32_t
rw_ins(struct rw *w, struct ins ins)
{
	return append(&w->o, ins);
}
static inline uint32_t
rw_op(struct rw *w, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	struct ins ins = { .op = (uint8_t)op, .type = (uint8_t)type, .a = a, .b = b, .c = c };

	return append(&w->o, ins);
}
static inline uint32_t
rw_const(struct rw *w, qd_type type, uint64_t bits)
{
	return append_const(&w->o, type, bits);
}
static inline bool
rw_is_const(const struct rw *w, uint32_t v, uint64_t *bits)
{
	return append_is_const(&w->o, v, bits);
}
/* rw_bin, rw_un: the operands and the result have the same type. */
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
static inline uint32_t
rw_bitcast(struct rw *w, qd_type to, uint32_t v)
{
	return rw_type(w, v) == to ? v : rw_op(w, OP_BITCAST, to, v, 0, 0);
}
static inline uint32_t
rw_cvt(struct rw *w, qd_type to, uint32_t v)
{
	return rw_type(w, v) == to ? v : rw_op(w, OP_CVT, to, v, 0, 0);
}
static inline uint32_t
rw_var(struct rw *w, uint32_t init)
{
	return rw_un(w, OP_VAR, init);
}
static inline uint32_t
rw_get(struct rw *w, uint32_t var)
{
	return rw_un(w, OP_GET, var);
}
static inline void
rw_set(struct rw *w, uint32_t var, uint32_t v)
{
	rw_op(w, OP_SET, QD_TYPE_NONE, var, v, 0);
}
static inline uint32_t
rw_open(struct rw *w, enum op op, uint32_t a)
{
	return rw_op(w, op, QD_TYPE_NONE, a, 0, 0);
}
static inline void
rw_close(struct rw *w)
{
	rw_op(w, OP_END, QD_TYPE_NONE, 0, 0, 0);
}
/* Leaves construct `target` of the new body if cond holds; cond 0: always. */
static inline void
rw_break(struct rw *w, uint32_t target, uint32_t cond)
{
	struct ins ins = { .op = OP_BREAK, .a = cond, .x = target };

	append(&w->o, ins);
}
/* Emits a report (report.h) in a legal body, for the threads in which `where` holds. pos and
 * values are u32 of the new body. */
void rw_report(struct rw *w, uint32_t where, enum report_kind kind, uint32_t pos,
	       const uint32_t *values, uint32_t n_values);

#endif
