/* Lookups in the tables, with indexes that text/index.c generates at build time. */
#include "table.h"
#include "layouts.inc"
#include "rows.inc"

unsigned
gcn_row_find(const struct gcn_target *t, unsigned format, unsigned op)
{
	unsigned row = gcn_paged(row_page[gcn_class_of(t)], row_cell, format * 256 + op);

	return row ? row - 1 : GCN_N_ROW;
}

bool
gcn_has(const struct gcn_target *t, enum gcn_row_id row)
{
	return gcn_row_has(&gcn_rows[row]) & t->class_bit;
}

const struct gcn_layout *
gcn_layout_of(const struct gcn_target *t, unsigned format)
{
	unsigned i = layout_of[t->gen][format];

	return i ? &gcn_layouts[i - 1] : NULL;
}
