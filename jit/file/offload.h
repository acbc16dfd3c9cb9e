/* LLVM's offload binaries: images with the triple and processor of their targets. clang writes
 * them to files and to section .llvm.offloading of objects and programs. */
#ifndef JIT_OFFLOAD_H
#define JIT_OFFLOAD_H

#include "base.h"

struct offload_image {
	uint32_t kind, producer, flags; /* offload_kind_name, offload_producer_name */
	const char *triple, *arch; /* "": absent */
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* of data in the user's file */
};

struct offload {
	uint32_t n_images;
	struct offload_image *images;
};

const char *offload_kind_name(uint32_t kind);
const char *offload_producer_name(uint32_t producer);
bool offload_is(const void *data, size_t size);
/* Reads all binaries in the bytes, which may be concatenated. Images are views of data. */
qd_status offload_read(struct arena *mem, const void *data, size_t size, uint64_t base,
		       struct offload *out, struct qd_error *err);

#endif
