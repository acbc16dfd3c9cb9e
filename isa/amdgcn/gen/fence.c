/* Fences and barriers: waits, and the cache instructions of each scope. */
#include "word.h"

/* Emits a cache instruction. Its only operand is the scope. */
static void
cache(struct emit *e, enum gcn_row_id row, uint32_t glc, uint32_t scc, uint32_t scope)
{
	struct gcn_insn in = { .row = (uint16_t)row };

	in.field[GCN_F_GLC] = glc;
	in.field[GCN_F_SCC] = scc;
	in.field[GCN_F_SCOPE] = scope;
	if (gcn_rows[row].format == GCN_GLOBAL)
		in.field[GCN_F_SADDR] = gcn_null_of(e->gcn);
	gen_memory_reads(e, false);
	gen_row_of_cache(e);
	gcn_put(gen_out(e), &in);
}

enum { ALL_COUNTERS = 1 << CNT_LOAD | 1 << CNT_DS | 1 << CNT_STORE };

/* Starts writing back the wave's stores from caches that the scope does not share. */
static void
write_back(struct emit *e, bool system)
{
	switch (e->gcn->gen) {
	case GCN_G94: cache(e, GCN_buffer_wbl2, system, 1, 0); break;
	case GCN_G90A:
		if (!system)
			return;
		cache(e, GCN_buffer_wbl2, 0, 0, 0);
		break;
	case GCN_G12:
		if (!system)
			return;
		cache(e, GCN_global_wb, 0, 0, 3);
		break;
	default: return;
	}
	gen_issued(e, CNT_STORE, 0, 0);
}

static void
invalidate(struct emit *e, bool system)
{
	switch (e->gcn->gen) {
	case GCN_G94: cache(e, GCN_buffer_inv, system, 1, 0); break;
	case GCN_G10:
	case GCN_G11:
		cache(e, GCN_buffer_gl1_inv, 0, 0, 0);
		cache(e, GCN_buffer_gl0_inv, 0, 0, 0);
		break;
	case GCN_G12:
		cache(e, GCN_global_inv, 0, 0, system ? 3 : 2);
		gen_issued(e, CNT_LOAD, 0, 0);
		gen_wait_all(e, 1 << CNT_LOAD);
		break;
	default:
		if (e->gcn->gen == GCN_G90A && system)
			cache(e, GCN_buffer_invl2, 0, 0, 0);
		cache(e, GCN_buffer_wbinvl1_vol, 0, 0, 0);
	}
}

void
gen_emit_fence(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	enum mem_scope scope = ir_scope(s);
	bool release = ir_order(s) != MEM_ACQUIRE, acquire = ir_order(s) != MEM_RELEASE;

	/* A wave observes its own accesses in order. */
	if (s->op == OP_SUBGROUP_SYNC || s->op == OP_SUBGROUP_FENCE)
		return;
	if (s->op == OP_BLOCK_FENCE) {
		gen_wait_all(e, ALL_COUNTERS);
		return;
	}
	if (release)
		write_back(e, scope == MEM_SYSTEM);
	gen_wait_all(e, ALL_COUNTERS);
	if (acquire)
		invalidate(e, scope == MEM_SYSTEM);
}

void
gen_emit_barrier(struct emit *e, uint32_t i)
{
	(void)i;
	gen_wait_all(e, ALL_COUNTERS);
	if (e->threads <= e->wave)
		return;
	if (e->gcn->gen >= GCN_G12) {
		put_sop1(e, GCN_OP_s_barrier_signal, 0, src_of(SRC_ONES));
		put_sopp(e, GCN_OP_s_barrier_wait, 0xffff);
	} else {
		put_sopp(e, GCN_OP_s_barrier, 0);
	}
}
