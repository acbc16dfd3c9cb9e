/* The definitions of dynamic.h for GLSL. bench/driver_stats.py translates the declarations. */
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#define u32 uint
#define i32 int
#define u64 uint64_t
#define THREAD gl_LocalInvocationID.x
#define BLOCK_IDX gl_WorkGroupID.x
#define SYNC barrier
#define ATOMIC_ADD atomicAdd
#define LOCAL_ADD atomicAdd
#define LOAD_ACQUIRE(p) atomicLoad(p, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire)
#define STORE_RELEASE(p, v) atomicStore(p, v, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease)
#define POPCOUNT bitCount
#define CLZ(x) u32(31 - findMSB(x))
#define INF uintBitsToFloat(0x7f800000)
#define sqrtf sqrt
#define fminf min
#define fmaxf max
#define lane_id() gl_SubgroupInvocationID
#define shuffle_xor subgroupShuffleXor
#define shuffle_xor_f subgroupShuffleXor
#define shuffle_up subgroupShuffleUp
