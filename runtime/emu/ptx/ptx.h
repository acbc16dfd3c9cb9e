/* The PTX interpreter: PTX text to a module, a launch of one of its entries on the
 * host, warp by warp and lane by lane, by the rules of the PTX ISA manual.  It knows
 * nothing of qd's kernels, nor of what isa/ptx emits: any compiler's text is as good. */
#ifndef QD_EMU_PTX_H
#define QD_EMU_PTX_H

#include "base.h"
#include "meter.h"

struct ptx_module;

struct ptx_param {
	uint32_t offset, size, align;
	char kind; /* of its type: u s integers, f float, h f16, b bits, others pairs and the like */
	bool is_pointer, is_array; /* .ptr; [N] */
};

struct ptx_entry {
	const char *name;
	const struct ptx_param *params;
	uint32_t n_params, params_size; /* bytes of the parameters, laid out as a launch passes them */
	uint32_t shared_size;		/* static, in bytes */
	uint32_t max_threads;		/* .maxntid, .reqntid: of a block; 0: not said */
	const struct ptx_module *module;
};

/* Reads the text: QD_E_SYNTAX (or what fits in status.def) with line and column, the name of what
 * is wrong or not known; nothing is run that was not understood whole. */
qd_status ptx_module_parse(struct pool *pool, const char *text, size_t len, struct ptx_module **out,
			   struct qd_error *err);
void ptx_module_free(struct ptx_module *m);
const struct ptx_entry *ptx_module_entry(const struct ptx_module *m, const char *name); /* NULL: none */
const struct ptx_entry *ptx_module_first(const struct ptx_module *m);
/* The kernel that follows prev in the text, the first if prev is NULL; NULL: there is none. */
const struct ptx_entry *ptx_module_next(const struct ptx_module *m, const struct ptx_entry *prev);
uint32_t ptx_module_version(const struct ptx_module *m); /* 60 for .version 6.0 */
uint32_t ptx_module_sm(const struct ptx_module *m);	 /* 90 for .target sm_90 */

/* Memory that a launch may touch; generic and global addresses are the host's. */
struct ptx_range {
	uint64_t addr, size;
};

struct ptx_launch {
	const struct ptx_entry *entry;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	const void *params; /* params_size bytes */
	const struct ptx_range *ranges; /* by address, not overlapping */
	uint32_t n_ranges;
	uint64_t max_steps; /* instructions of a thread; beyond it the launch ends with a finding */
	struct meter *meter; /* NULL, or what ends the launch, which then returns QD_OK */
	uint64_t seed;	    /* in which order warps, and parts of a divergent warp, take their turns */
};

/* QD_OK, or QD_E_FINDING with the PTX line, block and thread: an access outside the ranges or
 * misaligned, a barrier or a warp's operation that not all named lanes come to, a shuffle from
 * a lane that is not there where its value is used, a trap, ...  Any number of threads may run
 * launches of one module at the same time; accesses to global memory are single (relaxed) ones. */
qd_status ptx_run(struct pool *pool, const struct ptx_launch *l, struct qd_error *err);

#endif
