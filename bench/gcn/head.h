/* Common parts of the reference kernels: buffers in qd's layout, cross-lane moves, lane masks.
 * gcn_size.py includes a template per kernel after this file, with definitions of NAME, T, WORDS
 * and OP. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#if defined(__GFX9__)
#define WAVE 64
#define GFX9 1
#else
#define WAVE 32
#define GFX9 0
#endif

#define INTRINSIC(name) __asm("llvm.amdgcn." name)
#define KERNEL(n)	kernel __attribute__((reqd_work_group_size(n, 1, 1))) void

typedef int word4 __attribute__((ext_vector_type(4)));
#if WAVE == 64
typedef ulong mask_t;
#define BALLOT(p)	    __builtin_amdgcn_ballot_w64(p)
#define LANES_OF(mask)	    __builtin_amdgcn_inverse_ballot_w64(mask)
#else
typedef uint mask_t;
#define BALLOT(p)	    __builtin_amdgcn_ballot_w32(p)
#define LANES_OF(mask)	    __builtin_amdgcn_inverse_ballot_w32(mask)
#endif
/* A mask that repeats every 32 lanes. */
#define LANES(bits) LANES_OF((mask_t)0x##bits##bits##ul)

/* -- Buffers ---------------------------------------------------------------------------------- */

/* As in qd's argument block, a parameter is an address, a number of elements and an unused
 * word. The descriptor is built from these, and the hardware checks the index. */
int load_i32(word4, int index, int offset, int scalar, int policy) INTRINSIC("struct.buffer.load.i32");
int2 load_v2i32(word4, int, int, int, int) INTRINSIC("struct.buffer.load.v2i32");
void store_i32(int, word4, int index, int offset, int scalar, int policy) INTRINSIC("struct.buffer.store.i32");
void store_v2i32(int2, word4, int, int, int, int) INTRINSIC("struct.buffer.store.v2i32");

#if GFX9
#define FORMAT 0x00027000
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define FORMAT 0x11027000
#endif

static inline word4
buffer(uint4 arg, uint size)
{
	/* s_pack_ll_b32_b16 replaces two instructions, s_and_b32 and s_or_b32. */
	return (word4)((int)arg.x, __builtin_astype((ushort2)((ushort)arg.y, (ushort)size), int), (int)arg.z, FORMAT);
}

#define AS(t, v)		 __builtin_astype(v, t)
#define LOAD1(t, arg, i)	 AS(t, load_i32(buffer(arg, 4), (int)(i), 0, 0, 0))
#define LOAD2(t, arg, i)	 AS(t, load_v2i32(buffer(arg, 8), (int)(i), 0, 0, 0))
#define STORE1(arg, i, v)	 store_i32(AS(int, v), buffer(arg, 4), (int)(i), 0, 0, 0)
#define STORE2(arg, i, v)	 store_v2i32(AS(int2, v), buffer(arg, 8), (int)(i), 0, 0, 0)

/* Trailing arguments: the number of blocks, and the first block of this dispatch. */
#define TAIL			 uint blocks, uint first_block
#define BLOCK_IDX		 (__builtin_amdgcn_workgroup_id_x() + first_block)
#define THREAD			 ((uint)__builtin_amdgcn_workitem_id_x())
#define LANE			 (THREAD & (WAVE - 1))

/* Forces clang to compute the value before the selection. Otherwise it turns a selection between
 * x + y and x into x plus a selection, for which it cannot use DPP. */
#define FULL(v) __asm("" : "+v"(v))

/* -- Cross-lane moves -------------------------------------------------------------------------- */

enum {
	XOR1 = 0xb1, XOR2 = 0x4e, SHL = 0x100, SHR = 0x110, ROR = 0x120, MIRROR = 0x140, HALF_MIRROR = 0x141,
	SAME = 0xe4, WAVE_SHL1 = 0x130, WAVE_SHR1 = 0x138, BCAST15 = 0x142, BCAST31 = 0x143, SHARE = 0x150, XMASK = 0x160
};

/* DPP: lanes without a source get 0. */
#define DPP(v, ctrl)		 (uint)__builtin_amdgcn_update_dpp(0, (int)(v), ctrl, 0xf, 0xf, true)
#define ROW_X(v, lo, hi)	 (uint)__builtin_amdgcn_permlanex16((int)(v), (int)(v), lo, hi, false, true)
#define SWIZZLE(v, how)		 (uint)__builtin_amdgcn_ds_swizzle((int)(v), how)
#define READ_LANE(v, lane)	 (uint)__builtin_amdgcn_readlane((int)(v), lane)
#define FIRST(v, none)		 (uint)__builtin_amdgcn_readfirstlane((int)(v))
/* Lane indices are modulo the wave size; in waves of 32, gfx12 does not reduce them itself. */
#if defined(__GFX12__)
#define PULLED(lane)		 ((lane) & (WAVE - 1))
#else
#define PULLED(lane)		 (lane)
#endif
#define PULL(v, address)	 (uint)__builtin_amdgcn_ds_bpermute((int)(address), (int)(v))

/* Applies a move to each word of a value. */
#define MOVE1(t, how, v, ...)	 AS(t, how(AS(uint, v), __VA_ARGS__))
#define MOVE2(t, how, v, ...)	 ({ uint2 w_ = AS(uint2, v); AS(t, ((uint2)(how(w_.x, __VA_ARGS__), how(w_.y, __VA_ARGS__)))); })

/* DPP with an old value: lanes without a source, and in excluded rows and banks, get `old`. */
#define DPP_OLD(old, v, ctrl, rows, banks) (uint)__builtin_amdgcn_update_dpp((int)(old), (int)(v), ctrl, rows, banks, false)
#define KEEP1(t, old, v, ctrl, rows, banks) AS(t, DPP_OLD(AS(uint, old), AS(uint, v), ctrl, rows, banks))
#define KEEP2(t, old, v, ctrl, rows, banks)                                                        \
	({                                                                                         \
		uint2 o_ = AS(uint2, (t)(old)), w_ = AS(uint2, v);                                 \
		AS(t, ((uint2)(DPP_OLD(o_.x, w_.x, ctrl, rows, banks), DPP_OLD(o_.y, w_.y, ctrl, rows, banks)))); \
	})
/* Writes v to one lane of old. */
int write_lane(int v, int lane, int old) INTRINSIC("writelane.i32");
#define WRITE_LANE(old, v, lane) (uint)write_lane((int)(v), lane, (int)(old))
#define PUT1(t, old, v, lane)	 AS(t, WRITE_LANE(AS(uint, old), AS(uint, v), lane))
#define PUT2(t, old, v, lane)                                                                      \
	({                                                                                         \
		uint2 o_ = AS(uint2, old), w_ = AS(uint2, v);                                      \
		AS(t, ((uint2)(WRITE_LANE(o_.x, w_.x, lane), WRITE_LANE(o_.y, w_.y, lane))));      \
	})

/* Selectors of ROW_X, which reads the other row of 16: the same lane, the mirrored one, the last. */
#define ROW_X_SAME   0x76543210, 0xfedcba98
#define ROW_X_MIRROR 0x89abcdef, 0x01234567
#define ROW_X_LAST   -1, -1

/* Moves for which no builtin exists on all targets. */
#if GFX9
#define XOR_4(x)  MOVE(SWIZZLE, x, 0x1f | 4 << 10)
#define XOR_16(x) MOVE(SWIZZLE, x, 0x1f | 16 << 10)
#define UP_1(x)	  KEEP(x, x, WAVE_SHR1, 0xf, 0xf)
#define DOWN_1(x) KEEP(x, x, WAVE_SHL1, 0xf, 0xf)
#else
#define XOR_4(x)  MOVE(DPP, x, XMASK + 4)
#define XOR_16(x) MOVE(ROW_X, x, ROW_X_SAME)
#define UP_1(x)	  PUT(KEEP(x, x, SHR + 1, 0xf, 0xf), MOVE(READ_LANE, x, 15), 16)
#define DOWN_1(x) PUT(KEEP(x, x, SHL + 1, 0xf, 0xf), MOVE(READ_LANE, x, 16), 15)
#endif
#define MOVE(how, v, ...)	  PASTE(MOVE, WORDS)(T, how, v, __VA_ARGS__)
#define KEEP(old, v, c, rows, banks) PASTE(KEEP, WORDS)(T, old, v, c, rows, banks)
#define PUT(old, v, lane)	  PASTE(PUT, WORDS)(T, old, v, lane)
#define LOAD(arg, i)		  PASTE(LOAD, WORDS)(T, arg, i)
#define STORE(arg, i, v)	  PASTE(STORE, WORDS)(arg, i, v)
#ifndef PASTE
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#endif
