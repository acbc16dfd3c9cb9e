/* Two waves in parallel, one without a write of exec. mutant_lanes.c tracks their differences,
 * mutant_hole.c collects the facts at the removed write. */
#ifndef TEST_GCN_MUTANT_SIDE_H
#define TEST_GCN_MUTANT_SIDE_H

#include <string.h>

#include "mutant.h"
#include "table.h"

/* Relation between a register of one wave and that of the other. */
enum {
	SAME,
	FULL,  /* equal, and a mask of all lanes */
	CLEAR, /* equal, and a mask without other lanes */
	PAST,  /* equal, and in other lanes an index past the end (of one buffer) */
	PARK,  /* other active lanes have an index past every end; else equal */
	OTHER, /* equal except for the other lanes' part */
	WRONG
};

enum { SCC = 128, N_SCALAR = 129, N_VECTOR = 512, MINUS_ONE = 193 };

struct pair {
	bool seen;
	bool anew; /* a source of the compare for the hole's mask has been written since */
	uint8_t s[N_SCALAR], v[N_VECTOR];
};

struct side {
	const struct mutant_code *c;
	uint32_t hole;
	/* In other lanes the index, a constant or a vector register, is at or above the scalar
	 * register end. end.n is 0 if this is unknown. */
	uint32_t index;
	struct gcn_range end;
	uint32_t made; /* the compare that made the hole's mask, or GCN_NOWHERE */
	struct pair *at; /* state before each line */
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

/* Initializes the state after the hole. */
void side_begin(struct side *d, struct pair *p);
/* side_writes returns whether the line writes a part of the range; side_writes_source whether it
 * writes a source of the other line, apart from exec. */
bool side_writes(const struct mutant_code *c, uint32_t line, const struct gcn_range *what);
bool side_writes_source(const struct mutant_code *c, uint32_t line, uint32_t other);
/* Returns whether the line is a compare that is false in the other lanes. */
bool side_fails(const struct side *d, const struct pair *p, uint32_t line);

#endif
