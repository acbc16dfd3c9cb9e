/* Which line of which source the code of an object is from: its .debug_line, of
 * DWARF 2 to 5, linked or not.  What compilers write, and nothing else of DWARF.
 *
 * Read by hand like the rest of the file (elffile.h): libdw would bring a reader of
 * all of DWARF, which takes the file as it is and cannot say where it is wrong. */
#ifndef JIT_LINES_H
#define JIT_LINES_H

#include "elffile.h"

struct line_range {
	uint64_t from, to;     /* addresses */
	uint32_t section;      /* of a file that is not linked; else ELF_NO_SECTION */
	uint32_t line, column; /* line 0: of no line, column 0: of the whole of it */
	const char *file;
};

struct line_table {
	struct line_range *ranges; /* by section, from */
	size_t n;
};

/* No .debug_line is an empty table.  err has the offset in the file. */
qd_status lines_read(struct arena *mem, const struct elf_file *f, struct line_table *out,
		     struct qd_error *err);
/* NULL where the address, in that section of the file, is in no range. */
const struct line_range *lines_find(const struct line_table *t, const struct elf_file *f,
				    uint32_t section, uint64_t addr);

#endif
