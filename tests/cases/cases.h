/* The conformance cases: rows of tables, run on one device and compared bit for
 * bit with plain C (tests/ref).  Three programs loop over them: tests/run, the
 * Criterion driver, qd-conform.  Public header only. */
#ifndef QD_TESTS_CASES_H
#define QD_TESTS_CASES_H

#include <stdio.h>

#include "qd.h"
#include "ref.h"

struct suite;

/* Follows the kernels of a suite if their compilation is tested, and not their results. */
struct suite_watch {
	/* Called before a kernel is compiled.  Returns false to leave it out. */
	bool (*begin)(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n_tmpl);
	/* Called after the launch, or if the kernel was left out.  The family then reports a failure
	 * with err's text, so that suite.print gets the family's name of the kernel. */
	void (*end)(struct suite *t, bool begun, qd_status st, struct qd_error *err);
	void *user;
};

/* Cases that are not run, and the cells that this spares. */
struct left_out {
	const char *glob; /* of "FAMILY/CASE" */
	const char *reason;
	uint64_t cells;
};

/* One device under test, and what was found on it. */
struct suite {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_device_info info;
	char selector[64];
	uint32_t size, log2_size; /* of the subgroup */
	bool flush;	/* the driver flushes f32 subnormals in arithmetic */
	bool may_flush; /* in some operations only: a cell that needs either is a skip */
	bool inexact_root; /* square roots of f32 are not rounded correctly, as Vulkan allows */
	bool has_f64, has_small; /* 64-bit floats; 8- and 16-bit elements */
	bool plant;	/* flip one bit of one lane of the next result compared */
	bool planted;
	bool plant_loop; /* random programs are compared with what a wrong loop makes */
	uint64_t n_programs; /* random ones in a family; 0: as many as every day */
	bool checks;	/* the device reports what a kernel does wrong */
	bool wrong;	/* something failed that is no cell */
	bool verbose;
	bool some; /* of rows with ROW_SOME a third of the block sizes for each type, with
		      ROW_FEW one, or none */
	uint64_t seed;
	uint64_t passed, failed, skipped;
	char skip_reasons[512];
	void (*print)(const char *line); /* where failures go; NULL: stdout */
	const struct suite_watch *watch; /* NULL: results are compared */
	/* Called before each kernel, with what it is of ("reduce_add f32 block=64"), or NULL
	 * where the family alone knows.  NULL: nobody asks. */
	void (*begins)(const char *cells);
	struct left_out *left_out;
	uint32_t n_left_out;
	const char *const *also; /* targets that every kernel is compiled for, too */
	uint32_t n_also;
};

/* One subgroup's worth of a block, as `want` sees it. */
struct lanes {
	struct ref_subgroup s;
	const uint64_t *w;	/* second operand */
	const uint32_t *idx;	/* u32 operand, varying */
	uint32_t uniform;	/* u32 operand, one per block */
	uint32_t first;		/* index in the block of lane 0 */
	uint32_t block_dim, block_idx;
	uint32_t block_n;	/* present threads of the block; s.v - first are its values */
};

/* What `build` may use. */
struct operands {
	const struct suite *t;
	qd_type type;
	struct qd_val v, w, idx, uniform;
	uint32_t block_dim;
};

/* With a block size: the kernel's body is that of a grid loop whose count is less than
 * there are threads, and than its buffers have elements; the count is a constant, or
 * the length of the first operand's buffer, which is as short. */
enum { BLOCK_SHORT = 0x8000, BLOCK_LEN = 0x4000, BLOCK_SIZE = 0x3fff };

enum {
	ROW_ANY_NAN = 1, /* arithmetic: any NaN will do for a NaN */
	ROW_SOME = 2,	 /* one of many of a kind: some of it will do for every day */
	ROW_WARP = 4,	 /* on warps: narrower subgroups than those are accepted */
	ROW_FEW = 8,	 /* of what is some, still less */
	ROW_SLOW = 16	 /* Vulkan drivers on the CPU compile blocks above 256 threads for up to 40 s: not every day */
};

struct row {
	const char *name;
	uint32_t types;	  /* bit (1 << QD_TYPE_*) */
	qd_type result;   /* NONE: the operand's */
	uint32_t flags;
	const uint16_t *blocks; /* block sizes and BLOCK_*, 0 at the end */
	/* Variants of this row, all in one kernel; label says which. */
	uint32_t (*n_variants)(const struct suite *t, qd_type type);
	void (*label)(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size);
	struct qd_val (*build)(struct qd_builder *b, const struct operands *o, uint32_t variant);
	void (*want)(const struct suite *t, const struct lanes *in, uint32_t variant,
		     uint64_t *out, bool *defined);
	/* Units in the last place that a result may be off, for which it is a skip; NULL: 0. */
	uint32_t (*ulps)(const struct suite *t, qd_type type, uint32_t variant);
	/* Result type by variant, where result is NONE and it is not the operand's. */
	qd_type (*result_of)(qd_type type, uint32_t variant);
};

struct family {
	const char *name;
	const struct row *rows;
	uint32_t n_rows;
	/* Families of their own shape. */
	void (*run)(struct suite *t, const struct family *f);
	uint64_t (*count)(const struct suite *t, const struct family *f);
};

extern const struct family *const families[];
extern const uint32_t n_families;

extern const uint16_t blocks_all[], blocks_one[], blocks_large[];

/* Opens the device; NULL: the default one. */
qd_status suite_start(struct suite *t, struct qd_context *ctx, const char *selector,
		      struct qd_error *err);
/* On a device that is open; it is the suite's, and closed where this fails. */
qd_status suite_start_on(struct suite *t, struct qd_context *ctx, struct qd_device *dev,
			 const char *selector, struct qd_error *err);
/* As suite_start; prints why not and returns false. */
bool suite_open(struct suite *t, struct qd_context *ctx, const char *selector);
void suite_close(struct suite *t);
/* Cells of a family on this device, from the tables alone. */
uint64_t suite_count(const struct suite *t, const struct family *f);
void suite_run(struct suite *t, const struct family *f);
/* Prints what a family of random programs has in them; of others nothing.  Of enough of
 * them all must be there: pieces, and operations of the printed IR by these names. */
void suite_census(struct suite *t, const struct family *f, const char *const *ops, uint32_t n_ops);

void suite_fail(struct suite *t, uint64_t cells, const char *fmt, ...);
void suite_skip(struct suite *t, uint64_t cells, const char *reason);
/* Skips the cells and returns true if the case is left out. */
bool suite_leaves_out(struct suite *t, uint64_t cells, const char *family, const char *name);

/* -- pattern.c -- */
enum { N_PATTERN = 7 };
const char *pattern_name(uint32_t pattern);
uint64_t pattern_value(qd_type type, uint32_t pattern, uint64_t *rng);
uint64_t random_u64(uint64_t *rng);

/* -- harness.c: one launch ------------------------------------------------------- */

/* Subgroups that are not the hardware's own come together where the whole block does: is it
 * that this kernel is refused for?  Then its cells are skipped. */
bool suite_skips_apart(struct suite *t, uint64_t cells, const char *error);
bool suite_skips_kernel(struct suite *t, uint64_t cells, const struct qd_kernel *k);
/* Does a device without a feature skip this type? */
const char *skip_reason(const struct suite *t, qd_type type);
size_t element_size(qd_type type);
uint64_t element_get(const void *p, qd_type type, size_t i);
void element_put(void *p, qd_type type, size_t i, uint64_t bits);
/* Same bits, or two NaNs where any will do. */
bool same_value(qd_type type, uint64_t got, uint64_t want, bool any_nan);

/* Arguments in host form: buffers are uploaded before, downloaded after the launch. */
struct host_buffer {
	void *data;
	size_t size; /* 0: a scalar, of which data is the struct qd_arg */
};
qd_status run_kernel(struct suite *t, const struct qd_kernel *k, const struct qd_tmpl *tmpl,
		     uint32_t n_tmpl, uint32_t n_blocks, const struct host_buffer *bufs,
		     uint32_t n_bufs, struct qd_error *err);

#endif
