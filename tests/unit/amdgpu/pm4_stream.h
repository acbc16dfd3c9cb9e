/* Streams of packets that tests share, and what they ask of streams. */
#ifndef PM4_STREAM_H
#define PM4_STREAM_H

#include "pm4.h"
#include "unit.h"

enum { PM4_N_GOLDEN = 6, PM4_GOLDEN_CAP = 256 };

/* A kernel's descriptor, and the whole stream of its dispatch as text: hexadecimal words,
 * packets apart by a slash. */
struct pm4_golden {
	const char *target;
	uint32_t rsrc[3], properties, n_engine;
	const char *words;
};
extern const struct pm4_golden pm4_goldens[PM4_N_GOLDEN];

/* Where the made ones are; their code is so far behind the descriptor. */
#define PM4_MADE_DESCRIPTOR UINT64_C(0x100001000)
#define PM4_MADE_KERNARG    UINT64_C(0x100020000)
enum { PM4_MADE_CODE = 0x300 };

/* The 64 bytes, and a word of them. */
void pm4_made_describe(const struct pm4_golden *g, uint8_t d[PM4_DESCRIPTOR]);
void pm4_made_put(uint8_t *d, unsigned at, uint32_t v);
/* A golden's kernel and dispatch. */
const struct amd_gpu *pm4_made_dispatch(struct unit_ctx *t, const struct pm4_golden *g, struct pm4_kernel *k,
					struct pm4_dispatch *d);
/* The dispatch between what empties caches and what waits. */
qd_status pm4_made_stream(const struct pm4_golden *g, const struct pm4_dispatch *d, uint32_t *words, uint32_t cap,
			  uint32_t *n, struct qd_error *err);

/* The value that the stream's last packet for it gives a register, with those of the
 * registers behind it that the same packet sets; NULL: none does. */
const uint32_t *stream_register(enum pm4_gen gen, const uint32_t *words, uint32_t n, enum pm4_word reg);

#endif
