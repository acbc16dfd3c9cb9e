/* Fault injection in Vulkan: a wrapper for every row of vulkan.def counts calls and objects, and
 * makes the requested call fail. Before a device loss it waits until the device is idle, since a
 * lost device executes nothing. Each later call that can return the loss does. */
#include "driver.h"

#include "vulkan_internal.h"

/* -- Errors ------------------------------------------------------------------------- */

enum {
	HOST = 1, ROOM = 2, LOST = 4, INIT = 8, LAYER = 16, EXTENSION = 32, FEATURE = 64,
	DRIVER = 128, OBJECTS = 256, MAP = 512, SHADER = 1024, LATE = 2048, UNKNOWN = 4096,
	MEMORY = HOST | ROOM
};
enum { N_ERROR = 13 };
enum { MAY, MUST, AGAIN }; /* explained in vulkan.def */

static const struct {
	VkResult code;
	const char *name;
} errors[N_ERROR] = { /* by bit */
	{ VK_ERROR_OUT_OF_HOST_MEMORY, "out of host memory" },
	{ VK_ERROR_OUT_OF_DEVICE_MEMORY, "out of device memory" },
	{ VK_ERROR_DEVICE_LOST, "device lost" },
	{ VK_ERROR_INITIALIZATION_FAILED, "initialization failed" },
	{ VK_ERROR_LAYER_NOT_PRESENT, "layer not present" },
	{ VK_ERROR_EXTENSION_NOT_PRESENT, "extension not present" },
	{ VK_ERROR_FEATURE_NOT_PRESENT, "feature not present" },
	{ VK_ERROR_INCOMPATIBLE_DRIVER, "incompatible driver" },
	{ VK_ERROR_TOO_MANY_OBJECTS, "too many objects" },
	{ VK_ERROR_MEMORY_MAP_FAILED, "memory map failed" },
	{ VK_ERROR_INVALID_SHADER_NV, "invalid shader" },
	{ VK_TIMEOUT, "timeout" },
	{ VK_ERROR_UNKNOWN, "unknown" },
};

/* -- Functions and objects ------------------------------------------------------------ */

enum {
#define FAILS(name, ...) FN_##name,
#define MAKES(name, ...) FN_##name,
#include "vulkan.def"
	N_FN
};

static const struct {
	const char *name;
	uint32_t errors;
	uint8_t after;
} functions[N_FN] = {
#define FAILS(name, params, args, errors, after) { #name, errors, after },
#define MAKES(name, params, args, errors, after, kind, out) { #name, errors, after },
#include "vulkan.def"
};

enum {
#define MAKES(name, params, args, errors, after, kind, out) KIND_##kind,
#include "vulkan.def"
	N_KIND
};

enum {
#define VOID(name, ...) VOID_##name,
#include "vulkan.def"
};

static const char *const kinds[N_KIND] = {
#define MAKES(name, params, args, errors, after, kind, out) #kind,
#include "vulkan.def"
};

static struct {
	struct fault_place place;
	bool armed, hit, lost, kept;
	uint32_t calls[N_FN];
	int64_t live[N_KIND];
	VkDevice device;
	VkDebugUtilsMessengerEXT messenger;
	struct vulkan_instance *instance; /* the process's only instance */
} state;

bool fault_vulkan_drop;

/* -- Wrappers ---------------------------------------------------------------------------- */

#define FAILS(name, ...) static PFN_##name real_##name;
#define MAKES(name, ...) static PFN_##name real_##name;
#define DROPS(name, ...) static PFN_##name real_##name;
#define VOID(name, ...)	 static PFN_##name real_##name;
#define GIVES(type, name, ...) static PFN_##name real_##name;
#include "vulkan.def"

static VkResult
nth_error(uint32_t set, unsigned n)
{
	for (unsigned i = 0; i < N_ERROR; i++)
		if (set >> i & 1 && n-- == 0)
			return errors[i].code;
	return VK_ERROR_UNKNOWN;
}

/* Returns whether this call fails; *r: the error. */
static bool
fails(unsigned fn, VkResult *r)
{
	uint32_t n = ++state.calls[fn];

	if (state.armed && state.place.fn == fn && state.place.at == n) {
		*r = nth_error(functions[fn].errors, state.place.error);
		state.hit = true;
		if (*r == VK_ERROR_DEVICE_LOST && state.device) {
			real_vkDeviceWaitIdle(state.device);
			state.lost = true;
		}
		return true;
	}
	*r = VK_ERROR_DEVICE_LOST;
	return state.lost && functions[fn].errors & LOST;
}

static void
made(unsigned kind, const void *object, size_t size)
{
	state.live[kind]++;
	if (kind == KIND_DEVICE)
		memcpy(&state.device, object, size);
	if (kind == KIND_MESSENGER)
		memcpy(&state.messenger, object, size);
}

static void
dropped(unsigned kind, bool object)
{
	state.live[kind] -= object;
	if (kind == KIND_DEVICE) {
		state.device = VK_NULL_HANDLE;
		state.lost = false;
	}
}

/* clang-format off */
#define FAILS(name, params, args, errors, after)                                                   \
	static VKAPI_ATTR VkResult VKAPI_CALL on_##name params                                     \
	{                                                                                          \
		VkResult r;                                                                        \
		return fails(FN_##name, &r) ? r : real_##name args;                                \
	}
/* A failed call leaves an undefined value in *out. */
#define MAKES(name, params, args, errors, after, kind, out)                                        \
	static VKAPI_ATTR VkResult VKAPI_CALL on_##name params                                     \
	{                                                                                          \
		VkResult r;                                                                        \
		if (fails(FN_##name, &r)) {                                                        \
			memset(out, 0xa5, sizeof *out);                                            \
			return r;                                                                  \
		}                                                                                  \
		r = real_##name args;                                                              \
		if (r == VK_SUCCESS)                                                               \
			made(KIND_##kind, out, sizeof *out);                                       \
		return r;                                                                          \
	}
#define DROPS(name, params, args, kind, object)                                                    \
	static VKAPI_ATTR void VKAPI_CALL on_##name params                                         \
	{                                                                                          \
		bool is_one = object != VK_NULL_HANDLE;                                            \
		real_##name args;                                                                  \
		dropped(KIND_##kind, is_one);                                                      \
	}
#define VOID(name, params, args)                                                                   \
	static VKAPI_ATTR void VKAPI_CALL on_##name params                                         \
	{                                                                                          \
		if (!fault_vulkan_drop || VOID_##name != VOID_vkCmdDispatch)                       \
			real_##name args;                                                          \
	}
#define GIVES(type, name, params, args)                                                            \
	static VKAPI_ATTR type VKAPI_CALL on_##name params                                         \
	{                                                                                          \
		return real_##name args;                                                           \
	}
/* clang-format on */
#include "vulkan.def"

/* -- Hooks into the driver's tables --------------------------------------------------------- */

/* A function of sym.def without a row in vulkan.def has no wrapper, which is a compile error
 * here. */
#define WRAP(name, need)                                                                           \
	if (vk->name) {                                                                            \
		real_##name = vk->name;                                                            \
		vk->name = on_##name;                                                              \
	}

static void
wrap_global(struct vulkan_global_symbols *vk)
{
#define VULKAN_GLOBAL WRAP
#include "sym.def"
}

static void
wrap_instance(struct vulkan_instance_symbols *vk)
{
#define VULKAN_INSTANCE WRAP
#include "sym.def"
}

static void
wrap_device(struct vulkan_device_symbols *vk)
{
#define VULKAN_DEVICE WRAP
#include "sym.def"
}

bool
fault_vulkan_begin(bool staged)
{
	const struct vulkan_instance *in;
	struct qd_error err;

	vulkan_hooks = (struct vulkan_hooks){ .staged = staged,
					      .symbols = wrap_device,
					      .instance = wrap_instance,
					      .global = wrap_global };
	if (vulkan_instance_get(&in, &err) != QD_OK)
		return false;
	/* Casts away const from the only object of this kind. */
	state.instance = (struct vulkan_instance *)(uintptr_t)in;
	return true;
}

void
fault_vulkan_end(void)
{
	vulkan_hooks = (struct vulkan_hooks){ 0 };
}

static void
new_instance(void)
{
	struct vulkan_instance *in = state.instance;

	if (!in->handle)
		return;
	if (state.kept && state.live[KIND_MESSENGER]) {
		PFN_vkDestroyDebugUtilsMessengerEXT destroy =
			(PFN_vkDestroyDebugUtilsMessengerEXT)in->get(
				in->handle, "vkDestroyDebugUtilsMessengerEXT");
		destroy(in->handle, state.messenger, NULL);
		dropped(KIND_MESSENGER, true);
	}
	/* The first instance stays, so that the loader keeps the driver's library. */
	if (state.kept)
		in->vk.vkDestroyInstance(in->handle, NULL);
	else
		state.live[KIND_INSTANCE] = state.live[KIND_MESSENGER] = 0;
	state.kept = true;
	in->handle = VK_NULL_HANDLE;
}

/* -- Interface for main.c ---------------------------------------------------------------------- */

static const char *
function_name(unsigned fn)
{
	return functions[fn].name;
}

static unsigned
n_errors(unsigned fn)
{
	return (unsigned)__builtin_popcount(functions[fn].errors);
}

static const char *
error_name(unsigned fn, unsigned error)
{
	for (unsigned i = 0; i < N_ERROR; i++)
		if (functions[fn].errors >> i & 1 && error-- == 0)
			return errors[i].name;
	return "no error";
}

static bool
must(const struct fault_place *p)
{
	if (functions[p->fn].after == AGAIN)
		return nth_error(functions[p->fn].errors, p->error) != VK_ERROR_OUT_OF_DEVICE_MEMORY;
	return functions[p->fn].after == MUST;
}

static void
arm(const struct fault_place *p)
{
	state.armed = p != NULL;
	state.hit = false;
	if (p)
		state.place = *p;
	memset(state.calls, 0, sizeof state.calls);
}

static void
calm(void)
{
	state.armed = false;
}

static bool
was_hit(void)
{
	return state.hit;
}

static uint32_t
calls(unsigned fn)
{
	return state.calls[fn];
}

/* Returns a kind of object that is leaked. An instance and its messenger live as long as
 * the process. */
static const char *
left(void)
{
	for (unsigned i = 0; i < N_KIND; i++) {
		bool is_kept = i == KIND_INSTANCE || i == KIND_MESSENGER;

		if (state.live[i] && !(is_kept && state.live[i] == 1))
			return kinds[i];
	}
	return NULL;
}

const struct fault_driver fault_vulkan = {
	.name = "vulkan",
	.anew = new_instance,
	.n_functions = N_FN,
	.function = function_name,
	.errors = n_errors,
	.error = error_name,
	.must = must,
	.arm = arm,
	.calm = calm,
	.hit = was_hit,
	.calls = calls,
	.left = left,
	.messages = vulkan_validation_messages,
};
