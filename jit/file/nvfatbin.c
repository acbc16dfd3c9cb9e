/* Reads CUDA's fatbins. They consist of a header of 16 bytes {magic, version, its size, bytes that
 * follow} and entries {kind, -, size of this header, payload, packed size, options, version, SM, -,
 * -, flags, -, unpacked size} with their payloads, each aligned to 8 bytes. */
#include "nvfatbin.h"

#include "bytes.h"

#define MAGIC 0xBA55ED50u
enum { HEADER = 16, ENTRY = 64, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

struct reader {
	struct arena *mem;
	const uint8_t *data;
	size_t size;
	uint64_t base;
	struct nvfatbin *out;
	uint32_t cap;
	uint64_t unpacked; /* bytes of all entries */
	struct qd_error *err;
};

static qd_status QD_PRINTF(3, 4)
fail(const struct reader *r, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qd_status st = bytes_vfail(r->err, r->base + at, "", fmt, ap);
	va_end(ap);
	return st;
}

bool
nvfatbin_is(const void *data, size_t size)
{
	return size >= 4 && bytes_number(data, 4) == MAGIC;
}

static qd_status
add_entry(struct reader *r, const struct nvfatbin_entry *e)
{
	struct nvfatbin *b = r->out;
	void *rows = bytes_append(r->mem, b->entries, &b->n_entries, &r->cap, e, sizeof *e, r->err);

	if (!rows)
		return QD_E_NOMEM;
	b->entries = rows;
	return QD_OK;
}

/* Reads the entry at `at` of a fatbin that ends at `end`; *next is the offset of the next entry. */
static qd_status
read_entry(struct reader *r, size_t at, size_t end, size_t *next)
{
	const uint8_t *p = r->data + at;
	struct nvfatbin_entry e;

	if (end - at < ENTRY)
		return fail(r, at, "an entry of a fatbin is cut off");
	uint64_t head = bytes_number(p + 4, 4), payload = bytes_number(p + 8, 8), packed = bytes_number(p + 16, 4);
	if (head < ENTRY || head > end - at)
		return fail(r, at + 4, "a header of %llu bytes in an entry with %zu bytes left",
			    (unsigned long long)head, end - at);
	if (payload > end - at - head)
		return fail(r, at + 8, "an entry of 0x%llx bytes extends past its fatbin",
			    (unsigned long long)payload);
	e = (struct nvfatbin_entry){ .kind = (uint32_t)bytes_number(p, 2),
				     .sm = (uint32_t)bytes_number(p + 28, 4),
				     .minor = (uint16_t)bytes_number(p + 24, 2),
				     .major = (uint16_t)bytes_number(p + 26, 2),
				     .flags = bytes_number(p + 40, 8),
				     .data = p + head,
				     .stored = (size_t)payload,
				     .size = payload,
				     .offset = r->base + at + head };
	if (packed > payload)
		return fail(r, at + 16, "%llu packed bytes in an entry of %llu bytes",
			    (unsigned long long)packed, (unsigned long long)payload);
	e.pack = e.flags & FLAG_ZSTD ? PACK_ZSTD : e.flags & FLAG_LZ4 ? PACK_LZ4 : packed ? PACK_UNKNOWN : PACK_NONE;
	if (e.pack != PACK_NONE) {
		e.stored = (size_t)packed;
		e.size = bytes_number(p + 56, 8);
		if (!unpack_fits(e.pack, e.data, e.stored, e.size))
			return fail(r, at + 56, "0x%llx bytes cannot be unpacked from 0x%zx bytes",
				    (unsigned long long)e.size, e.stored);
		r->unpacked += e.size;
		if (r->unpacked > unpack_limit(r->size))
			return fail(r, at + 56, "with this entry the fatbin has " UNPACK_LIMIT_TEXT("file"), (unsigned long long)r->unpacked,
				    (unsigned long long)unpack_limit(r->size));
	}
	*next = at + (size_t)(head + payload);
	*next += *next % 8 && end - *next >= 8 - *next % 8 ? 8 - *next % 8 : 0;
	return add_entry(r, &e);
}

static qd_status
read_fatbin(struct reader *r, size_t at, size_t *end)
{
	if (r->size - at < HEADER)
		return fail(r, at, "the header of a fatbin is cut off");
	uint64_t version = bytes_number(r->data + at + 4, 2), head = bytes_number(r->data + at + 6, 2);
	uint64_t size = bytes_number(r->data + at + 8, 8);
	if (version != 1)
		return fail(r, at + 4, "a fatbin of version %llu; version 1 is supported",
			    (unsigned long long)version);
	if (head < HEADER || head > r->size - at)
		return fail(r, at + 6, "a header of %llu bytes", (unsigned long long)head);
	if (size > r->size - at - head)
		return fail(r, at + 8, "a fatbin of 0x%llx bytes extends past the end of the file",
			    (unsigned long long)size);
	*end = at + (size_t)(head + size);
	for (size_t i = at + (size_t)head; i < *end;)
		QD_TRY(read_entry(r, i, *end, &i));
	return QD_OK;
}

qd_status
nvfatbin_read(struct arena *mem, const void *data, size_t size, uint64_t base, struct nvfatbin *out, struct qd_error *err)
{
	struct reader r = { .mem = mem, .data = data, .size = size, .base = base, .out = out, .err = err };

	*out = (struct nvfatbin){ 0 };
	for (size_t at = 0; at < size;) {
		if (!nvfatbin_is(r.data + at, size - at))
			return fail(&r, at, "neither a fatbin nor padding");
		QD_TRY(read_fatbin(&r, at, &at));
		while (at < size && !r.data[at])
			at++;
	}
	return QD_OK;
}

qd_status
nvfatbin_unpack(struct arena *mem, const struct nvfatbin_entry *e, const uint8_t **data, struct qd_error *err)
{
	uint8_t *out;

	*data = e->data;
	if (e->pack == PACK_NONE)
		return QD_OK;
	out = arena_alloc(mem, e->size ? (size_t)e->size : 1);
	if (!out)
		return qd_fail(err, QD_E_NOMEM, "out of memory for an entry of %llu bytes", (unsigned long long)e->size);
	*data = out;
	return unpack(e->pack, e->data, e->stored, e->offset, out, (size_t)e->size, err);
}
