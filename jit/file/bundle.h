/* clang's files with several code objects and their targets. Supports plain bundles, concatenated
 * ones, compressed ones ("CCOB", v1 to v3, zstd), offload binaries (offload.h), and the sections of
 * host programs that contain one of them. */
#ifndef JIT_BUNDLE_H
#define JIT_BUNDLE_H

#include "base.h"

struct bundle_entry {
	const char *id; /* "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"; of an image: its triple */
	const char *target; /* the target in id, or the image's processor; empty if not for AMD */
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* of data: in the file, or in the decompressed bundle */
	bool was_compressed;
};

struct bundle {
	uint32_t n_entries;
	struct bundle_entry *entries;
};

/* Returns whether the bytes begin with a bundle. */
bool bundle_is(const void *data, size_t size);
/* Reads all bundles in the bytes. Entries are views of data, or of mem if they were compressed,
 * and are valid as long as both. */
qd_status bundle_read(struct arena *mem, const void *data, size_t size, uint64_t base,
		      struct bundle *out, struct qd_error *err);
/* Writes the targets of the entries, separated by commas, or the ids of those without; "nothing" if
 * all are empty. */
void bundle_list_targets(const struct bundle *b, char *text, size_t cap);
/* Finds section .hip_fatbin of a 64-bit ELF file, else .llvm.offloading; *data is NULL if there is
 * neither. */
qd_status bundle_in_host(struct arena *mem, const void *file, size_t file_size, uint64_t base,
			 const uint8_t **data, size_t *size, uint64_t *offset,
			 struct qd_error *err);

#endif
