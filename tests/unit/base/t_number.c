/* Conversion between numbers and text: shortest, exact, independent of the locale. */
#include "unit.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned
count_digits(const char *s)
{
	unsigned n = 0, zeros = 0;

	for (; *s && *s != 'e'; s++) {
		if (*s < '0' || *s > '9' || (!n && *s == '0'))
			continue;
		zeros = *s == '0' ? zeros + 1 : 0;
		n++;
	}
	return n - zeros;
}

/* Extracts the digits without leading and trailing zeros, and the exponent of a decimal point
 * before them. */
static void
normalize(const char *s, char digits[64], int *exp)
{
	int n = 0, point = 0;
	bool fraction = false;

	for (s += *s == '-'; *s && *s != 'e'; s++) {
		fraction |= *s == '.';
		if (*s == '.')
			continue;
		if (n || *s != '0')
			digits[n++] = *s;
		if (fraction ? !n : n != 0)
			point += fraction ? -1 : 1;
	}
	while (n && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	*exp = point + (*s == 'e' ? atoi(s + 1) : 0);
}

static bool
same_decimal(const char *a, const char *b)
{
	char x[64], y[64];
	int x_exp, y_exp;

	normalize(a, x, &x_exp);
	normalize(b, y, &y_exp);
	return !strcmp(x, y) && x_exp == y_exp;
}

/* Checks that the text reads back as the same value here and in C, and that no shorter %.*g
 * does. */
static void
check_f32(struct unit_ctx *t, float v)
{
	char s[32], g[64];
	float back = 0;
	int len = text_f32(s, v), p = 1;

	UNIT_CHECK(t, len == (int)strlen(s) && len < 32, "%a: length %d of '%s'", (double)v, len,
		   s);
	const char *digits = s + (*s == '-');
	size_t used = text_read_f32(digits, strlen(digits), &back);
	UNIT_CHECK(t, used == strlen(digits) && f32_bits(back) == (f32_bits(v) & 0x7fffffff),
		   "%a: '%s' reads as %a", (double)v, s, (double)back);
	UNIT_CHECK(t, f32_bits(strtof(s, NULL)) == f32_bits(v), "%a: C reads '%s' as %a", (double)v,
		   s, (double)strtof(s, NULL));
	for (;; p++) {
		snprintf(g, sizeof g, "%.*g", p, (double)v);
		if (f32_bits(strtof(g, NULL)) == f32_bits(v))
			break;
	}
	unsigned n = count_digits(s);
	UNIT_CHECK(t, v == 0 || n < (unsigned)p || same_decimal(s, g),
		   "%a: '%s', %%.%dg gives '%s'", (double)v, s, p, g);
}

static void
check_f64(struct unit_ctx *t, double v)
{
	char s[32], g[64];
	double back = 0;
	int len = text_f64(s, v), p = 1;

	UNIT_CHECK(t, len == (int)strlen(s) && len < 32, "%a: length %d of '%s'", v, len, s);
	const char *digits = s + (*s == '-');
	size_t used = text_read_f64(digits, strlen(digits), &back);
	UNIT_CHECK(t, used == strlen(digits) && f64_bits(back) == f64_bits(fabs(v)),
		   "%a: '%s' reads as %a", v, s, back);
	UNIT_CHECK(t, f64_bits(strtod(s, NULL)) == f64_bits(v), "%a: C reads '%s' as %a", v, s,
		   strtod(s, NULL));
	for (;; p++) {
		snprintf(g, sizeof g, "%.*g", p, v);
		if (f64_bits(strtod(g, NULL)) == f64_bits(v))
			break;
	}
	unsigned n = count_digits(s);
	UNIT_CHECK(t, v == 0 || n < (unsigned)p || same_decimal(s, g),
		   "%a: '%s', %%.%dg gives '%s'", v, s, p, g);
}

/* Checks the exact text, which tools print and files contain. */
static void
number_spelling(struct unit_ctx *t)
{
	static const struct {
		float v;
		const char *text;
	} f32[] = {
		{ 0.0f, "0" },
		{ -0.0f, "-0" },
		{ 1.0f, "1" },
		{ -1.5f, "-1.5" },
		{ 0.1f, "0.1" },
		{ 10.0f, "10" },
		{ 12.0f, "12" },
		{ 100000.0f, "100000" },
		{ 1e6f, "1000000" },
		{ 123456.0f, "123456" },
		{ 123456789.0f, "123456790" }, /* 123456792 has more digits */
		{ 1e15f, "1000000000000000" },
		{ 1e16f, "1e+16" },
		{ 120.0f, "120" },
		{ 101.0f, "101" },
		{ 1e10f, "10000000000" },
		{ 0.0001f, "0.0001" },
		{ 1e-5f, "1e-05" },
		{ 0.00012f, "0.00012" },
		{ 1.2e-5f, "1.2e-05" },
		{ 16777216.0f, "16777216" },
		{ 3.14159274f, "3.1415927" },
		{ 0x1.fffffep127f, "3.4028235e+38" },
		{ 0x1p-126f, "1.1754944e-38" },
		{ 0x1p-149f, "1e-45" },
		{ 0x1.fffffcp-127f, "1.1754942e-38" },
		{ 9.5367432e-7f, "9.536743e-07" },
		{ INFINITY, "inf" },
		{ -INFINITY, "-inf" },
	};
	static const struct {
		double v;
		const char *text;
	} f64[] = {
		{ 0.1, "0.1" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 123456789, "123456789" },
		{ 1e15 + 0.5, "1000000000000000.5" },
		{ 9999999999999998, "9999999999999998" },
		{ 1e16, "1e+16" },
		{ 12345678901234567890.0, "1.2345678901234567e+19" },
		{ -1.5e20, "-1.5e+20" },
		{ 0.0001, "0.0001" },
		{ 0.00099999999999999999, "0.001" },
		{ 9.999999999999999e-5, "9.999999999999999e-05" },
		{ 1e22, "1e+22" },
		{ 1e100, "1e+100" },
		{ 5e-324, "5e-324" },
		{ 0x1.fffffffffffffp1023, "1.7976931348623157e+308" },
		{ 0x1p-1022, "2.2250738585072014e-308" },
		{ 9007199254740993.0, "9007199254740992" },
		{ 0x1p-44, "5.684341886080802e-14" }, /* nearest 16-digit decimal ends in 1 */
		{ -123.456, "-123.456" },
	};
	char s[32];

	for (size_t i = 0; i < QD_COUNT(f32); i++) {
		text_f32(s, f32[i].v);
		UNIT_CHECK(t, !strcmp(s, f32[i].text), "%a: '%s', not '%s'", (double)f32[i].v, s,
			   f32[i].text);
	}
	for (size_t i = 0; i < QD_COUNT(f64); i++) {
		text_f64(s, f64[i].v);
		UNIT_CHECK(t, !strcmp(s, f64[i].text), "%a: '%s', not '%s'", f64[i].v, s,
			   f64[i].text);
	}
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t nan = (i & 1) << 31 | 0x7f800000 | (i & 2 ? 0x400000 : 1);
		UNIT_CHECK(t, text_f32(s, f32_of(nan)) == 3 && !strcmp(s, "nan"), "'%s'", s);
		text_f64(s, f64_of((uint64_t)(nan | 0x700000) << 32 | 1));
		UNIT_CHECK(t, !strcmp(s, "nan"), "'%s'", s);
	}
}

/* Checks every power of two with its neighbors, and random bits. */
static void
number_round_trip(struct unit_ctx *t)
{
	struct unit_rng rng = { 2024 };

	for (uint32_t e = 0; e < 255; e++)
		for (uint32_t d = 0; d < 3; d++)
			if (e << 23 | d)
				check_f32(t, f32_of((e << 23 | d) - 1));
	for (uint64_t e = 0; e < 2047; e++)
		for (uint64_t d = 0; d < 3; d++)
			if (e << 52 | d)
				check_f64(t, f64_of((e << 52 | d) - 1));
	for (int i = 0; i < 5000; i++) {
		float f = f32_of((uint32_t)unit_random(&rng));
		double d = f64_of(unit_random(&rng));
		if (isfinite(f))
			check_f32(t, f);
		if (isfinite(d))
			check_f64(t, d);
		check_f32(t, (float)(unit_random(&rng) % 100000) / 100);
		check_f64(t, (double)(unit_random(&rng) % 1000000) / 1000);
	}
}

/* Returns the value of a magnitude with this exponent and fraction size. Beyond the largest it
 * returns the next value of an unbounded exponent. */
static double
small_value(uint32_t bits, unsigned eb, unsigned fb)
{
	int e = (int)(bits >> fb), bias = (1 << (eb - 1)) - 1;
	double f = (double)(bits & ((1u << fb) - 1));

	return e ? ldexp(f + (double)(1u << fb), e - bias - (int)fb) : ldexp(f, 1 - bias - (int)fb);
}

/* Checks one value of a 16-bit format: the text is nearer to it than to its neighbors, and no
 * decimal with one less digit is. */
static void
check_small(struct unit_ctx *t, uint32_t bits, unsigned eb, unsigned fb)
{
	char s[32], g[64];
	double v = small_value(bits, eb, fb);
	double lo = (v + small_value(bits - 1, eb, fb)) / 2;
	double hi = (v + small_value(bits + 1, eb, fb)) / 2;
	bool even = !(bits & 1);

	text_float(s, bits, eb, fb);
	double w = strtod(s, NULL);
	UNIT_CHECK(t, (w > lo || (even && w == lo)) && (w < hi || (even && w == hi)),
		   "%u.%u %x is %a: '%s' is the text of another value", eb, fb, bits, v, s);
	unsigned n = count_digits(s);
	for (int d = -1; n > 1 && d <= 1; d++) {
		snprintf(g, sizeof g, "%.*e", (int)n - 2, v);
		char *mark = strchr(g, 'e');
		int exp = atoi(mark + 1) - ((int)n - 2);
		double m = round(strtod(g, NULL) / pow(10, exp)) + d;
		snprintf(g, sizeof g, "%.0fe%d", m, exp);
		w = strtod(g, NULL);
		UNIT_CHECK(t, w < lo || w > hi || (!even && (w == lo || w == hi)),
			   "%u.%u %x: '%s', '%s' is shorter", eb, fb, bits, s, g);
	}
}

static void
number_small(struct unit_ctx *t)
{
	char s[32];

	for (uint32_t bits = 1; bits < 0x7c00; bits++)
		check_small(t, bits, 5, 10);
	for (uint32_t bits = 1; bits < 0x7f80; bits++)
		check_small(t, bits, 8, 7);
	text_float(s, 0x7bff, 5, 10);
	UNIT_CHECK(t, !strcmp(s, "65500"), "the largest f16: '%s'", s);
	text_float(s, 0xfc00, 5, 10);
	UNIT_CHECK(t, !strcmp(s, "-inf"), "'%s'", s);
	text_float(s, 0xfe00, 5, 10);
	UNIT_CHECK(t, !strcmp(s, "nan"), "'%s'", s);
	text_float(s, 0x8000, 8, 7);
	UNIT_CHECK(t, !strcmp(s, "-0"), "'%s'", s);
	text_float(s, 0xc120, 8, 7);
	UNIT_CHECK(t, !strcmp(s, "-10"), "'%s'", s);
}

/* Checks the number of characters consumed, and the value. */
static void
number_reading(struct unit_ctx *t)
{
	static const struct {
		const char *text;
		size_t used;
		double v;
	} row[] = {
		{ "1", 1, 1 },
		{ "1.5", 3, 1.5 },
		{ "0", 1, 0 },
		{ "0.0e5", 5, 0 },
		{ "000012.50", 9, 12.5 },
		{ "0.00125", 7, 0.00125 },
		{ "1e-3", 4, 1e-3 },
		{ "1E+3", 4, 1e3 },
		{ "1.25e2x", 6, 125 },
		{ "1e", 1, 1 },
		{ "1e+", 1, 1 },
		{ "1e-x", 1, 1 },
		{ "1.", 1, 1 },
		{ "1..5", 1, 1 },
		{ "1.5.5", 3, 1.5 },
		{ "1.0d", 3, 1 },
		{ "0..32", 1, 0 },
		{ "0x1.8p3", 7, 12 },
		{ "0X1.8P+3", 8, 12 },
		{ "0x1f", 4, 31 },
		{ "0xA.8p-1", 8, 5.25 },
		{ "0x0.001p12", 10, 1 },
		{ "0x1p", 3, 1 },
		{ "0x1.p3", 3, 1 },
		{ "0x", 1, 0 },
		{ "0xg", 1, 0 },
		{ "0x.8", 1, 0 },
		{ "1p3", 1, 1 },
		{ "1e999999999999999999999", 23, INFINITY },
		{ "1e-999999999999999999999", 24, 0 },
		{ "0e999999999999999999999", 23, 0 },
		{ "0x1p99999999999999999999", 24, INFINITY },
		{ "", 0, 0 },
		{ ".5", 0, 0 },
		{ "-1", 0, 0 },
		{ "+1", 0, 0 },
		{ " 1", 0, 0 },
		{ "inf", 0, 0 },
		{ "nan", 0, 0 },
		{ "e5", 0, 0 },
		{ "x1", 0, 0 },
	};

	for (size_t i = 0; i < QD_COUNT(row); i++) {
		float f = 99;
		double d = 99;
		size_t len = strlen(row[i].text);
		size_t nf = text_read_f32(row[i].text, len, &f);
		size_t nd = text_read_f64(row[i].text, len, &d);
		UNIT_CHECK(t, nf == row[i].used && nd == row[i].used, "'%s': %zu and %zu used",
			   row[i].text, nf, nd);
		double want = row[i].used ? row[i].v : 99;
		UNIT_CHECK(t, d == want && f == (float)want, "'%s': %a and %a", row[i].text,
			   (double)f, d);
	}
	/* the number ends at len, without a NUL */
	double d = 0;
	UNIT_CHECK(t, text_read_f64("12345", 3, &d) == 3 && d == 123, "%a", d);
	UNIT_CHECK(t, text_read_f64("1.5", 2, &d) == 1 && d == 1, "%a", d);
	UNIT_CHECK(t, text_read_f64("1e55", 3, &d) == 3 && d == 1e5, "%a", d);
	UNIT_CHECK(t, text_read_f64("0x1", 2, &d) == 1 && d == 0, "%a", d);
}

/* Checks that reading rounds once, directly to the type, and that every digit counts. */
static void
number_rounding(struct unit_ctx *t)
{
	static char text[4000];
	float f = 0;
	double d = 0;

	/* Just above halfway from 1 to the next f32. The nearest double is exactly halfway. */
	static const char twice[] = "1.00000005960464477539062500000001";
	text_read_f32(twice, strlen(twice), &f);
	UNIT_CHECK(t, f == 0x1.000002p0f, "rounded twice: %a", (double)f);
	static const char tie[] = "1.000000059604644775390625";
	text_read_f32(tie, strlen(tie), &f);
	UNIT_CHECK(t, f == 1, "a tie rounds to even: %a", (double)f);
	static const char hex[] = "0x1.00000100000000000000000000000001p0";
	text_read_f32(hex, strlen(hex), &f);
	UNIT_CHECK(t, f == 0x1.000002p0f, "hex: %a", (double)f);

	/* 2^53 + 1 is a tie of doubles; one digit after 3900 zeros breaks it. */
	memset(text, '0', sizeof text);
	memcpy(text, "9007199254740993.", 17);
	text_read_f64(text, 3950, &d);
	UNIT_CHECK(t, d == 9007199254740992.0, "%a", d);
	text[3949] = '1';
	UNIT_CHECK(t, text_read_f64(text, 3950, &d) == 3950, "used");
	UNIT_CHECK(t, d == 9007199254740994.0, "the last digit is lost: %a", d);
	/* The same, far before the decimal point. */
	memset(text, '0', sizeof text);
	memcpy(text, "9007199254740993", 16);
	text[2000] = '1';
	memcpy(text + 2001, "e-1985", 6);
	UNIT_CHECK(t, text_read_f64(text, 2007, &d) == 2007, "used");
	UNIT_CHECK(t, d == 9007199254740994.0, "the last digit is lost: %a", d);
	/* Leading zeros must not count as significant digits. */
	memset(text, '0', sizeof text);
	text[1] = '.';
	memcpy(text + 3000, "15e2999", 7);
	text_read_f64(text, 3007, &d);
	UNIT_CHECK(t, d == 1.5, "%a", d);
	/* Halfway from zero to the smallest double: an exact decimal of 752 significant digits. */
	int n = snprintf(text, sizeof text, "%.1075Lf", 0x1p-1075L);
	UNIT_CHECK(t, text_read_f64(text, (size_t)n, &d) == (size_t)n && d == 0, "%a", d);
	text[n] = '1';
	text_read_f64(text, (size_t)n + 1, &d);
	UNIT_CHECK(t, d == 0x1p-1074, "%a", d);
	text_read_f32("1.4e-45", 7, &f);
	UNIT_CHECK(t, f == 0x1p-149f, "%a", (double)f);
	text_read_f32("7.006492321624085e-46", 21, &f);
	UNIT_CHECK(t, f == 0, "below half of the smallest: %a", (double)f);
	text_read_f32("7.006492321624086e-46", 21, &f);
	UNIT_CHECK(t, f == 0x1p-149f, "above half of the smallest: %a", (double)f);
	text_read_f32("3.4028235677973367e38", 21, &f);
	UNIT_CHECK(t, isinf(f), "above the largest: %a", (double)f);
	text_read_f32("3.4028235677973366e38", 21, &f);
	UNIT_CHECK(t, f == 0x1.fffffep127f, "the largest: %a", (double)f);
}

/* Checks that a locale with a decimal comma neither writes commas to files nor ends a number. */
static void
number_locale(struct unit_ctx *t)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" };
	char saved[64], s[32];
	float f = 0;
	double d = 0;
	bool found = false;

	snprintf(saved, sizeof saved, "%s", setlocale(LC_ALL, NULL));
	for (size_t i = 0; i < QD_COUNT(names) && !found; i++)
		found = setlocale(LC_ALL, names[i]) != NULL;
	snprintf(s, sizeof s, "%.1f", 1.5);
	if (!found || strcmp(s, "1,5")) {
		setlocale(LC_ALL, saved);
		unit_skip(t, "no locale with a decimal comma is installed (de_DE.UTF-8)");
		return;
	}
	text_f32(s, 1.5f);
	UNIT_CHECK(t, !strcmp(s, "1.5"), "'%s'", s);
	text_f64(s, -1234.0625e-20);
	UNIT_CHECK(t, !strcmp(s, "-1.2340625e-17"), "'%s'", s);
	UNIT_CHECK(t, text_read_f32("2.25e1", 6, &f) == 6 && f == 22.5f, "%a", (double)f);
	UNIT_CHECK(t, text_read_f64("2.25", 4, &d) == 4 && d == 2.25, "%a", d);
	UNIT_CHECK(t, text_read_f64("0x1.8p3", 7, &d) == 7 && d == 12, "%a", d);
	UNIT_CHECK(t, text_read_f64("2,25", 4, &d) == 1 && d == 2, "%a", d);
	setlocale(LC_ALL, saved);
}

const struct unit units_number[] = {
	{ "number.spelling", number_spelling }, { "number.round_trip", number_round_trip },
	{ "number.small", number_small },	{ "number.reading", number_reading },
	{ "number.rounding", number_rounding }, { "number.locale", number_locale },
};
const unsigned n_units_number = QD_COUNT(units_number);
