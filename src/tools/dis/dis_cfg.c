/* Control flow of AMD code. */
#include "dis_gcn.h"

#include "effect.h"

static uint64_t
addr(const struct dis_graph *g, uint32_t line)
{
	const struct dis_piece *p = g->code;

	return p->addr + p->flow.line[line].offset;
}

static const char *
text(const struct dis_graph *g, uint32_t line)
{
	const struct dis_piece *p = g->code;
	char *out = arena_alloc(g->mem, GCN_TEXT_SIZE);

	if (!out)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	dis_gcn_text(p, &p->flow.line[line], g->label, out);
	return out;
}

/* A branch to the next block has one edge for both outcomes. */
static const char *
edge(const struct dis_graph *g, uint32_t from, uint32_t to)
{
	const struct gcn_block *b = &g->flow->block[from];
	const struct gcn_line *last = &g->flow->line[b->first + b->n_line - 1];
	bool taken = last->target != GCN_NOWHERE && g->flow->line[last->target].block == to;
	struct gcn_props props = { 0 };

	if (!(last->flags & LINE_UNKNOWN))
		props = gcn_props_of(last->insn.row);
	if (taken && (props.flags & E(COND)) && last->target == b->first + b->n_line)
		return "taken or not";
	return taken ? "taken" : props.flags & E(LINK) ? "comes back" : "falls through";
}

struct dis_graph
dis_gcn_graph(struct dis *s, const struct dis_piece *p)
{
	return (struct dis_graph){ .s = s, .flow = &p->flow, .code = p, .addr_width = dis_gcn_addr_width(p),
				   .addr = addr, .text = text, .edge = edge };
}

uint32_t
dis_gcn_cfg(struct dis *s, const struct dis_piece *p, uint32_t label)
{
	struct dis_graph g = dis_gcn_graph(s, p);
	struct arena labels, mem;

	arena_init(&labels, &s->ctx->pool);
	arena_init(&mem, &s->ctx->pool);
	g.mem = &mem;
	g.label = dis_gcn_labels(p, &labels, &label);
	dis_graph_dot(&g, p->name ? p->name : "code");
	arena_fini(&mem);
	arena_fini(&labels);
	return label;
}
