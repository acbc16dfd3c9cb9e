/* The shortest decimal of a binary float. */
#ifndef QD_SHORTEST_H
#define QD_SHORTEST_H

#include "base.h"

/* digits times ten to the exp; zeros may end the digits. */
struct shortest {
	uint64_t digits;
	int exp;
};
/* Of c * 2^q, c > 0 below 2^53, q from -1074 to 971: the shortest that is nearer to it
 * than to its neighbours in the format.  is_power: c is a power of two whose neighbour
 * below is only half as far as the one above.  q is the exponent that the format gives
 * c: it says how far the neighbours are. */
struct shortest shortest_decimal(uint64_t c, int q, bool is_power);

#endif
