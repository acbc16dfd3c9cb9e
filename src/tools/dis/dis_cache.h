/* Entries of the disk cache. */
#ifndef QD_TOOLS_DIS_CACHE_H
#define QD_TOOLS_DIS_CACHE_H

#include "dis.h"

/* Prints the key, and the kernels of a cubin. */
void dis_cache(struct dis *s);

#endif
