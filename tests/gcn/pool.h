/* A loop whose iterations run in a few processes. */
#ifndef TEST_GCN_POOL_H
#define TEST_GCN_POOL_H

#include <stdbool.h>

/* Calls one(arg, i) for each i below n in child processes, which take the next i until none is
 * left. Results must be in memory that the processes share; output is flushed. Returns false if a
 * child ended early or could not start. */
bool pool_run(unsigned n, void (*one)(void *arg, unsigned i), void *arg);

#endif
