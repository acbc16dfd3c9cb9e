/* The bytes of an entry of the disk cache: what decides it, and what the driver made
 * of that.  Nothing here opens a file. */
#ifndef QD_JIT_DISK_ENTRY_H
#define QD_JIT_DISK_ENTRY_H

#include "disk.h"

/* The key's fields, each a length of 32 bits and so many bytes, in this order. */
enum disk_field {
	FIELD_KIND,	 /* enum disk_kind, 32 bits */
	FIELD_EMITTER,	 /* the back end's number and version, 32 bits each */
	FIELD_KERNEL,	 /* the kernel's name; this and all texts with their NUL */
	FIELD_IR,	 /* 'k' and the kernel's key; 'c' and the code where there is no kernel */
	FIELD_TEMPLATES, /* values, 32 bits each */
	FIELD_TARGET,	 /* its text */
	FIELD_META,	 /* struct isa_meta */
	FIELD_CODE,	 /* XXH3-128 and size of the code, 64 bits each */
	FIELD_DRIVER,	 /* name, */
	FIELD_VERSION,	 /* version, */
	FIELD_DEVICE,	 /* device: texts */
	N_FIELD
};

enum {
	ENTRY_VERSION = 1,
	ENTRY_ALIGN = 16,	   /* of the payload in the file */
	MAX_KEY = 16 << 20,	   /* bytes, and of a log, */
	MAX_ENTRY = 64 << 20	   /* and of a file */
};

/* Fixed widths, little-endian as every host is, no padding.  Key, log, zeros up to
 * ENTRY_ALIGN and payload follow, and nothing else. */
struct entry_header {
	char magic[8];
	uint64_t sum[2]; /* XXH3-128 of all that stands behind it */
	uint32_t version;
	uint32_t kind;
	uint64_t created;   /* seconds since 1970 */
	uint64_t driver[2]; /* XXH3-128 of the key's driver: name and version */
	uint64_t size;	    /* of the file */
	uint32_t key_size, log_size;
	uint64_t payload_size;
};
_Static_assert(sizeof(struct entry_header) == 80, "no padding: its bytes are written to files");
_Static_assert(sizeof(struct entry_header) % ENTRY_ALIGN == 0, "the key is aligned, too");

extern const char entry_magic[8]; /* of its header */

/* What stands in one, and where; the bytes are its owner's. */
struct entry {
	struct entry_header head;
	const uint8_t *key, *log, *payload;
	struct {
		const uint8_t *at;
		uint32_t size;
	} field[N_FIELD];
	size_t wrong_at; /* where it is wrong: in the key, of entry_fields */
	char wrong[80];
};

/* Reads bytes of any origin: NULL, or what is wrong with them and at which offset, which stands
 * in *out.  Where it is good every field has its size and every text its NUL. */
const char *entry_read(const void *bytes, size_t size, struct entry *out);
/* The same of a key alone, for whom it is new. */
const char *entry_fields(const uint8_t *key, size_t size, struct entry *out);

/* The key of this image, kind and driver, added to `out` (nomem sticks). */
void entry_key(struct buf *out, const struct qd_image *img, enum disk_kind kind,
	       const struct disk_driver *driver);
/* A whole entry, added to an empty buffer, but for the sum. */
void entry_write(struct buf *out, const struct buf *key, enum disk_kind kind, const char *log,
		 const void *payload, size_t payload_size, uint64_t created);
void entry_seal(void *bytes, size_t size);

/* What the index keeps of a key (disk_index.c): its parts. */
struct mark {
	uint64_t sum; /* of the rest */
	uint64_t key[2];
	uint64_t emitter; /* the back end's number above, its version below */
	uint64_t templates, driver, device; /* hashes */
	uint64_t written; /* seconds since 1970 */
};
_Static_assert(sizeof(struct mark) == 64, "no padding: its bytes are written to files");

/* chosen: of template values that are in the IR, or 0. */
void entry_mark(struct mark *out, const uint8_t *key, size_t size, const struct entry *e, uint64_t chosen,
		uint64_t written);
/* The kernel's own part of a key: name and IR. */
struct hash128 entry_kernel(const struct entry *e);

#endif
