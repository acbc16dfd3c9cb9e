/* Reference functions of the kernels of tests/emu/gcn in plain C, and their launches. */
#include "wave_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "codeobject.h"
#include "half_ref.h"
#include "wave_objects.h"

#define WANT(name)                                                                                 \
	static void want_##name(struct wave_memory *m, const struct wave_kernel *k, unsigned wave)
#define EACH for (uint32_t i = 0; i < k->n; i++)
#define IN (m->in.w)
#define OUT (m->out.w)
#define NO_WAVE (void)wave

WANT(copy) { NO_WAVE; EACH OUT[i] = IN[i]; }
WANT(gather) { NO_WAVE; EACH OUT[i] = IN[IN[i] & 1023] + IN[i + 7]; }

WANT(collatz)
{
	NO_WAVE;
	EACH {
		uint32_t steps = 0;
		for (uint32_t x = IN[i] & 0xffff; x > 1; steps++)
			x = x & 1 ? 3 * x + 1 : x / 2;
		OUT[i] = steps;
	}
}

static uint32_t
nested(const struct wave_memory *m, uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t a = 0; a < (IN[i] & 7); a++) {
		for (uint32_t b = a; b < 20; b++) {
			uint32_t v = IN[(i + a * b) & 1023];
			if ((v & 15) == 3)
				break;
			if (v & 1)
				continue;
			sum += v ^ b;
			if (sum & 64)
				return sum;
		}
		sum = sum * 3 + 1;
	}
	return sum;
}

WANT(nested) { NO_WAVE; EACH OUT[i] = nested(m, i); }

WANT(divide)
{
	NO_WAVE;
	EACH {
		uint32_t a = IN[i], b = IN[i + 64] | 1;
		int64_t c = (int32_t)a, d = (int32_t)(b >> (i & 31) | 1);
		OUT[4 * i] = a / b;
		OUT[4 * i + 1] = a % (b >> 7 | 1);
		OUT[4 * i + 2] = (uint32_t)(uint64_t)(c / d);
		OUT[4 * i + 3] = (uint32_t)(uint64_t)(c % d) + a / 10;
	}
}

WANT(wide)
{
	NO_WAVE;
	EACH {
		uint64_t a = IN[i] | (uint64_t)IN[i + 1] << 32, b = IN[i + 2] | (uint64_t)IN[i + 3] << 32;
		m->out.q[4 * i] = a * b + (a - b);
		m->out.q[4 * i + 1] = (a << (b & 63)) ^ (uint64_t)((int64_t)b >> (a & 63)) ^
				      a >> (b >> 8 & 63);
		m->out.q[4 * i + 2] = (a < b ? a : b) + ((int64_t)a < (int64_t)b ? 1u : 2u);
		m->out.q[4 * i + 3] = (uint64_t)((int64_t)(int32_t)IN[i] * (int32_t)IN[i + 1]) - (a == b);
	}
}

WANT(bits)
{
	NO_WAVE;
	EACH {
		uint32_t a = IN[i], b = IN[i + 1], rev = 0;
		for (unsigned x = 0; x < 32; x++)
			rev |= (a >> x & 1) << (31 - x);
		OUT[4 * i] = (uint32_t)(__builtin_popcount(a) + (a ? __builtin_clz(a) * 64 : 7));
		OUT[4 * i + 1] = rev ^ (uint32_t)(b ? __builtin_ctz(b) : 99);
		OUT[4 * i + 2] = (a >> 5 & 0x7f) | (a & ~b) << 3 | (uint32_t)((int32_t)(a << 9) >> 23);
		OUT[4 * i + 3] = (a << (b & 31) | a >> (-b & 31)) + __builtin_bswap32(b);
	}
}

WANT(narrow)
{
	NO_WAVE;
	EACH {
		const uint8_t *b = m->in.b;
		const int16_t *s = m->in.s;
		m->out.s[2 * i] = (uint16_t)(b[i] * b[i + 1] + s[i]);
		m->out.s[2 * i + 1] = (uint16_t)(s[i] < s[i + 1] ? s[i] - b[i] : s[i + 1] >> 3);
		m->out.b[4096 + i] = (uint8_t)(b[i] + b[3 * i] - (int8_t)b[i + 5]);
	}
}

/* Converts like the hardware: values out of range saturate. */
static int32_t
to_int(double v)
{
	return v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : (int32_t)v;
}

WANT(real32)
{
	NO_WAVE;
	EACH {
		float a = m->in.f[i], b = m->in.f[i + 1], c = m->in.f[i + 2], *o = m->out.f + 8 * i;
		o[0] = a * b + c;
		o[1] = fmaf(a, b, c) - a;
		o[2] = a / b;
		o[3] = floorf(a) + truncf(c) - rintf(b);
		o[4] = fminf(a, b) - fmaxf(b, c);
		o[5] = (float)to_int((double)(a * 0.25f)) + (float)i;
		o[6] = a < b ? fabsf(c) : -a;
		o[7] = a == c || !(b > c) ? a * 2.0f : b * 0.5f;
	}
}

WANT(real64)
{
	NO_WAVE;
	EACH {
		double a = m->in.d[i], b = m->in.d[i + 1], c = m->in.d[i + 2], *o = m->out.d + 4 * i;
		o[0] = a * b + c;
		o[1] = fma(a, b, c) / b;
		o[2] = fmin(a, b) + floor(c) - (double)(float)a;
		o[3] = (double)to_int(a * 0.125) + (a < b ? c : (double)i);
	}
}

WANT(block_sum)
{
	NO_WAVE;
	EACH OUT[i / 256 % 2] += IN[i];
}

WANT(transpose)
{
	NO_WAVE;
	for (uint32_t i = 0; i < k->grid * 256; i++)
		OUT[i] = IN[i / 256 * 256 + i % 16 * 16 + i / 16 % 16] + k->n;
}

WANT(scan)
{
	uint32_t sum = 0;

	NO_WAVE;
	EACH {
		sum = i % 128 ? sum + IN[i] : IN[i];
		OUT[i] = sum;
	}
}

WANT(histogram) { NO_WAVE; EACH OUT[IN[i] & 31]++; }

WANT(atomics)
{
	NO_WAVE;
	EACH {
		uint32_t *p = OUT + 12 * i, v = IN[i], r = 0, was[12];
		for (unsigned x = 0; x < 12; x++)
			p[x] = was[x] = IN[i + x];
		for (unsigned x = 0; x < 7; x++)
			r ^= was[x] * (2 * x + 1);
		p[0] += v;
		p[1] -= v;
		p[2] &= v;
		p[3] |= v;
		p[4] ^= v;
		p[5] = v < p[5] ? v : p[5];
		p[6] = v > p[6] ? v : p[6];
		r ^= p[7];
		p[7] = v;
		uint32_t want = IN[i + 8] & 1 ? IN[i + 8] : 0;
		if (p[8] == want)
			p[8] = v;
		p[9] = r;
		p[10] = was[8];
		p[11] = v;
	}
}

WANT(totals)
{
	NO_WAVE;
	EACH {
		uint32_t v = IN[i];
		m->out.q[0] += (uint64_t)v * v;
		OUT[2] = v > OUT[2] ? v : OUT[2];
		OUT[3 + (v & 3)] ^= v;
	}
}

WANT(row_sum)
{
	NO_WAVE;
	for (uint32_t i = 0; i < k->grid * 64; i++) {
		OUT[i] = k->n;
		for (uint32_t x = i & ~31u; x < (i & ~31u) + 32; x++)
			OUT[i] += IN[x];
	}
}

WANT(row_shift)
{
	NO_WAVE;
	for (uint32_t i = 0; i < k->grid * 64; i++) {
		uint32_t at = i & 15, row = i & ~15u;
		OUT[4 * i] = (at ? IN[i - 1] : 0) + k->n;
		OUT[4 * i + 1] = at < 13 ? IN[i + 3] : 77;
		OUT[4 * i + 2] = (i >> 4 & 1) || (i >> 2 & 2) ? 99 : IN[row + ((at + 11) & 15)];
		OUT[4 * i + 3] = IN[(i & ~3u) + 3 - (i & 3)];
	}
}

WANT(shuffle)
{
	NO_WAVE;
	for (uint32_t i = 0; i < k->grid * 64; i++)
		OUT[i] = IN[(i & ~31u) + (IN[i + 64] & 31)] + IN[i ^ 1] * k->n;
}

WANT(vote)
{
	for (uint32_t i = 0; i < k->grid * 64; i++) {
		uint32_t base = i / wave * wave, count = 0;
		if (i == base) {
			for (uint32_t x = base; x < base + wave; x++)
				if (IN[x] & 4)
					OUT[base + count++] = IN[x];
		}
		count = 0;
		for (uint32_t x = base; x < base + wave; x++)
			count += IN[x] >> 2 & 1;
		OUT[1024 + i] = count + IN[base];
		OUT[2048 + i] = IN[base + (k->n & 31)];
	}
}

WANT(match)
{
	for (uint32_t i = 0; i < k->grid * 64; i++) {
		uint32_t base = i / wave * wave, rounds = 0, seen = 0;
		uint64_t mine = 0;
		for (uint32_t x = base; x < base + wave && i < k->n; x++) {
			if (x >= k->n)
				continue;
			if (!(seen >> (IN[x] & 7) & 1) && !(seen >> (IN[i] & 7) & 1))
				rounds++;
			seen |= 1u << (IN[x] & 7);
			mine |= (uint64_t)((IN[x] & 7) == (IN[i] & 7)) << (x - base);
		}
		m->out.q[i] = mine + rounds;
	}
}

WANT(exchange)
{
	NO_WAVE;
	for (uint32_t g = 0; g < k->grid; g++) {
		uint32_t *o = OUT + 3 * g;
		o[0] = o[2] = k->n;
		o[1] = UINT32_MAX;
		for (uint32_t i = 64 * g; i < 64 * g + 64; i++) {
			o[0] = o[0] * 3 + 1;
			o[1] = IN[i] < o[1] ? IN[i] : o[1];
			o[2] = (int32_t)IN[i] > (int32_t)o[2] ? IN[i] : o[2];
		}
	}
}

WANT(three)
{
	NO_WAVE;
	EACH {
		float a = m->in.f[i], b = m->in.f[i + 1], c = m->in.f[i + 2], *o = m->out.f + 4 * i;
		o[0] = fminf(fminf(a, b), c);
		o[1] = fmaxf(fmaxf(a, b), c);
		o[2] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
		OUT[4 * i + 3] = i;
		for (unsigned x = 0; x < 4; x++)
			OUT[4 * i + 3] += (uint32_t)abs(m->in.b[4 * i + x] - m->in.b[4 * i + 4 + x]);
	}
}

WANT(uniform)
{
	NO_WAVE;
	EACH {
		float a = m->in.f[i / 64], b = m->in.f[i / 64 + 1];
		m->out.f[i] = a < b ? a * b - (float)k->n : (a + b) * (float)(i / 64);
	}
}

WANT(narrow_uniform)
{
	const int16_t *in = (const int16_t *)m->in.w;

	NO_WAVE;
	EACH {
		uint32_t at = 2 * (i / 64);
		int16_t a = in[at], b = (int16_t)(in[at + 1] | 1);
		m->out.w[4 * i] = (uint32_t)((int16_t)(a / b) * 1000) + i;
		m->out.w[4 * i + 1] = (uint32_t)(int16_t)(a % b) + i;
		m->out.w[4 * i + 2] = (uint16_t)a / (uint16_t)b + i;
		m->out.w[4 * i + 3] = (uint16_t)a % (uint16_t)b + i;
	}
}

/* The half that the kernels of half.cl make of bits: exact in 32 bits, then rounded. */
static double
made(uint32_t bits)
{
	return half(to16((int16_t)(uint16_t)bits * 0.0078125));
}

WANT(halves)
{
	NO_WAVE;
	EACH {
		double a = made(IN[i]), b = made(IN[i + 1]), c = made(IN[i + 2] >> 16), most = fmax(fmax(a, b), c);
		uint16_t *o = m->out.s + 8 * i;
		double scaled = half(to16(a * 0.03125));
		o[0] = to16(half(to16(a * b)) + c);
		o[1] = sum16(a * b, -c);
		o[2] = to16(fmin(fmax(scaled, 0.0), 1.0));
		o[3] = to16(floor(a) - trunc(b));
		o[4] = to16(a < b ? c : half(to16(fabs(a) + 3)));
		o[5] = to16(half(to16(half(to16((int16_t)(uint16_t)IN[i])) * 0.5)) + (double)(IN[i] & 2047));
		o[6] = to16((double)((float)a * (float)b + (float)c));
		o[7] = to16(most);
	}
}

WANT(pairs)
{
	NO_WAVE;
	EACH {
		double a[2] = { made(IN[i]), made(IN[i] >> 16) }, b[2] = { made(IN[i + 1]), made(IN[i + 1] >> 16) };
		for (unsigned x = 0; x < 2; x++) {
			uint16_t *o = m->out.s + 8 * i + x;
			o[0] = to16(half(to16(a[x] * b[x])) + a[1 - x]);
			o[2] = to16(-a[x] - b[1]);
			o[4] = sum16(a[1 - x] * b[x], -b[x]);
			o[6] = to16(fmax(a[x], b[0]) * 0.5);
		}
	}
}

static int64_t
within(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}

WANT(saturate)
{
	NO_WAVE;
	EACH {
		uint32_t a = IN[i], b = IN[i + 1], *o = OUT + 8 * i;
		o[0] = (uint32_t)within((int64_t)a + b, 0, UINT32_MAX);
		o[1] = (uint32_t)within((int64_t)(int32_t)a - (int32_t)b, INT32_MIN, INT32_MAX);
		o[2] = (uint32_t)within((a & 0xffff) + (b & 0xffff), 0, 0xffff);
		o[3] = (uint32_t)within((int16_t)(uint16_t)a - (int16_t)(uint16_t)b, INT16_MIN, INT16_MAX);
		o[7] = (uint32_t)within((int32_t)a, INT16_MIN, INT16_MAX);
		for (unsigned at = 0; at < 32; at += 16) {
			int16_t x = (int16_t)(a >> at & 0xffff), y = (int16_t)(b >> at & 0xffff), other = (int16_t)(a >> (16 - at) & 0xffff);
			o[4] = (at ? o[4] : 0) | (uint32_t)(uint16_t)within(x + y, INT16_MIN, INT16_MAX) << at;
			o[5] = (at ? o[5] : 0) | (uint32_t)(uint16_t)(x * y + other) << at;
			o[6] = (at ? o[6] : 0) | (uint32_t)(uint16_t)(x < y ? x - y : y - x) << at;
		}
	}
}

WANT(selected)
{
	NO_WAVE;
	EACH {
		uint32_t g = i / 64, up = IN[g] & 15, one = IN[g + 1] & 15, each = IN[i] & 15;
		OUT[2 * i] = IN[i + one] + (one == up ? 7 : 0);
		OUT[2 * i + 1] = IN[i + each] + (each == up ? 7 : 0);
	}
}

/* clang-format off */
const struct wave_kernel wave_kernels[] = {
	{ "basic", "copy", 5, 64, 300, BITS_IN, want_copy },
	{ "basic", "gather", 4, 64, 256, BITS_IN, want_gather },
	{ "basic", "collatz", 3, 64, 170, BITS_IN, want_collatz },
	{ "basic", "nested", 4, 64, 250, BITS_IN, want_nested },
	{ "basic", "divide", 4, 64, 256, BITS_IN, want_divide },
	{ "basic", "wide", 3, 64, 190, BITS_IN, want_wide },
	{ "basic", "bits", 4, 64, 256, BITS_IN, want_bits },
	{ "basic", "narrow", 4, 64, 256, BITS_IN, want_narrow },
	{ "number", "real32", 6, 64, 384, F32_IN, want_real32 },
	{ "number", "real64", 4, 64, 256, F64_IN, want_real64 },
	{ "shared", "block_sum", 2, 256, 1500, BITS_IN, want_block_sum },
	{ "shared", "transpose", 2, 256, 5, BITS_IN, want_transpose },
	{ "shared", "scan", 3, 128, 330, BITS_IN, want_scan },
	{ "shared", "histogram", 2, 128, 1000, BITS_IN, want_histogram },
	{ "shared", "atomics", 3, 64, 150, BITS_IN, want_atomics },
	{ "shared", "totals", 4, 64, 256, BITS_IN, want_totals },
	{ "shared", "exchange", 3, 64, 5, BITS_IN, want_exchange },
	{ "number", "three", 4, 64, 256, F32_IN, want_three },
	{ "number", "uniform", 4, 64, 250, F32_IN, want_uniform },
	{ "number", "narrow_uniform", 4, 64, 250, BITS_IN, want_narrow_uniform },
	{ "half", "halves", 4, 64, 250, BITS_IN, want_halves },
	{ "half", "pairs", 4, 64, 250, BITS_IN, want_pairs },
	{ "half", "saturate", 4, 64, 250, BITS_IN, want_saturate },
	{ "half", "selected", 4, 64, 250, BITS_IN, want_selected },
	{ "lane", "row_sum", 3, 64, 9, BITS_IN, want_row_sum },
	{ "lane", "row_shift", 3, 64, 9, BITS_IN, want_row_shift },
	{ "lane", "shuffle", 3, 64, 9, BITS_IN, want_shuffle },
	{ "lane", "vote", 3, 64, 9, BITS_IN, want_vote },
	{ "lane", "match", 3, 64, 170, BITS_IN, want_match },
};
/* clang-format on */
const unsigned wave_n_kernels = QD_COUNT(wave_kernels);

bool
wave_has_rows(const struct wave_object *o)
{
	for (unsigned i = 0; i < wave_n_kernels; i++)
		if (!strcmp(wave_kernels[i].source, o->source))
			return true;
	return false;
}

void
wave_fill(struct wave_memory *m, const struct wave_kernel *k, uint64_t seed)
{
	struct unit_rng r = { seed };

	memset(m, 0, sizeof *m);
	for (uint32_t i = 0; i < WAVE_IN; i++) {
		uint64_t x = unit_random(&r);
		uint32_t e = (uint32_t)(x >> 40) % 40;
		if (k->fill == BITS_IN)
			m->in.w[i] = (uint32_t)(x >> 60 ? x : x & 3);
		else if (k->fill == F32_IN)
			m->in.w[i] = (uint32_t)(x & 0x807fffff) |
				     (x >> 60 ? 108 + e : 1 + e * 6) << 23;
		else if (i % 2)
			m->in.w[i] = (uint32_t)(x & 0x800fffff) |
				     (x >> 60 ? 1003 + e : 600 + e * 20) << 20;
		else
			m->in.w[i] = (uint32_t)x;
	}
}

/* -- Objects ------------------------------------------------------------------------------- */

static bool
add_kernels(struct unit_ctx *t, struct wave_code *c, const struct code_object *o)
{
	const struct elf_section *text = elf_section_named(&o->elf, ".text");

	UNIT_CHECK(t, text && o->n_kernels <= QD_COUNT(c->kernel), "no code, or too many kernels");
	if (!text || o->n_kernels > QD_COUNT(c->kernel))
		return false;
	c->addr = text->addr;
	c->n_words = (uint32_t)(text->size / 4);
	c->words = arena_alloc(&c->mem, text->size);
	memcpy(c->words, text->data, text->size);
	c->n_kernels = o->n_kernels;
	for (uint32_t i = 0; i < o->n_kernels; i++) {
		const struct code_kernel *k = &o->kernels[i];
		const struct code_function *f = &o->functions[k->function];
		c->kernel[i] = (struct code_place){ k->name, k->descriptor,
						    (uint32_t)((k->entry - text->addr) / 4),
						    (uint32_t)((f->addr + f->size - text->addr) / 4) };
	}
	return true;
}

bool
wave_code_read(struct unit_ctx *t, struct wave_code *c, const struct wave_object *o)
{
	struct code_object read;
	struct qd_error e;
	qd_status st;

	*c = (struct wave_code){ .target = gcn_target_find(o->target, o->wave) };
	pool_init(&c->pool, &pool_malloc);
	arena_init(&c->mem, &c->pool);
	st = code_object_read(&c->mem, o->data, o->size, 0, &read, &e);
	UNIT_CHECK(t, st == QD_OK && c->target, "%s.%s: %s", o->source, o->target, e.text);
	if (st == QD_OK && c->target && add_kernels(t, c, &read))
		return true;
	wave_code_free(c);
	return false;
}

void
wave_code_free(struct wave_code *c)
{
	arena_fini(&c->mem);
	pool_fini(&c->pool);
}

const struct code_place *
wave_code_find(const struct wave_code *c, const char *name)
{
	for (unsigned i = 0; i < c->n_kernels; i++)
		if (!strcmp(c->kernel[i].name, name))
			return &c->kernel[i];
	return NULL;
}

qd_status
wave_launch(struct wave_code *c, const struct wave_kernel *k, struct wave_memory *m, uint64_t seed,
	    uint32_t *covered, struct qd_error *err)
{
	const uint64_t in = 0x200000000, out = 0x7ffff0000000;
	const struct amd_range ranges[] = { { in, sizeof m->in, &m->in, true },
					    { out, sizeof m->out, &m->out, false } };
	struct {
		uint64_t in, out;
		uint32_t n, pad;
	} args = { in, out, k->n, 0 };
	const struct code_place *at = wave_code_find(c, k->name);
	struct amd_start start;
	struct amd_launch l = { .start = &start,
				.code_addr = 0x100000000,
				.entry = at->entry,
				.grid = { k->grid, 1, 1 },
				.block = { k->block, 1, 1 },
				.kernarg = &args,
				.kernarg_size = sizeof args,
				.ranges = ranges,
				.n_ranges = QD_COUNT(ranges),
				.max_steps = 100000,
				.seed = seed,
				.covered = covered };
	struct amd_code *code = NULL;
	struct arena mem;
	qd_status st = amd_start_read(c->target, at->descriptor, &start, err);

	if (st == QD_OK)
		st = amd_code_create(&c->pool, c->target, c->words, c->n_words, &code, err);
	arena_init(&mem, &c->pool);

	l.code = code;
	if (st == QD_OK)
		st = amd_run(&mem, &l, err);
	arena_fini(&mem);
	amd_code_free(code);
	return st;
}
