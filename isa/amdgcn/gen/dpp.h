/* Controls and masks of DPP (AMD's ISA guides, "Data Parallel Processing"). */
#ifndef AMDGCN_DPP_H
#define AMDGCN_DPP_H

#include "gen_emit.h"

enum {
	DPP_QUAD_OWN = 0xe4,	/* each lane itself */
	DPP_QUAD_LAST_OF_1 = 0xa0, /* 0, 0, 2, 2 */
	DPP_QUAD_LAST_OF_2 = 0x55, /* 1, 1, 1, 1 */
	DPP_QUAD_LAST = 0xff,	/* 3, 3, 3, 3 */
	DPP_QUAD_PAIRS = 0xb1,	/* 1, 0, 3, 2 */
	DPP_QUAD_HALVES = 0x4e, /* 2, 3, 0, 1 */
	DPP_QUAD_MIRROR = 0x1b, /* 3, 2, 1, 0 */
	DPP_ROW_SHL = 0x100,	/* within a row of 16: from n lanes above; add n, from 1 on */
	DPP_ROW_SHR = 0x110,	/* from n lanes below */
	DPP_ROW_ROR = 0x120,
	DPP_WAVE_SHL_1 = 0x130, /* gfx9 */
	DPP_WAVE_SHR_1 = 0x138,
	DPP_ROW_MIRROR = 0x140,
	DPP_HALF_MIRROR = 0x141,
	DPP_BCAST_15 = 0x142, /* gfx9: from each row's last lane to the next row */
	DPP_BCAST_31 = 0x143, /* gfx9: from lane 31 to the upper rows */
	DPP_ROW_SHARE = 0x150, /* gfx10 and later: from one lane to its whole row */
	DPP_ROW_XMASK = 0x160  /* gfx10 and later */
};

/* Masks of the rows, and of the banks of four lanes in each row, that a DPP instruction writes. */
enum {
	DPP_ALL = 0xf,
	DPP_BANK_2 = 4,
	DPP_BANK_3 = 8,
	DPP_ODD_BANKS = 0xa,
	DPP_UPPER_BANKS = 0xc,
	DPP_ODD_ROWS = 0xa,
	DPP_UPPER_ROWS = 0xc
};

/* DPP control that writes all rows and banks. */
#define DPP_WHOLE(c) ((struct gcn_dpp){ .ctrl = (uint16_t)(c), .row_mask = DPP_ALL, .bank_mask = DPP_ALL })

/* Returns the DPP control that reads pattern s or a lane with the same value, or -1 if the target
 * has none. */
static inline int
gen_pattern_ctrl(const struct emit *e, const struct ins *s)
{
	/* Indexed by distance; gen_target.dpp has the distances that the target supports. */
	static const uint16_t ctrl[N_LANE_PATTERN][16] = {
		[PATTERN_XOR] = { 0, DPP_QUAD_PAIRS, DPP_QUAD_HALVES, DPP_QUAD_MIRROR, DPP_ROW_XMASK + 4,
				  DPP_ROW_XMASK + 5, DPP_ROW_XMASK + 6, DPP_HALF_MIRROR, DPP_ROW_ROR + 8,
				  DPP_ROW_XMASK + 9, DPP_ROW_XMASK + 10, DPP_ROW_XMASK + 11,
				  DPP_ROW_XMASK + 12, DPP_ROW_XMASK + 13, DPP_ROW_XMASK + 14,
				  DPP_ROW_MIRROR },
		[PATTERN_PARTNER] = { [1] = DPP_QUAD_PAIRS, [2] = DPP_QUAD_HALVES,
				      [4] = DPP_HALF_MIRROR, [8] = DPP_ROW_ROR + 8 },
		[PATTERN_LAST] = { [1] = DPP_QUAD_LAST_OF_1, [2] = DPP_QUAD_LAST_OF_2,
				   [8] = DPP_ROW_SHARE + 7 },
	};

	return s->b < 16 && e->t->dpp[s->x] >> s->b & 1 ? ctrl[s->x][s->b] : -1;
}

#endif
