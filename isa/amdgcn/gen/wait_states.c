/* Wait states and dependencies that the hardware does not resolve, as far as this generator's code
 * can violate them. Emitters report reads and writes, and the functions here insert waits.
 * docs/amdgcn-hazards.md lists the rules with their sources. The target's generation determines
 * which rules apply. */
#include "gen_emit.h"
#include "table.h"

enum { LAST_PAIR = 53 /* vcc */ };

void
gen_states_init(struct emit *e)
{
	enum gcn_gen gen = e->gcn->gen;

	gen_trace(e, TRACE_BEGIN, 0);
	e->clock = FAR_STATES;
	e->keeps = (uint8_t)(gen < GCN_G10			    ? KEEP_STATES
			     : gen == GCN_G12			    ? KEEP_PAIRS
			     : gen == GCN_G11 && e->wave == 64	    ? KEEP_MASKS
			     : gen == GCN_G10 && !e->t->cmpx	    ? KEEP_BRANCHES
								    : 0);
	if (e->keeps & KEEP_STATES) {
		memset(e->v_at, 0, sizeof e->v_at);
		memset(e->s_at, 0, sizeof e->s_at);
	}
}

/* Inserts wait states until there are `states` of them after `written`. */
static void
keep_away(struct emit *e, uint32_t written, uint32_t states)
{
	uint32_t since = e->clock - (written > e->near_all ? written : e->near_all);

	if (since >= states)
		return;
	gcn_sopp(&e->o, GCN_s_nop, (uint16_t)(states - since - 1)); /* s_nop n: n + 1 states */
	e->clock += states - since;
}

/* -- Scalar registers written after a read ---------------------------------------------------------- */

enum wait_for { SA_SDST, VA_SDST, VA_VCC };

static uint16_t
alu_wait(const struct emit *e, enum wait_for what)
{
	static const uint16_t imm[2][3] = { { 0xfffe, 0xf1ff, 0xfffd }, { 0xff9e, 0xf19f, 0xff9d } };

	return imm[(e->keeps & KEEP_PAIRS) != 0][what];
}

uint32_t
gen_scalar_wait(const struct emit *e)
{
	return e->keeps & (KEEP_PAIRS | KEEP_MASKS) ? alu_wait(e, SA_SDST) : GCN_NO_WAIT;
}

static void
wait_alu(struct emit *e, enum wait_for what)
{
	gcn_sopp(&e->o, gen_row(e, GCN_OP_s_waitcnt_depctr), alu_wait(e, what));
	e->clock++;
	if (what == SA_SDST)
		e->by_salu = 0;
	else if (what == VA_SDST)
		e->by_valu &= UINT64_C(1) << LAST_PAIR;
	else
		e->by_valu &= ~(UINT64_C(1) << LAST_PAIR);
}

static void
reads_pair(struct emit *e, uint32_t reg, bool by_valu)
{
	uint64_t bit = UINT64_C(1) << reg / 2;

	if (reg / 2 > LAST_PAIR)
		return;
	if (e->by_salu & bit)
		wait_alu(e, SA_SDST);
	if (by_valu && e->by_valu & bit)
		wait_alu(e, reg / 2 == LAST_PAIR ? VA_VCC : VA_SDST);
}

static void
writes_pair(struct emit *e, uint32_t reg, uint64_t *by)
{
	uint64_t bit = UINT64_C(1) << reg / 2;

	if (reg / 2 <= LAST_PAIR && e->read_pairs & bit)
		*by |= bit;
}

/* -- Reports of reads and writes --------------------------------------------------------------------- */

void
gen_valu_reads_s(struct emit *e, struct src s)
{
	if (e->gcn->gen == GCN_G94)
		keep_away(e, e->s_at[s.n], 2);
	if (!(e->keeps & (KEEP_PAIRS | KEEP_MASKS)))
		return;
	reads_pair(e, s.n, true);
	if (e->keeps & KEEP_PAIRS && s.n / 2 <= LAST_PAIR)
		e->read_pairs |= UINT64_C(1) << s.n / 2;
}

void
gen_valu_reads_mask_now(struct emit *e, struct src s)
{
	gen_valu_reads(e, s);
	if (e->keeps & KEEP_MASKS && s.n / 2 <= LAST_PAIR)
		e->read_pairs |= UINT64_C(1) << s.n / 2;
}

void
gen_valu_writes_s(struct emit *e, uint32_t scalar)
{
	gen_trace(e, TRACE_VALU_WRITES, scalar);
	e->scc_of = REG_NONE;
	e->s_at[scalar] = e->s_at[scalar + 1] = e->clock + 1;
	writes_pair(e, scalar, &e->by_valu);
}

void
gen_salu_reads_now(struct emit *e, struct src s)
{
	if (e->keeps & (KEEP_PAIRS | KEEP_MASKS))
		reads_pair(e, s.n, false);
}

void
gen_salu_writes_now(struct emit *e, uint32_t reg)
{
	if (e->keeps & KEEP_BRANCHES && e->vm_reads) {
		gcn_sopp(&e->o, GCN_s_waitcnt_depctr, 0xffe3); /* vm_vsrc(0) */
		e->vm_reads = false;
	}
	writes_pair(e, reg, &e->by_salu);
}

/* Waits, on KEEP_MASKS targets, until all vector registers have been written. */
void
gen_exec_written(struct emit *e)
{
	gen_zero_lost(e);
	if (e->keeps & KEEP_MASKS)
		gcn_sopp(&e->o, GCN_s_waitcnt_depctr, 0x0fff); /* va_vdst(0) */
}

void
gen_lane_reads(struct emit *e, struct src v, struct src lane)
{
	if (e->gcn->gen == GCN_G94 && src_is_v(v))
		keep_away(e, e->v_at[v.n - 256], 1);
	if (e->gcn->gen < GCN_G10 && src_is_s(lane))
		keep_away(e, e->s_at[lane.n], 4);
}

void
gen_dpp_reads_now(struct emit *e, struct src v)
{
	keep_away(e, e->v_at[v.n - 256], 2);
}

/* On gfx11 and later, v_permlane and similar instructions need a vector instruction between them
 * and a preceding v_cmpx. */
void
gen_permutes_now(struct emit *e)
{
	if (e->gcn->gen < GCN_G11)
		return;
	gcn_vop1(gen_out(e), GCN_v_nop, 256, 0);
	e->cmpx_at = false;
}

void
gen_fmas_reads(struct emit *e)
{
	if (e->gcn->gen < GCN_G10)
		keep_away(e, e->s_at[SRC_VCC], 4);
}

void
gen_slow_made(struct emit *e)
{
	if (e->t->trans)
		gcn_sopp(&e->o, GCN_s_waitcnt_depctr, 0x0fff); /* va_vdst(0) */
	else if (e->gcn->gen == GCN_G94)
		gcn_sopp(&e->o, GCN_s_nop, 0);
}

/* Before gfx10 the data registers of a store of more than 64 bits are read late. */
void
gen_wide_store_made(struct emit *e, uint32_t n)
{
	if (n > 2 && e->gcn->gen < GCN_G10)
		gcn_sopp(gen_out(e), GCN_s_nop, 1);
}

/* On gfx90a and gfx940 other instructions must not use the result in the next three states. */
void
gen_dot_made(struct emit *e)
{
	if (e->gcn->gen == GCN_G90A || e->gcn->gen == GCN_G94) {
		gcn_sopp(&e->o, GCN_s_nop, 2);
		e->clock += 3;
	}
}

/* -- Memory and branches of gfx10.1 ------------------------------------------------------------------ */

static void
wait_for_stores(struct emit *e)
{
	gcn_sopk(&e->o, GCN_s_waitcnt_vscnt, gcn_null_of(e->gcn), 0);
	e->lds_branched = e->vmem_branched = e->lds_seen = e->vmem_seen = false;
}

void
gen_memory_reads_now(struct emit *e, bool lds)
{
	if (lds ? e->vmem_branched : e->lds_branched)
		wait_for_stores(e);
	if (lds)
		e->lds_seen = true;
	else
		e->vmem_seen = true;
	e->vm_reads = true;
}

static bool
mark(uint64_t *map, uint32_t reg, uint32_t n, bool test)
{
	bool any = false;

	for (uint32_t i = reg - 256; i < reg - 256 + n; i++) {
		any |= map[i / 64] >> i % 64 & 1;
		if (!test)
			map[i / 64] |= UINT64_C(1) << i % 64;
	}
	return any;
}

static void
begin_row(struct emit *e)
{
	memset(e->row_reads, 0, sizeof e->row_reads);
	memset(e->row_writes, 0, sizeof e->row_writes);
	e->row_self = false;
}

/* Breaks groups of consecutive accesses, which XNACK (gfx9) repeats together after a page fault.
 * None may write what it or another reads, and a load must not cause a store to repeat. */
void
gen_row_of_memory_now(struct emit *e, uint32_t data, uint32_t n_read, uint32_t n_written, uint32_t index)
{
	bool self = n_written && index >= data && index < data + n_written;
	bool breaks, any = false;

	if (e->needs || e->row_at != e->clock)
		begin_row(e);
	for (uint32_t i = 0; i < QD_COUNT(e->row_reads); i++)
		any |= (e->row_reads[i] | e->row_writes[i]) != 0;
	breaks = n_read || self || e->row_self;
	breaks |= mark(e->row_reads, data, n_written, true) || mark(e->row_writes, data, n_written, true);
	breaks |= mark(e->row_writes, data, n_read, true) || mark(e->row_writes, index, 1, true);
	if (any && breaks) {
		gcn_sopp(&e->o, GCN_s_nop, 0);
		e->clock++;
		begin_row(e);
	}
	mark(e->row_reads, data, n_read, false);
	mark(e->row_reads, index, 1, false);
	mark(e->row_writes, data, n_written, false);
	e->row_self = self;
	e->row_at = e->clock + 1;
}

void
gen_row_of_cache_now(struct emit *e)
{
	if (!e->needs && e->row_at == e->clock && e->row_self) {
		gcn_sopp(&e->o, GCN_s_nop, 0);
		e->clock++;
	}
	begin_row(e);
}

void
gen_branched(struct emit *e)
{
	e->lds_branched |= e->lds_seen;
	e->vmem_branched |= e->vmem_seen;
}

/* A predecessor of a label may have accessed any register immediately before it. */
void
gen_states_label(struct emit *e)
{
	gen_trace(e, TRACE_LABEL, 0);
	e->scc_of = REG_NONE;
	gen_zero_lost(e);
	e->near_all = e->clock;
	e->read_pairs = e->by_salu = e->by_valu = e->keeps & (KEEP_PAIRS | KEEP_MASKS) ? UINT64_MAX : 0;
	e->lds_branched = e->vmem_branched = e->vm_reads = (e->keeps & KEEP_BRANCHES) != 0;
	e->cmpx_at = e->t->cmpx;
}
