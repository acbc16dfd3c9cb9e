/* Helpers of readers of untrusted files, and of writers. */
#ifndef JIT_BYTES_H
#define JIT_BYTES_H

#include "base.h"

/* Reads a little-endian number of at most 8 bytes. */
uint64_t bytes_number(const uint8_t *p, size_t size);
/* Reports QD_E_INVALID: "offset 0x40: text". The text `in` follows the number; "" for a file. */
QD_COLD qd_status bytes_vfail(struct qd_error *err, uint64_t at, const char *in, const char *fmt,
			      va_list ap) QD_PRINTF(4, 0);
/* Appends a row of `size` bytes to an array in mem with *n rows and capacity *cap. Returns the
 * array, which may have moved, or NULL if out of memory. */
void *bytes_append(struct arena *mem, void *rows, uint32_t *n, uint32_t *cap, const void *row,
		   size_t size, struct qd_error *err);
/* Writes all bytes to a file; returns 0 or errno. */
int bytes_write(int fd, const void *data, size_t size);

#endif
