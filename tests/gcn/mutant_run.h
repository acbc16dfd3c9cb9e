/* A kernel on the wave emulator with data that are made for it, its code as it is or another in
 * its place. */
#ifndef TEST_GCN_MUTANT_RUN_H
#define TEST_GCN_MUTANT_RUN_H

#include "jit.h"

enum { MUTANT_DATA = 10, MUTANT_SEEDS = 2, MUTANT_MAX_PARAMS = 16, MUTANT_LITTLE = 3 };

struct mutant_device {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
};
/* A device that runs images of this target; says what is wrong. */
bool mutant_device_open(struct mutant_device *d, const char *target);
void mutant_device_close(struct mutant_device *d);

struct mutant_rig {
	struct mutant_device *d;
	struct qd_function *fn;
	struct qd_buffer *buffer[MUTANT_MAX_PARAMS];
	struct qd_buffer *little[MUTANT_LITTLE][MUTANT_MAX_PARAMS]; /* few elements of it, or none */
	struct qd_arg arg[MUTANT_MAX_PARAMS];
	uint32_t n_params, n;
	uint32_t len[MUTANT_MAX_PARAMS]; /* elements: n of the first buffer, more of each other */
	size_t size;	      /* bytes of all buffers */
	uint8_t *first, *now; /* what stands in them before a run, and behind it */
	struct {
		uint8_t *out, *differs; /* what came out of the code as it is; the bits that are by chance */
		uint64_t stored; /* a sum over the places that are stored to */
		bool any_stored; /* which is by chance */
		bool skip;	 /* the kernel wants more than it is given */
	} want[MUTANT_DATA];
};
/* END_STORES: other lanes or more of them store, though nothing else comes out by it. */
enum mutant_end { END_SAME, END_FOUND, END_DIFFERS, END_STORES, END_FAILED };

bool mutant_rig_open(struct mutant_rig *r, struct mutant_device *d, const struct qd_kernel *k,
		     const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t n);
void mutant_rig_close(struct mutant_rig *r);
const struct qd_image *mutant_rig_image(const struct mutant_rig *r);
/* Runs it as it is on all data, with other orders of all things, and keeps what comes out;
 * false, and what was found. */
bool mutant_rig_learn(struct mutant_rig *r, struct qd_error *e);
/* This code in its place with so many orders of all things, until something is found or differs. */
enum mutant_end mutant_rig_try(struct mutant_rig *r, const void *image, size_t size, unsigned n_seeds);

#endif
