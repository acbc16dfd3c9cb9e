/* Controls and masks of DPP (AMD's ISA guides, "Data Parallel Processing"). */
#ifndef AMDGCN_DPP_H
#define AMDGCN_DPP_H

enum {
	DPP_QUAD_OWN = 0xe4,	/* of four lanes the own one */
	DPP_QUAD_LAST_OF_1 = 0xa0, /* 0, 0, 2, 2 */
	DPP_QUAD_LAST_OF_2 = 0x55, /* 1, 1, 1, 1 */
	DPP_QUAD_LAST = 0xff,	/* 3, 3, 3, 3 */
	DPP_QUAD_PAIRS = 0xb1,	/* 1, 0, 3, 2 */
	DPP_QUAD_HALVES = 0x4e, /* 2, 3, 0, 1 */
	DPP_ROW_SHL = 0x100,	/* of a row of 16: the lane so many above, from + 1 on */
	DPP_ROW_SHR = 0x110,	/* so many below */
	DPP_ROW_ROR = 0x120,
	DPP_WAVE_SHL_1 = 0x130, /* gfx9 */
	DPP_WAVE_SHR_1 = 0x138,
	DPP_ROW_MIRROR = 0x140,
	DPP_HALF_MIRROR = 0x141,
	DPP_BCAST_15 = 0x142, /* gfx9: each row's last lane to the next row */
	DPP_BCAST_31 = 0x143, /* gfx9: lane 31 to the upper rows */
	DPP_ROW_SHARE = 0x150, /* gfx10 on: one lane to all of its row */
	DPP_ROW_XMASK = 0x160  /* gfx10 on */
};

/* Of rows, and of banks of four lanes in each: who is written. */
enum {
	DPP_ALL = 0xf,
	DPP_BANK_2 = 4,
	DPP_BANK_3 = 8,
	DPP_ODD_BANKS = 0xa,
	DPP_UPPER_BANKS = 0xc,
	DPP_ODD_ROWS = 0xa,
	DPP_UPPER_ROWS = 0xc
};

#endif
