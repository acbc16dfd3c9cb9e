/* Source lines of a text that consists of several files. A position counts rows of the whole text.
 * Parts of the text assign rows to files and lines; a line that is too long for a position has
 * several rows. Without parts, rows are lines. */
#ifndef QD_IR_LINE_MAP_H
#define QD_IR_LINE_MAP_H

#include "base.h"

struct line_part {
	uint32_t row;	/* its first row */
	uint32_t text;	/* the line of the whole text that contains this row, from 1 */
	uint32_t line;	/* the number of that line in the file */
	uint32_t shift; /* columns of that line before the row */
	const char *file;
};

struct line_map {
	const struct line_part *part; /* ascending by row */
	uint32_t n;
};

struct line_place {
	const char *file;
	uint32_t line, col;	      /* in the file, from 1 */
	uint32_t text_line, text_col; /* in the whole text */
};

/* Returns the place of a position. file: of rows before the first part; NULL: "-". */
struct line_place line_map_place(const struct line_map *m, const char *file, uint32_t pos);

#endif
