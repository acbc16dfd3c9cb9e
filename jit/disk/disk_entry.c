/* Reading and writing of entries. The contents of a file are untrusted until validated: first the
 * sizes, then the checksum, then the fields. */
#include <stdio.h>
#include <string.h>

#include "disk_entry.h"

const char entry_magic[8] = { 'q', 'd', 'c', 'a', 'c', 'h', 'e', '\n' };
enum { SUMMED_FROM = sizeof entry_magic + 2 * sizeof(uint64_t) };

/* Format of a field's bytes. */
enum shape { SHAPE_BYTES, SHAPE_TEXT, SHAPE_WORDS };
static const struct {
	enum shape shape;
	uint32_t size; /* 0: any */
} fields[N_FIELD] = {
	[FIELD_KIND] = { SHAPE_WORDS, 4 },
	[FIELD_EMITTER] = { SHAPE_WORDS, 8 },
	[FIELD_KERNEL] = { SHAPE_TEXT, 0 },
	[FIELD_IR] = { SHAPE_BYTES, 0 },
	[FIELD_TEMPLATES] = { SHAPE_WORDS, 0 },
	[FIELD_TARGET] = { SHAPE_TEXT, 0 },
	[FIELD_META] = { SHAPE_BYTES, sizeof(struct isa_meta) },
	[FIELD_CODE] = { SHAPE_WORDS, 24 },
	[FIELD_DRIVER] = { SHAPE_TEXT, 0 },
	[FIELD_VERSION] = { SHAPE_TEXT, 0 },
	[FIELD_DEVICE] = { SHAPE_TEXT, 0 },
};

/* -- Reading ------------------------------------------------------------------------ */

static bool
has_shape(const uint8_t *at, uint32_t size, enum disk_field f)
{
	if (fields[f].size && size != fields[f].size)
		return false;
	switch (fields[f].shape) {
	case SHAPE_TEXT: return size && memchr(at, '\0', size) == at + size - 1;
	case SHAPE_WORDS: return size % 4 == 0;
	default: return size != 0;
	}
}

const char *
entry_fields(const uint8_t *key, size_t size, struct entry *out)
{
	const uint8_t *from = key;

	for (int f = 0; f < N_FIELD; f++) {
		uint32_t n;
		out->wrong_at = (size_t)(key - from);
		if (size < sizeof n)
			return "its key ends early";
		memcpy(&n, key, sizeof n);
		key += sizeof n;
		size -= sizeof n;
		if (n > size)
			return "a field of its key is too long";
		if (!has_shape(key, n, (enum disk_field)f))
			return "a field of its key is invalid";
		out->field[f].at = key;
		out->field[f].size = n;
		key += n;
		size -= n;
	}
	out->wrong_at = (size_t)(key - from);
	return size ? "its key is too long" : NULL;
}

static struct hash128
driver_hash(const struct entry *e)
{
	/* The fields are adjacent, and the length between them makes each pair unique. */
	const uint8_t *from = e->field[FIELD_DRIVER].at;
	const uint8_t *to = e->field[FIELD_VERSION].at + e->field[FIELD_VERSION].size;
	return hash_bytes(from, (size_t)(to - from));
}

static size_t
payload_at(size_t key_size, size_t log_size)
{
	size_t at = sizeof(struct entry_header) + key_size + log_size;
	return (at + ENTRY_ALIGN - 1) & ~(size_t)(ENTRY_ALIGN - 1);
}

static bool
sums_up(const struct entry_header *h, const void *bytes, size_t size)
{
	struct hash128 sum = hash_bytes((const char *)bytes + SUMMED_FROM, size - SUMMED_FROM);
	return sum.lo == h->sum[0] && sum.hi == h->sum[1];
}

static const char *
wrong_at(struct entry *e, size_t at, const char *what)
{
	e->wrong_at = at;
	return what;
}
#define WRONG(member, what) wrong_at(out, offsetof(struct entry_header, member), what)

static const char *
find_wrong(const void *bytes, size_t size, struct entry *out)
{
	struct entry_header *h = &out->head;
	if (size < sizeof *h)
		return wrong_at(out, size, "it is too short");
	memcpy(h, bytes, sizeof *h);
	if (memcmp(h->magic, entry_magic, sizeof entry_magic) != 0)
		return WRONG(magic, "it is not a cache entry");
	if (h->version != ENTRY_VERSION)
		return WRONG(version, "it has another version");
	if (h->size != size || size > MAX_ENTRY)
		return WRONG(size, "its size is wrong");
	if (h->key_size > MAX_KEY || h->log_size > MAX_KEY)
		return WRONG(key_size, "its size is wrong");
	size_t at = payload_at(h->key_size, h->log_size);
	if (at > size || h->payload_size != size - at || !h->payload_size)
		return WRONG(key_size, "its sizes do not add up");
	if (!sums_up(h, bytes, size))
		return WRONG(sum, "its checksum is wrong");
	out->key = (const uint8_t *)bytes + sizeof *h;
	out->log = out->key + h->key_size;
	out->payload = (const uint8_t *)bytes + at;
	for (const uint8_t *p = out->log + h->log_size; p < out->payload; p++) {
		if (*p)
			return wrong_at(out, (size_t)(p - (const uint8_t *)bytes),
					"its padding is invalid");
	}
	const char *wrong = entry_fields(out->key, h->key_size, out);
	if (wrong)
		return wrong_at(out, sizeof *h + out->wrong_at, wrong);
	if (h->kind < DISK_CUBIN || h->kind >= DISK_N_KIND ||
	    memcmp(&h->kind, out->field[FIELD_KIND].at, sizeof h->kind) != 0)
		return WRONG(kind, "its kind is invalid");
	struct hash128 driver = driver_hash(out);
	if (driver.lo != h->driver[0] || driver.hi != h->driver[1])
		return WRONG(driver, "its driver differs from its key's");
	return NULL;
}

const char *
entry_read(const void *bytes, size_t size, struct entry *out)
{
	const char *what = find_wrong(bytes, size, out);
	if (!what)
		return NULL;
	snprintf(out->wrong, sizeof out->wrong, "offset 0x%zx: %s", out->wrong_at, what);
	return out->wrong;
}

/* -- Writing ------------------------------------------------------------------------ */

static void
put_field(struct buf *b, const void *p, size_t size)
{
	uint32_t n = (uint32_t)size;
	if (size > MAX_KEY)
		b->nomem = true;
	buf_put(b, &n, sizeof n);
	buf_put(b, p, size);
}

static void
put_text(struct buf *b, const char *s)
{
	put_field(b, s, strlen(s) + 1);
}

/* Appends the kernel's key, or the code of an image without a kernel. */
static void
put_ir(struct buf *b, const struct qd_image *img)
{
	const void *p = img->kernel ? img->kernel->key : img->code;
	size_t size = img->kernel ? img->kernel->key_size : img->code_size;
	uint32_t n = (uint32_t)size + 1;
	if (size >= MAX_KEY)
		b->nomem = true;
	buf_put(b, &n, sizeof n);
	buf_put(b, img->kernel ? "k" : "c", 1);
	buf_put(b, p, size);
}

void
entry_key(struct buf *out, const struct qd_image *img, enum disk_kind kind,
	  const struct disk_driver *driver)
{
	const struct isa *isa = img->target->isa;
	uint32_t number = (uint32_t)kind, emitter[2] = { isa->number, isa->version };
	struct hash128 code = hash_bytes(img->code, img->code_size);
	uint64_t words[3] = { code.lo, code.hi, img->code_size };
	uint32_t n_tmpls = img->kernel ? img->kernel->n_tmpls : 0;
	put_field(out, &number, sizeof number);
	put_field(out, emitter, sizeof emitter);
	put_text(out, layout_name(img->layout));
	put_ir(out, img);
	put_field(out, img->tmpl, n_tmpls * sizeof *img->tmpl);
	put_text(out, img->target->m.name);
	put_field(out, &img->meta, sizeof img->meta);
	put_field(out, words, sizeof words);
	put_text(out, driver->name);
	put_text(out, driver->version);
	put_text(out, driver->device);
}

void
entry_write(struct buf *out, const struct buf *key, enum disk_kind kind, const char *log,
	    const void *payload, size_t payload_size, uint64_t created)
{
	static const char zeros[ENTRY_ALIGN];
	struct entry e;
	size_t log_size = strlen(log), at = payload_at(key->len, log_size);
	struct entry_header h = { .version = ENTRY_VERSION,
				  .kind = (uint32_t)kind,
				  .created = created,
				  .size = at + payload_size,
				  .key_size = (uint32_t)key->len,
				  .log_size = (uint32_t)log_size,
				  .payload_size = payload_size };
	memcpy(h.magic, entry_magic, sizeof entry_magic);
	if (key->nomem || entry_fields((const uint8_t *)buf_data(key), key->len, &e)) {
		out->nomem = true;
		return;
	}
	struct hash128 driver = driver_hash(&e);
	h.driver[0] = driver.lo;
	h.driver[1] = driver.hi;
	buf_put(out, &h, sizeof h);
	buf_put(out, buf_data(key), key->len);
	buf_put(out, log, log_size);
	buf_put(out, zeros, at - sizeof h - key->len - log_size);
	buf_put(out, payload, payload_size);
}

void
entry_seal(void *bytes, size_t size)
{
	struct hash128 sum = hash_bytes((const char *)bytes + SUMMED_FROM, size - SUMMED_FROM);
	uint64_t words[2] = { sum.lo, sum.hi };
	memcpy((char *)bytes + sizeof entry_magic, words, sizeof words);
}

/* -- Marks -------------------------------------------------------------------------- */

static uint64_t
hash_fields(const struct entry *e, enum disk_field first, enum disk_field last)
{
	const uint8_t *from = e->field[first].at;
	return hash_bytes(from, (size_t)(e->field[last].at + e->field[last].size - from)).lo;
}

void
entry_mark(struct mark *out, const uint8_t *key, size_t size, const struct entry *e, uint64_t chosen,
	   uint64_t written)
{
	struct hash128 hash = hash_bytes(key, size);
	uint32_t emitter[2];
	memcpy(emitter, e->field[FIELD_EMITTER].at, sizeof emitter);
	*out = (struct mark){
		.key = { hash.lo, hash.hi },
		.emitter = (uint64_t)emitter[0] << 32 | emitter[1],
		.templates = hash_fields(e, FIELD_TEMPLATES, FIELD_TEMPLATES) ^ chosen,
		.driver = hash_fields(e, FIELD_DRIVER, FIELD_VERSION),
		.device = hash_fields(e, FIELD_DEVICE, FIELD_DEVICE) ^
			  hash_fields(e, FIELD_TARGET, FIELD_TARGET),
		.written = written,
	};
	out->sum = hash_bytes(&out->key, sizeof *out - sizeof out->sum).lo;
}

struct hash128
entry_kernel(const struct entry *e)
{
	const uint8_t *from = e->field[FIELD_KERNEL].at;
	const uint8_t *to = e->field[FIELD_IR].at + e->field[FIELD_IR].size;
	return hash_bytes(from, (size_t)(to - from));
}
