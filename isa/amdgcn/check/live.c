/* Live registers: backward data flow over the blocks to a fixed point, then one pass line
 * by line. */
#include "live.h"

static void
mark(uint64_t *set, unsigned n, const struct gcn_range *r, bool on)
{
	for (unsigned i = r->first; i < (unsigned)r->first + r->n && i < n; i++) {
		if (on)
			set[i / 64] |= UINT64_C(1) << (i % 64);
		else
			set[i / 64] &= ~(UINT64_C(1) << (i % 64));
	}
}

static void
mark_all(struct gcn_live_set *s, const struct gcn_effect *e, unsigned access, bool on)
{
	for (unsigned i = 0; i < e->n_range; i++) {
		const struct gcn_range *r = &e->range[i];
		if (!(r->access & access) || (!on && (r->access & GCN_KEEP)))
			continue;
		if (r->file == FILE_V)
			mark(s->v, 256, r, on);
		else if (r->file == FILE_A)
			mark(s->a, 256, r, on);
		else if (r->file == FILE_S)
			mark(s->s, 128, r, on);
	}
}

static unsigned
count(const uint64_t *set, unsigned n_word)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_word; i++) {
		for (uint64_t w = set[i]; w; w &= w - 1)
			n++;
	}
	return n;
}

/* Counts the registers of a set that a wave is allocated: SGPRs and vcc. Numbers above
 * the SGPRs name other operands. */
static unsigned
count_scalar(const struct gcn_target *t, const uint64_t set[2])
{
	uint64_t high = (UINT64_C(1) << (t->n_sgpr - 64)) - 1;
	uint64_t given[2] = { set[0], set[1] & (high | UINT64_C(3) << (GCN_VCC - 64)) };

	return count(given, 2);
}

/* Updates the live set from after the line to before it. */
static void
step(const struct cfg *f, uint32_t line, struct gcn_live_set *s, struct gcn_live *out)
{
	struct gcn_effect e;

	if (f->line[line].flags & LINE_UNKNOWN)
		return;
	gcn_effect_of(f->target, &f->line[line].insn, &e);
	if (out) {
		struct gcn_live_set at = *s;
		mark_all(&at, &e, GCN_READ | GCN_WRITE | GCN_KEEP, true);
		*out = (struct gcn_live){ (uint16_t)count(at.v, 4), (uint16_t)count(at.a, 4),
					  (uint16_t)count_scalar(f->target, at.s) };
	}
	mark_all(s, &e, GCN_WRITE, false);
	mark_all(s, &e, GCN_READ | GCN_KEEP, true);
}

/* Computes the union of the successors' live sets. */
static void
gather(const struct cfg *f, const struct gcn_live_set *set, uint32_t block,
       struct gcn_live_set *out)
{
	const struct gcn_block *b = &f->block[block];

	*out = (struct gcn_live_set){ 0 };
	for (uint32_t k = 0; k < b->n_succ; k++) {
		const struct gcn_live_set *s = &set[f->edge[b->succ + k]];
		for (unsigned i = 0; i < 4; i++) {
			out->v[i] |= s->v[i];
			out->a[i] |= s->a[i];
		}
		out->s[0] |= s->s[0];
		out->s[1] |= s->s[1];
	}
}

void
gcn_live(const struct cfg *f, struct gcn_live_set *set, struct gcn_live *live)
{
	struct gcn_live_set *s = &set[f->n_block];
	bool again = f->n_block > 0;

	memset(set, 0, (f->n_block + 1) * sizeof *set);
	memset(live, 0, f->n_line * sizeof *live);
	while (again) {
		again = false;
		for (size_t i = f->n_block; i-- > 0;) {
			const struct gcn_block *b = &f->block[i];
			if (!b->reached)
				continue;
			gather(f, set, (uint32_t)i, s);
			for (uint32_t k = b->first + b->n_line; k-- > b->first;)
				step(f, k, s, NULL);
			if (memcmp(s, &set[i], sizeof *s)) {
				set[i] = *s;
				again = true;
			}
		}
	}
	for (size_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		if (!b->reached)
			continue;
		gather(f, set, (uint32_t)i, s);
		for (uint32_t k = b->first + b->n_line; k-- > b->first;)
			step(f, k, s, &live[k]);
	}
}
