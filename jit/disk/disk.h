/* The disk cache: results of drivers' compilers, kept for later processes (docs/cache.md).
 * Code that qd emits is not cached, because emitting it costs less than reading a file. A
 * damaged, foreign or missing file is a miss; no error of the cache fails a launch. */
#ifndef QD_JIT_DISK_H
#define QD_JIT_DISK_H

#include <sys/types.h>
#include <time.h>

#include "jit.h"

/* Stored on disk: the numbers must not change. */
enum disk_kind { DISK_CUBIN = 1, DISK_PIPELINE = 2, DISK_N_KIND };

/* Driver and device that an entry belongs to; the strings are part of the key. */
struct disk_driver {
	const char *name, *version, *device;
};

/* Reasons for a miss; struct qd_cache_stats has a counter for each. */
enum disk_why {
	WHY_NEW,      /* unknown kernel */
	WHY_TEMPLATE, /* known with other template values */
	WHY_DRIVER,   /* known for another driver or driver version */
	WHY_DEVICE,   /* known for another device or target */
	WHY_EMITTER,  /* known as emitted by another version of qd */
	WHY_EVICTED,  /* evicted */
	WHY_DAMAGED,  /* the file is invalid, or the driver rejected its payload */
	WHY_OFF,      /* the cache is off or unreadable */
	N_WHY
};

/* -- For drivers -------------------------------------------------------------------- */

struct disk;

/* A lookup; its result is valid until disk_done. */
struct disk_ask {
	struct disk *disk; /* NULL: the cache is off, and all calls do nothing */
	enum disk_kind kind;
	struct buf key;
	struct hash128 hash; /* of key */
	struct hash128 kernel; /* key of the index, independent of template values */
	uint64_t chosen;       /* hash of the template values that the IR contains */
	struct pool_block *block; /* contents of the file; NULL: no file */
	const void *payload; /* in block, aligned to 16 bytes; NULL: a miss */
	size_t size;
	dev_t dev; /* dev, ino and changed identify the file */
	ino_t ino;
	struct timespec changed;
	time_t used; /* time of the last use */
};

/* Looks up the driver's result for this image. Returns false if the cache is off. The caller
 * must call disk_done in either case. */
bool disk_ask(struct disk_ask *a, const struct qd_image *img, enum disk_kind kind,
	      const struct disk_driver *driver);
/* Counts a hit: the driver accepted the payload. */
void disk_took(struct disk_ask *a);
/* Counts a miss and removes the file: the driver rejected the payload. */
void disk_refused(struct disk_ask *a, const char *why);
/* Stores a payload with the log of the driver's compiler. Copies the bytes; a thread of the
 * context writes them later. */
void disk_keep(struct disk_ask *a, const void *payload, size_t size, const char *log);
void disk_done(struct disk_ask *a);

/* Adds the counters of the disk cache to out. */
void disk_stats(struct qd_context *ctx, struct qd_cache_stats *out);
/* Waits until all pending entries are written or dropped. */
void disk_flush(struct qd_context *ctx);

/* -- For programs ------------------------------------------------------------------- */

/* An open cache directory. All files are in its subdirectory v1. */
struct disk_dir {
	int fd; /* of v1 */
	struct pool *pool;
	char path[1024]; /* of the parent of v1 */
};

/* Opens the directory at `path`; NULL: the one that the environment names. make: creates a missing
 * directory, which otherwise is QD_E_UNAVAILABLE. foreign: also accepts a directory of root, for
 * reading. A directory that other users own or may write to is QD_E_INVALID. */
qd_status disk_dir_open(struct disk_dir *d, struct pool *pool, const char *path, bool make,
			bool foreign, struct qd_error *err);
void disk_dir_close(struct disk_dir *d);

struct disk_item {
	const char *file;  /* relative to the directory: "v1/0f/....qdc" */
	const char *wrong; /* the error, or NULL. Valid only if NULL: */
	enum disk_kind kind;
	const char *kernel, *target, *driver, *version, *device, *log; /* log: log_size bytes */
	const void *values; /* template values, 32 bits each; not aligned */
	uint32_t n_values, log_size;
	uint64_t payload_size;
	int64_t created; /* seconds since 1970 */
	/* Always valid: */
	uint64_t size; /* of the file */
	int64_t used;  /* last use, to the hour */
};

/* Reads and validates every entry, in no particular order. If fn returns true, removes the file. */
qd_status disk_each(struct disk_dir *d, bool (*fn)(void *user, const struct disk_item *item),
		    void *user, struct qd_error *err);

struct disk_total {
	uint64_t entries, bytes;       /* of files of entries */
	uint64_t index_files, index_bytes;
	uint64_t temporaries;	       /* of active or killed writers */
};
/* Counts the files without reading them. */
qd_status disk_total(struct disk_dir *d, struct disk_total *out, struct qd_error *err);
/* Removes all files of the cache, but no other files in the directory. */
qd_status disk_clear(struct disk_dir *d, struct disk_total *gone, struct qd_error *err);

/* Removes the least recently used entries until `most` bytes remain (0: no limit), and temporary
 * files older than `age` seconds. If another process is sweeping, does nothing and sets *gone to
 * zeros. */
qd_status disk_sweep(struct disk_dir *d, uint64_t most, int64_t age, struct disk_total *gone,
		     struct qd_error *err);

#endif
