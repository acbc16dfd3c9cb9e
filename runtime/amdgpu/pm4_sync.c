/* Caches, waits, fences and timestamps. */
#include "pm4.h"

enum { CS_PARTIAL_FLUSH = 7, PARTIAL_FLUSH_INDEX = 4 };
enum { BOTTOM_OF_PIPE_TS = 0x28, TS_INDEX = 5 };
enum { DATA_32 = 1, DATA_64 = 2, DATA_CLOCK = 3 };	/* RELEASE_MEM's DATA_SEL */
enum { INT_AFTER_DATA = 2, WAIT_AFTER_DATA = 3 };	/* RELEASE_MEM's INT_SEL */
enum { TO_MEMORY = 5, FROM_CLOCK = 9 };			/* selectors of COPY_DATA and WRITE_DATA */
enum { ADDRESS_BITS = 48, POLL_INTERVAL = 10 };

/* Checks that an address is aligned and within the range of page tables. */
static bool
address(struct pm4 *p, const char *what, uint64_t addr, uint32_t align)
{
	if (addr % align == 0 && addr && addr >> ADDRESS_BITS == 0)
		return true;
	pm4_fail(p, QD_E_INVALID, "%s: 0x%llx is not an address of %u-byte words below 2^%d", what,
		 (unsigned long long)addr, align, ADDRESS_BITS);
	return false;
}

static uint32_t
low(uint64_t v)
{
	return (uint32_t)v;
}

static uint32_t
high(uint64_t v)
{
	return (uint32_t)(v >> 32);
}

void
pm4_cache(struct pm4 *p, enum pm4_cache what)
{
	static const enum pm4_value_id values[] = {
		[PM4_CACHE_START] = PM4_V_CACHE_START,
		[PM4_CACHE_DATA] = PM4_V_CACHE_DATA,
		[PM4_CACHE_CODE] = PM4_V_CACHE_CODE,
		[PM4_CACHE_HOST] = PM4_V_CACHE_HOST,
	};
	uint32_t n = pm4_packets[PM4_PKT_ACQUIRE_MEM].words[p->gen], actions = pm4_value(p->gen, values[what]);
	/* The range is all of memory. */
	uint32_t body[] = { 0, UINT32_MAX, 0xffffff, 0, 0, POLL_INTERVAL, 0 };

	if (what == PM4_CACHE_START)
		pm4_set_fixed(p, PM4_SPACE_UCONFIG);
	body[pm4_body_at(p->gen, PM4_PKT_ACQUIRE_MEM, 6) == PM4_ACQUIRE_MEM_GCR_CNTL ? 6 : 0] = actions;
	pm4_packet(p, PM4_PKT_ACQUIRE_MEM, body, n);
}

void
pm4_drain(struct pm4 *p)
{
	uint32_t event = 0;

	pm4_bits(p, &event, PM4_F_EVENT_WRITE_EVENT_TYPE, CS_PARTIAL_FLUSH);
	pm4_bits(p, &event, PM4_F_EVENT_WRITE_EVENT_INDEX, PARTIAL_FLUSH_INDEX);
	pm4_packet(p, PM4_PKT_EVENT_WRITE, &event, 1);
}

bool
pm4_barrier(struct pm4 *p, const struct pm4_use *a, uint32_t n_a, const struct pm4_use *b, uint32_t n_b)
{
	bool shared = false, code = false;

	for (uint32_t i = 0; i < n_a; i++) {
		for (uint32_t j = 0; j < n_b; j++) {
			bool meet = a[i].addr < b[j].addr ? b[j].addr - a[i].addr < a[i].size :
							    a[i].addr - b[j].addr < b[j].size;
			if (!meet || !a[i].size || !b[j].size || (!a[i].written && !b[j].written))
				continue;
			shared = true;
			code |= a[i].written && b[j].code;
		}
	}
	if (!shared)
		return false;
	pm4_drain(p);
	pm4_cache(p, code ? PM4_CACHE_CODE : PM4_CACHE_DATA);
	return true;
}

static void
release(struct pm4 *p, uint32_t event, uint64_t addr, uint64_t data, uint32_t data_sel, uint32_t int_sel)
{
	uint32_t select = 0;

	pm4_bits(p, &select, PM4_F_RELEASE_MEM_SELECT_DATA_SEL, data_sel);
	pm4_bits(p, &select, PM4_F_RELEASE_MEM_SELECT_INT_SEL, int_sel);
	const uint32_t body[] = { event, select, low(addr), high(addr), low(data), high(data), 0 };
	pm4_packet(p, PM4_PKT_RELEASE_MEM, body, QD_COUNT(body));
}

void
pm4_fence(struct pm4 *p, const struct pm4_fence *f)
{
	if (!address(p, "a fence", f->addr, f->wide ? 8 : 4))
		return;
	if (!f->wide && f->value > UINT32_MAX) {
		pm4_fail(p, QD_E_LIMIT, "a fence of 32 bits: %llu does not fit", (unsigned long long)f->value);
		return;
	}
	release(p, pm4_value(p->gen, PM4_V_FENCE_EVENT), f->addr, f->value, f->wide ? DATA_64 : DATA_32,
		f->interrupt ? INT_AFTER_DATA : WAIT_AFTER_DATA);
}

void
pm4_clock_end(struct pm4 *p, uint64_t addr)
{
	uint32_t event = 0;

	if (!address(p, "a time", addr, 8))
		return;
	pm4_bits(p, &event, PM4_F_RELEASE_MEM_EVENT_TYPE, BOTTOM_OF_PIPE_TS);
	pm4_bits(p, &event, PM4_F_RELEASE_MEM_EVENT_INDEX, TS_INDEX);
	release(p, event, addr, 0, DATA_CLOCK, WAIT_AFTER_DATA);
}

void
pm4_clock(struct pm4 *p, uint64_t addr)
{
	uint32_t control = 0;

	if (!address(p, "a time", addr, 8))
		return;
	pm4_bits(p, &control, PM4_F_COPY_DATA_CONTROL_SRC_SEL, FROM_CLOCK);
	pm4_bits(p, &control, PM4_F_COPY_DATA_CONTROL_DST_SEL, TO_MEMORY);
	pm4_bits(p, &control, PM4_F_COPY_DATA_CONTROL_COUNT_SEL, 1);
	pm4_bits(p, &control, PM4_F_COPY_DATA_CONTROL_WR_CONFIRM, 1);
	const uint32_t body[] = { control, 0, 0, low(addr), high(addr) };
	pm4_packet(p, PM4_PKT_COPY_DATA, body, QD_COUNT(body));
}

void
pm4_write(struct pm4 *p, uint64_t addr, const uint32_t *words, uint32_t n)
{
	enum { HEAD = 3, MOST = 256 };
	uint32_t body[HEAD + MOST] = { 0 };

	if (!address(p, "a write", addr, 4))
		return;
	if (n > MOST) {
		pm4_fail(p, QD_E_LIMIT, "a write of %u words; the limit is %d", n, MOST);
		return;
	}
	pm4_bits(p, &body[0], PM4_F_WRITE_DATA_CONTROL_DST_SEL, TO_MEMORY);
	pm4_bits(p, &body[0], PM4_F_WRITE_DATA_CONTROL_WR_CONFIRM, 1);
	body[1] = low(addr);
	body[2] = high(addr);
	if (n)
		memcpy(body + HEAD, words, n * sizeof *words);
	pm4_packet(p, PM4_PKT_WRITE_DATA, body, HEAD + n);
}
