/* MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md): a cursor over the
 * caller's bytes, and a writer. A document is validated once as a whole; after that, reading it
 * cannot fail.
 *
 * This reader does not use msgpack-c, which builds objects and trusts the counts: version 4.0
 * maps 8 GB for six bytes that announce a long array. */
#ifndef JIT_MSGPACK_H
#define JIT_MSGPACK_H

#include "base.h"

enum msgpack_kind {
	MSGPACK_NIL, MSGPACK_BOOL, MSGPACK_UINT, MSGPACK_INT, MSGPACK_FLOAT, MSGPACK_STRING,
	MSGPACK_BYTES, MSGPACK_ARRAY, MSGPACK_MAP
};

struct msgpack_value {
	enum msgpack_kind kind;
	uint64_t u;	  /* bool; uint; int in two's complement; number of elements or pairs */
	double f;
	const char *data; /* strings and bytes; not NUL-terminated */
	size_t size;
};

/* A validated document: one value and its contents. */
struct msgpack {
	const uint8_t *data;
	size_t size;
};

/* Validates that the bytes are exactly one value, nested at most MSGPACK_MAX_DEPTH deep. base is
 * added to the offset in messages. */
enum { MSGPACK_MAX_DEPTH = 32 };
qd_status msgpack_check(const void *data, size_t size, uint64_t base, struct msgpack *out,
			struct qd_error *err);

/* Reads the value at `at`; for an array or a map only its count. Returns the offset of the next
 * value, which is the first element of a nonempty array or map. */
size_t msgpack_get(const struct msgpack *m, size_t at, struct msgpack_value *out);
/* Returns the offset after the value at `at` and its contents. */
size_t msgpack_skip(const struct msgpack *m, size_t at);

bool msgpack_is(const struct msgpack_value *v, const char *text);

/* Append one value to `out` in its shortest form; a failed allocation sets out->nomem. */
void msgpack_put_uint(struct buf *out, uint64_t v);
void msgpack_put_bool(struct buf *out, bool v);
/* The text of `a` followed by that of `b`; less than 4 GiB. */
void msgpack_put_string(struct buf *out, const char *a, const char *b);
/* Append the start of an array or a map; n values, or n pairs of key and value, must follow. */
void msgpack_put_array(struct buf *out, uint32_t n);
void msgpack_put_map(struct buf *out, uint32_t n);

#endif
