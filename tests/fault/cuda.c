/* Fault injection in CUDA: counts the calls and objects of the fake (tests/fake_cuda), and makes
 * the requested call fail. An ASYNC error breaks the context as in CUDA: each later call returns
 * it. */
#include <stdio.h>

#include "cuda_fake.h"
#include "cuda_internal.h"
#include "driver.h"

/* -- Errors ------------------------------------------------------------------------- */

static const struct {
	int code;
	const char *name;
	qd_status status;
} errors[] = { /* by bit */
	{ 1, "invalid value", QD_E_DRIVER },
	{ 2, "out of memory", QD_E_DEVICE_NOMEM },
	{ 3, "not initialized", QD_E_UNAVAILABLE },
	{ 4, "deinitialized", QD_E_UNAVAILABLE },
	{ 34, "stub library", QD_E_UNAVAILABLE },
	{ 46, "device unavailable", QD_E_UNAVAILABLE },
	{ 100, "no device", QD_E_UNAVAILABLE },
	{ 101, "invalid device", QD_E_UNAVAILABLE },
	{ 200, "invalid image", QD_E_DRIVER },
	{ 201, "invalid context", QD_E_DEVICE_LOST },
	{ 209, "no binary", QD_E_TARGET },
	{ 218, "invalid PTX", QD_E_TARGET },
	{ 221, "no compiler", QD_E_UNAVAILABLE },
	{ 222, "PTX version", QD_E_TARGET },
	{ 302, "no symbol", QD_E_DRIVER },
	{ 303, "object not initialized", QD_E_DRIVER },
	{ 400, "invalid handle", QD_E_DRIVER },
	{ 500, "not found", QD_E_DRIVER },
	{ 600, "not ready", QD_E_BUSY },
	{ 700, "illegal address", QD_E_DEVICE_LOST },
	{ 701, "out of resources", QD_E_LIMIT },
	{ 702, "time-out", QD_E_DEVICE_LOST },
	{ 719, "launch failed", QD_E_DEVICE_LOST },
	{ 800, "not permitted", QD_E_DRIVER },
	{ 803, "driver mismatch", QD_E_UNAVAILABLE },
	{ 804, "compatibility", QD_E_UNAVAILABLE },
	{ 913, "not loaded", QD_E_DRIVER },
	{ 999, "unknown", QD_E_DRIVER },
};

enum {
	VALUE = 1, ROOM = 1 << 1, LIFE = 3 << 2, STUB = 1 << 4, BUSY = 1 << 5, NONE = 1 << 6,
	DEVICE = 1 << 7, IMAGE = 1 << 8, CONTEXT = 1 << 9, PTX = 1 << 10 | 1 << 11 | 1 << 13,
	COMPILER = 1 << 12, OBJECT = 3 << 14, HANDLE = 1 << 16, MISSING = 1 << 17, EARLY = 1 << 18,
	ASYNC = 1 << 19 | 1 << 22, RESOURCES = 1 << 20, LATE = 1 << 21, FAILED = 1 << 22,
	PERMIT = 1 << 23, MISMATCH = 1 << 24, COMPAT = 1 << 25, UNLOADED = 1 << 26, UNKNOWN = 1 << 27
};
enum { MAY, MUST, AGAIN, LOWER }; /* explained in cuda.def */

/* -- Functions ---------------------------------------------------------------------- */

enum {
#define ROW(name, errors, after) FN_##name,
#include "cuda.def"
	N_FN
};

static const struct {
	uint32_t errors;
	uint8_t after;
} rows[N_FN] = {
#define ROW(name, errors, after) [FN_##name] = { errors, after },
#include "cuda.def"
};

static const struct {
	const char *name, *symbol;
} names[N_FN] = {
#define CUDA(name, symbol, need, params) [FN_##name] = { #name, symbol },
#include "cuda/sym.def"
};

static const struct cuda_fake *fake;
static bool hit;

static int
nth_error(unsigned fn, unsigned n)
{
	unsigned i = 0;
	while (!(rows[fn].errors >> i & 1) || n--)
		i++;
	return (int)i;
}

static const char *
function_name(unsigned fn)
{
	return names[fn].name;
}

static unsigned
n_errors(unsigned fn)
{
	return (unsigned)__builtin_popcount(rows[fn].errors);
}

static const char *
error_name(unsigned fn, unsigned error)
{
	return errors[nth_error(fn, error)].name;
}

static bool
reported(const struct fault_place *p, const struct qd_error *err)
{
	char number[16];
	int i = nth_error(p->fn, p->error);
	snprintf(number, sizeof number, "(%d)", errors[i].code);
	/* A device whose attributes cannot be read is reported as unavailable. */
	bool queried = !strstr(err->text, "cannot be queried");
	return strstr(err->text, number) &&
	       err->code == (queried ? errors[i].status : QD_E_UNAVAILABLE);
}

static bool
must(const struct fault_place *p)
{
	uint32_t bit = 1u << nth_error(p->fn, p->error);
	switch (rows[p->fn].after) {
	case MUST: return true;
	case AGAIN: return bit != ROOM;
	case LOWER: return !(bit & (PTX | ROOM));
	default: return false;
	}
}

static void
set(const char *more)
{
	char text[256];
	hit |= fake->hit() != 0;
	snprintf(text, sizeof text, "devices=1 delays=0 memory=33554432 %s", more);
	fake->set(text);
}

static void
arm(const struct fault_place *p)
{
	char text[128] = "";
	if (p)
		snprintf(text, sizeof text, "fail=%s:%u:%d", names[p->fn].symbol, (unsigned)p->at,
			 errors[nth_error(p->fn, p->error)].code);
	set(text);
	hit = false;
}

static void
calm(void)
{
	set("");
}

static bool
was_hit(void)
{
	return hit || fake->hit();
}

static uint32_t
calls(unsigned fn)
{
	return fake->calls(names[fn].symbol);
}

static const char *
left(void)
{
	static char text[256];
	void *current;
	if (fake->depth(&current))
		return "a current context remains";
	return fake->left(text, sizeof text) ? text : NULL;
}

static uint64_t
no_messages(void)
{
	return 0;
}

static void
anew(void)
{
	const struct cuda_library *lib;
	struct qd_error err;
	calm();
	/* Casts away const from the only object of this kind. */
	if (cuda_library_get(&lib, &err) == QD_OK)
		((struct cuda_library *)(uintptr_t)lib)->ready = false;
}

bool
fault_cuda_begin(void)
{
	fake = cuda_fake();
	if (fake)
		calm();
	return fake != NULL;
}

const struct fault_driver fault_cuda = {
	.name = "cuda",
	.anew = anew,
	.n_functions = N_FN,
	.function = function_name,
	.errors = n_errors,
	.error = error_name,
	.reported = reported,
	.must = must,
	.arm = arm,
	.calm = calm,
	.hit = was_hit,
	.calls = calls,
	.left = left,
	.messages = no_messages,
};
