#include "dynamic.h"

BLOCK(256) blur(IN float *R src, G float *R dst, u32 w, u32 h)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < (w - 2) * (h - 2)) {
		u32 at = (i / (w - 2) + 1) * w + i % (w - 2) + 1;
		float sum = 0;
		for (u32 y = 0; y < 3; y++)
			for (u32 x = 0; x < 3; x++)
				sum += src[at + y * w + x - w - 1];
		dst[at] = sum * 0.11111111f;
	}
}

BLOCK(256) convolution(IN float *R src, IN float *R weight, G float *R dst, u32 w, u32 h)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < (w - 4) * (h - 4)) {
		u32 at = i / (w - 4) * w + i % (w - 4);
		float sum = 0;
		for (u32 y = 0; y < 5; y++)
			for (u32 x = 0; x < 5; x++)
				sum = fma(src[at + y * w + x], weight[y * 5 + x], sum);
		dst[i] = sum;
	}
}

FN i32
abs_of(i32 x)
{
	return x < 0 ? -x : x;
}

BLOCK(256) sobel(IN i32 *R src, G i32 *R dst, u32 w, u32 h)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < (w - 2) * (h - 2)) {
		u32 at = i / (w - 2) * w + i % (w - 2);
		i32 a = src[at] & 255, b = src[at + 1] & 255, c = src[at + 2] & 255;
		i32 d = src[at + w] & 255, e = src[at + w + 2] & 255;
		i32 f = src[at + 2 * w] & 255, g = src[at + 2 * w + 1] & 255, k = src[at + 2 * w + 2] & 255;
		i32 gx = c + 2 * e + k - a - 2 * d - f, gy = f + 2 * g + k - a - 2 * b - c;
		dst[i] = min(abs_of(gx) + abs_of(gy), 255);
	}
}

BLOCK(256) histogram(IN u32 *R src, G u32 *R bins, u32 n)
{
	SHARED u32 own[256];
	u32 t = THREAD, i = BLOCK_IDX * 256 + t;

	own[t] = 0;
	SYNC();
	if (i < n)
		LOCAL_ADD(&own[src[i] & 255], 1u);
	SYNC();
	ATOMIC_ADD(&bins[t], own[t]);
}

BLOCK(256) mandelbrot(G u32 *R dst, u32 w, u32 h)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < w * h) {
		float cx = fma((float)(i % w), 3.0f / 128, -2.0f), cy = fma((float)(i / w), 2.0f / 64, -1.0f);
		float x = 0, y = 0;
		u32 n = 0;
		while (n < 64 && fma(x, x, y * y) <= 4.0f) {
			float next = fma(x, x, -(y * y)) + cx;
			y = fma(2.0f * x, y, cy);
			x = next;
			n++;
		}
		dst[i] = n;
	}
}

BLOCK(256) bilinear(IN float *R src, G float *R dst, u32 w, u32 h, float scale, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float u = (float)(i % w) * scale, v = (float)(i / w) * scale;
		u32 x = (u32)u, y = (u32)v;
		float fx = u - (float)x, fy = v - (float)y;
		u32 x1 = min(x + 1, w - 1), y1 = min(y + 1, h - 1);
		float top = fma(fx, src[y * w + x1] - src[y * w + x], src[y * w + x]);
		float low = fma(fx, src[y1 * w + x1] - src[y1 * w + x], src[y1 * w + x]);
		dst[i] = fma(fy, low - top, top);
	}
}

BLOCK(256) life(IN u32 *R src, G u32 *R dst, u32 w, u32 h)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < w * h) {
		u32 x = i % w, y = i / w, l = (x + w - 1) % w, r = (x + 1) % w;
		u32 u = (y + h - 1) % h * w, d = (y + 1) % h * w;
		u32 n = (src[u + l] & 1) + (src[u + x] & 1) + (src[u + r] & 1) + (src[y * w + l] & 1) +
			(src[y * w + r] & 1) + (src[d + l] & 1) + (src[d + x] & 1) + (src[d + r] & 1);
		dst[i] = (u32)(n == 3 || (n == 2 && (src[i] & 1) == 1));
	}
}

BLOCK(256) threshold(IN u32 *R src, G u32 *R dst, u32 level, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 bytes = 0;
		for (u32 k = 0; k < 4; k++)
			if ((src[i] >> 8 * k & 255) >= level)
				bytes |= 255u << 8 * k;
		dst[i] = bytes;
	}
}
