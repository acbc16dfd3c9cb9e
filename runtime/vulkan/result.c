/* Converts the driver's results to a status and a message. */
#include "vulkan_internal.h"

/* clang-format off */
static const struct {
	VkResult code;
	qd_status status;
	const char *name;
} results[] = {
#define ROW(code, status) { VK_##code, QD_##status, "VK_" #code }
	ROW(SUCCESS, OK),
	ROW(NOT_READY, E_BUSY),
	ROW(TIMEOUT, E_BUSY),
	ROW(INCOMPLETE, E_DRIVER),
	ROW(ERROR_OUT_OF_HOST_MEMORY, E_NOMEM),
	ROW(ERROR_OUT_OF_DEVICE_MEMORY, E_DEVICE_NOMEM),
	ROW(ERROR_INITIALIZATION_FAILED, E_UNAVAILABLE),
	ROW(ERROR_DEVICE_LOST, E_DEVICE_LOST),
	ROW(ERROR_MEMORY_MAP_FAILED, E_DRIVER),
	ROW(ERROR_LAYER_NOT_PRESENT, E_UNAVAILABLE),
	ROW(ERROR_EXTENSION_NOT_PRESENT, E_UNAVAILABLE),
	ROW(ERROR_FEATURE_NOT_PRESENT, E_UNAVAILABLE),
	ROW(ERROR_INCOMPATIBLE_DRIVER, E_UNAVAILABLE),
	ROW(ERROR_TOO_MANY_OBJECTS, E_DEVICE_NOMEM),
	ROW(ERROR_FRAGMENTED_POOL, E_DEVICE_NOMEM),
	ROW(ERROR_OUT_OF_POOL_MEMORY, E_DEVICE_NOMEM),
	ROW(ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, E_DEVICE_NOMEM),
	ROW(ERROR_INVALID_EXTERNAL_HANDLE, E_DRIVER),
	ROW(ERROR_INVALID_SHADER_NV, E_DRIVER),
	ROW(ERROR_VALIDATION_FAILED_EXT, E_DRIVER),
	ROW(PIPELINE_COMPILE_REQUIRED, E_DRIVER),
	ROW(ERROR_UNKNOWN, E_DRIVER),
#undef ROW
};
/* clang-format on */

const char *
vulkan_result_name(VkResult r)
{
	for (size_t i = 0; i < QD_COUNT(results); i++) {
		if (results[i].code == r)
			return results[i].name;
	}
	return "an unknown VkResult";
}

static qd_status
status_of(VkResult r)
{
	for (size_t i = 0; i < QD_COUNT(results); i++) {
		if (results[i].code == r && results[i].status != QD_OK)
			return results[i].status;
	}
	return QD_E_DRIVER;
}

qd_status
vulkan_fail(struct vulkan_device *dev, struct qd_error *err, VkResult r, const char *call)
{
	qd_status st = status_of(r);
	if (!dev)
		return qd_fail(err, st, "%s failed: %s (%d)", call, vulkan_result_name(r), (int)r);
	const char *before = NULL;
	if (st == QD_E_DEVICE_LOST)
		atomic_compare_exchange_strong(&dev->base.lost, &before, call);
	return qd_fail(err, st, "%s (%s): %s failed: %s (%d)", dev->base.info.selector,
		       dev->base.info.name, call, vulkan_result_name(r), (int)r);
}
