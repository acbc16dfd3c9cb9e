/* State of a launch: decoded code, waves, operations in flight, memory. */
#ifndef EMU_AMD_WAVE_H
#define EMU_AMD_WAVE_H

#include "amd.h"
#include "effect.h"
#include "profile.h"
#include "sem.h"
#include "states.h"
#include "table.h"
#include "counter.h"

enum { N_SCALAR = 128, N_VECTOR = 512, MAX_LANES = 64, MAX_DATA = 16 };
#define NOWHERE UINT32_MAX
enum { SHARED_HIGH = 0x00010000, PRIVATE_HIGH = 0x00020000 }; /* upper halves of addresses */

/* A source, and an operation of a vector instruction; a dual instruction has two operations. */
struct source {
	const struct gcn_view *o;
	uint64_t keep, flip; /* modifiers: bits to keep, then bits to invert */
	bool tied;	     /* the source is the destination */
};
struct part {
	const struct sem *sem;
	const struct gcn_view *dst, *mask_out, *mask_in;
	struct source src[3];
	unsigned n_src;
	bool tied, wants_mask, floats;
};

struct insn {
	struct gcn_insn in;
	struct gcn_effect fx;
	struct gcn_view view[GCN_MAX_VIEWS];
	struct state_bits is; /* for the rules of states.def */
	uint8_t n_view;
	uint16_t row_y; /* second half of a dual instruction */
	bool decoded;
	bool relative;	 /* m0 is added to register numbers */
	bool odd_select; /* op_sel selects a half that is not modeled */
	bool keeps_half; /* a 16-bit result keeps the other half of its register */
	const struct sem *sem, *sem_y; /* NULL: not modeled */
	uint32_t at, next, target;     /* word, list indices; NOWHERE: no instruction */
	struct part part[2];	       /* of vector arithmetic */
	uint8_t n_part;
};
/* Returns the operand in this field; NULL if there is none. */
static inline const struct gcn_view *
view_of(const struct insn *i, unsigned field)
{
	for (unsigned k = 0; k < i->n_view; k++)
		if (i->view[k].field == field)
			return &i->view[k];
	return NULL;
}

struct amd_code {
	struct pool *pool;
	const struct gcn_target *target;
	struct insn *insns;
	uint32_t n_insns, n_words;
	uint32_t *place; /* by word: index of the instruction that begins there, or NOWHERE */
	uint32_t n_rows; /* vector registers used; accumulation registers begin at 256 */
	struct state_rules rules;
};

/* Operations of one order complete in the order of issue; those of ANY_ORDER do not. */
enum order { ANY_ORDER, ORDER_LOAD, ORDER_STORE, ORDER_LDS };

/* A memory instruction between issue and the wait that covers it. */
struct pending {
	struct pending *next; /* issued later */
	const struct insn *i;
	uint64_t lanes;
	uint32_t seq[GCN_N_EVENT]; /* its number in each counter that includes it */
	uint8_t counters;	   /* bits of the counters that do not cover it yet */
	uint8_t order;
	bool completed, lds, broadcast; /* broadcast: one address, scalar result */
	uint8_t n_dst, file;
	uint16_t dst;
	uint64_t addr[64], addr2[64]; /* in LDS: offsets; addr2: second address, if any */
	uint64_t dead;		      /* lanes whose buffer access is out of range */
	uint32_t data[MAX_DATA][64];
	struct profile_reg result; /* only if the launch is profiled */
};

struct mask_value {
	uint64_t bits, undef;
};

struct wave {
	struct block *block;
	uint32_t index, pc; /* pc: index in the list of instructions */
	uint64_t lanes;	    /* lanes that contain threads */
	uint32_t s[N_SCALAR], su[N_SCALAR]; /* by operand number; u: undefined bits */
	uint32_t (*v)[64], (*vu)[64];
	bool scc, scc_undef, ended, waits;
	uint32_t phase; /* of the barrier, at arrival */
	bool signaled;
	uint32_t mode;
	bool by_index; /* gfx9: m0 is added to the VGPR numbers that it selects */
	uint64_t steps;
	struct count *count;
	struct pending *first, *last;
	uint32_t issued[GCN_N_EVENT]; /* by counter */
	uint8_t *scratch;	      /* of all lanes */
	uint32_t scratch_at;	      /* offset of its scratch in that of all waves */
	uint32_t scratch_addr[2], scratch_undef[2]; /* gfx10: hardware registers with the address */
	struct profile_wave *profile; /* NULL: not profiled */
};

struct block {
	uint32_t index[3];
	uint32_t n_waves, n_alive, n_arrived, phase;
	uint8_t *lds, *lds_undef;
	struct wave *waves;
	struct profile_barrier barrier[2]; /* by the phase's lowest bit */
};

struct run {
	const struct amd_launch *l;
	const struct gcn_target *t;
	struct arena *mem;
	struct qd_error *err;
	qd_status status;
	bool over; /* the meter has ended the launch */
	uint64_t random;
	unsigned lazy; /* one in this many steps completes an operation early */
	uint32_t n_vgprs, lds_size, scratch_size;
	uint32_t n_threads;
	struct pending *spare;
	struct amd_range kernarg;
	uint8_t packet[64]; /* the dispatch packet */
	struct amd_range packet_range;
};

static inline uint64_t
amd_random(struct run *r)
{
	r->random = r->random * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = r->random ^ r->random >> 33;

	return (x * 0xff51afd7ed558ccdu) >> 17;
}

/* -- wave.c: initial state, registers --------------------------------------------------- */

qd_status amd_wave_limits(struct run *r);
enum { MIN_ROWS = 3 }; /* the indices of the work item */
void amd_wave_init(struct run *r, struct wave *w);
static inline unsigned
wave_size(const struct run *r)
{
	return r->t->wave;
}
static inline uint64_t
all_lanes(const struct run *r)
{
	return r->t->wave == 64 ? UINT64_MAX : UINT32_MAX;
}
struct mask_value amd_mask(const struct run *r, const struct wave *w, unsigned reg);
void amd_set_mask(const struct run *r, struct wave *w, unsigned reg, struct mask_value m);
static inline uint64_t
exec_of(const struct run *r, const struct wave *w)
{
	return w->s[GCN_EXEC] | (r->t->wave == 64 ? (uint64_t)w->s[GCN_EXEC + 1] << 32 : 0);
}
/* Checks that the kernel has initialized the address of scratch, if the hardware does not. */
bool amd_scratch_check(struct run *r, struct wave *w, const struct insn *i);
/* Checks that exec is defined. */
bool amd_exec_check(struct run *r, struct wave *w, const struct insn *i);

/* Reads a scalar operand; an unsupported one is a finding. */
bool amd_scalar(struct run *r, const struct wave *w, const struct insn *i,
		const struct gcn_view *o, uint64_t *v, uint64_t *undef);
void amd_set_scalar(const struct run *r, struct wave *w, unsigned reg, unsigned n, uint64_t v,
		    uint64_t undef);
/* Reads a lane's value of a vector or scalar operand; a half according to the instruction. */
bool amd_source(struct run *r, const struct wave *w, const struct insn *i,
		const struct gcn_view *o, unsigned lane, uint64_t *v, uint64_t *undef);
/* Returns whether the operand is a vector register, not one value for all lanes. */
static inline bool
amd_is_row(const struct gcn_view *o)
{
	return o->v >= 256 && (o->kind.bank <= BANK_VSL || o->kind.bank == BANK_VADDR ||
			       (o->kind.bank >= BANK_A && o->kind.bank <= BANK_VC));
}
/* Return whether the operand is 16 bits of a register, its register, and its lowest bit. */
bool amd_is_half(const struct gcn_view *o);
unsigned amd_register_of(const struct gcn_view *o);
unsigned amd_shift_of(const struct insn *i, const struct gcn_view *o);
/* half: the result has 16 bits; the generation determines the other bits. */
void amd_set_vector(const struct run *r, const struct insn *i, struct wave *w,
		    const struct gcn_view *o, unsigned lane, uint64_t v, uint64_t undef, bool half);
static inline unsigned
vector_of(unsigned v) /* index in wave.v of a view's number */
{
	return v >= GCN_ACC ? v - GCN_ACC + 256 : v - 256;
}

/* -- report.c ----------------------------------------------------------------------------- */

enum { NO_LANE = 255 };
/* Reports a finding; returns false. */
bool amd_find(struct run *r, const struct wave *w, const struct insn *i, unsigned lane,
	      const char *fmt, ...) QD_PRINTF(5, 6);
/* Counts the instruction; a finding if it follows an earlier one too soon. */
bool amd_states_check(struct run *r, struct wave *w, const struct insn *i);

/* -- in_flight.c ----------------------------------------------------------------------------- */

bool amd_pending_check(struct run *r, struct wave *w, const struct insn *i);
struct pending *amd_pending_new(struct run *r, struct wave *w, const struct insn *i);
void amd_pending_issue(struct run *r, struct wave *w, struct pending *f);
bool amd_wait(struct run *r, struct wave *w, const struct insn *i);
bool amd_complete_some(struct run *r, struct wave *w);
bool amd_complete_all(struct run *r, struct wave *w); /* all operations, and completes them */
void amd_pending_drop(struct run *r, struct wave *w);

/* -- Units -------------------------------------------------------------------------------- */

bool amd_salu(struct run *r, struct wave *w, const struct insn *i);
bool amd_setreg(struct run *r, struct wave *w, const struct insn *i);
bool amd_control(struct run *r, struct wave *w, const struct insn *i); /* branches, saved masks */
void amd_valu_decode(const struct gcn_target *t, struct insn *i); /* called once, before amd_valu */
/* Sets the float mode and the modifiers of the result, and clears the rest. */
void amd_op_modes(struct op *o, const struct run *r, const struct wave *w, const struct insn *i);
bool amd_valu(struct run *r, struct wave *w, const struct insn *i);
bool amd_pseudo_scalar(struct run *r, struct wave *w, const struct insn *i);
bool amd_packed(struct run *r, struct wave *w, const struct insn *i);
bool amd_mix(struct run *r, struct wave *w, const struct insn *i);
/* Returns the instruction with the register numbers that m0 makes of its own, in *at; NULL after a
 * finding. */
const struct insn *amd_indexed(struct run *r, const struct wave *w, const struct insn *i, struct insn *at);
bool amd_set_index(struct run *r, struct wave *w, const struct insn *i); /* s_set_gpr_idx_* */
bool amd_cross(struct run *r, struct wave *w, const struct insn *i);
bool amd_vmem(struct run *r, struct wave *w, const struct insn *i);
bool amd_smem(struct run *r, struct wave *w, const struct insn *i);
bool amd_take_data(struct run *r, struct wave *w, struct pending *f, unsigned reg, unsigned n,
		   unsigned at);
bool amd_lds(struct run *r, struct wave *w, const struct insn *i);
bool amd_barrier(struct run *r, struct wave *w, const struct insn *i);
void amd_barrier_left(struct wave *w); /* when the wave ends */
/* Returns the lane that DPP reads for this lane's first source; -1: none. */
int amd_dpp_lane(const struct run *r, const struct insn *i, unsigned lane, bool *known);
/* Performs the memory accesses of a pending operation. */
bool amd_complete(struct run *r, struct wave *w, struct pending *f);
uint64_t amd_atomic(enum atomic_op op, unsigned bytes, uint64_t old, uint64_t data,
		    uint64_t data2, bool *ok);

#endif
