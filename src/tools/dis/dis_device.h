/* Files of device code of several targets: CUDA's fatbins, LLVM's offload binaries, cubins. */
#ifndef QD_TOOLS_DIS_DEVICE_H
#define QD_TOOLS_DIS_DEVICE_H

#include "dis.h"
#include "nvfatbin.h"

void dis_cuda(struct dis *s);
void dis_cuda_host(struct dis *s);
void dis_cubin(struct dis *s);
bool dis_is_cubin_in(const void *data, size_t size);
/* Prints a cubin in memory. target: "cubin:sm_80", or NULL if unknown. */
void dis_cubin_at(struct dis *s, const char *label, const char *target, const void *data, size_t size);
void dis_offload(struct dis *s);
void dis_offload_host(struct dis *s);
/* Returns true if -t selects the target: by its full name, or by the part before or after its
 * colon. */
bool dis_target_is(const char *target, const char *want);
/* Writes the target of an entry, "ptx:sm_80". */
void dis_cuda_target(const struct nvfatbin_entry *e, char out[48]);
/* Returns the size of the unpacked entry, without zeros after PTX. */
size_t dis_cuda_size(const struct nvfatbin_entry *e, const uint8_t *data);

#endif
