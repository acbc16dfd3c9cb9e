/* The reference interpreter: executes the IR of a kernel, one subgroup after the other, and
 * reports violations of the contract. Subgroups take turns if their threads wait for each other
 * or read what others write concurrently.
 *
 *	ref.c     the driver: device, functions, memory, streams, launch
 *	block.c   a block: its turns, barriers, shared arrays
 *	exec.c    a subgroup: dispatch of operations; leaves and locals
 *	flow.c    control flow
 *	memory.c  loads, stores, atomics
 *	async.c	  asynchronous copies
 *	alu.c     one operation over an array of lanes
 *	cross.c   operations that combine lanes
 *	nvvm.c    operations of a warp with a mask of members
 *	block_ops.c   operations of a block
 *	sort.c    sorts
 *	undef.c   undefined values, fetched from padding or inactive lanes
 *	race.c    data races: the last accesses to each piece of memory
 *	report.c  findings and remarks as text
 *	assert_print.c	  a kernel's own messages: assert and print
 *
 * A value is a row of S words, one per lane, bits low and zero-extended. Pure operations are
 * computed on every lane of the block, active or not: nothing reads an inactive lane's results.
 *
 * Padding threads do not run. Lanes past the end of the block are never active. GRID excludes
 * the lanes with i >= n until its END. Other threads cannot distinguish this from running them:
 * padding threads do not access memory, operations that combine lanes skip them, and a value
 * fetched from one is always undefined. */
#ifndef QD_RUNTIME_REF_INTERP_H
#define QD_RUNTIME_REF_INTERP_H

#include "cpu_device.h"
#include "ir.h"

enum {
	MIN_LANE = 4,
	MAX_LANE = 128,
	DEFAULT_LANE = 32,
	SITE_LIMIT = 4,	   /* messages kept per instruction and launch */
	REPORT_LIMIT = 64, /* messages kept per launch */
	PRINT_LIMIT = 1024, /* lines kept per launch */
	DEBUG_TEXT = 400,   /* bytes of a kernel's own text in a message */
	MAX_FAR = 1 << 20, /* blocks whose releases are recorded separately */
	NO_ROW = 0	   /* row 0 belongs to no value */
};

/* -- Lanes ------------------------------------------------------------------ */

struct mask {
	uint64_t w[2];
};

static inline bool
mask_has(const struct mask *m, uint32_t lane)
{
	return m->w[lane >> 6] >> (lane & 63) & 1;
}
static inline void
mask_add(struct mask *m, uint32_t lane)
{
	m->w[lane >> 6] |= UINT64_C(1) << (lane & 63);
}
static inline bool
mask_empty(struct mask m)
{
	return !(m.w[0] | m.w[1]);
}
static inline struct mask
mask_and(struct mask a, struct mask b)
{
	return (struct mask){ { a.w[0] & b.w[0], a.w[1] & b.w[1] } };
}
static inline struct mask
mask_or(struct mask a, struct mask b)
{
	return (struct mask){ { a.w[0] | b.w[0], a.w[1] | b.w[1] } };
}
static inline struct mask
mask_less(struct mask a, struct mask b)
{
	return (struct mask){ { a.w[0] & ~b.w[0], a.w[1] & ~b.w[1] } };
}
static inline bool
mask_same(struct mask a, struct mask b)
{
	return a.w[0] == b.w[0] && a.w[1] == b.w[1];
}

/* -- Objects ------------------------------------------------------------------ */

struct ref_device {
	struct host_device h;  /* its lock guards the next two fields and the shadows */
	uint32_t next_id, era; /* numbers of threads for the race check: race.c */
	uint64_t max_steps;    /* per thread and launch; not guarded by the lock */
};

struct ref_function {
	struct qd_function f;
	uint32_t n_rows, n_marks, n_nest, n_yield;
	uint32_t n_values; /* words of run.values per position */
	bool in_turns; /* the subgroups of a block take turns */
	bool fences;   /* an instruction orders threads of several blocks */
	bool copies;   /* it has asynchronous copies */
	uint32_t *row;	/* by instruction: the row of its value, NO_ROW without one */
	uint32_t *mark; /* by instruction: row in undef.c; 0: never undefined */
};

/* The largest tick of a launch's clock; the bits above are flags (race.c). */
enum { CLOCK_MAX = (1 << 28) - 1 };

/* The last accesses to a piece of memory, and their times (race.c). */
struct cell {
	uint32_t writer, reader;
	uint32_t written, read;
};

struct shadow {
	struct pool_block *cells; /* one per piece; may be NULL */
	uint32_t log2_piece;	  /* bytes of a piece */
	uint32_t era, end;	  /* of the numbers in it; they are below end */
};

struct ref_buffer { /* a piece of memory */
	struct host_memory m;
	struct shadow shadow; /* allocated on demand; empty while a launch owns it */
};

struct ref_stream { /* a queue */
	struct queue q;
	struct arena mem;    /* of a launch; reused by the next */
	struct buf report;   /* of a launch: level, text, NUL; moved out at its end */
	struct buf lines;    /* of a launch: struct line; moved out at its end */
	struct buf words;    /* text of the lines */
	struct host_findings findings;
	struct meter meter; /* of the launch */
};

/* -- A launch ------------------------------------------------------------------- */

struct bound_param {
	uint8_t *mem; /* of a buffer */
	uint64_t elements;
	uint32_t size; /* bytes of an element */
	bool writable;
	struct shadow shadow; /* set at the first parameter with its buffer */
	struct cell *cells;   /* of the first element; NULL: not watched */
	uint32_t n_cells;     /* per element */
	uint64_t bits;	    /* of a scalar */
	uint8_t *known;	    /* of a shared array: enum element for each; else NULL */
	uint32_t first_copy; /* index of its elements' first copy (async.c) */
};

/* State of an element; ELEMENT_COMES: a pending copy writes it. */
enum element { ELEMENT_EMPTY, ELEMENT_KNOWN, ELEMENT_COMES };

/* A pending copy of one element. */
struct copy {
	uint32_t next;	 /* next one of the subgroup: index + 1, or 0 */
	uint32_t ins;	 /* its instruction */
	uint32_t thread; /* in the block */
	uint32_t from, to;
	uint32_t group; /* number of groups the thread had committed before */
	uint8_t lane;
	bool there; /* the index is below the buffer's length */
};

struct run {
	struct ref_stream *stream;
	const struct ref_function *fn;
	const struct launch *launch;
	const struct qd_image *image;
	const struct ir *ir;
	uint32_t n_lanes, log2_lanes; /* per subgroup */
	uint32_t block_dim, n_subgroups;
	uint32_t n_blocks, block_base;
	uint32_t id_base; /* first number of this launch's threads: race.c */
	struct bound_param *params; /* by row of the kernel's memories */
	/* Order of accesses: the number of barriers and fences so far, and the last of them that
	 * was a barrier, a release and an acquire of the block; then the same of the device. */
	uint32_t clock, met, released, acquired;
	uint32_t met_all; /* like met, but for padding threads of the grid loop too */
	uint32_t *far_released, n_far, far_acquired; /* by block; of the current block */
	bool blind; /* the clock ran out; race detection is disabled */
	uint8_t *n_site; /* messages so far, by instruction */
	uint32_t n_kept, n_dropped;
	uint32_t n_lines, n_lines_dropped;
	uint64_t max_steps; /* per wave */
	bool stopped;	    /* step limit reached or launch ended: nothing more runs */
	struct meter *meter;
	struct copy *copies; /* by element of the shared arrays; NULL without copies */
	/* block_ops.c: values by position in the block, and whether a position has one. */
	uint64_t *values;
	uint8_t *has;
};

/* A control-flow construct that is open. */
struct frame {
	uint32_t opener;     /* its instruction */
	uint32_t next;	     /* its else or end */
	struct mask outer;   /* active at its opening */
	struct mask ordinary; /* at its opening */
	struct mask other;   /* if: the lanes of its else part */
	struct mask gone;    /* left it and an outer construct: inactive after its end too */
	struct mask back;    /* left only this construct: active again after its end */
};

/* A subgroup of a block, with all state that is kept between steps. */
struct wave {
	struct run *run;
	uint32_t block, subgroup;
	uint32_t n_threads; /* of the block; lanes from here to S are padding */
	uint32_t pc;	    /* of the next instruction */
	uint64_t turn;	    /* operations left in this turn */
	uint64_t left;	    /* operations left in the launch */
	uint32_t waits;	    /* the barrier it waits at, or 0 */
	bool skipped;	    /* none of its threads entered the grid loop */
	uint32_t met;	    /* tick of the last subgroup barrier */
	uint32_t met_all;   /* tick of the last one without padding threads */
	struct mask all;    /* the lanes below n_threads */
	struct mask ordinary; /* not excluded by an open grid loop */
	struct mask active;
	uint32_t n_frames;
	struct frame *frames;
	uint64_t *rows;
	uint64_t *blocks; /* cross.c: totals of aligned blocks */
	uint64_t *column; /* cross.c: operands by column */
	bool any_undefined;	/* a value has been fetched; if not, these are empty: */
	struct mask *undefined; /* by mark: undef.c */
	uint32_t *origin;	/* by mark and lane: undef.c */
	uint32_t copies;	/* pending ones: the first one's index + 1, or 0 */
	uint32_t commits[MAX_LANE]; /* groups of copies that each thread has committed */
};

static inline uint64_t *
wave_row(const struct wave *w, uint32_t v)
{
	return w->rows + ((size_t)w->run->fn->row[v] << w->run->log2_lanes);
}
/* Returns the thread of a lane within its block. */
static inline uint32_t
wave_thread(const struct wave *w, uint32_t lane)
{
	return w->subgroup * w->run->n_lanes + lane;
}
/* Returns its index in the grid. */
static inline uint64_t
wave_index(const struct wave *w, uint32_t lane)
{
	return (uint64_t)w->block * w->run->block_dim + wave_thread(w, lane);
}
/* Returns the active lanes where v is true. */
struct mask wave_where(const struct wave *w, uint32_t v);
/* Returns whether the thread's index is below the count of the grid loop. */
bool interp_counts(const struct wave *w, uint32_t lane);

/* Executes one instruction; w->pc has already advanced past it. */
typedef void interp_step(struct wave *w, uint32_t at);

/* -- block.c ----------------------------------------------------------------------- */

/* Allocates a block's shared arrays from the arena; false without memory. */
bool interp_bind_shared(struct run *r, struct arena *mem);
/* Runs the launch's blocks. waves: one per subgroup if they take turns, else one. */
void interp_run_blocks(struct run *r, struct wave *waves);
interp_step interp_sync, interp_fence;
/* A release makes the block's earlier accesses visible in this scope to threads that acquire; an
 * acquire makes the releases of others visible to the block. */
void interp_release(struct wave *w, enum mem_scope scope);
void interp_acquire(struct wave *w, enum mem_scope scope);

/* -- exec.c ------------------------------------------------------------------------ */

/* Returns an error if the interpreter cannot run the IR; sets rows, marks and limits. */
qd_status interp_prepare(struct ref_function *fn, struct qd_error *err);
void interp_wave_start(struct wave *w, uint32_t block, uint32_t subgroup);
void interp_wave_run(struct wave *w);

/* -- flow.c, memory.c -------------------------------------------------------------- */

interp_step interp_if, interp_else, interp_open, interp_grid, interp_break, interp_end;
/* Reports that the wave has reached its step limit. */
QD_COLD void interp_endless(struct wave *w, uint32_t at);
interp_step interp_load, interp_store, interp_atomic;
/* Returns the lanes that perform this access, by its condition. */
struct mask interp_accessing(struct wave *w, uint32_t at);
/* Accesses are atomic: a kernel of another stream sees either the old or the new value. */
uint64_t interp_read_element(const uint8_t *p, uint32_t size);
void interp_write_element(uint8_t *p, uint32_t size, uint64_t bits);

/* -- async.c ----------------------------------------------------------------------- */

/* Allocates the copies of a block from the arena; false without memory. */
bool interp_bind_copies(struct run *r, struct arena *mem);
interp_step interp_cp_async, interp_cp_async_wait;
/* Reports an access to element n of shared array x, which has a pending copy. */
QD_COLD void interp_not_there(struct wave *w, uint32_t at, uint32_t lane, uint32_t x, uint32_t n);

/* -- alu.c ------------------------------------------------------------------------- */

/* Computes r[0..n) = op over a, b, c; operands that op lacks are NULL. r must not overlap them.
 * Types as for ir_eval. */
void interp_alu(enum op op, qd_type type, qd_type to, uint32_t n, const uint64_t *a,
		const uint64_t *b, const uint64_t *c, uint64_t *r);

/* -- cross.c ----------------------------------------------------------------------- */

/* Copies operand a of lane `from` to this lane. The result is undefined if `from` is inactive or,
 * with is_one false, not a member. */
void interp_take(struct wave *w, uint32_t at, uint32_t lane, uint32_t from, bool is_one);
interp_step interp_fetch, interp_ballot, interp_vote, interp_all_equal;
interp_step interp_reduce, interp_scan, interp_exclusive, interp_segmented;
/* Reports once, for each group of 2^log2 lanes, an inactive lane below `below` that is not
 * padding if another lane of its group is active. */
void interp_check_converged(struct wave *w, uint32_t ins, uint32_t log2, uint32_t below);
/* Returns log2 of the operation's tile size. */
uint32_t interp_tile(const struct wave *w, const struct ins *i);
/* Return the number of words for blocks and column of a wave. */
size_t interp_cross_blocks(const struct run *r);
size_t interp_cross_columns(const struct run *r);

/* -- nvvm.c ------------------------------------------------------------------------ */

interp_step interp_match, interp_vote_members, interp_elect_member, interp_shfl, interp_redux,
	interp_syncwarp;

/* Combinations of values, one per column: columns of x and y give columns of out. */
struct tree {
	struct wave *w;
	uint32_t ins;
	enum op op;	       /* of two values, or NONE: the operator is */
	uint32_t region;       /* this region */
	uint32_t k;	       /* values of an element */
	uint32_t n;	       /* columns */
	uint8_t who[MAX_LANE]; /* by column: the lane that gets the result */
	uint64_t *x[MAX_YIELD], *y[MAX_YIELD], *out[MAX_YIELD];
	struct mask has[MAX_LOG2 + 1]; /* by level: blocks that are not empty */
};
void interp_columns(struct tree *t); /* Assigns the wave's columns to t. */
void interp_combine(struct tree *t);
/* Returns the origin of a value fetched from lane `from`, which has none; sets the origin of a
 * lane's result. */
uint32_t interp_nowhere(const struct wave *w, uint32_t at, uint32_t from);
QD_COLD void interp_put_origin(struct wave *w, uint32_t at, uint32_t lane, uint32_t origin);

/* -- block_ops.c ----------------------------------------------------------------------- */

/* Waits at a block operation; computes it when all threads of the block wait. */
interp_step interp_come;
void interp_together(struct run *r, struct wave *waves, uint32_t at);
/* Returns the wave and lane of a thread; NULL if it does not wait at instruction `at`. */
struct wave *interp_find(const struct run *r, struct wave *waves, uint32_t at, uint32_t thread,
			 uint32_t *lane);
/* Returns the number of threads that participate in the operation at `at`; UINT32_MAX: all. */
uint32_t interp_count_active(const struct run *r, struct wave *waves, uint32_t at);
/* Returns block_dim rounded up to a power of two, at least one subgroup. */
uint32_t interp_positions(const struct run *r);

/* -- sort.c ------------------------------------------------------------------------ */

interp_step interp_sort;
void interp_sort_block(const struct run *r, struct wave *waves, uint32_t at);
enum { SORT_WORDS = 5 }; /* of run.values, per thread */

/* -- undef.c ----------------------------------------------------------------------- */

/* The origin of an undefined value: the instruction that fetched it, whether the lane was padding,
 * and the lane; 0: it is defined. */
enum { ORIGIN_PADDING = MAX_LANE, ORIGIN_INS = 2 * MAX_LANE };
_Static_assert(MAX_BODY <= UINT32_MAX / ORIGIN_INS, "an instruction's number fits an origin");

static inline struct mask
wave_undefined(const struct wave *w, uint32_t v)
{
	return w->undefined[w->run->fn->mark[v]];
}
static inline uint32_t *
wave_origin(const struct wave *w, uint32_t v)
{
	return w->origin + ((size_t)w->run->fn->mark[v] << w->run->log2_lanes);
}
uint32_t interp_origin(const struct wave *w, uint32_t v, uint32_t lane);

/* Assigns marks to the values that may be undefined. */
void interp_mark(struct ref_function *fn);
/* Propagate undefined lanes: from the operands of a per-lane operation to its result, and from v
 * to `to` in these lanes. */
void interp_spread(struct wave *w, uint32_t at);
void interp_carry(struct wave *w, uint32_t to, uint32_t v, struct mask lanes);
/* Reports the lanes in which v is undefined where it is used. what: the use, as in "the value
 * stored". */
QD_COLD void interp_misused(struct wave *w, uint32_t at, uint32_t v, struct mask lanes,
			    const char *what);
static inline void
interp_use(struct wave *w, uint32_t at, uint32_t v, struct mask lanes, const char *what)
{
	if (QD_UNLIKELY(w->any_undefined) && !mask_empty(mask_and(wave_undefined(w, v), lanes)))
		interp_misused(w, at, v, lanes, what);
}

/* -- race.c ----------------------------------------------------------------------- */

/* Takes the shadows of the buffers that this launch writes; returns them. */
qd_status interp_watch(struct run *r, struct qd_error *err);
void interp_unwatch(struct run *r);
enum touch { TOUCH_READ = 0, TOUCH_WRITE = 1, TOUCH_ATOMIC = 2 /* combined with one of these */ };
void interp_touch(struct wave *w, uint32_t ins, uint32_t lane, uint32_t index, uint32_t touch);

/* -- report.c ---------------------------------------------------------------------- */

enum report { REPORT_FINDING, REPORT_REMARK };
QD_COLD void interp_report(struct wave *w, enum report what, uint32_t ins, uint32_t lane,
			   const char *fmt, ...) QD_PRINTF(5, 6);
/* Reports the use of a value that is undefined in this lane, with its origin. */
QD_COLD void interp_report_undefined(struct wave *w, uint32_t ins, uint32_t lane, const char *what,
				     uint32_t origin);
/* Returns the operation's name for messages: "shuffle" of "subgroup.shuffle". */
const char *interp_name(const struct ins *i);
/* A message while it is built; text that does not fit is truncated. */
struct text {
	char s[sizeof((struct qd_error *)0)->text];
	size_t len;
};
void interp_put(struct text *t, const char *fmt, ...) QD_PRINTF(2, 3);
/* Append the position of the instruction; the block and thread. */
void interp_put_place(struct text *t, const struct run *r, uint32_t ins);
void interp_put_thread(struct text *t, const struct wave *w, uint32_t lane);
/* Remarks on a divisor of zero. who: the lane of each column; NULL: the column's number. */
void interp_check_divisor(struct wave *w, uint32_t ins, uint32_t n, const uint64_t *divisor,
			  const uint8_t *who);
/* Remarks, once per instruction, on operands of an approximate function for which targets differ.
 * b may be NULL. */
void interp_check_domain(struct wave *w, uint32_t ins, uint32_t n, const uint64_t *a, const uint64_t *b,
			 const uint8_t *who);
/* Logs a launch's messages; must be called without locks. */
void interp_report_flush(struct qd_context *ctx, const struct buf *report, uint32_t n_dropped,
			 const char *kernel);

/* -- assert_print.c ------------------------------------------------------------------------ */

/* A line of print; `at` is the offset of its text. */
struct line {
	uint32_t block, thread, at;
};
interp_step interp_assert, interp_print;
/* Logs the lines by block, then thread, then time; must be called without locks. */
void interp_print_flush(struct qd_context *ctx, struct buf *lines, const struct buf *words,
		       uint32_t n_dropped, const char *kernel);

#endif
