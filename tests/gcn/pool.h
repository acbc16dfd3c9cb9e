/* Runs the iterations of a loop in several processes. */
#ifndef TEST_GCN_POOL_H
#define TEST_GCN_POOL_H

#include <stdbool.h>

/* Calls one(arg, i) for each i below n. Each child process repeatedly takes the next i until none
 * remains. Results must be in memory that the processes share. Flushes stdout before and after.
 * Returns false if a child ended early or could not start. */
bool pool_run(unsigned n, void (*one)(void *arg, unsigned i), void *arg);

#endif
