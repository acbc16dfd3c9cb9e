/* The writer thread, so that launches never wait for a file. The first job starts it; freeing the
 * context writes the pending jobs and joins it. Entries beyond the queue's limits are dropped and
 * will be compiled again. */
#include <signal.h>

#include "disk_file.h"

void
queue_init(struct disk_queue *q)
{
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->work, NULL);
	pthread_cond_init(&q->idle, NULL);
	q->end = &q->first;
}

static void *
run(void *arg)
{
	struct disk *disk = arg;
	struct disk_queue *q = &disk->queue;
	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!q->first && !q->stop)
			pthread_cond_wait(&q->work, &q->lock);
		struct job *j = q->first;
		if (!j)
			break;
		/* The job stays first in the list during the write, so that queue_marks finds it. */
		pthread_mutex_unlock(&q->lock);
		disk_write(disk, j);
		pthread_mutex_lock(&q->lock);
		q->first = j->next;
		if (!q->first) {
			q->end = &q->first;
			pthread_cond_broadcast(&q->idle);
		}
		q->n--;
		q->bytes -= j->bytes.len;
		buf_fini(&j->bytes);
		pool_delete(&disk->ctx->pool, j);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* Starts the thread with all signals blocked: signals belong to the program, and exceeding a file
 * size limit must be an error of write() instead of SIGXFSZ. */
static bool
start(struct disk *disk)
{
	struct disk_queue *q = &disk->queue;
	sigset_t all, old;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
		return false;
	q->started = pthread_create(&q->thread, NULL, run, disk) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return q->started;
}

const char *
queue_put(struct disk *disk, struct job *j)
{
	struct disk_queue *q = &disk->queue;
	const char *why = NULL;
	pthread_mutex_lock(&q->lock);
	if (q->n >= MAX_JOBS || q->bytes + j->bytes.len > MAX_JOB_BYTES)
		why = "too many entries wait to be written";
	else if (!q->started && !start(disk))
		why = "there is no thread to write it";
	if (!why) {
		j->next = NULL;
		*q->end = j;
		q->end = &j->next;
		q->n++;
		q->bytes += j->bytes.len;
		pthread_cond_signal(&q->work);
	}
	pthread_mutex_unlock(&q->lock);
	return why;
}

uint32_t
queue_marks(struct disk *disk, struct hash128 kernel, const struct mark *but,
	    struct mark all[MAX_MARKS], uint32_t n)
{
	struct disk_queue *q = &disk->queue;
	pthread_mutex_lock(&q->lock);
	for (const struct job *j = q->first; j && n < MAX_MARKS; j = j->next) {
		if (j->kernel.lo == kernel.lo && j->kernel.hi == kernel.hi &&
		    (j->mark.key[0] != but->key[0] || j->mark.key[1] != but->key[1]))
			all[n++] = j->mark;
	}
	pthread_mutex_unlock(&q->lock);
	return n;
}

void
queue_flush(struct disk *disk)
{
	struct disk_queue *q = &disk->queue;
	pthread_mutex_lock(&q->lock);
	while (q->first)
		pthread_cond_wait(&q->idle, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

void
queue_fini(struct disk *disk)
{
	struct disk_queue *q = &disk->queue;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_signal(&q->work);
	pthread_mutex_unlock(&q->lock);
	if (q->started)
		pthread_join(q->thread, NULL);
	pthread_cond_destroy(&q->idle);
	pthread_cond_destroy(&q->work);
	pthread_mutex_destroy(&q->lock);
}
