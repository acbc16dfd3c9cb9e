/* Packet streams that tests share, and queries of streams. */
#ifndef PM4_STREAM_H
#define PM4_STREAM_H

#include "pm4.h"
#include "unit.h"

enum { PM4_N_GOLDEN = 6, PM4_GOLDEN_CAP = 256 };

/* A kernel's descriptor, and the stream of its dispatch as text: hexadecimal words, with a slash
 * between packets. */
struct pm4_golden {
	const char *target;
	uint32_t rsrc[3], properties, n_engine;
	const char *words;
};
extern const struct pm4_golden pm4_goldens[PM4_N_GOLDEN];

/* Addresses of descriptor and arguments. The offset of the code is relative to the descriptor. */
#define PM4_MADE_DESCRIPTOR UINT64_C(0x100001000)
#define PM4_MADE_KERNARG    UINT64_C(0x100020000)
enum { PM4_MADE_CODE = 0x300 };

/* Write the 64 bytes of a descriptor, and one word in them. */
void pm4_made_describe(const struct pm4_golden *g, uint8_t d[AMD_DESCRIPTOR_SIZE]);
void pm4_made_put(uint8_t *d, unsigned at, uint32_t v);
/* Fills in a golden's kernel and dispatch. */
const struct amd_gpu *pm4_made_dispatch(struct unit_ctx *t, const struct pm4_golden *g, struct pm4_kernel *k,
					struct pm4_dispatch *d);
/* Writes the dispatch, after a cache invalidation and before a wait. */
qd_status pm4_made_stream(const struct pm4_golden *g, const struct pm4_dispatch *d, uint32_t *words, uint32_t cap,
			  uint32_t *n, struct qd_error *err);

/* Returns the value that the last packet for a register sets, followed by the values of the next
 * registers in that packet. Returns NULL if no packet sets it. */
const uint32_t *stream_register(enum pm4_gen gen, const uint32_t *words, uint32_t n, enum pm4_word reg);

#endif
