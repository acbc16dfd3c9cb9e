/* Compile times of other compilers for the same kernel: NVRTC from CUDA C++ to PTX, ptxas from qd's
 * PTX to machine code. */
#ifndef QD_BENCH_PEER_H
#define QD_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

/* Times the warp reduction of compile.c, whose PTX is `ptx`. Prints a line for each compiler, or
 * that it is not installed. */
void peer_compare(const char *ptx, size_t size, bool json);

#endif
