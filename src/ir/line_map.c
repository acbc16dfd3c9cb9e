/* Places of positions: see line_map.h. */
#include "line_map.h"
#include "ir.h"

struct line_place
line_map_place(const struct line_map *m, const char *file, uint32_t pos)
{
	uint32_t row = POS_LINE(pos), col = POS_COL(pos), lo = 0, hi = m ? m->n : 0, past;
	const struct line_part *p;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->part[mid].row <= row)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return (struct line_place){ file ? file : "-", row, col, row, col };
	p = &m->part[lo - 1];
	past = row - p->row;
	col += past ? 0 : p->shift;
	return (struct line_place){ p->file, p->line + past, col, p->text + past, col };
}
