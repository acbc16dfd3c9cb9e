/* Stream implementation, hidden from drivers.
 *
 * Commands of a stream are recorded into a batch. The batch is submitted to the driver's queue
 * immediately if no work of the stream is in flight. Otherwise it is submitted when it is full,
 * when a thread waits or flushes, or when an event marks its end. A driver whose submissions
 * cost nothing beyond their commands gets each command immediately (start), and the batch's end
 * at those times. The stream's timeline counts completed batches.
 *
 * Every transfer and launch has a ticket, in the order of the stream. A download is delivered
 * when its bytes are at the caller's destination. Downloads are delivered in the order of their
 * tickets, and a sync returns when all up to its own are. A ticket is not a timeline value: a
 * pending download from memory that the host can access becomes a copy in a later batch if that
 * memory is about to change.
 *
 * Locks, outermost first: the list of devices (trim.c), a device's streams_lock (the list), a
 * stream's lock, a device's lock, its freed_lock, a buffer's uses. Inside a device's lock, locks
 * of streams are only tried. No lock is held during a wait for the device. A call that submits
 * work enters the stream and leaves it when it returns, so the work of several threads does not
 * interleave. If the call waits for the device, other calls that submit to the same stream wait
 * for it; other streams do not. */
#ifndef QD_RUNTIME_STREAM_H
#define QD_RUNTIME_STREAM_H

#include "device.h"

enum {
	MAX_COMMANDS = 64, /* dispatches, copies and fills in a batch, before it is submitted */
	MAX_PENDING = 64,  /* pending downloads from memory that the host can access */
	N_SLOT = 256,	   /* slots of a ring */
	FREED_LOOK = 4	   /* freed buffers examined when a buffer is created or freed */
};

struct batch {
	uint64_t value; /* timeline value that passes when the batch completes; 0: never used */
	struct timeline *held[MAX_WAITS];
	uint32_t n_held;
};

/* A slot of a ring, free again when `value` has passed. For a download, its bytes are then
 * copied to dst. */
struct slot {
	uint32_t at, size;
	uint64_t value, ticket;
	void *dst; /* NULL: no download */
	uint32_t dst_size;
};

/* Memory that host and device can access, through which a stream's uploads, downloads and
 * arguments pass in order. Created on first use. */
struct ring {
	struct device_memory memory;
	uint32_t size, head; /* size 0: not created */
	struct slot slots[N_SLOT];
	uint32_t first, n;    /* of slots, oldest first */
	uint32_t n_downloads; /* slots with a destination */
};

struct download {
	struct qd_buffer *buf; /* counted in its `reads` */
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
	bool entered; /* a thread is submitting work; others wait for `left` */
	uint32_t n_entering;
	pthread_cond_t left;
	uint64_t ticket;    /* of the last transfer or launch */
	uint64_t submitted; /* value of the last submitted batch */
	_Atomic uint64_t given; /* passes when all work given to the stream is done */
	uint64_t hinted;    /* value of the last batch that was not empty */
	enum { NO_BATCH, RECORDING, RECORDED } state;
	uint32_t at;	     /* batch being recorded, or recorded and not submitted */
	uint32_t n_commands; /* in it */
	qd_status broken;    /* recorded work was lost: every later call fails */
	char cause[256];     /* first line of that error */
	struct wait waits[MAX_WAITS]; /* waits of the next batch */
	uint32_t n_waits;
	struct batch batches[MAX_BATCH];
	struct download pending[MAX_PENDING]; /* all newer than the downloads in the ring */
	uint32_t n_pending;
	uint64_t staging; /* ticket of the pending download being staged; 0: none */
	struct ring ring;
	struct reports *reports; /* owned by report.c; NULL: no launch could report yet */
};

/* -- stream.c: timelines, batches, submission, waiting ---------------------------- */

struct timeline *timeline_ref(struct timeline *t);
void timeline_unref(struct timeline *t);
static inline bool
timeline_known(const struct timeline *t, uint64_t value)
{
	return atomic_load_explicit(&t->done, memory_order_acquire) >= value;
}
/* Sets *passed to whether the value has passed. Polls the driver only if that is unknown. */
qd_status timeline_passed(struct timeline *t, uint64_t value, bool *passed, struct qd_error *err);
/* Waits until the value has passed, for at most ns nanoseconds. */
qd_status timeline_wait(struct timeline *t, uint64_t value, uint64_t ns, bool *passed,
			struct qd_error *err);

qd_status device_check_lost(struct qd_device *dev, struct qd_error *err);

qd_status stream_create(struct qd_device *dev, struct qd_stream **out, struct qd_error *err);
void stream_free(struct qd_stream *s);
/* Waits until all work of the stream is done and delivered, for at most ns nanoseconds, then
 * reports how launches ended. ns 0: polls without reporting. */
qd_status stream_sync(struct qd_stream *s, uint64_t ns, bool *done, struct qd_error *err);
/* Waits for a download. If it fails, the download will not be delivered. */
qd_status stream_arrive(struct qd_stream *s, uint64_t ticket, struct qd_error *err);
/* Delivers completed downloads of the stream with this timeline id, if it still exists. */
void stream_deliver_of(struct qd_device *dev, uint64_t id);
/* Waits for all work of the device's streams, to regain memory. */
void streams_drain(struct qd_device *dev);
/* Submits the recorded work of streams that no thread is submitting to. Does not block. */
void streams_kick(struct qd_device *dev);
/* Frees empty rings. Returns whether there were any. Does not block. */
bool streams_trim(struct qd_device *dev);

/* Begin and end a call that submits work. stream_enter fails if the stream accepts none. */
qd_status stream_enter(struct qd_stream *s, struct qd_error *err);
void stream_leave(struct qd_stream *s);
/* The following are called between stream_enter and stream_leave, with the lock held. Functions
 * that may release the lock are marked.
 *
 * Submits recorded work and pending waits. May release the lock. */
qd_status stream_flush(struct qd_stream *s, struct qd_error *err);
/* Makes the next batch wait for a timeline value. May release the lock. */
qd_status stream_add_wait(struct qd_stream *s, struct timeline *t, uint64_t value,
			struct qd_error *err);
/* Begins a batch if none is being recorded, and makes room in the ring, waiting for either if
 * necessary. May release the lock, but not after its last check. */
qd_status stream_open(struct qd_stream *s, uint32_t size, struct qd_error *err);
/* Does the same for a command that counts against the limits of a batch: the number of commands
 * and, with a watchdog, the expected time. A full batch is submitted first. fn: a dispatch of n
 * blocks; NULL: a copy or fill of n bytes. */
qd_status stream_open_command(struct qd_stream *s, uint32_t size, struct qd_function *fn,
			      uint64_t n, struct qd_error *err);
/* Submits recorded work: the new part of the batch if the driver has `start`, else the batch if
 * the device would be idle without it. */
void stream_kick(struct qd_stream *s);
/* Releases the lock while it waits, then delivers completed downloads. */
qd_status stream_wait_for(struct qd_stream *s, uint64_t value, struct qd_error *err);

/* -- watchdog.c: limits the duration of batches -------------------------------------------- */

qd_status watchdog_create(struct qd_device *dev, struct watchdog **out, struct qd_error *err);
void watchdog_free(struct watchdog *w);
/* Functions on the batch being recorded, with the stream's lock held. begin: the batch will have
 * this value. fits: with one more command, as in stream_open_command, the batch stays within the
 * time limit. remove: an added dispatch was not recorded. */
void watchdog_begin(struct watchdog *w, uint64_t value);
bool watchdog_fits(const struct watchdog *w, const struct qd_function *fn, uint64_t n);
void watchdog_add(struct watchdog *w, struct qd_function *fn, uint64_t n);
void watchdog_remove(struct watchdog *w, const struct qd_function *fn, uint64_t n);
/* Called when the batch is submitted to the driver's queue. */
void watchdog_submit(struct watchdog *w, uint64_t value, bool empty);
/* Does timeline_advance, and records the durations of the batches that have passed. */
void watchdog_advance(struct watchdog *w, struct timeline *t, uint64_t done);
/* Ends all measurements. */
void watchdog_end(struct watchdog *w);

/* For tests: replaces clock_ns. */
struct watchdog_hooks {
	uint64_t (*clock)(void);
};
extern struct watchdog_hooks watchdog_hooks;

/* -- transfer.c ---------------------------------------------------------------------- */

/* Returns whether the ring has room. *oldest: the value that must pass for more room. */
bool ring_has_room(struct ring *r, uint32_t size, uint64_t *oldest);
qd_status ring_create(struct qd_stream *s, struct qd_error *err);
/* Takes room in the ring for the open batch and returns its offset. dst: destination of a
 * download. */
uint32_t ring_take(struct qd_stream *s, uint32_t size, void *dst, uint64_t ticket);

qd_status stream_upload(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src,
			size_t size, struct qd_error *err);
/* *ticket: the ticket of the download, for stream_arrive. */
qd_status stream_download(struct qd_stream *s, struct qd_buffer *buf, size_t offset, void *dst,
			  size_t size, uint64_t *ticket, struct qd_error *err);
/* Uploads through the ring, between stream_enter and stream_leave. Pending downloads must be
 * staged already. */
qd_status stream_write(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src,
		       size_t size, struct qd_error *err);
/* Cancels the delivery of this download. */
void stream_forget_one(struct qd_stream *s, uint64_t ticket);
/* Turns pending downloads into copies in the stream, because the memory they read is about to
 * change. May release the lock. */
qd_status stream_stage(struct qd_stream *s, struct qd_error *err);
/* Frees the ring if it is empty, with the lock held. */
bool ring_drop(struct qd_stream *s);
/* Delivers completed downloads. */
void stream_deliver(struct qd_stream *s);
bool stream_delivered(const struct qd_stream *s, uint64_t ticket);
/* Drops all downloads that will not be delivered. */
void stream_forget(struct qd_stream *s);

/* -- copy.c: copies and fills on the device ------------------------------------------------ */

qd_status stream_copy(struct qd_stream *s, struct qd_buffer *dst, size_t to, struct qd_buffer *src,
		      size_t from, size_t size, struct qd_error *err);
/* Fills with repetitions of a value of `unit` bytes: 1, 2, 4 or 8. */
qd_status stream_fill(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size,
		      const void *value, uint32_t unit, struct qd_error *err);

/* -- dispatch.c ------------------------------------------------------------------------ */

qd_status stream_launch(struct qd_stream *s, const struct launch *l, struct qd_error *err);

/* -- report.c: reports of launches; requires the stream's lock, except report_log -------------- */

/* Prepares the next dispatch, in the open batch, of a launch that may report: fills in its part
 * of the argument block. */
qd_status report_prepare(struct qd_stream *s, const struct launch *l, struct qd_error *err);
/* Completes the open batch, which passes with this value; report_drop: the batch is lost. */
void report_record(struct qd_stream *s, uint64_t value);
void report_drop(struct qd_stream *s);
/* Reads the reports of batches that have passed. */
void report_collect(struct qd_stream *s);
/* Returns what the batches have reported, once. */
qd_status report_ended(struct qd_stream *s, struct qd_error *err);
/* Takes the messages to log; report_log logs and frees them. */
struct buf report_texts(struct qd_stream *s);
void report_log(struct qd_context *ctx, struct buf *texts);
void report_free(struct qd_stream *s);

/* -- buffer_lifetime.c: uses of buffers, and deferred freeing ---------------------------------------- */

/* Records that the open batch uses the buffer. */
qd_status use_note(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err);
/* Returns whether all uses by all streams have passed. */
bool uses_passed(struct qd_buffer *buf);
/* Orders the next work of the stream after the zeroing of the buffer. May release the lock. */
qd_status stream_wait_zeroed(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err);

/* Frees the memory, now or when its last use has passed. */
void buffer_dispose(struct qd_buffer *buf);
/* Frees those of the first `most` freed buffers that are no longer used. */
void freed_collect(struct qd_device *dev, uint32_t most);
/* Frees the list when the device is closed and no work runs. */
void freed_fini(struct qd_device *dev);

#endif
