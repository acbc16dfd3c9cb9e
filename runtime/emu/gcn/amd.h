/* The wave emulator: AMD machine code run on the host, block after block, wave by wave and
 * lane by lane, by AMD's ISA guides.  It knows of no kernel of qd's and of nothing that makes
 * code: any compiler's words are as good.  What it does not model is a finding. */
#ifndef QD_EMU_AMD_H
#define QD_EMU_AMD_H

#include "gcn.h"
#include "meter.h"

struct amd_code;

/* Decodes the words of a .text section or of an image, all of which are read and none is
 * kept.  A word that is no instruction is a finding when a wave comes to it. */
qd_status amd_code_create(struct pool *pool, const struct gcn_target *t, const uint32_t *words,
			  size_t n_words, struct amd_code **out, struct qd_error *err);
void amd_code_free(struct amd_code *c);
/* Instructions of the code, and how many of them could be run. */
size_t amd_code_count(const struct amd_code *c, size_t *n_known);
/* Whether the emulator knows the row, in the forms it has. */
bool amd_knows(unsigned row);

/* What an instruction breaks: a rule of states.def.  Offsets in words; earlier is later where the
 * instruction alone is wrong. */
struct amd_breach {
	const char *rule;
	uint32_t earlier, later;
	uint32_t missing; /* wait states; 0 where only something else helps */
};
/* Wait states and dependencies along a way that is given, by the words where its instructions
 * begin: tells each rule that an instruction of it breaks.  amd_run does so for the way taken. */
qd_status amd_states_along(struct pool *pool, const struct amd_code *c, const uint32_t *words,
			   size_t n, void (*found)(void *user, const struct amd_breach *b),
			   void *user, struct qd_error *err);

/* What a kernel's waves begin with, by its descriptor of 64 bytes, which is read once, or by the
 * registers of a queue. */
struct amd_start {
	uint32_t n_vgprs, lds_size, scratch_size; /* scratch: of a lane */
	uint32_t n_accs;   /* accumulation registers */
	uint32_t n_sgprs;  /* given to a wave, vcc and the like among them; 0: all there are */
	const uint32_t *user; /* NULL, or what the user registers hold, all of them */
	uint32_t mode;
	uint8_t dispatch_ptr, kernarg_ptr, dispatch_id; /* user registers, or AMD_NONE */
	uint8_t n_user;
	uint8_t group_ids; /* a bit for x, y, z: whose number of the work group there is */
	uint8_t last_id;   /* of the work item: 0 x alone, 1 y too, 2 all */
	bool group_info;   /* a register behind the numbers of the work group */
	bool wave_offset;  /* and one behind that: where in all scratch a wave's begins */
};
enum { AMD_NONE = 255, AMD_MAX_SCRATCH = 1 << 16 };

/* QD_E_INVALID, QD_E_LIMIT: no wave of the target's can begin so. */
qd_status amd_start_read(const struct gcn_target *t, const uint8_t *descriptor,
			 struct amd_start *out, struct qd_error *err);

/* Memory that a launch may touch: device addresses, and where the bytes are, which are aligned
 * as their address is. */
struct amd_range {
	uint64_t addr, size;
	void *host;
	bool read_only;
};

/* Memory that is more than ranges of the host's, and is asked at each access of a lane. */
enum amd_access { AMD_LOAD, AMD_SCALAR_LOAD, AMD_STORE, AMD_ATOMIC };
struct amd_memory {
	/* Where the n bytes at addr are read or written, now and once; NULL: a finding. */
	void *(*at)(void *user, uint64_t addr, unsigned n, enum amd_access how);
	void *user;
};

struct amd_launch {
	const struct amd_code *code;
	const struct amd_start *start;
	uint64_t code_addr; /* of the first word */
	uint32_t entry;	    /* the word that the kernel begins with */
	uint32_t grid[3], block[3];
	uint32_t dies; /* 0; or blocks go to so many dies in turn, of which the first alone runs */
	uint32_t dynamic_lds;
	const void *kernarg; /* read at an address of its own */
	uint32_t kernarg_size;
	const struct amd_range *ranges;
	uint32_t n_ranges;
	const struct amd_memory *memory; /* NULL, or asked behind the ranges */
	uint64_t max_steps; /* instructions of a wave */
	struct meter *meter; /* NULL, or what ends the launch, which then returns QD_OK */
	uint64_t seed; /* orders of waves and blocks, times of memory, what nobody wrote */
	uint32_t *covered; /* NULL, or per word what a wait there completed in all */
	uint32_t *found;   /* NULL, or the word where the finding is */
	uint64_t *stored;  /* NULL, or a sum over where each lane stored or did an atomic, in any order */
};

/* QD_OK, or QD_E_FINDING with block, wave, lane, the instruction's text and its offset.  What
 * the launch needs is taken of mem, which is reset, so that the next one finds it there.  Any
 * number of threads may run launches of one code at the same time; each access to memory is
 * made of single (relaxed) ones, atomics are the host's own. */
qd_status amd_run(struct arena *mem, const struct amd_launch *l, struct qd_error *err);

#endif
