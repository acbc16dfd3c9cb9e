/* Entries of the disk cache. */
#ifndef QD_TOOLS_DIS_CACHE_H
#define QD_TOOLS_DIS_CACHE_H

#include "dis.h"

bool dis_is_cache(const struct dis *s);
/* Prints the key, and the kernels of a cubin. */
void dis_cache(struct dis *s);

#endif
