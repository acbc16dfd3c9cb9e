/* Suballocation of device memory that drivers provide in large blocks. A driver only allocates
 * and frees the memory of blocks. */
#ifndef QD_RUNTIME_HEAP_H
#define QD_RUNTIME_HEAP_H

#include "device.h"

enum { HEAP_ALIGN = 256, HEAP_N_CLASS = 40 };

struct heap_piece {
	struct heap_block *block;
	struct heap_piece *prev, *next; /* by address, used or free */
	struct heap_piece *free_prev, *free_next;
	uint64_t offset, size;
	bool used;
};

/* First member of a driver's block struct. */
struct heap_block {
	struct heap *heap;
	struct heap_block *prev, *next;
	struct heap_piece *first;
	uint64_t addr, size;
	char *host;	/* NULL: the host cannot access it */
	bool dedicated; /* one piece; freed with it */
};

struct heap {
	struct qd_device *dev;
	size_t block_struct; /* size of the driver's block struct */
	uint64_t block_size;
	uint64_t max_size; /* of one block */
	/* Allocates b->size bytes of memory; sets addr and host. */
	qd_status (*fill)(struct heap_block *b, struct qd_error *err);
	/* Frees the memory, also after a partial fill. */
	void (*empty)(struct heap_block *b);
	/* Fields of the common code: */
	pthread_mutex_t lock; /* no other lock is taken while it is held */
	struct heap_block *blocks;
	struct heap_piece *free[HEAP_N_CLASS]; /* by floor(log2(size)) */
	uint32_t n_empty;		       /* blocks without a used piece */
};

/* Requires all fields above. */
void heap_init(struct heap *h);
/* Frees all blocks, including pieces in use. */
void heap_fini(struct heap *h);
/* Allocates size bytes, above 0, with undefined contents. */
qd_status heap_alloc(struct heap *h, uint64_t size, struct heap_piece **out, struct qd_error *err);
void heap_free(struct heap_piece *p);
/* Frees empty blocks, and returns whether there were any. */
bool heap_trim(struct heap *h);

/* Returns the piece in the form that drivers return; its `piece` is p. */
static inline struct device_memory
heap_memory(struct heap_piece *p)
{
	return (struct device_memory){
		.addr = p->block->addr + p->offset,
		.host = p->block->host ? p->block->host + p->offset : NULL,
		.size = p->size,
		.piece = p,
	};
}

#endif
