// f32 and f64 with every rounding mode, and conversions.
typedef unsigned long long u64;
extern "C" __global__ void real32(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, *o = out + 24 * i;
	float a = __uint_as_float(in[i]), b = __uint_as_float(in[(i + 1) % n]), c = __uint_as_float(in[(i + 2) % n]);
	int k = 0;
#define PUT(x) o[k++] = __float_as_uint(x);
	PUT(__fadd_rn(a, b))
	PUT(__fadd_rz(a, b))
	PUT(__fadd_ru(a, b))
	PUT(__fadd_rd(a, b))
	PUT(__fmul_rn(a, b))
	PUT(__fmul_rz(a, b))
	PUT(__fmul_ru(a, b))
	PUT(__fmul_rd(a, b))
	PUT(__fmaf_rn(a, b, c))
	PUT(__fmaf_ru(a, b, c))
	PUT(__fdiv_rn(a, b))
	PUT(__fdiv_rd(a, b))
	PUT(__fsqrt_rn(a))
	PUT(__fsqrt_ru(a))
	PUT(__frcp_rn(a))
	PUT(fminf(a, b))
	PUT(fmaxf(a, b))
	PUT(__saturatef(a))
	o[k++] = (unsigned)__float2int_rn(a);
	o[k++] = __float2uint_rz(b);
	PUT(__int2float_rd((int)in[i]))
	PUT(__uint2float_ru(in[i]))
	PUT(floorf(a))
	PUT(copysignf(rintf(a), b))
}

extern "C" __global__ void real64(const u64 *in, u64 *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	u64 *o = out + 16 * i;
	double a = __longlong_as_double(in[i]), b = __longlong_as_double(in[(i + 1) % n]), c = __longlong_as_double(in[(i + 2) % n]);
	int k = 0;
#define PUT64(x) o[k++] = __double_as_longlong(x);
	PUT64(__dadd_rn(a, b))
	PUT64(__dadd_ru(a, b))
	PUT64(__dmul_rn(a, b))
	PUT64(__dmul_rz(a, b))
	PUT64(__fma_rn(a, b, c))
	PUT64(__fma_rd(a, b, c))
	PUT64(__ddiv_rn(a, b))
	PUT64(__dsqrt_rn(a))
	PUT64(fmin(a, b))
	PUT64(fmax(a, b))
	o[k++] = (u64)__double2ll_rn(a);
	o[k++] = __double2ull_rd(a);
	o[k++] = __float_as_uint(__double2float_ru(a));
	PUT64(__ll2double_rz((long long)in[i]))
	o[k++] = a < b ? 1 : a > b ? 2 : a == b ? 3 : 4;
	PUT64(trunc(c))
}
