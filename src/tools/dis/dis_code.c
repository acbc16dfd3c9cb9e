/* Shared by the views of PTX and SPIR-V: basic blocks, and the choice of a printer. */
#include "dis_code.h"

/* Limit of branch targets: MAX_WAYS, and 4 per byte of the code. */
enum { MAX_WAYS = 1 << 16, MAX_WAYS_PER_BYTE = 4 };

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

void
code_add_way(struct code *c, uint32_t insn)
{
	uint64_t most = MAX_WAYS + (uint64_t)MAX_WAYS_PER_BYTE * c->size;

	if (c->ways.len / sizeof insn >= most)
		tool_die(EXIT_INPUT,
			 "'%s': branches have more than %llu targets in total, which is the limit "
			 "for %zu bytes",
			 c->label, (unsigned long long)most, c->size);
	code_add(&c->ways, &insn, sizeof insn);
}

/* -- Blocks ------------------------------------------------------------------------------ */

static void
cut_blocks(const struct code *c, struct code_fn *fn)
{
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first;
	const uint32_t *ways = (const uint32_t *)(const void *)buf_data(&c->ways);
	struct cfg *f = &fn->flow;
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
	struct cfg *f = &fn->flow;
	uint32_t at = 0;

	/* last block with an edge to each block, plus 1: prevents duplicates */
	uint32_t *from = code_alloc(c->mem, f->n_block * sizeof *from);
	for (uint32_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		const struct code_insn *in = &all[b->first + b->n_line - 1];
		b->succ = at;
		if (in->goes_on && i + 1 < f->n_block) {
			f->edge[b->succ + b->n_succ++] = i + 1;
			from[i + 1] = i + 1;
		}
		for (uint32_t k = 0; k < in->n_way; k++) {
			uint32_t to = f->line[ways[in->way + k] - fn->first].block;
			if (from[to] == i + 1)
				continue;
			f->edge[b->succ + b->n_succ++] = to;
			from[to] = i + 1;
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

/* gcn_flow_loops gives an order to reachable blocks only. */
static void
find_loops(struct cfg *f)
{
	gcn_flow_loops(f);
	for (uint32_t i = 0; i < f->n_block; i++)
		f->block[i].reached = f->block[i].order != GCN_NOWHERE;
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
		code_find_live(c, &fn[i]);
	}
}

/* -- Views ------------------------------------------------------------------------------------- */

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
