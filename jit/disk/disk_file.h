/* The disk cache inside the room: its folder and files, index, settings and thread. */
#ifndef QD_JIT_DISK_FILE_H
#define QD_JIT_DISK_FILE_H

#include <sys/stat.h>

#include "disk_entry.h"

/* -- disk_dir.c: settings, the folder, files in it -------------------------------------- */

enum disk_mode { DISK_OFF, DISK_READ, DISK_ON };

struct disk_settings {
	enum disk_mode mode;
	uint64_t most; /* bytes; 0: any number */
	char path[1024]; /* "" where mode is DISK_OFF */
	bool chosen;   /* the caller or a variable names the folder */
	char wrong[512]; /* of a variable, or "" */
};

/* What the context and the environment say; *wrong is one warning. */
void disk_settings(const struct qd_context *ctx, struct disk_settings *out);

enum { FILE_NAME = 48 }; /* "0f/" and 32 digits and ".qdc" are 39 */

void file_name(char out[FILE_NAME], const uint64_t key[2]);
/* 32 digits. */
void file_hash(char out[33], struct hash128 h);
/* The whole file; *out is NULL where it is not good for anything: 0, or errno.  ENOENT:
 * it is not there; EBADMSG: it is no file of ours; else the machine is short of something. */
int file_read(const struct disk_dir *d, const char *name, size_t most, struct pool_block **out,
	      size_t *size, struct stat *st);
/* Under a name of its own in the folder of `name`, then renamed: 0, or errno. */
int file_write(const struct disk_dir *d, const char *name, const void *bytes, size_t size);
/* The folder of "0f/..." and the name in it; -1 and errno.  The caller closes it. */
int file_folder(const struct disk_dir *d, const char *path, const char **name);
/* Removes the file, or a folder in its place; was it there? */
bool file_unlink(const struct disk_dir *d, const char *path);
/* If it is that one still. */
void file_remove(const struct disk_dir *d, const char *name, dev_t dev, ino_t ino,
		 const struct timespec *changed);
bool file_is_temporary(const char *name);
/* So many digits of 0-9 a-f, and what follows them. */
bool file_is_hash(const char *name, size_t digits, const char *rest);

/* -- disk_index.c: what was there, by kernel ------------------------------------------- */

enum { MAX_MARKS = 64 }; /* of a kernel */

/* Those of this kernel, oldest first; so many. */
uint32_t marks_read(const struct disk_dir *d, struct hash128 kernel, struct mark out[MAX_MARKS]);
/* 0, or errno. */
int marks_add(const struct disk_dir *d, struct hash128 kernel, const struct mark *m);
enum disk_why marks_why(const struct mark *m, const struct mark *all, uint32_t n);

/* -- disk_queue.c: the thread that writes --------------------------------------------- */

enum { MAX_JOBS = 256, MAX_JOB_BYTES = 64 << 20 };

struct job {
	struct job *next;
	char name[FILE_NAME];
	struct hash128 kernel;
	struct mark mark;
	struct buf bytes; /* a whole entry without its sum */
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
/* Writes what there is, and ends the thread. */
void queue_fini(struct disk *disk);
/* Takes the job, or says why not. */
const char *queue_put(struct disk *disk, struct job *j);
void queue_flush(struct disk *disk);
/* Adds to n marks those of the kernel that wait, but this one; how many there are then. */
uint32_t queue_marks(struct disk *disk, struct hash128 kernel, const struct mark *but,
		     struct mark all[MAX_MARKS], uint32_t n);

/* -- disk.c ----------------------------------------------------------------------------- */

struct disk {
	struct qd_context *ctx;
	struct disk_settings set;
	pthread_mutex_t lock; /* of opening, and of told */
	bool opened;	      /* or tried to */
	struct disk_dir dir;  /* where mode is not DISK_OFF */
	bool told;	      /* of a file that cannot be written */
	struct disk_queue queue;
	uint64_t unswept; /* bytes written that no count has yet; the thread's */
	_Atomic uint64_t hits, writes, dropped, why[N_WHY];
};

/* One job, in the thread. */
void disk_write(struct disk *disk, struct job *j);

/* -- disk_sweep.c -------------------------------------------------------------------- */

enum { TEMPORARY_AGE = 600, LOOK_AGE = 60 }; /* seconds */

/* Before so many bytes are written by this process: adds them to what all processes have
 * written since the folder was last looked at.  If that is a sixteenth of what it may hold, or
 * was long ago, looks at it and makes room.  false: another process is at it, and the bytes are
 * not counted yet. */
bool sweep_before(struct disk_dir *d, uint64_t most, uint64_t size);

#endif
