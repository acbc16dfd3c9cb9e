/* Handles, contexts and memory. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control.h"
#include "fake.h"

enum { BUCKETS = 4096, PAGE = 4096, ALIGN = 512, DEEP = 16 };

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct pool pool;

static struct object *buckets[BUCKETS];
static uint64_t last_id;
static unsigned n_objects[N_KIND];
static const char *const kinds[N_KIND] = { "context", "stream", "event", "module", "function",
					   "linker state", "device memory", "host memory" };

void
wrong(const char *call, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fprintf(stderr, "fake CUDA: %s: ", call);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

/* -- Handles ------------------------------------------------------------------------ */

static const uint64_t handle_base = UINT64_C(0xcdaf00000000);

void *
handle_of(const struct object *o)
{
	return (void *)(uintptr_t)(handle_base + 16 * o->id);
}

uint64_t
object_add(struct object *o, enum kind kind, struct context *ctx)
{
	o->id = ++last_id;
	o->kind = kind;
	o->ctx = ctx;
	o->next = buckets[o->id % BUCKETS];
	buckets[o->id % BUCKETS] = o;
	n_objects[kind]++;
	return o->id;
}

void
object_remove(struct object *o)
{
	struct object **at = &buckets[o->id % BUCKETS];
	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	n_objects[o->kind]--;
}

static struct object *
find(uint64_t id)
{
	struct object *o = buckets[id % BUCKETS];
	while (o && o->id != id)
		o = o->next;
	return o;
}

static unsigned
name_all(const unsigned n[N_KIND], char *text, size_t size)
{
	unsigned sum = 0;
	size_t at = 0;
	text[0] = '\0';
	for (int i = 0; i < N_KIND; i++) {
		sum += n[i];
		if (n[i] && at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%u of %s", at ? ", " : "",
					       n[i], kinds[i]);
	}
	return sum;
}

unsigned
objects_left(char *text, size_t size)
{
	return name_all(n_objects, text, size);
}

/* Returns any object of the context of this kind; N_KIND: of any kind. */
static struct object *
any_of(const struct context *ctx, enum kind kind)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct object *o = buckets[i]; o; o = o->next) {
			if (o->ctx == ctx && (kind == N_KIND || o->kind == kind))
				return o;
		}
	}
	return NULL;
}

unsigned
objects_in(const struct context *ctx, char *text, size_t size)
{
	unsigned n[N_KIND] = { 0 };
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct object *o = buckets[i]; o; o = o->next) {
			if (o->ctx == ctx && o->kind != CONTEXT)
				n[o->kind]++;
		}
	}
	return name_all(n, text, size);
}

void
functions_delete(const struct module *m)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct object *o = buckets[i], *next; o; o = next) {
			next = o->next;
			if (o->kind != FUNCTION || ((struct function *)o)->module != m)
				continue;
			object_remove(o);
			free(o);
		}
	}
}

void
module_delete(struct module *m)
{
	object_remove(&m->o);
	ptx_module_free(m->ptx);
	free(m);
}

void
link_delete(struct link *l)
{
	object_remove(&l->o);
	free(l->code);
	free(l);
}

/* Destroys the streams first, since they use the others. */
void
objects_sweep(const struct context *ctx)
{
	struct object *o;
	pthread_mutex_lock(&lock);
	while ((o = any_of(ctx, STREAM))) {
		object_remove(o);
		pthread_mutex_unlock(&lock);
		stream_delete((struct stream *)o);
		pthread_mutex_lock(&lock);
	}
	while ((o = any_of(ctx, N_KIND))) {
		switch (o->kind) {
		case MODULE:
			functions_delete((struct module *)o);
			module_delete((struct module *)o);
			break;
		case LINK: link_delete((struct link *)o); break;
		case EVENT:
			object_remove(o);
			event_unref((struct event *)o);
			break;
		case DEVICE_MEMORY:
		case HOST_MEMORY: memory_delete((struct memory *)o); break;
		case FUNCTION:
			object_remove(o);
			free(o);
			break;
		default: wrong("cuDevicePrimaryCtxRelease", "nested contexts");
		}
	}
	pthread_mutex_unlock(&lock);
}

/* -- Contexts ----------------------------------------------------------------------- */

/* A thread's contexts, the current one last. */
static _Thread_local struct {
	uint64_t ids[DEEP];
	unsigned n;
} stack;

struct context *
current(const char *call)
{
	if (!stack.n)
		wrong(call, "no context is current");
	struct object *o = find(stack.ids[stack.n - 1]);
	if (!o)
		wrong(call, "the current context has been destroyed");
	return (struct context *)o;
}

void *
object_get(const char *call, const void *handle, enum kind kind)
{
	uint64_t h = (uint64_t)(uintptr_t)handle, id = (h - handle_base) / 16;
	if (h <= handle_base || h % 16 || id > last_id)
		wrong(call, "%p is not a handle", handle);
	struct object *o = find(id);
	if (!o)
		wrong(call, "the %s %p is used after it was destroyed", kinds[kind], handle);
	if (o->kind != kind)
		wrong(call, "%p is a %s; expected a %s", handle, kinds[o->kind], kinds[kind]);
	if (kind != CONTEXT && o->ctx != current(call))
		wrong(call, "the %s belongs to a context that is not current", kinds[kind]);
	return o;
}

unsigned
fake_cuda_depth(void **out)
{
	*out = NULL;
	if (stack.n)
		*out = (void *)(uintptr_t)(handle_base + 16 * stack.ids[stack.n - 1]);
	return stack.n;
}

FAKE_EXPORT int cuCtxPushCurrent_v2(void *handle);
FAKE_EXPORT int cuCtxPopCurrent_v2(void **out);

int
cuCtxPushCurrent_v2(void *handle)
{
	pthread_mutex_lock(&lock);
	int r = config_call(__func__);
	if (r == OK) {
		struct context *c = object_get(__func__, handle, CONTEXT);
		if (stack.n == DEEP)
			wrong(__func__, "more than %d contexts of a thread", DEEP);
		stack.ids[stack.n++] = c->o.id;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

/* Pops the context even if the call fails. */
int
cuCtxPopCurrent_v2(void **out)
{
	pthread_mutex_lock(&lock);
	int r = config_call(__func__);
	if (!stack.n)
		wrong(__func__, "no context is current");
	fake_cuda_depth(out);
	stack.n--;
	pthread_mutex_unlock(&lock);
	return r;
}

/* -- Memory ------------------------------------------------------------------------- */

static struct memory *memories; /* protected by lock */

enum { RUBBISH = 1 << 20 };

/* Maps pages of the fill pattern: copy-on-write mappings of one file, repeated. */
static char *
map_rubbish(size_t size)
{
	static int file = -1;
	if (file < 0) {
		char *text = malloc(RUBBISH);
		file = memfd_create("rubbish", MFD_CLOEXEC);
		if (!text || file < 0)
			abort();
		memset(text, 0xa5, RUBBISH);
		if (write(file, text, RUBBISH) != RUBBISH)
			abort();
		free(text);
	}
	char *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (size_t i = 0; at != MAP_FAILED && i < size; i += RUBBISH) {
		size_t part = size - i < RUBBISH ? size - i : RUBBISH;
		if (mmap(at + i, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
			 file, 0) == MAP_FAILED)
			abort();
	}
	return at;
}

/* Allocates whole pages, so that freed memory can be unmapped. */
int
memory_new(struct context *ctx, enum kind kind, uint64_t size, struct memory **out)
{
	if (size == 0)
		return INVALID_VALUE;
	if (size > config.memory || (kind == DEVICE_MEMORY && ctx->used + size > config.memory))
		return OUT_OF_MEMORY;
	struct memory *m = calloc(1, sizeof *m);
	m->mapped = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	m->at = map_rubbish(m->mapped);
	if (m->at == MAP_FAILED) {
		free(m);
		return OUT_OF_MEMORY;
	}
	m->size = size;
	m->next = memories;
	m->link = &memories;
	if (memories)
		memories->link = &m->next;
	memories = m;
	object_add(&m->o, kind, ctx);
	if (kind == DEVICE_MEMORY)
		ctx->used += size;
	*out = m;
	return OK;
}

void
memory_delete(struct memory *m)
{
	if (m->o.kind == DEVICE_MEMORY)
		m->o.ctx->used -= m->size;
	object_remove(&m->o);
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	munmap(m->at, m->mapped);
	free(m);
}

struct memory *
memory_at(const struct context *ctx, uint64_t addr, uint64_t size)
{
	for (struct memory *m = memories; m; m = m->next) {
		uint64_t at = (uint64_t)(uintptr_t)m->at;
		if (m->o.ctx == ctx && addr >= at && addr - at <= m->size &&
		    size <= m->size - (addr - at))
			return m;
	}
	return NULL;
}

static int
by_address(const void *a, const void *b)
{
	const struct ptx_range *x = a, *y = b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

struct ptx_range *
memory_ranges(const struct context *ctx, uint32_t *n)
{
	struct ptx_range *r = calloc(n_objects[DEVICE_MEMORY] + n_objects[HOST_MEMORY] + 1, sizeof *r);
	*n = 0;
	for (const struct memory *m = memories; m; m = m->next) {
		if (m->o.ctx == ctx)
			r[(*n)++] = (struct ptx_range){ (uint64_t)(uintptr_t)m->at, m->size };
	}
	qsort(r, *n, sizeof *r, by_address);
	return r;
}

/* -- The end ------------------------------------------------------------------------ */

static pid_t owner;

static void
at_end(void)
{
	char text[256];
	if (getpid() != owner)
		return;
	pthread_mutex_lock(&lock);
	unsigned n = config.n_faults ? 0 : objects_left(text, sizeof text);
	pthread_mutex_unlock(&lock);
	if (n) {
		fprintf(stderr, "fake CUDA: not freed at the end: %s\n", text);
		_exit(99);
	}
	pool_fini(&pool);
}

__attribute__((constructor)) static void
at_start(void)
{
	owner = getpid();
	pool_init(&pool, &pool_malloc);
	atexit(at_end);
}
