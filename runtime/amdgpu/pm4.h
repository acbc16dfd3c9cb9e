/* PM4, the format of streams that AMD's packet processor reads. Streams for a compute queue are
 * written and read by the rows of pm4.def. No function accesses a device or allocates memory. */
#ifndef AMDGPU_PM4_H
#define AMDGPU_PM4_H

#include "target.h"

/* -- The table ------------------------------------------------------------------------ */

/* Named words: registers first, then words of packets. */
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
enum { PM4_NA = 0xffff, PM4_MOST_BODY = 0x3fff }; /* maximum words after a header */

struct pm4_reg {
	const char *name;
	enum pm4_space space;
	uint16_t n;		     /* consecutive registers; above 1 they are NAME_0, NAME_1 ... */
	uint16_t offset[PM4_N_GEN]; /* PM4_NA: not available */
	enum pm4_who who;
};

struct pm4_packet {
	const char *name;
	uint8_t opcode;
	bool compute; /* the header's compute bit is set */
	uint16_t words[PM4_N_GEN];
	bool more; /* words is a minimum */
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
/* Returns the register at this offset; *i is its index in the row. NULL: no row contains it. */
const struct pm4_reg *pm4_reg_at(enum pm4_gen gen, enum pm4_space space, uint32_t offset,
				 uint32_t *i);
/* Returns the packet of this opcode, or NULL. */
const struct pm4_packet *pm4_packet_of(unsigned opcode);
/* Returns the word of a packet's body, or PM4_N_WORD if it is data. */
enum pm4_word pm4_body_at(enum pm4_gen gen, enum pm4_packet_id packet, uint32_t at);
const char *pm4_word_name(enum pm4_word word);
/* Returns the next field of a word, or NULL after the last. *i is 0 for the first. */
const struct pm4_field *pm4_field_next(enum pm4_gen gen, enum pm4_word word, unsigned *i);
static inline uint32_t
pm4_field_mask(const struct pm4_field *f)
{
	return (f->width == 32 ? UINT32_MAX : (1u << f->width) - 1) << f->lo;
}
/* Returns the field's value in a word, or 0 if the generation has no such field. */
uint32_t pm4_get(enum pm4_gen gen, uint32_t word, enum pm4_field_id id);

/* -- Writing -------------------------------------------------------------------------- */

/* A stream being written. After the first error, all functions do nothing, so callers check st
 * once, at the end. No packet is written in part. */
struct pm4 {
	enum pm4_gen gen;
	uint32_t *words;
	uint32_t n, cap;
	qd_status st;
	struct qd_error *err;
};

void pm4_begin(struct pm4 *p, enum pm4_gen gen, uint32_t *words, uint32_t cap,
	       struct qd_error *err);
/* Sets QD_E_LIMIT or QD_E_INVALID and the caller's text, unless there is an earlier error. */
QD_COLD void pm4_fail(struct pm4 *p, qd_status st, const char *fmt, ...) QD_PRINTF(3, 4);
/* Sets a field of *word whose bits are 0. */
void pm4_bits(struct pm4 *p, uint32_t *word, enum pm4_field_id id, uint32_t value);
void pm4_packet(struct pm4 *p, enum pm4_packet_id id, const uint32_t *body, uint32_t n);
/* Sets this register and the n - 1 after it. */
void pm4_set(struct pm4 *p, enum pm4_word reg, const uint32_t *values, uint32_t n);
/* Sets every register of the space whose value depends on no argument. */
void pm4_set_fixed(struct pm4 *p, enum pm4_space space);
/* Pads the stream to a multiple of 8 words, which is required. */
void pm4_pad(struct pm4 *p);

/* -- Caches, fences, times: pm4_sync.c --------------------------------------------------- */

/* Visibility of writes. START: of everything, when a stream begins, because other streams ran
 * earlier; first sets the registers that this depends on. DATA: of stores of earlier dispatches,
 * to later ones. CODE: the same, if the stores wrote code. HOST: of everything, to the host. */
enum pm4_cache { PM4_CACHE_START, PM4_CACHE_DATA, PM4_CACHE_CODE, PM4_CACHE_HOST };
void pm4_cache(struct pm4 *p, enum pm4_cache what);
/* Waits until all earlier waves have ended. */
void pm4_drain(struct pm4 *p);

/* Memory that a dispatch touches. */
struct pm4_use {
	uint64_t addr, size;
	bool written;
	bool code; /* it is executed */
};
/* Orders dispatches that touched a before one that touches b. If they share memory that either
 * writes, waits for the waves and invalidates caches that may hold old data. Returns whether it
 * did. */
bool pm4_barrier(struct pm4 *p, const struct pm4_use *a, uint32_t n_a, const struct pm4_use *b,
		 uint32_t n_b);

struct pm4_fence {
	uint64_t addr;
	uint64_t value;
	bool wide;	/* 64 bits; else 32 */
	bool interrupt; /* notifies the host */
};
/* Writes a value after all earlier work and after the write-back of caches. */
void pm4_fence(struct pm4 *p, const struct pm4_fence *f);
/* Write the device's clock, 64 bits: when the packet is read; when all earlier work has ended. */
void pm4_clock(struct pm4 *p, uint64_t addr);
void pm4_clock_end(struct pm4 *p, uint64_t addr);
/* Writes words to memory with the packet processor. */
void pm4_write(struct pm4 *p, uint64_t addr, const uint32_t *words, uint32_t n);

/* -- Kernels and dispatches: pm4_kernel.c, pm4_dispatch.c ----------------------------------- */

enum { PM4_DISPATCH_PACKET = 64, PM4_MAX_ENGINE = 9 };
/* Maximum blocks of a dispatch: gfx12 counts y and z in 16 bits. */
#define PM4_MAX_X  UINT32_MAX
#define PM4_MAX_YZ 65535u

/* Contents of a kernel's first registers, in this order; bits of the descriptor. */
enum pm4_user {
	PM4_USER_SCRATCH_BUFFER = 1 << AMD_LO_user_sgpr_private_segment_buffer,
	PM4_USER_DISPATCH_PTR = 1 << AMD_LO_user_sgpr_dispatch_ptr,
	PM4_USER_QUEUE_PTR = 1 << AMD_LO_user_sgpr_queue_ptr,
	PM4_USER_KERNARG_PTR = 1 << AMD_LO_user_sgpr_kernarg_segment_ptr,
	PM4_USER_DISPATCH_ID = 1 << AMD_LO_user_sgpr_dispatch_id,
	PM4_USER_SCRATCH_INIT = 1 << AMD_LO_user_sgpr_flat_scratch_init,
	PM4_USER_SCRATCH_SIZE = 1 << AMD_LO_user_sgpr_private_segment_size
};

/* A loaded kernel, read from its descriptor. */
struct pm4_kernel {
	uint64_t entry;	     /* address of the first instruction */
	uint64_t descriptor; /* address of the descriptor */
	uint32_t rsrc[3];
	uint32_t lds_size;     /* bytes per block */
	uint32_t scratch_size; /* bytes per lane */
	uint32_t kernarg_size;
	uint32_t wave;	 /* lanes */
	uint32_t n_user; /* user registers */
	uint32_t user;	 /* enum pm4_user */
};
/* Reads the descriptor of 64 bytes at this address. Returns QD_E_INVALID if no device of this kind
 * could run the kernel, or if fields of the loader or the driver are set. */
qd_status pm4_kernel_read(const struct amd_gpu *g, const uint8_t bytes[AMD_DESCRIPTOR_SIZE],
			  uint64_t addr, struct pm4_kernel *out, struct qd_error *err);

/* Memory for the private variables of all waves that may run at the same time. */
struct pm4_scratch {
	uint64_t addr, size;
	uint32_t waves; /* in the units of TMPRING_SIZE */
};
/* Computes waves and size for a kernel on a device with these numbers of compute units and shader
 * engines. size 0: the kernel needs no scratch. Does not change addr. */
qd_status pm4_scratch_need(const struct amd_gpu *g, const struct pm4_kernel *k, uint32_t n_cu,
			   uint32_t n_engine, struct pm4_scratch *s, struct qd_error *err);

struct pm4_dispatch {
	const struct pm4_kernel *kernel;
	uint32_t blocks[3], block[3]; /* number of blocks; lanes of a block */
	uint32_t dynamic_lds;	      /* bytes beyond the kernel's own */
	uint64_t kernarg;
	uint64_t packet; /* address of pm4_dispatch_packet's bytes, for kernels that read them */
	struct pm4_scratch scratch;
	uint32_t cu_mask[PM4_MAX_ENGINE]; /* compute units of each shader engine */
};
/* Enables all compute units of the first n engines, and none of the other engines. */
void pm4_all_units(uint32_t cu_mask[PM4_MAX_ENGINE], uint32_t n_engine);
/* Sets every register that a dispatch reads, because queues are shared and registers keep earlier
 * values. Then dispatches. Neither waits nor invalidates caches. */
void pm4_dispatch(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d);
/* Returns the initial words of the kernel's first registers. */
void pm4_user_data(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d,
		   uint32_t out[16]);
/* Returns the index in those words of the low half of the arguments' address, if the kernel
 * requests it. */
uint32_t pm4_kernarg_at(const struct pm4_kernel *k);
/* Writes HSA's dispatch packet, which kernels may read. Returns false if the number of lanes
 * exceeds its 32 bits. */
bool pm4_dispatch_packet(const struct pm4_dispatch *d, uint8_t out[PM4_DISPATCH_PACKET]);

/* -- Reading: pm4_dis.c ------------------------------------------------------------------- */

/* Packet at words[at]. */
struct pm4_read {
	const struct pm4_packet *packet; /* NULL: unknown opcode, or no packet */
	uint32_t header;
	const uint32_t *body;
	uint32_t n; /* words of the body */
	uint32_t missing; /* words of the body beyond the end of the stream */
};
/* Reads the next packet. Returns false at the end. A word that begins no packet of type 3 is read
 * alone. */
bool pm4_next(const uint32_t *words, uint32_t n, uint32_t *at, struct pm4_read *out);
/* Disassembles a stream. Each word has a line: its offset in bytes, the word, its meaning. An
 * incomplete packet is shown as far as it goes, and QD_E_INVALID reports its offset. */
qd_status pm4_dis(enum pm4_gen gen, const uint32_t *words, uint32_t n, struct buf *text,
		  struct qd_error *err);

#endif
