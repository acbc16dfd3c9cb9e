/* Generic pointers: chains, trees, the three segments through one pointer, atomics
 * through them. */
#include "kernel.h"

struct node {
	struct node *next;
	uint key, value;
};

BLOCK(64)
list_find(global struct node *head, global const uint *key, global uint *dst)
{
	struct node *n = (struct node *)head;
	uint k = key[index_in(64)], found = ~0u;

	while (n) {
		if (n->key == k) {
			found = n->value;
			break;
		}
		n = n->next;
	}
	dst[index_in(64)] = found;
}

struct tree {
	struct tree *child[2];
	double weight;
	uchar kind;
	short step;
};

BLOCK(64)
tree_walk(global struct tree *root, global const float *x, global double *dst)
{
	struct tree *t = (struct tree *)root;
	float v = x[index_in(64)];
	double sum = 0;

	while (t && t->kind != 3) {
		sum += t->weight;
		v -= t->step;
		t = t->child[v > 0];
	}
	dst[index_in(64)] = sum;
}

static NOINLINE void
exchange(uint *a, uint *b)
{
	uint t = *a;

	*a = *b;
	*b = t;
}

/* One function for global, shared and private memory. */
BLOCK(64)
three_segments(global uint *g)
{
	local uint l[64];
	uint p[2];

	l[item()] = g[item()];
	p[0] = item();
	p[1] = g[item() + 64];
	sync();
	exchange((uint *)&g[item()], (uint *)&l[item()]);
	exchange((uint *)&l[item()], &p[0]);
	exchange(&p[1], (uint *)&g[item() + 64]);
	g[item() + 128] = l[item()] + p[0] + p[1];
}

BLOCK(64)
which_segment(global const uint *which, global uint *g, global uint *dst)
{
	local uint l[64];
	uint *p = which[item()] & 1 ? (uint *)&l[item()] : (uint *)&g[item()];

	l[item()] = g[item() + 64];
	*p += 3;
	dst[item()] = __builtin_amdgcn_is_shared((const void *)p)    ? 1u
		      : __builtin_amdgcn_is_private((const void *)p) ? 2u
								     : 3u;
	dst[item() + 64] = *p;
}

/* Every width by a flat address. */
BLOCK(64)
flat_widths(global const ulong *ptr, global ulong *dst)
{
	void *p = (void *)ptr[index_in(64)];
	ulong r = 0;

	r += *((uchar *)p + 1);
	r += (ulong)(long)*((char *)p + 2);
	r += *((ushort *)p + 2);
	r += (ulong)(long)*((short *)p + 3);
	r += *((uint *)p + 3);
	r += *((ulong *)p + 3);
	uint3 t = *((uint3 *)p + 3);
	uint4 q = *((uint4 *)p + 4);
	r += t.x * t.y + t.z;
	r += q.x * q.y + q.z * q.w;
	*((uchar *)p + 200) = (uchar)r;
	*((short *)p + 104) = (short)(r >> 16);
	*((uint *)p + 60) = (uint)r;
	*((ulong *)p + 40) = r;
	*((uint4 *)p + 30) = q;
	dst[index_in(64)] = r;
}

BLOCK(64)
flat_halves(global const ulong *ptr, global short2 *dst)
{
	void *p = (void *)ptr[index_in(64)];

	dst[index_in(64)] = (short2)(*((short *)p + 3), *((char *)p + 1));
	dst[index_in(64) + 64] = (short2)(*((uchar *)p + 9), *((short *)p + 8));
	*((uchar *)p + 64) = (uchar)(dst[0].y);
	*((short *)p + 64) = dst[0].y;
}

BLOCK(64)
flat_atomics(global const ulong *ptr, global uint *dst)
{
	uint *p = (uint *)ptr[index_in(64)], v = dst[index_in(64)], r = 0;
	ulong *q = (ulong *)ptr[index_in(64) + 64];

	r += __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	r += __scoped_atomic_fetch_or(p + 1, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_SYSTEM);
	r += __scoped_atomic_fetch_max(p + 2, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	r += __scoped_atomic_exchange_n(p + 3, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	r += (uint)__scoped_atomic_fetch_xor(q, (ulong)v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_fetch_and(p + 4, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_fetch_sub(q + 1, (ulong)v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_compare_exchange_n(p + 5, &r, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST,
					   __MEMORY_SCOPE_DEVICE);
	[[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]]
	{
		__scoped_atomic_fetch_add((float *)p + 6, 1.5f, __ATOMIC_RELAXED,
					  __MEMORY_SCOPE_DEVICE);
	}
	dst[index_in(64)] = r;
}

/* Pointers in memory that lead to pointers. */
BLOCK(64)
rows_of_pointers(global float *global *rows, global float *dst, uint n)
{
	float sum = 0;

	for (uint k = 0; k < n; k++)
		sum += rows[k][item()];
	dst[item()] = sum;
}
