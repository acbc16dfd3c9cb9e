/* What lines.c and lines_unit.c share: the bytes of .debug_line, and a unit's head. */
#ifndef JIT_LINES_READ_H
#define JIT_LINES_READ_H

#include "lines.h"

struct line_reloc {
	uint64_t offset;  /* in .debug_line */
	uint32_t section; /* of what stands there */
};

struct line_reader {
	const struct elf_file *f;
	const struct elf_section *section, *str, *line_str; /* .debug_line and its texts */
	const uint8_t *data;				    /* of the section, relocated */
	size_t at, end;
	bool short_of;		  /* more was read than there is; zeros */
	uint64_t budget;	  /* of bytes for paths */
	struct line_reloc *reloc; /* by offset */
	size_t n_reloc;
};

struct line_unit {
	size_t program, end; /* program 0: of a version that is not known */
	const char **files;
	uint64_t first_file, n_files;
	uint8_t least, range, first_special;
	int8_t base;
	uint8_t n_operands[256]; /* of standard instructions */
};

uint64_t lines_number(struct line_reader *r, unsigned bytes);
uint64_t lines_leb(struct line_reader *r, bool is_signed);
const char *lines_string(struct line_reader *r);
qd_status lines_fail(const struct line_reader *r, struct qd_error *err, const char *what);

/* The head of the unit at r->at; files: with its files. */
qd_status lines_unit(struct arena *mem, struct line_reader *r, struct line_unit *u, bool files,
		     struct qd_error *err);

#endif
