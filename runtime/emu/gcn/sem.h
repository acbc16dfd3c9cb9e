/* What the rows of insn.def do: sem.def as a table. */
#ifndef EMU_AMD_SEM_H
#define EMU_AMD_SEM_H

#include <stdbool.h>
#include <stdint.h>

/* One scalar operation, or that of one lane: sources as the operands stand in the text, with
 * what is read from the destination behind them; `in` and `out` are carry, mask bit or scc. */
struct op {
	uint64_t s[3];
	uint64_t d;
	bool in, out;
	unsigned lane;
	uint64_t seed; /* of the launch */
	bool ieee, half; /* half: the result is of 16 bits */
	const char *cannot; /* set: this input is not modelled */
};
typedef void op_fn(struct op *o);

/* How undefined bits spread. */
enum taint {
	ANY,	/* one undefined bit of any source makes all of the result undefined */
	CARRY,	/* upwards, as sums and products carry */
	BITS,	/* each bit of the result depends on one bit of each source */
	BITS0,	/* the same, but for the first source, which is a count or a selector */
	BITS1,
	BITS2,
	BITS12, /* the second and third are */
	CHOOSE, /* the mask bit chooses a source */
};

enum unit {
	U_SALU, U_SAVE, U_BRANCH, U_PC, U_VALU, U_PACKED, U_CROSS, U_SMEM, U_VMEM, U_LDS, U_NONE
};

enum atomic_op {
	A_SWAP, A_CMPSWAP, A_ADD, A_SUB, A_RSUB, A_SMIN, A_UMIN, A_SMAX, A_UMAX, A_AND, A_OR, A_XOR,
	A_INC, A_DEC, A_FADD, A_FMIN, A_FMAX
};

/* Of memory. */
enum mem_kind { M_KIND_LOAD, M_KIND_STORE, M_KIND_ATOMIC, M_KIND_NONE };
enum mem_flag { F_SIGNED = 1, F_D16 = 2, F_HI = 4, F_TWO = 8, F_FAR = 16, F_RETURN = 32 };

struct sem {
	op_fn *fn;
	uint8_t unit, taint;
	uint8_t kind, bytes, flags, atomic; /* of memory: bytes of one access */
	const char *name;
	const char *where; /* in the manual */
};

/* NULL: the row is not modelled. */
const struct sem *amd_sem(unsigned row);

#endif
