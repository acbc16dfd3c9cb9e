/* Test fixture of expansions: test machines, and a kernel in several forms that run on copies of
 * the same memory. */
#ifndef T_PRIM_H
#define T_PRIM_H

#include "unit.h"

#include "build.h"
#include "lanes.h"

/* Test machines, from one with every operation to one with almost none. */
extern const unsigned n_prim_machines;
struct machine prim_machine(unsigned i, uint32_t log2_size);
bool prim_chosen(unsigned machine, uint32_t log2_size, qd_type type);

/* Forms of the kernel: specialized, after legalize, after all passes. */
enum { MEANT, LEGAL, WHOLE, N_FORM, ELEMENTS = 512 };

struct kit {
	struct unit_ctx *t;
	const struct machine *m;
	struct qd_context *ctx;
	struct qd_builder *b;
	struct qd_kernel *k;
	struct arena mem;
	struct qd_error err;
	struct pass_ctx p;
	struct ir form[N_FORM];
	struct lanes x;
	uint64_t *memory; /* [form][param][element] */
	const char *what; /* for messages */
	bool same_nans;	  /* NaNs must match bit for bit */
	struct unit_rng rng;
};

/* Opens a builder for a kernel on that machine, with this block size. */
struct qd_builder *kit_open(struct kit *k, struct unit_ctx *t, const struct machine *m,
			    uint32_t block);
void kit_close(struct kit *k);
/* Compiles the forms. A status other than QD_OK is that of legalize; other errors fail the test. */
qd_status kit_compile(struct kit *k);
/* Compiles, which must succeed, and allocates memory. */
bool kit_ready(struct kit *k);
uint64_t *kit_element(struct kit *k, int form, uint32_t param);
/* Runs every form from the memory of MEANT and compares all of it. */
void kit_compare(struct kit *k);
void kit_fill(struct kit *k, uint32_t param);
/* Compiles, then fills the first n_in buffers and compares, for this number of rounds. */
void kit_check(struct kit *k, const char *what, uint32_t n_in, uint32_t rounds);

uint64_t kit_value(struct unit_rng *r, qd_type type); /* often a special value */
bool kit_has_type(const struct machine *m, qd_type t);
struct qd_val kit_thread(struct qd_builder *b);
/* kit_in returns the thread's element of a new buffer. kit_result stores v in a new buffer, a bool
 * as 0 or 1. */
struct qd_val kit_in(struct qd_builder *b, const char *name, qd_type t);
void kit_result(struct qd_builder *b, struct qd_val v);

/* t_prim_approx.c, t_prim_lane.c, t_prim_nvvm.c, t_prim_loop.c */
void prim_approximations(struct unit_ctx *t);
void prim_shuffles(struct unit_ctx *t);
void prim_votes(struct unit_ctx *t);
void prim_reductions(struct unit_ctx *t);
void prim_segments(struct unit_ctx *t);
void prim_sorts(struct unit_ctx *t);
void prim_matches(struct unit_ctx *t);
void prim_warp_votes(struct unit_ctx *t);
void prim_warp_shuffles(struct unit_ctx *t);
void prim_redux(struct unit_ctx *t);
void prim_operators(struct unit_ctx *t);
void prim_loops(struct unit_ctx *t);
void prim_loops_kept(struct unit_ctx *t);
void prim_loops_many_exits(struct unit_ctx *t);
void prim_loops_endless(struct unit_ctx *t);

#endif
