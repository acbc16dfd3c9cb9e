/* The machine that runs programs. It runs one block at a time with all threads in lockstep, so
 * barriers need no action. Cross-lane calls are computed by subgroup. Threads have their index in
 * the block; the code calls them lanes too. */
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

/* The stored elements of a shared array, and which of them have been written. */
struct shared_memory {
	uint64_t bits[MAX_SHARED_LEN];
	bool known[MAX_SHARED_LEN];
};

struct machine {
	const struct program *p;
	void *const *data;
	uint32_t size, log2_size;
	bool flush;
	bool wrong_loop; /* a continue of an inner loop continues the outer one */
	uint32_t block, n_lanes; /* n_lanes: threads of the block, rounded up to whole subgroups */
	struct mask ordinary; /* lanes without padding threads: in a grid loop, those below its
			      * count */
	struct shared_memory shared[N_SHARED];
	const char *fault;
	uint64_t steps;
};

/* program_warp.c: evaluates a warp call for the lanes of s. in[0] has the members. Returns false
 * if a lane's value is undefined. */
bool warp_value(const struct expr *x, const struct ref_subgroup *s, const struct vector *in,
		struct vector *out);

/* A running function. */
struct frame {
	const struct function *f;
	struct vector *var;
	struct vector result[MAX_VALUES];
	struct shared_memory *local; /* the function's own shared array */
};

/* Computes the values of x in the lanes of `on`; others keep their value in out. values_of: of an
 * expression with several values. */
void value_of(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	      struct vector *out);
void values_of(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	       struct vector *out);
bool value_in_range(qd_type type, uint64_t index, uint32_t len);

/* -- program_access.c: memory ------------------------------------------------------- */

/* Expressions: loads from buffers and shared arrays, atomics. */
void access_load(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
		 struct vector *out);
void access_shared_load(struct machine *m, struct frame *f, const struct expr *x,
			struct mask on, struct vector *out);
void access_atomic(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
		   struct vector *out);
void access_table(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
		  struct vector *out);
/* Statements. */
void access_wide_load(struct machine *m, struct frame *f, const struct stmt *s, struct mask on);
void access_wide_store(struct machine *m, struct frame *f, const struct stmt *s, struct mask on);
void access_store(struct machine *m, struct frame *f, const struct stmt *s, struct mask on);
void access_shared_store(struct machine *m, struct frame *f, const struct stmt *s,
			 struct mask on);
/* Each thread fills its own elements. */
void access_fill(struct machine *m, struct frame *f, const struct stmt *s, struct mask on);
/* Checks that all threads of the block reach the barrier, or all or none of each subgroup. */
void access_sync(struct machine *m, bool block, struct mask on);

/* Calls a function with args; out gets the results. */
void machine_call(struct machine *m, const struct function *fn, const struct vector *args,
		  struct mask on, struct vector *out);
/* Records a fault of the program. The first one is kept. */
void machine_fault(struct machine *m, const char *what);

#endif
