/* The driver's library, opened on first use and never closed. After a failure, the next call tries
 * again. */
#include "cuda_internal.h"
#include "dl.h"

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cuda_library library;
static void *loader;

/* A child process must not use the library if the parent had initialized it, or if another thread
 * was doing so: that thread may hold the lock, but does not exist in the child. */
static bool making, refused;

static void
in_child(void)
{
	pthread_mutex_init(&library_lock, NULL);
	refused = refused || making || library.ready;
}

static int watching;

static void
watch_forks(void)
{
	watching = pthread_atfork(NULL, NULL, in_child);
}

/* -- Symbols ------------------------------------------------------------------------ */

enum { OPTIONAL, REQUIRED };

static const struct dl_symbol symbols[] = {
#define CUDA(name, symbol, need, params) { symbol, offsetof(struct cuda_symbols, name), need },
#include "sym.def"
};

static dl_fn *
get_symbol(void *user, const char *name)
{
	(void)user;
	return dl_symbol(loader, name);
}

static qd_status
load(struct cuda_library *lib, struct qd_error *err)
{
	if (!loader) {
		char why[256];
		loader = dl_open("libcuda.so.1", why, sizeof why);
		if (!loader)
			return qd_fail(err, QD_E_UNAVAILABLE, "%s: it is part of NVIDIA's driver",
				       why);
	}
	const char *missing = dl_resolve(symbols, QD_COUNT(symbols), &lib->cu, get_symbol, NULL);
	/* An old library lacks some symbols. Its version is then the better error. */
	if (lib->cu.cuDriverGetVersion) {
		int r = lib->cu.cuDriverGetVersion(&lib->version);
		if (r != CUDA_OK)
			return cuda_fail(NULL, err, r, "cuDriverGetVersion");
		if (lib->version < CUDA_MIN_VERSION)
			return qd_fail(err, QD_E_UNAVAILABLE,
				       "libcuda.so.1 is from CUDA %d.%d; %d.%d is required: update "
				       "NVIDIA's driver",
				       lib->version / 1000, lib->version % 1000 / 10,
				       CUDA_MIN_VERSION / 1000, CUDA_MIN_VERSION % 1000 / 10);
	}
	if (missing)
		return qd_fail(err, QD_E_UNAVAILABLE, "libcuda.so.1 has no %s", missing);
	return QD_OK;
}

static qd_status
get_locked(struct qd_error *err)
{
	if (refused)
		return qd_fail(err, QD_E_FORKED,
			       "CUDA was initialized by the parent of process %ld, before a fork; "
			       "it does not work in the child of such a process",
			       (long)getpid());
	if (library.ready)
		return QD_OK;
	struct cuda_library lib = { .version = 0 };
	QD_TRY(load(&lib, err));
	int r = lib.cu.cuInit(0);
	if (r != CUDA_OK)
		return cuda_fail(NULL, err, r, "cuInit");
	library = lib;
	library.ready = true;
	return QD_OK;
}

qd_status
cuda_library_get(const struct cuda_library **out, struct qd_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	*out = &library;
	pthread_once(&once, watch_forks);
	if (watching)
		return qd_fail(err, QD_E_NOMEM, "pthread_atfork: out of memory");
	pthread_mutex_lock(&library_lock);
	making = true;
	qd_status st = get_locked(err);
	making = false;
	pthread_mutex_unlock(&library_lock);
	return st;
}
