/* Floats to text and back, by the C library's own correctly rounded conversions
 * but the same in every locale: what is handed to it and what is taken from it
 * never holds a radix character, only digits and an exponent. */
#include "base.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- To text ----------------------------------------------------------------- */

enum { MAX_F32_DIGITS = 9, MAX_F64_DIGITS = 17 }; /* always enough to read back */

/* digit[0].digit[1]... times ten to the exp */
struct decimal {
	char digit[MAX_F64_DIGITS];
	int n, exp;
};

/* v > 0 rounded to n digits. */
static void
decimal_round(struct decimal *d, double v, int n)
{
	char text[64];
	const char *p = text;

	snprintf(text, sizeof text, "%.*e", n - 1, v);
	d->n = 0;
	for (; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			d->digit[d->n++] = *p;
	d->exp = (int)strtol(p + 1, NULL, 10);
	assert(d->n == n);
}

/* The next larger decimal of as many digits. */
static void
decimal_next(struct decimal *d)
{
	int i = d->n;

	while (i > 0 && d->digit[i - 1] == '9')
		d->digit[--i] = '0';
	if (i > 0) {
		d->digit[i - 1]++;
	} else {
		d->digit[0] = '1';
		d->exp++;
	}
}

static bool
decimal_reads_as(const struct decimal *d, double v, bool is_f64)
{
	char text[64];

	snprintf(text, sizeof text, "%.*se%d", d->n, d->digit, d->exp - (d->n - 1));
	return (is_f64 ? strtod(text, NULL) : (double)strtof(text, NULL)) == v;
}

/* The shortest decimal that reads back, of several the nearest; v > 0.
 *
 * A decimal of DIG digits survives the way to a normal float and back, so if so
 * few are enough, rounding to DIG of them finds it, zeros appended.  At a power
 * of two the neighbour below is twice as near as the one above: the nearest
 * decimal may miss on that side while the next one above it still hits. */
static void
decimal_shortest(struct decimal *d, double v, bool is_f64)
{
	int most = is_f64 ? MAX_F64_DIGITS : MAX_F32_DIGITS;
	int n = is_f64 ? DBL_DIG : FLT_DIG;
	int exp;
	bool is_power = frexp(v, &exp) == 0.5;

	if (v < (is_f64 ? DBL_MIN : (double)FLT_MIN))
		n = 1;
	for (;; n++) {
		decimal_round(d, v, n);
		if (n == most || decimal_reads_as(d, v, is_f64))
			break;
		if (is_power) {
			decimal_next(d);
			if (decimal_reads_as(d, v, is_f64))
				break;
		}
	}
	while (d->n > 1 && d->digit[d->n - 1] == '0')
		d->n--;
}

/* As %.*g does with d->n as the precision. */
static int
decimal_spell(char out[32], const struct decimal *d)
{
	char *p = out;

	if (d->exp < -4 || d->exp >= d->n) {
		*p++ = d->digit[0];
		if (d->n > 1) {
			*p++ = '.';
			memcpy(p, d->digit + 1, (size_t)(d->n - 1));
			p += d->n - 1;
		}
		p += snprintf(p, 8, "e%c%02d", d->exp < 0 ? '-' : '+', abs(d->exp));
		return (int)(p - out);
	}
	if (d->exp < 0) {
		*p++ = '0';
		*p++ = '.';
		for (int i = d->exp; i < -1; i++)
			*p++ = '0';
	}
	for (int i = 0; i < d->n; i++) {
		*p++ = d->digit[i];
		if (i == d->exp && i + 1 < d->n)
			*p++ = '.';
	}
	*p = '\0';
	return (int)(p - out);
}

static int
text_float(char out[32], double v, bool is_f64)
{
	struct decimal d;
	int sign = 0, saved = errno;

	if (isnan(v)) {
		memcpy(out, "nan", 4);
		return 3;
	}
	if (signbit(v)) {
		out[sign++] = '-';
		v = -v;
	}
	if (isinf(v)) {
		memcpy(out + sign, "inf", 4);
		return sign + 3;
	}
	if (v == 0) {
		memcpy(out + sign, "0", 2);
		return sign + 1;
	}
	decimal_shortest(&d, v, is_f64);
	errno = saved;
	return sign + decimal_spell(out + sign, &d);
}

int
text_f32(char out[32], float v)
{
	return text_float(out, (double)v, false);
}

int
text_f64(char out[32], double v)
{
	return text_float(out, v, true);
}

/* -- From text ----------------------------------------------------------------- */

/* No two doubles have a midpoint of more significant digits; of what lies beyond
 * it only matters whether it is zero. */
enum { MAX_DIGITS = 800, MAX_EXP = 99999 };

static int
digit_value(char c, int base)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The exponent at s[0], 'e' or 'p': its characters, 0 if it is none. */
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

/* Digits, a point with digits on both sides, an exponent (of two after hex
 * digits).  Spells the same number as an integer with an exponent. */
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

/* What is too large for the type reads as infinity: that is its rounding.  The
 * caller decides whether it is an error. */
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
