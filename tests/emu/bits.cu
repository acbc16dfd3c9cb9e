// Bits, bytes and small dot products.
#include <sm_61_intrinsics.h>
extern "C" __global__ void bits(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, *o = out + 32 * i, d;
	unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n] >> (a & 31);
	unsigned long long w = (unsigned long long)a << 32 | b, e;
	int k = 0;

	o[k++] = __popc(a) + 64 * __clz(c) + 4096 * __ffs(c);
	o[k++] = __popcll(w) + 128 * __clzll(w >> (c & 63)) + 65536 * __ffsll(w);
	o[k++] = __brev(a);
	o[k++] = __byte_perm(a, b, c);
	o[k++] = __funnelshift_l(a, b, c);
	o[k++] = __funnelshift_lc(a, b, c);
	o[k++] = __funnelshift_r(a, b, c);
	o[k++] = __funnelshift_rc(a, b, c);
	o[k++] = (a & b) ^ (c | ~a);
	o[k++] = __dp4a(a, b, c);
	o[k++] = (unsigned)__dp4a((int)a, (int)b, (int)c);
	o[k++] = __usad(a, b, c);
	o[k++] = (unsigned)__sad((int)a, (int)b, c);
	o[k++] = __fns(a, b & 31, (int)(c & 15) - 7);
#define ASM3(text)                                                                                 \
	asm(text " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                           \
	o[k++] = d;
	ASM3("bfe.u32")
	ASM3("bfe.s32")
	ASM3("prmt.b32.f4e")
	ASM3("prmt.b32.b4e")
	ASM3("prmt.b32.rc8")
	ASM3("prmt.b32.ecl")
	ASM3("prmt.b32.ecr")
	ASM3("prmt.b32.rc16")
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 63), "r"(c >> 8 & 63));
	o[k++] = d;
	asm("bfe.s64 %0, %1, %2, %3;" : "=l"(e) : "l"(w), "r"(a), "r"(b));
	o[k++] = (unsigned)(e ^ e >> 32);
	asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(e) : "l"(w), "l"(~w), "r"(c & 127), "r"(c >> 8 & 127));
	o[k++] = (unsigned)(e ^ e >> 32);
	asm("bfind.s32 %0, %1;" : "=r"(d) : "r"(a));
	o[k++] = d;
	asm("bfind.shiftamt.u64 %0, %1;" : "=r"(d) : "l"(w));
	o[k++] = d;
	asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	o[k++] = d;
	asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b & 63));
	o[k++] = d;
	asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b & 63));
	o[k++] = d;
	asm("cnot.b32 %0, %1;" : "=r"(d) : "r"(a & 1));
	o[k++] = d;
	asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	o[k++] = d;
}
