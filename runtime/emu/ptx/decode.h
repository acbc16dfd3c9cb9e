/* A decoded module: instructions of fixed size, whose operands are offsets in the registers of a
 * warp. A register is an array of 32 lanes, a predicate a mask of them. */
#ifndef EMU_PTX_DECODE_H
#define EMU_PTX_DECODE_H

#include "ptx.h"
#include "row.h"

enum ptx_type_id {
#define TYPE(name, size, kind) T_##name,
#include "type.def"
#undef TYPE
	N_TYPES
};

struct type_info {
	const char *name;
	uint8_t size;
	char kind;
};
extern const struct type_info ptx_type[N_TYPES];

enum space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM };
enum rounding { ROUND_NONE, ROUND_NEAR, ROUND_ZERO, ROUND_DOWN, ROUND_UP };
/* The ordered comparisons come first. In the same order, EQU to GEU are also true for NaN. ORDER
 * alu_cmp.c */
enum cmp { CMP_NONE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE,
	   CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN, N_CMP };
enum word_op {
	OP_NONE, OP_ADD, OP_MIN, OP_MAX, OP_AND, OP_OR, OP_XOR, OP_INC, OP_DEC, OP_EXCH, OP_CAS, OP_POPC,
	OP_UP, OP_DOWN, OP_BFLY, OP_IDX, OP_ALL, OP_ANY, OP_UNI, OP_BALLOT, OP_ARRIVE,
	OP_F4E, OP_B4E, OP_RC8, OP_ECL, OP_ECR, OP_RC16,
	OP_FINITE, OP_INFINITE, OP_NUMBER, OP_NOTANUMBER, OP_NORMAL, OP_SUBNORMAL,
};
enum flag {
	F_FTZ = 1 << 0, F_SAT = 1 << 1, F_CC = 1 << 2, F_NAN = 1 << 3, F_ABS = 1 << 4, F_APPROX = 1 << 5,
	F_CLAMP = 1 << 6, F_LEFT = 1 << 7, F_SHIFTAMT = 1 << 8, F_TO = 1 << 9, F_WIDE = 1 << 10,
	F_ALIGNED = 1 << 11, F_RELU = 1 << 12,
	/* Set by operands, not by words. */
	F_NEG = 1 << 20,      /* source predicate k is negated: shifted by k, up to 4 */
	F_ADDR32 = 1 << 17,   /* the address' register has 32 bits */
	F_UNIFORM = 1 << 19,  /* the address has no register */
	F_UNIFORM2 = 1 << 26, /* the same of the second address */
};

/* off: of the lanes, in the warp's registers or, for slot 0, in the module's constants. slot:
 * index of its poison; 0: never poisoned. */
struct opnd {
	uint32_t off, slot;
};
enum { NO_SLOT = INT32_MAX };

/* Computes all 32 lanes; the caller discards the results of inactive ones. d is not one of s. */
typedef void lanes_fn(void *restrict d, const void *const *s);
typedef uint32_t mask_fn(const void *const *s);

/* Bytes of local memory copied between the .param variables of a caller and a callee. */
struct copy {
	uint32_t dst, src, size;
};

struct form;

struct insn {
	union {
		lanes_fn *lanes;
		mask_fn *mask;
		const struct copy *copies; /* n_vec of them */
		const uint32_t *table;	   /* of brx: imm2 targets */
	} fn;
	const struct form *form;
	int64_t imm; /* offset of an address, target of a jump, or count */
	int64_t imm2; /* offset of a second address */
	struct opnd o[7]; /* results first */
	struct opnd guard; /* slot NO_SLOT: none */
	uint32_t line, col;
	uint32_t flags;
	uint8_t kind, n_dst, n_src, guard_not;
	uint8_t d_size; /* of the first result's register; 0: a predicate */
	uint8_t s_size; /* of a source that may be wider than its type */
	uint8_t merge;	/* other groups of lanes may reach this instruction */
	uint8_t n_vec, space;
	bool direct;	/* no source is the result: lanes may be written in place */
};

/* The meaning of an instruction's name with its words; shared by all instructions of a module that
 * are spelled the same. */
struct form {
	const char *name; /* with its words */
	uint32_t len, hash;
	const struct row *row;
	const void *table; /* by kind: the implementation */
	struct form *next;
	uint32_t flags;
	uint8_t type[3], n_types;
	uint8_t round, cmp, space, vec, cache, scope;
	uint8_t op[2], n_ops;
};

/* Special registers that a function reads, and the registers that contain them. */
struct specials {
	struct special_use {
		uint16_t special;
		struct opnd at;
	} *use;
	uint32_t n;
};

struct func {
	struct ptx_entry entry;
	struct func *next;
	struct ptx_param *params, *results;
	uint32_t n_results;
	uint32_t start; /* its first instruction */
	uint32_t file_size, n_slots, local_size;
	struct specials specials;
	struct opnd back; /* return address, by lane */
	struct edge *edges; /* functions it calls */
	bool is_entry, has_body;
	uint8_t visit; /* used to find recursion */
};

/* A variable of .global or .const, at its address on the host. */
struct gvar {
	struct gvar *next;
	uint64_t addr, size;
	bool is_const;
};

struct ptx_module {
	struct pool *pool;
	struct arena arena;
	struct func *funcs;
	uint32_t version, sm;
	char family;
	struct buf konst; /* lanes of immediates */
	struct buf code;  /* of all functions */
	struct gvar *vars;
	struct specials specials; /* of functions that are called */
};

/* Generic addresses of shared and local memory; all others are host addresses. */
#define SHARED_WINDOW UINT64_C(0x7100000000000000)
#define LOCAL_WINDOW  UINT64_C(0x7200000000000000)
#define WINDOW_MASK   UINT64_C(0xff00000000000000)
/* Dynamic shared memory is not adjacent to static memory, so an access past the end of either is
 * found. */
#define DYNAMIC_SHARED UINT32_C(0x40000000)

/* Special registers; those before SR_clock are constant in a thread. */
enum special {
#define SPECIAL(id, name, type) SR_##id,
#include "special.def"
#undef SPECIAL
	N_SPECIALS
};

#endif
