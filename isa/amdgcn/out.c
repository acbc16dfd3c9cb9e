/* Output of the calls: initialization, the final error report, and queries of code generators. */
#include "call.h"
#include "table.h"

/* -- Output buffer ----------------------------------------------------------------------------- */

void
gcn_out_init(struct gcn_out *o, const struct gcn_target *t, uint32_t *words, size_t cap)
{
	*o = (struct gcn_out){ .at = words,
			       .full = words + (cap < GCN_MAX_WORDS ? 0 : cap - GCN_MAX_WORDS + 1),
			       .gen = (uint8_t)t->gen,
			       .target = t,
			       .begin = words,
			       .no_acc = !(t->features & GCN_AGPR),
			       .op = gcn_call_page[gcn_class_of(t)] };
}

qd_status
gcn_out_end(struct gcn_out *o, size_t *n, struct qd_error *err)
{
	*n = 0;
	if (o->bad & GCN_BAD_ROOM)
		return qd_fail(err, QD_E_LIMIT, "%s: the buffer is full", gcn_row_name(&gcn_rows[o->wrong]));
	if (o->bad & GCN_BAD_FAR)
		return qd_fail(err, QD_E_LIMIT, "a branch spans more than 32767 words");
	if (o->bad & GCN_BAD_TWICE)
		return qd_fail(err, QD_E_INVALID, "a label is bound twice");
	if (!o->bad && o->waiting)
		return qd_fail(err, QD_E_INVALID, "%u labels are used but not bound", o->waiting);
	if (!o->bad && o->pending)
		return qd_fail(err, QD_E_TARGET, "a literal after the last instruction on %s",
			       o->target->name);
	if (o->bad) {
		const char *what =
			gcn_call_of(o->op, o->wrong) == GCN_NA ? "the target has no such instruction"
			: o->bad & GCN_BAD_LITERAL
				? "a literal that the instruction cannot hold, or a second one"
				: "an operand or a modifier does not fit";
		return qd_fail(err, QD_E_TARGET, "%s: %s on %s", gcn_row_name(&gcn_rows[o->wrong]), what,
			       o->target->name);
	}
	*n = (size_t)(o->at - o->begin);
#ifndef NDEBUG
	return gcn_words_check(o->target, o->begin, o->code_end ? (size_t)(o->code_end - o->begin) : *n, err);
#else
	return QD_OK;
#endif
}

/* -- Queries of code generators ---------------------------------------------------------------- */

uint32_t
gcn_inline(uint32_t bits)
{
	if (bits <= 64)
		return 128 + bits;
	if (bits >= UINT32_MAX - 15)
		return 192 + (UINT32_MAX - bits + 1);
	if (bits == 0x3e22f983)
		return GCN_INV_2PI;
	if (bits & 0xffff || (bits >> 16 & 0x7fff) - 0x3f00 > 0x180) /* from 0.5 to 4.0 */
		return 0;
	return gcn_float_code(gcn_brain_bits, GCN_N_CONSTANT - 1, bits >> 16);
}

static uint32_t
at_most(uint32_t n, uint32_t most)
{
	return n < most ? n : most;
}

/* Must agree with the table in text/symbol.c; a test compares them. */
uint16_t
gcn_wait_simm(const struct gcn_target *t, unsigned vm, unsigned exp, unsigned lgkm)
{
	vm = at_most(vm, 63);
	exp = at_most(exp, 7);
	lgkm = at_most(lgkm, t->gen < GCN_G10 ? 15 : 63);
	if (t->gen >= GCN_G11)
		return (uint16_t)(vm << 10 | lgkm << 4 | exp);
	return (uint16_t)((vm & 15) | vm >> 4 << 14 | exp << 4 | lgkm << 8);
}
