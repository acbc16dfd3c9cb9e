/* Reads offload binaries. They consist of a header {magic, version, size, offset of the entry,
 * its size, or from version 2 on the number of entries}, entries {kind of image, producer, flags,
 * offset and number of strings, offset and size of the image}, and strings as pairs {offset of
 * the key, of the value}. */
#include "offload.h"
#include "show.h"

#include "bytes.h"

static const uint8_t magic[] = { 0x10, 0xFF, 0x10, 0xAD };
enum { HEADER = 32, ENTRY = 40, PAIR = 16, MAX_TEXT = 1024 /* bytes of a string, with its NUL */ };

struct reader {
	struct arena *mem;
	const uint8_t *data;
	size_t size;
	uint64_t base;
	struct offload *out;
	uint32_t cap;
	uint64_t n_pairs, image_bytes; /* of the current binary */
	struct qd_error *err;
};

const char *
offload_kind_name(uint32_t kind)
{
	static const char *const names[] = { "image", "object", "bitcode", "cubin", "fatbinary", "PTX", "SPIR-V" };

	return kind < QD_COUNT(names) ? names[kind] : "an unknown kind";
}

const char *
offload_producer_name(uint32_t producer)
{
	static const char *const names[] = { "nobody", "OpenMP", "CUDA", NULL, "HIP", NULL, NULL, NULL, "SYCL" };
	const char *name = producer < QD_COUNT(names) ? names[producer] : NULL;

	return name ? name : "an unknown producer";
}

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
offload_is(const void *data, size_t size)
{
	return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static qd_status
add_image(struct reader *r, const struct offload_image *image)
{
	struct offload *o = r->out;
	void *rows = bytes_append(r->mem, o->images, &o->n_images, &r->cap, image, sizeof *image, r->err);

	if (!rows)
		return QD_E_NOMEM;
	o->images = rows;
	return QD_OK;
}

/* Reads the offset at `field` and returns the string there, in the binary that begins at `at`. */
static qd_status
text_at(const struct reader *r, size_t at, size_t size, size_t field, const char **out)
{
	uint64_t offset = bytes_number(r->data + field, 8);

	if (offset >= size || !memchr(r->data + at + offset, '\0', size - (size_t)offset < MAX_TEXT ? size - (size_t)offset : MAX_TEXT))
		return fail(r, field, "a string at 0x%llx, which does not end in the binary, or has more than %d bytes",
			    (unsigned long long)offset, MAX_TEXT - 1);
	*out = show_in(r->mem, (const char *)r->data + at + offset);
	return *out ? QD_OK : qd_fail(r->err, QD_E_NOMEM, "out of memory for a string");
}

static qd_status
read_strings(struct reader *r, size_t at, size_t size, size_t entry, struct offload_image *image)
{
	uint64_t place = bytes_number(r->data + entry + 8, 8), n = bytes_number(r->data + entry + 16, 8);

	if (place > size || n > (size - place) / PAIR)
		return fail(r, entry + 8,
			    "%llu strings at 0x%llx extend past the end of the binary",
			    (unsigned long long)n, (unsigned long long)place);
	/* Overlapping entries would let a small file cause much work. */
	r->n_pairs += n;
	if (r->n_pairs > size / PAIR)
		return fail(r, entry + 8, "the strings of the binary's entries overlap");
	for (uint64_t i = 0; i < n; i++) {
		size_t pair = at + (size_t)place + (size_t)i * PAIR;
		const char *key = NULL, *value = NULL;
		QD_TRY(text_at(r, at, size, pair, &key));
		QD_TRY(text_at(r, at, size, pair + 8, &value));
		if (strcmp(key, "triple") == 0)
			image->triple = value;
		else if (strcmp(key, "arch") == 0)
			image->arch = value;
	}
	return QD_OK;
}

static qd_status
read_image(struct reader *r, size_t at, size_t size, size_t entry)
{
	const uint8_t *p = r->data + entry;
	struct offload_image image = { .kind = (uint32_t)bytes_number(p, 2), .producer = (uint32_t)bytes_number(p + 2, 2),
				       .flags = (uint32_t)bytes_number(p + 4, 4), .triple = "", .arch = "" };
	uint64_t place = bytes_number(p + 24, 8), bytes = bytes_number(p + 32, 8);

	if (place > size || bytes > size - place)
		return fail(r, entry + 24,
			    "an image of 0x%llx bytes at 0x%llx extends past the end of the binary",
			    (unsigned long long)bytes, (unsigned long long)place);
	r->image_bytes += bytes;
	if (r->image_bytes > size)
		return fail(r, entry + 24, "the images of the binary overlap");
	QD_TRY(read_strings(r, at, size, entry, &image));
	image.data = r->data + at + place;
	image.size = (size_t)bytes;
	image.offset = r->base + at + place;
	return add_image(r, &image);
}

static qd_status
read_binary(struct reader *r, size_t at, size_t *end)
{
	const uint8_t *p = r->data + at;

	if (r->size - at < HEADER)
		return fail(r, at, "the header of an offload binary is cut off");
	uint64_t version = bytes_number(p + 4, 4), size = bytes_number(p + 8, 8);
	uint64_t entry = bytes_number(p + 16, 8), n = bytes_number(p + 24, 8);
	if (version < 1 || version > 2)
		return fail(r, at + 4,
			    "an offload binary of version %llu; versions 1 and 2 are supported",
			    (unsigned long long)version);
	if (size < HEADER || size > r->size - at)
		return fail(r, at + 8, "an offload binary of 0x%llx bytes in a file that has 0x%zx more", (unsigned long long)size,
			    r->size - at);
	/* In version 1 the field is the size of the only entry. */
	if (version == 1 && n < ENTRY)
		return fail(r, at + 24, "an entry of %llu bytes", (unsigned long long)n);
	n = version == 1 ? 1 : n;
	if (entry > size || n > (size - entry) / ENTRY)
		return fail(r, at + 16, "%llu entries at 0x%llx extend past the end of the binary",
			    (unsigned long long)n, (unsigned long long)entry);
	*end = at + (size_t)size;
	r->n_pairs = r->image_bytes = 0;
	for (uint64_t i = 0; i < n; i++)
		QD_TRY(read_image(r, at, (size_t)size, at + (size_t)entry + (size_t)i * ENTRY));
	return QD_OK;
}

qd_status
offload_read(struct arena *mem, const void *data, size_t size, uint64_t base, struct offload *out, struct qd_error *err)
{
	struct reader r = { .mem = mem, .data = data, .size = size, .base = base, .out = out, .err = err };

	*out = (struct offload){ 0 };
	for (size_t at = 0; at < size;) {
		if (!offload_is(r.data + at, size - at))
			return fail(&r, at, "neither an offload binary nor padding");
		QD_TRY(read_binary(&r, at, &at));
		while (at < size && !r.data[at])
			at++;
	}
	return QD_OK;
}
