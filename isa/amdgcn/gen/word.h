/* Inline packing of the most common instruction formats, without a call and without the operand
 * checks of call.h. The emitters choose operands that fit; a field that does not fit or a second
 * literal is a generator bug and fails an assertion. Buffer space and availability on the target
 * are checked as in call.h. */
#ifndef AMDGCN_WORD_H
#define AMDGCN_WORD_H

#include "gen_emit.h"
#include "pack.h"

#include <assert.h>

/* Starts an instruction at o.at and returns that position. `called` is a column of call.h. */
QD_INLINE uint32_t *
word_begin(struct gcn_out *o, enum gcn_row_id row, uint32_t called, struct gcn_fields *f)
{
	if (QD_UNLIKELY(o->at >= o->full))
		gcn_no_room(o, row);
	f->OP = gcn_call_of(o->op, row) ^ called << CALL_SHIFT;
	if (QD_UNLIKELY(f->OP > CALL_OP))
		gcn_no_row(o, row);
	return o->at;
}

QD_INLINE uint32_t *
word_pack(const struct gcn_out *o, uint32_t *at, unsigned format, const struct gcn_fields *f)
{
	uint32_t bad = 0;

	at = gcn_pack(at, o->gen, format, f, true, &bad);
	assert(!bad || o->bad);
	return at;
}

QD_INLINE void
word_put(struct gcn_out *o, unsigned format, enum gcn_row_id row, uint32_t called, struct gcn_fields f)
{
	uint32_t *at = word_begin(o, row, called, &f);

	o->at = word_pack(o, at, format, &f);
}

/* Appends an instruction and its literal, if a or b is one. If both are, they must be equal. */
QD_INLINE void
word_put_sources(struct gcn_out *o, unsigned format, enum gcn_row_id row, uint32_t called,
		 struct gcn_fields f, struct src a, struct src b)
{
	uint32_t *at = word_begin(o, row, called, &f);

	assert(a.n != GCN_LITERAL || b.n != GCN_LITERAL || a.bits == b.bits);
	at = word_pack(o, at, format, &f);
	*at = a.n == GCN_LITERAL ? a.bits : b.bits;
	o->at = at + ((a.n == GCN_LITERAL) | (b.n == GCN_LITERAL));
}

/* Appends an instruction and its DPP control word. */
QD_INLINE void
word_put_dpp(struct gcn_out *o, unsigned format, enum gcn_row_id row, struct gcn_fields f, uint32_t v,
	     const struct gcn_dpp *d)
{
	enum { IS_DPP16 = 250 };
	uint32_t *at = word_begin(o, row, format, &f);

	f.SRC0 = IS_DPP16;
	at = word_pack(o, at, format, &f);
	if (QD_LIKELY(!(d->neg | d->abs | d->bound_ctrl | d->fetch_inactive)))
		o->at = word_pack(o, at, GCN_DPP16,
				  &(struct gcn_fields){ .X_SRC0 = v, .CTRL = d->ctrl, .ROW = d->row_mask,
							.BANK = d->bank_mask });
	else
		o->at = word_pack(o, at, GCN_DPP16,
				  &(struct gcn_fields){ .X_SRC0 = v, .CTRL = d->ctrl, .ROW = d->row_mask,
							.BANK = d->bank_mask, .BC = d->bound_ctrl,
							.FI = d->fetch_inactive, .X_NEG0 = d->neg & 1u,
							.X_NEG1 = d->neg >> 1 & 1u, .X_ABS0 = d->abs & 1u,
							.X_ABS1 = d->abs >> 1 & 1u });
}

/* Inline version of put_dpp2, for callers that know most of d at compile time. */
QD_INLINE void
word_dpp2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, const struct gcn_dpp *d)
{
	gen_dpp_reads(e, a);
	gen_valu_writes_one(e, dst);
	word_put_dpp(gen_out_flushed(e), GCN_VOP2, gen_row(e, op),
		     (struct gcn_fields){ .VDST = dst, .VSRC1 = b.n - 256u }, a.n - 256u, d);
}

#endif
