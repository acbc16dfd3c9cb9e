/* Fault injection in libdrm: counts the calls and objects of the fake (tests/amdgpu_fake), and
 * makes the requested call fail. The simulated GPU is not the target of the program's gfx1100 code
 * object. */
#include <stdio.h>

#include "amdgpu_fake.h"
#include "amdgpu/kgd.h"
#include "driver.h"

/* -- Errors ------------------------------------------------------------------------- */

static const struct {
	int code;
	const char *name;
	qd_status status;
} errors[] = {
	/* by bit */
	{ 22, "invalid argument", QD_E_DRIVER },
	{ 12, "out of device memory", QD_E_DEVICE_NOMEM },
	{ 12, "out of kernel memory", QD_E_NOMEM },
	{ 19, "no such device", QD_E_DEVICE_LOST },
	{ 13, "no access", QD_E_UNAVAILABLE },
	{ 13, "no permission to submit", QD_E_DRIVER },
	{ 9, "another version", QD_E_UNAVAILABLE },
	{ 2, "no node", QD_E_UNAVAILABLE },
	{ 24, "too many files", QD_E_UNAVAILABLE },
	{ 1, "nothing", QD_E_UNAVAILABLE },
	{ 22, "no addresses", QD_E_DEVICE_NOMEM },
	{ 1, "hidden memory", QD_E_DRIVER },
	{ 125, "canceled", QD_E_DEVICE_LOST },
	{ 62, "timer expired", QD_E_DEVICE_LOST },
	{ 61, "no data", QD_E_DEVICE_LOST },
	{ 133, "poisoned memory", QD_E_DEVICE_LOST },
	{ 16, "busy", QD_E_DEVICE_LOST },
	{ 14, "bad address", QD_E_DRIVER },
	{ 19, "nothing there", QD_E_UNAVAILABLE },
};

enum {
	ARGS = 1, ROOM = 1 << 1, HOST = 1 << 2, GONE = 1 << 3, ENTRY = 1 << 4, RIGHTS = 1 << 5,
	VERSION = 1 << 6, NODE = 1 << 7 | 1 << 4, FILES = 1 << 8, NONE = 1 << 9, PLACE = 1 << 10,
	SEEN = 1 << 11, CANCELED = 1 << 12, TIME = 1 << 13, ENDED = 1 << 14, POISON = 1 << 15,
	RESET = 1 << 16, FAULT = 1 << 17, NO_NODE = 1 << 18
};
enum { MAY, MUST, AGAIN }; /* explained in amdgpu.def */

/* -- Functions ---------------------------------------------------------------------- */

enum {
#define ROW(name, errors, after) FN_##name,
#include "amdgpu.def"
	N_FN
};

static const struct {
	uint32_t errors;
	uint8_t after;
} rows[N_FN] = {
#define ROW(name, errors, after) [FN_##name] = { errors, after },
#include "amdgpu.def"
};

static const char *const names[N_FN] = {
#define KGD(ret, name, library, need, params) [FN_##name] = #name,
#include "amdgpu/sym.def"
};

static const struct amdgpu_fake *fake;
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
	return names[fn];
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
	snprintf(number, sizeof number, "(-%d)", errors[i].code);
	/* A device whose properties cannot be read is reported as unusable. */
	bool used = !strstr(err->text, "cannot be used");
	/* A call that returns a pointer has no error number. */
	bool said = strstr(err->text, number) || rows[p->fn].errors == NONE;
	return said && err->code == (used ? errors[i].status : QD_E_UNAVAILABLE);
}

static bool
must(const struct fault_place *p)
{
	uint32_t bit = 1u << nth_error(p->fn, p->error);
	return rows[p->fn].after == MUST || (rows[p->fn].after == AGAIN && bit != ROOM);
}

static void
set(const char *more)
{
	char text[256];
	hit |= fake->hit() != 0;
	snprintf(text, sizeof text, "gpu=gfx1030 delays=0 vram=64 gtt=256 %s", more);
	fake->set(text);
}

static void
arm(const struct fault_place *p)
{
	char text[128] = "";
	if (p)
		snprintf(text, sizeof text, "fail=%s:%u:%d", names[p->fn], (unsigned)p->at,
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
	return fake->calls(names[fn]);
}

static const char *
left(void)
{
	static char text[512];
	if (fake->left(text, sizeof text) || fake->complaints(NULL, text, sizeof text))
		return text;
	return NULL;
}

static uint64_t
no_messages(void)
{
	return 0;
}

bool
fault_amdgpu_begin(void)
{
	fake = amdgpu_fake();
	if (fake)
		calm();
	return fake != NULL;
}

const struct fault_driver fault_amdgpu = {
	.name = "amdgpu",
	.anew = calm,
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
