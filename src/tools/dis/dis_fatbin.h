/* Fatbins of qd's own, and programs that have some. */
#ifndef QD_TOOLS_DIS_FATBIN_H
#define QD_TOOLS_DIS_FATBIN_H

#include "dis.h"

bool dis_is_fatbin(const struct dis *s);
/* A list of the entries; with -k, -t, -D, or where a view is asked for, the code of those
 * that are named. */
void dis_fatbin(struct dis *s);

#endif
