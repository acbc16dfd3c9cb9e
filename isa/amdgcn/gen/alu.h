/* Shared declarations of the arithmetic emitters: type classes of alu.def, and queries. */
#ifndef AMDGCN_ALU_H
#define AMDGCN_ALU_H

#include "gen_emit.h"

enum class { ON_I32, ON_U32, ON_F32, N_CLASS, ON_NONE = N_CLASS };
static const uint8_t class_of[N_TYPE] = {
	[QD_TYPE_NONE] = ON_NONE, [QD_TYPE_BOOL] = ON_NONE, [QD_TYPE_I32] = ON_I32,
	[QD_TYPE_U32] = ON_U32,	  [QD_TYPE_I64] = ON_NONE,  [QD_TYPE_U64] = ON_NONE,
	[QD_TYPE_F32] = ON_F32,	  [QD_TYPE_F64] = ON_NONE,
};

static inline enum class
class_at(const struct emit *e, uint32_t i)
{
	return (enum class)class_of[ir_lead_type(e->ir, gen_ins(e, i))];
}

/* Returns source `bit` of an instruction, with fused NEG and ABS added to its modifiers. */
QD_INLINE struct src
signed_src(struct emit *e, uint32_t v, unsigned bit, uint32_t *signs)
{
	return gen_src(e, gen_without_signs(e, v, bit, signs));
}

static inline bool
is_fused(const struct emit *e, uint32_t v, enum op op)
{
	return v && gen_ins(e, v)->op == op && gen_is_fused(e, v);
}

static inline bool
is_compare(enum op op)
{
	return op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE;
}

/* Rows of tables of comparisons. */
#define COMPARE_ROW(op) ((op) - OP_EQ)
enum { N_COMPARE = COMPARE_ROW(OP_LE) + 1 };
_Static_assert(N_COMPARE == 4, "comparisons follow each other in op.def");

/* -- condition.c: comparisons, and operations built from them ---------------------------------- */

void gen_emit_condition(struct emit *e, uint32_t i);
void gen_emit_mask_logic(struct emit *e, uint32_t i);
void gen_emit_select(struct emit *e, uint32_t i);

/* -- half.c: conversions of 16-bit floats ------------------------------------------------------- */

void gen_emit_half(struct emit *e, uint32_t i);

#endif
