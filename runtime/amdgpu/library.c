/* libdrm_amdgpu.so.1 and libdrm.so.2, opened on first use and never closed. After a failure, the
 * next call tries again. */
#include "kgd.h"
#include "dl.h"

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kgd_symbols symbols;
static bool ready;
static void *libraries[2];

/* The library returns one handle for a device, however often it is opened. In a child process,
 * that is the parent's handle, with its file and its address space on the device. The child would
 * allocate addresses that the parent has allocated. */
static _Atomic uint32_t n_living;
static bool making, refused;

static void
in_child(void)
{
	pthread_mutex_init(&library_lock, NULL);
	refused = refused || making || atomic_load(&n_living);
}

static int watching;

static void
watch_forks(void)
{
	watching = pthread_atfork(NULL, NULL, in_child);
}

void
kgd_library_hold(void)
{
	atomic_fetch_add(&n_living, 1);
}

void
kgd_library_release(void)
{
	atomic_fetch_sub(&n_living, 1);
}

/* -- Symbols ------------------------------------------------------------------------------ */

enum { OPTIONAL, REQUIRED };
enum { DRM, AMDGPU };

static const struct row {
	struct dl_symbol symbol;
	int library;
} rows[] = {
#define KGD(ret, name, library, need, params)                                                      \
	{ { #name, offsetof(struct kgd_symbols, name), need }, library },
#include "sym.def"
};

static const char *const names[] = { [DRM] = "libdrm.so.2", [AMDGPU] = "libdrm_amdgpu.so.1" };

static dl_fn *
get_symbol(void *library, const char *name)
{
	return dl_symbol(library, name);
}

static qd_status
open_library(int i, struct qd_error *err)
{
	char why[256];
	if (libraries[i])
		return QD_OK;
	libraries[i] = dl_open(names[i], why, sizeof why);
	if (libraries[i])
		return QD_OK;
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "%s: the amdgpu driver needs libdrm's libraries (Debian: libdrm-amdgpu1)", why);
}

static qd_status
load(struct kgd_symbols *to, struct qd_error *err)
{
	/* libdrm_amdgpu loads libdrm. */
	QD_TRY(open_library(AMDGPU, err));
	QD_TRY(open_library(DRM, err));
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const char *missing = dl_resolve(&rows[i].symbol, 1, to, get_symbol,
						 libraries[rows[i].library]);
		if (missing)
			return qd_fail(err, QD_E_UNAVAILABLE, "%s has no %s: it is too old",
				       names[rows[i].library], missing);
	}
	return QD_OK;
}

static qd_status
get_locked(struct qd_error *err)
{
	if (refused)
		return qd_fail(err, QD_E_FORKED,
			       "the parent of process %ld had an amdgpu device open when it "
			       "forked, and libdrm would return the same device in the child; open "
			       "it only in the parent, or fork first",
			       (long)getpid());
	if (ready)
		return QD_OK;
	struct kgd_symbols s;
	QD_TRY(load(&s, err));
	symbols = s;
	ready = true;
	return QD_OK;
}

qd_status
kgd_library_get(const struct kgd_symbols **out, struct qd_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	*out = &symbols;
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
