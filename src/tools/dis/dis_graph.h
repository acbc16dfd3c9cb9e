/* Basic blocks of a function of any back end, for Graphviz and as JSON. */
#ifndef QD_TOOLS_DIS_GRAPH_H
#define QD_TOOLS_DIS_GRAPH_H

#include "dis.h"
#include "flow.h"

struct dis_graph {
	struct dis *s;
	const struct cfg *flow;
	const void *code; /* of the back end */
	struct arena *mem; /* reset after each block */
	const uint32_t *label; /* number of each line's label, or GCN_NOWHERE; NULL: not shown */
	int addr_width;
	uint64_t (*addr)(const struct dis_graph *g, uint32_t line);
	const char *(*text)(const struct dis_graph *g, uint32_t line);
	/* Returns the label of an edge. */
	const char *(*edge)(const struct dis_graph *g, uint32_t from, uint32_t to);
};

/* Prints a graph whose nodes are the basic blocks. */
void dis_graph_dot(const struct dis_graph *g, const char *name);
/* Writes a record per block. addr is used, text and edge are not. */
void dis_graph_json(const struct dis_graph *g);

#endif
