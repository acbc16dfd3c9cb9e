#ifndef QD_TESTS_VULKAN_PROBE_H
#define QD_TESTS_VULKAN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct qd_device;

uint64_t probe_validation_messages(void);
bool probe_layer_loaded(void);
void probe_inject_error(struct qd_device *dev);

#endif
