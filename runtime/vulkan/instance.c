/* The loader, and the only instance of the process, created on first use and never destroyed.
 * Drivers have failed after a number of instances, and creating one costs tens of milliseconds.
 * After a failure, the next call tries again. */
#include <stdio.h>

#include "dl.h"
#include "vulkan_internal.h"

static pthread_mutex_t instance_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vulkan_instance instance;
static void *loader;
/* Names on Linux, Android and macOS, where MoltenVK also works without a loader. */
static const char *const loader_names[] = { "libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib",
					    "libMoltenVK.dylib" };
static const char *loader_name; /* the name that was opened */

/* A child process must not use the instance if the parent had created it, or if another thread was
 * doing so: that thread may hold the lock, but does not exist in the child. */
static bool making, refused;

static void
in_child(void)
{
	pthread_mutex_init(&instance_lock, NULL);
	refused = refused || making || instance.handle;
}

static int watching;

static void
watch_forks(void)
{
	watching = pthread_atfork(NULL, NULL, in_child);
}

/* -- Messages of the validation layer ------------------------------------------- */

/* The driver calls back from any thread, also within its own calls. The newest context with an
 * open device logs the text. The context cannot be destroyed while it logs a message. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	struct vulkan_log_link *links; /* newest first */
	uint32_t n_busy;
	_Atomic uint64_t n_messages;
} hook = { .lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER };

void
vulkan_log_attach(struct vulkan_log_link *link, struct qd_context *ctx)
{
	pthread_mutex_lock(&hook.lock);
	link->ctx = ctx;
	link->next = hook.links;
	hook.links = link;
	pthread_mutex_unlock(&hook.lock);
}

void
vulkan_log_detach(struct vulkan_log_link *link)
{
	pthread_mutex_lock(&hook.lock);
	struct vulkan_log_link **at = &hook.links;
	while (*at && *at != link)
		at = &(*at)->next;
	if (*at)
		*at = link->next;
	while (hook.n_busy)
		pthread_cond_wait(&hook.idle, &hook.lock);
	pthread_mutex_unlock(&hook.lock);
}

uint64_t
vulkan_validation_messages(void)
{
	return atomic_load(&hook.n_messages);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	   const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	(void)types;
	(void)user;
	atomic_fetch_add(&hook.n_messages, 1);
	pthread_mutex_lock(&hook.lock);
	struct qd_context *ctx = hook.links ? hook.links->ctx : NULL;
	hook.n_busy += ctx != NULL;
	pthread_mutex_unlock(&hook.lock);
	if (!ctx)
		return VK_FALSE;
	bool error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	ctx_log(ctx, error ? QD_LOG_ERROR : QD_LOG_WARNING, "vulkan", "%s",
		data && data->pMessage ? data->pMessage : "a message without text");
	pthread_mutex_lock(&hook.lock);
	if (--hook.n_busy == 0)
		pthread_cond_broadcast(&hook.idle);
	pthread_mutex_unlock(&hook.lock);
	return VK_FALSE;
}

static void
listen(const struct vulkan_instance *in)
{
	if (!in->vk.vkCreateDebugUtilsMessengerEXT)
		return;
	VkDebugUtilsMessengerEXT messenger;
	VkDebugUtilsMessengerCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = on_message,
	};
	/* Without it, messages are not logged; nothing else changes. */
	(void)in->vk.vkCreateDebugUtilsMessengerEXT(in->handle, &info, NULL, &messenger);
}

/* -- Symbols ----------------------------------------------------------------------- */

enum { OPTIONAL, REQUIRED };

static const struct dl_symbol global_symbols[] = {
#define VULKAN_GLOBAL(name, need) { #name, offsetof(struct vulkan_global_symbols, name), need },
#include "sym.def"
};
static const struct dl_symbol instance_symbols[] = {
#define VULKAN_INSTANCE(name, need) { #name, offsetof(struct vulkan_instance_symbols, name), need },
#include "sym.def"
};

static dl_fn *
get_symbol(void *user, const char *name)
{
	const struct vulkan_instance *in = user;
	return (dl_fn *)in->get(in->handle, name);
}

static qd_status
load_library(struct vulkan_instance *in, struct qd_error *err)
{
	if (!loader) {
		char why[256];
		size_t which;
		loader = dl_open_first(loader_names, QD_COUNT(loader_names), &which, why,
				       sizeof why);
		if (!loader)
			return qd_fail(err, QD_E_UNAVAILABLE, "%s", why);
		loader_name = loader_names[which];
	}
	in->get = (PFN_vkGetInstanceProcAddr)dl_symbol(loader, "vkGetInstanceProcAddr");
	if (!in->get)
		return qd_fail(err, QD_E_UNAVAILABLE, "%s has no vkGetInstanceProcAddr",
			       loader_name);
	const char *missing =
		dl_resolve(global_symbols, QD_COUNT(global_symbols), &in->global, get_symbol, in);
	if (missing)
		return qd_fail(err, QD_E_UNAVAILABLE, "%s has no %s", loader_name, missing);
	if (vulkan_hooks.global)
		vulkan_hooks.global(&in->global);
	uint32_t version = VK_API_VERSION_1_0;
	if (in->global.vkEnumerateInstanceVersion) {
		VkResult r = in->global.vkEnumerateInstanceVersion(&version);
		if (r != VK_SUCCESS)
			return vulkan_fail(NULL, err, r, "vkEnumerateInstanceVersion");
	}
	if (version < VK_API_VERSION_1_1)
		return qd_fail(err, QD_E_UNAVAILABLE, "%s is a Vulkan 1.0 loader; 1.3 is required",
			       loader_name);
	return QD_OK;
}

/* -- The instance -------------------------------------------------------------------- */

enum { MAX_EXTENSIONS = 256 };

static bool
has_extension(const VkExtensionProperties *have, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(have[i].extensionName, name) == 0)
			return true;
	}
	return false;
}

static qd_status
create(struct vulkan_instance *in, struct qd_error *err)
{
	static VkExtensionProperties have[MAX_EXTENSIONS]; /* guarded by instance_lock */
	uint32_t n_have = MAX_EXTENSIONS;
	VkResult r = in->global.vkEnumerateInstanceExtensionProperties(NULL, &n_have, have);
	if (r != VK_SUCCESS && r != VK_INCOMPLETE)
		return vulkan_fail(NULL, err, r, "vkEnumerateInstanceExtensionProperties");

	const char *want[2];
	VkInstanceCreateFlags flags = 0;
	uint32_t n_want = 0;
	if (has_extension(have, n_have, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
		want[n_want++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
		flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
	}
	if (has_extension(have, n_have, VK_EXT_DEBUG_UTILS_EXTENSION_NAME))
		want[n_want++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pEngineName = "qd",
		.engineVersion = QD_VERSION,
		.apiVersion = VK_API_VERSION_1_3,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.flags = flags,
		.pApplicationInfo = &app,
		.enabledExtensionCount = n_want,
		.ppEnabledExtensionNames = want,
	};
	r = in->global.vkCreateInstance(&info, NULL, &in->handle);
	if (r == VK_ERROR_INCOMPATIBLE_DRIVER)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "vkCreateInstance failed: %s (%d): no Vulkan driver is installed",
			       vulkan_result_name(r), (int)r);
	if (r != VK_SUCCESS)
		return vulkan_fail(NULL, err, r, "vkCreateInstance");
	const char *missing =
		dl_resolve(instance_symbols, QD_COUNT(instance_symbols), &in->vk, get_symbol, in);
	if (missing) {
		if (in->vk.vkDestroyInstance)
			in->vk.vkDestroyInstance(in->handle, NULL);
		return qd_fail(err, QD_E_UNAVAILABLE, "the Vulkan loader has no %s", missing);
	}
	if (vulkan_hooks.instance)
		vulkan_hooks.instance(&in->vk);
	return QD_OK;
}

static qd_status
get_locked(struct qd_error *err)
{
	if (refused)
		return qd_fail(err, QD_E_FORKED,
			       "Vulkan was initialized by the parent of process %ld, before a "
			       "fork; drivers do not work in the child of such a process",
			       (long)getpid());
	if (instance.handle)
		return QD_OK;
	struct vulkan_instance in = { .handle = NULL };
	QD_TRY(load_library(&in, err));
	QD_TRY(create(&in, err));
	listen(&in);
	instance = in;
	return QD_OK;
}

qd_status
vulkan_instance_get(const struct vulkan_instance **out, struct qd_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	*out = &instance;
	pthread_once(&once, watch_forks);
	if (watching)
		return qd_fail(err, QD_E_NOMEM, "pthread_atfork: out of memory");
	pthread_mutex_lock(&instance_lock);
	making = true;
	qd_status st = get_locked(err);
	making = false;
	pthread_mutex_unlock(&instance_lock);
	return st;
}
