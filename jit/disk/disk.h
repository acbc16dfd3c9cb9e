/* The disk cache: what drivers made of images, for the next process (docs/cache.md).
 * Never what qd itself emits, which costs less than reading a file.  A file that is
 * damaged, foreign or gone is a miss; nothing here fails a launch. */
#ifndef QD_JIT_DISK_H
#define QD_JIT_DISK_H

#include <sys/types.h>
#include <time.h>

#include "jit.h"

/* On disk: numbers never change. */
enum disk_kind { DISK_CUBIN = 1, DISK_PIPELINE = 2, DISK_N_KIND };

/* Whose product it is, as texts: another text is another driver's, or device's. */
struct disk_driver {
	const char *name, *version, *device;
};

/* Why something was not there; a counter of struct qd_cache_stats each. */
enum disk_why {
	WHY_NEW,      /* the kernel is not known */
	WHY_TEMPLATE, /* it is, with other template values, */
	WHY_DRIVER,   /* or of another driver or another version of it, */
	WHY_DEVICE,   /* or for another device or target, */
	WHY_EMITTER,  /* or as another version of qd emitted it */
	WHY_EVICTED,  /* it was there, and had to go for others */
	WHY_DAMAGED,  /* the file was not what it should be, or the driver did not take it */
	WHY_OFF,      /* the cache is off, or could not be read */
	N_WHY
};

/* -- For drivers -------------------------------------------------------------------- */

struct disk;

/* One question, whose answer is good until disk_done. */
struct disk_ask {
	struct disk *disk; /* NULL: the cache is off; all calls do nothing then */
	enum disk_kind kind;
	struct buf key;
	struct hash128 hash; /* of key */
	struct hash128 kernel; /* what the index knows it by, whatever its template values */
	uint64_t chosen;       /* of those that its IR has */
	struct pool_block *block; /* the file; NULL: it is not there */
	const void *payload; /* in block, aligned to 16 bytes; NULL: a miss */
	size_t size;
	dev_t dev; /* of the file, to know it again */
	ino_t ino;
	struct timespec changed;
	time_t used; /* last */
};

/* Is there what the driver made of this image?  false: the cache is off.  Always followed
 * by disk_done. */
bool disk_ask(struct disk_ask *a, const struct qd_image *img, enum disk_kind kind,
	      const struct disk_driver *driver);
/* The driver took the payload: a hit. */
void disk_took(struct disk_ask *a);
/* It did not: the file goes, and this is a miss. */
void disk_refused(struct disk_ask *a, const char *why);
/* To be kept, with what the driver's compiler said.  The bytes are copied; they are
 * written later, by a thread of the context's. */
void disk_keep(struct disk_ask *a, const void *payload, size_t size, const char *log);
void disk_done(struct disk_ask *a);

/* Adds to the counters that are the disk's. */
void disk_stats(struct qd_context *ctx, struct qd_cache_stats *out);
/* Waits until all that was given to be kept is written, or dropped. */
void disk_flush(struct qd_context *ctx);

/* -- For programs ------------------------------------------------------------------- */

/* A cache's folder, open: its v1, below which all stands. */
struct disk_dir {
	int fd;
	struct pool *pool;
	char path[1024]; /* of what stands above v1 */
};

/* The folder at `path`; NULL: the one that the environment names.  make: where it is not
 * there it is made; else QD_E_UNAVAILABLE.  foreign: root's will do too, for who only
 * reads; one that others own or write to is QD_E_INVALID. */
qd_status disk_dir_open(struct disk_dir *d, struct pool *pool, const char *path, bool make,
			bool foreign, struct qd_error *err);
void disk_dir_close(struct disk_dir *d);

struct disk_item {
	const char *file;  /* below the folder: "v1/0f/....qdc" */
	const char *wrong; /* what is wrong with it, or NULL; then: */
	enum disk_kind kind;
	const char *kernel, *target, *driver, *version, *device, *log; /* log: log_size bytes */
	const void *values; /* of templates, 32 bits each; not aligned */
	uint32_t n_values, log_size;
	uint64_t payload_size;
	int64_t created; /* seconds since 1970 */
	/* In any case: */
	uint64_t size; /* of the file */
	int64_t used;  /* last, within the hour */
};

/* Every entry, read and checked, in no order.  Where fn says true the file goes. */
qd_status disk_each(struct disk_dir *d, bool (*fn)(void *user, const struct disk_item *item),
		    void *user, struct qd_error *err);

struct disk_total {
	uint64_t entries, bytes;       /* of files of entries */
	uint64_t index_files, index_bytes;
	uint64_t temporaries;	       /* of writers that are at it, or were killed */
};
/* Without reading them. */
qd_status disk_total(struct disk_dir *d, struct disk_total *out, struct qd_error *err);
/* All files of the cache's go; what else stands there stays. */
qd_status disk_clear(struct disk_dir *d, struct disk_total *gone, struct qd_error *err);

/* Entries go, those used longest ago first, until `most` bytes are left (0: any number),
 * and temporaries that are `age` seconds old.  Does nothing where another process is at
 * it: *gone is zeros. */
qd_status disk_sweep(struct disk_dir *d, uint64_t most, int64_t age, struct disk_total *gone,
		     struct qd_error *err);

#endif
