/* Names of operations and operands in .qdk. */
#include "program.h"

const struct place_info place_info[N_PLACE] = {
	[P_BLOCK_IDX] = { "block.idx", QD_TYPE_U32, true },
	[P_BLOCK_DIM] = { "block.dim", QD_TYPE_U32, true },
	[P_GRID_DIM] = { "grid.dim", QD_TYPE_U32, true },
	[P_SUBGROUP_ID] = { "subgroup.id", QD_TYPE_U32, true },
	[P_SUBGROUP_COUNT] = { "subgroup.count", QD_TYPE_U32, true },
	[P_THREAD] = { "block.thread_idx()", QD_TYPE_U32, false },
	[P_THREAD_X] = { "block.thread_idx(0)", QD_TYPE_U32, false },
	[P_THREAD_Y] = { "block.thread_idx(1)", QD_TYPE_U32, false },
	[P_THREAD_Z] = { "block.thread_idx(2)", QD_TYPE_U32, false },
	[P_GLOBAL] = { "block.global_thread_idx()", QD_TYPE_U32, false },
	[P_LANE] = { "subgroup.invocation_id()", QD_TYPE_U32, false },
	[P_TILE_LANE] = { "subgroup.tile_lane", QD_TYPE_U32, false },
	[P_SIZE] = { "subgroup.group_size()", QD_TYPE_U32, true },
	[P_LOG2_SIZE] = { "subgroup.log2_group_size()", QD_TYPE_U32, true },
	[P_ELECT] = { "subgroup.elect()", QD_TYPE_I32, false },
};

const char *const lane_text[N_LANE_OP] = {
#define LANE_OP(name, text, trait) text,
#include "lane_op.def"
};

const struct rough roughs[N_ROUGH] = {
	{ "i32(exp(f32(", ")) + 0.5)", 7, { 1, 3, 7, 20, 55, 148, 403, 1097 } },
	{ "i32(log(f32(", ") + 1.5) * 8.0)", 7, { 3, 7, 10, 12, 13, 14, 16, 17 } },
	{ "i32(sin(f32(", ")) * 4.0)", 3, { 0, 3, 3, 0 } },
	{ "i32(cos(f32(", ")) * 4.0 + 8.5)", 3, { 12, 10, 6, 4 } },
	{ "i32(pow(f32(", ") + 1.0, 2.5) + 0.5)", 3, { 1, 6, 16, 32 } },
	{ "i32(sqrt(f32(", ")) + 0.5)", 7, { 0, 1, 1, 2, 2, 2, 2, 3 } },
	{ "i32(fma(f32(", "), 1.5, -3.0))", 7, { -3, -1, 0, 1, 3, 4, 6, 7 } },
};

/* clang-format off */
const struct atomic_info atomic_info[N_ATOMIC_OP] = {
	[ATOMIC_LOAD] = { "load", N_REF_OP, 0, false },
	[ATOMIC_STORE] = { "store", N_REF_OP, 1, false },
	[ATOMIC_ADD] = { "add", REF_OP_ADD, 1, false },
	[ATOMIC_SUB] = { "sub", REF_OP_SUB, 1, false },
	[ATOMIC_MIN] = { "min", REF_OP_MIN, 1, false },
	[ATOMIC_MAX] = { "max", REF_OP_MAX, 1, false },
	[ATOMIC_AND] = { "and", REF_OP_AND, 1, true },
	[ATOMIC_OR] = { "or", REF_OP_OR, 1, true },
	[ATOMIC_XOR] = { "xor", REF_OP_XOR, 1, true },
	[ATOMIC_EXCHANGE] = { "exchange", N_REF_OP, 1, false },
	[ATOMIC_CAS] = { "cas", N_REF_OP, 2, false },
};
/* clang-format on */

const char *const scope_text[N_ATOMIC_SCOPE] = {
	[WITHIN_SUBGROUP] = "subgroup",
	[WITHIN_BLOCK] = "block",
	[WITHIN_DEVICE] = "device",
};

const char *const order_text[N_ATOMIC_ORDER] = {
	[ORDER_RELAXED] = "relaxed",
	[ORDER_ACQUIRE] = "acquire",
	[ORDER_RELEASE] = "release",
	[ORDER_ACQ_REL] = "acq_rel",
};
