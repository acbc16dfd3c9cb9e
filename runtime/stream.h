/* The machinery of streams, which drivers do not see.
 *
 * What a stream is given is recorded into a batch.  The batch goes to the
 * driver's queue at once when nothing of the stream is in flight, else when it is
 * full, or when somebody waits or flushes, or an event marks its end.  A driver whose
 * submissions cost nothing beyond their commands gets each command at once (start), and the
 * batch's end at those times.  The stream's timeline counts the batches that are done.
 *
 * Every transfer and launch has a ticket, in the order of the stream.  A download
 * is delivered when its bytes stand where the caller wants them; downloads are
 * delivered in the order of their tickets, and a sync returns when all up to its
 * own are.  It matters that this is not the same as a value of the timeline: a
 * download that waits to be read from memory which the host sees becomes a copy
 * in a later batch when something is about to change that memory.
 *
 * Locks, outermost first: the list of devices (trim.c), a device's streams_lock (the
 * list), a stream's lock, a device's lock, its freed_lock, a buffer's uses.  Inside a
 * device's lock those of streams are only tried.  No lock is held during a
 * wait for the device.  A call that submits work enters the stream and leaves it when it
 * returns, so the work of several threads does not interleave.  If the call waits for the
 * device, other calls that submit to the same stream wait for it; other streams do not. */
#ifndef QD_RUNTIME_STREAM_H
#define QD_RUNTIME_STREAM_H

#include "device.h"

enum {
	MAX_COMMANDS = 64, /* dispatches, copies and fills in a batch, before it is submitted */
	MAX_PENDING = 64,  /* downloads that are read from memory the host sees */
	N_SLOT = 256,	   /* pieces of a ring */
	FREED_LOOK = 4	   /* freed buffers that making or freeing one looks at */
};

struct batch {
	uint64_t value; /* passes when it is done; 0: never used */
	struct timeline *held[MAX_WAITS];
	uint32_t n_held;
};

/* A piece of a ring, free again when `value` has passed; a download's bytes then
 * go to dst. */
struct slot {
	uint32_t at, size;
	uint64_t value, ticket;
	void *dst; /* NULL: nowhere */
	uint32_t dst_size;
};

/* Memory that host and device see, through which a stream's uploads, downloads
 * and arguments pass in order.  Made on first use. */
struct ring {
	struct device_memory memory;
	uint32_t size, head; /* size 0: not made */
	struct slot slots[N_SLOT];
	uint32_t first, n;    /* of slots, oldest first */
	uint32_t n_downloads; /* slots with a destination */
};

struct download {
	struct qd_buffer *buf; /* has one of its reads */
	size_t offset, size;
	void *dst;
	uint64_t value, ticket;
};

struct qd_stream {
	struct qd_device *dev;
	struct qd_stream *next; /* in the device's list */
	struct timeline *timeline;
	struct queue *queue;
	pthread_mutex_t lock;
	bool entered; /* somebody gives it work; who would as well waits for `left` */
	uint32_t n_entering;
	pthread_cond_t left;
	uint64_t ticket;    /* of the last transfer or launch */
	uint64_t submitted; /* value of the last batch given to the queue */
	_Atomic uint64_t given; /* passes with all that the stream was given */
	uint64_t hinted;    /* of the last that was not empty */
	enum { NO_BATCH, RECORDING, RECORDED } state;
	uint32_t at;	     /* batch being recorded, or recorded and not submitted */
	uint32_t n_commands; /* in it */
	qd_status broken;    /* recorded work was lost: every later call fails */
	char cause[256];     /* of it */
	struct wait waits[MAX_WAITS]; /* of the next batch */
	uint32_t n_waits;
	struct batch batches[MAX_BATCH];
	struct download pending[MAX_PENDING]; /* all newer than those in the ring */
	uint32_t n_pending;
	uint64_t staging; /* ticket of a pending one that becomes a copy just now; 0: none */
	struct ring ring;
	struct reports *reports; /* report.c's; NULL: no launch could report so far */
};

/* -- stream.c: timelines, batches, submission, waiting ---------------------------- */

struct timeline *timeline_ref(struct timeline *t);
void timeline_unref(struct timeline *t);
static inline bool
timeline_known(const struct timeline *t, uint64_t value)
{
	return atomic_load_explicit(&t->done, memory_order_acquire) >= value;
}
/* Has the value passed?  Asks the driver only if that is not known. */
qd_status timeline_passed(struct timeline *t, uint64_t value, bool *passed, struct qd_error *err);
/* Waits until it has, or so long. */
qd_status timeline_wait(struct timeline *t, uint64_t value, uint64_t ns, bool *passed,
			struct qd_error *err);

qd_status device_check_lost(struct qd_device *dev, struct qd_error *err);

qd_status stream_create(struct qd_device *dev, struct qd_stream **out, struct qd_error *err);
void stream_free(struct qd_stream *s);
/* Waits until all that the stream was given is done and delivered, or so long, and then
 * tells what launches ended with.  ns 0: only looks. */
qd_status stream_sync(struct qd_stream *s, uint64_t ns, bool *done, struct qd_error *err);
/* Waits for a download that was given.  Where it fails, what was to arrive will not. */
qd_status stream_arrive(struct qd_stream *s, uint64_t ticket, struct qd_error *err);
/* Delivers what has arrived in the stream of this timeline, if it is still there. */
void stream_deliver_of(struct qd_device *dev, uint64_t id);
/* Waits for all that the device's streams were given; for who is short of memory. */
void streams_drain(struct qd_device *dev);
/* Submits what streams have recorded and nobody is giving them more of.  Waits for
 * nobody. */
void streams_kick(struct qd_device *dev);
/* Gives back the rings that nothing is in: were there any?  Waits for nobody. */
bool streams_trim(struct qd_device *dev);

/* The caller gives the stream work, between these; fails where it takes none. */
qd_status stream_enter(struct qd_stream *s, struct qd_error *err);
void stream_leave(struct qd_stream *s);
/* Between them, with the lock held; those that may let it go say so.
 *
 * Submits what is recorded, and pending waits.  May let the lock go. */
qd_status stream_flush(struct qd_stream *s, struct qd_error *err);
/* Makes the next batch wait.  May let the lock go. */
qd_status stream_behind(struct qd_stream *s, struct timeline *t, uint64_t value,
			struct qd_error *err);
/* A batch to record into and room in the ring, waiting for either if need be.
 * May let the lock go, but not after it has looked. */
qd_status stream_open(struct qd_stream *s, uint32_t size, struct qd_error *err);
/* The same for a command that takes a part of a batch, of which there are so many, and so
 * much time where there is a watchdog: a full one goes first.  fn: it is a dispatch of n
 * blocks; NULL: a copy or a fill of n bytes. */
qd_status stream_open_command(struct qd_stream *s, uint32_t size, struct qd_function *fn,
			      uint64_t n, struct qd_error *err);
/* Gives the device what was recorded: its part of the batch, or the batch if the device would
 * be idle without it. */
void stream_kick(struct qd_stream *s);
/* Waits without the lock, then delivers what has arrived. */
qd_status stream_wait_for(struct qd_stream *s, uint64_t value, struct qd_error *err);

/* -- watchdog.c: batches that do not take too long ------------------------------------------ */

qd_status watchdog_create(struct qd_device *dev, struct watchdog **out, struct qd_error *err);
void watchdog_free(struct watchdog *w);
/* Of the batch that is recorded, with the stream's lock held.  begin: it will have this
 * value.  fits: with one command more, as stream_open_command has it, it does not take
 * longer than a batch may.  remove: a dispatch that was added was not recorded. */
void watchdog_begin(struct watchdog *w, uint64_t value);
bool watchdog_fits(const struct watchdog *w, const struct qd_function *fn, uint64_t n);
void watchdog_add(struct watchdog *w, struct qd_function *fn, uint64_t n);
void watchdog_remove(struct watchdog *w, const struct qd_function *fn, uint64_t n);
/* It goes to the driver's queue now. */
void watchdog_submit(struct watchdog *w, uint64_t value, bool empty);
/* timeline_advance, with what the batches took that have passed. */
void watchdog_advance(struct watchdog *w, struct timeline *t, uint64_t done);
/* Nothing is measured any more. */
void watchdog_end(struct watchdog *w);

/* For tests: the clock, where it is not clock_ns. */
struct watchdog_hooks {
	uint64_t (*clock)(void);
};
extern struct watchdog_hooks watchdog_hooks;

/* -- transfer.c ---------------------------------------------------------------------- */

/* Is there room in the ring?  *oldest: the value that must pass for more. */
bool ring_has_room(struct ring *r, uint32_t size, uint64_t *oldest);
qd_status ring_create(struct qd_stream *s, struct qd_error *err);
/* Takes it, for the batch that is open; the offset.  dst: of a download. */
uint32_t ring_take(struct qd_stream *s, uint32_t size, void *dst, uint64_t ticket);

qd_status stream_upload(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src,
			size_t size, struct qd_error *err);
/* *ticket: its, for stream_arrive. */
qd_status stream_download(struct qd_stream *s, struct qd_buffer *buf, size_t offset, void *dst,
			  size_t size, uint64_t *ticket, struct qd_error *err);
/* Through the ring, between stream_enter and stream_leave; what it writes is staged
 * already. */
qd_status stream_write(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src,
		       size_t size, struct qd_error *err);
/* This download will not be delivered. */
void stream_forget_one(struct qd_stream *s, uint64_t ticket);
/* Pending downloads become copies in the stream, because what they read is about
 * to change.  May let the lock go. */
qd_status stream_stage(struct qd_stream *s, struct qd_error *err);
/* Gives back the ring where nothing is in it, with the lock held. */
bool ring_drop(struct qd_stream *s);
/* Delivers what has arrived. */
void stream_deliver(struct qd_stream *s);
bool stream_delivered(const struct qd_stream *s, uint64_t ticket);
/* What will not be delivered any more is let go. */
void stream_forget(struct qd_stream *s);

/* -- copy.c: what stays on the device --------------------------------------------------- */

qd_status stream_copy(struct qd_stream *s, struct qd_buffer *dst, size_t to, struct qd_buffer *src,
		      size_t from, size_t size, struct qd_error *err);
/* With a value of unit bytes, 1, 2, 4 or 8, again and again. */
qd_status stream_fill(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size,
		      const void *value, uint32_t unit, struct qd_error *err);

/* -- dispatch.c ------------------------------------------------------------------------ */

qd_status stream_launch(struct qd_stream *s, const struct launch *l, struct qd_error *err);

/* -- report.c: what launches report; with the stream's lock held, but for report_log ---------- */

/* The batch that is open gets the next dispatch of a launch that may report: fills in what
 * belongs to it of the argument block. */
qd_status report_prepare(struct qd_stream *s, const struct launch *l, struct qd_error *err);
/* The batch that is open is complete, and passes with this value; or it is lost. */
void report_record(struct qd_stream *s, uint64_t value);
void report_drop(struct qd_stream *s);
/* Reads what batches have reported that have passed. */
void report_collect(struct qd_stream *s);
/* What they have, told once. */
qd_status report_ended(struct qd_stream *s, struct qd_error *err);
/* Takes what is to be logged of it; logs and frees that. */
struct buf report_texts(struct qd_stream *s);
void report_log(struct qd_context *ctx, struct buf *texts);
void report_free(struct qd_stream *s);

/* -- buffer_lifetime.c: who uses a buffer, and what is freed while it is used ------------------------ */

/* The batch that is open uses it. */
qd_status use_note(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err);
/* Has every use of it passed that any stream was given? */
bool uses_passed(struct qd_buffer *buf);
/* What the stream is given next comes behind the zeroing of the buffer.  May let
 * the lock go. */
qd_status stream_behind_birth(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err);

/* Frees the memory, now or when its last use has passed. */
void buffer_dispose(struct qd_buffer *buf);
/* Frees those of the first `most` freed buffers that are out of use. */
void freed_collect(struct qd_device *dev, uint32_t most);
/* At the end of the device: nothing runs any more. */
void freed_fini(struct qd_device *dev);

#endif
