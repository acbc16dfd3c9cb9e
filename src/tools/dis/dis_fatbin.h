/* qd's own fatbins, and programs that contain them. */
#ifndef QD_TOOLS_DIS_FATBIN_H
#define QD_TOOLS_DIS_FATBIN_H

#include "dis.h"

/* Prints a list of the entries. With -k, -t, -D or a view, prints the code of the selected
 * entries. */
void dis_fatbin(struct dis *s);

#endif
