/* qd-info: the parts other than devices. */
#ifndef QD_TOOLS_INFO_H
#define QD_TOOLS_INFO_H

#include "tool.h"

/* target NULL: all back ends, with their default targets. */
void info_primitives(const char *target, bool json);

#endif
