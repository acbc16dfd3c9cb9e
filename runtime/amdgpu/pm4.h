/* PM4, what the packet processor of AMD's devices reads: streams of words for a compute
 * queue, written and read by the rows of pm4.def.  Pure: no device is asked, nothing is
 * allocated. */
#ifndef AMDGPU_PM4_H
#define AMDGPU_PM4_H

#include "target.h"

/* -- The table ------------------------------------------------------------------------ */

/* Words that have a name: registers first, then those of packets. */
enum pm4_word {
#define PM4_REG(name, ...) PM4_##name,
#include "pm4.def"
	PM4_N_REG,
	PM4_BEFORE_BODY = PM4_N_REG - 1,
#define PM4_BODY(packet, at, name, gens) PM4_##packet##_##name,
#include "pm4.def"
	PM4_N_WORD
};

enum pm4_packet_id {
#define PM4_PACKET(name, ...) PM4_PKT_##name,
#include "pm4.def"
	PM4_N_PACKET
};

enum pm4_field_id {
#define PM4_FIELD(word, name, lo, width, gens) PM4_F_##word##_##name,
#define PM4_AGAIN(word, name, lo, width, gens)
#include "pm4.def"
	PM4_N_FIELD
};

enum pm4_value_id {
#define PM4_VALUE(name, ...) PM4_V_##name,
#include "pm4.def"
	PM4_N_VALUE
};

enum pm4_space { PM4_SPACE_SH, PM4_SPACE_UCONFIG };
enum pm4_who { PM4_BY_SET, PM4_BY_PACKET, PM4_BY_KERNEL };
enum { PM4_NA = 0xffff, PM4_MOST_BODY = 0x3fff }; /* words behind a header, at most */

struct pm4_reg {
	const char *name;
	enum pm4_space space;
	uint16_t n;		     /* of registers in a row; above 1 they are NAME_0, NAME_1 ... */
	uint16_t offset[PM4_N_GEN]; /* PM4_NA: there is none */
	enum pm4_who who;
};

struct pm4_packet {
	const char *name;
	uint8_t opcode;
	bool compute; /* the header says so */
	uint16_t words[PM4_N_GEN];
	bool more; /* or more */
};

struct pm4_field {
	const char *name;
	uint16_t word; /* enum pm4_word */
	uint8_t lo, width;
	uint8_t gens; /* a bit for each */
	uint8_t id;   /* enum pm4_field_id */
};

extern const struct pm4_reg pm4_regs[PM4_N_REG];
extern const struct pm4_packet pm4_packets[PM4_N_PACKET];
extern const struct pm4_field pm4_fields[];
extern const unsigned pm4_n_fields;

uint32_t pm4_value(enum pm4_gen gen, enum pm4_value_id id);
/* The register at this offset, its place in the row as *i; NULL: no row has one there. */
const struct pm4_reg *pm4_reg_at(enum pm4_gen gen, enum pm4_space space, uint32_t offset,
				 uint32_t *i);
/* The packet of this opcode; NULL: there is none. */
const struct pm4_packet *pm4_packet_of(unsigned opcode);
/* The word of a packet's body; PM4_N_WORD where it is data. */
enum pm4_word pm4_body_at(enum pm4_gen gen, enum pm4_packet_id packet, uint32_t at);
const char *pm4_word_name(enum pm4_word word);
/* The next field of a word; *i is 0 for the first; NULL after the last. */
const struct pm4_field *pm4_field_next(enum pm4_gen gen, enum pm4_word word, unsigned *i);
static inline uint32_t
pm4_field_mask(const struct pm4_field *f)
{
	return (f->width == 32 ? UINT32_MAX : (1u << f->width) - 1) << f->lo;
}
/* Of a word that has the field; 0 where the generation has none. */
uint32_t pm4_get(enum pm4_gen gen, uint32_t word, enum pm4_field_id id);

/* -- Writing -------------------------------------------------------------------------- */

/* A stream that is being written.  The first error sticks, and what follows does nothing:
 * whoever takes the words looks at st once.  No packet is written in part. */
struct pm4 {
	enum pm4_gen gen;
	uint32_t *words;
	uint32_t n, cap;
	qd_status st;
	struct qd_error *err;
};

void pm4_begin(struct pm4 *p, enum pm4_gen gen, uint32_t *words, uint32_t cap,
	       struct qd_error *err);
/* QD_E_LIMIT, QD_E_INVALID: the caller's reason, in words of the field. */
QD_COLD void pm4_fail(struct pm4 *p, qd_status st, const char *fmt, ...) QD_PRINTF(3, 4);
/* The bits in a field of *word, which were clear. */
void pm4_bits(struct pm4 *p, uint32_t *word, enum pm4_field_id id, uint32_t value);
void pm4_packet(struct pm4 *p, enum pm4_packet_id id, const uint32_t *body, uint32_t n);
/* This register, and those behind it. */
void pm4_set(struct pm4 *p, enum pm4_word reg, const uint32_t *values, uint32_t n);
/* Every register of the space that no argument decides, with its value. */
void pm4_set_fixed(struct pm4 *p, enum pm4_space space);
/* To a multiple of 8 words, as streams must be. */
void pm4_pad(struct pm4 *p);

/* -- Caches, fences, times: pm4_sync.c --------------------------------------------------- */

/* What is made visible: to everything when a stream begins, since other streams ran before (the
 * registers that this depends on are set first);
 * to dispatches, of what earlier ones stored, and where that is code; to the host. */
enum pm4_cache { PM4_CACHE_START, PM4_CACHE_DATA, PM4_CACHE_CODE, PM4_CACHE_HOST };
void pm4_cache(struct pm4 *p, enum pm4_cache what);
/* Until all waves before are done. */
void pm4_drain(struct pm4 *p);

/* What a dispatch touches. */
struct pm4_use {
	uint64_t addr, size;
	bool written;
	bool code; /* is executed */
};
/* What stands between dispatches that touched a, and one that touches b: nothing where they
 * share nothing that either writes; else the waves are waited for, and caches that may hold
 * what was before are emptied.  Did something? */
bool pm4_barrier(struct pm4 *p, const struct pm4_use *a, uint32_t n_a, const struct pm4_use *b,
		 uint32_t n_b);

struct pm4_fence {
	uint64_t addr;
	uint64_t value;
	bool wide;	/* 64 bits; else 32 */
	bool interrupt; /* the host is told */
};
/* Behind all that was before, and behind the caches: a value. */
void pm4_fence(struct pm4 *p, const struct pm4_fence *f);
/* The device's clock, 64 bits: when the packet is read, and when all before it has ended. */
void pm4_clock(struct pm4 *p, uint64_t addr);
void pm4_clock_end(struct pm4 *p, uint64_t addr);
/* Words to memory, by the packet processor. */
void pm4_write(struct pm4 *p, uint64_t addr, const uint32_t *words, uint32_t n);

/* -- Kernels and dispatches: pm4_kernel.c, pm4_dispatch.c ----------------------------------- */

enum { PM4_DESCRIPTOR = 64, PM4_DISPATCH_PACKET = 64, PM4_MAX_ENGINE = 9 };
/* Blocks of a dispatch: gfx12 counts y and z in 16 bits. */
#define PM4_MAX_X  UINT32_MAX
#define PM4_MAX_YZ 65535u

/* What a kernel is given in its first registers, in this order: bits of the descriptor. */
enum pm4_user {
	PM4_USER_SCRATCH_BUFFER = 1 << 0,
	PM4_USER_DISPATCH_PTR = 1 << 1,
	PM4_USER_QUEUE_PTR = 1 << 2,
	PM4_USER_KERNARG_PTR = 1 << 3,
	PM4_USER_DISPATCH_ID = 1 << 4,
	PM4_USER_SCRATCH_INIT = 1 << 5,
	PM4_USER_SCRATCH_SIZE = 1 << 6
};

/* A kernel that is loaded, by its descriptor. */
struct pm4_kernel {
	uint64_t entry;	     /* address of the first instruction */
	uint64_t descriptor; /* its own */
	uint32_t rsrc[3];
	uint32_t lds_size;     /* bytes of a block */
	uint32_t scratch_size; /* bytes of a lane */
	uint32_t kernarg_size;
	uint32_t wave;	 /* lanes */
	uint32_t n_user; /* registers that it is given */
	uint32_t user;	 /* enum pm4_user */
};
/* From the 64 bytes at this address; QD_E_INVALID where no device of this kind could run it,
 * or where it holds what belongs to loader and driver. */
qd_status pm4_kernel_read(const struct amd_gpu *g, const uint8_t bytes[PM4_DESCRIPTOR],
			  uint64_t addr, struct pm4_kernel *out, struct qd_error *err);

/* Memory for the private variables of all waves that may run at a time. */
struct pm4_scratch {
	uint64_t addr, size;
	uint32_t waves; /* as TMPRING_SIZE counts them */
};
/* Waves and bytes for a kernel on a device with so many compute units in so many shader
 * engines; size 0: it needs none.  addr stays. */
qd_status pm4_scratch_need(const struct amd_gpu *g, const struct pm4_kernel *k, uint32_t n_cu,
			   uint32_t n_engine, struct pm4_scratch *s, struct qd_error *err);

struct pm4_dispatch {
	const struct pm4_kernel *kernel;
	uint32_t blocks[3], block[3]; /* how many; lanes of each */
	uint32_t dynamic_lds;	      /* bytes beside the kernel's own */
	uint64_t kernarg;
	uint64_t packet; /* where pm4_dispatch_packet's bytes are, for kernels that ask */
	struct pm4_scratch scratch;
	uint32_t cu_mask[PM4_MAX_ENGINE]; /* of each shader engine's compute units */
};
/* All of them of the first n engines, none of others that the registers have. */
void pm4_all_units(uint32_t cu_mask[PM4_MAX_ENGINE], uint32_t n_engine);
/* Every register that a dispatch reads, since queues are shared and keep what others wrote;
 * then the dispatch.  Neither waits nor empties caches. */
void pm4_dispatch(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d);
/* The words that the kernel's first registers get. */
void pm4_user_data(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d,
		   uint32_t out[16]);
/* Which of those words has the low half of the arguments' address, where the kernel asks for
 * it. */
uint32_t pm4_kernarg_at(const struct pm4_kernel *k);
/* What HSA calls the dispatch packet, which kernels may read; false: it counts lanes in 32
 * bits, and there are more. */
bool pm4_dispatch_packet(const struct pm4_dispatch *d, uint8_t out[PM4_DISPATCH_PACKET]);

/* -- Reading: pm4_dis.c ------------------------------------------------------------------- */

/* The packet at words[at]. */
struct pm4_read {
	const struct pm4_packet *packet; /* NULL: of an opcode without a row, or no packet */
	uint32_t header;
	const uint32_t *body;
	uint32_t n; /* words of the body */
	uint32_t missing; /* that are behind the end */
};
/* False: at is the end.  What is no packet of type 3 is one word. */
bool pm4_next(const uint32_t *words, uint32_t n, uint32_t *at, struct pm4_read *out);
/* A line a word: its offset in bytes, the word, what it is.  A packet that is cut off is
 * shown as far as it goes; then QD_E_INVALID says where. */
qd_status pm4_dis(enum pm4_gen gen, const uint32_t *words, uint32_t n, struct buf *text,
		  struct qd_error *err);

#endif
