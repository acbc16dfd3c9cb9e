/* What others take for the same kernel: NVRTC from CUDA C++ to PTX, ptxas from our PTX to
 * machine code.  Where one is not installed that is said. */
#ifndef QD_BENCH_PEER_H
#define QD_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

/* The warp reduction of compile.c; prints a line for each, or why there is none.  ptx:
 * that kernel's text. */
void peer_compare(const char *ptx, size_t size, bool json);

#endif
