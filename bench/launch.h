/* Peers of bench-launch, which launch the same code with a driver's bare calls. */
#ifndef QD_BENCH_LAUNCH_H
#define QD_BENCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bench_tiny's code, which qd compiled for the device, and the arguments of a launch on `n`
 * elements. The peer fills in `address`. */
struct peer_kernel {
	const void *code;
	size_t size;
	const char *selector; /* the device that qd opened */
	uint32_t block_dim;   /* threads of a hardware block */
	struct {
		uint64_t address, n;
		uint32_t n_blocks, base, zero, reserved;
	} args;
};

struct peer; /* each driver defines its own */

/* One driver. Calls return false on failure, with the call's name in *failed. */
struct peer_driver {
	const char *selector; /* prefix of its devices' selectors */
	const char *name;     /* "bare CUDA" */
	struct peer *(*open)(const struct peer_kernel *k, const char **failed);
	void (*close)(struct peer *p);
	/* Launches n times and waits for the last. */
	bool (*launch)(struct peer *p, uint32_t n, const char **failed);
	/* The same in three parts: the preparation, the host's part of the launches while the
	 * device is busy, and the rest. */
	bool (*begin)(struct peer *p, const char **failed);
	bool (*give)(struct peer *p, uint32_t n, const char **failed);
	bool (*finish)(struct peer *p, const char **failed);
	/* Reads element 0, which counts the launches from 0. NULL: the peer cannot read it. */
	bool (*read)(struct peer *p, uint32_t *out, const char **failed);
};

extern const struct peer_driver peer_cuda, peer_vulkan;

#endif
