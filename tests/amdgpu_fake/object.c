/* Objects: live, ended, and left at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "control.h"
#include "fake.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t moved;
struct pool pool;

enum { MOST_DEAD = 4096 };

/* Objects that have ended, oldest first, kept for a while to report their use. */
static struct object *dead, **dead_end = &dead;
static unsigned n_dead;
static unsigned n_alive[N_KIND];
static const char *const kinds[N_KIND] = { "devices", "buffers", "address ranges", "buffer lists",
					   "contexts" };

__attribute__((constructor)) static void
begin(void)
{
	pthread_condattr_t a;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&moved, &a);
	pthread_condattr_destroy(&a);
	pool_init(&pool, &pool_malloc);
}

__attribute__((destructor)) static void
end(void)
{
	char text[256];
	objects_left(text, sizeof text);
	fake_end(text);
}

void
object_add(struct object *o, enum kind kind)
{
	o->kind = kind;
	n_alive[kind]++;
}

void
object_end(struct object *o)
{
	struct object *oldest = dead;
	o->dead = true;
	n_alive[o->kind]--;
	o->next = NULL;
	*dead_end = o;
	dead_end = &o->next;
	if (++n_dead <= MOST_DEAD)
		return;
	dead = oldest->next;
	n_dead--;
	free(oldest);
}

bool
object_ok(const char *call, const void *object, enum kind kind)
{
	const struct object *o = object;
	if (!o)
		return false;
	if (!o->dead && o->kind == kind)
		return true;
	fake_report(CHECK_handle, call, "it is one of %s%s", kinds[o->kind],
		  o->dead ? ", and gone" : "");
	return false;
}

unsigned
objects_left(char *text, size_t size)
{
	unsigned sum = 0;
	size_t at = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < N_KIND; i++) {
		sum += n_alive[i];
		if (n_alive[i] && at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%u of %s", at ? ", " : "",
					       n_alive[i], kinds[i]);
	}
	return sum;
}

unsigned
fake_amdgpu_left(char *text, size_t size)
{
	pthread_mutex_lock(&lock);
	unsigned n = objects_left(text, size);
	pthread_mutex_unlock(&lock);
	return n;
}

uint64_t
now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
