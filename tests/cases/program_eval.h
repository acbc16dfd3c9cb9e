/* The machine that runs programs: one block at a time, all its threads together, so that
 * a barrier is where they are anyway; cross-lane calls are taken subgroup by subgroup.
 * Threads are numbered as in the block, and called lanes here too. */
#ifndef QD_TESTS_PROGRAM_EVAL_H
#define QD_TESTS_PROGRAM_EVAL_H

#include "program.h"

#define FOR_LANES(m, l, on)                                                                        \
	for (uint32_t l = 0; l < (m)->n_lanes; l++)                                                \
		if (mask_has(on, l))

struct mask {
	uint64_t w[2];
};
static inline bool
mask_has(struct mask m, uint32_t lane)
{
	return m.w[lane / 64] >> lane % 64 & 1;
}
static inline void
mask_put(struct mask *m, uint32_t lane, bool on)
{
	uint64_t bit = UINT64_C(1) << lane % 64;

	m->w[lane / 64] = on ? m->w[lane / 64] | bit : m->w[lane / 64] & ~bit;
}
static inline bool
mask_any(struct mask m)
{
	return m.w[0] || m.w[1];
}
static inline struct mask
mask_and(struct mask a, struct mask b)
{
	return (struct mask){ { a.w[0] & b.w[0], a.w[1] & b.w[1] } };
}
static inline struct mask
mask_or(struct mask a, struct mask b)
{
	return (struct mask){ { a.w[0] | b.w[0], a.w[1] | b.w[1] } };
}
static inline struct mask
mask_less(struct mask a, struct mask b)
{
	return (struct mask){ { a.w[0] & ~b.w[0], a.w[1] & ~b.w[1] } };
}

/* A value in every lane, as bits. */
struct vector {
	uint64_t lane[REF_MAX_LANES];
};

/* A shared array's elements as they are kept, and which of them hold something. */
struct shared_memory {
	uint64_t bits[MAX_SHARED_LEN];
	bool known[MAX_SHARED_LEN];
};

struct machine {
	const struct program *p;
	void *const *data;
	uint32_t size, log2_size;
	bool flush;
	bool wrong_loop; /* who continues an inner loop goes on with the one around it */
	uint32_t block, n_lanes; /* the block, rounded up to whole subgroups */
	struct mask present; /* lanes that exist here: in a grid loop, below its count */
	struct shared_memory shared[N_SHARED];
	const char *fault;
	uint64_t steps;
};

/* program_warp.c: a call of warps on the lanes of s that are there, in[0] the members.  False:
 * some lane's value is not defined. */
bool warp_value(const struct expr *x, const struct ref_subgroup *s, const struct vector *in,
		struct vector *out);

/* A function while it runs. */
struct frame {
	const struct function *f;
	struct vector *var;
	struct vector result[MAX_VALUES];
	struct shared_memory *local; /* its own shared array */
};

/* The values of x in the lanes that are on; the others keep what out has.  _all:
 * of an expression of several values. */
void value_of(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	      struct vector *out);
void values_of(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	       struct vector *out);
bool value_in_range(qd_type type, uint64_t index, uint32_t len);

/* -- program_access.c: memory ------------------------------------------------------- */

/* Of expressions: loads from buffers and shared arrays, atomics. */
void access_load(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
		 struct vector *out);
void access_shared_load(struct machine *m, struct frame *f, const struct expr *x,
			struct mask on, struct vector *out);
void access_atomic(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
		   struct vector *out);
/* Of statements. */
void access_store(struct machine *m, struct frame *f, const struct stmt *s, struct mask on);
void access_shared_store(struct machine *m, struct frame *f, const struct stmt *s,
			 struct mask on);
/* Each thread fills its own elements. */
void access_fill(struct machine *m, struct frame *f, const struct stmt *s, struct mask on);
/* All threads of the block, or of each subgroup of which some come, must come. */
void access_sync(struct machine *m, bool block, struct mask on);

/* Calls a function: args and then results. */
void machine_call(struct machine *m, const struct function *fn, const struct vector *args,
		  struct mask on, struct vector *out);
/* A fault of the program; the first one stays. */
void machine_fault(struct machine *m, const char *what);

#endif
