#include "dynamic.h"

BLOCK(256) matmul(IN float *R a, IN float *R b, G float *R c, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n * n) {
		u32 row = i / n, col = i % n;
		float sum = 0;
		for (u32 k = 0; k < n; k++)
			sum = fma(a[row * n + k], b[k * n + col], sum);
		c[i] = sum;
	}
}

BLOCK(256) matmul_tile(IN float *R a, IN float *R b, G float *R c, u32 n)
{
	SHARED float ta[256], tb[256];
	u32 t = THREAD, x = t % 16, y = t / 16;
	u32 row = BLOCK_IDX / (n / 16) * 16 + y, col = BLOCK_IDX % (n / 16) * 16 + x;
	float sum = 0;

	for (u32 k = 0; k < n / 16; k++) {
		ta[t] = a[row * n + k * 16 + x];
		tb[t] = b[(k * 16 + y) * n + col];
		SYNC();
		for (u32 j = 0; j < 16; j++)
			sum = fma(ta[y * 16 + j], tb[j * 16 + x], sum);
		SYNC();
	}
	c[row * n + col] = sum;
}

BLOCK(256) matvec(IN float *R a, IN float *R x, G float *R y, u32 n, u32 m)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float sum = 0;
		for (u32 k = 0; k < m; k++)
			sum = fma(a[i * m + k], x[k], sum);
		y[i] = sum;
	}
}

BLOCK(256) transpose(IN u32 *R src, G u32 *R dst, u32 n)
{
	SHARED u32 t[1056];
	u32 tiles = n / 32, bx = BLOCK_IDX % tiles * 32, by = BLOCK_IDX / tiles * 32;
	u32 x = THREAD % 32, y = THREAD / 32;

	for (u32 k = 0; k < 4; k++)
		t[(y + k * 8) * 33 + x] = src[(by + y + k * 8) * n + bx + x];
	SYNC();
	for (u32 k = 0; k < 4; k++)
		dst[(bx + y + k * 8) * n + by + x] = t[x * 33 + y + k * 8];
}

BLOCK(256) softmax(IN float *R src, G float *R dst, u32 cols, float c1, float c2, float c3, u32 rows)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < rows) {
		float most = -INF, sum = 0;
		for (u32 k = 0; k < cols; k++)
			most = fmaxf(most, src[i * cols + k]);
		for (u32 k = 0; k < cols; k++) {
			float d = src[i * cols + k] - most;
			float e = fma(fma(fma(c3, d, c2), d, c1), d, c1);
			dst[i * cols + k] = e;
			sum += e;
		}
		for (u32 k = 0; k < cols; k++) {
			float d = src[i * cols + k] - most;
			dst[i * cols + k] = fma(fma(fma(c3, d, c2), d, c1), d, c1) / sum;
		}
	}
}

BLOCK(256) lu_step(G float *R a, IN float *R pivot, IN float *R factor, u32 n, u32 k)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < (n - k - 1) * n) {
		u32 row = k + 1 + i / n, col = i % n;
		a[row * n + col] = fma(-factor[row], pivot[col], a[row * n + col]);
	}
}

BLOCK(256) stencil2(IN float *R src, G float *R dst, u32 w, u32 h)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < w * h) {
		u32 x = i % w, y = i / w;
		if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
			dst[i] = 0.2f * (src[i] + src[i - 1] + src[i + 1] + src[i - w] + src[i + w]);
	}
}

BLOCK(256) stencil3(IN float *R src, G float *R dst, u32 w, u32 h, u32 d)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < w * h * d) {
		u32 x = i % w, y = i / w % h, z = i / (w * h);
		if (x > 0 && x < w - 1 && y > 0 && y < h - 1 && z > 0 && z < d - 1) {
			float sum = src[i - 1] + src[i + 1] + src[i - w] + src[i + w] + src[i - w * h] + src[i + w * h];
			dst[i] = fma(-6.0f, src[i], sum);
		}
	}
}
