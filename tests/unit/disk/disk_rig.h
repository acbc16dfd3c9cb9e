/* What the tests of the disk cache share: a folder of their own, and a context with a
 * kernel that has templates. */
#ifndef DISK_RIG_H
#define DISK_RIG_H

#include "disk_file.h"
#include "unit.h"

struct disk_rig {
	struct unit_alloc alloc;
	char top[64], dir[128]; /* a folder that is removed at the end; the cache's below it */
	struct qd_context *ctx;
	struct qd_kernel *kernel; /* adds the lane of its tile of 2^L lanes to a[i] */
	char log[8192];		  /* of component cache: "level text\n" */
	bool debug;		  /* that level, too */
	struct qd_error e;
};

extern const struct disk_driver disk_rig_driver;

/* Makes the folder; no context yet. */
bool disk_rig_begin(struct unit_ctx *t, struct disk_rig *r);
/* A context, as another process would have one. */
bool disk_rig_context(struct unit_ctx *t, struct disk_rig *r, qd_cache_mode mode);
bool disk_rig_context_at(struct unit_ctx *t, struct disk_rig *r, qd_cache_mode mode, const char *dir);
/* Frees it; all that was given to be kept is written then. */
void disk_rig_shut(struct unit_ctx *t, struct disk_rig *r);
/* All of it. */
void disk_rig_end(struct unit_ctx *t, struct disk_rig *r);

struct qd_image *disk_rig_image(struct unit_ctx *t, struct disk_rig *r, const char *target, int l);
struct qd_cache_stats disk_rig_stats(struct disk_rig *r);
/* The counters are these; the others are 0. */
struct disk_want {
	uint64_t hits, writes, dropped, why[N_WHY];
};
void disk_rig_want(struct unit_ctx *t, struct disk_rig *r, const char *what, struct disk_want w);
/* Asks; on a miss it gives `size` bytes to be kept that follow from the image, on a hit it
 * takes them, if they are these. */
void disk_rig_ask(struct unit_ctx *t, struct disk_rig *r, const struct qd_image *img,
		  const struct disk_driver *driver, size_t size);

/* One such question of 1000 bytes, in a context of its own. */
void disk_rig_once(struct unit_ctx *t, struct disk_rig *r, const char *what, const char *target, int l,
		   const struct disk_driver *driver, struct disk_want want);
#define DISK_WHY(row) .why = { [WHY_##row] = 1 }

/* The path of the n-th entry, or index file, in order of their names; false: there is none. */
bool disk_rig_file(struct disk_rig *r, bool index, unsigned n, char out[256]);
unsigned disk_rig_count(struct disk_rig *r, bool index);
/* A whole file, into memory of malloc's. */
char *disk_rig_read(const char *path, size_t *size);
void disk_rig_write(const char *path, const void *p, size_t size);
/* Sets a variable (NULL: takes it away), and keeps what it was. */
void disk_rig_env(const char *name, const char *value);
void disk_rig_env_back(void);

#endif
