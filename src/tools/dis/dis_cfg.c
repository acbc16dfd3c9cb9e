/* Control flow of AMD code for Graphviz: one graph per function. Its nodes are the basic blocks,
 * with the addresses and labels of the listing. */
#include "dis_gcn.h"

#include "demangle.h"
#include "effect.h"

/* Escapes text for a quoted string. */
static void
put_quoted(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		if ((unsigned char)*text >= ' ')
			fputc(*text, f);
	}
}

static void
put_block(struct dis *s, const struct dis_piece *p, const uint32_t *label, uint32_t i)
{
	const struct cfg *flow = &p->flow;
	const struct gcn_block *b = &flow->block[i];
	bool head = b->loop == i;
	char text[GCN_TEXT_SIZE];
	FILE *f = s->out.file;
	int n = 0;

	fprintf(f, "\tb%u [%s%slabel=\"", i, b->reached ? "" : "style=dashed, ",
		head ? "peripheries=2, " : "");
	if (label[b->first] != GCN_NOWHERE)
		n += fprintf(f, ".L%u:", label[b->first]);
	if (b->depth)
		n += fprintf(f, "%s; %s a loop, depth %u", n ? "  " : "", head ? "head of" : "in",
			     b->depth);
	if (!b->reached)
		n += fprintf(f, "%s; not reached", n ? "  " : "");
	fputs(n ? "\\l" : "", f);
	for (uint32_t k = b->first; k < b->first + b->n_line; k++) {
		const struct gcn_line *line = &flow->line[k];
		if (!s->req->no_addr)
			fprintf(f, "%0*llx  ", dis_gcn_addr_width(p),
				(unsigned long long)(p->addr + line->offset));
		dis_gcn_text(p, line, label, text);
		put_quoted(f, text);
		fputs("\\l", f);
	}
	fputs("\"];\n", f);
}

/* Returns the label of an edge. A branch to the next block has one edge for both outcomes. */
static const char *
how(const struct cfg *flow, const struct gcn_block *b, uint32_t to)
{
	const struct gcn_line *last = &flow->line[b->first + b->n_line - 1];
	bool taken = last->target != GCN_NOWHERE && flow->line[last->target].block == to;
	struct gcn_props props = { 0 };

	if (!(last->flags & LINE_UNKNOWN))
		props = gcn_props_of(last->insn.row);
	if (taken && (props.flags & E(COND)) && last->target == b->first + b->n_line)
		return "taken or not";
	return taken ? "taken" : props.flags & E(LINK) ? "comes back" : "falls through";
}

static void
put_edge(struct dis *s, const struct cfg *flow, uint32_t from, uint32_t to)
{
	static const char *const ways[] = { [WAY_ON] = "\"];\n",
					    [WAY_BACK] = ", back\", color=blue];\n",
					    [WAY_ASIDE] = ", back, to no head\", color=red];\n" };

	fprintf(s->out.file, "\tb%u -> b%u [label=\"%s%s", from, to,
		how(flow, &flow->block[from], to), ways[gcn_flow_way(flow, from, to)]);
}

uint32_t
dis_gcn_cfg(struct dis *s, const struct dis_piece *p, uint32_t label)
{
	const struct cfg *flow = &p->flow;
	FILE *f = s->out.file;
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	uint32_t *labels = dis_gcn_labels(p, &mem, &label);
	fputs("digraph \"", f);
	const char *written = p->name ? demangle(&mem, p->name) : "code";
	put_quoted(f, written ? written : p->name);
	fputs("\" {\n\tnode [shape=box, fontname=monospace];\n", f);
	for (uint32_t i = 0; i < flow->n_block; i++) {
		const struct gcn_block *b = &flow->block[i];
		put_block(s, p, labels, i);
		for (uint32_t k = 0; k < b->n_succ; k++)
			put_edge(s, flow, i, flow->edge[b->succ + k]);
	}
	fputs("}\n", f);
	arena_fini(&mem);
	return label;
}
