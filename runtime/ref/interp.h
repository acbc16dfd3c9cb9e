/* The reference interpreter: runs the IR as it was meant, one subgroup after
 * the other, and reports what a kernel does against its contract.  Subgroups whose
 * threads wait for each other, or look at what others write, take turns.
 *
 *	ref.c     the driver: device, functions, memory, streams, launch
 *	block.c   a block: whose turn it is, barriers, shared arrays
 *	exec.c    a subgroup: which operation is run by what; leaves and locals
 *	flow.c    control flow
 *	memory.c  loads, stores, atomics
 *	async.c	  copies that are waited for
 *	alu.c     one operation over an array of lanes
 *	cross.c   what combines lanes
 *	nvvm.c    what members of a warp do together
 *	block_ops.c   what the threads of a block do together
 *	sort.c    what puts them in order
 *	undef.c   values that were fetched from lanes that are not there
 *	race.c   data races: who touched which piece of memory
 *	report.c  findings and remarks as text
 *	assert_print.c	  what a kernel says itself: assert and print
 *
 * A value is a row of S words, one per lane, bits low and zero-extended.  Pure
 * operations are computed on every lane of the block, active or not: nothing
 * reads what an inactive lane computed.
 *
 * Absent threads do not run.  Lanes past the end of the block are never active,
 * and GRID takes those with i >= n away until its END, where they come back as
 * if they had not entered.  No present thread can tell that from running along:
 * memory does not see absent threads, what combines lanes skips them, and a
 * value that is fetched from one is undefined however it was computed. */
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
	TELL_TEXT = 400,   /* bytes of a kernel's own text that are shown */
	MAX_FAR = 1 << 20, /* blocks whose releases are told apart */
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
	struct host_device h;  /* its lock is that of what follows, and of shadows */
	uint32_t next_id, era; /* of threads, for the race check: race.c */
	uint64_t max_steps;    /* of a thread in a launch; not under the lock */
};

struct ref_function {
	struct qd_function f;
	uint32_t n_rows, n_marks, n_nest, n_yield;
	uint32_t n_values; /* words of run.values for each position */
	bool in_turns; /* the subgroups of a block take turns */
	bool fences;   /* something orders threads of several blocks */
	bool copies;   /* something copies, and is waited for */
	uint32_t *row;	/* by instruction: the row of its value, NO_ROW without one */
	uint32_t *mark; /* by instruction: undef.c's row, 0: it cannot be undefined */
};

/* The clock of a launch has so many numbers; above them stand flags (race.c). */
enum { CLOCK_MAX = (1 << 28) - 1 };

/* Who touched a piece of memory last, and when (race.c). */
struct cell {
	uint32_t writer, reader;
	uint32_t written, read;
};

struct shadow {
	struct pool_block *cells; /* one per piece; NULL: there is none */
	uint32_t log2_piece;	  /* bytes of a piece */
	uint32_t era, end;	  /* whose numbers are in it, all below end */
};

struct ref_buffer { /* a piece of memory */
	struct host_memory m;
	struct shadow shadow; /* made on demand; while a launch has it, none is here */
};

struct ref_stream { /* a queue */
	struct queue q;
	struct arena mem;    /* of a launch, kept for the next */
	struct buf report;   /* of a launch: level, text, NUL; taken out when it is over */
	struct buf lines;    /* of a launch: struct line; taken out like the report */
	struct buf words;    /* and their texts */
	struct host_findings findings;
	struct meter meter; /* of the launch */
};

/* -- A launch ------------------------------------------------------------------- */

struct bound_param {
	uint8_t *mem; /* of a buffer */
	uint64_t elements;
	uint32_t size; /* bytes of an element */
	bool writable;
	struct shadow shadow; /* of its buffer, at the first parameter that has it */
	struct cell *cells;   /* of the first element; NULL: not watched */
	uint32_t n_cells;     /* per element */
	uint64_t bits;	    /* of a scalar */
	uint8_t *known;	    /* of a shared array: enum element for each; else NULL */
	uint32_t first_copy; /* of its elements' copies (async.c) */
};

/* Has it been written; is it being copied to, by a thread that has not waited? */
enum element { ELEMENT_EMPTY, ELEMENT_KNOWN, ELEMENT_COMES };

/* To an element that comes. */
struct copy {
	uint32_t next;	 /* of its subgroup's: number + 1, or 0 */
	uint32_t ins;	 /* that copies */
	uint32_t thread; /* of the block */
	uint32_t from, to;
	uint32_t group; /* how many groups the thread had made before */
	uint8_t lane;
	bool there; /* below the buffer's length */
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
	uint32_t id_base; /* of this launch's threads: race.c */
	struct bound_param *params; /* by row of the kernel's memories */
	/* What is ordered: the number of barriers and fences so far, and at which of them
	 * the block's threads met, released and acquired; by block, on the device. */
	uint32_t clock, met, released, acquired;
	uint32_t met_all; /* and when those did too that are absent in the grid loop */
	uint32_t *far_released, n_far, far_acquired; /* those of this block */
	bool blind; /* there were more than there are numbers: races are not looked for */
	uint8_t *n_site; /* messages so far, by instruction */
	uint32_t n_kept, n_dropped;
	uint32_t n_lines, n_lines_dropped;
	uint64_t max_steps; /* of a wave */
	bool stopped;	    /* one has made them, or the launch was ended: nothing more is run */
	struct meter *meter;
	struct copy *copies; /* by element of the shared arrays; NULL where nothing is copied */
	/* block_ops.c: values by position in the block, and where there is one. */
	uint64_t *values;
	uint8_t *has;
};

/* What the lanes will return to when a construct is over. */
struct frame {
	uint32_t opener;     /* its instruction */
	uint32_t next;	     /* its else or end */
	struct mask outer;   /* active at its opening */
	struct mask present; /* at its opening */
	struct mask other;   /* if: the lanes of its else part */
	struct mask gone;    /* left it and more: they do not come back at its end */
	struct mask back;    /* left it alone: they do */
};

/* A subgroup of a block, all that must survive from one step to the next. */
struct wave {
	struct run *run;
	uint32_t block, subgroup;
	uint32_t n_threads; /* of the block; lanes from here to S are absent */
	uint32_t pc;	    /* of the next instruction */
	uint64_t turn;	    /* operations that it may still make in its turn */
	uint64_t left;	    /* and in all */
	uint32_t waits;	    /* at this barrier, or 0 */
	bool skipped;	    /* none of its threads entered the grid loop */
	uint32_t met;	    /* by the run's clock: when its lanes did */
	uint32_t met_all;   /* and when none of them was absent */
	struct mask all;    /* the lanes below n_threads */
	struct mask present; /* those of them that no open grid loop took away */
	struct mask active;
	uint32_t n_frames;
	struct frame *frames;
	uint64_t *rows;
	uint64_t *blocks; /* cross.c: totals of aligned blocks */
	uint64_t *column; /* cross.c: operands by column */
	bool any_undefined;	/* has been fetched so far; else all of these are empty: */
	struct mask *undefined; /* by mark: undef.c */
	uint32_t *origin;	/* by mark and lane: undef.c */
	uint32_t copies;	/* on their way: the first one's number + 1, or 0 */
	uint32_t commits[MAX_LANE]; /* groups of them that each thread has made */
};

static inline uint64_t *
wave_row(const struct wave *w, uint32_t v)
{
	return w->rows + ((size_t)w->run->fn->row[v] << w->run->log2_lanes);
}
/* Thread of a lane, in its block. */
static inline uint32_t
wave_thread(const struct wave *w, uint32_t lane)
{
	return w->subgroup * w->run->n_lanes + lane;
}
/* Its index in the grid. */
static inline uint64_t
wave_index(const struct wave *w, uint32_t lane)
{
	return (uint64_t)w->block * w->run->block_dim + wave_thread(w, lane);
}
/* The active lanes where v holds. */
struct mask wave_where(const struct wave *w, uint32_t v);
/* Is the thread one that the kernel means: below the count of the grid loop? */
bool interp_counts(const struct wave *w, uint32_t lane);

/* One instruction.  The program counter stands behind it already. */
typedef void interp_step(struct wave *w, uint32_t at);

/* -- block.c ----------------------------------------------------------------------- */

/* The shared arrays of a block, from the arena; false without memory. */
bool interp_bind_shared(struct run *r, struct arena *mem);
/* Runs the launch's blocks; waves: as many as take turns. */
void interp_run_blocks(struct run *r, struct wave *waves);
interp_step interp_sync, interp_fence;
/* What the block did before is seen in this scope by who acquires; it sees what others
 * released. */
void interp_release(struct wave *w, enum mem_scope scope);
void interp_acquire(struct wave *w, enum mem_scope scope);

/* -- exec.c ------------------------------------------------------------------------ */

/* What is wrong with the IR for this interpreter; fills rows, marks and limits. */
qd_status interp_prepare(struct ref_function *fn, struct qd_error *err);
void interp_wave_start(struct wave *w, uint32_t block, uint32_t subgroup);
void interp_wave_run(struct wave *w);

/* -- flow.c, memory.c -------------------------------------------------------------- */

interp_step interp_if, interp_else, interp_open, interp_grid, interp_break, interp_end;
/* The wave has made all its operations and is not done. */
QD_COLD void interp_endless(struct wave *w, uint32_t at);
interp_step interp_load, interp_store, interp_atomic;
/* The lanes that make this access, by its condition. */
struct mask interp_accessing(struct wave *w, uint32_t at);
/* Elements are whole: a kernel that runs in another stream meanwhile sees one value
 * or the other. */
uint64_t interp_read_element(const uint8_t *p, uint32_t size);
void interp_write_element(uint8_t *p, uint32_t size, uint64_t bits);

/* -- async.c ----------------------------------------------------------------------- */

/* Room for the copies of a block, from the arena; false without memory. */
bool interp_bind_copies(struct run *r, struct arena *mem);
interp_step interp_cp_async, interp_cp_async_wait;
/* Somebody touches element n of shared array x, which comes. */
QD_COLD void interp_not_there(struct wave *w, uint32_t at, uint32_t lane, uint32_t x, uint32_t n);

/* -- alu.c ------------------------------------------------------------------------- */

/* r[0..n) = op over a, b, c; NULL for operands it does not have.  r is none of
 * them.  Types as for ir_eval. */
void interp_alu(enum op op, qd_type type, qd_type to, uint32_t n, const uint64_t *a,
		const uint64_t *b, const uint64_t *c, uint64_t *r);

/* -- cross.c ----------------------------------------------------------------------- */

/* The lane gets operand a of another one, which may not be there; nor be one to fetch from. */
void interp_take(struct wave *w, uint32_t at, uint32_t lane, uint32_t from, bool is_one);
interp_step interp_fetch, interp_ballot, interp_vote, interp_all_equal;
interp_step interp_reduce, interp_scan, interp_exclusive, interp_segmented;
/* Reports, once for each group of 2^log2 lanes, a present lane below `below`
 * that does not take part in what an active one of its group computes. */
void interp_check_converged(struct wave *w, uint32_t ins, uint32_t log2, uint32_t below);
/* The logarithm of the tile that the operation names. */
uint32_t interp_tile(const struct wave *w, const struct ins *i);
/* Words that blocks and column of a wave need. */
size_t interp_cross_blocks(const struct run *r);
size_t interp_cross_columns(const struct run *r);

/* -- nvvm.c ------------------------------------------------------------------------ */

interp_step interp_match, interp_vote_members, interp_elect_member, interp_shfl, interp_redux,
	interp_syncwarp;

/* Values that are combined, many at once: columns of x and y give columns of out. */
struct tree {
	struct wave *w;
	uint32_t ins;
	enum op op;	       /* of two values, or NONE: */
	uint32_t region;       /* the operator */
	uint32_t k;	       /* values of an element */
	uint32_t n;	       /* columns */
	uint8_t who[MAX_LANE]; /* by column: the lane that combines, and where it goes */
	uint64_t *x[MAX_YIELD], *y[MAX_YIELD], *out[MAX_YIELD];
	struct mask has[MAX_LOG2 + 1]; /* by level: blocks that are not empty */
};
void interp_columns(struct tree *t); /* those of the wave */
void interp_combine(struct tree *t);
/* Where a value comes from that lane `from` would have had; a lane's result has it. */
uint32_t interp_nowhere(const struct wave *w, uint32_t at, uint32_t from);
QD_COLD void interp_put_origin(struct wave *w, uint32_t at, uint32_t lane, uint32_t origin);

/* -- block_ops.c ----------------------------------------------------------------------- */

/* Comes to what the threads of a block do together, and waits; when all have come. */
interp_step interp_come;
void interp_together(struct run *r, struct wave *waves, uint32_t at);
/* Lane of a thread of the block; NULL where it has not come to instruction `at`. */
struct wave *interp_find(const struct run *r, struct wave *waves, uint32_t at, uint32_t thread,
			 uint32_t *lane);
/* The block's operation at `at` is of so many threads, its first ones; UINT32_MAX: of all. */
uint32_t interp_count_active(const struct run *r, struct wave *waves, uint32_t at);
/* Threads of a block, rounded up to a power of two. */
uint32_t interp_positions(const struct run *r);

/* -- sort.c ------------------------------------------------------------------------ */

interp_step interp_sort;
void interp_sort_block(const struct run *r, struct wave *waves, uint32_t at);
enum { SORT_WORDS = 5 }; /* of run.values, for a thread */

/* -- undef.c ----------------------------------------------------------------------- */

/* Where an undefined value comes from: the instruction that fetched it, whether
 * the lane was absent, and the lane; 0: it is defined. */
enum { ORIGIN_ABSENT = MAX_LANE, ORIGIN_INS = 2 * MAX_LANE };
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

/* Numbers the values that may be undefined. */
void interp_mark(struct ref_function *fn);
/* What the result of a per-lane operation takes over from its operands; what `to`
 * takes over in these lanes when v is written into it. */
void interp_spread(struct wave *w, uint32_t at);
void interp_carry(struct wave *w, uint32_t to, uint32_t v, struct mask lanes);
/* v matters in these lanes: reports those in which it is undefined.  what: what v
 * is there, "the value stored". */
QD_COLD void interp_misused(struct wave *w, uint32_t at, uint32_t v, struct mask lanes,
			    const char *what);
static inline void
interp_use(struct wave *w, uint32_t at, uint32_t v, struct mask lanes, const char *what)
{
	if (QD_UNLIKELY(w->any_undefined) && !mask_empty(mask_and(wave_undefined(w, v), lanes)))
		interp_misused(w, at, v, lanes, what);
}

/* -- race.c ----------------------------------------------------------------------- */

/* Takes the shadows of the buffers that this launch writes, and gives them back. */
qd_status interp_watch(struct run *r, struct qd_error *err);
void interp_unwatch(struct run *r);
enum touch { TOUCH_READ = 0, TOUCH_WRITE = 1, TOUCH_ATOMIC = 2 /* with one of these */ };
void interp_touch(struct wave *w, uint32_t ins, uint32_t lane, uint32_t index, uint32_t touch);

/* -- report.c ---------------------------------------------------------------------- */

enum report { REPORT_FINDING, REPORT_REMARK };
QD_COLD void interp_report(struct wave *w, enum report what, uint32_t ins, uint32_t lane,
			   const char *fmt, ...) QD_PRINTF(5, 6);
/* What in this lane is undefined, and whence. */
QD_COLD void interp_report_undefined(struct wave *w, uint32_t ins, uint32_t lane, const char *what,
				     uint32_t origin);
/* The operation's name as messages have it: "shuffle" of "subgroup.shuffle". */
const char *interp_name(const struct ins *i);
/* A message as it grows; what does not fit is cut. */
struct text {
	char s[sizeof((struct qd_error *)0)->text];
	size_t len;
};
void interp_put(struct text *t, const char *fmt, ...) QD_PRINTF(2, 3);
/* Where the instruction stands, and which thread of which block it is about. */
void interp_put_place(struct text *t, const struct run *r, uint32_t ins);
void interp_put_thread(struct text *t, const struct wave *w, uint32_t lane);
/* Remarks on a zero divisor; who: the lane of each column, NULL: its own. */
void interp_check_divisor(struct wave *w, uint32_t ins, uint32_t n, const uint64_t *divisor,
			  const uint8_t *who);
/* Remarks once, for an instruction, on operands of an approximate function for which targets
 * differ: a, and b where it has two. */
void interp_check_domain(struct wave *w, uint32_t ins, uint32_t n, const uint64_t *a, const uint64_t *b,
			 const uint8_t *who);
/* To the log, outside every lock. */
void interp_report_flush(struct qd_context *ctx, const struct buf *report, uint32_t n_dropped,
			 const char *kernel);

/* -- assert_print.c ------------------------------------------------------------------------ */

/* A line of print: its text stands at `at`. */
struct line {
	uint32_t block, thread, at;
};
interp_step interp_assert, interp_print;
/* To the log by block, then thread, then time, outside every lock. */
void interp_tell_flush(struct qd_context *ctx, struct buf *lines, const struct buf *words,
		       uint32_t n_dropped, const char *kernel);

#endif
