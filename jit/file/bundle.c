/* Reads bundles. A plain bundle consists of a magic text, a count, and per entry {offset, size,
 * length of the id, id}; offsets are relative to the magic. A compressed bundle consists of a
 * header, which depends on the version, and a packed plain bundle. offload.c reads offload binaries. */
#include "bundle.h"
#include "show.h"

#include <stdio.h>

#include "bytes.h"
#include "elffile.h"
#include "offload.h"
#include "unpack.h"

#ifdef QD_HAVE_ZSTD
#include <zstd.h>
#endif

static const char plain_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
static const char packed_magic[] = "CCOB";
enum { PLAIN_MAGIC_SIZE = sizeof plain_magic - 1, PACKED_MAGIC_SIZE = sizeof packed_magic - 1 };

struct reader {
	struct arena *mem;
	const uint8_t *data;
	size_t size;
	uint64_t base;
	bool compressed; /* data is a decompressed bundle; offsets are within it */
	struct bundle *out;
	uint32_t cap;
	uint64_t unpacked; /* bytes so far */
	uint32_t depth; /* of nested compressed bundles */
	struct qd_error *err;
};

static qd_status QD_PRINTF(3, 4)
fail(const struct reader *r, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qd_status st = bytes_vfail(r->err, r->base + at, r->compressed ? " of the decompressed bundle" : "", fmt, ap);
	va_end(ap);
	return st;
}

static bool
begins(const struct reader *r, size_t at, const char *magic, size_t len)
{
	return r->size - at >= len && memcmp(r->data + at, magic, len) == 0;
}

bool
bundle_is(const void *data, size_t size)
{
	const struct reader r = { .data = data, .size = size };

	return begins(&r, 0, plain_magic, PLAIN_MAGIC_SIZE) ||
	       begins(&r, 0, packed_magic, PACKED_MAGIC_SIZE) || offload_is(data, size);
}

/* -- Plain --------------------------------------------------------------------- */

static qd_status
add_entry(struct reader *r, const struct bundle_entry *e)
{
	struct bundle *b = r->out;
	void *rows = bytes_append(r->mem, b->entries, &b->n_entries, &r->cap, e, sizeof *e, r->err);

	if (!rows)
		return QD_E_NOMEM;
	b->entries = rows;
	return QD_OK;
}

/* Returns the target of an id, kind-arch-vendor-os-environment-target; older compilers omit the
 * environment. */
static const char *
target_of(const char *id)
{
	const char *p = strstr(id, "-gfx");

	if (p)
		return p + 1;
	p = strstr(id, "--");
	return p ? p + 2 : "";
}

/* Reads one plain bundle at `at`; *end is the offset of its end. */
static qd_status
read_plain(struct reader *r, size_t at, size_t *end)
{
	size_t head = at + PLAIN_MAGIC_SIZE;

	if (r->size - head < 8)
		return fail(r, head, "the bundle ends before its number of entries");
	uint64_t n = bytes_number(r->data + head, 8);
	head += 8;
	if (n > (r->size - head) / 24)
		return fail(r, head - 8,
			    "a bundle of %llu entries extends past the end of the file",
			    (unsigned long long)n);
	*end = head;
	uint64_t bytes = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (r->size - head < 24)
			return fail(r, head, "entry %llu of the bundle is cut off",
				    (unsigned long long)i);
		uint64_t offset = bytes_number(r->data + head, 8);
		uint64_t size = bytes_number(r->data + head + 8, 8);
		uint64_t len = bytes_number(r->data + head + 16, 8);
		if (len > r->size - head - 24)
			return fail(r, head + 16,
				    "the id of entry %llu extends past the end of the file",
				    (unsigned long long)i);
		if (offset > r->size - at || size > r->size - at - offset)
			return fail(r, head,
				    "entry %llu (0x%llx bytes at 0x%llx) extends past the end of "
				    "the file",
				    (unsigned long long)i, (unsigned long long)size,
				    (unsigned long long)offset);
		/* Overlapping entries would let a small file cause much work. */
		bytes += size;
		if (bytes > r->size)
			return fail(r, head, "the entries of the bundle overlap");
		const char *id =
			arena_strdup(r->mem, (const char *)r->data + head + 24, (size_t)len);
		if (!id || !(id = show_in(r->mem, id)))
			return qd_fail(r->err, QD_E_NOMEM, "out of memory for an id");
		QD_TRY(add_entry(r, &(struct bundle_entry){ .id = id,
							    .target = target_of(id),
							    .data = r->data + at + offset,
							    .size = (size_t)size,
							    .offset = r->base + at + offset,
							    .was_compressed = r->compressed }));
		head += 24 + (size_t)len;
		if (head > *end)
			*end = head;
		if (at + offset + size > *end)
			*end = at + (size_t)(offset + size);
	}
	return QD_OK;
}

/* -- Compressed ------------------------------------------------------------------ */

/* Sizes in bytes of the fields after magic, version and method; a hash of 8 bytes follows. */
static const struct packed_form {
	uint8_t total, unpacked;
} packed_forms[] = {
	[1] = { 0, 4 }, /* no total size */
	[2] = { 4, 4 },
	[3] = { 8, 8 },
};

#ifdef QD_HAVE_ZSTD
static qd_status
unpack_bundle(struct reader *r, size_t at, const uint8_t *packed, size_t size, uint8_t *out,
       size_t out_size)
{
	size_t n = ZSTD_decompress(out, out_size, packed, size);

	if (ZSTD_isError(n) && unpack_zstd_status(n, QD_E_INVALID) == QD_E_NOMEM)
		return qd_fail(r->err, QD_E_NOMEM, "out of memory to decompress the bundle");
	if (ZSTD_isError(n))
		return fail(r, at, "the compressed bundle does not decompress: %s",
			    ZSTD_getErrorName(n));
	if (n != out_size)
		return fail(r, at,
			    "the bundle decompresses to %zu bytes, but its header states %zu", n,
			    out_size);
	return QD_OK;
}

/* Returns the size of the zstd frame, since v1 does not contain it. */
static size_t
packed_size(const uint8_t *packed, size_t size)
{
	size_t n = ZSTD_findFrameCompressedSize(packed, size);

	return ZSTD_isError(n) ? size : n;
}

/* Returns the unpacked size in the stream's header, or 0 if absent. */
static uint64_t
claimed_size(const uint8_t *packed, size_t size)
{
	unsigned long long n = ZSTD_getFrameContentSize(packed, size);

	return n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR ? 0 : n;
}
#else
static qd_status
unpack_bundle(struct reader *r, size_t at, const uint8_t *packed, size_t size, uint8_t *out,
       size_t out_size)
{
	(void)packed, (void)size, (void)out, (void)out_size;
	return qd_fail(
		r->err, QD_E_UNAVAILABLE,
		"offset 0x%llx: a bundle compressed with zstd, but this qd was built without "
		"libzstd",
		(unsigned long long)(r->base + at));
}

static size_t
packed_size(const uint8_t *packed, size_t size)
{
	(void)packed;
	return size;
}

static uint64_t
claimed_size(const uint8_t *packed, size_t size)
{
	(void)packed, (void)size;
	return 0;
}
#endif

static qd_status read_all(struct reader *r);

static qd_status
read_packed(struct reader *r, size_t at, size_t *end)
{
	size_t head = at + PACKED_MAGIC_SIZE;

	if (!depth_enter(&r->depth, 1))
		return fail(r, at, "a compressed bundle within a compressed bundle");
	if (r->size - head < 4)
		return fail(r, head, "the compressed bundle ends within its header");
	uint32_t version = (uint32_t)bytes_number(r->data + head, 2);
	uint32_t method = (uint32_t)bytes_number(r->data + head + 2, 2);
	if (!version || version >= QD_COUNT(packed_forms))
		return fail(r, head, "compressed bundle version %u; versions 1 to 3 are supported",
			    version);
	const struct packed_form *form = &packed_forms[version];
	size_t body = head + 4u + form->total + form->unpacked + 8;
	if (body > r->size)
		return fail(r, r->size, "the compressed bundle ends within its header");
	uint64_t total = r->size - at;
	if (form->total)
		total = bytes_number(r->data + head + 4, form->total);
	uint64_t unpacked = bytes_number(r->data + head + 4 + form->total, form->unpacked);
	if (total < body - at || total > r->size - at)
		return fail(r, head + 4,
			    "a compressed bundle of 0x%llx bytes in a file that has 0x%zx more",
			    (unsigned long long)total, r->size - at);
	if (method != 1)
		return fail(r, head + 2, "compressed with %s (method %u); only zstd (1) is read",
			    method ? "an unknown method" : "zlib", method);
	if (unpacked > unpack_limit(r->size) - r->unpacked)
		return fail(r, head + 4 + form->total, "with this bundle the file has " UNPACK_LIMIT_TEXT("file"),
			    (unsigned long long)(unpacked > UINT64_MAX / 2 ? unpacked : r->unpacked + unpacked),
			    (unsigned long long)unpack_limit(r->size));
	r->unpacked += unpacked;
	*end = form->total ? at + (size_t)total
			   : body + packed_size(r->data + body, r->size - body);
	/* Compare the two sizes before allocating memory. */
	uint64_t claimed = claimed_size(r->data + body, *end - body);
	if (claimed && claimed != unpacked)
		return fail(r, body,
			    "the compressed bundle contains %llu bytes, but its header states %llu",
			    (unsigned long long)claimed, (unsigned long long)unpacked);
	uint8_t *out = arena_alloc(r->mem, (size_t)unpacked);
	if (!out)
		return qd_fail(r->err, QD_E_NOMEM, "out of memory for a bundle of %llu bytes",
			       (unsigned long long)unpacked);
	QD_TRY(unpack_bundle(r, body, r->data + body, *end - body, out, (size_t)unpacked));
	struct reader inner = *r;
	inner.data = out;
	inner.size = (size_t)unpacked;
	inner.base = 0;
	inner.compressed = true;
	QD_TRY(read_all(&inner));
	r->cap = inner.cap;
	depth_leave(&r->depth);
	return QD_OK;
}

/* -- Offload binaries --------------------------------------------------------------- */

static qd_status
read_images(struct reader *r)
{
	struct offload o;

	QD_TRY(offload_read(r->mem, r->data, r->size, r->base, &o, r->err));
	for (uint32_t i = 0; i < o.n_images; i++) {
		const struct offload_image *image = &o.images[i];
		bool amd = strncmp(image->triple, "amdgcn", 6) == 0;
		QD_TRY(add_entry(r, &(struct bundle_entry){ .id = image->triple,
							    .target = amd ? image->arch : "",
							    .data = image->data,
							    .size = image->size,
							    .offset = image->offset }));
	}
	return QD_OK;
}

/* -- Files ----------------------------------------------------------------------- */

static qd_status
read_all(struct reader *r)
{
	size_t at = 0;

	while (at < r->size) {
		size_t end = r->size;
		if (begins(r, at, plain_magic, PLAIN_MAGIC_SIZE))
			QD_TRY(read_plain(r, at, &end));
		else if (begins(r, at, packed_magic, PACKED_MAGIC_SIZE))
			QD_TRY(read_packed(r, at, &end));
		else
			return fail(r, at, "neither a bundle nor padding");
		at = end;
		while (at < r->size && !r->data[at])
			at++;
	}
	return QD_OK;
}

qd_status
bundle_read(struct arena *mem, const void *data, size_t size, uint64_t base, struct bundle *out,
	    struct qd_error *err)
{
	struct reader r = {
		.mem = mem, .data = data, .size = size, .base = base, .out = out, .err = err
	};

	*out = (struct bundle){ 0 };
	return offload_is(data, size) ? read_images(&r) : read_all(&r);
}

void
bundle_list_targets(const struct bundle *b, char *text, size_t cap)
{
	size_t n = 0;

	snprintf(text, cap, "nothing");
	for (uint32_t i = 0; i < b->n_entries && n < cap; i++) {
		const struct bundle_entry *e = &b->entries[i];
		if (e->size)
			n += (size_t)snprintf(text + n, cap - n, "%s%s", n ? ", " : "", *e->target ? e->target : e->id);
	}
}

qd_status
bundle_in_host(struct arena *mem, const void *file, size_t file_size, uint64_t base,
	       const uint8_t **data, size_t *size, uint64_t *offset, struct qd_error *err)
{
	struct elf_file f;

	*data = NULL;
	QD_TRY(elf_read(mem, file, file_size, base, &f, err));
	const struct elf_section *s = elf_section_begins(&f, ".hip_fatbin");
	s = s ? s : elf_section_begins(&f, ".llvm.offloading");
	if (s) {
		*data = s->data;
		*size = (size_t)s->size;
		*offset = base + s->offset;
	}
	return QD_OK;
}
