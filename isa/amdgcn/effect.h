/* What an instruction does to the machine: its class, the registers it reads and
 * writes, those that its text does not name included, and what it makes the
 * wave wait for.  Who schedules, inserts waits, checks hazards or executes asks
 * here; what a row does beyond its format is its effect, a row of effect.def. */
#ifndef AMDGCN_EFFECT_H
#define AMDGCN_EFFECT_H

#include "gcn.h"

enum gcn_class {
	CL_NONE, /* no row of insn.def has it */
	CL_SALU, CL_VALU, CL_MATRIX, CL_SMEM,
	CL_VMEM,     /* buffer, global, scratch */
	CL_FLAT,     /* flat: memory or LDS, known when it runs */
	CL_DS, CL_EXPORT,
	CL_BRANCH, CL_END, CL_BARRIER, CL_MESSAGE,
	CL_WAIT,     /* waits for counters or dependencies */
	CL_HINT      /* s_nop, s_clause and the like: no effect but on time */
};

/* Bits of gcn_props.flags: E(COND) and so on. */
enum gcn_effect_bit {
	/* branches */
	E_COND,         /* or goes on */
	E_LINK,         /* comes back behind itself */
	E_INDIRECT,     /* a register says where */
	/* operands */
	E_TIED,         /* reads what it writes */
	E_SWAP,         /* writes its first source too */
	E_DST_READ,     /* what stands in the destination's place is read only */
	E_INDEX,        /* the third source is an index, the destination is added to */
	E_KEEPS,        /* writes a part of the destination and keeps the rest */
	E_REL_SRC,      /* m0 is added to the number of the source */
	E_REL_DST,      /* and of the destination */
	E_ALL_LANES,    /* vector, but does not look at exec */
	/* memory */
	E_LOAD, E_STORE, E_ATOMIC, E_FP_ATOMIC,
	E_LDS_DMA,      /* memory to LDS: writes no register */
	E_GDS,          /* always */
	E_ADDTID,       /* m0 holds a part of the address */
	E_CACHE,        /* writes back or invalidates, nothing else */
	E_UNCOUNTED,    /* nothing waits for it */
	E_LGKM,         /* counts as LDS or scalar memory without being one */
	/* arithmetic */
	E_TRANS, E_DOT, E_XDL, E_DGEMM, E_WMMA, E_SWMMAC,
	E_MODE,         /* reads the mode although no operand is a float */
	/* known by name to a rule */
	E_CMPX, E_DIV_FMAS, E_READ_LANE, E_LANE_SELECT, E_PERMLANE16, E_PERMLANE_SWAP, E_LANE_MASK,
	E_SHIFT64, E_FMA64, E_MAD64, E_ACC_READ, E_ACC_WRITE, E_BYTE_DST, E_PART_DST, E_VNOP, E_NOP,
	E_SETREG, E_GETREG, E_DENORM, E_MOVREL, E_SENDMSG, E_DEPCTR,
	GCN_N_EFFECT_BIT
};
#define E(bit) (UINT64_C(1) << E_##bit)

/* Registers that have no number of their own among the scalar ones, or another
 * from generation to generation.  vcc is s106 and s107, exec s126 and s127. */
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
	ROLE_INDEX,   /* of sparse matrices; scales of others */
	ROLE_MASK,    /* a source that holds a bit per lane */
	ROLE_ADDR,    /* per lane */
	ROLE_BASE,    /* scalar base or descriptor */
	ROLE_OFFSET,  /* scalar offset */
	ROLE_DATA     /* to be stored */
};
/* KEEP beside WRITE: a part of the old value stays, in lanes or in bits. */
enum { GCN_READ = 1, GCN_WRITE = 2, GCN_KEEP = 4 };

struct gcn_range {
	uint8_t file;   /* enum gcn_file; FILE_X counts enum gcn_special from X_SCC */
	uint8_t role;   /* enum gcn_role */
	uint8_t access; /* GCN_READ, GCN_WRITE, GCN_KEEP */
	uint8_t n;
	uint16_t first;
	uint8_t half;   /* 1 the lower 16 bits, 2 the upper, 3 all of it */
};

/* What counts up when it is issued and down when it is done, by gfx12's names;
 * wait.h says in which counter of a generation. */
enum gcn_event { EV_LOAD, EV_SAMPLE, EV_BVH, EV_STORE, EV_DS, EV_KM, EV_EXP, GCN_N_EVENT };

enum { GCN_MAX_RANGES = 20 };

struct gcn_effect {
	uint8_t class;
	uint8_t events; /* bits of enum gcn_event */
	uint8_t n_range;
	uint64_t flags;
	struct gcn_range range[GCN_MAX_RANGES];
};

/* What the row alone tells: defaults of its format, and its effect. */
struct gcn_props gcn_props_of(unsigned row);
/* Of an instruction that decodes or encodes on the target. */
void gcn_effect_of(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_effect *out);

static inline bool
gcn_overlap(const struct gcn_range *a, const struct gcn_range *b)
{
	return a->file == b->file && a->first < b->first + b->n && b->first < a->first + a->n &&
	       (a->half & b->half);
}

#endif
