/* The PTX interpreter: parses PTX text and executes its entries on the host, warp by warp and lane
 * by lane, as the PTX ISA manual specifies. It is independent of qd's kernels and of isa/ptx, and
 * accepts text of any compiler. */
#ifndef QD_EMU_PTX_H
#define QD_EMU_PTX_H

#include "base.h"
#include "meter.h"

struct ptx_module;
struct profile;

struct ptx_param {
	uint32_t offset, size, align;
	char kind; /* of its type: u s integers, f float, h f16, b bits, others pairs */
	bool is_pointer, is_array; /* .ptr; [N] */
};

struct ptx_entry {
	const char *name;
	const struct ptx_param *params;
	uint32_t n_params, params_size; /* size in bytes, laid out as a launch passes them */
	uint32_t shared_size;		/* static, in bytes */
	uint32_t max_threads;		/* per block: .maxntid, .reqntid; 0: unspecified */
	const struct ptx_module *module;
};

/* Parses the text. An error is QD_E_SYNTAX or a more specific status, with line and column, and
 * names the unsupported text. A module is accepted only if all of its text was understood. */
qd_status ptx_module_parse(struct pool *pool, const char *text, size_t len, struct ptx_module **out,
			   struct qd_error *err);
void ptx_module_free(struct ptx_module *m);
const struct ptx_entry *ptx_module_entry(const struct ptx_module *m, const char *name); /* NULL: none */
const struct ptx_entry *ptx_module_first(const struct ptx_module *m);
/* Returns the entry after prev in the text, the first if prev is NULL; NULL at the end. */
const struct ptx_entry *ptx_module_next(const struct ptx_module *m, const struct ptx_entry *prev);
uint32_t ptx_module_version(const struct ptx_module *m); /* 60 for .version 6.0 */
uint32_t ptx_module_sm(const struct ptx_module *m);	 /* 90 for .target sm_90 */

/* Memory that a launch may access; generic and global addresses are those of the host. */
struct ptx_range {
	uint64_t addr, size;
};

struct ptx_launch {
	const struct ptx_entry *entry;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	const void *params; /* params_size bytes */
	const struct ptx_range *ranges; /* sorted by address, not overlapping */
	uint32_t n_ranges;
	uint64_t max_steps; /* instructions per thread; more are a finding */
	struct meter *meter; /* may be NULL; may end the launch, which then returns QD_OK */
	uint64_t seed;	    /* selects the order of warps and of divergent lanes */
	struct profile *profile; /* NULL, or of this module; launches with one must not overlap */
};

/* Creates a profile of the module with the clock model of "sm_NN"; the caller sets the warps that
 * an SM holds. */
qd_status ptx_profile_create(struct pool *pool, const struct ptx_module *m, const char *clock,
			     struct profile **out, struct qd_error *err);
uint32_t ptx_profile_line(const struct ptx_module *m, uint32_t place);

/* Returns QD_OK, or QD_E_FINDING with the PTX line, block and thread. Examples
 * of findings: an access outside the ranges or misaligned, a trap, a barrier or warp operation that
 * not all named lanes reach, the use of a value shuffled from an inactive lane. Any number of
 * threads may run launches of one module concurrently; accesses to global memory are relaxed
 * atomics. */
qd_status ptx_run(struct pool *pool, const struct ptx_launch *l, struct qd_error *err);

#endif
