/* Control flow for Graphviz, with the addresses and labels of the listing, and as JSON. */
#include "dis_graph.h"

#include "demangle.h"

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
put_block(const struct dis_graph *g, uint32_t i)
{
	const struct gcn_block *b = &g->flow->block[i];
	bool head = b->loop == i;
	FILE *f = g->s->out.file;
	int n = 0;

	fprintf(f, "\tb%u [%s%slabel=\"", i, b->reached ? "" : "style=dashed, ",
		head ? "peripheries=2, " : "");
	if (g->label && g->label[b->first] != GCN_NOWHERE)
		n += fprintf(f, ".L%u:", g->label[b->first]);
	if (b->depth)
		n += fprintf(f, "%s; %s a loop, depth %u", n ? "  " : "", head ? "head of" : "in",
			     b->depth);
	if (!b->reached)
		n += fprintf(f, "%s; not reached", n ? "  " : "");
	fputs(n ? "\\l" : "", f);
	for (uint32_t k = b->first; k < b->first + b->n_line; k++) {
		if (!g->s->req->no_addr)
			fprintf(f, "%0*llx  ", g->addr_width, (unsigned long long)g->addr(g, k));
		put_quoted(f, g->text(g, k));
		fputs("\\l", f);
	}
	fputs("\"];\n", f);
	arena_reset(g->mem);
}

void
dis_graph_dot(const struct dis_graph *g, const char *name)
{
	static const char *const ways[] = { [WAY_ON] = "\"];\n",
					    [WAY_BACK] = ", back\", color=blue];\n",
					    [WAY_ASIDE] = ", back, to no head\", color=red];\n" };
	const char *written = demangle(g->mem, name);
	FILE *f = g->s->out.file;

	fputs("digraph \"", f);
	put_quoted(f, written ? written : name);
	fputs("\" {\n\tnode [shape=box, fontname=monospace];\n", f);
	for (uint32_t i = 0; i < g->flow->n_block; i++) {
		const struct gcn_block *b = &g->flow->block[i];
		put_block(g, i);
		for (uint32_t k = 0; k < b->n_succ; k++) {
			uint32_t to = g->flow->edge[b->succ + k];
			fprintf(f, "\tb%u -> b%u [label=\"%s%s", i, to, g->edge(g, i, to),
				ways[gcn_flow_way(g->flow, i, to)]);
		}
	}
	fputs("}\n", f);
}

void
dis_graph_json(const struct dis_graph *g)
{
	static const char *const ways[] = { [WAY_ON] = "on", [WAY_BACK] = "back", [WAY_ASIDE] = "aside" };
	FILE *f = g->s->out.file;

	for (uint32_t i = 0; i < g->flow->n_block; i++) {
		const struct gcn_block *b = &g->flow->block[i];
		fprintf(f, "%s\n{\"addr\":\"0x%llx\",\"reached\":%s,\"loop\":", i ? "," : "",
			(unsigned long long)g->addr(g, b->first), b->reached ? "true" : "false");
		fprintf(f, b->loop == GCN_NOWHERE ? "null" : "%u", b->loop);
		fprintf(f, ",\"depth\":%u,\"next\":[", b->depth);
		for (uint32_t k = 0; k < b->n_succ; k++) {
			uint32_t to = g->flow->edge[b->succ + k];
			fprintf(f, "%s{\"block\":%u,\"way\":\"%s\"}", k ? "," : "", to, ways[gcn_flow_way(g->flow, i, to)]);
		}
		fputs("]}", f);
	}
}
