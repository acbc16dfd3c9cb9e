/* --extract: the entries of a file as files. */
#ifndef QD_TOOLS_DIS_EXTRACT_H
#define QD_TOOLS_DIS_EXTRACT_H

#include "dis.h"

/* Writes the entries of s->data that -t selects to the directory that --extract names. */
void dis_extract(struct dis *s);

#endif
