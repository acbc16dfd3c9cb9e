/* An emitted image without one of its waits, nops or writes of exec: which there are, what the
 * image is then, and whether it does the same whatever its data are. */
#ifndef TEST_GCN_MUTANT_H
#define TEST_GCN_MUTANT_H

#include "flow.h"
#include "image.h"
#include "wait.h"

enum mutant_kind { MUTANT_WAIT, MUTANT_NOP, MUTANT_EXEC, N_MUTANT_KIND };

/* What an image does as it is.  Memory is its own. */
struct mutant_code {
	const struct gcn_target *t;
	const uint8_t *image;
	size_t size, n_words;
	uint32_t *words;
	struct cfg f;
	struct mutant_cover *cover; /* per line, of waits */
	bool full;		    /* more is outstanding somewhere than can be noted */
	bool publishes;		    /* fences, or atomics that order memory */
};
struct mutant_cover {
	uint32_t n;   /* memory instructions that it may complete */
	bool cache; /* one of them writes back or invalidates */
};

bool mutant_code_read(struct mutant_code *c, const struct gcn_target *t, const void *image,
		      size_t size);
void mutant_code_free(struct mutant_code *c);

/* Whether something is to be left out at the line. */
bool mutant_at(const struct mutant_code *c, uint32_t line, enum mutant_kind *kind);
/* The image without it, which may be shorter, into room for c->size; 0: it cannot be made.
 * A nop is cut out, so that what is behind it comes sooner; another is replaced by s_nop 0. */
size_t mutant_make(const struct mutant_code *c, uint32_t line, enum mutant_kind kind, uint8_t *out);

/* What is known of it from the code alone, over all ways. */
enum mutant_proof {
	PROOF_NONE,
	PROOF_IDLE,   /* nothing can be outstanding at the wait */
	PROOF_LATER,  /* another wait covers it before memory is told to or read by others */
	PROOF_DEAD,   /* exec is written again before anything reads it */
	PROOF_LANES,  /* what other lanes run by it is nobody's (mutant_lanes.c) */
	/* Of nops: no rule of the judge's asks for it on any way.  Where the generator keeps no
	 * account and takes everything for just done: */
	PROOF_LABEL,  /* behind a label, */
	PROOF_MASK,   /* right behind a write of exec, where waves of 64 read pairs of registers; */
	PROOF_NEEDLESS, /* and elsewhere: one that need not be emitted */
	PROOF_ORDER,  /* not harmless: others would see memory too soon */
	N_MUTANT_PROOF
};
extern const char *const mutant_proofs[N_MUTANT_PROOF];
/* mutant_lanes.c: lanes that run in one of the two images alone store nothing and tell nobody. */
bool mutant_lanes_prove(const struct mutant_code *c, uint32_t line);
enum mutant_proof mutant_prove(const struct mutant_code *c, uint32_t line, enum mutant_kind kind);

#endif
