/* What the files of qd-aot share: the command line, the matrix of kernels and targets, and
 * what is made of it. */
#ifndef QD_TOOLS_AOT_H
#define QD_TOOLS_AOT_H

#include "fatbin.h"
#include "image_file.h"
#include "tool.h"

/* -- The command line --------------------------------------------------------------------- */

enum aot_emit { AOT_OBJ, AOT_IMAGE /* by the name of the output */, AOT_FILES, AOT_CUDA_FATBIN, AOT_BUNDLE };

struct aot_list { /* of texts */
	const char **v;
	uint32_t n;
};
void aot_add(struct aot_list *l, const char *text);
/* At commas; option: in the message where it names nothing. */
void aot_add_split(struct aot_list *l, const char *text, const char *option);

struct aot_set { /* -D NAME=V,V */
	const char *name;
	struct aot_list values;
	bool used;
};

struct aot_request {
	struct aot_list files, targets;
	struct aot_set *sets;
	uint32_t n_sets;
	const char *kernel, *output, *header, *stem, *device, *depfile, *folder, *dir;
	uint16_t machine;
	enum aot_emit emit;
	enum code_kind kind; /* of AOT_IMAGE */
	enum fatbin_codec codec;
	int level;
	uint32_t n_jobs, max_variants;
	bool no_header, check, dry_run, json, verbose, quiet, force, verify, emit_asked;
};

/* -- Targets: aot_target.c --------------------------------------------------------------------- */

struct aot_target {
	char name[MACHINE_NAME]; /* canonical; "qdir" */
	bool is_ir, is_cubin;
	bool named;  /* on the command line, and not by `all` or `native` */
	bool sized;  /* its text names the subgroup size */
};
/* Each once, in the order of their names; exits where one is none. */
struct aot_target *aot_targets(struct qd_context *ctx, const struct aot_request *r, uint32_t *n);

/* -- The matrix: aot_matrix.c -------------------------------------------------------------------- */

/* A kernel with all its template values. */
struct aot_variant {
	const struct qd_module *module; /* NULL: it was printed IR */
	const char *file, *name;
	struct qd_tmpl tmpl[MAX_TMPL];
	uint32_t n_tmpl;
	bool named;  /* one of the values is from the command line */
	char *text;  /* "T=f32;L=5" */
	struct qd_kernel *kernel; /* NULL: why says it */
	char *why;
	uint32_t line; /* that it is about; 0: none */
};

/* For a target. */
struct aot_cell {
	const struct aot_variant *variant;
	const struct aot_target *target;
	struct qd_image *image;
	struct buf ir, cubin; /* its code, where that is not the image's */
	char *why;	      /* it is left out */
	uint32_t line;
	qd_status st;
};

struct aot_matrix {
	struct qd_context *ctx;
	const struct aot_request *r;
	struct qd_module **modules;
	struct aot_variant *variants;
	struct aot_cell *cells;
	struct aot_target *targets;
	uint32_t n_modules, n_variants, n_cells, n_targets;
	uint32_t n_left_out;
	struct tool_names others; /* -k: kernels that do not match */
};
/* Reads the files; exits where one is wrong. */
void aot_matrix_make(struct aot_matrix *m, struct qd_context *ctx, const struct aot_request *r);
void aot_matrix_free(struct aot_matrix *m);
/* Kernels of all variants, then images of all cells, by as many threads as asked for. */
void aot_matrix_compile(struct aot_matrix *m);
/* Kernels alone, for any target. */
void aot_matrix_check(struct aot_matrix *m);
/* A line for each cell, and how many there are. */
void aot_matrix_list(const struct aot_matrix *m);
/* work(user, i) for each i below n. */
void aot_parallel(uint32_t n_jobs, uint32_t n, void (*work)(void *user, uint32_t i), void *user,
		  const char *what, bool quiet);

/* -- Machine code of NVIDIA's: aot_cubin.c ----------------------------------------------------------- */

/* What ptxas, on the PATH, makes of the image's text. */
qd_status aot_assemble(const struct qd_image *img, struct buf *out, struct qd_error *err);
/* Exits where there is no ptxas. */
void aot_need_ptxas(void);
/* A new file in TMPDIR, else in /tmp, with these bytes; false: errno says why. */
enum { AOT_PATH = 512 };
bool aot_temporary(char path[AOT_PATH], const void *data, size_t size);
/* Runs a program with its standard output and error in *said, at most so many bytes; its
 * exit status, or -1 where it cannot be started. */
int aot_run(const char *const *argv, char *said, size_t cap);

/* -- Output: aot_write.c, aot_header.c ------------------------------------------------------------ */

/* Exits where one output would be written over another, or over what it is made of. */
void aot_check_paths(const struct aot_request *r);
/* "x.ptx" asks for that image alone, where --emit says nothing else. */
void aot_name_kind(struct aot_request *r);
/* What the matrix became; exit code. */
int aot_write(struct aot_matrix *m);
/* The header, where one is asked for. */
void aot_put_header(struct qd_context *ctx, const struct aot_request *r,
		    const struct fatbin_item *items, uint32_t n, const char *stem);
/* --emit=cuda-fatbin, offload-bundle: aot_foreign.c. */
void aot_write_foreign(struct qd_context *ctx, const struct aot_request *r,
		       const struct fatbin_item *items, uint32_t n);
/* "folder/sum-T=f32-L=5-gfx1100.hsaco", without a NUL. */
/* All of these kernels, for one of AMD's targets, in a code object; initialises out. */
void aot_put_object(struct buf *out, struct qd_context *ctx, const struct fatbin_item *items, uint32_t n);
void aot_image_path(struct buf *out, const char *folder, const char *kernel, const char *variant,
		    const char *target, enum code_kind kind);
void aot_write_header(struct buf *out, const struct fatbin_item *items, uint32_t n, const char *stem);
/* "reduce-sum.o" to "reduce_sum". */
void aot_stem(const char *path, char out[64]);
void aot_check_stem(const char *stem); /* of the command line; exits where it is none */
void aot_write_depfile(const struct aot_request *r);
void aot_write_fatbin(struct qd_context *ctx, const struct aot_request *r,
		      const struct fatbin_item *items, uint32_t n, const char *stem, struct fatbin_sum *sum);

/* -- Commands on fatbins: aot_show.c, aot_change.c, aot_why.c ---------------------------------------- */

int aot_list_entries(struct qd_context *ctx, const struct aot_request *r);
int aot_info(struct qd_context *ctx, const struct aot_request *r);
int aot_extract(struct qd_context *ctx, const struct aot_request *r);
int aot_merge(struct qd_context *ctx, const struct aot_request *r);
int aot_strip(struct qd_context *ctx, const struct aot_request *r);
int aot_why(struct qd_context *ctx, const struct aot_request *r);
int aot_verify(struct qd_context *ctx, const struct aot_request *r);
/* What the library itself says of the code: aot_check.c. */
qd_status aot_check_code(struct qd_context *ctx, const struct image_parts *p, struct qd_error *e);
int aot_cache(struct qd_context *ctx, const struct aot_request *r); /* aot_cache.c */

/* -- What they share: aot_entry.c --------------------------------------------------------------------- */

struct qd_fatbin *aot_open(struct qd_context *ctx, const char *path);
/* Does the command line ask for this entry?  By -k, -t, -D. */
bool aot_wanted(const struct aot_request *r, const struct fatbin_place *at);
/* Those that it asks for, by kernel, values and target, whatever their order in the file. */
uint32_t *aot_rows(const struct aot_request *r, const struct qd_fatbin *f, uint32_t *n);
const char *aot_extension(enum code_kind kind);
void aot_json_target(const struct fatbin_place *at); /* as -t takes it */

#endif
