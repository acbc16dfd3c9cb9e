/* Streams of a compute queue: each packet is checked before it is executed. */
#include "fake.h"

enum packet {
#define PACKET(name, ...) PKT_##name,
#include "packet.def"
	N_PACKET
};

static const struct row {
	const char *name;
	uint8_t op;
	struct {
		uint16_t min, max;
	} words[2];
	bool compute;
} rows[N_PACKET] = {
#define PACKET(name, op, a, b, c, d, compute) { #name, op, { { a, b }, { c, d } }, compute },
#include "packet.def"
};

struct body {
	const struct row *row;
	const uint32_t *w;
	uint32_t n;
};

static bool
bad(struct exec *x, const struct body *b, uint32_t v, const char *what)
{
	return exec_wrong(x, CHECK_packet_field, "%s: 0x%x: %s", b->row->name, v, what);
}

static uint64_t
address(const uint32_t *w)
{
	return w[0] | (uint64_t)w[1] << 32;
}

/* Checks the address of words that the queue itself reads or writes. */
static bool
check_address(struct exec *x, const struct body *b, uint64_t va, unsigned align)
{
	if (va % align)
		return exec_wrong(x, CHECK_packet_field,
				  "%s: the address 0x%llx is not aligned to %u bytes", b->row->name,
				  (unsigned long long)va, align);
	return true;
}

static uint64_t
gpu_clock(void)
{
	return now_ns() / 10; /* 100 MHz */
}

/* -- Caches and waits -------------------------------------------------------------- */

static bool
acquire(struct exec *x, const struct body *b)
{
	enum { K9 = 1 << 27, I9 = 1 << 29, L1_9 = 1 << 22, L2_9 = 1 << 23 };
	enum { I10 = 3, K10 = 1 << 7, V10 = 1 << 8, GL1_10 = 1 << 9, L2_10 = 1 << 14 };
	static const uint32_t known9 = 1u << 3 | 1u << 4 | 1u << 5 | 1u << 15 | 1u << 18 |
				       1u << 22 | 1u << 23 | 1u << 27 | 1u << 28 | 1u << 29 |
				       1u << 30;
	bool newer = gen_of(x->d) >= G101, which[4];
	const uint32_t *w = b->w + 1; /* size and address */
	uint32_t c = newer ? b->w[6] : b->w[0];
	if (gen_of(x->d) < G11 && !x->delay_set)
		return exec_wrong(x, CHECK_reg_unset, "CP_COHER_START_DELAY, which ACQUIRE_MEM reads");
	if (newer && b->w[0])
		return bad(x, b, b->w[0], "CP_COHER_CNTL does not exist on this GPU: use GCR_CNTL");
	if (!newer && (c & ~known9))
		return bad(x, b, c, "CP_COHER_CNTL");
	if (newer && (c & 0xfff80000))
		return bad(x, b, c, "GCR_CNTL");
	if (newer && ((c & 3) == 3 || (c >> 2 & 3) == 3 || (c >> 11 & 3) == 3))
		return bad(x, b, c, "a reserved range of GCR_CNTL");
	if (w[0] != UINT32_MAX || w[1] != 0xffffff || w[2] || w[3])
		return bad(x, b, w[0], "the range is not all of memory, and only that is modeled");
	if (w[4] > 0xffff)
		return bad(x, b, w[4], "the poll interval");
	which[I_CACHE] = newer ? (c & I10) == 1 : c & I9;
	which[S_CACHE] = newer ? c & K10 : c & K9;
	which[V_CACHE] = newer ? (c & V10) && (c & GL1_10) : c & L1_9;
	which[L2_CACHE] = newer ? c & L2_10 : c & L2_9;
	mem_empty(x, which);
	return true;
}

static bool
event(struct exec *x, const struct body *b)
{
	enum { CS_PARTIAL_FLUSH = 7, INDEX = 4 };
	if (b->w[0] != (CS_PARTIAL_FLUSH | INDEX << 8))
		return bad(x, b, b->w[0], "an event other than CS_PARTIAL_FLUSH with index 4");
	mem_drain(x);
	return true;
}

static bool
release(struct exec *x, const struct body *b)
{
	enum { FLUSH_AND_INV_TS = 0x14, BOTTOM_OF_PIPE_TS = 0x28, INDEX = 5 };
	uint32_t type = b->w[0] & 63, sel = b->w[1], what = sel >> 29, interrupt = sel >> 24 & 7;
	uint64_t va = address(b->w + 2), v = address(b->w + 4);
	if ((type != FLUSH_AND_INV_TS && type != BOTTOM_OF_PIPE_TS) || (b->w[0] >> 8 & 15) != INDEX)
		return bad(x, b, b->w[0], "the event is not an end-of-pipe event with index 5");
	if (sel & ~(7u << 29 | 7u << 24 | 3u << 16) || (sel >> 16 & 3) > 1 || what > 3 ||
	    (interrupt != 0 && interrupt != 2 && interrupt != 3))
		return bad(x, b, sel, "destination, data or interrupt selection");
	if (b->w[6])
		return bad(x, b, b->w[6], "the last word");
	if (!what)
		return true;
	if (!check_address(x, b, va, what == 1 ? 4 : 8))
		return false;
	v = what == 3 ? gpu_clock() : v;
	x->dispatch++;
	return mem_write(x, va, &v, what == 1 ? 4 : 8, QUEUE_END);
}

static bool
wait(struct exec *x, const struct body *b)
{
	uint32_t v, ref = b->w[3], mask = b->w[4];
	uint64_t va = address(b->w + 1);
	bool ok;
	if (b->w[0] & ~(7u | 1u << 4) || !(b->w[0] >> 4 & 1) || !(b->w[0] & 7))
		return bad(x, b, b->w[0], "only comparisons with memory are modeled");
	if (!check_address(x, b, va, 4))
		return false;
	x->dispatch++;
	if (!mem_read(x, va, &v, 4, QUEUE_READ))
		return false;
	v &= mask;
	switch (b->w[0] & 7) {
	case 1: ok = v < ref; break;
	case 2: ok = v <= ref; break;
	case 3: ok = v == ref; break;
	case 4: ok = v != ref; break;
	case 5: ok = v >= ref; break;
	default: ok = v > ref; break;
	}
	/* Nothing else runs meanwhile, so a condition that is false now stays false. */
	return ok || exec_wrong(x, CHECK_wait_forever, "0x%x at 0x%llx, waited for as 0x%x", v,
				(unsigned long long)va, ref);
}

/* -- Data -------------------------------------------------------------------------- */

static bool
is_memory(uint32_t dst)
{
	return dst == 5 || dst == 2; /* memory, L2 */
}

static bool
write_data(struct exec *x, const struct body *b)
{
	enum { WR_CONFIRM = 1 << 20 };
	uint64_t va = address(b->w + 1);
	if (b->w[0] & ~(15u << 8 | (uint32_t)WR_CONFIRM) || !is_memory(b->w[0] >> 8 & 15))
		return bad(x, b, b->w[0], "destination or write confirmation");
	x->dispatch++;
	return check_address(x, b, va, 4) &&
	       mem_write(x, va, b->w + 3, 4 * (uint64_t)(b->n - 3), QUEUE_WRITE);
}

static bool
copy_data(struct exec *x, const struct body *b)
{
	enum { MEMORY = 1, L2 = 2, IMMEDIATE = 5, CLOCK = 9 };
	uint32_t c = b->w[0], from = c & 15, to = c >> 8 & 15;
	unsigned n = c >> 16 & 1 ? 8 : 4;
	uint64_t v, src = address(b->w + 1), dst = address(b->w + 3);
	if (c & ~(15u | 15u << 8 | 1u << 16 | 1u << 20))
		return bad(x, b, c, "bits that must be zero");
	if (!is_memory(to) || (from != MEMORY && from != L2 && from != IMMEDIATE && from != CLOCK))
		return bad(x, b, c, "source or destination");
	if (from == CLOCK && (src || n != 8))
		return bad(x, b, c, "a clock has 64 bits and no address");
	if (!check_address(x, b, dst, n))
		return false;
	x->dispatch++;
	v = from == CLOCK ? gpu_clock() : src;
	if ((from == MEMORY || from == L2) &&
	    (!check_address(x, b, src, n) || !mem_read(x, src, &v, n, QUEUE_READ)))
		return false;
	return mem_write(x, dst, &v, n, QUEUE_WRITE);
}

/* -- Registers and dispatches ------------------------------------------------------ */

static bool
set_sh(struct exec *x, const struct body *b)
{
	uint32_t at = b->w[0];
	if (at > 0xffff)
		return bad(x, b, at, "the register's number");
	for (uint32_t i = 1; i < b->n; i++)
		if (!reg_write(x, at + i - 1, b->w[i]))
			return false;
	return true;
}

static bool
set_sh_index(struct exec *x, const struct body *b)
{
	enum { WITH_MASK = 3 };
	if (b->w[0] >> 28 != WITH_MASK || (b->w[0] & 0x0fff0000))
		return bad(x, b, b->w[0],
			   "an index other than 3, which is for masks of compute units");
	return reg_write(x, b->w[0] & 0xffff, b->w[1]);
}

/* A program may write CP_COHER_START_DELAY only. */
static bool
set_uconfig(struct exec *x, const struct body *b)
{
	enum { START_DELAY = 0x7b };
	if (b->w[0] != START_DELAY || b->n != 2)
		return bad(x, b, b->w[0], "a register that is not a compute program register");
	if (gen_of(x->d) >= G11)
		return bad(x, b, b->w[0], "a register that this GPU lacks");
	x->delay_set = true;
	return b->w[1] <= 0x3f || bad(x, b, b->w[1], "the delay");
}

static bool
indirect(struct exec *x, const struct body *b)
{
	uint32_t dims[3];
	uint64_t va = address(b->w);
	x->dispatch++;
	return check_address(x, b, va, 4) && mem_read(x, va, dims, sizeof dims, QUEUE_READ) &&
	       dispatch_run(x, dims, b->w[2]);
}

static bool
packet(struct exec *x, const struct body *b)
{
	switch ((enum packet)(b->row - rows)) {
	case PKT_DISPATCH_DIRECT: return dispatch_run(x, b->w, b->w[3]);
	case PKT_DISPATCH_INDIRECT: return indirect(x, b);
	case PKT_WRITE_DATA: return write_data(x, b);
	case PKT_WAIT_REG_MEM: return wait(x, b);
	case PKT_COPY_DATA: return copy_data(x, b);
	case PKT_EVENT_WRITE: return event(x, b);
	case PKT_RELEASE_MEM: return release(x, b);
	case PKT_ACQUIRE_MEM: return acquire(x, b);
	case PKT_SET_SH_REG: return set_sh(x, b);
	case PKT_SET_UCONFIG_REG: return set_uconfig(x, b);
	case PKT_SET_SH_REG_INDEX: return set_sh_index(x, b);
	default: return true;
	}
}

/* -- Framing ----------------------------------------------------------------------- */

static const struct row *
row_of(uint8_t op)
{
	for (unsigned i = 0; i < N_PACKET; i++)
		if (rows[i].op == op)
			return &rows[i];
	return NULL;
}

/* Returns the words of the packet, or 0. */
static uint32_t
frame(struct exec *x, const uint32_t *w, uint32_t left, struct body *b)
{
	enum { ONE_WORD_NOP = (int)0xffff1000 };
	uint32_t h = w[0], n = (h >> 16 & 0x3fff) + 1, newer = gen_of(x->d) >= G101;
	b->row = row_of(h >> 8 & 0xff);
	if (h == (uint32_t)ONE_WORD_NOP) {
		*b = (struct body){ row_of(0x10), w, 0 };
		return 1;
	}
	if (h >> 30 != 3)
		return exec_wrong(x, CHECK_packet_type, "0x%08x", h);
	if (!b->row)
		return exec_wrong(x, CHECK_packet_opcode, "0x%08x: opcode 0x%x", h, h >> 8 & 0xff);
	if (h & 0xfd)
		return exec_wrong(x, CHECK_packet_header, "0x%08x: %s", h,
				  h & 1 ? "it is predicated" : "reserved bits");
	if ((h & 2) && !b->row->compute)
		return exec_wrong(x, CHECK_packet_header, "0x%08x: %s is not a packet for shaders",
				  h, b->row->name);
	if (n > left - 1)
		return exec_wrong(x, CHECK_packet_size, "%s of %u words, %u remain", b->row->name,
				  n + 1, left);
	if (n < b->row->words[newer].min || n > b->row->words[newer].max)
		return exec_wrong(x, CHECK_packet_size, "%s with a body of %u words", b->row->name,
				  n);
	b->w = w + 1;
	b->n = n;
	return n + 1;
}

bool
pm4_run(struct exec *x, const uint32_t *words, uint32_t n)
{
	struct body b = { 0 };
	for (uint32_t at = 0, len; at < n; at += len) {
		x->word = at;
		len = frame(x, words + at, n - at, &b);
		if (!len || !packet(x, &b) || x->error)
			return false;
	}
	return true;
}
