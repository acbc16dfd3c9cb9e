/* The peers of bench-launch: each launches the same code by its driver's bare calls. */
#ifndef QD_BENCH_LAUNCH_H
#define QD_BENCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bench_tiny's image, as qd compiled it for the device, and the arguments of a launch on
 * `n` elements.  The peer fills in `address`. */
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

struct peer; /* each driver's own */

/* One driver.  Calls return false on failure, with the call's name in *failed. */
struct peer_driver {
	const char *selector; /* what the selectors of its devices begin with */
	const char *name;     /* "bare CUDA" */
	struct peer *(*open)(const struct peer_kernel *k, const char **failed);
	void (*close)(struct peer *p);
	/* n launches in a row, and a wait for the last. */
	bool (*launch)(struct peer *p, uint32_t n, const char **failed);
	/* The same in three parts: what precedes the launches, the launches as far as they cost
	 * the host while the device is busy, and the rest. */
	bool (*begin)(struct peer *p, const char **failed);
	bool (*give)(struct peer *p, uint32_t n, const char **failed);
	bool (*finish)(struct peer *p, const char **failed);
	/* Element 0, which has been 0 and counts the launches.  NULL: the peer cannot read it. */
	bool (*read)(struct peer *p, uint32_t *out, const char **failed);
};

extern const struct peer_driver peer_cuda, peer_vulkan;

#endif
