/* What the views of PTX and SPIR-V share: blocks, what is live, the choice of a printer. */
#include "dis_code.h"

enum { MAX_LIVE_WORDS = 1 << 24 };

void
code_init(struct code *c, struct dis *s, struct arena *mem, const char *label)
{
	struct buf *all[] = { &c->regs, &c->insns, &c->refs, &c->ways, &c->handed, &c->functions, &c->marks };

	*c = (struct code){ .dis = s, .mem = mem, .label = label, .target = "", .version = "" };
	for (size_t i = 0; i < QD_COUNT(all); i++)
		buf_init(all[i], &s->ctx->pool);
}

void
code_fini(struct code *c)
{
	struct buf *all[] = { &c->regs, &c->insns, &c->refs, &c->ways, &c->handed, &c->functions, &c->marks };

	for (size_t i = 0; i < QD_COUNT(all); i++)
		buf_fini(all[i]);
}

void
code_add(struct buf *b, const void *row, size_t size)
{
	buf_put(b, row, size);
	if (b->nomem || b->len > UINT32_MAX)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
}

void *
code_alloc(struct arena *mem, size_t size)
{
	void *p = arena_zalloc(mem, size ? size : 1);

	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

char *
code_text(struct arena *mem, const char *s, size_t len)
{
	char *p = arena_strdup(mem, s, len);

	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

/* -- Blocks ------------------------------------------------------------------------------ */

static bool
leads_to(const struct gcn_flow *f, const struct gcn_block *b, uint32_t to)
{
	for (uint32_t k = 0; k < b->n_succ; k++) {
		if (f->edge[b->succ + k] == to)
			return true;
	}
	return false;
}

static void
cut_blocks(const struct code *c, struct code_fn *fn)
{
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first;
	const uint32_t *ways = (const uint32_t *)(const void *)buf_data(&c->ways);
	struct gcn_flow *f = &fn->flow;
	uint32_t n_way = 0;

	f->n_line = fn->n;
	f->line = code_alloc(c->mem, fn->n * sizeof *f->line);
	f->line[0].flags = LINE_LEADER | LINE_ENTRY;
	for (uint32_t i = 0; i < fn->n; i++) {
		n_way += in[i].n_way + 1;
		for (uint32_t k = 0; k < in[i].n_way; k++)
			f->line[ways[in[i].way + k] - fn->first].flags |= LINE_LEADER | LINE_TARGET;
		if ((in[i].n_way || !in[i].goes_on) && i + 1 < fn->n)
			f->line[i + 1].flags |= LINE_LEADER;
	}
	for (uint32_t i = 0; i < fn->n; i++)
		f->n_block += (f->line[i].flags & LINE_LEADER) != 0;
	f->block = code_alloc(c->mem, f->n_block * sizeof *f->block);
	f->edge = code_alloc(c->mem, 2 * (size_t)n_way * sizeof *f->edge);
	for (uint32_t i = 0, at = 0; i < fn->n; i++) {
		if (f->line[i].flags & LINE_LEADER)
			f->block[at++].first = i;
		f->line[i].block = at - 1;
		f->block[at - 1].n_line++;
	}
}

static void
add_ways(const struct code *c, struct code_fn *fn)
{
	const struct code_insn *all = CODE_ROWS(&c->insns, code_insn) + fn->first;
	const uint32_t *ways = (const uint32_t *)(const void *)buf_data(&c->ways);
	struct gcn_flow *f = &fn->flow;
	uint32_t at = 0;

	for (uint32_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		const struct code_insn *in = &all[b->first + b->n_line - 1];
		b->succ = at;
		if (in->goes_on && i + 1 < f->n_block)
			f->edge[b->succ + b->n_succ++] = i + 1;
		for (uint32_t k = 0; k < in->n_way; k++) {
			uint32_t to = f->line[ways[in->way + k] - fn->first].block;
			if (!leads_to(f, b, to))
				f->edge[b->succ + b->n_succ++] = to;
		}
		at += b->n_succ;
		for (uint32_t k = b->succ; k < at; k++)
			f->block[f->edge[k]].n_pred++;
	}
	f->n_edge = 2 * (size_t)at;
	for (uint32_t i = 0; i < f->n_block; i++) {
		f->block[i].pred = at;
		at += f->block[i].n_pred;
		f->block[i].n_pred = 0;
	}
	for (uint32_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		for (uint32_t k = 0; k < b->n_succ; k++) {
			struct gcn_block *to = &f->block[f->edge[b->succ + k]];
			f->edge[to->pred + to->n_pred++] = i;
		}
	}
}

/* gcn_flow_loops leaves an order in what is reached. */
static void
find_loops(struct gcn_flow *f)
{
	gcn_flow_loops(f);
	for (uint32_t i = 0; i < f->n_block; i++)
		f->block[i].reached = f->block[i].order != GCN_NOWHERE;
}

/* -- What is live ---------------------------------------------------------------------------- */

struct walk {
	const struct code *c;
	struct code_fn *fn;
	const struct code_insn *in;
	const uint32_t *refs;
	uint32_t words;
	uint64_t *into;	  /* of each block */
	uint64_t *handed; /* by each block to OpPhi */
	uint64_t *now;
};

static void
set(uint64_t *bits, uint32_t i, bool on)
{
	if (on)
		bits[i / 64] |= UINT64_C(1) << i % 64;
	else
		bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void
at_end(struct walk *l, uint32_t block)
{
	const struct gcn_flow *f = &l->fn->flow;
	const struct gcn_block *b = &f->block[block];

	memcpy(l->now, l->handed + (size_t)block * l->words, l->words * sizeof *l->now);
	for (uint32_t k = 0; k < b->n_succ; k++) {
		const uint64_t *from = l->into + (size_t)f->edge[b->succ + k] * l->words;
		for (uint32_t w = 0; w < l->words; w++)
			l->now[w] |= from[w];
	}
}

/* What the instruction is with, and then what it is before. */
static void
step(struct walk *l, uint32_t i, bool with)
{
	const struct code_insn *in = &l->in[i];
	const uint32_t *ref = l->refs + in->ref;
	uint32_t reg = l->fn->reg;

	for (uint32_t k = 0; k < in->n_def; k++)
		set(l->now, ref[k] - reg, with || in->keeps);
	for (uint32_t k = in->n_def; k < in->n_def + in->n_use; k++)
		set(l->now, ref[k] - reg, true);
}

static bool
walk_block(struct walk *l, uint32_t block)
{
	const struct gcn_block *b = &l->fn->flow.block[block];
	uint64_t *into = l->into + (size_t)block * l->words;

	at_end(l, block);
	for (uint32_t i = b->first + b->n_line; i-- > b->first;)
		step(l, i, false);
	bool same = memcmp(into, l->now, l->words * sizeof *into) == 0;
	memcpy(into, l->now, l->words * sizeof *into);
	return !same;
}

/* Blocks in the opposite of their order, which is that of what follows before what leads there;
 * one is looked at again only if what is live at its end may have changed. */
static void
walk_blocks(struct walk *l)
{
	const struct gcn_flow *f = &l->fn->flow;
	size_t n_words = f->n_block / 64 + 1;
	uint64_t *pending = code_alloc(l->c->mem, n_words * sizeof *pending);
	uint32_t *at = code_alloc(l->c->mem, (f->n_block + 1) * sizeof *at);
	bool again = false;

	for (uint32_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		if (!b->reached)
			continue;
		at[b->order] = i;
		set(pending, b->order, true);
		again = true;
	}
	while (again) {
		again = false;
		for (size_t w = n_words; w-- > 0;) {
			while (pending[w]) {
				uint32_t order = (uint32_t)(64 * w) + 63 - (uint32_t)__builtin_clzll(pending[w]);
				const struct gcn_block *b = &f->block[at[order]];

				set(pending, order, false);
				if (!walk_block(l, at[order]))
					continue;
				for (uint32_t k = 0; k < b->n_pred; k++) {
					const struct gcn_block *from = &f->block[f->edge[b->pred + k]];
					if (!from->reached)
						continue;
					set(pending, from->order, true);
					again |= from->order / 64 > w;
				}
			}
		}
	}
}

static void
count(struct walk *l, uint32_t i)
{
	struct code_insn *in = CODE_ROWS(&l->c->insns, code_insn) + l->fn->first + i;
	const struct code_reg *regs = CODE_ROWS(&l->c->regs, code_reg) + l->fn->reg;
	const struct code_form *form = l->c->form;
	struct code_fn *fn = l->fn;
	uint32_t words = 0;

	for (uint32_t w = 0; w < l->words; w++) {
		for (uint64_t bits = l->now[w]; bits; bits &= bits - 1)
			in->live[regs[64 * w + (uint32_t)__builtin_ctzll(bits)].kind]++;
	}
	for (uint32_t k = 0; k < form->n_kinds; k++) {
		words += form->kind_words ? form->kind_words[k] * in->live[k] : 0;
		/* The first place: blocks come in order, what is in them from the end. */
		if (in->live[k] > fn->peak[k] || (in->live[k] == fn->peak[k] && i < fn->peak_at[k])) {
			fn->peak[k] = in->live[k];
			fn->peak_at[k] = i;
		}
	}
	fn->peak_words = words > fn->peak_words ? words : fn->peak_words;
}

static void
find_live(struct code *c, struct code_fn *fn)
{
	const struct gcn_flow *f = &fn->flow;
	struct walk l = { .c = c, .fn = fn, .in = CODE_ROWS(&c->insns, code_insn) + fn->first,
			  .refs = (const uint32_t *)(const void *)buf_data(&c->refs),
			  .words = fn->n_reg / 64 + 1 };
	const struct code_handed *h = CODE_ROWS(&c->handed, code_handed);
	uint32_t n_handed = CODE_COUNT(&c->handed, code_handed);

	if ((uint64_t)l.words * f->n_block > MAX_LIVE_WORDS) {
		tool_message("warning", "'%s': function '%s' has %u registers in %zu basic blocks, too many to say what is live",
			     c->label, fn->name, fn->n_reg, f->n_block);
		return;
	}
	fn->has_live = true;
	l.into = code_alloc(c->mem, f->n_block * l.words * sizeof *l.into);
	l.handed = code_alloc(c->mem, f->n_block * l.words * sizeof *l.handed);
	l.now = code_alloc(c->mem, l.words * sizeof *l.now);
	for (uint32_t i = 0; i < n_handed; i++) {
		if (h[i].insn >= fn->first && h[i].insn - fn->first < fn->n)
			set(l.handed + (size_t)f->line[h[i].insn - fn->first].block * l.words, h[i].reg - fn->reg, true);
	}
	walk_blocks(&l);
	for (uint32_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		if (!b->reached)
			continue;
		at_end(&l, i);
		for (uint32_t k = b->first + b->n_line; k-- > b->first;) {
			step(&l, k, true);
			count(&l, k);
			step(&l, k, false);
		}
	}
}

void
code_link(struct code *c)
{
	struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);

	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++) {
		if (!fn[i].n)
			continue;
		cut_blocks(c, &fn[i]);
		add_ways(c, &fn[i]);
		find_loops(&fn[i].flow);
		find_live(c, &fn[i]);
	}
}

/* -- Which view -------------------------------------------------------------------------------- */

void
code_show(struct code *c)
{
	struct dis *s = c->dis;
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);

	dis_choose_begin(s);
	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++)
		dis_choose(s, fn[i].name);
	if (s->parts)
		code_parts(c);
	else if (s->req->view == DIS_JSON)
		code_json(c);
	else if (s->req->view == DIS_STATS)
		code_stats(c);
	else if (s->req->view == DIS_MIX)
		code_mix(c);
	else if (s->req->view == DIS_CFG)
		code_cfg(c);
	else
		code_list(c);
	s->n_files++;
}
