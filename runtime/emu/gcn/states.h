/* The rules of states.def, the classification of instructions for them, and a wave's history. */
#ifndef EMU_AMD_STATES_H
#define EMU_AMD_STATES_H

#include "effect.h"

/* clang-format off */
enum kind {
	KIND_NO_KIND, KIND_ALL, KIND_ALU, KIND_VALU, KIND_NOT_VALU, KIND_REAL_VALU, KIND_TRANS, KIND_NOT_TRANS, KIND_DOT_I8, KIND_NOT_DOT_I8, KIND_DOT_U8, KIND_NOT_DOT_U8,
	KIND_VALU_TO_SCALAR, KIND_VALU_TO_EXEC, KIND_DPP, KIND_DIV_FMAS, KIND_LANE_SELECT, KIND_READ_LANE, KIND_ONE_LANE, KIND_LANE_MASK,
	KIND_PERMUTE, KIND_SWAP_ROWS, KIND_PART_RESULT, KIND_MAD64_SELF, KIND_SALU, KIND_SALU_RUN, KIND_SCALAR,
	KIND_BRANCH, KIND_BRANCH_3F, KIND_SMEM, KIND_VMEM, KIND_MEMORY_ONLY, KIND_BUFFER, KIND_VECTOR_MEMORY, KIND_LDS,
	KIND_WIDE_STORE, KIND_ALL_WAIT, KIND_STORES_WAIT, KIND_LGKM_WAIT, KIND_SA_SDST, KIND_VA_VDST, KIND_VA_SDST,
	KIND_VA_VCC, KIND_VM_VSRC, KIND_M0_USER, KIND_DEALLOC, KIND_NOT_NOP
};
enum regs {
	REGS_NO_REG, REGS_W_VECTOR, REGS_W_ANY_VECTOR, REGS_R_VECTOR, REGS_R_VECTOR0, REGS_R_FACTOR, REGS_ANY_VECTOR, REGS_R_DATA,
	REGS_W_SGPR, REGS_W_SGPR_ONLY, REGS_W_SCALAR, REGS_W_RESULT, REGS_W_VCC, REGS_W_EXEC, REGS_W_M0, REGS_W_EXEC_M0,
	REGS_R_SGPR, REGS_R_SGPR_ONLY, REGS_R_SCALAR, REGS_R_SCALAR1, REGS_R_VCC, REGS_ANY_VCC, REGS_R_EXEC,
	REGS_R_SRC_EXEC_M0, REGS_R_MASK
};
enum shape { SHAPE_SAME, SHAPE_PAIR, SHAPE_PAIR_AT, SHAPE_ANY };
enum unit_of { UNIT_STATES, UNIT_SALU_RUN, UNIT_VALU_OF_TRANS, UNIT_VALU_AROUND_EXEC, N_UNIT_OF };
/* clang-format on */
enum { FOREVER = 255, MAX_STATES = 24 };
enum { MSG_DEALLOC_VGPRS = 3 }; /* of s_sendmsg */
#define K(kind) (UINT64_C(1) << KIND_##kind)

struct side {
	uint8_t kind, regs;
};
struct state_rule {
	const char *name;
	uint32_t targets;
	uint8_t wave;
	struct {
		uint8_t kind, regs, shape;
		uint64_t forgotten;
		struct side overwritten;
	} first;
	struct side earlier, later;
	uint8_t unit, need;
	uint64_t resolved;
	struct {
		uint8_t kind, regs, shape;
	} over;
	const char *remedy, *what, *source;
};

/* The rules of a target; for each instruction, a bit per rule in each of its roles. */
struct state_rules {
	const struct state_rule *rule[MAX_STATES];
	unsigned n;
};
struct state_bits {
	uint32_t first, forgets, overwrites, earlier, later, resolves, over;
	uint8_t states; /* wait states of the instruction */
	bool valu, trans, salu_run, exec_by_salu;
};

void amd_states_of(const struct gcn_target *t, struct state_rules *out);
void amd_states_bits(const struct gcn_target *t, const struct state_rules *s,
		     const struct gcn_insn *in, const struct gcn_effect *fx,
		     struct state_bits *out);

/* Numbers of registers: scalars, m0, a slot for any register, halves of vectors. */
enum { SLOT_M0 = 128, SLOT_ANY, SLOT_VECTOR, N_SLOT = SLOT_VECTOR + 1024, NO_SLOT = N_SLOT };
/* Returns the first slot of a range's registers if regs includes them; *n: their number, else 0. */
unsigned amd_slots(const struct gcn_range *u, unsigned regs, unsigned *n);

/* -- other_path.c ---------------------------------------------------------------------------- */

struct amd_code;
/* Marks the instructions that end a rule because of an instruction on another path; returns false
 * without memory. */
bool amd_states_of_other_paths(struct amd_code *c);

/* -- wait_state_check.c: the path of a wave --------------------------------------------------------------- */

struct count;
struct insn;
struct breach {
	const struct state_rule *rule;
	const struct insn *earlier; /* NULL: the instruction alone breaks the rule */
	uint32_t between;	    /* in the rule's unit */
};
size_t amd_count_size(const struct amd_code *c);
struct count *amd_count_at(const struct amd_code *c, void *mem);
/* Forgets all earlier instructions when a new wave starts. */
void amd_count_begin(struct count *n);
/* Counts the instruction; calls broken for each rule that it breaks and returns their number. */
unsigned amd_count_pass(struct count *n, const struct insn *i,
			void (*broken)(void *user, const struct insn *i, const struct breach *b),
			void *user);

#endif
