/* Reference results of kernels with loops, lanes, blocks, atomics and memory, from the definitions
 * of CUDA. */
#include <math.h>
#include <stdlib.h>

#include "emu_want.h"

/* -- Loops -------------------------------------------------------------------------------- */

WANT(want_collatz)
{
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t v = m->in.w[i] % 1000 + 1, steps = 0, top = v;

		for (; v != 1; steps++) {
			v = v & 1 ? 3 * v + 1 : v / 2;
			top = v > top ? v : top;
		}
		want->out.w[2 * i] = steps;
		want->out.w[2 * i + 1] = top;
	}
}

uint32_t
emu_reverse(uint32_t v)
{
	uint32_t r = 0;

	for (unsigned k = 0; k < 32; k++)
		r |= (v >> k & 1) << (31 - k);
	return r;
}

WANT(want_factors)
{
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t v = m->in.w[i] % 400 + 2, best = 0;
		bool exact = false;

		for (uint32_t a = 2; a < 20; a++)
			for (uint32_t b = a; b < 20; b++)
				if (a * b <= v && a * b > best && !exact) {
					best = a * b;
					exact = best == v;
				}
		best |= exact ? 0 : 0x80000000;
		switch (v % 7) {
		case 0: best += 11; break;
		case 1: best ^= 0x55; break;
		case 2: best = best * 3 + v; break;
		case 3: best -= v; break;
		case 4: best = emu_reverse(best); break;
		case 5: best = ~best; break;
		default: break;
		}
		want->out.w[i] = best;
	}
}

/* -- Lanes -------------------------------------------------------------------------------- */

WANT(want_shuffle)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint32_t *v = &m->in.w[i & ~31u];
		uint32_t lane = i & 31, *o = &want->out.w[24 * i];

		for (uint32_t width = 1; width <= 32; width *= 2, o += 4) {
			uint32_t x = m->in.w[(i + width) % k->n], in = lane & (width - 1),
				 seg = lane - in;
			uint32_t up = x & 31, other = lane ^ up;

			o[0] = v[seg + (x & 63) % width];
			o[1] = v[in >= up ? lane - up : lane];
			o[2] = v[in + up < width ? lane + up : lane];
			/* Lanes below the segment can be read, lanes above it cannot. */
			o[3] = v[other < seg + width ? other : lane];
		}
	}
}

WANT(want_shuffle64)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint64_t *v = &m->in.d[i & ~31u];
		uint32_t lane = i & 31;
		uint64_t *o = &want->out.d[4 * i];

		o[0] = v[lane ^ 5];
		o[1] = (uint64_t)(double)(v[(lane & 7) + 3 < 8 ? lane + 3 : lane] >> 20);
		o[2] = lane & 16 ? v[17 + (v[lane] & 7)] : v[lane ? lane - 1 : 0];
		o[3] = (uint32_t)v[31];
	}
}

/* Follows the PTX manual, for any clamp and mask. */
WANT(want_control)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint32_t *v = &m->in.w[i & ~31u];
		uint32_t x = m->in.w[i], b = x >> 3 & 31, c = x >> 10 & 0x1fff, clamp = c & 31,
			 mask = c >> 8 & 31;
		int lane = (int)(i & 31),
		    max = (int)(((unsigned)lane & mask) | (clamp & ~mask & 31)), j[4];

		j[0] = lane - (int)b >= max ? lane - (int)b : -1;
		j[1] = lane + (int)b <= max ? lane + (int)b : -1;
		j[2] = (lane ^ (int)b) <= max ? lane ^ (int)b : -1;
		j[3] = (int)(((unsigned)lane & mask) | (b & ~mask));
		j[3] = j[3] <= max ? j[3] : -1;
		for (uint32_t f = 0; f < 4; f++) {
			want->out.w[8 * i + 2 * f] = v[j[f] < 0 ? lane : j[f]];
			want->out.w[8 * i + 2 * f + 1] = j[f] >= 0;
		}
	}
}

/* Result of a vote: the lanes with a true predicate, and the mask. */
struct votes {
	uint32_t yes, mask;
};
static struct votes
votes_of(const uint32_t *v, uint32_t mask, bool (*is)(uint32_t))
{
	struct votes r = { 0, mask };

	for (uint32_t l = 0; l < 32; l++)
		if (mask >> l & 1 && is(v[l]))
			r.yes |= UINT32_C(1) << l;
	return r;
}
static bool
is_big(uint32_t v)
{
	return v & 0xff0;
}
static bool
is_seven(uint32_t v)
{
	return (v & 0xff) == 7;
}
static bool
is_odd(uint32_t v)
{
	return v & 1;
}
static bool
is_12(uint32_t v)
{
	return v & 0x1000;
}
static bool
is_2(uint32_t v)
{
	return v & 2;
}
static bool
is_low(uint32_t v)
{
	return v & 0xfffff;
}
static bool
is_five(uint32_t v)
{
	return v % 5 == 0;
}

WANT(want_vote)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint32_t *v = &m->in.w[i & ~31u], full = UINT32_MAX;
		uint32_t lane = i & 31, *o = &want->out.w[8 * i], same = 0;
		bool all = true;

		o[0] = votes_of(v, full, is_big).yes == full;
		o[1] = votes_of(v, full, is_seven).yes != 0;
		o[2] = votes_of(v, full, is_odd).yes;
		o[3] = votes_of(v, full, is_12).yes == full || !votes_of(v, full, is_12).yes;
		/* The block has 32 threads, so that a thread is a lane. */
		if (lane % 3 == 1) {
			uint32_t mine = 0x92492492;

			o[4] = votes_of(v, mine, is_2).yes;
			o[5] = (votes_of(v, mine, is_low).yes == mine) +
			       2u * (votes_of(v, mine, is_five).yes != 0);
		}
		for (uint32_t l = 0; l < 32; l++) {
			same |= (uint32_t)(v[l] % 4 == v[lane] % 4) << l;
			all &= v[l] / 0x40000000 == v[0] / 0x40000000;
		}
		o[6] = same;
		o[7] = (all ? full : 0) ^ (all ? 0x10u : 0);
	}
}

WANT(want_match64)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint64_t *v = &m->in.d[i & ~31u];
		uint32_t *o = &want->out.w[3 * i];

		for (uint32_t l = 0; l < 32; l++)
			o[0] |= (uint32_t)((v[l] & 0x300000001) == (v[i & 31] & 0x300000001)) << l;
		o[1] = UINT32_MAX + 1u;
		o[2] = 1;
	}
}

WANT(want_redux)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint32_t *v = &m->in.w[i & ~31u];
		uint32_t o[10] = {
			0, UINT32_MAX, 0, 0x7fffffff, 0x80000000, UINT32_MAX, 0, 0, 0, 0
		};

		for (uint32_t l = 0; l < 32; l++) {
			o[0] += v[l];
			o[1] = v[l] < o[1] ? v[l] : o[1];
			o[2] = v[l] > o[2] ? v[l] : o[2];
			o[3] = (int32_t)v[l] < (int32_t)o[3] ? v[l] : o[3];
			o[4] = (int32_t)v[l] > (int32_t)o[4] ? v[l] : o[4];
			o[5] &= v[l] | 0xff;
			o[6] |= v[l] & 0xff00;
			o[7] ^= v[l];
			if (((l ^ i) & 1) == 0) {
				o[8] += v[l];
				o[9] += (uint32_t)((int32_t)v[l] >> 4);
			}
		}
		memcpy(&want->out.w[10 * i], o, sizeof o);
	}
}

/* -- Blocks ------------------------------------------------------------------------------- */

WANT(want_block_sum)
{
	uint32_t step = k->grid[0] * k->block[0];

	for (uint32_t i = 0; i < k->n; i++)
		want->out.w[i % step / k->block[0]] += m->in.w[i];
}

WANT(want_block_scan)
{
	for (uint32_t i = 0; i < k->n; i++)
		want->out.w[i] = m->in.w[i] + (i % k->block[0] ? want->out.w[i - 1] : 0);
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

WANT(want_block_sort)
{
	memcpy(want->out.w, m->in.w, 4 * (size_t)k->n);
	for (uint32_t i = 0; i < k->n; i += 128)
		qsort(&want->out.w[i], k->n - i < 128 ? k->n - i : 128, 4, by_value);
}

WANT(want_matmul)
{
	for (uint32_t row = 0; row < k->n; row++)
		for (uint32_t col = 0; col < k->n; col++) {
			float sum = 0;

			for (uint32_t j = 0; j < k->n; j++)
				sum = fmaf(m->in.f[row * k->n + j], m->in.f[j * k->n + col], sum);
			want->out.f[row * k->n + col] = sum;
		}
}

WANT(want_async_copy)
{
	uint32_t tiles = (k->n + 127) / 128;

	for (uint32_t t = 0; t < 32; t++) {
		uint32_t sum = 0;

		for (uint32_t tile = 0; tile < tiles; tile++)
			for (uint32_t j = 0; j < 4; j++) {
				uint32_t at = tile * 128 + (t * 4 + 5 + j) % 128;

				sum = sum * 3 + (at < k->n ? m->in.w[at] : 0);
			}
		want->out.w[t] = sum ^ m->in.w[t] ^ m->in.w[2 * t] * 5 ^ m->in.w[2 * t + 1] * 7;
	}
}

WANT(want_barriers)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint32_t *v = &m->in.w[i & ~127u];
		uint32_t t = i & 127, *o = &want->out.w[4 * i];
		bool all = true;

		for (uint32_t j = 0; j < 128; j++) {
			o[0] += v[j] & 1;
			all &= (v[j] & 0xfffff) != 0;
			o[2] |= (v[j] & 0xff) == 3;
		}
		o[1] = all;
		for (uint32_t round = 0; round < 4 && t >= 64; round++)
			o[3] = o[3] * 31 + v[127 - t] + round;
	}
}

WANT(want_spin)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < k->n; i++)
		want->out.w[i] = sum += m->in.w[i];
}

WANT(want_lock)
{
	for (uint32_t i = 0; i < k->n; i++)
		want->out.w[0] += m->in.w[i];
}

/* -- Atomics ------------------------------------------------------------------------------ */

void
begin_atomics(struct emu_memory *m)
{
	m->out.w[3] = m->out.w[8] = UINT32_MAX;
	m->out.w[9] = 0x7fffffff;
	m->out.d[7] = INT64_MAX;
}

WANT(want_atomics)
{
	uint32_t *o = want->out.w, blocks = k->grid[0];
	uint64_t *d = want->out.d;
	float f = 0;
	double g = 0;

	begin_atomics(want);
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t v = m->in.w[i];

		o[0] += v;
		o[1] ^= v;
		o[2] = (int32_t)v > (int32_t)o[2] ? v : o[2];
		o[3] &= v | 0xff;
		o[5] += (v & 0xff) * (v & 0xff);
		d[3] += (uint64_t)v << 8;
		o[8] = v < o[8] ? v : o[8];
		o[9] = (int32_t)v < (int32_t)o[9] ? v : o[9];
		o[10] |= v & 0x0f0f0f0f;
		d[6] = (uint64_t)v << 20 > d[6] ? (uint64_t)v << 20 : d[6];
		if (-(int64_t)(v & 0xffff) < (int64_t)d[7])
			d[7] = (uint64_t)(-(int64_t)(v & 0xffff));
		d[8] |= UINT64_C(1) << (v & 63);
		f += (float)(v & 15);
		g += (double)(v & 0xffff) * 0.25;
	}
	o[4] = blocks * (k->block[0] % 10);
	o[11] = 1000 - (k->n - 1);
	memcpy(&o[18], &f, 4);
	memcpy(&d[10], &g, 8);
	o[22] = k->n;
	d[12] = (uint64_t)k->n * (k->n - 1) / 2;
	d[14] = (uint64_t)k->n * (k->n + 1) / 2;
}

/* The order of exchanges is undefined: merges the last value with the sum of the others. */
void
settle_atomics(const struct emu_kernel *k, struct emu_memory *m)
{
	(void)k;
	m->out.d[14] += m->out.d[13];
	m->out.d[13] = 0;
}

/* -- Memory ------------------------------------------------------------------------------- */

static const uint32_t weights[8] = { 1, 3, 5, 7, 11, 13, 17, 19 };
const struct shape emu_shape = { -77, 5, 12345.5, { 9, 8, 7, 6, 5 } };

WANT(want_spaces)
{
	const uint8_t *bytes = (const uint8_t *)m->in.w;

	for (uint32_t i = 0; i < k->grid[0] * k->grid[1] * k->block[0] * k->block[1]; i++) {
		const uint32_t *v = &m->in.w[4 * (i % (k->n / 4))];
		uint32_t heap[8], sum = 0;
		uint16_t half[2];

		for (uint32_t j = 0; j < 8; j++)
			heap[j] = weights[j] * v[0];
		for (uint32_t j = 0; j < 8; j++) {
			uint32_t a = v[1] >> 3 * j & 7, b = v[2] >> 3 * j & 7, t = heap[a];

			heap[a] = heap[b] + j;
			heap[b] = t ^ v[3];
		}
		for (uint32_t j = 0; j < 8; j++)
			sum = sum * 33 + heap[(j + v[0]) & 7];
		sum += (uint32_t)(emu_shape.scale * 3) + (v[0] >> emu_shape.shift) + (uint32_t)emu_shape.bias +
		       emu_shape.row[i % 5];
		memcpy(&half[0], bytes + 2 * i, 2);
		memcpy(&half[1], bytes + 2 * i + 4, 2);
		sum += bytes[i] + (uint32_t)(int8_t)bytes[i + 1] + half[0] +
		       (uint32_t)(int16_t)half[1];
		want->out.w[2 * i] = sum;
		want->out.w[2 * i + 1] = 100 * ((i & 3) + 1);
	}
}

WANT(want_calls)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const uint32_t *in = &m->in.w[i & ~63u];
		uint32_t t = i & 63, at = t % 3 == 2 ? t & 1 : 63 - t, sum = 0;

		for (uint32_t j = 0; j < 2; j++, at ^= 1) {
			uint32_t mine[2] = { in[t], t };
			uint32_t v = t % 3 == 0 ? in[at] ^ 0xff : t % 3 == 1 ? in[at] : mine[at];

			sum += 2 * v + 1;
			if (at & 1)
				break;
		}
		want->out.w[i] = sum;
	}
}
