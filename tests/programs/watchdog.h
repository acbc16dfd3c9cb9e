/* Ends a test program that makes no progress, and names the cell or unit that hangs. */
#ifndef QD_TESTS_WATCHDOG_H
#define QD_TESTS_WATCHDOG_H

#include "cases.h"

/* Starts the watch of one unit, or of a family's next kernels. */
void watchdog_unit(const char *table, const char *name);
void watchdog_family(struct suite *t, const char *family);

#endif
