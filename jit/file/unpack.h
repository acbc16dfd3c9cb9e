/* What images are packed with in files of other makers: one frame of zstd, where libzstd
 * is, or one block of LZ4, which is read here. */
#ifndef JIT_UNPACK_H
#define JIT_UNPACK_H

#include "base.h"

enum pack { PACK_NONE, PACK_ZSTD, PACK_LZ4, PACK_UNKNOWN };
extern const char *const pack_names[];

/* Exactly out_size bytes, or an error; at: where the packed bytes lie in the file that the
 * user named. */
qd_status unpack(enum pack how, const uint8_t *in, size_t in_size, uint64_t at, uint8_t *out,
		 size_t out_size, struct qd_error *err);
/* What a call of zstd failed with: QD_E_NOMEM, or `other`. */
qd_status unpack_zstd_status(size_t result, qd_status other);
/* How many bytes all that is packed in a file of this size may unpack to: UNPACK_TIMES the file
 * and UNPACK_FREE, so that a small file takes little memory. */
enum { UNPACK_TIMES = 64, UNPACK_FREE = 64 << 20 };
static inline uint64_t
unpack_limit(uint64_t file_size)
{
	return file_size * UNPACK_TIMES + UNPACK_FREE;
}
/* "... all together may have ...": a limit's words, for the reader's error; whole: "file". */
#define UNPACK_LIMIT_TEXT(whole)                                                                   \
	"%llu bytes once it is unpacked; all of this " whole " may have %llu (64 times the " whole \
	" and 64 MiB)"
/* Can so many bytes come out of so few?  What no packer reaches is not worth the memory. */
bool unpack_fits(enum pack how, const uint8_t *in, size_t in_size, uint64_t out_size);

#endif
