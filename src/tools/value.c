/* Elements as text and back, buffers from a description. */
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "ir.h"

/* -- Reading ------------------------------------------------------------------ */

/* sign, digits: decimal or 0x */
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
		return "is no number";
	uint64_t v = 0;
	bool over = false;
	for (; i < len; i++) {
		unsigned digit = s[i] >= '0' && s[i] <= '9'   ? (unsigned)(s[i] - '0')
				 : s[i] >= 'a' && s[i] <= 'f' ? (unsigned)(s[i] - 'a') + 10
				 : s[i] >= 'A' && s[i] <= 'F' ? (unsigned)(s[i] - 'A') + 10
							      : 16;
		if (digit >= base)
			return "is no integer";
		over |= v > (UINT64_MAX - digit) / base;
		v = v * base + digit;
	}
	uint32_t width = 8u * type_info[type].size;
	uint64_t top = UINT64_C(1) << (width - 1);
	uint64_t most = type_info[type].is_signed ? (negative ? top : top - 1)
			: negative		  ? 0
						  : top - 1 + top;
	if (over || v > most)
		return "does not fit the type";
	*bits = (negative ? 0 - v : v) & (top - 1 + top);
	return NULL;
}

/* Truncated, and odd where that lost something: a second rounding to fewer
 * bits then gives what one rounding gives. */
static float
round_to_odd(double d)
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

static uint32_t
float_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}

static const char *
parse_float(qd_type type, const char *s, size_t len, uint64_t *bits)
{
	bool negative = len && *s == '-';
	size_t sign = negative || (len && *s == '+') ? 1 : 0;
	const char *body = s + sign;
	len -= sign;
	double d;
	float f;
	size_t used = len;
	if (len == 3 && memcmp(body, "nan", 3) == 0)
		d = (double)(f = (float)NAN);
	else if (len == 3 && memcmp(body, "inf", 3) == 0)
		d = (double)(f = (float)INFINITY);
	else if (type == QD_TYPE_F32)
		used = text_read_f32(body, len, &f);
	else
		used = text_read_f64(body, len, &d);
	if (used != len || len == 0)
		return "is no number";
	if (type == QD_TYPE_F64) {
		d = negative ? -d : d;
		memcpy(bits, &d, sizeof d);
		return NULL;
	}
	if (type != QD_TYPE_F32)
		f = round_to_odd(d);
	*bits = float_bits(negative ? -f : f);
	if (type != QD_TYPE_F32)
		*bits = ir_narrow(type, *bits);
	return NULL;
}

const char *
value_parse(qd_type type, const char *text, size_t len, uint64_t *bits)
{
	return type_info[type].is_float ? parse_float(type, text, len, bits)
					: parse_integer(type, text, len, bits);
}

/* -- Writing ------------------------------------------------------------------- */

/* Few enough bits that looking for the shortest is a short loop. */
static int
format_half(qd_type type, uint64_t bits, char out[40])
{
	uint32_t u = (uint32_t)ir_widen(type, bits);
	float f;
	memcpy(&f, &u, sizeof f);
	if (isnan(f) || isinf(f) || f == 0)
		return text_f32(out, f);
	for (int digits = 1;; digits++) {
		int n = snprintf(out, 40, "%.*g", digits, (double)f);
		uint64_t back;
		if (digits == 9 || (!parse_float(type, out, (size_t)n, &back) && back == bits))
			return n;
	}
}

int
value_format(qd_type type, uint64_t bits, char out[40])
{
	float f;
	double d;
	uint32_t u = (uint32_t)bits;
	switch (type) {
	case QD_TYPE_F32: memcpy(&f, &u, sizeof f); return text_f32(out, f);
	case QD_TYPE_F64: memcpy(&d, &bits, sizeof d); return text_f64(out, d);
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return format_half(type, bits, out);
	case QD_TYPE_I64: return snprintf(out, 40, "%" PRId64, (int64_t)bits);
	case QD_TYPE_I32:
	case QD_TYPE_I16:
	case QD_TYPE_I8: return snprintf(out, 40, "%" PRId32, (int32_t)ir_widen(type, bits));
	default: return snprintf(out, 40, "%" PRIu64, bits);
	}
}

void
value_json(FILE *f, qd_type type, uint64_t bits)
{
	char text[40];
	int n = value_format(type, bits, text);
	bool plain = type_info[type].is_float ? !strpbrk(text, "ni") : type_info[type].size < 8;
	fprintf(f, plain ? "%.*s" : "\"%.*s\"", n, text);
}

uint64_t
value_get(const void *memory, qd_type type, size_t i)
{
	uint64_t bits = 0;
	size_t size = type_info[type].size;
	memcpy(&bits, (const char *)memory + i * size, size);
	return bits;
}

/* -- Filling ---------------------------------------------------------------------- */

/* PCG32, XSH-RR 64/32, with stream 54. */
static uint32_t
pcg32(uint64_t *state)
{
	uint64_t old = *state;
	*state = old * UINT64_C(6364136223846793005) + 109;
	uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27), r = (uint32_t)(old >> 59);
	return x >> r | x << (-r & 31);
}

static uint64_t
pcg32_start(uint64_t seed)
{
	uint64_t state = 0;
	pcg32(&state);
	state += seed;
	pcg32(&state);
	return state;
}

/* One element: integers over their range, floats uniform in [0, 1). */
static uint64_t
random_element(qd_type type, uint64_t *state)
{
	uint64_t high = pcg32(state), bits;
	double d;
	switch (type) {
	case QD_TYPE_I64:
	case QD_TYPE_U64: return high << 32 | pcg32(state);
	case QD_TYPE_F64:
		bits = high << 32 | pcg32(state);
		d = (double)(bits >> 11) * 0x1p-53;
		memcpy(&bits, &d, sizeof bits);
		return bits;
	case QD_TYPE_F32: return float_bits((float)(high >> 8) * 0x1p-24f);
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return ir_narrow(type, float_bits((float)(high >> 8) * 0x1p-24f));
	default: return high;
	}
}

static uint64_t
iota_element(qd_type type, uint64_t i)
{
	double d = (double)i;
	uint64_t bits;
	switch (type) {
	case QD_TYPE_F64: memcpy(&bits, &d, sizeof bits); return bits;
	case QD_TYPE_F32: return float_bits((float)i);
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return ir_narrow(type, float_bits(round_to_odd(d)));
	default: return i;
	}
}

/* N of iota:N and the like: up to the end or a colon. */
static size_t
parse_count(const char *name, qd_type type, const char **text)
{
	const char *p = *text;
	uint64_t n = 0;
	for (; *p >= '0' && *p <= '9' && n <= SIZE_MAX / 16; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	if (p == *text || (*p && *p != ':'))
		tool_usage("%s: '%s' is no number of elements", name, *text);
	if (n > SIZE_MAX / 16)
		tool_usage("%s: %s elements of %s are too many", name, *text, qd_type_name(type));
	*text = p;
	return (size_t)n;
}

static void *
make_elements(const char *name, qd_type type, size_t n)
{
	size_t size = type_info[type].size;
	void *p = calloc(n ? n : 1, size);
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "%s: out of memory (%zu elements of %s)", name, n,
			 qd_type_name(type));
	return p;
}

static void
put_element(void *memory, qd_type type, size_t i, uint64_t bits)
{
	size_t size = type_info[type].size;
	memcpy((char *)memory + i * size, &bits, size); /* little-endian: the low bytes */
}

static void *
fill_list(const char *name, qd_type type, const char *text, size_t *n_elements)
{
	size_t n = 1;
	for (const char *p = text; *p; p++)
		n += *p == ',';
	void *memory = make_elements(name, type, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = 0;
		size_t len = strcspn(text, ",");
		const char *wrong = value_parse(type, text, len, &bits);
		if (wrong)
			tool_usage("%s: '%.*s' %s (%s)%s", name, (int)(len < 60 ? len : 60), text,
				   wrong, qd_type_name(type),
				   n == 1 ? "; a buffer takes iota:N, zero:N, rand:N:SEED, "
					    "@FILE or 1,2,3"
					  : "");
		put_element(memory, type, i, bits);
		text += len + 1;
	}
	*n_elements = n;
	return memory;
}

static void *
fill_file(const char *name, qd_type type, const char *path, size_t *n_elements)
{
	size_t bytes, size = type_info[type].size;
	char *memory = tool_read(path, &bytes);
	if (bytes % size)
		tool_die(EXIT_INPUT, "%s: '%s' has %zu bytes, no whole number of %s (%zu bytes each)",
			 name, path, bytes, qd_type_name(type), size);
	*n_elements = bytes / size;
	return memory;
}

void *
value_fill(const char *name, qd_type type, const char *text, size_t *n_elements)
{
	enum { IOTA, ZERO, RAND, N_KIND } kind = IOTA;
	static const char *const prefix[N_KIND] = { "iota:", "zero:", "rand:" };
	while (kind < N_KIND && strncmp(text, prefix[kind], 5) != 0)
		kind++;
	if (*text == '@')
		return fill_file(name, type, text + 1, n_elements);
	if (kind == N_KIND)
		return fill_list(name, type, text, n_elements);

	const char *p = text + 5;
	size_t n = parse_count(name, type, &p);
	uint64_t state = 0;
	if (kind == RAND) {
		if (*p != ':')
			tool_usage("%s: '%s' has no seed; write rand:N:SEED", name, text);
		state = pcg32_start(tool_number(name, p + 1, 0, UINT64_MAX));
	} else if (*p) {
		tool_usage("%s: '%s': nothing may follow the number of elements", name, text);
	}
	void *memory = make_elements(name, type, n);
	for (size_t i = 0; i < n && kind != ZERO; i++)
		put_element(memory, type, i,
			    kind == RAND ? random_element(type, &state) : iota_element(type, i));
	*n_elements = n;
	return memory;
}
