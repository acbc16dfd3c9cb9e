/* Declarations shared by the files of the amdgpu driver; tests include this file.
 *
 * Names begin with kgd_, AMD's term for this interface (the kernel's graphics driver; ROCm uses
 * KFD). libdrm's own names begin with amdgpu_, and a program may link that library as well.
 *
 * No other lock is taken while a timeline's lock, lists_lock, timestamps_lock or lost_lock is held.
 * Locks of timelines are taken within timelines_lock. */
#ifndef KGD_H
#define KGD_H

#include "device.h"
#include "heap.h"
#include "pm4.h"

/* -- libdrm's interface ------------------------------------------------------------------- */

struct amdgpu_device;
struct amdgpu_bo;
struct amdgpu_va;
struct amdgpu_bo_list;
struct amdgpu_context;

enum { /* for struct kgd_node */
	DRM_NODE_RENDER_AT = 2,
	DRM_N_NODE = 3,
	DRM_BUS_PCI = 0,
	DRM_BUS_PLATFORM = 2,
	DRM_BUS_FAUX = 4 /* from libdrm 2.4.125 on */
};

struct kgd_pci_place {
	uint16_t domain;
	uint8_t bus, dev, func;
};
struct kgd_pci_ids {
	uint16_t vendor, device, subvendor, subdevice;
	uint8_t revision;
};
struct kgd_node { /* drmDevice */
	char **nodes; /* paths, by kind; valid if the bit is set in: */
	int available;
	int bus;
	union {
		struct kgd_pci_place *place; /* for DRM_BUS_PCI */
		const char *name;	     /* for DRM_BUS_PLATFORM and DRM_BUS_FAUX */
	};
	struct kgd_pci_ids *ids; /* for DRM_BUS_PCI */
};
struct kgd_version { /* drmVersion */
	int major, minor, patch;
	int name_len;
	char *name;
	int date_len;
	char *date;
	int desc_len;
	char *desc;
};

enum { /* AMDGPU_INFO_* */
	KGD_INFO_DEVICE = 0x16,
	KGD_INFO_MEMORY = 0x19,
	KGD_INFO_RAS = 0x20,
	KGD_INFO_FAULT = 0x23 /* from interface 3.55 on */
};
enum { KGD_IP_COMPUTE = 1 };
enum { KGD_FW_COMPUTE = 8 }; /* AMDGPU_INFO_FW_GFX_MEC */
enum { KGD_IDS_APU = 1, KGD_RAS_GFX = 4 };

/* First fields of struct drm_amdgpu_info_device. The kernel returns as many bytes as requested. */
struct kgd_info {
	uint32_t device_id, chip_rev, external_rev, pci_rev, family;
	uint32_t n_engine, n_array_per_engine, counter_khz;
	uint64_t max_engine_khz, max_memory_khz;
	uint32_t n_cu, cu_ao_mask, cu_bitmap[4][4];
	uint32_t rb_mask, n_rb, n_gfx_context, pcie_gen;
	uint64_t ids_flags, va_offset, va_max;
	uint32_t va_alignment, pte_fragment_size, gart_page_size, ce_ram_size;
};
struct kgd_heap_info {
	uint64_t total, usable, used, max_allocation;
};
struct kgd_memory_info { /* struct drm_amdgpu_memory_info */
	struct kgd_heap_info vram, visible_vram, gtt;
};
struct kgd_fault { /* struct drm_amdgpu_info_gpuvm_fault */
	uint64_t addr;
	uint32_t status, hub; /* status 0: no fault */
};
struct kgd_engine { /* struct drm_amdgpu_info_hw_ip */
	uint32_t major, minor;
	uint64_t caps;
	uint32_t ib_start_alignment, ib_size_alignment, rings;
	uint32_t ip_version; /* 0 before interface 3.48 */
};

enum { KGD_DOMAIN_GTT = 2, KGD_DOMAIN_VRAM = 4 };
enum { KGD_BO_SEEN = 1 << 0, KGD_BO_HIDDEN = 1 << 1, KGD_BO_COMBINED = 1 << 2 };
struct kgd_bo_request { /* amdgpu_bo_alloc_request */
	uint64_t size, alignment;
	uint32_t domain;
	uint64_t flags;
};
enum { KGD_VA_GENERAL = 0 };
enum { KGD_VA_MAP = 1, KGD_VA_UNMAP = 2 };
enum { KGD_PAGE_ALL = 0xe }; /* readable, writable, executable */

struct kgd_ib { /* amdgpu_cs_ib_info */
	uint64_t flags, addr;
	uint32_t n_words;
};
struct kgd_fence { /* amdgpu_cs_fence */
	struct amdgpu_context *ctx;
	uint32_t ip_type, ip_instance, ring;
	uint64_t seq;
};
struct kgd_request { /* amdgpu_cs_request */
	uint64_t flags;
	uint32_t ip_type, ip_instance, ring;
	struct amdgpu_bo_list *list;
	uint32_t n_dependencies;
	struct kgd_fence *dependencies;
	uint32_t n_ibs;
	struct kgd_ib *ibs;
	uint64_t seq; /* set by the submission */
	struct {
		struct amdgpu_bo *bo;
		uint64_t offset;
	} user_fence;
};
enum { KGD_PRIORITY_NORMAL = 0 };
enum { KGD_RESET = 1, KGD_RESET_VRAM_LOST = 2, KGD_RESET_GUILTY = 4 };

_Static_assert(sizeof(struct kgd_bo_request) == 32 && sizeof(struct kgd_ib) == 24 &&
		       sizeof(struct kgd_fence) == 32 && sizeof(struct kgd_request) == 88 &&
		       sizeof(struct kgd_engine) == 32 && sizeof(struct kgd_memory_info) == 96 &&
		       offsetof(struct kgd_info, ids_flags) == 136 && sizeof(struct kgd_info) == 176,
	       "as libdrm has them");

struct kgd_symbols {
#define KGD(ret, name, library, need, params) ret(*name) params;
#include "sym.def"
};

/* -- library.c: both libraries, opened on first use and kept ---------------------------------- */

qd_status kgd_library_get(const struct kgd_symbols **out, struct qd_error *err);
/* Count the library's devices in use. A child process inherits the devices of its parent, but must
 * not use them. */
void kgd_library_hold(void);
void kgd_library_release(void);

/* -- result.c ----------------------------------------------------------------------------- */

struct kgd_device;

/* Returns the name of a result: "ENOMEM" for -12; "an unknown error" if it has no row. */
const char *kgd_result_name(int r);
/* Returns the status for a result of this call, with the text "amdgpu_bo_alloc failed: ENOMEM
 * (-12)". dev may be NULL. Records a lost device. */
QD_COLD qd_status kgd_fail(struct kgd_device *dev, struct qd_error *err, int r, const char *call);
/* Does the same for calls whose error cannot be returned. Logs the text, unless the device was
 * lost before. */
QD_COLD void kgd_note(struct kgd_device *dev, int r, const char *call);
/* Reports that the device was reset although no call has failed. flags: of the context. */
QD_COLD qd_status kgd_fail_reset(struct kgd_device *dev, struct qd_error *err, uint64_t flags);

#define KGD_TRY(dev, err, name, ...)                                                               \
	do {                                                                                       \
		int kgd_try_ = (dev)->drm->name(__VA_ARGS__);                                      \
		if (QD_UNLIKELY(kgd_try_ != 0))                                                    \
			return kgd_fail(dev, err, kgd_try_, #name);                                \
	} while (0)
#define KGD_DROP(dev, name, ...)                                                                   \
	do {                                                                                       \
		int kgd_drop_ = (dev)->drm->name(__VA_ARGS__);                                     \
		if (QD_UNLIKELY(kgd_drop_ != 0))                                                   \
			kgd_note(dev, kgd_drop_, #name);                                           \
	} while (0)

/* -- physical.c: list of devices ------------------------------------------------------------ */

enum { KGD_MAX_PHYSICAL = 128, KGD_MAX_RING = 8 };

struct kgd_physical {
	struct qd_device_info info; /* why is empty if it is usable */
	int minor;		    /* number of its render node */
	const struct amd_gpu *gpu;
	uint32_t n_cu, n_engine; /* compute units, shader engines */
	uint32_t rings;		 /* compute rings: a bit each */
	uint32_t clock_khz;	 /* frequency of timestamps; 0: no clock */
	uint32_t page;
	uint32_t drm_minor; /* version of the kernel's interface */
	uint32_t modes;	    /* bits of enum isa_amd_need that the device meets */
	uint64_t vram, gtt; /* usable bytes */
	bool apu;	    /* its memory is that of the host */
};

/* Lists all devices of AMD in the order of their bus addresses. *n is above 0 on success. */
qd_status kgd_physical_list(const struct kgd_symbols *drm,
			    struct kgd_physical out[KGD_MAX_PHYSICAL], uint32_t *n,
			    struct qd_error *err);
/* Writes "; PATH is for group NAME: what to do", or "" if the file does not exist. */
void kgd_who_may_open(const char *path, char *out, size_t cap);
qd_status kgd_choose(const struct kgd_physical *all, uint32_t n, const char *which, uint32_t *out,
		     struct qd_error *err);

/* -- open.c: the device --------------------------------------------------------------------- */

/* Uses of memory. */
enum kgd_use {
	KGD_DEVICE,  /* buffers, scratch */
	KGD_STAGING, /* read and written by host and device */
	KGD_COMMAND, /* written by the host, read by the device: streams, arguments */
	KGD_CODE,
	KGD_N_USE
};

struct kgd_heap {
	struct heap base;
	uint32_t domain;
	uint64_t flags;
	bool seen; /* the host can access it */
};

struct kgd_list;
struct kgd_object;
struct kgd_copy_kernels;

struct kgd_device {
	struct qd_device base;
	const struct kgd_symbols *drm;
	struct kgd_physical physical;
	const struct amd_gpu *gpu; /* physical.gpu */
	int fd;
	struct amdgpu_device *handle;
	struct kgd_heap heaps[KGD_N_USE];
	uint32_t n_heap; /* initialized heaps */
	uint32_t engines[PM4_MAX_ENGINE]; /* masks of compute units */
	struct heap_piece *idle; /* an empty stream */
	struct kgd_copy_kernels *copy_kernels;

	pthread_mutex_t lists_lock;
	struct amdgpu_bo **bos; /* of all blocks */
	uint32_t n_bo, cap_bo;
	struct kgd_list *list; /* of bos; NULL: not created yet */
	struct kgd_list *oldest, **newest; /* all lists that are not freed, by age */

	pthread_mutex_t timestamps_lock;
	struct kgd_timestamp *timestamps; /* free list */

	pthread_mutex_t timelines_lock;
	struct kgd_timeline *timelines;
	uint32_t n_timelines; /* ever created */

	pthread_mutex_t lost_lock;
	char lost_by[640]; /* the call, its result, and the kernels in flight */
};

static inline struct kgd_device *
kgd_device_of(struct qd_device *dev)
{
	return (struct kgd_device *)dev;
}

/* -- memory.c ------------------------------------------------------------------------------- */

void kgd_memory_init(struct kgd_device *dev);
void kgd_memory_fini(struct kgd_device *dev);
qd_status kgd_piece(struct kgd_device *dev, enum kgd_use use, uint64_t size,
		    struct heap_piece **out, struct qd_error *err);
static inline uint64_t
kgd_piece_addr(const struct heap_piece *p)
{
	return p->block->addr + p->offset;
}
static inline void *
kgd_piece_host(const struct heap_piece *p)
{
	return p->block->host + p->offset;
}
qd_status kgd_memory_alloc(struct qd_device *dev, enum memory_kind kind, uint64_t size,
			   struct device_memory *out, struct qd_error *err);
void kgd_memory_free(struct qd_device *dev, struct device_memory *m);
bool kgd_trim(struct qd_device *dev);

/* List of all blocks of the device. A submission names every block, and holds the list until it is
 * complete. The current list serves until blocks are created or destroyed. Old lists are kept in
 * order of age, and a freed object is destroyed with the last list that may name it. */
struct kgd_list {
	struct kgd_list *next; /* next younger */
	struct amdgpu_bo_list *handle;
	struct kgd_object *freed;
	uint32_t refs; /* guarded by lists_lock */
};
qd_status kgd_list_get(struct kgd_device *dev, struct kgd_list **out, struct qd_error *err);
void kgd_list_put(struct kgd_device *dev, struct kgd_list *list);

/* -- function.c ------------------------------------------------------------------------------ */

/* Words of a dispatch, prepared except for values that differ between dispatches. */
enum { KGD_MAX_DISPATCH = 128 }; /* words */
struct kgd_template {
	uint32_t words[KGD_MAX_DISPATCH];
	uint16_t n;
	uint16_t kernarg; /* index of the arguments' address; 0: none */
	uint16_t blocks;  /* index of x, y, z */
};

struct kgd_function {
	struct qd_function base;
	struct heap_piece *code; /* descriptor, code, and the words fetched after it */
	struct pm4_kernel program;
	uint32_t block[3], dynamic_lds;
	bool fixed; /* the template applies to all dispatches */
	struct kgd_template dispatch;
};

qd_status kgd_accepts(const struct qd_device *dev, const struct qd_image *image,
		      struct qd_error *err);
qd_status kgd_load(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
		   struct qd_error *err);
void kgd_unload(struct qd_function *fn);
/* Returns a dispatch of one block without arguments. */
void kgd_function_dispatch(const struct kgd_device *dev, const struct kgd_function *fn,
			   struct pm4_dispatch *out);

/* -- copy_kernels.c: kernels that copy and fill ------------------------------------------------------ */

enum kgd_copy_kind {
	KGD_COPY_BYTES,
	KGD_COPY_WORDS,
	KGD_COPY_PAIRS,
	KGD_COPY_SHIFTED,
	KGD_FILL_WORDS,
	KGD_N_BUILTIN
};
struct kgd_copy_kernels {
	struct qd_image *images[KGD_N_BUILTIN];
	struct qd_function *functions[KGD_N_BUILTIN];
};
qd_status kgd_copy_kernels_init(struct kgd_device *dev, struct qd_error *err);
void kgd_copy_kernels_fini(struct kgd_device *dev);

/* A launch of such a kernel. */
struct kgd_move {
	enum kgd_copy_kind kind;
	uint64_t dst, src, size; /* size: in bytes, of whole elements */
	uint32_t word;		 /* fill value, or number of bits by which src is shifted */
};
enum { KGD_MOST_MOVES = 3, KGD_MOVE_MOST = 1 << 30, KGD_MOVE_ARGS = 64 };
/* Splits the first moves off a copy, and leaves the rest in *dst, *src and *size. Returns the
 * number of moves. src may be read up to the ends of the words in which it begins and ends. */
uint32_t kgd_copy_moves(uint64_t *dst, uint64_t *src, uint64_t *size,
			struct kgd_move out[KGD_MOST_MOVES]);
/* Writes the argument block of a move, at most KGD_MOVE_ARGS bytes, and returns its blocks. */
uint32_t kgd_move_args(const struct kgd_device *dev, const struct kgd_move *m, void *args);

/* -- batch.c: recording ------------------------------------------------------------------------- */

/* Memory of a part of a batch: words from the beginning, arguments from the end. */
struct kgd_chunk {
	struct kgd_chunk *next;
	struct heap_piece *piece;
	uint32_t size, n_words;
};

enum { KGD_MAX_FNS = 8, KGD_MAX_USES = 96, KGD_MAX_IBS = 100 };

struct kgd_batch {
	struct kgd_chunk *chunks, *last; /* last: the last one with words of this batch */
	uint32_t n_chunks;		 /* used by this batch */
	struct buf timestamps;		 /* struct kgd_timestamp *: written by it */
	struct buf scratch;		 /* struct heap_piece *: freed after it */
	const struct kgd_function *fns[KGD_MAX_FNS]; /* that it runs, as many as fit */
	uint32_t n_fns;
};

struct kgd_queue {
	struct queue base;
	struct kgd_batch batches[MAX_BATCH];
	struct kgd_batch *batch; /* being recorded */
	struct pm4 stream;	 /* in its last chunk */
	uint32_t args;		 /* offset in that chunk from which on it contains arguments */
	struct qd_error why;	 /* the error of `failed` */
	qd_status failed;
	/* Memory that dispatches have touched since the last wait. */
	struct pm4_use uses[KGD_MAX_USES];
	uint32_t n_uses;
	struct heap_piece *scratch;
	uint32_t scratch_wave; /* scratch bytes per wave of dispatches since then; 0: none */
};

qd_status kgd_queue_create(struct qd_device *dev, struct timeline *t, struct queue **out,
			   struct qd_error *err);
void kgd_queue_free(struct queue *q);
qd_status kgd_begin(struct queue *q, uint32_t at, struct qd_error *err);
void kgd_copy(struct queue *q, const struct device_memory *dst, uint64_t to,
	      const struct device_memory *src, uint64_t from, uint64_t size);
void kgd_fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
	      uint32_t word);
qd_status kgd_dispatch(struct queue *q, const struct dispatch *d, struct qd_error *err);
void kgd_put_timestamp(struct queue *q, const struct timestamp *s);
qd_status kgd_finish(struct queue *q, uint64_t value, struct qd_error *err);

/* -- queue.c: timelines and submission ------------------------------------------------------------ */

enum { KGD_NAMES = 160, KGD_IDLE = 8 /* words of the empty stream */ };

/* A context of the kernel, and its sequence numbers of the batches that may be in flight. */
struct kgd_timeline {
	struct timeline base;
	struct kgd_timeline *next, **link; /* in the device's list */
	struct amdgpu_context *ctx;
	uint32_t ring;
	struct heap_piece *hint; /* the device writes a batch's value here when it completes */
	pthread_mutex_t lock;
	uint64_t last;		 /* last submitted value */
	uint64_t seq[MAX_BATCH]; /* sequence number of value v at v % MAX_BATCH */
	struct kgd_list *lists[MAX_BATCH]; /* that it names; NULL: released */
	char names[MAX_BATCH][KGD_NAMES]; /* of its kernels */
};

qd_status kgd_timeline_create(struct qd_device *dev, struct timeline **out, struct qd_error *err);
void kgd_timeline_free(struct timeline *t);
qd_status kgd_poll(struct timeline *t, struct qd_error *err);
qd_status kgd_wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err);
void kgd_drain(struct qd_device *dev);
qd_status kgd_submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
		     uint64_t value, struct qd_error *err);
/* Releases the lists of batches that have passed. */
void kgd_release_passed(struct kgd_device *dev);
/* Writes "'a', 'b'": the kernels of batches that are not known to have passed; "": none. */
void kgd_names_in_flight(struct kgd_device *dev, char *out, size_t cap);

/* -- timestamp.c ---------------------------------------------------------------------------------- */

/* Word for a time. The caller that took it holds a reference, and so does each recorded batch that
 * will write it. */
struct kgd_timestamp {
	struct kgd_timestamp *next;
	struct heap_piece *piece;
	_Atomic uint32_t refs;
};

qd_status kgd_timestamp_take(struct qd_device *dev, struct timestamp *out, struct qd_error *err);
void kgd_timestamp_give(struct qd_device *dev, const struct timestamp *s);
qd_status kgd_timestamp_ns(struct qd_device *dev, const struct timestamp *from,
			   const struct timestamp *to, uint64_t *ns, struct qd_error *err);
void kgd_timestamp_unref(struct kgd_device *dev, struct kgd_timestamp *s);
void kgd_timestamps_fini(struct kgd_device *dev);

#endif
