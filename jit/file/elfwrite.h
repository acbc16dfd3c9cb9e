/* ELF files made by libelf, in memory: it writes to file descriptors alone, so there is
 * one without a name between. */
#ifndef JIT_ELFWRITE_H
#define JIT_ELFWRITE_H

#include <libelf.h>

#include "base.h"

/* fill makes headers and sections; what they point at must live until this returns.  The
 * file comes behind what out has; where it fails out is as long as it was.  what: of
 * messages, "a fatbin". */
qd_status elf_write(struct buf *out, const char *what, bool (*fill)(void *user, Elf *elf),
		    void *user, struct qd_error *err);

#endif
