/* Loads images: PTX text that the driver compiles, or its earlier output for the same text, from
 * the disk cache. */
#include <stdio.h>

#include "cuda_internal.h"
#include "disk.h"

enum { LOG_SIZE = 4096 };

static QD_COLD qd_status
refuse(const struct cuda_device *dev, const struct qd_image *img, struct qd_error *err,
       const char *what, uint64_t want, uint64_t have)
{
	return qd_fail(err, QD_E_LIMIT, "%s (%s): kernel '%s' needs %llu %s; the device has %llu",
		       dev->base.info.selector, dev->base.info.name,
		       layout_name(img->layout), (unsigned long long)want, what,
		       (unsigned long long)have);
}

/* The driver reads up to a NUL, and expects another format if the text does not begin like PTX. */
static bool
is_text(const struct qd_image *img)
{
	static const char first[] = ".version";
	const char *code = (const char *)img->code;
	size_t at = 0;
	if (memchr(code, '\0', img->code_size))
		return false;
	for (; at < img->code_size; at++) {
		if (code[at] == '/') { /* a comment line */
			const char *end = memchr(code + at, '\n', img->code_size - at);
			if (!end)
				return false;
			at = (size_t)(end - code);
		} else if (code[at] != '\n' && code[at] != ' ' && code[at] != '\t') {
			break;
		}
	}
	return img->code_size - at >= sizeof first - 1 &&
	       memcmp(code + at, first, sizeof first - 1) == 0;
}

/* Machine code runs on processors with the same major number and the same or a higher minor
 * number. */
static qd_status
accepts_cubin(const struct cuda_device *dev, const struct qd_image *img, struct qd_error *err)
{
	static const char magic[] = "\177ELF";
	const struct qd_device_info *info = &dev->base.info;
	uint32_t sm = dev->physical.sm, own = img->target->arch;
	const char *name = layout_name(img->layout);
	if (img->code_size < 64 || memcmp(img->code, magic, sizeof magic - 1) != 0)
		return qd_fail(err, QD_E_INVALID,
			       "%s (%s): the image of kernel '%s', for target %s, is not a cubin",
			       info->selector, info->name, name, img->target->m.name);
	if (own / 10 != sm / 10 || own > sm)
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' is machine code of sm_%u; the device has compute "
			       "capability %u.%u",
			       info->selector, info->name, name, own, sm / 10, sm % 10);
	return QD_OK;
}

qd_status
cuda_accepts(const struct qd_device *base, const struct qd_image *img, struct qd_error *err)
{
	const struct cuda_device *dev = (const struct cuda_device *)base;
	const struct isa_meta *meta = &img->meta;
	const struct cuda_physical *p = &dev->physical;
	const char *name = layout_name(img->layout);
	if (layout_by_slots(img->layout))
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' is PTX of another compiler, which only emu "
			       "runs (emu:sm_%u)",
			       base->info.selector, base->info.name, name, img->target->arch);
	if (img->kind == CODE_CUBIN)
		QD_TRY(accepts_cubin(dev, img, err));
	if ((img->kind != CODE_CUBIN && !is_text(img)) || !meta->entry[0])
		return qd_fail(err, QD_E_INVALID,
			       "%s (%s): the image of kernel '%s', for target %s, is not PTX text",
			       base->info.selector, base->info.name, name, img->target->m.name);
	if (img->target->arch > p->sm)
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' is compiled for target %s; the device has "
			       "compute capability %u.%u",
			       base->info.selector, base->info.name, name, img->target->m.name,
			       p->sm / 10, p->sm % 10);
	uint32_t size = machine_block_step(&img->target->m);
	if (meta->local_size > p->max_threads)
		return refuse(dev, img, err, "threads per block", meta->local_size, p->max_threads);
	if (meta->local_size == 0 || meta->local_size % size)
		return qd_fail(err, QD_E_INVALID,
			       "%s: kernel '%s' has hardware blocks of %u threads, not whole "
			       "subgroups of %u",
			       base->info.selector, name, meta->local_size, size);
	if (meta->shared_size > p->max_shared)
		return refuse(dev, img, err, "bytes of shared memory per block", meta->shared_size,
			      p->max_shared);
	uint32_t args_size = img->layout->args_size;
	uint32_t inline_args = base->target.m.inline_args;
	if (!(meta->flags & ISA_ARGS_BY_ADDRESS) && args_size > inline_args)
		return refuse(dev, img, err, "bytes of arguments", args_size, inline_args);
	return QD_OK;
}

/* -- Compiling ---------------------------------------------------------------------- */

/* Returns the text with a terminating NUL. */
static char *
copy_text(const struct cuda_device *dev, const struct qd_image *img)
{
	char *text = pool_new(&dev->base.ctx->pool, img->code_size + 1);
	if (text)
		memcpy(text, img->code, img->code_size);
	return text;
}

/* Reports the error, with the log of the driver's compiler on further lines. */
static QD_COLD qd_status
fail_compile(struct cuda_device *dev, const struct qd_image *img, int r, const char *call,
	     const char *log, struct qd_error *err)
{
	struct qd_error first;
	qd_status st = cuda_fail(dev, &first, r, call);
	size_t len = strlen(log);
	while (len && (log[len - 1] == '\n' || log[len - 1] == ' '))
		len--;
	return qd_fail(err, st, "%s\n  kernel: '%s', for target %s%s%.*s", first.text,
		       layout_name(img->layout), img->target->m.name, len ? "\n  " : "",
		       (int)len, log);
}

/* Returns whether the driver does not support the version or the target of the text. */
static bool
is_refusal(int r)
{
	return r == CUDA_UNSUPPORTED_PTX_VERSION || r == CUDA_INVALID_PTX ||
	       r == CUDA_NO_BINARY_FOR_GPU;
}

/* Called between cuda_enter and cuda_leave, like all functions below. *r: the driver's result. */
static qd_status
load_text(struct cuda_device *dev, const struct qd_image *img, struct CUmod_st **out, int *r,
	  struct qd_error *err)
{
	char log[LOG_SIZE] = "";
	int options[] = { CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_SIZE };
	void *values[] = { log, (void *)(uintptr_t)(sizeof log - 1) };
	char *text = copy_text(dev, img);
	*r = CUDA_OK;
	if (!text)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	*r = dev->cu->cuModuleLoadDataEx(out, text, QD_COUNT(options), options, values);
	pool_delete(&dev->base.ctx->pool, text);
	if (*r == CUDA_OK)
		return QD_OK;
	*out = NULL;
	return fail_compile(dev, img, *r, "cuModuleLoadDataEx", log, err);
}

/* Logs of the driver's compiler. info: of accepted text; error: of rejected text. */
struct link_log {
	char info[LOG_SIZE], error[LOG_SIZE];
};

/* Compiles an image and appends the machine code to `out`. */
static qd_status
link_code(struct cuda_device *dev, const struct qd_image *img, struct buf *out,
	  struct link_log *log, struct qd_error *err)
{
	void *size_of_log = (void *)(uintptr_t)(LOG_SIZE - 1);
	int options[] = { CUDA_JIT_INFO_LOG, CUDA_JIT_INFO_LOG_SIZE, CUDA_JIT_ERROR_LOG,
			  CUDA_JIT_ERROR_LOG_SIZE };
	void *values[] = { log->info, size_of_log, log->error, size_of_log };
	struct CUlinkState_st *link;
	void *code;
	size_t size;
	memset(log, 0, sizeof *log);
	char *text = copy_text(dev, img);
	if (!text)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	const char *call = "cuLinkCreate";
	int r = dev->cu->cuLinkCreate(QD_COUNT(options), options, values, &link);
	bool made = r == CUDA_OK;
	if (r == CUDA_OK) {
		call = "cuLinkAddData";
		r = dev->cu->cuLinkAddData(link, CUDA_JIT_INPUT_PTX, text, img->code_size + 1,
					   layout_name(img->layout), 0, NULL, NULL);
	}
	if (r == CUDA_OK) {
		call = "cuLinkComplete";
		r = dev->cu->cuLinkComplete(link, &code, &size);
	}
	if (r == CUDA_OK)
		buf_put(out, code, size);
	qd_status st = r == CUDA_OK ? QD_OK : fail_compile(dev, img, r, call, log->error, err);
	if (made)
		CUDA_DROP(dev, cuLinkDestroy, link);
	pool_delete(&dev->base.ctx->pool, text);
	if (st == QD_OK && out->nomem)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	return st;
}

static int
load_code(struct cuda_device *dev, const void *code, struct CUmod_st **out)
{
	int r = dev->cu->cuModuleLoadDataEx(out, code, 0, NULL, NULL);
	if (r != CUDA_OK)
		*out = NULL;
	return r;
}

/* Loads code from the disk cache, or else code compiled for the cache. Returns false if neither
 * works, which does not imply that the text is invalid. */
static bool
load_kept(struct cuda_device *dev, struct disk_ask *ask, const struct qd_image *img,
	  struct CUmod_st **out)
{
	struct link_log log;
	struct buf code;
	if (ask->payload) {
		int r = load_code(dev, ask->payload, out);
		if (r == CUDA_OK) {
			disk_took(ask);
			return true;
		}
		disk_refused(ask, cuda_result_name(r));
	}
	buf_init(&code, &dev->base.ctx->pool);
	bool ok = link_code(dev, img, &code, &log, QD_IGNORE_ERROR) == QD_OK &&
		  load_code(dev, buf_data(&code), out) == CUDA_OK;
	if (ok)
		disk_keep(ask, buf_data(&code), code.len, log.info);
	buf_fini(&code);
	return ok;
}

static qd_status
load_module(struct cuda_device *dev, const struct qd_image *img, struct CUmod_st **out, int *r,
	    struct qd_error *err)
{
	const struct qd_device_info *info = &dev->base.info;
	char device[sizeof info->uuid + sizeof info->name + 16];
	struct disk_driver driver = { "cuda", dev->version, device };
	struct disk_ask ask;
	*r = CUDA_OK;
	if (img->kind == CODE_CUBIN) {
		*r = load_code(dev, img->code, out);
		return *r == CUDA_OK ? QD_OK :
				       fail_compile(dev, img, *r, "cuModuleLoadDataEx", "", err);
	}
	snprintf(device, sizeof device, "%s, sm_%u, %s", info->name, dev->physical.sm, info->uuid);
	bool loaded = disk_ask(&ask, img, DISK_CUBIN, &driver) && load_kept(dev, &ask, img, out);
	disk_done(&ask);
	return loaded ? QD_OK : load_text(dev, img, out, r, err);
}

static void
warn_lower_target(struct cuda_device *dev, int r, const char *from, const char *to)
{
	ctx_log(dev->base.ctx, QD_LOG_WARNING, "cuda",
		"%s (%s, %s): the driver rejects %s (%s); compiling for %s",
		dev->base.info.selector, dev->base.info.name, dev->base.info.driver, from,
		cuda_result_name(r), to);
}

/* Loads the image's module. If the driver does not support its version or target, compiles the
 * same kernel for the next lower target that works. */
static qd_status
load_lower(struct cuda_device *dev, struct cuda_function *fn, struct qd_image *img,
	   struct qd_error *err)
{
	struct qd_error first;
	struct target t = *img->target;
	int r;
	qd_status st = load_module(dev, img, &fn->module, &r, &first);
	int first_r = r;
	while (st != QD_OK && is_refusal(r) && cuda_lower_target(&dev->physical, &t, &t)) {
		struct qd_image *lower;
		struct qd_error why;
		/* Skips lower targets that cannot express the kernel. */
		if (jit_get_like(img, &t, &lower, &why) != QD_OK)
			continue;
		st = cuda_accepts(&dev->base, lower, &why);
		if (st == QD_OK)
			st = load_module(dev, lower, &fn->module, &r, &why);
		if (st == QD_OK) {
			fn->lower = lower;
			warn_lower_target(dev, first_r, img->target->m.name, t.m.name);
			return QD_OK;
		}
		qd_image_free(lower);
	}
	if (st != QD_OK)
		return qd_fail_text(err, first.code, 0, 0, first.text, strlen(first.text));
	return QD_OK;
}

static qd_status
read_info(struct cuda_device *dev, struct cuda_function *fn, struct qd_image *img,
	  struct qd_error *err)
{
	const struct isa_meta *meta = &cuda_function_image(fn)->meta;
	int threads, shared, local, registers, blocks;
	CUDA_TRY(dev, err, cuFuncGetAttribute, &threads, CUDA_FUNC_MAX_THREADS, fn->fn);
	CUDA_TRY(dev, err, cuFuncGetAttribute, &shared, CUDA_FUNC_SHARED, fn->fn);
	CUDA_TRY(dev, err, cuFuncGetAttribute, &local, CUDA_FUNC_LOCAL, fn->fn);
	CUDA_TRY(dev, err, cuFuncGetAttribute, &registers, CUDA_FUNC_REGISTERS, fn->fn);
	CUDA_TRY(dev, err, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, fn->fn,
		 (int)meta->local_size, 0);
	if (threads < 0 || meta->local_size > (uint32_t)threads)
		return qd_fail(err, QD_E_LIMIT,
			       "%s (%s): kernel '%s' has blocks of %u threads; with %d registers "
			       "per thread the device supports %d",
			       dev->base.info.selector, dev->base.info.name,
			       layout_name(img->layout), meta->local_size, registers, threads);
	fn->base.info = (struct qd_function_info){
		.subgroup_size = img->target->m.subgroup_size,
		.hardware_size = img->target->m.lanes,
		.barriers = img->meta.barriers,
		.block_dim = img->layout->block_dim,
		.max_block_dim = (uint32_t)threads,
		.registers = (uint32_t)registers,
		.shared_size = (uint32_t)shared,
		.local_size = (uint32_t)local,
		.resident_blocks = (uint32_t)blocks,
		.code_size = cuda_function_image(fn)->code_size,
	};
	return QD_OK;
}

static qd_status
load_entered(struct cuda_device *dev, struct cuda_function *fn, struct qd_image *img,
	     struct qd_error *err)
{
	QD_TRY(load_lower(dev, fn, img, err));
	const struct isa_meta *meta = &(fn->lower ? fn->lower : img)->meta;
	int r = dev->cu->cuModuleGetFunction(&fn->fn, fn->module, meta->entry);
	qd_status st = r == CUDA_OK ? QD_OK : cuda_fail(dev, err, r, "cuModuleGetFunction");
	fn->base.image = img;
	if (st == QD_OK)
		st = read_info(dev, fn, img, err);
	if (st != QD_OK)
		CUDA_DROP(dev, cuModuleUnload, fn->module);
	return st;
}

qd_status
cuda_load(struct qd_device *base, struct qd_image *img, struct qd_function **out,
	  struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base);
	struct cuda_function *fn = pool_new(&base->ctx->pool, sizeof *fn);
	if (!fn)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	qd_status st = cuda_enter(dev, err);
	if (st == QD_OK) {
		st = load_entered(dev, fn, img, err);
		cuda_leave(dev);
	}
	if (st != QD_OK) {
		qd_image_free(fn->lower);
		pool_delete(&base->ctx->pool, fn);
		return st;
	}
	fn->base.dev = base;
	fn->base.args_in_memory = cuda_function_image(fn)->meta.flags & ISA_ARGS_BY_ADDRESS;
	*out = &fn->base;
	return QD_OK;
}

void
cuda_unload(struct qd_function *base)
{
	struct cuda_function *fn = (struct cuda_function *)base;
	struct cuda_device *dev = cuda_device_of(base->dev);
	if (cuda_enter(dev, QD_IGNORE_ERROR) == QD_OK) {
		CUDA_DROP(dev, cuModuleUnload, fn->module);
		cuda_leave(dev);
	}
	qd_image_free(fn->lower);
	pool_delete(&base->dev->ctx->pool, fn);
}

/* -- Accepted targets --------------------------------------------------------------- */

/* Creates an empty kernel. Its text has the version and target of all other kernels, and nothing
 * else. */
static qd_status
make_probe(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_builder *b;
	QD_TRY(qd_builder_create(ctx, "probe", &b, err));
	return qd_builder_finish(b, out, err);
}

static qd_status
probe(struct cuda_device *dev, const struct qd_kernel *k, const struct target *t, int *r,
      struct qd_error *err)
{
	struct qd_image *img;
	struct CUmod_st *module;
	*r = CUDA_OK;
	QD_TRY(jit_compile(dev->base.ctx, k, t, NULL, 0, &img, err));
	qd_status st = load_module(dev, img, &module, r, err);
	if (st == QD_OK)
		CUDA_DROP(dev, cuModuleUnload, module);
	qd_image_free(img);
	return st;
}

qd_status
cuda_probe(struct cuda_device *dev, struct qd_error *err)
{
	struct target *t = &dev->base.target, next = *t;
	struct qd_kernel *k;
	struct qd_error first;
	int first_r, r;
	QD_TRY(make_probe(dev->base.ctx, &k, err));
	qd_status st = probe(dev, k, t, &first_r, &first), st_first = st;
	r = first_r;
	while (st != QD_OK && is_refusal(r) && cuda_lower_target(&dev->physical, &next, &next))
		st = probe(dev, k, &next, &r, QD_IGNORE_ERROR);
	qd_kernel_free(k);
	if (st != QD_OK)
		return qd_fail_text(err, st_first, 0, 0, first.text, strlen(first.text));
	if (st_first != QD_OK) {
		warn_lower_target(dev, first_r, t->m.name, next.m.name);
		*t = next;
	}
	return QD_OK;
}

/* -- Machine code ------------------------------------------------------------------- */

qd_status
cuda_cubin(struct qd_function *base, struct buf *out, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base->dev);
	QD_TRY(cuda_enter(dev, err));
	struct link_log log;
	qd_status st = link_code(dev, cuda_function_image((struct cuda_function *)base), out, &log, err);
	cuda_leave(dev);
	return st;
}
