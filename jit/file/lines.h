/* Source lines of code: reads .debug_line of DWARF 2 to 5 in linked and relocatable files, and no
 * other part of DWARF.
 *
 * This reader does not use libdw, which does not validate the file and does not report the offset
 * of an error. */
#ifndef JIT_LINES_H
#define JIT_LINES_H

#include "elffile.h"

struct line_range {
	uint64_t from, to;     /* addresses */
	uint32_t section;      /* in a relocatable file; else ELF_NO_SECTION */
	uint32_t line, column; /* line 0: no line; column 0: the whole line */
	const char *file;
};

struct line_table {
	struct line_range *ranges; /* sorted by section, from */
	size_t n;
};

/* Reads the table; it is empty if there is no .debug_line. err contains the offset in the file. */
qd_status lines_read(struct arena *mem, const struct elf_file *f, struct line_table *out,
		     struct qd_error *err);
/* Returns the range that contains the address in this section, or NULL. */
const struct line_range *lines_find(const struct line_table *t, const struct elf_file *f,
				    uint32_t section, uint64_t addr);

#endif
