/* Mutants of an emitted image, without one of its waits, nops or writes of exec: their places,
 * their images, and proofs that they behave like the original for all data. */
#ifndef TEST_GCN_MUTANT_H
#define TEST_GCN_MUTANT_H

#include "flow.h"
#include "image.h"
#include "wait.h"

enum mutant_kind { MUTANT_WAIT, MUTANT_NOP, MUTANT_EXEC, N_MUTANT_KIND };

/* The original image, decoded. Owns its memory. */
struct mutant_code {
	const struct gcn_target *t;
	const uint8_t *image;
	size_t size, n_words;
	uint32_t *words;
	struct cfg f;
	struct mutant_cover *cover; /* per line, for waits */
	bool full;		    /* too many outstanding accesses to record */
	bool publishes;		    /* has fences, or atomics that order memory */
};
struct mutant_cover {
	uint32_t n;   /* memory instructions that the wait may complete */
	bool cache; /* one of them writes back or invalidates */
};

bool mutant_code_read(struct mutant_code *c, const struct gcn_target *t, const void *image,
		      size_t size);
void mutant_code_free(struct mutant_code *c);

/* Returns whether the line has a removable instruction, with its kind. */
bool mutant_at(const struct mutant_code *c, uint32_t line, enum mutant_kind *kind);
/* Writes the mutant to `out`, which holds c->size bytes, and returns its size, or 0 if it cannot be
 * made. A nop is cut out, so later instructions execute earlier. Others are replaced by s_nop
 * 0. */
size_t mutant_make(const struct mutant_code *c, uint32_t line, enum mutant_kind kind, uint8_t *out);

/* Results of the analysis of the code alone, over all paths. */
enum mutant_proof {
	PROOF_NONE,
	PROOF_IDLE,   /* nothing can be outstanding at the wait */
	PROOF_LATER,  /* another wait covers it before memory becomes visible to other threads */
	PROOF_DEAD,   /* exec is written again before anything reads it */
	PROOF_LANES,  /* additional active lanes have no effect (mutant_lanes.c) */
	/* For nops: no rule of the image checker requires it on any path. The generator keeps no
	 * state in these places and assumes that everything has just been issued: */
	PROOF_LABEL,  /* after a label, */
	PROOF_MASK,   /* immediately after a write of exec, in waves of 64 that read register
		       * pairs; */
	PROOF_NEEDLESS, /* elsewhere: need not be emitted */
	PROOF_ORDER,  /* not harmless: memory would be visible too early */
	N_MUTANT_PROOF
};
extern const char *const mutant_proofs[N_MUTANT_PROOF];
/* mutant_lanes.c: returns whether lanes that run in only one of the two images have no visible
 * effect. */
bool mutant_lanes_prove(const struct mutant_code *c, uint32_t line);
enum mutant_proof mutant_prove(const struct mutant_code *c, uint32_t line, enum mutant_kind kind);

#endif
