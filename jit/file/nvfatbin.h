/* CUDA's fatbins, which nvcc and fatbinary write: entries of PTX and cubins for several GPUs,
 * stored or packed. They are separate files, or section .nv_fatbin of programs. */
#ifndef JIT_NVFATBIN_H
#define JIT_NVFATBIN_H

#include "unpack.h"

enum nvfatbin_kind { NVFATBIN_PTX = 1, NVFATBIN_CUBIN = 2 };

struct nvfatbin_entry {
	uint32_t kind, sm; /* kind: enum nvfatbin_kind, or unknown */
	uint16_t major, minor; /* .version of PTX, format version of a cubin */
	uint64_t flags;
	enum pack pack;
	const uint8_t *data; /* as stored in the file */
	size_t stored;	     /* bytes of data */
	uint64_t size;	     /* bytes after unpacking */
	uint64_t offset;     /* of data in the user's file */
};

struct nvfatbin {
	uint32_t n_entries;
	struct nvfatbin_entry *entries;
};

bool nvfatbin_is(const void *data, size_t size);
/* Reads all fatbins in the bytes, which may be concatenated. Entries are views of data. */
qd_status nvfatbin_read(struct arena *mem, const void *data, size_t size, uint64_t base,
			struct nvfatbin *out, struct qd_error *err);
/* Returns the e->size bytes of the entry; allocates them in mem if the entry is packed. */
qd_status nvfatbin_unpack(struct arena *mem, const struct nvfatbin_entry *e, const uint8_t **data,
			  struct qd_error *err);

#endif
