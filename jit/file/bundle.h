/* clang's offload bundles: files of several code objects, each with the target it
 * is for.  Plain ones, several behind each other, compressed ones ("CCOB", v1 to
 * v3, zstd), and what a host program carries in its .hip_fatbin section. */
#ifndef JIT_BUNDLE_H
#define JIT_BUNDLE_H

#include "base.h"

struct bundle_entry {
	const char *id; /* "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"; NUL-terminated */
	const char *target; /* the part of id behind "--"; empty for the host */
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* of data: in the file, or in what was compressed */
	bool was_compressed;
};

struct bundle {
	uint32_t n_entries;
	struct bundle_entry *entries;
};

/* Do the bytes begin with a bundle? */
bool bundle_is(const void *data, size_t size);
/* All bundles in the bytes.  Entries are views that live as long as data and mem
 * do; what was compressed lies in mem. */
qd_status bundle_read(struct arena *mem, const void *data, size_t size, uint64_t base,
		      struct bundle *out, struct qd_error *err);
/* The .hip_fatbin section of a 64-bit ELF file; *data NULL: it has none. */
qd_status bundle_in_host(struct arena *mem, const void *file, size_t file_size, uint64_t base,
			 const uint8_t **data, size_t *size, uint64_t *offset,
			 struct qd_error *err);

#endif
