// Floats of 16 bits: conversions and arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void half_floats(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], *o = out + 12 * i;
	__half a = __ushort_as_half((unsigned short)v), b = __ushort_as_half((unsigned short)(v >> 16));
	__half2 x = __halves2half2(a, b), y = __halves2half2(b, a);
	float f = __uint_as_float(v), g = __uint_as_float(in[(i + 1) % n]);

	o[0] = __float_as_uint(__half2float(a));
	o[1] = __half_as_ushort(__float2half_rn(f)) | (unsigned)__half_as_ushort(__float2half_rz(f)) << 16;
	o[2] = __half_as_ushort(__hadd_rn(a, b));
	o[3] = __half_as_ushort(__hmul_rn(a, b));
	o[4] = __half_as_ushort(__hfma(a, b, b));
	__half2 s = __hfma2(x, y, x);
	o[5] = *(unsigned *)&s;
	o[6] = (unsigned)__half2int_rz(a);
	o[7] = __half_as_ushort(__int2half_rn((int)v));
	o[8] = (unsigned)__hlt(a, b) | (unsigned)__heq(a, b) << 1 | (unsigned)__hgeu(a, b) << 2;
	__nv_bfloat16 c = __float2bfloat16_rn(f);
	o[9] = __bfloat16_as_ushort(c) | (unsigned)__bfloat16_as_ushort(__float2bfloat16_rz(g)) << 16;
	o[10] = __float_as_uint(__bfloat162float(__ushort_as_bfloat16((unsigned short)v)));
	__nv_bfloat162 d = __floats2bfloat162_rn(f, g);
	o[11] = *(unsigned *)&d;
}
