/* Fixture of the disk cache's tests: a temporary directory, and a context with a kernel that has
 * template values. */
#ifndef DISK_RIG_H
#define DISK_RIG_H

#include "disk_file.h"
#include "unit.h"

struct disk_rig {
	struct unit_alloc alloc;
	char top[64], dir[128]; /* temporary directory; the cache's directory in it */
	struct qd_context *ctx;
	struct qd_kernel *kernel; /* adds the lane's index in its tile of 2^L lanes to a[i] */
	char log[8192];		  /* messages of component cache: "level text\n" */
	bool debug;		  /* include debug messages */
	struct qd_error e;
};

extern const struct disk_driver disk_rig_driver;

/* Creates the directory, but no context. */
bool disk_rig_begin(struct unit_ctx *t, struct disk_rig *r);
/* Creates a context, like another process. */
bool disk_rig_context(struct unit_ctx *t, struct disk_rig *r, qd_cache_mode mode);
bool disk_rig_context_at(struct unit_ctx *t, struct disk_rig *r, qd_cache_mode mode, const char *dir);
/* Frees the context, which completes all pending writes. */
void disk_rig_shut(struct unit_ctx *t, struct disk_rig *r);
/* Frees everything and removes the directory. */
void disk_rig_end(struct unit_ctx *t, struct disk_rig *r);

struct qd_image *disk_rig_image(struct unit_ctx *t, struct disk_rig *r, const char *target, int l);
struct qd_cache_stats disk_rig_stats(struct disk_rig *r);
/* Checks the counters. Counters that are not given must be 0. */
struct disk_want {
	uint64_t hits, writes, dropped, why[N_WHY];
};
void disk_rig_want(struct unit_ctx *t, struct disk_rig *r, const char *what, struct disk_want w);
/* Looks up the image. On a miss it stores `size` bytes derived from the image. On a hit it checks
 * and accepts the bytes. */
void disk_rig_ask(struct unit_ctx *t, struct disk_rig *r, const struct qd_image *img,
		  const struct disk_driver *driver, size_t size);

/* Does one such lookup of 1000 bytes in a new context. */
void disk_rig_once(struct unit_ctx *t, struct disk_rig *r, const char *what, const char *target, int l,
		   const struct disk_driver *driver, struct disk_want want);
#define DISK_WHY(row) .why = { [WHY_##row] = 1 }

/* Returns the path of the n-th entry or index file, by name, or false if there is none. */
bool disk_rig_file(struct disk_rig *r, bool index, unsigned n, char out[256]);
unsigned disk_rig_count(struct disk_rig *r, bool index);
/* Reads a file into a block that the caller frees. */
char *disk_rig_read(const char *path, size_t *size);
void disk_rig_write(const char *path, const void *p, size_t size);
/* Sets a variable, or removes it if value is NULL, and saves its previous value. */
void disk_rig_env(const char *name, const char *value);
void disk_rig_env_back(void);

#endif
