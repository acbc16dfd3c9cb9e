/* Numbers as operands: decimal, 0x and fractions. An integer of either sign denotes the bits of
 * the operand. Operands accept the same numbers as in LLVM 22, except numbers whose value LLVM
 * changes. These are doubles whose lower half is not zero, and floats that overflow. */
#include "call.h"
#include "constant.h"

#define INV_2PI_32_AS_64 UINT64_C(0x3fc45f306725feed) /* 0.15915494 */

/* -- Reading ------------------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns whether a number has a fraction or an exponent. */
static bool
looks_real(struct token k)
{
	bool hex = token_starts(k, "0x") || token_starts(k, "0X");

	for (size_t i = 0; i < k.len; i++) {
		char c = k.at[i];
		if (hex ? (c | 32) == 'p' : c == '.' || (c | 32) == 'e')
			return true;
	}
	return false;
}

static bool
read_real(struct token k, double *out)
{
	char text[64];
	size_t n = 0;

	if (k.len > sizeof text - 3 || (k.len > 1 && k.at[0] == '0' && !strchr(".xX", k.at[1])))
		return false;
	/* text_read_f64 requires a digit on both sides of the point */
	for (size_t i = 0; i < k.len; i++) {
		if (k.at[i] == '.' && (!i || !is_digit(k.at[i - 1])))
			text[n++] = '0';
		text[n++] = k.at[i];
		if (k.at[i] == '.' && (i + 1 == k.len || !is_digit(k.at[i + 1])))
			text[n++] = '0';
	}
	return n && (is_digit(k.at[0]) || (k.len > 1 && is_digit(k.at[1]))) &&
	       text_read_f64(text, n, out) == n;
}

bool
gcn_number_read(struct token k, struct number *out)
{
	uint64_t v;
	bool minus;

	out->literal = token_skip(&k, "lit(");
	out->wide = !out->literal && token_skip(&k, "lit64(");
	if ((out->literal || out->wide) && !token_strip(&k, ")"))
		return false;
	minus = token_skip(&k, "-");
	if (!k.len || !(is_digit(k.at[0]) || k.at[0] == '.'))
		return false;
	out->is_real = looks_real(k);
	if (out->is_real) {
		if (!read_real(k, &out->real))
			return false;
		out->real = minus ? -out->real : out->real;
		return true;
	}
	if (!token_wide(k, &v))
		return false;
	memcpy(&out->whole, &(uint64_t){ minus ? 0 - v : v }, sizeof v);
	return true;
}

/* -- By type ------------------------------------------------------------------- */

static uint64_t
bits_of(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof u);
	return u;
}

/* Converts to a narrower float, rounding to nearest even. Returns false on overflow, and if the
 * result is subnormal and inexact. */
static bool
narrow(double d, unsigned exponent_bits, unsigned fraction_bits, uint32_t *out)
{
	uint64_t u = bits_of(d), m = (u & 0xfffffffffffff) | UINT64_C(1) << 52, q, rest, half;
	int bias = (1 << (exponent_bits - 1)) - 1, e = (int)(u >> 52 & 2047) - 1023;
	uint32_t sign = (uint32_t)(u >> 63) << (exponent_bits + fraction_bits);
	unsigned shift = 52 - fraction_bits;
	bool small = e < 1 - bias;

	*out = sign;
	if (!(u << 1))
		return true;
	if (e > bias || e < 1 - bias - (int)fraction_bits - 1)
		return false;
	if (small)
		shift += (unsigned)(1 - bias - e);
	q = m >> shift;
	rest = m & ((UINT64_C(1) << shift) - 1);
	half = UINT64_C(1) << (shift - 1);
	q += rest > half || (rest == half && (q & 1));
	if (small) {
		*out |= (uint32_t)q;
		return !rest || q >> fraction_bits;
	}
	if (q >> (fraction_bits + 1)) {
		q >>= 1;
		e++;
	}
	*out |= (uint32_t)(e + bias) << fraction_bits |
		((uint32_t)q & ((UINT32_C(1) << fraction_bits) - 1));
	return e <= bias;
}

static bool
fits(int64_t v, unsigned width)
{
	return v >= -(INT64_C(1) << (width - 1)) && v < INT64_C(1) << width;
}

/* Returns whether v is no 16-bit number but either exceeds 32 bits too, or has a word that looks
 * like a sign-extended 16-bit number. */
static bool
misread(int64_t v)
{
	return !fits(v, 16) && (!fits(v, 32) || (uint32_t)v >> 15 == 0x1ffff);
}

static unsigned
whole_code(int64_t v)
{
	return v >= 0 && v <= 64 ? 128 + (unsigned)v : v < 0 && v >= -16 ? 192 + (unsigned)-v : 0;
}

static unsigned
wide_literal(uint64_t v, uint32_t word[2])
{
	word[0] = (uint32_t)v;
	word[1] = (uint32_t)(v >> 32);
	return GCN_LITERAL64;
}

/* As in LLVM, lit() is a literal of 64 bits if there are such literals. */
static unsigned
code_of_double(const struct number *n, bool wide, uint32_t word[2])
{
	uint64_t v = n->is_real ? bits_of(n->real) : (uint64_t)n->whole;

	if (wide && (n->wide || n->literal))
		return wide_literal(v, word);
	if (wide && (uint32_t)v && (n->is_real || !fits(n->whole, 32)) && !gcn_inline64(v))
		return wide_literal(v, word);
	if (!n->literal && gcn_inline64(v))
		return gcn_inline64(v);
	if (!n->is_real && (!wide || fits(n->whole, 32))) {
		/* the upper half */
		*word = (uint32_t)v;
		return !fits(n->whole, 32) ? 0 : n->literal || !gcn_inline64(v << 32) ? GCN_LITERAL : gcn_inline64(v << 32);
	}
	*word = (uint32_t)(v >> 32);
	return (uint32_t)v ? 0 : GCN_LITERAL;
}

/* If there are literals of 64 bits, one of 32 bits is sign-extended. */
static unsigned
code_of_pair(const struct number *n, bool wide, uint32_t word[2])
{
	uint64_t v = n->is_real ? bits_of(n->real) : (uint64_t)n->whole;

	if (wide && (n->wide || (!n->is_real && n->whole != (int32_t)n->whole && !gcn_inline64(v))))
		return wide_literal(v, word);
	if (wide && !n->is_real && n->whole < 0 && !gcn_inline64(v))
		return wide_literal(v, word);
	if (!n->literal && gcn_inline64(v))
		return gcn_inline64(v);
	*word = (uint32_t)v;
	return n->is_real || !fits(n->whole, 32) ? 0 : GCN_LITERAL;
}

/* Codes a number for a 16-bit integer operand. A fraction is a 32-bit float, as the hardware
 * supplies inline constants there. */
static unsigned
code_of_short(const struct number *n, uint32_t *word)
{
	unsigned code;
	uint32_t half;

	if (n->is_real) {
		if (!narrow(n->real, 5, 10, &half) || !narrow(n->real, 8, 23, word))
			return 0;
		code = gcn_inline(*word);
	} else {
		*word = (uint32_t)n->whole;
		if (misread(n->whole))
			return 0;
		code = whole_code(n->whole);
	}
	return n->literal || !code ? GCN_LITERAL : code;
}

static unsigned
code_of_half(const struct number *n, bool brain, bool packed, uint32_t *word)
{
	const uint16_t *list = brain ? gcn_brain_bits : gcn_half_bits;
	unsigned code;

	if (n->is_real && brain && bits_of(n->real) == INV_2PI_32_AS_64)
		*word = gcn_brain_bits[GCN_INV_2PI - GCN_FLOATS];
	else if (n->is_real && !narrow(n->real, brain ? 8 : 5, brain ? 7 : 10, word))
		return 0;
	else if (!n->is_real && (packed ? !fits(n->whole, 32) : misread(n->whole)))
		return 0;
	else if (!n->is_real)
		*word = (uint32_t)n->whole & (!packed && fits(n->whole, 16) ? 0xffff : 0xffffffff);
	/* too wide: the check of the whole instruction reports the reason */
	if (!packed && !n->is_real && !fits(n->whole, 16))
		return GCN_LITERAL;
	code = whole_code(packed ? (int32_t)*word : (int16_t)*word);
	if (!code)
		code = gcn_float_code(list, GCN_N_CONSTANT, packed ? *word : *word & 0xffff);
	return n->literal || !code ? GCN_LITERAL : code;
}

static unsigned
code_of_twice(const struct number *n, uint32_t *word)
{
	unsigned code = code_of_half(n, false, true, word);

	if (code != GCN_LITERAL && whole_code((int32_t)*word) != code)
		code = code ? GCN_LITERAL : 0; /* a constant only in the lower half */
	if (code == GCN_LITERAL && !n->literal && *word >> 16 == (*word & 0xffff)) {
		unsigned both = gcn_float_code(gcn_half_bits, GCN_N_CONSTANT, *word & 0xffff);
		code = both ? both : code;
	}
	return code;
}

unsigned
gcn_number_code(const struct number *n, unsigned type, bool wide, uint32_t word[2])
{
	if (n->wide && !(wide && (type == T_F64 || type == T_B64)))
		return 0;
	switch (type) {
	case T_NONE:
		return 0;
	case T_F64:
		return code_of_double(n, wide, word);
	case T_B64:
		return code_of_pair(n, wide, word);
	case T_B16:
		return code_of_short(n, word);
	case T_F16:
	case T_V2F16:
		return code_of_half(n, false, type == T_V2F16, word);
	case T_BF16:
	case T_V2BF16:
		return code_of_half(n, true, type == T_V2BF16, word);
	case T_V2F16_TWICE:
		return code_of_twice(n, word);
	default:
		if (n->is_real ? !narrow(n->real, 8, 23, word) : !fits(n->whole, 32))
			return 0;
		if (!n->is_real)
			*word = (uint32_t)n->whole;
		return n->literal || !gcn_inline(*word) ? GCN_LITERAL : gcn_inline(*word);
	}
}

bool
gcn_number_word(const struct number *n, unsigned width, uint32_t word[2])
{
	bool whole = width == 64 && !n->is_real && !n->wide && fits(n->whole, 32);

	if (width == 64)
		return wide_literal(n->is_real ? bits_of(n->real) :
				    whole ? (uint64_t)n->whole << 32 : (uint64_t)n->whole, word) != 0;
	if (n->wide)
		return false;
	if (n->is_real)
		return width == 16 ? narrow(n->real, 5, 10, word) : narrow(n->real, 8, 23, word);
	*word = (uint32_t)n->whole;
	return width == 16 ? !misread(n->whole) : fits(n->whole, 32);
}
