/* Files of device code of several targets: CUDA's fatbins, LLVM's offload binaries, cubins. */
#ifndef QD_TOOLS_DIS_DEVICE_H
#define QD_TOOLS_DIS_DEVICE_H

#include "dis.h"

bool dis_is_cuda(const struct dis *s);
void dis_cuda(struct dis *s);
bool dis_is_cuda_host(const struct dis *s); /* a program with section .nv_fatbin */
void dis_cuda_host(struct dis *s);
bool dis_is_cubin(const struct dis *s);
void dis_cubin(struct dis *s);
bool dis_is_cubin_in(const void *data, size_t size);
/* Prints a cubin in memory. target: "cubin:sm_80", or NULL if unknown. */
void dis_cubin_at(struct dis *s, const char *label, const char *target, const void *data, size_t size);
bool dis_is_offload(const struct dis *s);
void dis_offload(struct dis *s);
bool dis_is_offload_host(const struct dis *s); /* with section .llvm.offloading */
void dis_offload_host(struct dis *s);

#endif
