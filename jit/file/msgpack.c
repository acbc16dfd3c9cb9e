/* Reads MessagePack, with a table of the ranges of the first byte. */
#include "msgpack.h"

/* Range of first bytes, from `from` to the next row's. A number of `size` bytes follows, which is
 * the value, or the length of a string, bytes, an array or a map. size 0: the number is the first
 * byte minus `from`. extra: bytes between length and content. */
static const struct lead {
	uint8_t from, kind, size, extra;
} leads[] = {
	{ 0x00, MSGPACK_UINT, 0, 0 },	{ 0x80, MSGPACK_MAP, 0, 0 },
	{ 0x90, MSGPACK_ARRAY, 0, 0 },	{ 0xa0, MSGPACK_STRING, 0, 0 },
	{ 0xc0, MSGPACK_NIL, 0, 0 },	{ 0xc1, UINT8_MAX, 0, 0 },
	{ 0xc2, MSGPACK_BOOL, 0, 0 },	{ 0xc4, MSGPACK_BYTES, 1, 0 },
	{ 0xc5, MSGPACK_BYTES, 2, 0 },	{ 0xc6, MSGPACK_BYTES, 4, 0 },
	{ 0xc7, MSGPACK_BYTES, 1, 1 },	{ 0xc8, MSGPACK_BYTES, 2, 1 },
	{ 0xc9, MSGPACK_BYTES, 4, 1 },	{ 0xca, MSGPACK_FLOAT, 4, 0 },
	{ 0xcb, MSGPACK_FLOAT, 8, 0 },	{ 0xcc, MSGPACK_UINT, 1, 0 },
	{ 0xcd, MSGPACK_UINT, 2, 0 },	{ 0xce, MSGPACK_UINT, 4, 0 },
	{ 0xcf, MSGPACK_UINT, 8, 0 },	{ 0xd0, MSGPACK_INT, 1, 0 },
	{ 0xd1, MSGPACK_INT, 2, 0 },	{ 0xd2, MSGPACK_INT, 4, 0 },
	{ 0xd3, MSGPACK_INT, 8, 0 },	{ 0xd4, MSGPACK_BYTES, 0, 1 },
	{ 0xd9, MSGPACK_STRING, 1, 0 }, { 0xda, MSGPACK_STRING, 2, 0 },
	{ 0xdb, MSGPACK_STRING, 4, 0 }, { 0xdc, MSGPACK_ARRAY, 2, 0 },
	{ 0xdd, MSGPACK_ARRAY, 4, 0 },	{ 0xde, MSGPACK_MAP, 2, 0 },
	{ 0xdf, MSGPACK_MAP, 4, 0 },	{ 0xe0, MSGPACK_INT, 0, 0 },
};

static const struct lead *
lead_of(uint8_t byte)
{
	size_t i = 0;

	while (i + 1 < QD_COUNT(leads) && leads[i + 1].from <= byte)
		i++;
	return &leads[i];
}

static uint64_t
big_endian(const uint8_t *p, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | p[i];
	return v;
}

static uint64_t
sign_extend(uint64_t v, size_t size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return v >> (8 * size - 1) & 1 && shift ? v | UINT64_MAX << (64 - shift) : v;
}

static double
as_float(uint64_t bits, size_t size)
{
	uint32_t bits32 = (uint32_t)bits;
	float f;
	double d;

	if (size == 4) {
		memcpy(&f, &bits32, 4);
		return (double)f;
	}
	memcpy(&d, &bits, 8);
	return d;
}

/* Reads a value; returns NULL, or the error at offset *next. */
static const char *
read_value(const uint8_t *data, size_t size, size_t at, struct msgpack_value *out, size_t *next)
{
	*next = at;
	if (at >= size)
		return "the metadata ends where a value should be";
	const struct lead *l = lead_of(data[at]);
	uint64_t number = (uint64_t)(data[at] - l->from);
	if (l->kind == UINT8_MAX)
		return "a byte 0xc1, which MessagePack does not use";
	at++;
	if (l->size) {
		if (size - at < l->size)
			return "the metadata ends within a number";
		number = big_endian(data + at, l->size);
		at += l->size;
	} else if (l->kind == MSGPACK_BYTES) {
		number = UINT64_C(1) << number;
	} else if (l->kind == MSGPACK_INT) {
		number = sign_extend(number | 0xe0, 1);
	}
	*out = (struct msgpack_value){ .kind = (enum msgpack_kind)l->kind, .u = number };
	switch (l->kind) {
	case MSGPACK_INT:
		if (l->size)
			out->u = sign_extend(number, l->size);
		break;
	case MSGPACK_FLOAT: out->f = as_float(number, l->size); break;
	case MSGPACK_STRING:
	case MSGPACK_BYTES:
		if (size - at < l->extra || size - at - l->extra < number)
			return "a string that exceeds the metadata";
		out->data = (const char *)data + at + l->extra;
		out->size = (size_t)number;
		at += l->extra + (size_t)number;
		break;
	case MSGPACK_ARRAY:
	case MSGPACK_MAP:
		/* Each element has at least one byte. */
		if (number > size - at)
			return "a list that exceeds the metadata";
		break;
	default: break;
	}
	*next = at;
	return NULL;
}

static uint64_t
n_inner(const struct msgpack_value *v)
{
	return v->kind == MSGPACK_ARRAY ? v->u : v->kind == MSGPACK_MAP ? 2 * v->u : 0;
}

qd_status
msgpack_check(const void *data, size_t size, uint64_t base, struct msgpack *out,
	      struct qd_error *err)
{
	uint64_t left[MSGPACK_MAX_DEPTH];
	unsigned depth = 0;
	size_t at = 0;

	do {
		struct msgpack_value v;
		size_t next;
		const char *why = read_value(data, size, at, &v, &next);
		if (!why && n_inner(&v) && depth == MSGPACK_MAX_DEPTH)
			why = "lists that are nested too deeply";
		if (why)
			return qd_fail(err, QD_E_INVALID, "offset 0x%llx: %s",
				       (unsigned long long)(base + at), why);
		at = next;
		if (n_inner(&v))
			left[depth++] = n_inner(&v);
		else
			while (depth && !--left[depth - 1])
				depth--;
	} while (depth);
	if (at != size)
		return qd_fail(err, QD_E_INVALID, "offset 0x%llx: %zu bytes after the metadata",
			       (unsigned long long)(base + at), size - at);
	*out = (struct msgpack){ data, size };
	return QD_OK;
}

size_t
msgpack_get(const struct msgpack *m, size_t at, struct msgpack_value *out)
{
	size_t next;

	if (read_value(m->data, m->size, at, out, &next)) {
		/* Reached only for an offset that msgpack_get did not return. */
		*out = (struct msgpack_value){ .kind = MSGPACK_NIL };
		return m->size;
	}
	return next;
}

size_t
msgpack_skip(const struct msgpack *m, size_t at)
{
	uint64_t left = 1;

	while (left && at < m->size) {
		struct msgpack_value v;
		at = msgpack_get(m, at, &v);
		left += n_inner(&v) - 1;
	}
	return at;
}

bool
msgpack_is(const struct msgpack_value *v, const char *text)
{
	return v->kind == MSGPACK_STRING && v->size == strlen(text) &&
	       memcmp(v->data, text, v->size) == 0;
}
