/* Live registers, backwards over the blocks until nothing changes, then once
 * more line by line. */
#include "live.h"

static void
mark(uint64_t *set, const struct gcn_range *r, bool on)
{
	for (unsigned i = r->first; i < (unsigned)r->first + r->n && i < 256; i++) {
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
			mark(s->v, r, on);
		else if (r->file == FILE_A)
			mark(s->a, r, on);
	}
}

static unsigned
count(const uint64_t set[4])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++) {
		for (uint64_t w = set[i]; w; w &= w - 1)
			n++;
	}
	return n;
}

/* From behind the line to before it. */
static void
step(const struct gcn_flow *f, uint32_t line, struct gcn_live_set *s, struct gcn_live *out)
{
	struct gcn_effect e;

	if (f->line[line].flags & LINE_UNKNOWN)
		return;
	gcn_effect_of(f->target, &f->line[line].insn, &e);
	if (out) {
		struct gcn_live_set at = *s;
		mark_all(&at, &e, GCN_READ | GCN_WRITE | GCN_KEEP, true);
		*out = (struct gcn_live){ (uint16_t)count(at.v), (uint16_t)count(at.a) };
	}
	mark_all(s, &e, GCN_WRITE, false);
	mark_all(s, &e, GCN_READ | GCN_KEEP, true);
}

/* The union of what the successors need. */
static void
gather(const struct gcn_flow *f, const struct gcn_live_set *set, uint32_t block,
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
	}
}

void
gcn_live(const struct gcn_flow *f, struct gcn_live_set *set, struct gcn_live *live)
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
