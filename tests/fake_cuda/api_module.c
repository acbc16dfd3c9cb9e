/* libcuda.so.1: modules, functions, linking (api.c). */
#include <unistd.h>

#include "api.h"

/* -- Modules ------------------------------------------------------------------------ */

/* Header of a fake cubin, followed by PTX text. It is valid for one driver version and one sm. */
struct cubin {
	char magic[8];
	uint32_t version, sm;
	uint64_t size, sum; /* of the text, including its NUL */
};

static const char cubin_magic[8] = { 0x7f, 'E', 'L', 'F', 'f', 'a', 'k', 'e' };

/* FNV-1a. */
static uint64_t
sum_of(const char *p, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	while (size--)
		h = (h ^ (unsigned char)*p++) * UINT64_C(0x100000001b3);
	return h;
}

/* Returns the text of a cubin, or NULL if it is for another device or driver. Real drivers may
 * crash on a damaged cubin, so passing one is an error. */
static const char *
open_cubin(const char *image, unsigned sm)
{
	struct cubin c;
	memcpy(&c, image, sizeof c);
	const char *text = image + sizeof c;
	if (c.sum != sum_of(text, c.size) || strlen(text) + 1 != c.size)
		wrong("cuModuleLoadDataEx", "a damaged cubin");
	return c.version == (uint32_t)config.version && c.sm == sm ? text : NULL;
}

static struct options {
	char *log;
	size_t size;
} read_options(const char *call, unsigned n, const int *which, void *const *values)
{
	struct options o = { NULL, 0 };
	for (unsigned i = 0; i < n; i++) {
		if (which[i] == 3 && values[i])
			((char *)values[i])[0] = '\0'; /* the info log is always empty */
		else if (which[i] == 5)
			o.log = values[i];
		else if (which[i] == 6)
			o.size = (size_t)(uintptr_t)values[i];
		else if (which[i] == 3 || which[i] == 4)
			continue;
		else
			wrong(call, "the fake does not implement option %d", which[i]);
	}
	if (o.log && !o.size)
		wrong(call, "a log without a size");
	return o;
}

static void
put_log(const struct options *o, const char *text)
{
	if (o->log)
		snprintf(o->log, o->size, "%s", text);
}

/* Compiles like a driver of the configured version; *out: the module. Releases the lock meanwhile,
 * so several threads can compile at a time. */
static int
compile(const struct context *ctx, const char *text, const struct options *o,
	struct ptx_module **out)
{
	struct qd_error err;
	char line[sizeof err.text + 64];
	unsigned sm = config.sm[ctx->device];
	unsigned us = config.compile_us;
	pthread_mutex_unlock(&lock);
	if (us)
		usleep(us);
	qd_status st = ptx_module_parse(&pool, text, strlen(text), out, &err);
	pthread_mutex_lock(&lock);
	if (st != QD_OK) {
		snprintf(line, sizeof line, "ptxas application ptx input, line %u; error : %s", err.line,
			 err.text);
		put_log(o, line);
		return INVALID_PTX;
	}
	int r = OK;
	if (ptx_module_sm(*out) > config.max_target)
		r = INVALID_PTX;
	else if (ptx_module_version(*out) > config.ptx)
		r = UNSUPPORTED_PTX;
	else if (ptx_module_sm(*out) > sm)
		r = NO_BINARY;
	if (r == OK)
		return OK;
	snprintf(line, sizeof line,
		 "ptxas application ptx input, line 1; fatal : .version %u.%u, .target sm_%u not "
		 "supported",
		 ptx_module_version(*out) / 10, ptx_module_version(*out) % 10, ptx_module_sm(*out));
	put_log(o, line);
	ptx_module_free(*out);
	return r;
}

API(cuModuleLoadDataEx, (void **out, const void *image, unsigned n, int *which, void **values))
{
	struct context *ctx;
	struct ptx_module *ptx;
	int r = enter(__func__, &ctx);
	struct options o = read_options(__func__, n, which, values);
	const char *text = image;
	*out = garbage;
	if (r == OK && strncmp(text, cubin_magic, sizeof cubin_magic) == 0) {
		struct qd_error err;
		text = open_cubin(text, config.sm[ctx->device]);
		if (!text)
			r = NO_BINARY;
		else if (ptx_module_parse(&pool, text, strlen(text), &ptx, &err) != QD_OK)
			wrong(__func__, "a cubin of a text that is not PTX");
	} else if (r == OK) {
		r = compile(ctx, text, &o, &ptx);
	}
	if (r == OK) {
		struct module *m = calloc(1, sizeof *m);
		m->ptx = ptx;
		object_add(&m->o, MODULE, ctx);
		*out = handle_of(&m->o);
	}
	return leave(r);
}

API(cuModuleUnload, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct module *m = object_get(__func__, handle, MODULE);
	if (atomic_load(&m->refs))
		wrong(__func__, "a kernel of the module runs, or will");
	functions_delete(m);
	module_delete(m);
	return leave(r);
}

API(cuModuleGetFunction, (void **out, void *handle, const char *name))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct module *m = object_get(__func__, handle, MODULE);
	const struct ptx_entry *entry = ptx_module_entry(m->ptx, name);
	*out = garbage;
	if (r == OK && !entry)
		r = NOT_FOUND;
	if (r == OK) {
		struct function *f = calloc(1, sizeof *f);
		f->module = m;
		f->entry = entry;
		object_add(&f->o, FUNCTION, ctx);
		*out = handle_of(&f->o);
	}
	return leave(r);
}

int
max_threads(const struct function *f)
{
	int n = config.max_threads ? config.max_threads : config.threads;
	uint32_t said = f->entry->max_threads;
	return said && said < (uint32_t)n ? (int)said : n;
}

API(cuFuncGetAttribute, (int *value, int attribute, void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	const struct function *f = object_get(__func__, handle, FUNCTION);
	switch (attribute) {
	case 0: *value = max_threads(f); break;
	case 1: *value = (int)f->entry->shared_size; break;
	case 3: *value = 8; break;
	case 4: *value = 21; break;
	default: wrong(__func__, "the fake does not implement attribute %d", attribute);
	}
	return leave(r);
}

API(cuOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *n, void *handle, int threads, size_t shared))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	const struct function *f = object_get(__func__, handle, FUNCTION);
	(void)shared;
	if (threads <= 0)
		wrong(__func__, "%d threads", threads);
	*n = threads > max_threads(f) ? 0 : 2048 / threads;
	return leave(r);
}

/* -- Linking ------------------------------------------------------------------------ */

API(cuLinkCreate_v2, (unsigned n, int *which, void **values, void **out))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct options o = read_options(__func__, n, which, values);
	*out = garbage;
	if (r == OK) {
		struct link *l = calloc(1, sizeof *l);
		l->log = o.log;
		l->log_size = o.size;
		object_add(&l->o, LINK, ctx);
		*out = handle_of(&l->o);
	}
	return leave(r);
}

API(cuLinkAddData_v2, (void *handle, int type, void *data, size_t size, const char *name,
		       unsigned n, int *which, void **values))
{
	struct context *ctx;
	struct ptx_module *ptx;
	int r = enter(__func__, &ctx);
	struct link *l = object_get(__func__, handle, LINK);
	struct options o = { l->log, l->log_size };
	(void)name, (void)which, (void)values;
	if (type != 1 || n || l->code)
		wrong(__func__, "the fake accepts one PTX text, without options");
	if (!memchr(data, '\0', size))
		wrong(__func__, "the text has no terminator");
	if (r == OK)
		r = compile(ctx, data, &o, &ptx);
	if (r == OK) {
		ptx_module_free(ptx);
		struct cubin c = { .version = (uint32_t)config.version,
				   .sm = config.sm[ctx->device],
				   .size = strlen(data) + 1 };
		c.sum = sum_of(data, c.size);
		memcpy(c.magic, cubin_magic, sizeof c.magic);
		l->size = sizeof c + c.size;
		l->code = malloc(l->size);
		memcpy(l->code, &c, sizeof c);
		memcpy(l->code + sizeof c, data, c.size);
	}
	return leave(r);
}

API(cuLinkComplete, (void *handle, void **code, size_t *size))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct link *l = object_get(__func__, handle, LINK);
	if (r == OK && !l->code)
		wrong(__func__, "nothing was added");
	*code = r == OK ? l->code : garbage;
	*size = l->size;
	return leave(r);
}

API(cuLinkDestroy, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	link_delete(object_get(__func__, handle, LINK));
	return leave(r);
}
