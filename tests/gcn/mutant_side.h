/* Two waves side by side, of which one leaves out a write of exec: mutant_lanes.c follows what
 * differs between them, mutant_hole.c says what is known at the write that is left out. */
#ifndef TEST_GCN_MUTANT_SIDE_H
#define TEST_GCN_MUTANT_SIDE_H

#include <string.h>

#include "mutant.h"
#include "table.h"

/* What a register of the one wave is to that of the other. */
enum {
	SAME,
	FULL,  /* the same, and a mask of all lanes */
	CLEAR, /* the same, and a mask in which no other lane is */
	PAST,  /* the same, and in other lanes an index that is past the end (of one buffer) */
	PARK,  /* other lanes that run have an index past every end; else the same */
	OTHER, /* the same but for other lanes' part */
	WRONG
};

enum { SCC = 128, N_SCALAR = 129, N_VECTOR = 512, MINUS_ONE = 193 };

struct pair {
	bool seen;
	bool anew; /* what the hole's mask was compared of has been written since */
	uint8_t s[N_SCALAR], v[N_VECTOR];
};

struct side {
	const struct mutant_code *c;
	uint32_t hole;
	/* In other lanes the index, a constant or a vector register, is not below the scalar
	 * register end, unless that is 0. */
	uint32_t index;
	struct gcn_range end;
	uint32_t made; /* the line that compared the hole's mask, or GCN_NOWHERE */
	struct pair *at; /* before each line */
	bool bad;
};

static inline bool
begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static inline bool
is_exec(const struct gcn_range *r)
{
	return r->file == FILE_S && r->first >= GCN_EXEC;
}

/* -- mutant_lanes.c -------------------------------------------------------------------------- */

void side_put(struct pair *p, const struct gcn_range *r, uint8_t state);

/* -- mutant_hole.c --------------------------------------------------------------------------- */

/* What the two waves are behind the hole. */
void side_begin(struct side *d, struct pair *p);
/* Does the line write what the range has?  What the other line reads, but for exec? */
bool side_writes(const struct mutant_code *c, uint32_t line, const struct gcn_range *what);
bool side_writes_source(const struct mutant_code *c, uint32_t line, uint32_t other);
/* Is the line a compare that other lanes do not pass? */
bool side_fails(const struct side *d, const struct pair *p, uint32_t line);

#endif
