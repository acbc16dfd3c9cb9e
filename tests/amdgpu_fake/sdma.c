/* Streams of an SDMA queue: copies and fills of memory, by the kernel's vega10_sdma_pkt_open.h and
 * its successors. */
#include "fake.h"

static bool
bad(struct exec *x, uint32_t header, const char *what)
{
	return exec_wrong(x, CHECK_sdma_packet, "0x%08x: %s", header, what);
}

/* Returns the maximum number of bytes of one packet. */
static uint64_t
most(const struct device *d)
{
	enum gen g = gen_of(d);
	return UINT64_C(1) << (g == G906 || g == G101 ? 22 : 30);
}

static bool
check_size(struct exec *x, uint64_t n)
{
	return n <= most(x->d) || exec_wrong(x, CHECK_sdma_size, "%llu bytes of at most %llu",
					     (unsigned long long)n, (unsigned long long)most(x->d));
}

static bool
copy(struct exec *x, const uint32_t *w)
{
	uint64_t n = (uint64_t)w[1] + 1, src = w[3] | (uint64_t)w[4] << 32,
		 dst = w[5] | (uint64_t)w[6] << 32;
	uint8_t part[4096];
	if (w[0] != 1 || w[2])
		return bad(x, w[0],
			   w[2] ? "byte swaps are not modeled"
				: "a copy with bits set besides its opcode");
	if (!check_size(x, n))
		return false;
	if (src < dst + n && dst < src + n)
		return bad(x, w[0], "source and destination overlap");
	for (uint64_t done = 0, m; done < n; done += m) {
		m = n - done < sizeof part ? n - done : sizeof part;
		if (!mem_read(x, src + done, part, m, QUEUE_READ) ||
		    !mem_write(x, dst + done, part, m, QUEUE_WRITE))
			return false;
	}
	return true;
}

static bool
fill(struct exec *x, const uint32_t *w)
{
	enum { WORDS = 2 };
	uint64_t n = (uint64_t)w[4] + 1, dst = w[1] | (uint64_t)w[2] << 32;
	uint32_t part[1024];
	if (w[0] != (11u | (uint32_t)WORDS << 30))
		return bad(x, w[0], "a fill with a unit other than words");
	if (dst % 4 || n % 4)
		return bad(x, w[0], "address and size are not multiples of 4");
	if (!check_size(x, n))
		return false;
	for (unsigned i = 0; i < QD_COUNT(part); i++)
		part[i] = w[3];
	for (uint64_t done = 0, m; done < n; done += m) {
		m = n - done < sizeof part ? n - done : sizeof part;
		if (!mem_write(x, dst + done, part, m, QUEUE_WRITE))
			return false;
	}
	return true;
}

bool
sdma_run(struct exec *x, const uint32_t *words, uint32_t n)
{
	for (uint32_t at = 0, len; at < n; at += len) {
		uint32_t h = words[at], op = h & 0xff;
		x->word = at;
		/* The queue executes its packets one after the other. */
		mem_drain(x);
		len = op == 0 ? 1 + (h >> 16 & 0x3fff) : op == 1 ? 7 : op == 11 ? 5 : 0;
		if (!len || (op == 0 && (h & 0xc000ff00)))
			return bad(x, h, "it is not a copy, fill or NOP");
		if (len > n - at)
			return exec_wrong(x, CHECK_sdma_size, "%u words, %u remain", len, n - at);
		if (op == 1 ? !copy(x, words + at) : op == 11 && !fill(x, words + at))
			return false;
	}
	return true;
}
