/* A launch while it runs: decoded code, waves, what is in flight, memory. */
#ifndef EMU_AMD_WAVE_H
#define EMU_AMD_WAVE_H

#include "amd.h"
#include "effect.h"
#include "sem.h"
#include "states.h"
#include "table.h"
#include "wait.h"

enum { N_SCALAR = 128, N_VECTOR = 512, MAX_LANES = 64, MAX_DATA = 16 };
#define NOWHERE UINT32_MAX
enum { SHARED_HIGH = 0x00010000, PRIVATE_HIGH = 0x00020000 }; /* of the apertures' addresses */

/* One operation of a vector instruction: of two, where it is dual. */
struct source {
	const struct gcn_view *o;
	uint64_t keep, flip; /* by modifiers: bits that stay, bits that are then inverted */
	bool tied;	     /* it is the destination */
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
	uint16_t row_y; /* of a dual instruction's second half */
	bool decoded;
	const struct sem *sem, *sem_y; /* NULL: not modelled */
	uint32_t at, next, target;     /* words, places in the list: NOWHERE for no instruction */
	struct part part[2];	       /* of vector arithmetic */
	uint8_t n_part;
};
/* What stands in a field of it; NULL: it has none. */
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
	uint32_t *place; /* per word the instruction that begins there, or NOWHERE */
	uint32_t n_rows; /* vector registers that it names, behind 256 of them the others */
	struct state_rules rules;
};

/* What completes in the order of its issue among its like; ANY_ORDER does not. */
enum order { ANY_ORDER, ORDER_LOAD, ORDER_STORE, ORDER_LDS };

/* A memory instruction between issue and the wait that covers it. */
struct flight {
	struct flight *next; /* younger */
	const struct insn *i;
	uint64_t lanes;
	uint32_t seq[GCN_N_EVENT]; /* its number in each counter that counts it */
	uint8_t counters;	   /* that have not covered it */
	uint8_t order;
	bool landed, lds, broadcast; /* broadcast: one address, scalar registers */
	uint8_t n_dst, file;
	uint16_t dst;
	uint64_t addr[64], addr2[64]; /* LDS: offsets; addr2 of instructions with two */
	uint64_t dead;		      /* lanes whose buffer access is out of range */
	uint32_t data[MAX_DATA][64];
};

struct mask_value {
	uint64_t bits, undef;
};

struct wave {
	struct block *block;
	uint32_t index, pc; /* pc: place in the list */
	uint64_t lanes;	    /* that there are */
	uint32_t s[N_SCALAR], su[N_SCALAR]; /* by their number as operands; u: undefined bits */
	uint32_t (*v)[64], (*vu)[64];
	bool scc, scc_undef, ended, waits;
	uint32_t phase; /* of the block's barrier, that it waits for the end of */
	bool signaled;
	uint32_t mode;
	uint64_t steps;
	struct count *count;
	struct flight *first, *last;
	uint32_t issued[GCN_N_EVENT]; /* per counter */
	uint8_t *scratch;	      /* of all lanes */
};

struct block {
	uint32_t index[3];
	uint32_t n_waves, n_alive, n_arrived, phase;
	uint8_t *lds, *lds_undef;
	struct wave *waves;
};

struct run {
	const struct amd_launch *l;
	const struct gcn_target *t;
	struct arena *mem;
	struct qd_error *err;
	qd_status status;
	bool over; /* the meter has ended the launch */
	uint64_t random;
	unsigned lazy; /* one of so many steps lands something before it must */
	uint32_t n_vgprs, lds_size, scratch_size;
	uint32_t n_threads;
	struct flight *spare;
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
enum { MIN_ROWS = 3 }; /* the numbers of the work item */
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
/* Checks that exec is defined wherever there is a lane, and none beyond. */
bool amd_exec_check(struct run *r, struct wave *w, const struct insn *i);

/* A scalar operand; a finding where it cannot be. */
bool amd_scalar(struct run *r, const struct wave *w, const struct insn *i,
		const struct gcn_view *o, uint64_t *v, uint64_t *undef);
void amd_set_scalar(const struct run *r, struct wave *w, unsigned reg, unsigned n, uint64_t v,
		    uint64_t undef);
/* A vector operand, or a scalar one, of a lane; halves by the instruction. */
bool amd_source(struct run *r, const struct wave *w, const struct insn *i,
		const struct gcn_view *o, unsigned lane, uint64_t *v, uint64_t *undef);
/* Whether it is registers of lanes, and not one value for all. */
static inline bool
amd_is_row(const struct gcn_view *o)
{
	return o->v >= 256 && (o->kind.bank <= BANK_VSW || o->kind.bank == BANK_VADDR ||
			       (o->kind.bank >= BANK_A && o->kind.bank <= BANK_VC));
}
/* Whether the operand is 16 bits of a register, of which one, and from which bit on. */
bool amd_is_half(const struct gcn_view *o);
unsigned amd_register_of(const struct gcn_view *o);
unsigned amd_shift_of(const struct insn *i, const struct gcn_view *o);
/* half: only 16 bits are the result; what becomes of the others the generation says. */
void amd_set_vector(const struct run *r, const struct insn *i, struct wave *w,
		    const struct gcn_view *o, unsigned lane, uint64_t v, uint64_t undef, bool half);
static inline unsigned
vector_of(unsigned v) /* place in wave.v of a view's number */
{
	return v >= GCN_ACC ? v - GCN_ACC + 256 : v - 256;
}

/* -- report.c ----------------------------------------------------------------------------- */

enum { NO_LANE = 255 };
/* Always false. */
bool amd_find(struct run *r, const struct wave *w, const struct insn *i, unsigned lane,
	      const char *fmt, ...) QD_PRINTF(5, 6);
/* Counts the instruction; a finding where it comes too early behind another. */
bool amd_states_check(struct run *r, struct wave *w, const struct insn *i);

/* -- in_flight.c: what is in flight ---------------------------------------------------------- */

bool amd_flight_check(struct run *r, struct wave *w, const struct insn *i);
struct flight *amd_flight_new(struct run *r, struct wave *w, const struct insn *i);
void amd_flight_issue(struct run *r, struct wave *w, struct flight *f);
bool amd_wait(struct run *r, struct wave *w, const struct insn *i);
bool amd_land_some(struct run *r, struct wave *w);
bool amd_land_all(struct run *r, struct wave *w); /* and completes */
void amd_flight_drop(struct run *r, struct wave *w);

/* -- What units do ------------------------------------------------------------------------ */

bool amd_salu(struct run *r, struct wave *w, const struct insn *i);
bool amd_control(struct run *r, struct wave *w, const struct insn *i); /* branches, saved masks */
void amd_valu_decode(struct insn *i); /* once, for amd_valu */
bool amd_valu(struct run *r, struct wave *w, const struct insn *i);
bool amd_packed(struct run *r, struct wave *w, const struct insn *i);
bool amd_cross(struct run *r, struct wave *w, const struct insn *i);
bool amd_vmem(struct run *r, struct wave *w, const struct insn *i);
bool amd_smem(struct run *r, struct wave *w, const struct insn *i);
bool amd_take_data(struct run *r, struct wave *w, struct flight *f, unsigned reg, unsigned n,
		   unsigned at);
bool amd_lds(struct run *r, struct wave *w, const struct insn *i);
bool amd_barrier(struct run *r, struct wave *w, const struct insn *i);
void amd_barrier_left(struct wave *w); /* the wave has ended */
/* The lane whose value this lane's first source is, by DPP; -1: none. */
int amd_dpp_lane(const struct run *r, const struct insn *i, unsigned lane, bool *known);
/* Memory at a landing: bytes of the flight of one lane. */
bool amd_land(struct run *r, struct wave *w, struct flight *f);
uint64_t amd_atomic(enum atomic_op op, unsigned bytes, uint64_t old, uint64_t data,
		    uint64_t data2, bool *ok);

#endif
