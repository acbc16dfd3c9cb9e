#include "dynamic.h"

BLOCK(256) nbody(IN float *R x, IN float *R y, IN float *R z, IN float *R m, G float *R ax, G float *R ay, G float *R az, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float sx = 0, sy = 0, sz = 0;
		for (u32 j = 0; j < n; j++) {
			float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
			float d = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01f)));
			float f = m[j] / (d * sqrtf(d));
			sx = fma(f, dx, sx);
			sy = fma(f, dy, sy);
			sz = fma(f, dz, sz);
		}
		ax[i] = sx;
		ay[i] = sy;
		az[i] = sz;
	}
}

BLOCK(256) nearest(IN float *R px, IN float *R py, IN float *R qx, IN float *R qy, G u32 *R at, u32 m, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float best = INF;
		u32 where = 0;
		for (u32 j = 0; j < m; j++) {
			float dx = px[j] - qx[i], dy = py[j] - qy[i], d = fma(dx, dx, dy * dy);
			if (d < best) {
				best = d;
				where = j;
			}
		}
		at[i] = where;
	}
}

BLOCK(256) kmeans(IN float *R x, IN float *R y, IN float *R cx, IN float *R cy, G u32 *R label, G u32 *R size, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float best = INF;
		u32 where = 0;
		for (u32 j = 0; j < 8; j++) {
			float d = fma(x[i] - cx[j], x[i] - cx[j], (y[i] - cy[j]) * (y[i] - cy[j]));
			where = d < best ? j : where;
			best = fminf(best, d);
		}
		label[i] = where;
		ATOMIC_ADD(&size[where], 1u);
	}
}

BLOCK(256) bounce(G float *R px, G float *R py, G float *R vx, G float *R vy, float dt, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float x = fma(vx[i], dt, px[i]), y = fma(vy[i], dt, py[i]);
		if (x < 0 || x > 1) {
			vx[i] = -vx[i];
			x = fminf(fmaxf(x, 0.0f), 1.0f);
		}
		if (y < 0 || y > 1) {
			vy[i] = -vy[i];
			y = fminf(fmaxf(y, 0.0f), 1.0f);
		}
		px[i] = x;
		py[i] = y;
	}
}

BLOCK(256) sphere(IN float *R ox, IN float *R oy, IN float *R dx, IN float *R dy, G float *R t, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float b = fma(ox[i], dx[i], oy[i] * dy[i]);
		float c = fma(ox[i], ox[i], fma(oy[i], oy[i], -0.25f)), d = fma(b, b, -c), at = -1;
		if (d >= 0) {
			float root = sqrtf(d);
			at = root - b < 0 ? root - b : -b - root;
		}
		t[i] = at;
	}
}
