/* Bit-by-bit integer arithmetic of w bits, the reference of t_eval.c and t_float.c. */
#ifndef UNIT_SLOW_H
#define UNIT_SLOW_H

#include "ir.h"

struct width {
	unsigned w;
	bool is_signed;
};

static inline bool
bit(uint64_t v, unsigned i)
{
	return v >> i & 1;
}

static inline uint64_t
low_bits(unsigned w)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < w; i++)
		v |= UINT64_C(1) << i;
	return v;
}

static inline uint64_t
slow_add(uint64_t a, uint64_t b, bool carry, unsigned w)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < w; i++) {
		unsigned n = (unsigned)bit(a, i) + bit(b, i) + carry;
		r |= (uint64_t)(n & 1) << i;
		carry = n > 1;
	}
	return r;
}

static inline uint64_t
slow_neg(uint64_t a, unsigned w)
{
	return slow_add(0, ~a, true, w);
}

static inline bool
slow_less(uint64_t a, uint64_t b, struct width t)
{
	for (unsigned i = t.w; i-- > 0;) {
		if (bit(a, i) != bit(b, i))
			return bit(b, i) != (t.is_signed && i == t.w - 1);
	}
	return false;
}

static inline bool
is_negative(uint64_t a, struct width t)
{
	return t.is_signed && bit(a, t.w - 1);
}

static inline uint64_t
magnitude(uint64_t a, struct width t)
{
	return is_negative(a, t) ? slow_neg(a, t.w) : a;
}

/* Every per-lane operation of op.def with defined result bits. An operation without a reference
 * fails its test. */
struct alu {
	enum op op;
	const char *text;
	unsigned n_args;
	enum sig sig;
	uint32_t types;
};

enum { N_OPND_UN = 1, N_OPND_BIN, N_OPND_TER, N_OPND_SHIFT = 2, N_OPND_CMP = 2, N_OPND_COUNT = 1, N_OPND_FUNNEL = 3, N_OPND_DOT4 = 3 };

static const struct alu alus[] = {
#define OP(...)
#define ALU(name, text, sig, types, count, laws, u, s, f)                                                       \
	{ OP_##name, text, N_OPND_##sig, SIG_##sig, types },
#define APPROX(...)
#include "op.def"
};

#endif
