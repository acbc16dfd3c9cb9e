/* Pairs of scalar registers on gfx12: a forward pass over all paths, for the rules sgpr_* of
 * hazard.def. After VALU has read a register, a later write of its pair is visible only after a
 * wait. The pass marks the lines that may read such a register too early. hazard.c then finds the
 * lines involved. Sets of different paths are united where the paths meet. */
#include "rule.h"

enum { VCC_PAIR = GCN_VCC / 2 };
#define OWN (T(READS_PAIR) | T(SALU_PAIR) | T(VALU_PAIR) | T(VALU_VCC))
#define VCC_BITS (UINT64_C(3) << (GCN_VCC - 64)) /* in the upper word */

static void
clear_valu(struct gcn_pairs *p, bool vcc, bool others)
{
	if (others) {
		p->valu[0] = 0;
		p->valu[1] &= VCC_BITS;
	}
	if (vcc)
		p->valu[1] &= ~VCC_BITS;
}

static uint64_t
vcc_bit(unsigned reg) /* vcc_lo or vcc_hi */
{
	return UINT64_C(1) << (reg - 64);
}

static bool
is_in(const uint64_t set[2], unsigned reg)
{
	return set[reg / 64] >> reg % 64 & 1;
}

/* Applies the reads of a line, and returns its traits. */
static uint32_t
reads(struct gcn_pairs *p, const struct gcn_hazard_line *l, bool valu)
{
	struct gcn_pairs before = *p;
	uint32_t traits = 0;

	for (unsigned i = 0; i < l->effect.n_range; i++) {
		const struct gcn_range *u = &l->effect.range[i];
		if (!gcn_touched(u, &gcn_touches[TOUCH_R_S]))
			continue;
		for (unsigned reg = u->first; reg < u->first + u->n; reg++) {
			bool vcc = reg / 2 == VCC_PAIR, known = before.read >> reg / 2 & 1;
			traits |= is_in(before.salu, reg) ? T(SALU_PAIR) : 0;
			if (valu) {
				traits |= !is_in(before.valu, reg) ? 0 : vcc ? T(VALU_VCC) : T(VALU_PAIR);
				p->read |= UINT64_C(1) << reg / 2;
				continue;
			}
			traits |= known && !vcc ? T(READS_PAIR) : 0;
			clear_valu(p, false, known && !vcc);
			p->valu[1] &= vcc ? ~vcc_bit(reg) : UINT64_MAX;
		}
	}
	return traits;
}

static void
writes(struct gcn_pairs *p, const struct gcn_hazard_line *l, bool valu)
{
	for (unsigned i = 0; i < l->effect.n_range; i++) {
		const struct gcn_range *u = &l->effect.range[i];
		if (!gcn_touched(u, &gcn_touches[TOUCH_W_S]))
			continue;
		for (unsigned reg = u->first; reg < u->first + u->n; reg++) {
			uint64_t bit = UINT64_C(1) << reg % 64;
			if (reg / 2 == VCC_PAIR && !valu)
				p->valu[1] &= ~vcc_bit(reg);
			if (p->read >> reg / 2 & 1)
				*(valu ? &p->valu[reg / 64] : &p->salu[reg / 64]) |= bit;
		}
	}
}

/* Advances the state over a line, and returns the line's traits. */
static uint32_t
step(struct gcn_pairs *p, const struct gcn_line *flow, const struct gcn_hazard_line *l)
{
	bool valu = gcn_is(l, IS_VALU);
	uint32_t traits;

	if (flow->flags & LINE_UNKNOWN) {
		*p = (struct gcn_pairs){ 0 };
		return 0;
	}
	if (gcn_is(l, IS_SMEM) || gcn_is(l, IS_BUFFER)) {
		*p = (struct gcn_pairs){ .read = p->read };
		return 0;
	}
	if (gcn_is(l, IS_SA_SDST_0))
		p->salu[0] = p->salu[1] = 0;
	clear_valu(p, gcn_is(l, IS_VA_VCC_0), gcn_is(l, IS_VA_SDST_0));
	if (!valu && !gcn_is(l, IS_SALU))
		return 0;
	traits = reads(p, l, valu);
	writes(p, l, valu);
	return traits;
}

/* Unites the state at the end of a block with that at the beginning of a successor; returns whether
 * the latter has changed. */
static bool
unite(struct gcn_pairs *to, const struct gcn_pairs *from)
{
	struct gcn_pairs old = *to;

	to->read |= from->read;
	for (unsigned i = 0; i < 2; i++) {
		to->salu[i] |= from->salu[i];
		to->valu[i] |= from->valu[i];
	}
	return old.read != to->read || old.salu[0] != to->salu[0] || old.salu[1] != to->salu[1] ||
	       old.valu[0] != to->valu[0] || old.valu[1] != to->valu[1];
}

/* Sets those of this file's traits, and the events that depend on them. */
static void
mark(struct gcn_hazard_line *l, uint32_t traits)
{
	l->traits = (l->traits & ~OWN) | traits;
	for (unsigned i = 0; i < N_EVENT && i < 64; i++) {
		uint64_t bit = UINT64_C(1) << i;
		if (gcn_happenings[i].traits & OWN)
			l->events = gcn_fits(l, &gcn_happenings[i]) ? l->events | bit : l->events & ~bit;
	}
}

void
gcn_pairs_follow(const struct cfg *f, struct gcn_hazard_line *line, struct gcn_hazard_block *block)
{
	uint32_t queue = GCN_NOWHERE;

	/* All reached blocks, the first one first. */
	for (size_t i = f->n_block; i-- > 0;) {
		block[i].pairs = (struct gcn_pairs){ 0 };
		block[i].queued = f->block[i].reached;
		block[i].next = queue;
		queue = f->block[i].reached ? (uint32_t)i : queue;
	}
	while (queue != GCN_NOWHERE) {
		const struct gcn_block *b = &f->block[queue];
		struct gcn_pairs p = block[queue].pairs;
		block[queue].queued = false;
		queue = block[queue].next;
		for (uint32_t i = b->first; i < b->first + b->n_line; i++)
			(void)step(&p, &f->line[i], &line[i]);
		for (uint32_t k = 0; k < b->n_succ; k++) {
			uint32_t to = f->edge[b->succ + k];
			if (!unite(&block[to].pairs, &p) || block[to].queued)
				continue;
			block[to].queued = true;
			block[to].next = queue;
			queue = to;
		}
	}
	for (size_t n = 0; n < f->n_block; n++) {
		const struct gcn_block *b = &f->block[n];
		struct gcn_pairs p = block[n].pairs;
		for (uint32_t i = b->first; b->reached && i < b->first + b->n_line; i++) {
			uint32_t traits = step(&p, &f->line[i], &line[i]);
			if (traits || (line[i].traits & OWN))
				mark(&line[i], traits);
		}
	}
}
