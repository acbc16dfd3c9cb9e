/* qd-info: what it prints beside devices. */
#ifndef QD_TOOLS_INFO_H
#define QD_TOOLS_INFO_H

#include "tool.h"

/* target: NULL for all back ends, each as its bare name means it. */
void info_primitives(const char *target, bool json);

#endif
