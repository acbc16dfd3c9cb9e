/* Format of an entry of the disk cache: its key, and the driver's result. These functions access
 * no files. */
#ifndef QD_JIT_DISK_ENTRY_H
#define QD_JIT_DISK_ENTRY_H

#include "disk.h"

/* Fields of a key, in this order. Each is a 32-bit length and its bytes. */
enum disk_field {
	FIELD_KIND,	 /* enum disk_kind, 32 bits */
	FIELD_EMITTER,	 /* the back end's number and version, 32 bits each */
	FIELD_KERNEL,	 /* the kernel's name; all strings include their NUL */
	FIELD_IR,	 /* 'k' and the kernel's key, or without a kernel 'c' and the code */
	FIELD_TEMPLATES, /* template values, 32 bits each */
	FIELD_TARGET,	 /* text */
	FIELD_META,	 /* struct isa_meta */
	FIELD_CODE,	 /* XXH3-128 and size of the code, 64 bits each */
	FIELD_DRIVER,	 /* text: name */
	FIELD_VERSION,	 /* text */
	FIELD_DEVICE,	 /* text */
	N_FIELD
};

enum {
	ENTRY_VERSION = 1,
	ENTRY_ALIGN = 16,	   /* of the payload in the file */
	MAX_KEY = 16 << 20,	   /* bytes of a key, and of a log */
	MAX_ENTRY = 64 << 20	   /* bytes of a file */
};

/* Header of a file: fixed widths, little-endian like every host, no padding. Key, log, zeros up to
 * ENTRY_ALIGN, and payload follow, and nothing else. */
struct entry_header {
	char magic[8];
	uint64_t sum[2]; /* XXH3-128 of all following bytes */
	uint32_t version;
	uint32_t kind;
	uint64_t created;   /* seconds since 1970 */
	uint64_t driver[2]; /* XXH3-128 of the driver's name and version in the key */
	uint64_t size;	    /* of the file */
	uint32_t key_size, log_size;
	uint64_t payload_size;
};
_Static_assert(sizeof(struct entry_header) == 80, "no padding: its bytes are written to files");
_Static_assert(sizeof(struct entry_header) % ENTRY_ALIGN == 0, "the key is aligned, too");

extern const char entry_magic[8];

/* Views into the bytes of an entry, which the caller owns. */
struct entry {
	struct entry_header head;
	const uint8_t *key, *log, *payload;
	struct {
		const uint8_t *at;
		uint32_t size;
	} field[N_FIELD];
	size_t wrong_at; /* offset of the error; of entry_fields in the key */
	char wrong[80];
};

/* Reads untrusted bytes. Returns NULL, or the error, which is in out->wrong and its offset in
 * out->wrong_at. In a valid entry every field has its size and every text its NUL. */
const char *entry_read(const void *bytes, size_t size, struct entry *out);
/* Reads a key without an entry in the same way. */
const char *entry_fields(const uint8_t *key, size_t size, struct entry *out);

/* Appends the key of this image, kind and driver to `out` (nomem is sticky). */
void entry_key(struct buf *out, const struct qd_image *img, enum disk_kind kind,
	       const struct disk_driver *driver);
/* Appends an entry to an empty buffer. entry_seal sets its checksum. */
void entry_write(struct buf *out, const struct buf *key, enum disk_kind kind, const char *log,
		 const void *payload, size_t payload_size, uint64_t created);
void entry_seal(void *bytes, size_t size);

/* Record of the index (disk_index.c): a summary of a key. */
struct mark {
	uint64_t sum; /* checksum of the following members */
	uint64_t key[2];
	uint64_t emitter; /* the back end's number in the high 32 bits, its version in the low 32 bits */
	uint64_t templates, driver, device; /* hashes */
	uint64_t written; /* seconds since 1970 */
};
_Static_assert(sizeof(struct mark) == 64, "no padding: its bytes are written to files");

/* Fills in a record. chosen: hash of the template values that the IR contains, or 0. */
void entry_mark(struct mark *out, const uint8_t *key, size_t size, const struct entry *e, uint64_t chosen,
		uint64_t written);
/* Returns the hash of the parts of a key that identify the kernel: name and IR. */
struct hash128 entry_kernel(const struct entry *e);

#endif
