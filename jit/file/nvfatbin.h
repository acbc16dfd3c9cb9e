/* CUDA's fatbins, as nvcc and fatbinary write them: entries of PTX and cubins for several
 * GPUs, stored or packed; in files of their own, and in section .nv_fatbin of programs. */
#ifndef JIT_NVFATBIN_H
#define JIT_NVFATBIN_H

#include "unpack.h"

enum nvfatbin_kind { NVFATBIN_PTX = 1, NVFATBIN_CUBIN = 2 };

struct nvfatbin_entry {
	uint32_t kind, sm; /* kind: of the enum, or one that is not known here */
	uint16_t major, minor; /* of PTX its .version, of a cubin that of its form */
	uint64_t flags;
	enum pack pack;
	const uint8_t *data; /* as it stands in the file */
	size_t stored;	     /* bytes of it */
	uint64_t size;	     /* unpacked */
	uint64_t offset;     /* of data in the file that the user named */
};

struct nvfatbin {
	uint32_t n_entries;
	struct nvfatbin_entry *entries;
};

bool nvfatbin_is(const void *data, size_t size);
/* All fatbins in the bytes, which may follow each other.  Entries are views of data. */
qd_status nvfatbin_read(struct arena *mem, const void *data, size_t size, uint64_t base,
			struct nvfatbin *out, struct qd_error *err);
/* What the entry holds, of e->size bytes; in mem where it was packed. */
qd_status nvfatbin_unpack(struct arena *mem, const struct nvfatbin_entry *e, const uint8_t **data,
			  struct qd_error *err);

#endif
