/* Tables of implementations, each by type. */
#ifndef EMU_PTX_TABLE_H
#define EMU_PTX_TABLE_H

#include "decode.h"

typedef lanes_fn *const alu_table[N_TYPES];

#define ALU(name, class)  extern alu_table alu_##name;
#define FALU(name, class) extern alu_table falu_##name;
#include "alu.def"
#undef ALU
#undef FALU

/* Indexed by comparison and type; NULL if unsupported. */
extern mask_fn *const cmp_table[N_CMP][N_TYPES];
extern mask_fn *const testp_table[OP_SUBNORMAL + 1][N_TYPES];
lanes_fn *mov_by_size(uint32_t size);

/* Additions and subtractions with carry. */
struct carry_op {
	uint8_t mul;	     /* 1: the low word of a product, 2: the high one */
	bool subtract, with; /* with: uses the last carry */
};
extern const struct carry_op carry_add, carry_addc, carry_sub, carry_subc, carry_mad_lo,
	carry_mad_hi, carry_madc_lo, carry_madc_hi;

struct bar_op {
	bool aligned, waits, reduces;
};
extern const struct bar_op bar_sync, bar_arrive, bar_red, barrier_sync, barrier_arrive, barrier_red;

enum async_what { ASYNC_CG, ASYNC_COMMIT, ASYNC_WAIT, ASYNC_ALL };
extern const enum async_what async_cg, async_commit, async_wait, async_all;

#endif
