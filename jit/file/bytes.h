/* Bytes of files: what those have in common who read them without trust, or write them. */
#ifndef JIT_BYTES_H
#define JIT_BYTES_H

#include "base.h"

/* A number of so many bytes, at most 8, the least first. */
uint64_t bytes_number(const uint8_t *p, size_t size);
/* "offset 0x40: text", QD_E_INVALID; in: what stands behind the number, "" for a file. */
QD_COLD qd_status bytes_vfail(struct qd_error *err, uint64_t at, const char *in, const char *fmt,
			      va_list ap) QD_PRINTF(4, 0);
/* rows with *n of `size` bytes and room for *cap, in mem, and this one behind them; where they
 * moved to, NULL: out of memory. */
void *bytes_append(struct arena *mem, void *rows, uint32_t *n, uint32_t *cap, const void *row,
		   size_t size, struct qd_error *err);
/* All of them, to a file's end: 0, or errno. */
int bytes_write(int fd, const void *data, size_t size);

#endif
