/* The same work for each of n things, by a few processes at once. */
#ifndef TEST_GCN_POOL_H
#define TEST_GCN_POOL_H

#include <stdbool.h>

/* one(arg, i) for each i below n, in children: each takes the next until there is none.
 * What they find has to lie in memory that all share; what they print is flushed.
 * false: a child ended early, or could not begin. */
bool pool_run(unsigned n, void (*one)(void *arg, unsigned i), void *arg);

#endif
