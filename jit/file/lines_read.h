/* Shared by lines.c and lines_unit.c: the bytes of .debug_line, and the header of a unit. */
#ifndef JIT_LINES_READ_H
#define JIT_LINES_READ_H

#include "lines.h"

struct line_reloc {
	uint64_t offset;  /* in .debug_line */
	uint32_t section; /* of the address there */
};

struct line_reader {
	const struct elf_file *f;
	const struct elf_section *section, *str, *line_str; /* .debug_line and its strings */
	const uint8_t *data;				    /* of the section, relocated */
	size_t at, end;
	bool short_of;		  /* a read exceeded the end and returned zeros */
	uint64_t budget;	  /* bytes left for paths */
	struct line_reloc *reloc; /* sorted by offset */
	size_t n_reloc;
};

struct line_unit {
	size_t program, end; /* program 0: unknown version */
	const char **files;
	uint64_t first_file, n_files;
	uint8_t least, range, first_special;
	int8_t base;
	uint8_t n_operands[256]; /* by opcode of standard instructions */
};

uint64_t lines_number(struct line_reader *r, unsigned bytes);
uint64_t lines_leb(struct line_reader *r, bool is_signed);
const char *lines_string(struct line_reader *r);
qd_status lines_fail(const struct line_reader *r, struct qd_error *err, const char *what);

/* Reads the header of the unit at r->at; files: creates the list of its files. */
qd_status lines_unit(struct arena *mem, struct line_reader *r, struct line_unit *u, bool files,
		     struct qd_error *err);

#endif
