/* Results of atomic operations. */
#include "wave.h"

/* NaNs and zeros of different signs depend on modes and are not modeled. */
static uint64_t
least_float(unsigned bytes, uint64_t a, uint64_t b, bool greatest, bool *ok)
{
	double x = bytes == 8 ? f64_of(a) : (double)f32_of(a);
	double y = bytes == 8 ? f64_of(b) : (double)f32_of(b);

	*ok = x < y || x > y || (x == y && a == b);
	return (x < y) != greatest ? a : b;
}

static uint64_t
add_float(unsigned bytes, uint64_t a, uint64_t b)
{
	return bytes == 8 ? f64_bits(f64_of(a) + f64_of(b)) : f32_bits(f32_of(a) + f32_of(b));
}

uint64_t
amd_atomic(enum atomic_op op, unsigned bytes, uint64_t old, uint64_t data, uint64_t data2, bool *ok)
{
	int64_t a = bytes == 8 ? (int64_t)old : (int32_t)(uint32_t)old;
	int64_t b = bytes == 8 ? (int64_t)data : (int32_t)(uint32_t)data;

	switch (op) {
	case A_SWAP: return data;
	case A_CMPSWAP: return old == data2 ? data : old;
	case A_ADD: return old + data;
	case A_SUB: return old - data;
	case A_RSUB: return data - old;
	case A_SMIN: return a < b ? old : data;
	case A_SMAX: return a > b ? old : data;
	case A_UMIN: return old < data ? old : data;
	case A_UMAX: return old > data ? old : data;
	case A_AND: return old & data;
	case A_OR: return old | data;
	case A_XOR: return old ^ data;
	case A_INC: return old >= data ? 0 : old + 1;
	case A_DEC: return !old || old > data ? data : old - 1;
	case A_FMIN: return least_float(bytes, old, data, false, ok);
	case A_FMAX: return least_float(bytes, old, data, true, ok);
	case A_FADD: return add_float(bytes, old, data);
	default: *ok = false; return old;
	}
}
