/* Internal interface of the disk cache: directory and files, index, settings, and thread. */
#ifndef QD_JIT_DISK_FILE_H
#define QD_JIT_DISK_FILE_H

#include <sys/stat.h>

#include "disk_entry.h"

/* -- disk_dir.c: settings, the directory, files in it ----------------------------------- */

enum disk_mode { DISK_OFF, DISK_READ, DISK_ON };

struct disk_settings {
	enum disk_mode mode;
	uint64_t most; /* limit in bytes; 0: none */
	char path[1024]; /* "" if mode is DISK_OFF */
	bool chosen;   /* the caller or a variable names the directory */
	char wrong[512]; /* warning about a variable, or "" */
};

/* Reads the settings from the context and the environment. */
void disk_settings(const struct qd_context *ctx, struct disk_settings *out);

enum { FILE_NAME = 48 }; /* "0f/", 32 digits and ".qdc" are 39 bytes */

void file_name(char out[FILE_NAME], const uint64_t key[2]);
/* Writes 32 hexadecimal digits. */
void file_hash(char out[33], struct hash128 h);
/* Reads a whole file. Returns 0, or an errno value with *out NULL. ENOENT: no such file; EBADMSG:
 * not a file of the cache; other values: a lack of resources. */
int file_read(const struct disk_dir *d, const char *name, size_t most, struct pool_block **out,
	      size_t *size, struct stat *st);
/* Writes a temporary file in the directory of `name`, then renames it. Returns 0 or an errno
 * value. */
int file_write(const struct disk_dir *d, const char *name, const void *bytes, size_t size);
/* Opens the directory of "0f/..."; *name points to the file name in path. Returns a descriptor,
 * which the caller closes, or -1 with errno. */
int file_folder(const struct disk_dir *d, const char *path, const char **name);
/* Removes the file, or a directory of this name. Returns true if it existed. */
bool file_unlink(const struct disk_dir *d, const char *path);
/* Removes the file if it is still the identified one. */
void file_remove(const struct disk_dir *d, const char *name, dev_t dev, ino_t ino,
		 const struct timespec *changed);
bool file_is_temporary(const char *name);
/* Returns true if name is this number of digits 0-9 a-f, followed by `rest`. */
bool file_is_hash(const char *name, size_t digits, const char *rest);

/* -- disk_index.c: history of the entries of a kernel ---------------------------------- */

enum { MAX_MARKS = 64 }; /* of a kernel */

/* Reads the records of a kernel, oldest first. Returns their number. */
uint32_t marks_read(const struct disk_dir *d, struct hash128 kernel, struct mark out[MAX_MARKS]);
/* Returns 0 or an errno value. */
int marks_add(const struct disk_dir *d, struct hash128 kernel, const struct mark *m);
enum disk_why marks_why(const struct mark *m, const struct mark *all, uint32_t n);

/* -- disk_queue.c: writer thread ------------------------------------------------------ */

enum { MAX_JOBS = 256, MAX_JOB_BYTES = 64 << 20 };

struct job {
	struct job *next;
	char name[FILE_NAME];
	struct hash128 kernel;
	struct mark mark;
	struct buf bytes; /* an entry without its checksum */
};

struct disk_queue {
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	pthread_t thread;
	bool started, stop;
	struct job *first, **end; /* the first is being written */
	uint32_t n;
	size_t bytes;
};

void queue_init(struct disk_queue *q);
/* Writes all pending jobs and ends the thread. */
void queue_fini(struct disk *disk);
/* Takes ownership of the job and returns NULL, or returns the reason for rejecting it. */
const char *queue_put(struct disk *disk, struct job *j);
void queue_flush(struct disk *disk);
/* Appends the records of the kernel's pending jobs, except `but`, to n marks. Returns the new
 * number. */
uint32_t queue_marks(struct disk *disk, struct hash128 kernel, const struct mark *but,
		     struct mark all[MAX_MARKS], uint32_t n);

/* -- disk.c ----------------------------------------------------------------------------- */

struct disk {
	struct qd_context *ctx;
	struct disk_settings set;
	pthread_mutex_t lock; /* protects opened and warned */
	bool opened;	      /* opening was attempted */
	struct disk_dir dir;  /* valid unless mode is DISK_OFF */
	bool warned;	      /* a warning about a write error was logged */
	struct disk_queue queue;
	uint64_t unswept; /* bytes written but not yet counted; accessed by the thread only */
	_Atomic uint64_t hits, writes, dropped, why[N_WHY];
};

/* Runs a job; called by the thread. */
void disk_write(struct disk *disk, struct job *j);

/* -- disk_sweep.c -------------------------------------------------------------------- */

enum { TEMPORARY_AGE = 600, LOOK_AGE = 60 }; /* seconds */

/* Prepares for a write of `size` bytes: adds them to the bytes that all processes have written since
 * the last sweep. If this exceeds a sixteenth of `most`, or LOOK_AGE has passed, sweeps. Returns
 * false, without counting the bytes, if another process holds the lock. */
bool sweep_before(struct disk_dir *d, uint64_t most, uint64_t size);

#endif
