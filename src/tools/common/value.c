/* Converts elements to text and back. */
#include "value.h"

#include <math.h>

#include "ir.h"

/* -- Reading ------------------------------------------------------------------ */

/* Parses a sign and digits, decimal or 0x. */
static const char *
parse_integer(qd_type type, const char *s, size_t len, uint64_t *bits)
{
	bool negative = len && *s == '-';
	size_t i = negative || (len && *s == '+') ? 1 : 0;
	unsigned base = 10;
	if (len > i + 2 && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) {
		base = 16;
		i += 2;
	}
	if (i == len)
		return "is not an integer";
	uint64_t v = 0;
	bool over = false;
	for (; i < len; i++) {
		unsigned digit = s[i] >= '0' && s[i] <= '9'   ? (unsigned)(s[i] - '0')
				 : s[i] >= 'a' && s[i] <= 'f' ? (unsigned)(s[i] - 'a') + 10
				 : s[i] >= 'A' && s[i] <= 'F' ? (unsigned)(s[i] - 'A') + 10
							      : 16;
		if (digit >= base)
			return "is not an integer";
		over |= v > (UINT64_MAX - digit) / base;
		v = v * base + digit;
	}
	uint32_t width = 8u * type_info[type].size;
	uint64_t top = UINT64_C(1) << (width - 1);
	uint64_t most = type_info[type].is_signed ? (negative ? top : top - 1)
			: negative		  ? 0
						  : top - 1 + top;
	if (over || v > most)
		return "does not fit";
	*bits = (negative ? 0 - v : v) & (top - 1 + top);
	return NULL;
}

float
value_round_to_odd(double d)
{
	float f = (float)d;
	uint32_t u;
	if (isnan(d) || (double)f == d)
		return f;
	memcpy(&u, &f, sizeof u);
	if (fabs((double)f) > fabs(d))
		u--;
	u |= 1;
	memcpy(&f, &u, sizeof f);
	return f;
}

static const char *
parse_float(qd_type type, const char *s, size_t len, uint64_t *bits)
{
	bool negative = len && *s == '-', infinite;
	size_t sign = negative || (len && *s == '+') ? 1 : 0;
	const char *body = s + sign;
	len -= sign;
	double d = 0;
	float f = 0;
	size_t used = len;
	bool spelled = len == 3 && (memcmp(body, "nan", 3) == 0 || memcmp(body, "inf", 3) == 0);
	if (spelled)
		d = (double)(f = *body == 'n' ? (float)NAN : (float)INFINITY);
	else if (type == QD_TYPE_F32)
		used = text_read_f32(body, len, &f);
	else
		used = text_read_f64(body, len, &d);
	if (used != len || len == 0)
		return "is not a number";
	if (type == QD_TYPE_F64) {
		infinite = isinf(d);
		d = negative ? -d : d;
		memcpy(bits, &d, sizeof d);
	} else {
		if (type != QD_TYPE_F32)
			f = value_round_to_odd(d);
		uint32_t u;
		memcpy(&u, &f, sizeof u);
		u |= negative ? UINT32_C(1) << 31 : 0;
		*bits = type == QD_TYPE_F32 ? u : ir_narrow(type, u);
		u = (uint32_t)ir_widen(type, *bits);
		memcpy(&f, &u, sizeof f);
		infinite = isinf(f);
	}
	return infinite && !spelled ? "does not fit" : NULL;
}

const char *
value_parse(qd_type type, const char *text, size_t len, uint64_t *bits)
{
	return type_info[type].is_float ? parse_float(type, text, len, bits)
					: parse_integer(type, text, len, bits);
}

void
value_takes(qd_type type, char *out, size_t cap)
{
	char lo[VALUE_TEXT] = "0", hi[VALUE_TEXT];
	const struct type_info *t = &type_info[type];
	if (t->is_float) {
		snprintf(out, cap, "%s takes numbers such as 10, -0.5, 1e-3, 0x1p-4, inf and nan",
			 qd_type_name(type));
		return;
	}
	uint64_t most = UINT64_MAX >> (64 - 8 * t->size) >> t->is_signed;
	if (t->is_signed)
		value_format(type, ~most, lo);
	value_format(type, most, hi);
	snprintf(out, cap, "%s takes integers from %s to %s", qd_type_name(type), lo, hi);
}

/* -- Writing ------------------------------------------------------------------- */

static int
format_integer(char *out, uint64_t v, bool negative)
{
	char digit[24];
	int at = (int)sizeof digit, n;
	digit[--at] = '\0';
	do {
		digit[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (negative)
		digit[--at] = '-';
	n = (int)sizeof digit - at;
	memcpy(out, digit + at, (size_t)n);
	return n - 1;
}

int
value_format(qd_type type, uint64_t bits, char out[VALUE_TEXT])
{
	uint32_t width = 8u * type_info[type].size;
	switch (type) {
	case QD_TYPE_F32: return text_float(out, bits, 8, 23);
	case QD_TYPE_F64: return text_float(out, bits, 11, 52);
	case QD_TYPE_F16: return text_float(out, bits, 5, 10);
	case QD_TYPE_BF16: return text_float(out, bits, 8, 7);
	default: break;
	}
	uint64_t mask = UINT64_MAX >> (64 - width);
	bool negative = type_info[type].is_signed && (bits >> (width - 1) & 1);
	return format_integer(out, (negative ? 0 - bits : bits) & mask, negative);
}

int
value_json(qd_type type, uint64_t bits, char out[VALUE_TEXT])
{
	int n = value_format(type, bits, out);
	/* nan and inf end with a letter. */
	if (type_info[type].is_float ? out[n - 1] <= '9' : type_info[type].size < 8)
		return n;
	memmove(out + 1, out, (size_t)n);
	out[0] = out[n + 1] = '"';
	out[n + 2] = '\0';
	return n + 2;
}

/* -- Memory ------------------------------------------------------------------------- */

uint64_t
value_get(const void *memory, qd_type type, size_t i)
{
	uint64_t bits = 0;
	size_t size = type_info[type].size;
	memcpy(&bits, (const char *)memory + i * size, size);
	return bits;
}

void
value_put(void *memory, qd_type type, size_t i, uint64_t bits)
{
	size_t size = type_info[type].size;
	memcpy((char *)memory + i * size, &bits, size); /* little-endian: the low bytes */
}

bool
value_same(qd_type type, uint64_t a, uint64_t b)
{
	static const struct {
		uint8_t sign, fraction; /* bits without the sign; bits of the fraction */
	} nan[N_TYPE] = { [QD_TYPE_F16] = { 15, 10 },
			  [QD_TYPE_BF16] = { 15, 7 },
			  [QD_TYPE_F32] = { 31, 23 },
			  [QD_TYPE_F64] = { 63, 52 } };
	if (a == b || !nan[type].sign)
		return a == b;
	uint64_t all = (UINT64_C(1) << nan[type].sign) - 1;
	uint64_t infinity = all >> nan[type].fraction << nan[type].fraction;
	return (a & all) > infinity && (b & all) > infinity;
}
