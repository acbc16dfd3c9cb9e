#include "dynamic.h"

BLOCK(256) spmv_thread(IN u32 *R start, IN u32 *R col, IN float *R value, IN float *R x, G float *R y, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float sum = 0;
		for (u32 k = start[i]; k < start[i + 1]; k++)
			sum = fma(value[k], x[col[k]], sum);
		y[i] = sum;
	}
}

BLOCK(256) spmv_warp(IN u32 *R start, IN u32 *R col, IN float *R value, IN float *R x, G float *R y, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD, row = i / 32, lane = i % 32;

	if (row < n) {
		float sum = 0;
		for (u32 k = start[row] + lane; k < start[row + 1]; k += 32)
			sum = fma(value[k], x[col[k]], sum);
		for (u32 k = 1; k < 32; k *= 2)
			sum += shuffle_xor_f(sum, k);
		if (lane == 0)
			y[row] = sum;
	}
}

/* The sum up to each thread of a block of 256. */
FN u32
block_scan(u32 v, SHARED_PTR u32 *waves)
{
	u32 lane = lane_id(), wave = THREAD / WAVE;

	for (u32 k = 1; k < WAVE; k *= 2) {
		u32 other = shuffle_up(v, k);
		v += lane >= k ? other : 0;
	}
	if (lane == WAVE - 1)
		waves[wave] = v;
	SYNC();
	for (u32 k = 0; k < 256 / WAVE; k++)
		v += k < wave ? waves[k] : 0;
	return v;
}

BLOCK(256) scan(IN u32 *R src, G u32 *R dst, G u32 *R part, u32 n)
{
	SHARED u32 waves[256 / WAVE];
	u32 i = BLOCK_IDX * 256 + THREAD, sum = block_scan(i < n ? src[i] : 0, waves);

	if (i < n) {
		dst[i] = sum;
		if (THREAD == 255)
			part[i / 256] = sum;
	}
}

BLOCK(256) look_back(IN u32 *R src, G u32 *R dst, G u32 *R sums, G u32 *R flag, G u32 *R counter)
{
	SHARED u32 waves[256 / WAVE], shared_ticket, shared_before;
	u32 t = THREAD, ticket, i, sum;

	if (t == 0)
		shared_ticket = ATOMIC_ADD(&counter[0], 1u);
	SYNC();
	ticket = shared_ticket;
	i = ticket * 256 + t;
	sum = block_scan(src[i], waves);
	if (t == 255) {
		u32 before = 0;
		if (ticket > 0) {
			while (LOAD_ACQUIRE(&flag[ticket - 1]) == 0)
				;
			before = sums[ticket - 1];
		}
		sums[ticket] = before + sum;
		STORE_RELEASE(&flag[ticket], 1u);
		shared_before = before;
	}
	SYNC();
	dst[i] = shared_before + sum;
}

BLOCK(256) filter(IN u32 *R src, G u32 *R dst, G u32 *R kept, u32 level, u32 n)
{
	SHARED u32 waves[256 / WAVE];
	u32 i = BLOCK_IDX * 256 + THREAD, x = i < n ? src[i] : 0, keep = (u32)(i < n && x >= level);
	u32 at = block_scan(keep, waves) - keep;

	if (keep == 1)
		dst[i / 256 * 256 + at] = x;
	if (i < n && THREAD == 255)
		kept[i / 256] = at + keep;
}

BLOCK(256) run_length(IN u32 *R src, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 x = src[i], length = 1;
		while (length < 32 && i + length < n && src[i + length] == x)
			length++;
		dst[i] = length;
	}
}

BLOCK(256) reduce(IN u32 *R src, G u32 *R part, u32 n)
{
	SHARED u32 waves[256 / WAVE];
	u32 i = BLOCK_IDX * 256 + THREAD, v = i < n ? src[i] : 0;

	for (u32 k = 1; k < WAVE; k *= 2)
		v = max(v, shuffle_xor(v, k));
	if (lane_id() == 0)
		waves[THREAD / WAVE] = v;
	SYNC();
	if (THREAD == 0) {
		for (u32 k = 1; k < 256 / WAVE; k++)
			v = max(v, waves[k]);
		part[BLOCK_IDX] = v;
	}
}

BLOCK(256) bitonic_step(G u32 *R a, u32 j, u32 k, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD, other = i ^ j;

	if (i < n && other > i) {
		u32 x = a[i], y = a[other];
		if ((x > y) == ((i & k) == 0)) {
			a[i] = y;
			a[other] = x;
		}
	}
}

BLOCK(256) bitonic_block(IN u32 *R src, G u32 *R dst)
{
	SHARED u32 s[256];
	u32 t = THREAD, i = BLOCK_IDX * 256 + t;

	s[t] = src[i];
	SYNC();
	for (u32 k = 2; k <= 256; k *= 2) {
		for (u32 j = k / 2; j > 0; j /= 2) {
			u32 other = t ^ j;
			if (other > t) {
				u32 x = s[t], y = s[other];
				if ((x > y) == ((t & k) == 0)) {
					s[t] = y;
					s[other] = x;
				}
			}
			SYNC();
		}
	}
	dst[i] = s[t];
}

BLOCK(256) digit_count(IN u32 *R src, G u32 *R count, u32 shift, u32 n)
{
	SHARED u32 digits[16];
	u32 t = THREAD, i = BLOCK_IDX * 256 + t;

	if (t < 16)
		digits[t] = 0;
	SYNC();
	if (i < n)
		LOCAL_ADD(&digits[src[i] >> shift & 15], 1u);
	SYNC();
	if (t < 16)
		count[BLOCK_IDX * 16 + t] = digits[t];
}
