/* Effects of instructions: class, registers read and written (including implicit ones), and
 * the counters that track completion. Used by scheduling, waitcnt insertion, hazard checks
 * and the emulator. An instruction's effect beyond its format is a row of effect.def. */
#ifndef AMDGCN_EFFECT_H
#define AMDGCN_EFFECT_H

#include "gcn.h"

enum gcn_class {
	CL_NONE, /* not in insn.def */
	CL_SALU, CL_VALU, CL_MATRIX, CL_SMEM,
	CL_VMEM,     /* buffer, global, scratch */
	CL_FLAT,     /* flat: memory or LDS, known only at run time */
	CL_DS, CL_EXPORT,
	CL_BRANCH, CL_END, CL_BARRIER, CL_MESSAGE,
	CL_WAIT,     /* waits for counters or dependencies */
	CL_HINT      /* s_nop, s_clause and similar: affects only timing */
};

/* Bits of gcn_props.flags: E(COND) and so on. */
enum gcn_effect_bit {
	/* branches */
	E_COND,         /* conditional */
	E_LINK,         /* stores the return address */
	E_INDIRECT,     /* target in a register */
	/* operands */
	E_TIED,         /* reads its destination */
	E_SWAP,         /* writes its first source too */
	E_DST_READ,     /* the destination field is only read */
	E_INDEX,        /* the third source is an index, the destination also an addend */
	E_KEEPS,        /* writes a part of the destination and keeps the rest */
	E_REL_SRC,      /* m0 is added to the number of the source */
	E_REL_DST,      /* and of the destination */
	E_ALL_LANES,    /* vector, but ignores exec */
	/* memory */
	E_LOAD, E_STORE, E_ATOMIC, E_FP_ATOMIC,
	E_LDS_DMA,      /* memory to LDS: writes no register */
	E_GDS,          /* always GDS */
	E_ADDTID,       /* m0 contains a part of the address */
	E_CACHE,        /* only writes back or invalidates */
	E_UNCOUNTED,    /* not counted in any wait counter */
	E_LGKM,         /* counted like LDS or scalar memory, but is neither */
	/* arithmetic */
	E_TRANS, E_DOT, E_XDL, E_DGEMM, E_WMMA, E_SWMMAC,
	E_MODE,         /* reads the mode although no operand is a float */
	/* used by one hazard or wait rule each */
	E_CMPX, E_DIV_FMAS, E_READ_LANE, E_LANE_SELECT, E_PERMLANE16, E_PERMLANE_SWAP, E_LANE_MASK,
	E_SHIFT64, E_FMA64, E_MAD64, E_ACC_READ, E_ACC_WRITE, E_BYTE_DST, E_PART_DST, E_VNOP, E_NOP,
	E_SETREG, E_GETREG, E_DENORM, E_MOVREL, E_SENDMSG, E_DEPCTR, E_ARRIVE,
	GCN_N_EFFECT_BIT
};
#define E(bit) (UINT64_C(1) << E_##bit)

/* Registers without a scalar register number, or with a number that depends on the
 * generation. vcc is s106 and s107, exec is s126 and s127. */
enum gcn_special { X_SCC, X_M0, X_MODE, X_FLAT_SCRATCH, X_VCC, X_EXEC, GCN_N_SPECIAL };
enum { GCN_VCC = 106, GCN_EXEC = 126 };

struct gcn_props {
	uint8_t class;         /* enum gcn_class */
	uint8_t reads, writes; /* bits of enum gcn_special */
	uint64_t flags;
};

enum gcn_file { FILE_S, FILE_V, FILE_A, FILE_X };
enum gcn_role {
	ROLE_IMPLICIT, /* not in the text */
	ROLE_DST,
	ROLE_SRC0, ROLE_SRC1, ROLE_SRC2, /* of arithmetic, in the order of the text */
	ROLE_INDEX,   /* index of a sparse matrix; scale of another */
	ROLE_MASK,    /* source with one bit per lane */
	ROLE_ADDR,    /* per lane */
	ROLE_BASE,    /* scalar base or descriptor */
	ROLE_OFFSET,  /* scalar offset */
	ROLE_DATA     /* to store */
};
/* WRITE | KEEP: some lanes or bits keep the old value. */
enum { GCN_READ = 1, GCN_WRITE = 2, GCN_KEEP = 4 };

struct gcn_range {
	uint8_t file;   /* enum gcn_file; FILE_X counts enum gcn_special from X_SCC */
	uint8_t role;   /* enum gcn_role */
	uint8_t access; /* GCN_READ, GCN_WRITE, GCN_KEEP */
	uint8_t n;
	uint16_t first;
	uint8_t half;   /* 1: lower 16 bits, 2: upper 16 bits, 3: both */
};

/* Events, named after the counters of gfx12, which count up at issue and down at completion.
 * wait.h maps events to the counters of each generation. */
enum gcn_event { EV_LOAD, EV_SAMPLE, EV_BVH, EV_STORE, EV_DS, EV_KM, EV_EXP, GCN_N_EVENT };

enum { GCN_MAX_RANGES = 20 };

struct gcn_effect {
	uint8_t class;
	uint8_t events; /* bits of enum gcn_event */
	uint8_t n_range;
	uint64_t flags;
	struct gcn_range range[GCN_MAX_RANGES];
};

/* Returns the properties that a row has in all encodings. */
struct gcn_props gcn_props_of(unsigned row);
/* Computes the effects of an instruction that is valid on the target. */
void gcn_effect_of(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_effect *out);

static inline bool
gcn_overlap(const struct gcn_range *a, const struct gcn_range *b)
{
	return a->file == b->file && a->first < b->first + b->n && b->first < a->first + a->n &&
	       (a->half & b->half);
}

#endif
