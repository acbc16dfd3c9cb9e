/* MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md): a cursor over the
 * caller's bytes, and a writer.  A document is checked once, whole; after that nothing about
 * reading it can fail.
 *
 * Read by hand, since a library that builds objects first trusts the counts:
 * msgpack-c 4.0 maps 8 GB for six bytes that announce a long array. */
#ifndef JIT_MSGPACK_H
#define JIT_MSGPACK_H

#include "base.h"

enum msgpack_kind {
	MSGPACK_NIL, MSGPACK_BOOL, MSGPACK_UINT, MSGPACK_INT, MSGPACK_FLOAT, MSGPACK_STRING,
	MSGPACK_BYTES, MSGPACK_ARRAY, MSGPACK_MAP
};

struct msgpack_value {
	enum msgpack_kind kind;
	uint64_t u;	  /* bool, uint; int as its two's complement; elements or pairs */
	double f;
	const char *data; /* of strings and bytes; no NUL behind */
	size_t size;
};

/* One value and what is in it, checked. */
struct msgpack {
	const uint8_t *data;
	size_t size;
};

/* Exactly one well-formed value, nested MSGPACK_MAX_DEPTH deep at most; base is
 * added to the offset in messages. */
enum { MSGPACK_MAX_DEPTH = 32 };
qd_status msgpack_check(const void *data, size_t size, uint64_t base, struct msgpack *out,
			struct qd_error *err);

/* Of a checked value: the value at `at` itself (of an array or map its count);
 * returns the place behind it, which is its first element's, if it has any. */
size_t msgpack_get(const struct msgpack *m, size_t at, struct msgpack_value *out);
/* The place behind the value at `at` and all in it. */
size_t msgpack_skip(const struct msgpack *m, size_t at);

bool msgpack_is(const struct msgpack_value *v, const char *text);

/* Append to `out` one value in its shortest form; a failed allocation is out->nomem. */
void msgpack_put_uint(struct buf *out, uint64_t v);
void msgpack_put_bool(struct buf *out, bool v);
/* The text of `a` followed by that of `b`; less than 4 GiB. */
void msgpack_put_string(struct buf *out, const char *a, const char *b);
/* Then come n values, or n pairs of a key and a value. */
void msgpack_put_array(struct buf *out, uint32_t n);
void msgpack_put_map(struct buf *out, uint32_t n);

#endif
