/* Writes MessagePack. Each value takes the shortest form that the specification has for it,
 * as msgpack-c and LLVM write it. */
#include "msgpack.h"

/* The first bytes of one kind. A number below n_short is part of the byte `shortest`. A larger
 * one follows the byte by_size[i] in 1 << i bytes; 0: the kind has no such form. */
struct form {
	uint8_t shortest, n_short, by_size[4];
};

static const struct form uint_form = { 0x00, 128, { 0xcc, 0xcd, 0xce, 0xcf } };
static const struct form string_form = { 0xa0, 32, { 0xd9, 0xda, 0xdb, 0 } };
static const struct form array_form = { 0x90, 16, { 0, 0xdc, 0xdd, 0 } };
static const struct form map_form = { 0x80, 16, { 0, 0xde, 0xdf, 0 } };

static void
put_head(struct buf *out, const struct form *f, uint64_t v)
{
	uint8_t bytes[9];

	if (v < f->n_short) {
		bytes[0] = (uint8_t)(f->shortest | v);
		buf_put(out, bytes, 1);
		return;
	}
	for (unsigned i = 0; i < QD_COUNT(f->by_size); i++) {
		size_t size = (size_t)1 << i;
		if (!f->by_size[i] || (size < 8 && v >> 8 * size))
			continue;
		bytes[0] = f->by_size[i];
		for (size_t at = size; at > 0; at--, v >>= 8)
			bytes[at] = (uint8_t)v;
		buf_put(out, bytes, 1 + size);
		return;
	}
}

void
msgpack_put_uint(struct buf *out, uint64_t v)
{
	put_head(out, &uint_form, v);
}

void
msgpack_put_bool(struct buf *out, bool v)
{
	const uint8_t byte = v ? 0xc3 : 0xc2;

	buf_put(out, &byte, 1);
}

void
msgpack_put_string(struct buf *out, const char *a, const char *b)
{
	size_t len = strlen(a), more = strlen(b);

	put_head(out, &string_form, len + more);
	buf_put(out, a, len);
	buf_put(out, b, more);
}

void
msgpack_put_array(struct buf *out, uint32_t n)
{
	put_head(out, &array_form, n);
}

void
msgpack_put_map(struct buf *out, uint32_t n)
{
	put_head(out, &map_form, n);
}
