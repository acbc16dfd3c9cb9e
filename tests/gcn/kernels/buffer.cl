/* Buffers: loads, stores and atomics by a descriptor, typed and untyped, with every
 * form of address; loads directly into shared memory. */
#include "kernel.h"

#define RSRC __amdgpu_buffer_rsrc_t
#if defined(__GFX11__) || defined(__GFX12__) || defined(__GFX10__)
#define RSRC_FLAGS 0x31004000
#else
#define RSRC_FLAGS 0x00027000
#endif

static inline RSRC
describe(global void *p, uint n)
{
	return __builtin_amdgcn_make_buffer_rsrc(p, 0, n, RSRC_FLAGS);
}

BLOCK(64)
buffer_words(global uint *src, global uint *dst, uint n)
{
	RSRC a = describe(src, n), b = describe(dst, n);
	int at = (int)index_in(64) * 16;

	__builtin_amdgcn_raw_buffer_store_b32(__builtin_amdgcn_raw_buffer_load_b32(a, at, 0, 0), b,
					      at, 0, 0);
	__builtin_amdgcn_raw_buffer_store_b64(
		__builtin_amdgcn_raw_buffer_load_b64(a, at + 64, 0, 0), b, at, 64, 0);
	__builtin_amdgcn_raw_buffer_store_b96(__builtin_amdgcn_raw_buffer_load_b96(a, at, 1024, 0),
					      b, at + 128, (int)n, 0);
	__builtin_amdgcn_raw_buffer_store_b128(
		__builtin_amdgcn_raw_buffer_load_b128(a, at, (int)n, 0), b, at + 4000, 0, 0);
}

BLOCK(64)
buffer_narrow(global uint *src, global uint *dst, uint n)
{
	RSRC a = describe(src, n), b = describe(dst, n);
	int at = (int)index_in(64) * 2;

	__builtin_amdgcn_raw_buffer_store_b8(__builtin_amdgcn_raw_buffer_load_b8(a, at, 0, 0), b,
					     at + 1, 0, 0);
	__builtin_amdgcn_raw_buffer_store_b16(__builtin_amdgcn_raw_buffer_load_b16(a, at, 64, 0), b,
					      at, 8, 0);
	__builtin_amdgcn_raw_buffer_store_b32(
		(uint)(int)(char)__builtin_amdgcn_raw_buffer_load_b8(a, at + 9, 0, 0) +
			(uint)(int)(short)__builtin_amdgcn_raw_buffer_load_b16(a, at + 10, 0, 0),
		b, 128, 4, 0);
}

/* Cache policy: each bit of the last argument. */
BLOCK(64)
buffer_cached(global uint *src, global uint *dst, uint n)
{
	RSRC a = describe(src, n), b = describe(dst, n);
	int at = (int)index_in(64) * 4;
	uint v = 0;

	v += __builtin_amdgcn_raw_buffer_load_b32(a, at, 0, 1);
	v += __builtin_amdgcn_raw_buffer_load_b32(a, at + 4, 0, 2);
	v += __builtin_amdgcn_raw_buffer_load_b32(a, at + 8, 0, 3);
	__builtin_amdgcn_raw_buffer_store_b32(v, b, at, 0, 1);
	__builtin_amdgcn_raw_buffer_store_b32(v, b, at + 4, 0, 2);
}

uint raw_add(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.add.i32");
uint raw_sub(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.sub.i32");
uint raw_and(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.and.i32");
uint raw_or(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.or.i32");
uint raw_xor(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.xor.i32");
uint raw_smin(uint v, RSRC r, int at, int base, int aux)
	INTRINSIC("raw.ptr.buffer.atomic.smin.i32");
uint raw_umax(uint v, RSRC r, int at, int base, int aux)
	INTRINSIC("raw.ptr.buffer.atomic.umax.i32");
uint raw_inc(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.inc.i32");
uint raw_dec(uint v, RSRC r, int at, int base, int aux) INTRINSIC("raw.ptr.buffer.atomic.dec.i32");
uint raw_swap(uint v, RSRC r, int at, int base, int aux)
	INTRINSIC("raw.ptr.buffer.atomic.swap.i32");
uint raw_cmpswap(uint v, uint c, RSRC r, int at, int base, int aux)
	INTRINSIC("raw.ptr.buffer.atomic.cmpswap.i32");
ulong raw_add64(ulong v, RSRC r, int at, int base, int aux)
	INTRINSIC("raw.ptr.buffer.atomic.add.i64");
ulong raw_umin64(ulong v, RSRC r, int at, int base, int aux)
	INTRINSIC("raw.ptr.buffer.atomic.umin.i64");

BLOCK(64)
buffer_atomics(global uint *p, global uint *dst, uint n)
{
	RSRC r = describe(p, n);
	int at = (int)index_in(64) * 4;
	uint v = dst[index_in(64)], sum = 0;

	sum += raw_add(v, r, at, 0, 0);
	sum += raw_sub(v, r, at + 4, 16, 0);
	sum += raw_and(v, r, at + 8, (int)n, 0);
	sum += raw_or(v, r, 64, 0, 0);
	sum += raw_xor(v, r, at, 0, 2);
	sum += raw_smin(v, r, at, 0, 0);
	sum += raw_umax(v, r, at, 0, 0);
	sum += raw_inc(v, r, at, 0, 0);
	sum += raw_dec(v, r, at, 0, 0);
	sum += raw_swap(v, r, at, 0, 0);
	sum += raw_cmpswap(v, sum, r, at, 0, 0);
	raw_add(v, r, at + 12, 0, 0);
	raw_umax(v, r, at, 4, 0);
	raw_cmpswap(v, sum, r, at, 0, 0);
	sum += (uint)raw_add64(v, r, at * 2, 0, 0);
	raw_umin64(v, r, at * 2, 0, 0);
	dst[index_in(64)] = sum;
}

/* Access by element: the descriptor contains the stride. */
uint struct_load(RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.load.i32");
float4 struct_load4(RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.load.v4f32");
void struct_store(uint v, RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.store.i32");
void struct_store4(float4 v, RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.store.v4f32");
uint struct_add(uint v, RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.atomic.add.i32");
float4 struct_format(RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.load.format.v4f32");
float2 struct_format2(RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.load.format.v2f32");
void struct_format_store(float4 v, RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.store.format.v4f32");
half4 struct_format_half(RSRC r, int idx, int at, int base, int aux)
	INTRINSIC("struct.ptr.buffer.load.format.v4f16");

BLOCK(64)
buffer_structs(global uint *p, global uint *dst, uint n)
{
	RSRC r = __builtin_amdgcn_make_buffer_rsrc(p, 16, n, RSRC_FLAGS);
	int i = (int)index_in(64);
	float4 v = struct_load4(r, i, 0, 0, 0);

	v += struct_load4(r, i, i & 3, 32, 0);
#if !GFX125
	v += struct_format(r, i, 16, 0, 0);
	v.xy += struct_format2(r, i, i, 0, 0);
	v.x += (float)struct_format_half(r, i, 0, 0, 0).y;
#endif
	struct_store(struct_load(r, i, 4, (int)n, 0), r, i + 1, 8, 0, 0);
	struct_store4(v, r, i + 2, i, 0, 0);
#if !GFX125
	struct_format_store(v, r, i + 3, 0, 0, 0);
#endif
	dst[i] = struct_add(3, r, i, 12, 0, 0);
	struct_add(4, r, i, i, 0, 0);
}

/* Typed: the instruction contains the format, whose number depends on the generation. gfx1250 has no
 * formats. */
#if !GFX125
#if defined(__GFX11__) || defined(__GFX12__)
#define FORMAT_8_8_8_8_UNORM 42
#define FORMAT_32_32_FLOAT   50
#define FORMAT_32_FLOAT	     22
#elif defined(__GFX10__)
#define FORMAT_8_8_8_8_UNORM 56
#define FORMAT_32_32_FLOAT   64
#define FORMAT_32_FLOAT	     22
#else
#define FORMAT_8_8_8_8_UNORM (10 | 0 << 4)
#define FORMAT_32_32_FLOAT   (11 | 7 << 4)
#define FORMAT_32_FLOAT	     (4 | 7 << 4)
#endif
float4 typed_load4(RSRC r, int at, int base, int format, int aux)
	INTRINSIC("raw.ptr.tbuffer.load.v4f32");
float2 typed_load2(RSRC r, int at, int base, int format, int aux)
	INTRINSIC("raw.ptr.tbuffer.load.v2f32");
half4 typed_load_half(RSRC r, int at, int base, int format, int aux)
	INTRINSIC("raw.ptr.tbuffer.load.v4f16");
float typed_load1(RSRC r, int idx, int at, int base, int format, int aux)
	INTRINSIC("struct.ptr.tbuffer.load.f32");
void typed_store4(float4 v, RSRC r, int at, int base, int format, int aux)
	INTRINSIC("raw.ptr.tbuffer.store.v4f32");
void typed_store1(float v, RSRC r, int idx, int at, int base, int format, int aux)
	INTRINSIC("struct.ptr.tbuffer.store.f32");
void typed_store_half(half2 v, RSRC r, int at, int base, int format, int aux)
	INTRINSIC("raw.ptr.tbuffer.store.v2f16");

BLOCK(64)
buffer_typed(global uint *p, global float4 *dst, uint n)
{
	RSRC r = describe(p, n);
	int i = (int)index_in(64);
	float4 v = typed_load4(r, i * 4, 0, FORMAT_8_8_8_8_UNORM, 0);

	v.xy += typed_load2(r, i * 8, 128, FORMAT_32_32_FLOAT, 0);
	v.z += typed_load1(r, i, 0, 4, FORMAT_32_FLOAT, 0);
	v.w += (float)typed_load_half(r, 16, (int)n, FORMAT_8_8_8_8_UNORM, 0).z;
	typed_store4(v, r, i * 4, 0, FORMAT_8_8_8_8_UNORM, 0);
	typed_store1(v.x, r, i, i * 4, 0, FORMAT_32_FLOAT, 0);
	typed_store_half((half2)((half)v.y, (half)v.z), r, i, 0, FORMAT_32_32_FLOAT, 0);
	dst[i] = v;
}
#endif

/* A descriptor that all lanes share, read by the scalar unit. */
typedef int rsrc4 __attribute__((ext_vector_type(4)));
uint scalar_load(rsrc4 r, uint at, int aux) INTRINSIC("s.buffer.load.i32");
uint2 scalar_load2(rsrc4 r, uint at, int aux) INTRINSIC("s.buffer.load.v2i32");
uint4 scalar_load4(rsrc4 r, uint at, int aux) INTRINSIC("s.buffer.load.v4i32");
uint8 scalar_load8(rsrc4 r, uint at, int aux) INTRINSIC("s.buffer.load.v8i32");
uint16 scalar_load16(rsrc4 r, uint at, int aux) INTRINSIC("s.buffer.load.v16i32");

BLOCK(64)
buffer_scalar(rsrc4 r, uint at, global uint *dst)
{
	uint v = scalar_load(r, 16, 0) + scalar_load(r, at, 0);
	uint2 w = scalar_load2(r, at + 64, 0);
	uint4 x = scalar_load4(r, 256, 0);
	uint8 y = scalar_load8(r, at, 0);
	uint16 z = scalar_load16(r, 4096, 0);

	y += z.lo * z.hi;
	x += y.lo * y.hi;
	dst[index_in(64)] = v + w.x * w.y + x.x * x.w + x.y * x.z;
}

#if HAS(raw_ptr_buffer_load_lds)
BLOCK(64)
buffer_to_lds(global uint *p, global uint *dst, uint n)
{
	local uint a[256];
	RSRC r = describe(p, n);

	__builtin_amdgcn_raw_ptr_buffer_load_lds(r, (local void *)a, 4, (int)item() * 4, 0, 0, 0);
	__builtin_amdgcn_raw_ptr_buffer_load_lds(r, (local void *)(a + 64), 4, (int)item() * 4,
						 (int)n, 16, 0);
	__builtin_amdgcn_raw_ptr_buffer_load_lds(r, (local void *)(a + 128), 1, (int)item(), 0, 0,
						 0);
	__builtin_amdgcn_s_waitcnt(0);
	sync();
	dst[item()] = a[item() ^ 1] + a[item() + 64] + a[item() + 128];
}
#endif

#if HAS(global_load_lds)
BLOCK(64)
global_to_lds(global uint *p, global uint *dst)
{
	local uint a[512];

	__builtin_amdgcn_global_load_lds(p + item(), (local void *)a, 4, 0, 0);
	__builtin_amdgcn_global_load_lds(p + item() + 64, (local void *)(a + 64), 4, 64, 0);
	__builtin_amdgcn_global_load_lds((global ushort *)p + item(), (local void *)(a + 128), 2, 0,
					 0);
#if defined(__gfx950__)
	__builtin_amdgcn_global_load_lds(p + item() * 4, (local void *)(a + 256), 16, 0, 0);
#endif
	__builtin_amdgcn_s_waitcnt(0);
	sync();
	dst[item()] = a[item() ^ 1] + a[item() + 64] + a[item() + 128] + a[item() + 256];
}
#endif

#if HAS(ds_read_tr16_b64_v4f16)
/* Loads that transpose: gfx950 from shared memory, gfx12 from global. */
BLOCK(64)
lds_transposed(global const half4 *src, global half4 *dst, global int2 *n)
{
	local half4 a[64];

	a[item()] = src[item()];
	sync();
	dst[item()] = __builtin_amdgcn_ds_read_tr16_b64_v4f16(a + item());
	n[item()] = __builtin_amdgcn_ds_read_tr8_b64_v2i32((local int2 *)a + item());
	n[item() + 64] = __builtin_amdgcn_ds_read_tr4_b64_v2i32((local int2 *)a + item());
}
#endif
#if HAS(global_load_tr_b128_v8f16)
BLOCK(64)
global_transposed(global half8 *src, global half8 *dst, global int2 *n)
{
	dst[item()] = __builtin_amdgcn_global_load_tr_b128_v8f16(src + item());
	n[item()] = __builtin_amdgcn_global_load_tr_b64_v2i32((global int2 *)src + item());
}
#endif
