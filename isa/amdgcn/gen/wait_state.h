/* Wait states and dependencies that the hardware does not resolve. Emitters report here each
 * register that an instruction is about to read or write. Most targets require little tracking, so
 * the inline functions usually return without a call. */
#ifndef AMDGCN_WAIT_STATE_H
#define AMDGCN_WAIT_STATE_H

#include "gen_emit.h"

/* Hazards that a target requires the generator to track. */
enum gen_keep {
	KEEP_STATES = 1,  /* wait states between a write and a dependent read (gfx9) */
	KEEP_PAIRS = 2,	  /* scalar register pairs that were read (gfx12) */
	KEEP_MASKS = 4,	  /* scalar register pairs that were read as 64-lane masks (gfx11) */
	KEEP_BRANCHES = 8 /* branches between LDS and vector memory; scalar writes after vector memory (gfx10.1) */
};
void gen_states_init(struct emit *e);

/* tests/gcn/trace.c compiles the generator with GEN_TRACE and compares the calls below with the registers
 * that each emitted instruction reads and writes by effect.def, which the hazard checker uses. */
enum gen_trace { TRACE_BEGIN, TRACE_VALU, TRACE_MASK, TRACE_SALU, TRACE_VALU_WRITES, TRACE_SALU_WRITES, TRACE_LABEL };
#ifdef GEN_TRACE
void gen_trace(const struct emit *e, enum gen_trace what, uint32_t reg);
#else
#define gen_trace(e, what, reg) ((void)0)
#endif

/* Report, before a vector instruction, the operands that it reads and then the registers that it
 * writes. Lane masks have a separate call. GCN_OFF: no register. */
void gen_valu_reads_s(struct emit *e, struct src s), gen_valu_reads_mask_now(struct emit *e, struct src s);
static inline void
gen_valu_reads(struct emit *e, struct src s)
{
	gen_trace(e, TRACE_VALU, s.n);
	if (QD_UNLIKELY(e->keeps) && src_is_s(s))
		gen_valu_reads_s(e, s);
}
static inline void
gen_valu_reads_mask(struct emit *e, struct src s)
{
	gen_trace(e, TRACE_MASK, s.n);
	if (QD_UNLIKELY(e->keeps))
		gen_valu_reads_mask_now(e, s);
}
/* Reports a write of one 32-bit vector register. */
static inline void
gen_valu_writes_one(struct emit *e, uint32_t vector)
{
	gen_flush_pending(e); /* the pending instructions come first */
	e->vm_reads = e->cmpx_at = false;
	e->v_at[vector] = e->clock + 1;
}
void gen_valu_writes_s(struct emit *e, uint32_t scalar);
/* Reports a write of a vector and of a scalar register, each of which may be a pair. */
static inline void
gen_valu_writes(struct emit *e, uint32_t vector, uint32_t scalar)
{
	gen_flush_pending(e);
	e->vm_reads = e->cmpx_at = false;
	if (vector != GCN_OFF)
		e->v_at[vector] = e->v_at[vector + 1] = e->clock + 1;
	if (scalar != GCN_OFF)
		gen_valu_writes_s(e, scalar);
}
void gen_salu_reads_now(struct emit *e, struct src s), gen_salu_writes_now(struct emit *e, uint32_t reg);
static inline void
gen_salu_reads(struct emit *e, struct src s)
{
	gen_trace(e, TRACE_SALU, s.n);
	if (QD_UNLIKELY(e->keeps) && src_is_s(s))
		gen_salu_reads_now(e, s);
}
static inline void
gen_salu_writes(struct emit *e, uint32_t reg)
{
	gen_trace(e, TRACE_SALU_WRITES, reg);
	if (QD_UNLIKELY(e->keeps))
		gen_salu_writes_now(e, reg);
}
void gen_lane_reads(struct emit *e, struct src v, struct src lane);
void gen_dpp_reads_now(struct emit *e, struct src v);
static inline void
gen_dpp_reads(struct emit *e, struct src v)
{
	if (QD_UNLIKELY(e->keeps & KEEP_STATES))
		gen_dpp_reads_now(e, v);
}
void gen_fmas_reads(struct emit *e), gen_permutes_now(struct emit *e);
static inline void
gen_permutes(struct emit *e)
{
	if (QD_UNLIKELY(e->cmpx_at))
		gen_permutes_now(e);
}
void gen_memory_reads_now(struct emit *e, bool lds);
static inline void
gen_memory_reads(struct emit *e, bool lds)
{
	if (QD_UNLIKELY(e->keeps & KEEP_BRANCHES))
		gen_memory_reads_now(e, lds);
}
/* Reports a vector memory access: n_read and n_written registers from `data` on, and the index
 * register. */
void gen_row_of_memory_now(struct emit *e, uint32_t data, uint32_t n_read, uint32_t n_written, uint32_t index);
static inline void
gen_row_of_memory(struct emit *e, uint32_t data, uint32_t n_read, uint32_t n_written, uint32_t index)
{
	if (QD_UNLIKELY(e->keeps & KEEP_STATES))
		gen_row_of_memory_now(e, data, n_read, n_written, index);
}
/* Reports a cache instruction, which belongs to the group of the vector memory accesses before it. */
void gen_row_of_cache_now(struct emit *e);
static inline void
gen_row_of_cache(struct emit *e)
{
	if (QD_UNLIKELY(e->keeps & KEEP_STATES))
		gen_row_of_cache_now(e);
}
/* Report, after the instruction, a write to exec, and the issue of a reciprocal or root, of a dot product,
 * and of a store of n registers. */
void gen_exec_written(struct emit *e), gen_slow_made(struct emit *e), gen_dot_made(struct emit *e);
void gen_wide_store_made(struct emit *e, uint32_t n);
/* Returns the immediate of the wait between a scalar write and a read of a register that vector
 * instructions may have read before, or GCN_NO_WAIT. */
uint32_t gen_scalar_wait(const struct emit *e);
void gen_branched(struct emit *e), gen_states_label(struct emit *e);

#endif
