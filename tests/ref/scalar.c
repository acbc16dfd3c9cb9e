/* Per-lane operations, each written from its definition. Integers use 128-bit or wide unsigned
 * arithmetic, so nothing can overflow. */
#include <math.h>
#include <string.h>

#include "ref.h"

bool
ref_is_float(qd_type type)
{
	return type == QD_TYPE_F32 || type == QD_TYPE_F64;
}

uint32_t
ref_width(qd_type type)
{
	return type == QD_TYPE_I64 || type == QD_TYPE_U64 || type == QD_TYPE_F64 ? 64 : 32;
}

static bool
is_signed(qd_type type)
{
	return type == QD_TYPE_I32 || type == QD_TYPE_I64;
}

static uint64_t
mask_of(qd_type type)
{
	return ref_width(type) == 64 ? UINT64_MAX : UINT32_MAX;
}

/* Returns the number of the bits. */
double
ref_number(qd_type type, uint64_t v)
{
	uint32_t low = (uint32_t)v;
	float f;
	double d;

	if (type == QD_TYPE_F32) {
		memcpy(&f, &low, sizeof f);
		return (double)f;
	}
	memcpy(&d, &v, sizeof d);
	return d;
}

uint64_t
ref_bits(qd_type type, double d)
{
	float f = (float)d;
	uint32_t low;
	uint64_t v;

	if (type == QD_TYPE_F32) {
		memcpy(&low, &f, sizeof low);
		return low;
	}
	memcpy(&v, &d, sizeof v);
	return v;
}

static int64_t
signed_value(qd_type type, uint64_t v)
{
	if (ref_width(type) == 64)
		return v >> 63 ? -(int64_t)(~v) - 1 : (int64_t)v;
	return v >> 31 & 1 ? (int64_t)(v & UINT32_MAX) - ((int64_t)1 << 32)
			   : (int64_t)(v & UINT32_MAX);
}

bool
ref_is_nan(qd_type type, uint64_t v)
{
	return ref_is_float(type) && isnan(ref_number(type, v));
}

bool
ref_truth(qd_type type, uint64_t v)
{
	if (!ref_is_float(type))
		return (v & mask_of(type)) != 0;
	return !(ref_number(type, v) == 0.0);
}

/* Returns -1, 0 or 1; 2 if an operand is a NaN. */
static int
compare(qd_type type, uint64_t a, uint64_t b)
{
	if (ref_is_float(type)) {
		double x = ref_number(type, a), y = ref_number(type, b);

		return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
	}
	if (is_signed(type)) {
		int64_t x = signed_value(type, a), y = signed_value(type, b);

		return x < y ? -1 : x > y;
	}
	return a < b ? -1 : a > b;
}

uint64_t
ref_min(qd_type type, uint64_t a, uint64_t b)
{
	int c = compare(type, a, b);

	if (c == 2)
		return ref_is_nan(type, a) ? b : a;
	if (c == 0) /* equal: the bits are the same except for zeros, where -0 is less */
		return a > b ? a : b;
	return c < 0 ? a : b;
}

uint64_t
ref_max(qd_type type, uint64_t a, uint64_t b)
{
	int c = compare(type, a, b);

	if (c == 2)
		return ref_is_nan(type, a) ? b : a;
	if (c == 0)
		return a < b ? a : b;
	return c > 0 ? a : b;
}

static uint64_t
flush32(qd_type type, uint64_t v)
{
	return type == QD_TYPE_F32 && !(v & 0x7f800000) ? v & 0x80000000 : v;
}

static uint64_t
float_op(enum ref_op op, qd_type type, uint64_t a, uint64_t b, bool flush)
{
	double x = ref_number(type, a), y = ref_number(type, b);

	/* An operation in double, rounded to float, equals the float operation: 53 bits are more
	 * than twice 24 and two. */
	switch (op) {
	case REF_OP_ADD: return ref_bits(type, x + y);
	case REF_OP_SUB: return ref_bits(type, x - y);
	case REF_OP_MUL: return ref_bits(type, x * y);
	case REF_OP_DIV: return ref_bits(type, x / y);
	case REF_OP_SQRT: return ref_bits(type, sqrt(x));
	case REF_OP_FLOOR: return ref_bits(type, floor(x));
	case REF_OP_CEIL: return ref_bits(type, ceil(x));
	case REF_OP_TRUNC: return ref_bits(type, trunc(x));
	case REF_OP_ROUND: {
		double down = floor(x), rest = x - down, r;

		if (!isfinite(x) || down == x)
			return a;
		r = rest > 0.5 || (rest == 0.5 && fmod(down, 2.0) != 0.0) ? down + 1 : down;
		return ref_bits(type, copysign(r, x));
	}
	case REF_OP_FLOORDIV: {
		uint64_t q = ref_bits(type, x / y);

		return ref_bits(type, floor(ref_number(type, flush ? flush32(type, q) : q)));
	}
	default: return 0;
	}
}

static uint64_t
signed_div(qd_type type, uint64_t a, uint64_t b, bool rest)
{
	__extension__ typedef __int128 wide;
	wide x = signed_value(type, a), y = signed_value(type, b);

	if (y == 0)
		return rest ? a : mask_of(type);
	return (uint64_t)(rest ? x % y : x / y) & mask_of(type);
}

static uint64_t
int_div(qd_type type, uint64_t a, uint64_t b, bool rest)
{
	if (is_signed(type))
		return signed_div(type, a, b, rest);
	if (b == 0)
		return rest ? a : mask_of(type);
	return rest ? a % b : a / b;
}

static uint64_t
int_floor(qd_type type, uint64_t a, uint64_t b, bool rest)
{
	__extension__ typedef __int128 wide;
	wide x, y, q, r;

	if (!is_signed(type) || b == 0)
		return int_div(type, a, b, rest);
	x = signed_value(type, a);
	y = signed_value(type, b);
	q = x / y;
	r = x % y;
	if (r != 0 && (r < 0) != (y < 0)) {
		q -= 1;
		r += y;
	}
	return (uint64_t)(rest ? r : q) & mask_of(type);
}

static uint64_t
mulhi(qd_type type, uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	__extension__ typedef __int128 signed_wide;
	uint32_t w = ref_width(type);

	if (is_signed(type))
		return (uint64_t)((wide)((signed_wide)signed_value(type, a) *
					 signed_value(type, b)) >> w) & mask_of(type);
	return (uint64_t)((wide)a * b >> w) & mask_of(type);
}

static uint64_t
shift(enum ref_op op, qd_type type, uint64_t a, uint64_t count)
{
	uint32_t n = (uint32_t)count % ref_width(type);
	uint64_t r = a;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t top = a & ~(mask_of(type) >> 1);

		r = op == REF_OP_SHL ? r << 1 : r >> 1 | (is_signed(type) ? top : 0);
		r &= mask_of(type);
	}
	return r;
}

static uint64_t
count_bits(enum ref_op op, qd_type type, uint64_t a)
{
	uint32_t w = ref_width(type), n = 0, first = 0, leading = w;
	uint64_t reversed = 0;

	for (uint32_t i = 0; i < w; i++) {
		if (!(a >> i & 1))
			continue;
		n++;
		first = first ? first : i + 1;
		leading = w - 1 - i;
		reversed |= UINT64_C(1) << (w - 1 - i);
	}
	return op == REF_OP_POPCOUNT ? n
	       : op == REF_OP_CLZ    ? leading
	       : op == REF_OP_FFS    ? first
				     : reversed;
}

/* -- Fields, bit by bit; sums of 128 bits ------------------------------------------------ */

uint64_t
ref_funnel(bool left, qd_type type, uint64_t hi, uint64_t lo, uint64_t n)
{
	uint32_t w = ref_width(type);
	uint64_t top = mask_of(type) & ~(mask_of(type) >> 1);

	for (n %= w; n; n--) {
		uint64_t out = left ? (lo & top) != 0 : (hi & 1) * top;

		if (left)
			hi = (hi << 1 & mask_of(type)) | out;
		else
			lo = lo >> 1 | out;
		if (left)
			lo <<= 1;
		else
			hi >>= 1;
	}
	return left ? hi : lo;
}

uint64_t
ref_extract(qd_type type, uint64_t v, uint64_t first, uint64_t n)
{
	uint64_t r = 0, last = 0, i = 0;

	for (; i < n && first + i < ref_width(type); i++) {
		last = v >> (first + i) & 1;
		r |= last << i;
	}
	for (; is_signed(type) && i < ref_width(type); i++)
		r |= last << i;
	return r;
}

uint64_t
ref_insert(qd_type type, uint64_t v, uint64_t w, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n && first + i < ref_width(type); i++) {
		uint64_t bit = UINT64_C(1) << (first + i);

		v = w >> i & 1 ? v | bit : v & ~bit;
	}
	return v;
}

uint8_t
ref_byte(uint32_t v, uint32_t n)
{
	uint8_t byte[4];

	for (uint32_t i = 0; i < 4; i++, v /= 256)
		byte[i] = (uint8_t)(v % 256);
	return byte[n % 4];
}

uint32_t
ref_byte_permute(uint32_t x, uint32_t y, uint32_t selector)
{
	uint32_t r = 0;

	for (uint32_t i = 4; i-- > 0;) {
		uint32_t digit = selector >> 4 * i & 15;
		uint8_t byte = ref_byte(digit % 8 < 4 ? x : y, digit);

		if (digit >= 8)
			byte = byte >= 128 ? 255 : 0;
		r = r * 256 + byte;
	}
	return r;
}

/* Returns byte n of v, which may be a signed number. */
static int
byte_number(uint32_t v, uint32_t n, bool signed_byte)
{
	int byte = ref_byte(v, n);

	return signed_byte && byte >= 128 ? byte - 256 : byte;
}

uint32_t
ref_dot4(enum ref_op op, uint32_t x, uint32_t y, uint32_t acc)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < 4; i++)
		sum += (int64_t)byte_number(x, i, op != REF_OP_DOT4_U8) * byte_number(y, i, op == REF_OP_DOT4_I8);
	return (uint32_t)(uint64_t)(sum + acc);
}

uint64_t
ref_ternary(enum ref_op op, qd_type type, const uint64_t *v)
{
	switch (op) {
	case REF_OP_FUNNEL_LEFT:
	case REF_OP_FUNNEL_RIGHT: return ref_funnel(op == REF_OP_FUNNEL_LEFT, type, v[0], v[1], v[2]);
	case REF_OP_EXTRACT_BITS: return ref_extract(type, v[0], v[1], v[2]);
	case REF_OP_BYTE_PERMUTE:
		return ref_byte_permute((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
	default: return ref_dot4(op, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
	}
}

/* Sums and differences that do not fit the type. */
static uint64_t
wide_sum(enum ref_op op, qd_type type, uint64_t a, uint64_t b)
{
	__extension__ typedef __int128 wide;
	wide x = is_signed(type) ? (wide)signed_value(type, a) : (wide)a;
	wide y = is_signed(type) ? (wide)signed_value(type, b) : (wide)b;
	wide most = (wide)(is_signed(type) ? mask_of(type) >> 1 : mask_of(type));
	wide least = is_signed(type) ? -most - 1 : 0, r;

	switch (op) {
	case REF_OP_ABS_DIFF: return (uint64_t)(x < y ? y - x : x - y);
	case REF_OP_AVERAGE_FLOOR: r = x + y - ((x + y) & 1); return (uint64_t)(r / 2) & mask_of(type);
	case REF_OP_AVERAGE_CEIL: r = x + y + ((x + y) & 1); return (uint64_t)(r / 2) & mask_of(type);
	default: r = op == REF_OP_ADD_SAT ? x + y : x - y; break;
	}
	return (uint64_t)(r < least ? least : r > most ? most : r) & mask_of(type);
}

/* Functions that the language composes. */
static uint64_t
composed(enum ref_op op, qd_type type, uint64_t a, uint64_t b, bool flush)
{
	uint64_t sign = mask_of(type) & ~(mask_of(type) >> 1);
	bool fl = ref_is_float(type);
	double x = fl ? ref_number(type, flush ? flush32(type, a) : a) : 0;

	switch (op) {
	case REF_OP_ROTL: return ref_funnel(true, type, a, a, b);
	case REF_OP_ROTR: return ref_funnel(false, type, a, a, b);
	case REF_OP_UNPACK_U8: return ref_byte((uint32_t)a, (uint32_t)b);
	case REF_OP_CTZ: return a ? count_bits(REF_OP_FFS, type, a) - 1 : ref_width(type);
	case REF_OP_COPYSIGN: return (a & ~sign) | (b & sign);
	case REF_OP_STEP: return ref_bits(type, ref_scalar(REF_OP_LT, type, b, a, flush) ? 0 : 1);
	case REF_OP_FRACT:
		return ref_scalar(REF_OP_SUB, type, a, ref_scalar(REF_OP_FLOOR, type, a, 0, flush), flush);
	case REF_OP_SIGN:
		if (fl)
			return x > 0 ? ref_bits(type, 1) : x < 0 ? ref_bits(type, -1) : a;
		return is_signed(type) && a & sign ? mask_of(type) : a != 0;
	default: return wide_sum(op, type, a, b);
	}
}

uint64_t
ref_scalar(enum ref_op op, qd_type type, uint64_t a, uint64_t b, bool flush)
{
	uint64_t mask = mask_of(type), sign = mask & ~(mask >> 1);
	bool fl = ref_is_float(type);
	int c;

	if (op >= REF_OP_ROTL)
		return composed(op, type, a, b, flush);

	if (flush && fl && ((op >= REF_OP_EQ && op <= REF_OP_GE) || op <= REF_OP_DIV ||
			    op == REF_OP_FLOORDIV || op >= REF_OP_FLOOR)) {
		a = flush32(type, a);
		b = flush32(type, b);
	}
	c = compare(type, a, b);
	switch (op) {
	case REF_OP_EQ: return c == 0;
	case REF_OP_NE: return c != 0;
	case REF_OP_LT: return c == -1;
	case REF_OP_LE: return c == -1 || c == 0;
	case REF_OP_GT: return c == 1;
	case REF_OP_GE: return c == 1 || c == 0;
	case REF_OP_MIN: return ref_min(type, a, b);
	case REF_OP_MAX: return ref_max(type, a, b);
	case REF_OP_NEG: return fl ? a ^ sign : (0 - a) & mask;
	case REF_OP_ABS: return fl ? a & ~sign : is_signed(type) && a & sign ? (0 - a) & mask : a;
	case REF_OP_ISNAN: return ref_is_nan(type, a);
	case REF_OP_ISINF: return fl && isinf(ref_number(type, a));
	default: break;
	}
	if (fl) {
		uint64_t r = float_op(op, type, a, b, flush);

		return flush ? flush32(type, r) : r;
	}
	switch (op) {
	case REF_OP_ADD: return (a + b) & mask;
	case REF_OP_SUB: return (a - b) & mask;
	case REF_OP_MUL: return (a * b) & mask;
	case REF_OP_DIV: return int_div(type, a, b, false);
	case REF_OP_REM: return int_div(type, a, b, true);
	case REF_OP_FLOORDIV: return int_floor(type, a, b, false);
	case REF_OP_FLOORMOD: return int_floor(type, a, b, true);
	case REF_OP_MULHI: return mulhi(type, a, b);
	case REF_OP_AND: return a & b;
	case REF_OP_OR: return a | b;
	case REF_OP_XOR: return a ^ b;
	case REF_OP_NOT: return ~a & mask;
	case REF_OP_SHL: case REF_OP_SHR: return shift(op, type, a, b);
	default: return count_bits(op, type, a);
	}
}

/* -- Conversions ----------------------------------------------------------------- */

static uint64_t
float_to_int(double x, qd_type to)
{
	double low = is_signed(to) ? -ldexp(1, (int)ref_width(to) - 1) : 0;
	double high = ldexp(1, (int)ref_width(to) - (is_signed(to) ? 1 : 0));

	if (isnan(x))
		return 0;
	x = trunc(x);
	if (x < low)
		return is_signed(to) ? mask_of(to) & ~(mask_of(to) >> 1) : 0;
	if (x >= high)
		return is_signed(to) ? mask_of(to) >> 1 : mask_of(to);
	return x < 0 ? (0 - (uint64_t)-x) & mask_of(to) : (uint64_t)x;
}

uint64_t
ref_cast(qd_type from, qd_type to, uint64_t v, bool flush)
{
	if (ref_is_float(from)) {
		double x = ref_number(from, flush ? flush32(from, v) : v);

		if (!ref_is_float(to))
			return float_to_int(x, to);
		v = ref_bits(to, x);
		return flush ? flush32(to, v) : v;
	}
	if (!ref_is_float(to)) {
		if (is_signed(from))
			return (uint64_t)signed_value(from, v) & mask_of(to);
		return v & mask_of(to);
	}
	/* The integer is rounded only once. */
	if (to == QD_TYPE_F32) {
		float f = is_signed(from) ? (float)signed_value(from, v) : (float)v;
		uint32_t low;

		memcpy(&low, &f, sizeof low);
		return low;
	}
	return ref_bits(to, is_signed(from) ? (double)signed_value(from, v) : (double)v);
}

/* Conversion of a float with e exponent and m mantissa bits to double. The inverse rounds to the
 * nearest, ties to even. */
static double
small_float(uint32_t bits, int e, int m)
{
	int bias = (1 << (e - 1)) - 1, exp = (int)(bits >> m) & ((1 << e) - 1);
	double frac = (double)(bits & ((1u << m) - 1)), r;

	if (exp == (1 << e) - 1)
		r = frac != 0 ? NAN : INFINITY;
	else if (exp == 0)
		r = ldexp(frac, 1 - bias - m);
	else
		r = ldexp(frac + ldexp(1, m), exp - bias - m);
	return bits >> (e + m) & 1 ? -r : r;
}

static uint32_t
nearest_small_float(double x, int e, int m)
{
	uint32_t sign = signbit(x) ? 1u << (e + m) : 0, inf = ((1u << e) - 1) << m, best = 0;
	double a = fabs(x), limit = small_float(inf - 1, e, m);

	if (isnan(x))
		return sign | inf | 1u << (m - 1);
	/* Values from halfway above the largest on round to infinity. */
	if (a >= limit + (limit - small_float(inf - 2, e, m)) / 2)
		return sign | inf;
	/* Positive bit patterns have the order of their values. */
	for (uint32_t bit = 1u << (e + m - 1); bit; bit >>= 1)
		if ((best | bit) < inf && small_float(best | bit, e, m) <= a)
			best |= bit;
	if (best + 1 < inf) {
		double below = a - small_float(best, e, m), above = small_float(best + 1, e, m) - a;

		if (above < below || (above == below && (best & 1)))
			best++;
	}
	return sign | best;
}

uint64_t
ref_widen(qd_type storage, uint64_t v)
{
	switch (storage) {
	case QD_TYPE_I8: return v & 0x80 ? (uint32_t)(v | 0xffffff00) : v & 0xff;
	case QD_TYPE_I16: return v & 0x8000 ? (uint32_t)(v | 0xffff0000) : v & 0xffff;
	case QD_TYPE_U8: return v & 0xff;
	case QD_TYPE_U16: return v & 0xffff;
	case QD_TYPE_F16: return ref_bits(QD_TYPE_F32, small_float((uint32_t)v & 0xffff, 5, 10));
	case QD_TYPE_BF16: return ref_bits(QD_TYPE_F32, small_float((uint32_t)v & 0xffff, 8, 7));
	default: return v;
	}
}

uint64_t
ref_narrow(qd_type storage, uint64_t v)
{
	switch (storage) {
	case QD_TYPE_I8: case QD_TYPE_U8: return v & 0xff;
	case QD_TYPE_I16: case QD_TYPE_U16: return v & 0xffff;
	case QD_TYPE_F16: return nearest_small_float(ref_number(QD_TYPE_F32, v), 5, 10);
	case QD_TYPE_BF16: return nearest_small_float(ref_number(QD_TYPE_F32, v), 8, 7);
	default: return v;
	}
}
