/* A kernel on the wave emulator with generated data and its own code or a replacement. */
#ifndef TEST_GCN_MUTANT_RUN_H
#define TEST_GCN_MUTANT_RUN_H

#include "jit.h"

enum { MUTANT_DATA = 10, MUTANT_SEEDS = 2, MUTANT_MAX_PARAMS = 16, MUTANT_LITTLE = 3 };

struct mutant_device {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
};
/* Opens a device that runs images of this target. Prints a message on failure. */
bool mutant_device_open(struct mutant_device *d, const char *target);
void mutant_device_close(struct mutant_device *d);

struct mutant_rig {
	struct mutant_device *d;
	struct qd_function *fn;
	struct qd_buffer *buffer[MUTANT_MAX_PARAMS];
	struct qd_buffer *little[MUTANT_LITTLE][MUTANT_MAX_PARAMS]; /* few elements or none */
	struct qd_arg arg[MUTANT_MAX_PARAMS];
	uint32_t n_params, n;
	uint32_t len[MUTANT_MAX_PARAMS]; /* elements: n in the first, then increasing */
	size_t size;	      /* bytes of all buffers */
	uint8_t *first, *now; /* contents before a run and after it */
	struct {
		uint8_t *out, *differs; /* expected contents; the bits that vary between runs */
		uint64_t stored; /* checksum of the addresses of stores */
		bool any_stored; /* `stored` varies between runs */
		bool skip;	 /* the kernel cannot run with these data */
	} want[MUTANT_DATA];
};
/* END_STORES: the lanes that store differ, but not the contents. */
enum mutant_end { END_SAME, END_FOUND, END_DIFFERS, END_STORES, END_FAILED };

bool mutant_rig_open(struct mutant_rig *r, struct mutant_device *d, const struct qd_kernel *k,
		     const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t n);
void mutant_rig_close(struct mutant_rig *r);
const struct qd_image *mutant_rig_image(const struct mutant_rig *r);
/* Runs the original code on all data with several execution orders and records the results.
 * Returns false with the error on failure. */
bool mutant_rig_record(struct mutant_rig *r, struct qd_error *e);
/* Runs the code with that many execution orders per data set, up to the first finding or
 * difference. */
enum mutant_end mutant_rig_try(struct mutant_rig *r, const void *image, size_t size, unsigned n_seeds);

#endif
