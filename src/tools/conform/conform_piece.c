/* Pieces of the conformance cases (conform.h). */
#include "conform.h"

void
piece_family(const struct piece *p, struct row *row, struct family *out)
{
	*out = *p->of;
	if (p->row) {
		*row = *p->row;
		row->types = 1u << p->type;
		out->rows = row;
		out->n_rows = 1;
		out->run = NULL;
		out->count = NULL;
	} else {
		out->n_rows = 0;
	}
}

void
piece_name(const struct piece *p, char *out, size_t size)
{
	if (p->row)
		snprintf(out, size, "%s/%s %s", p->of->name, p->row->name, qd_type_name(p->type));
	else
		snprintf(out, size, "%s", p->of->name);
}
