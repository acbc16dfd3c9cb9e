/* Decompresses images in files of other compilers: one frame of zstd, if built with libzstd, or
 * one block of LZ4. */
#ifndef JIT_UNPACK_H
#define JIT_UNPACK_H

#include "base.h"

enum pack { PACK_NONE, PACK_ZSTD, PACK_LZ4, PACK_UNKNOWN };
extern const char *const pack_names[];

/* Unpacks exactly out_size bytes, else fails. at: offset of the packed bytes in the user's
 * file. */
qd_status unpack(enum pack how, const uint8_t *in, size_t in_size, uint64_t at, uint8_t *out,
		 size_t out_size, struct qd_error *err);
/* Returns the status for a failed call of zstd: QD_E_NOMEM or `other`. */
qd_status unpack_zstd_status(size_t result, qd_status other);
/* Returns the most bytes that all packed parts of a file of this size together may unpack to, so
 * that a small file cannot use much memory. */
enum { UNPACK_TIMES = 64, UNPACK_FREE = 64 << 20 };
static inline uint64_t
unpack_limit(uint64_t file_size)
{
	return file_size * UNPACK_TIMES + UNPACK_FREE;
}
/* Text of the limit for error messages; whole: "file". */
#define UNPACK_LIMIT_TEXT(whole)                                                                   \
	"%llu bytes once it is unpacked; the limit is %llu (64 times the size of the " whole       \
	" plus 64 MiB)"
/* Returns whether the packed bytes can possibly unpack to out_size bytes. */
bool unpack_fits(enum pack how, const uint8_t *in, size_t in_size, uint64_t out_size);

#endif
