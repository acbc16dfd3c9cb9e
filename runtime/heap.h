/* Memory of a device that drivers hand out in large blocks: pieces of them.  A driver
 * fills and empties blocks; what is between is the same for all. */
#ifndef QD_RUNTIME_HEAP_H
#define QD_RUNTIME_HEAP_H

#include "device.h"

enum { HEAP_ALIGN = 256, HEAP_N_CLASS = 40 };

struct heap_piece {
	struct heap_block *block;
	struct heap_piece *prev, *next; /* by address; used and free */
	struct heap_piece *free_prev, *free_next;
	uint64_t offset, size;
	bool used;
};

/* Drivers embed it as their first member. */
struct heap_block {
	struct heap *heap;
	struct heap_block *prev, *next;
	struct heap_piece *first;
	uint64_t addr, size;
	char *host;	/* NULL: the host cannot see it */
	bool dedicated; /* one piece; goes when it is freed */
};

struct heap {
	struct qd_device *dev;
	size_t block_struct; /* bytes of what embeds a block */
	uint64_t block_size;
	uint64_t max_size; /* of one block */
	/* Memory of b->size bytes: sets addr and host. */
	qd_status (*fill)(struct heap_block *b, struct qd_error *err);
	/* Gives it back, as far as fill came. */
	void (*empty)(struct heap_block *b);
	/* The common part's: */
	pthread_mutex_t lock; /* taken last and alone */
	struct heap_block *blocks;
	struct heap_piece *free[HEAP_N_CLASS]; /* by floor(log2(size)) */
	uint32_t n_empty;		       /* blocks without a used piece */
};

/* The fields above are set. */
void heap_init(struct heap *h);
/* Gives all back, pieces in use too. */
void heap_fini(struct heap *h);
/* Contents are not defined.  size above 0. */
qd_status heap_alloc(struct heap *h, uint64_t size, struct heap_piece **out, struct qd_error *err);
void heap_free(struct heap_piece *p);
/* Gives back blocks that are kept although nothing in them is used: were there any? */
bool heap_trim(struct heap *h);

/* As drivers hand it out; the piece is a struct heap_piece. */
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
