/* Outstanding results, and the waits for them.
 *
 * Each hardware counter counts unfinished instructions. Instructions of one counter finish in
 * order, except scalar loads. A wait for a register gives the number of younger instructions that
 * may remain unfinished. At a label the states of all branches to it are joined: each register
 * keeps the minimum number of younger instructions. */
#include "word.h"
#include "table.h"

/* -- Outstanding results --------------------------------------------------------------------- */

static bool
is_waited(const struct emit *e, uint32_t reg, uint32_t n)
{
	return gen_bits(reg >= 256 ? e->wait_v : e->wait_s, reg % 256, n) != 0;
}

static void
set_waited(struct emit *e, uint32_t reg, uint32_t n)
{
	gen_set_bits(reg >= 256 ? e->wait_v : e->wait_s, reg % 256, n, true);
}

/* Returns the counter that the target uses for c. Some targets combine counters. */
static enum gen_counter
counter_of(const struct emit *e, enum gen_counter c)
{
	if (c == CNT_SMEM && e->gcn->counters != GCN_SPLIT)
		return CNT_DS;
	if (c == CNT_STORE && e->gcn->counters == GCN_VM_LGKM)
		return CNT_LOAD;
	return c;
}

/* Returns the largest number that a wait can encode: one less than all ones, which means no wait. */
static uint32_t
most(const struct emit *e, enum gen_counter c)
{
	switch (c) {
	case CNT_DS: return e->gcn->gen < GCN_G10 ? 14 : 62;
	case CNT_SMEM: return 30;
	default: return 62;
	}
}

/* Removes the results that the waits of e->need, already emitted, cover. */
static void
drop_covered(struct emit *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_pend; i++) {
		const struct gen_pend *p = &e->pend[i];
		uint32_t c = p->counter & 0x7fu, left = e->need[c];
		if (e->seq[c] - p->seq < left || (p->counter & 0x80 && left))
			e->pend[n++] = *p;
	}
	e->n_pend = n;
	memset(e->wait_v, 0, sizeof e->wait_v);
	memset(e->wait_s, 0, sizeof e->wait_s);
	for (uint32_t i = 0; i < n; i++) /* a register may occur twice */
		set_waited(e, e->pend[i].reg, e->pend[i].n);
	for (uint32_t c = 0; c < N_CNT; c++)
		if (!e->need[c])
			e->counted &= (uint8_t)~(1u << c);
}

static void
need(struct emit *e, enum gen_counter c, uint32_t left)
{
	uint32_t limit = most(e, c);

	left = left > limit ? limit : left;
	if (!e->needs)
		for (uint32_t i = 0; i < N_CNT; i++)
			e->need[i] = UINT16_MAX;
	e->needs = true;
	if (left < e->need[c])
		e->need[c] = (uint16_t)left;
}

void
gen_wait_reg_now(struct emit *e, uint32_t reg, uint32_t n)
{
	if (QD_LIKELY(!is_waited(e, reg, n)))
		return;
	for (uint32_t i = 0; i < e->n_pend; i++) {
		const struct gen_pend *p = &e->pend[i];
		enum gen_counter c = (enum gen_counter)(p->counter & 0x7f);
		if (p->reg < reg + n && reg < p->reg + (uint32_t)p->n)
			need(e, c, p->counter & 0x80 ? 0 : e->seq[c] - p->seq);
	}
}

/* -- Waits --------------------------------------------------------------------------------------- */

_Static_assert(GCN_ANY == UINT16_MAX, "no need is any number");

static void
put_wait(struct emit *e, enum gcn_row_id row, uint16_t imm)
{
	word_put(&e->o, GCN_SOPP, row, GCN_SOPP, (struct gcn_fields){ .SIMM = imm });
}

static void
wait_split(struct emit *e)
{
	static const struct {
		uint16_t row;
		uint8_t counter;
	} rows[] = { { GCN_s_wait_loadcnt, CNT_LOAD }, { GCN_s_wait_storecnt, CNT_STORE },
		     { GCN_s_wait_dscnt, CNT_DS }, { GCN_s_wait_kmcnt, CNT_SMEM } };

	for (uint32_t i = 0; i < QD_COUNT(rows); i++)
		if (e->need[rows[i].counter] != UINT16_MAX)
			put_wait(e, (enum gcn_row_id)rows[i].row, e->need[rows[i].counter]);
}

static void
wait_joint(struct emit *e)
{
	uint16_t vm = e->need[CNT_LOAD], lgkm = e->need[CNT_DS], vs = e->need[CNT_STORE];

	if (vm != UINT16_MAX || lgkm != UINT16_MAX)
		put_wait(e, GCN_s_waitcnt, gcn_wait_simm(e->gcn, vm, GCN_ANY, lgkm));
	if (vs != UINT16_MAX)
		gcn_sopk(&e->o, GCN_s_waitcnt_vscnt, gcn_null_of(e->gcn), vs);
}

void
gen_put_waits(struct emit *e)
{
	e->needs = false;
	if (e->gcn->counters == GCN_SPLIT)
		wait_split(e);
	else
		wait_joint(e);
	drop_covered(e);
}

void
gen_emit_pending(struct emit *e)
{
	if (e->needs)
		gen_put_waits(e);
	if (!e->stale)
		return;
	e->stale = false;
	put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, SRC_EXEC, src_of(SRC_ONES));
}

void
gen_issued(struct emit *e, enum gen_counter c, uint32_t reg, uint32_t n)
{
	bool in_order = c != CNT_SMEM;

	c = counter_of(e, c);
	e->seq[c]++;
	e->counted |= (uint8_t)(1u << c);
	if (!n)
		return;
	e->scc_of = REG_NONE;
	if (e->n_pend == MAX_PEND) {
		need(e, (enum gen_counter)(e->pend[0].counter & 0x7f), 0);
		gen_put_waits(e);
	}
	e->pend[e->n_pend++] = (struct gen_pend){ .reg = (uint16_t)reg,
						  .n = (uint8_t)n,
						  .counter = (uint8_t)(c | (in_order ? 0 : 0x80)),
						  .seq = e->seq[c] };
	set_waited(e, reg, n);
	/* A result after an out-of-order one of the same counter cannot be waited for by number. */
	if (!in_order || c != CNT_DS)
		return;
	for (uint32_t i = 0; i + 1 < e->n_pend; i++)
		if (e->pend[i].counter == (CNT_DS | 0x80))
			e->pend[e->n_pend - 1].counter |= 0x80;
}

void
gen_wait_all(struct emit *e, uint32_t counters)
{
	for (uint32_t c = 0; c < N_CNT; c++)
		if (counters >> c & 1 && counter_of(e, (enum gen_counter)c) == c && e->counted >> c & 1)
			need(e, (enum gen_counter)c, 0);
	if (e->needs)
		gen_put_waits(e);
}

void
gen_drain_waits(struct emit *e)
{
	for (uint32_t i = 0; i < e->n_pend; i++)
		need(e, (enum gen_counter)(e->pend[i].counter & 0x7f), 0);
	gen_emit_pending(e);
	e->counted = (1u << N_CNT) - 1;
}

/* -- Labels ----------------------------------------------------------------------------------- */

/* Merges a result that is outstanding at a branch. p.seq is the number of younger instructions. */
static void
join(struct gen_label_state *s, struct gen_pend p)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct gen_pend *q = &s->pend[i];
		if (q->reg == p.reg && q->n == p.n && (q->counter & 0x7f) == (p.counter & 0x7f)) {
			q->seq = p.seq < q->seq ? p.seq : q->seq;
			q->counter |= p.counter;
			return;
		}
	}
	if (s->n < MAX_PEND)
		s->pend[s->n++] = p;
}

void
gen_branch_to(struct emit *e, struct gen_join *j)
{
	struct gen_label_state *s = j->state;

	gen_emit_pending(e);
	if (!s) {
		s = j->state = arena_alloc(e->in->mem, sizeof *s);
		if (!s) {
			gen_fail(e, QD_E_NOMEM, "out of memory");
			return;
		}
		s->n = 0;
		s->counted = 0;
	}
	if (s->n + e->n_pend > MAX_PEND)
		gen_drain_waits(e);
	s->counted |= e->counted;
	for (uint32_t i = 0; i < e->n_pend; i++) {
		struct gen_pend p = e->pend[i];
		p.seq = e->seq[p.counter & 0x7f] - p.seq;
		join(s, p);
	}
}

void
gen_bind_join(struct emit *e, struct gen_join *j, bool reached)
{
	struct gen_label_state *s = j->state;

	if (reached && s)
		gen_branch_to(e, j);
	else
		gen_emit_pending(e);
	gcn_bind_label(&e->o, &j->label);
	gen_states_label(e);
	if (!s)
		return;
	memset(e->wait_v, 0, sizeof e->wait_v);
	memset(e->wait_s, 0, sizeof e->wait_s);
	e->counted = s->counted;
	e->n_pend = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		e->pend[i] = s->pend[i];
		e->pend[i].seq = e->seq[s->pend[i].counter & 0x7f] - s->pend[i].seq;
		set_waited(e, e->pend[i].reg, e->pend[i].n);
	}
}
