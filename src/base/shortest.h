/* The shortest decimal of a binary float. */
#ifndef QD_SHORTEST_H
#define QD_SHORTEST_H

#include "base.h"

/* digits * 10^exp; digits may end in zeros. */
struct shortest {
	uint64_t digits;
	int exp;
};
/* Returns the shortest decimal that is nearer to c * 2^q than to its neighbors in the format. c
 * is above 0 and below 2^53, q from -1074 to 971. q is the exponent that the format gives c; it
 * determines the distance of the neighbors. is_power: c is a power of two whose lower neighbor
 * is half as far away as the upper one. */
struct shortest shortest_decimal(uint64_t c, int q, bool is_power);

#endif
