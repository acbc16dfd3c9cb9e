/* Creates ELF files in memory with libelf. libelf writes only to file descriptors, so the file is
 * first written to a memfd. */
#ifndef JIT_ELFWRITE_H
#define JIT_ELFWRITE_H

#include <libelf.h>

#include "base.h"

/* Appends an ELF file to out; on failure out keeps its length. fill creates headers and sections,
 * whose data must be valid until this function returns. what: name of the file in messages, "a
 * fatbin". */
qd_status elf_write(struct buf *out, const char *what, bool (*fill)(void *user, Elf *elf),
		    void *user, struct qd_error *err);

#endif
