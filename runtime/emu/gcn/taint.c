/* Propagation of undefined bits from sources to results. */
#include "taint.h"

/* Returns the lowest undefined bit and all bits above it. */
static uint64_t
carried(uint64_t u)
{
	return u | (0 - (u & (0 - u)));
}

/* Returns the bits that change if the undefined bits of some sources are flipped, in every
 * combination of sources. Exact if each bit of the result depends on one bit of each source. */
static uint64_t
by_bits(const struct sem *sem, const struct op *o, const uint64_t u[3])
{
	uint64_t both = 0;

	for (unsigned n = 1; n < 8; n++) {
		struct op x = *o;
		for (unsigned k = 0; k < 3; k++)
			x.s[k] = n >> k & 1 ? o->s[k] ^ u[k] : o->s[k];
		/* same_bits has cleared the undefined bits of all sources */
		sem->fn(&x);
		both |= x.d ^ o->d;
	}
	return both;
}

static uint64_t
same_bits(const struct sem *sem, const struct op *o, const uint64_t u[3])
{
	struct op x = *o;

	for (unsigned k = 0; k < 3; k++)
		x.s[k] &= ~u[k];
	sem->fn(&x);
	return by_bits(sem, &x, u);
}

/* Returns whether the result is the same for all undefined bits 0 and all 1. */
static bool
same_ends(const struct sem *sem, const struct op *o, const uint64_t u[3])
{
	struct op low = *o, high = *o;

	for (unsigned k = 0; k < 3; k++) {
		low.s[k] &= ~u[k];
		high.s[k] |= u[k];
	}
	sem->fn(&low);
	sem->fn(&high);
	return low.d == high.d;
}

uint64_t
amd_taint(const struct sem *sem, const struct op *o, const uint64_t u[3], bool in_undef,
	  bool *out_undef)
{
	static const uint8_t selectors[] = { [BITS0] = 1, [BITS1] = 2, [BITS2] = 4, [BITS12] = 6 };
	uint64_t any = u[0] | u[1] | u[2], d;

	*out_undef = any || in_undef;
	if (!any && !in_undef)
		return 0;
	switch (sem->taint) {
	case CARRY: d = o->clamp ? UINT64_MAX : carried(any | in_undef); break;
	case BITS: d = same_bits(sem, o, u); break;
	case BITS0:
	case BITS1:
	case BITS2:
	case BITS12:
		d = 0;
		for (unsigned k = 0; k < 3; k++)
			d |= selectors[sem->taint] >> k & 1 ? u[k] : 0;
		d = d ? UINT64_MAX : same_bits(sem, o, u);
		break;
	case CHOOSE:
		if (in_undef)
			return UINT64_MAX;
		*out_undef = false;
		d = same_bits(sem, o, u);
		break;
	case ENDS: d = same_ends(sem, o, u) ? 0 : UINT64_MAX; break;
	default: d = UINT64_MAX; break;
	}
	return d;
}
