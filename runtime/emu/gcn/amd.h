/* The wave emulator: executes AMD machine code on the host, block by block, wave by wave and lane
 * by lane, as AMD's ISA guides specify. It is independent of qd's kernels and code generators,
 * and accepts code of any compiler. The use of anything that it does not model is a finding. */
#ifndef QD_EMU_AMD_H
#define QD_EMU_AMD_H

#include "gcn.h"
#include "meter.h"

struct amd_code;
struct profile;

/* Decodes the words of a .text section or of an image; does not keep the words. A word that is no
 * instruction is a finding only if a wave reaches it. */
qd_status amd_code_create(struct pool *pool, const struct gcn_target *t, const uint32_t *words,
			  size_t n_words, struct amd_code **out, struct qd_error *err);
void amd_code_free(struct amd_code *c);
/* Returns whether the emulator supports the row on this target. */
bool amd_knows(const struct gcn_target *t, unsigned row);

/* Creates a profile of the code; the caller sets the waves that a compute unit holds. */
qd_status amd_profile_create(struct pool *pool, const struct amd_code *c, struct profile **out,
			     struct qd_error *err);
uint32_t amd_profile_word(const struct amd_code *c, uint32_t place);

/* A violation of a rule of states.def. Offsets are in words; earlier equals later if the
 * instruction alone violates it. */
struct amd_breach {
	const char *rule;
	uint32_t earlier, later;
	uint32_t missing; /* wait states; 0 if wait states do not help */
};
/* Checks wait states and dependencies along a given path, a list of the offsets of its
 * instructions. Calls found for each violation. amd_run checks the path that a wave takes. */
qd_status amd_states_along(struct pool *pool, const struct amd_code *c, const uint32_t *words,
			   size_t n, void (*found)(void *user, const struct amd_breach *b),
			   void *user, struct qd_error *err);

/* The initial state of a kernel's waves, from its descriptor of 64 bytes or from the registers of
 * a queue. */
struct amd_start {
	uint32_t n_vgprs, lds_size, scratch_size; /* scratch: bytes per lane */
	uint32_t n_accs;   /* accumulation registers */
	uint32_t n_sgprs;  /* available to a wave, including vcc etc.; 0: all */
	const uint32_t *user; /* NULL, or the values of all user registers */
	uint32_t mode;
	uint8_t dispatch_ptr, kernarg_ptr, dispatch_id, scratch_init; /* the first user register, or AMD_NONE */
	uint8_t n_user;
	uint8_t group_ids; /* bits 0 to 2: index x, y, z of the work group is passed */
	uint8_t last_id;   /* indices of the work item: 0 x, 1 x and y, 2 all */
	bool group_info;   /* a register after the work group's indices */
	bool wave_offset;  /* another one: offset of the wave's scratch */
	bool scratch_buffer; /* four user registers describe scratch as a buffer, which is not modeled */
};
enum { AMD_NONE = 255, AMD_MAX_SCRATCH = 1 << 16 };

/* Returns QD_E_INVALID or QD_E_LIMIT if the target cannot start such a wave. */
qd_status amd_start_read(const struct gcn_target *t, const uint8_t *descriptor,
			 struct amd_start *out, struct qd_error *err);

/* Memory that a launch may access: device addresses, and host memory with the same alignment. */
struct amd_range {
	uint64_t addr, size;
	void *host;
	bool read_only;
};

/* Memory outside the ranges, looked up for each access of a lane. */
enum amd_access { AMD_LOAD, AMD_SCALAR_LOAD, AMD_STORE, AMD_ATOMIC };
struct amd_memory {
	/* Returns the host address for one access to n bytes at addr; NULL: a finding. */
	void *(*at)(void *user, uint64_t addr, unsigned n, enum amd_access how);
	void *user;
};

struct amd_launch {
	const struct amd_code *code;
	const struct amd_start *start;
	uint64_t code_addr; /* of the first word */
	uint32_t entry;	    /* first word of the kernel */
	uint32_t grid[3], block[3];
	uint32_t dies; /* 0, or the number of dies; only the first one's blocks run */
	uint32_t dynamic_lds;
	const void *kernarg; /* mapped at a device address of its own */
	uint32_t kernarg_size;
	const struct amd_range *ranges;
	uint32_t n_ranges;
	const struct amd_memory *memory; /* NULL, or used for addresses outside the ranges */
	uint64_t max_steps; /* instructions per wave */
	struct meter *meter; /* may be NULL; may end the launch, which then returns QD_OK */
	uint64_t seed; /* selects order of waves and blocks, memory timing, initial contents */
	uint32_t *covered; /* NULL, or by word: how many operations a wait there has covered */
	uint32_t *found;   /* NULL, or the word of the finding */
	uint64_t *stored;  /* NULL, or an order-independent checksum of stores and atomics */
	struct profile *profile; /* NULL, or of this code; launches with one must not overlap */
};

/* Returns QD_OK, or QD_E_FINDING with block, wave, lane, and the instruction's text and offset.
 * Resets mem and allocates the launch's memory from it, so the next launch can reuse it. Any
 * number of threads may run launches of one code concurrently; memory accesses consist of relaxed
 * atomics, and atomics are host atomics. */
qd_status amd_run(struct arena *mem, const struct amd_launch *l, struct qd_error *err);

#endif
