/* Injected violations of cache ordering, and in SDMA streams. */
#include <errno.h>
#include <string.h>

#include "injected.h"

/* -- Caches ------------------------------------------------------------------------ */

static int
inject_no_acquire(struct rig *r)
{
	r->no_acquire = true;
	return injected_run(r);
}

static int
inject_half_acquire(struct rig *r)
{
	rig_stream(r);
	r->w[7] = 0x380;
	return rig_run(r);
}

/* The second submission still reads the first one's arguments. */
static int
inject_stale(struct rig *r)
{
	const uint64_t other = r->data.va + 32768;
	int err = injected_run(r);
	if (err)
		return err;
	memcpy(r->args.host, &other, 8);
	memset(r->data.host, 0xff, r->data.size);
	r->no_acquire = true;
	err = injected_run(r);
	return err ? err : !injected_right(r);
}

static int
twice(struct rig *r, bool drain, bool empty)
{
	uint32_t v;
	if (!rig_kernel(r, SECOND, injected_copy))
		return -1;
	r->no_drain = true;
	rig_stream(r);
	if (drain && empty)
		rig_between(r);
	else if (drain)
		rig_drain(r);
	else if (empty)
		rig_acquire(r);
	injected_kernel(r, SECOND, injected_copy);
	rig_set_regs(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	int err = rig_run(r);
	for (uint32_t i = 0; i < ITEMS * GROUPS && !err; i++) {
		memcpy(&v, r->data.host + 4 * (size_t)(COPY_WORDS + i), 4);
		err = v == i ? 0 : 1;
	}
	return err;
}

/* Returns 0, the result of a check that only reports, if the second kernel read the old data. */
static int
inject_no_drain(struct rig *r)
{
	return twice(r, false, true) != 1;
}

static int
inject_no_empty(struct rig *r)
{
	return twice(r, true, false) != 1;
}

static int
inject_write_twice(struct rig *r)
{
	r->no_drain = true;
	rig_stream(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	return rig_run(r);
}

/* The second dispatch writes what the first one reads. */
static int
inject_write_read(struct rig *r)
{
	if (!injected_kernel(r, SECOND, injected_copy))
		return -1;
	r->no_drain = true;
	rig_stream(r);
	rig_reg(r, 0x20c)->value = (uint32_t)(r->code.va >> 8);
	rig_set_regs(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	return rig_run(r);
}

/* -- SDMA -------------------------------------------------------------------------- */

static int
dma(struct rig *r, const uint32_t *w, unsigned n)
{
	r->ip = IP_DMA;
	r->n = 0;
	for (unsigned i = 0; i < n; i++)
		rig_word(r, w[i]);
	return rig_run(r);
}

#define INJECT_DMA(name, ...)                                                                      \
	static int inject_##name(struct rig *r)                                                    \
	{                                                                                          \
		const uint32_t lo = (uint32_t)r->data.va, hi = (uint32_t)(r->data.va >> 32);       \
		const uint32_t w[] = { __VA_ARGS__ };                                              \
		(void)lo, (void)hi;                                                                \
		return dma(r, w, sizeof w / 4);                                                    \
	}
INJECT_DMA(dma_fence, 5, lo, hi, 1)
INJECT_DMA(dma_overlap, 1, 255, 0, lo, hi, lo + 128, hi)
INJECT_DMA(dma_swap, 1, 255, 1, lo, hi, lo + 1024, hi)
INJECT_DMA(dma_fill_bytes, 11, lo, hi, 0, 255)
INJECT_DMA(dma_long, 1, 1u << 30, 0, lo, hi, lo + 4096, hi)
INJECT_DMA(dma_cut, 1, 255, 0, lo)
INJECT_DMA(dma_past, 1, 65535, 0, lo, hi, lo + 65536, hi)

/* -- The table --------------------------------------------------------------------- */

const struct injected injected_caches[] = {
	{ "mem_unmapped", "gfx1100", inject_dma_past, NULL, "" },
	{ "acquire", "gfx1100", inject_no_acquire, NULL, "" },
	{ "acquire", "gfx1100", inject_half_acquire, NULL, "" },
	{ "stale", "gfx1100", inject_stale, "acquire", "" },
	{ "read_early", "gfx1100", inject_no_drain, NULL, "" },
	{ "read_early", "gfx1100", inject_no_empty, NULL, "" },
	{ "write_early", "gfx1100", inject_write_twice, NULL, "" },
	{ "write_early", "gfx1100", inject_write_read, NULL, "" },
	{ "sdma_packet", "gfx1100", inject_dma_fence, NULL, "" },
	{ "sdma_packet", "gfx1100", inject_dma_overlap, NULL, "" },
	{ "sdma_packet", "gfx1100", inject_dma_swap, NULL, "" },
	{ "sdma_packet", "gfx1100", inject_dma_fill_bytes, NULL, "" },
	{ "sdma_size", "gfx1010", inject_dma_long, NULL, "" },
	{ "sdma_size", "gfx1100", inject_dma_cut, NULL, "" },
};
const unsigned n_injected_caches = sizeof injected_caches / sizeof *injected_caches;
