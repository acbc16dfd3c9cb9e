/* Control flow: switches, nested loops, exits from the middle, uniform and divergent
 * branches. */
#include "kernel.h"

BLOCK(64)
switch_varying(global const uint *op, global const float *a, global float *dst)
{
	uint i = index_in(64);
	float x = a[i];

	switch (op[i]) {
	case 0: x += 1; break;
	case 1: x *= 3; break;
	case 2: x = -x; break;
	case 3: x = __builtin_amdgcn_rcpf(x); /* fall through */
	case 4: x -= 7; break;
	case 9: x = __builtin_floorf(x); break;
	case 77: x = 0; break;
	default: x = a[i + 1];
	}
	dst[i] = x;
}

/* An interpreter: the program is the same for all lanes. */
BLOCK(64)
switch_uniform(constant uint *code, global float *data, uint n)
{
	float a = data[index_in(64)], b = 1;

	for (uint pc = 0; pc < n; pc++) {
		switch (code[pc]) {
		case 0: a += b; break;
		case 1: a -= b; break;
		case 2: a *= b; break;
		case 3: b = a; break;
		case 4: b = data[pc]; break;
		case 5: a = __builtin_fminf(a, b); break;
		case 6: a = __builtin_fmaxf(a, b); break;
		case 7:
			if (a > b)
				pc += 2;
			break;
		case 8: pc ^= 1; break;
		default: data[index_in(64)] = a; return;
		}
	}
	data[index_in(64)] = a * b;
}

BLOCK(64)
loops_nested(global const int *src, global int *dst, uint n, uint m)
{
	int sum = 0;

	for (uint i = 0; i < n; i++) {
		for (uint j = i; j < m; j++) {
			int v = src[i * m + j + item()];
			if (v < 0)
				continue;
			if (v == 99)
				break;
			for (int k = v; k > 1; k /= 3)
				sum += k;
		}
		if (sum > 1000000)
			return;
	}
	dst[index_in(64)] = sum;
}

BLOCK(64)
collatz(global const uint *src, global uint *dst)
{
	uint v = src[index_in(64)], n = 0;

	while (v != 1 && n < 1000) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		n++;
	}
	dst[index_in(64)] = n;
}

BLOCK(64)
early_exit(global const float *src, global float *dst, uint n)
{
	uint i = index_in(64);

	if (i >= n)
		return;
	float v = src[i];
	if (v < 0) {
		dst[i] = 0;
		return;
	}
	if (v > 1) {
		if (v > 100)
			return;
		v = __builtin_sqrtf(v);
	}
	dst[i] = v;
}

BLOCK(64)
uniform_branches(global float *dst, constant float *c, uint mode, int depth)
{
	float v = dst[index_in(64)];

	if (mode == 1)
		v += c[0];
	else if (mode == 2 && depth > 3)
		v -= c[1] * v;
	if (depth)
		for (int k = depth; k--;)
			v = v * c[k] + c[k + 1];
	if ((mode & 0x80) != 0)
		dst[0] = 1;
	dst[index_in(64)] = v;
}

/* Both kinds: lanes leave the loop one by one, the rest continues. */
BLOCK(64)
newton(global const float *src, global float *dst, global uint *steps)
{
	float a = src[index_in(64)], x = a;
	uint n = 0;

	for (;;) {
		float y = 0.5f * (x + a / x);
		if (__builtin_fabsf(y - x) <= 1e-6f * y)
			break;
		x = y;
		if (++n == 64)
			break;
	}
	dst[index_in(64)] = x;
	steps[index_in(64)] = n;
}

BLOCK(64)
unrolled(global const float *src, global float *dst)
{
	float v[8];
	uint i = index_in(64);

#pragma unroll
	for (uint k = 0; k < 8; k++)
		v[k] = src[k * 64 + i];
#pragma unroll
	for (uint s = 1; s < 8; s *= 2) {
#pragma unroll
		for (uint k = 0; k < 8; k++) {
			if (!(k & s)) {
				float a = v[k], b = v[k + s];
				v[k] = a + b;
				v[k + s] = a - b;
			}
		}
	}
#pragma unroll
	for (uint k = 0; k < 8; k++)
		dst[k * 64 + i] = v[k];
}

BLOCK(256)
reachable(global const uint *first, global const uint *next, global uint *seen, uint n)
{
	local uint changed[1];

	for (uint round = 0; round < n; round++) {
		if (!item())
			changed[0] = 0;
		sync();
		for (uint v = item(); v < n; v += 256) {
			if (!seen[v])
				continue;
			for (uint e = first[v]; e < first[v + 1]; e++) {
				if (!seen[next[e]]) {
					seen[next[e]] = 1;
					changed[0] = 1;
				}
			}
		}
		sync();
		if (!changed[0])
			break;
		sync();
	}
}

BLOCK(64)
text_search(global const uchar *text, constant uchar *word, global uint *found, uint n, uint len)
{
	for (uint i = index_in(64); i + len <= n; i += 64 * 128) {
		uint k = 0;
		while (k < len && text[i + k] == word[k])
			k++;
		if (k == len)
			__scoped_atomic_fetch_min(found, i, __ATOMIC_RELAXED,
						  __MEMORY_SCOPE_DEVICE);
	}
}
