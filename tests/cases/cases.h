/* The conformance cases: rows of tables, run on one device and compared bit for
 * bit with plain C (tests/ref). Three programs loop over them: tests/run, the
 * Criterion driver, and qd-conform. The cases use the public header only. */
#ifndef QD_TESTS_CASES_H
#define QD_TESTS_CASES_H

#include <stdio.h>

#include "qd.h"
#include "ref.h"

struct suite;

/* Hooks for a run that tests the compilation of the kernels but not their results. */
struct suite_watch {
	/* Called before a kernel is compiled. Returns false to skip the kernel. */
	bool (*begin)(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n_tmpl);
	/* Called after the launch, or if begin returned false. The family then reports a failure
	 * with the text of err, so suite.print receives the family's name for the kernel. */
	void (*end)(struct suite *t, bool begun, qd_status st, struct qd_error *err);
	void *user;
};

/* Cases excluded by a pattern, and the number of their cells. */
struct left_out {
	const char *glob; /* of "FAMILY/CASE" */
	const char *reason;
	uint64_t cells;
};

/* The device under test, and the results on it. */
struct suite {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_device_info info;
	char selector[64];
	uint32_t size, log2_size; /* of the subgroup */
	bool flush;	/* the driver flushes f32 subnormals in arithmetic */
	bool may_flush; /* only some operations flush: cells with subnormals may be skipped */
	bool inexact_root; /* square roots of f32 are not rounded correctly, as Vulkan allows */
	bool has_f64, has_small; /* 64-bit floats; 8- and 16-bit elements */
	bool inject;	/* flip one bit of one lane of the next result compared */
	bool injected;
	bool inject_loop; /* compare random programs with the results of a wrong loop */
	uint32_t n_launches; /* some pass slices that violate a launch fact */
	bool aligned;	     /* buffers begin at multiples of 16 bytes */
	uint64_t n_programs; /* random programs in a family; 0: the default number */
	bool checks;	/* the device reports errors of a kernel */
	bool wrong;	/* a failure outside the cells */
	bool verbose;
	bool some; /* run a third of the block sizes for each type of a row with ROW_SOME,
		      and at most one with ROW_FEW */
	uint64_t seed;
	uint64_t passed, failed, skipped;
	char skip_reasons[512];
	void (*print)(const char *line); /* receives failures; NULL: they go to stdout */
	const struct suite_watch *watch; /* NULL: results are compared */
	/* Called before each kernel, with a description ("reduce_add f32 block=64"), or with NULL
	 * if only the family can describe it. May be NULL. */
	void (*begins)(const char *cells);
	struct left_out *left_out;
	uint32_t n_left_out;
	const char *const *also; /* further targets to compile every kernel for */
	uint32_t n_also;
};

/* A subgroup of a block: the input of `want`. */
struct lanes {
	struct ref_subgroup s;
	const uint64_t *w;	/* second operand */
	const uint32_t *idx;	/* u32 operand, varying */
	uint32_t uniform;	/* u32 operand, one per block */
	uint32_t first;		/* index in the block of lane 0 */
	uint32_t block_dim, block_idx;
	uint32_t block_n;	/* threads of the block without padding; s.v - first are its values */
};

/* Input of `build`. */
struct operands {
	const struct suite *t;
	qd_type type;
	struct qd_val v, w, idx, uniform;
	uint32_t block_dim;
};

/* Flags in a block size: the body of the kernel is a grid loop with padding threads. The
 * count of the loop is less than the number of elements in its buffers. With BLOCK_SHORT
 * the count is a constant. With BLOCK_LEN it is the length of the first operand's buffer,
 * which then has no further elements. */
enum { BLOCK_SHORT = 0x8000, BLOCK_LEN = 0x4000, BLOCK_SIZE = 0x3fff };

enum {
	ROW_ANY_NAN = 1, /* arithmetic: any NaN matches any other */
	ROW_SOME = 2,	 /* one of many similar rows: suite.some runs a third of it */
	ROW_WARP = 4,	 /* on warps: the kernel also accepts narrower subgroups */
	ROW_FEW = 8,	 /* suite.some runs one of 24 kernels */
	ROW_SLOW = 16	 /* Vulkan drivers on the CPU compile blocks above 256 threads for up to 40 s: suite.some omits them */
};

struct row {
	const char *name;
	uint32_t types;	  /* bit (1 << QD_TYPE_*) */
	qd_type result;   /* NONE: the operand's */
	uint32_t flags;
	const uint16_t *blocks; /* block sizes with BLOCK_* flags, terminated by 0 */
	/* Returns the number of variants of this row. They share a kernel; label
	 * writes the name of a variant. */
	uint32_t (*n_variants)(const struct suite *t, qd_type type);
	void (*label)(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size);
	struct qd_val (*build)(struct qd_builder *b, const struct operands *o, uint32_t variant);
	void (*want)(const struct suite *t, const struct lanes *in, uint32_t variant,
		     uint64_t *out, bool *defined);
	/* Returns the error in ulps up to which a wrong result is a skip; NULL: 0. */
	uint32_t (*ulps)(const struct suite *t, qd_type type, uint32_t variant);
	/* Returns the result type of a variant; NULL: `result` decides. */
	qd_type (*result_of)(qd_type type, uint32_t variant);
};

struct family {
	const char *name;
	const struct row *rows;
	uint32_t n_rows;
	/* Cells that do not come from rows; may be NULL. */
	void (*run)(struct suite *t, const struct family *f);
	uint64_t (*count)(const struct suite *t, const struct family *f);
};

extern const struct family *const families[];
extern const uint32_t n_families;

extern const uint16_t blocks_all[], blocks_one[], blocks_large[];

/* Opens the device that selector names; NULL selects the default device. */
qd_status suite_start(struct suite *t, struct qd_context *ctx, const char *selector,
		      struct qd_error *err);
/* Starts the suite on an open device and takes ownership of it, also if the call fails. */
qd_status suite_start_on(struct suite *t, struct qd_context *ctx, struct qd_device *dev,
			 const char *selector, struct qd_error *err);
/* Calls suite_start. On failure prints the error and returns false. */
bool suite_open(struct suite *t, struct qd_context *ctx, const char *selector);
void suite_close(struct suite *t);
/* Returns the number of cells of a family on this device, computed from the tables. */
uint64_t suite_count(const struct suite *t, const struct family *f);
void suite_run(struct suite *t, const struct family *f);
/* Prints the constructs that the random programs of a family contain; for other families,
 * prints nothing. If there are enough programs, every construct must occur, and so must every
 * operation of the printed IR that ops names. */
void suite_census(struct suite *t, const struct family *f, const char *const *ops, uint32_t n_ops);

void suite_fail(struct suite *t, uint64_t cells, const char *fmt, ...);
void suite_skip(struct suite *t, uint64_t cells, const char *reason);
/* Skips the cells and returns true if left_out excludes the case. */
bool suite_leaves_out(struct suite *t, uint64_t cells, const char *family, const char *name);

/* -- pattern.c -- */
enum { N_PATTERN = 7 };
const char *pattern_name(uint32_t pattern);
uint64_t pattern_value(qd_type type, uint32_t pattern, uint64_t *rng);
uint64_t random_u64(uint64_t *rng);

/* -- harness.c: one launch ------------------------------------------------------- */

/* Skips the cells and returns true if the error is E0404: emulated subgroups converge only
 * where the whole block does, so the device rejects some kernels. */
bool suite_skips_apart(struct suite *t, uint64_t cells, const char *error);
bool suite_skips_kernel(struct suite *t, uint64_t cells, const struct qd_kernel *k);
/* Returns the reason why this device skips the type, or NULL. */
const char *skip_reason(const struct suite *t, qd_type type);
size_t element_size(qd_type type);
uint64_t element_get(const void *p, qd_type type, size_t i);
void element_put(void *p, qd_type type, size_t i, uint64_t bits);
/* Returns true if the bits are equal, or if any_nan is set and both values are NaNs. */
bool same_value(qd_type type, uint64_t got, uint64_t want, bool any_nan);

/* An argument in host memory. run_kernel uploads it before the launch and downloads it after. */
struct host_buffer {
	void *data;
	size_t size; /* 0: data points to the struct qd_arg of a scalar */
};
qd_status run_kernel(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl,
		     uint32_t n_tmpl, uint32_t n_blocks, const struct host_buffer *bufs,
		     uint32_t n_bufs, struct qd_error *err);

#endif
