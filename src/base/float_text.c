/* Conversion between floats and text, independent of the locale. shortest.c generates the
 * digits. The C library's correctly rounded conversion reads them; its input is only digits
 * and an exponent, without the radix character of the locale. */
#include "shortest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* -- To text ----------------------------------------------------------------- */

/* Range of decimal exponents for positional notation. */
enum { MIN_POSITIONAL = -4, MAX_POSITIONAL = 15, MAX_FLOAT_DIGITS = 17 };

static char *
put_zeros(char *p, int n)
{
	while (n-- > 0)
		*p++ = '0';
	return p;
}

/* Writes 12, 1.5, 0.025, 1.5e+20: positional from 1e-4 to below 1e16. */
static int
print_shortest(char *out, struct shortest d)
{
	char digit[MAX_FLOAT_DIGITS + 3];
	int n = 0, at = (int)sizeof digit;
	char *p = out;

	while (d.digits % 10 == 0) {
		d.digits /= 10;
		d.exp++;
	}
	for (; d.digits; d.digits /= 10, n++)
		digit[--at] = (char)('0' + d.digits % 10);
	const char *s = digit + at;
	int exp = d.exp + n - 1; /* of the first digit */

	if (exp < MIN_POSITIONAL || exp > MAX_POSITIONAL) {
		*p++ = *s;
		if (n > 1)
			*p++ = '.';
		memcpy(p, s + 1, (size_t)n - 1);
		p += n - 1;
		*p++ = 'e';
		*p++ = exp < 0 ? '-' : '+';
		unsigned e = (unsigned)(exp < 0 ? -exp : exp);
		if (e >= 100)
			*p++ = (char)('0' + e / 100);
		*p++ = (char)('0' + e / 10 % 10);
		*p++ = (char)('0' + e % 10);
	} else if (exp < 0) {
		*p++ = '0';
		*p++ = '.';
		p = put_zeros(p, -exp - 1);
		memcpy(p, s, (size_t)n);
		p += n;
	} else {
		int whole = n < exp + 1 ? n : exp + 1;
		memcpy(p, s, (size_t)whole);
		p = put_zeros(p + whole, exp + 1 - n);
		if (n > whole) {
			*p++ = '.';
			memcpy(p, s + whole, (size_t)(n - whole));
			p += n - whole;
		}
	}
	*p = '\0';
	return (int)(p - out);
}

int
text_float(char out[32], uint64_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
	uint64_t hidden = UINT64_C(1) << fraction_bits, c = bits & (hidden - 1);
	int top = (1 << exponent_bits) - 1, e = (int)(bits >> fraction_bits) & top;
	int bias = top / 2 + (int)fraction_bits, sign = 0;

	if (e == top && c) {
		memcpy(out, "nan", 4);
		return 3;
	}
	if (bits >> fraction_bits >> exponent_bits & 1)
		out[sign++] = '-';
	if (e == top) {
		memcpy(out + sign, "inf", 4);
		return sign + 3;
	}
	if (!e && !c) {
		memcpy(out + sign, "0", 2);
		return sign + 1;
	}
	struct shortest d = e ? shortest_decimal(c | hidden, e - bias, !c && e > 1)
			      : shortest_decimal(c, 1 - bias, false);
	return sign + print_shortest(out + sign, d);
}

int
text_f32(char out[32], float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return text_float(out, bits, 8, 23);
}

int
text_f64(char out[32], double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return text_float(out, bits, 11, 52);
}

/* -- From text ----------------------------------------------------------------- */

/* No midpoint of two doubles has more significant digits. For later digits it only matters
 * whether any is not zero. */
enum { MAX_DIGITS = 800, MAX_EXP = 99999 };

static int
digit_value(char c, int base)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the exponent at s[0], 'e' or 'p'. Returns its number of characters, 0 if there is none. */
static size_t
read_exponent(const char *s, size_t len, char mark, int64_t *out)
{
	size_t i = 1;
	int64_t e = 0;

	if (len < 2 || (s[0] | 0x20) != mark)
		return 0;
	if (s[1] == '+' || s[1] == '-')
		i++;
	if (i == len || digit_value(s[i], 10) < 0)
		return 0;
	for (; i < len && digit_value(s[i], 10) >= 0; i++)
		if (e < INT64_C(1) << 56)
			e = 10 * e + digit_value(s[i], 10);
	*out = s[1] == '-' ? -e : e;
	return i;
}

/* Reads digits, a point with digits on both sides, and an exponent (of 2 after hexadecimal
 * digits). Writes the same number as an integer with an exponent. */
static size_t
read_number(const char *s, size_t len, char out[MAX_DIGITS + 32])
{
	static const char prefix[2] = { '0', 'x' };
	bool hex = len > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' && digit_value(s[2], 16) >= 0;
	int base = hex ? 16 : 10;
	size_t i = hex ? 2 : 0, first = i, n = 0;
	int64_t exp = 0, scale = 0; /* scale: in digits */
	bool point = false, rest = false;
	char *digit = out + (hex ? sizeof prefix : 0);

	for (; i < len; i++) {
		if (s[i] == '.' && !point && i > first && i + 1 < len &&
		    digit_value(s[i + 1], base) >= 0) {
			point = true;
			continue;
		}
		int v = digit_value(s[i], base);
		if (v < 0)
			break;
		if (n == MAX_DIGITS) {
			rest |= v != 0;
			scale += !point;
			continue;
		}
		scale -= point;
		if (n || v)
			digit[n++] = s[i];
	}
	if (i == first)
		return 0;
	i += read_exponent(s + i, len - i, hex ? 'p' : 'e', &exp);
	if (n == 0) {
		memcpy(out, "0", 2);
		return i;
	}
	if (rest) {
		digit[n++] = '1';
		scale--;
	}
	exp += hex ? 4 * scale : scale;
	exp = exp > MAX_EXP ? MAX_EXP : exp < -MAX_EXP ? -MAX_EXP : exp;
	if (hex)
		memcpy(out, prefix, sizeof prefix);
	snprintf(digit + n, 16, "%c%d", hex ? 'p' : 'e', (int)exp);
	return i;
}

/* A number too large for the type becomes infinity, its rounded value. The caller decides
 * whether that is an error. */
size_t
text_read_f32(const char *s, size_t len, float *out)
{
	char text[MAX_DIGITS + 32];
	size_t used = read_number(s, len, text);
	int saved = errno;

	if (used)
		*out = strtof(text, NULL);
	errno = saved;
	return used;
}

size_t
text_read_f64(const char *s, size_t len, double *out)
{
	char text[MAX_DIGITS + 32];
	size_t used = read_number(s, len, text);
	int saved = errno;

	if (used)
		*out = strtod(text, NULL);
	errno = saved;
	return used;
}
