/* The semantics of the rows of insn.def: sem.def as a table. */
#ifndef EMU_AMD_SEM_H
#define EMU_AMD_SEM_H

#include <stdbool.h>
#include <stdint.h>

/* An operation of a scalar instruction or of one lane. Sources are in the order of the text,
 * followed by values read from the destination. `in` and `out` are the carry, mask bit or scc. */
struct op {
	uint64_t s[3];
	uint64_t d;
	bool in, out;
	unsigned lane;
	uint64_t seed; /* of the launch */
	uint32_t mode; /* float mode; see number.h */
	uint8_t omod, table; /* output modifier; truth table of v_bitop3, or signs of v_dot4_i32_iu8 */
	bool ieee, clamp;
	bool clamped, half; /* set by the operation: it clamps on request; the result has 16 bits */
	const char *cannot; /* if set, this input is not modeled */
};
typedef void op_fn(struct op *o);

/* Propagation of undefined bits. */
enum taint {
	ANY,	/* an undefined bit of any source makes the whole result undefined */
	CARRY,	/* to all higher bits, as in additions and multiplications */
	BITS,	/* each bit of the result depends on one bit of each source */
	BITS0,	/* the same, but the first source is a count or a selector */
	BITS1,
	BITS2,
	BITS12, /* the second and third are */
	CHOOSE, /* the mask bit selects a source */
	ENDS,	/* the result is defined if it is the same for all undefined bits 0 and all 1 */
};

enum unit {
	U_SALU, U_SETREG, U_SAVE, U_BRANCH, U_PC, U_INDEX, U_VALU, U_SCALAR, U_PACKED, U_MIX, U_CROSS, U_SMEM,
	U_VMEM, U_LDS, U_NONE
};

enum atomic_op {
	A_SWAP, A_CMPSWAP, A_ADD, A_SUB, A_RSUB, A_SMIN, A_UMIN, A_SMAX, A_UMAX, A_AND, A_OR, A_XOR,
	A_INC, A_DEC, A_FADD, A_FMIN, A_FMAX
};

/* Memory accesses. */
enum mem_kind { M_KIND_LOAD, M_KIND_STORE, M_KIND_ATOMIC, M_KIND_NONE };
enum mem_flag { F_SIGNED = 1, F_D16 = 2, F_HI = 4, F_TWO = 8, F_FAR = 16, F_RETURN = 32 };

struct sem {
	op_fn *fn;
	uint8_t unit, taint;
	uint8_t kind, bytes, flags, atomic; /* of memory: bytes of one access */
};

/* Returns NULL if the row is not modeled. */
const struct sem *amd_sem(unsigned row);

#endif
