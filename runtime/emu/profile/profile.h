/* Counts of the instructions that a launch executes, and a clock model that estimates their time.
 * An emulator calls these functions for each executed instruction, if the launch is profiled; they
 * do not know the instructions.
 *
 * The model: a wave runs alone, issues in order, and waits for operands (PTX) or where the code
 * waits (AMD). It passes a barrier when the last wave of the block has arrived. The counts, and
 * the time of a wave, do not depend on the order in which the emulator runs waves. */
#ifndef QD_EMU_PROFILE_H
#define QD_EMU_PROFILE_H

#include "base.h"

enum profile_class {
#define CLASS(id, name, pipe) PROFILE_##id,
#include "class.def"
	PROFILE_N_CLASS
};
enum profile_pipe {
#define PIPE(id, name, shared) PROFILE_PIPE_##id,
#include "pipe.def"
	PROFILE_N_PIPE
};

/* A row of clock.def; busy and latency are by class. */
struct profile_clock {
	const char *name;
	uint32_t lanes, gap, simds, line, addr, threads, blocks, shared;
	uint32_t busy[PROFILE_N_CLASS], latency[PROFILE_N_CLASS];
	bool own_pipes, one_slot;
};
const char *profile_class_name(unsigned class);
unsigned profile_class_find(const char *name); /* PROFILE_N_CLASS: none */
const char *profile_pipe_name(unsigned pipe);
/* Returns the row of this name, for "sm_NN" the last one not above it; false if there is none. */
bool profile_clock_find(const char *name, struct profile_clock *out);

/* Counts of one instruction of the code, or of several. */
struct profile_count {
	uint64_t n, cycles;
	uint64_t bytes, lines;			  /* of memory; lines: touched by each execution */
	uint64_t shared_bytes, passes, conflicts; /* of LDS; conflicts: passes beyond the fewest */
};

struct profile {
	struct pool *pool;
	struct profile_clock clock;
	uint32_t lanes; /* of a wave */
	/* Waves that a compute unit, or a pair of them, holds, and its SIMDs. The pipes of a
	 * compute unit serve unit_simds of them. */
	uint32_t resident, simds, unit_simds;
	char limit[16]; /* what limits them: "VGPRs"; "": the target's maximum */
	uint64_t n_launches, n_waves;
	uint64_t cycles, round_trips, shared_trips; /* sums over the waves */
	uint32_t n_places;
	uint8_t *class; /* by place, an instruction of the code */
	struct profile_count *count;
};

/* The caller sets class, lanes, resident, simds, unit_simds and limit. */
qd_status profile_create(struct pool *pool, const struct profile_clock *clock, uint32_t n_places,
			 struct profile **out, struct qd_error *err);
void profile_free(struct profile *p);

/* Sums by class, and estimates. */
struct profile_summary {
	struct profile_count class[PROFILE_N_CLASS], all;
	double wave_cycles;	     /* of one wave alone: the mean */
	double full_cycles;	     /* of all resident waves together */
	double busy[PROFILE_N_PIPE]; /* cycles that they occupy a pipe */
	unsigned bound; /* the pipe that full_cycles is due to; PROFILE_PIPE_NONE: latency */
};
void profile_sum(const struct profile *p, struct profile_summary *out);

/* -- Waves ----------------------------------------------------------------------------- */

/* When a register's value can be used, and the round trips that it took. */
struct profile_reg {
	uint64_t ready;
	uint32_t trips, shared_trips;
};

struct profile_wave {
	uint64_t now;	/* when the next instruction can issue */
	uint64_t start; /* of the next instruction, by what it waits for */
	uint64_t pipe[PROFILE_N_PIPE];
	uint32_t trips, shared_trips; /* length of the longest chain that was waited for */
	uint32_t n_regs;
	const struct profile_barrier *barrier; /* that it waits for, or NULL */
	struct profile_reg pending; /* of copies without a register, or covered by a wait */
	struct profile_reg reg[];
};

size_t profile_wave_size(uint32_t n_regs);
void profile_wave_begin(struct profile_wave *w, uint32_t n_regs);
void profile_wave_end(struct profile *p, const struct profile_wave *w);
static inline struct profile_reg *
profile_reg(struct profile_wave *w, uint32_t reg)
{
	return &w->reg[reg < w->n_regs ? reg : 0];
}
/* The next instruction waits for a value. */
void profile_use(struct profile_wave *w, const struct profile_reg *v);
/* Issues an instruction; extra: cycles for which it occupies its pipe beyond the usual. Returns
 * when its result can be used, without memory's round trips. */
uint64_t profile_issue(struct profile *p, struct profile_wave *w, uint32_t place, uint64_t extra);
/* Adds the time until `until` to a place. */
void profile_stall(struct profile *p, struct profile_wave *w, uint32_t place, uint64_t until);
/* When the last wave arrived at a barrier; phase: number of the barrier in the block. */
struct profile_barrier {
	uint64_t time;
	uint32_t phase;
};
void profile_arrive(struct profile_barrier *b, uint32_t phase, const struct profile_wave *w);
/* Returns the result of an instruction that ends at `ready`. */
struct profile_reg profile_result(const struct profile_wave *w, unsigned class, uint64_t ready);

/* -- Memory ---------------------------------------------------------------------------- */

/* Addresses of the lanes of one access. at: from the start of the region (a buffer). */
struct profile_access {
	uint64_t lanes;
	uint32_t bytes, region[64];
	uint64_t at[64];
	bool atomic; /* accesses of the same word are executed one by one */
};
/* Add the access to a place; return the cycles beyond the first one. */
uint64_t profile_memory(struct profile *p, uint32_t place, const struct profile_access *a);
uint64_t profile_shared(struct profile *p, uint32_t place, const struct profile_access *a);

#endif
