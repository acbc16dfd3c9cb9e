/* Interface shared by the files of qd-aot: the command line, the matrix of kernels and targets, and
 * the outputs. */
#ifndef QD_TOOLS_AOT_H
#define QD_TOOLS_AOT_H

#include "fatbin.h"
#include "image_file.h"
#include "import.h"
#include "tool.h"

/* -- The command line --------------------------------------------------------------------- */

enum aot_emit { AOT_OBJ, AOT_IMAGE /* chosen by the output's name */, AOT_FILES, AOT_CUDA_FATBIN, AOT_BUNDLE };

struct aot_list { /* of strings */
	const char **v;
	uint32_t n;
};
void aot_add(struct aot_list *l, const char *text);
/* Splits text at commas. option: named in the message if the text is empty. */
void aot_add_split(struct aot_list *l, const char *text, const char *option);

struct aot_set { /* -D NAME=V,V */
	const char *name;
	struct aot_list values;
	bool used;
};

struct aot_request {
	struct aot_list files, targets;
	struct tool_imports imports;
	struct aot_set *sets;
	uint32_t n_sets;
	const char *kernel, *output, *header, *stem, *device, *depfile, *folder, *dir;
	uint16_t machine;
	enum aot_emit emit;
	enum code_kind kind; /* of AOT_IMAGE */
	enum fatbin_codec codec;
	int level;
	qd_opt opt;
	qd_facts facts;
	uint32_t n_jobs, max_variants;
	bool exact; /* entries with launch facts are selected only if -t names them */
	bool no_header, check, dry_run, json, verbose, quiet, force, verify, emit_asked;
};

/* -- Targets: aot_target.c --------------------------------------------------------------------- */

struct aot_target {
	char name[MACHINE_NAME]; /* canonical; "qdir" for the IR */
	bool is_ir, is_cubin;
	bool extra;  /* with launch facts, beside the same target without: only if the code differs */
	bool named;  /* on the command line, other than by `all` or `native` */
	bool sized;  /* its text includes the subgroup size */
};
/* Returns each target once, sorted by name. Exits if a name is unknown. */
struct aot_target *aot_targets(struct qd_context *ctx, const struct aot_request *r, uint32_t *n);

/* -- The matrix: aot_matrix.c -------------------------------------------------------------------- */

/* A kernel with all its template values. */
struct aot_variant {
	const struct qd_module *module; /* NULL: from printed IR */
	const char *file, *name;
	struct qd_tmpl tmpl[MAX_TMPL];
	uint32_t n_tmpl;
	bool named;  /* a value is from the command line */
	char *text;  /* "T=f32;L=5" */
	struct qd_kernel *kernel; /* NULL: the error is in why */
	char *why;
	uint32_t line; /* of the error; 0: none */
};

/* A variant for a target. */
struct aot_cell {
	const struct aot_variant *variant;
	const struct aot_target *target;
	struct qd_image *image;
	bool equal;	      /* to the code without launch facts, or neither compiles: nothing is written */
	struct buf ir, cubin; /* code, if it is not in the image */
	char *why;	      /* reason for leaving it out */
	uint32_t line;
	qd_status st;
};

struct aot_matrix {
	struct qd_context *ctx;
	const struct aot_request *r;
	struct tool_imports *imports; /* of r */
	struct qd_module **modules;
	struct aot_variant *variants;
	struct aot_cell *cells;
	struct aot_target *targets;
	uint32_t n_modules, n_variants, n_cells, n_targets;
	uint32_t n_left_out;
	struct tool_names others; /* -k: names of kernels that do not match */
};
/* Reads the files; exits on an error. */
void aot_matrix_make(struct aot_matrix *m, struct qd_context *ctx, struct aot_request *r);
void aot_matrix_free(struct aot_matrix *m);
/* Creates the kernels of all variants, then the images of all cells, in r->n_jobs threads. */
void aot_matrix_compile(struct aot_matrix *m);
/* Creates the kernels only, for any target. */
void aot_matrix_check(struct aot_matrix *m);
/* Prints a line for each cell, and their number. */
void aot_matrix_list(const struct aot_matrix *m);
/* Calls work(user, i) for each i below n. */
void aot_parallel(uint32_t n_jobs, uint32_t n, void (*work)(void *user, uint32_t i), void *user,
		  const char *what, bool quiet);

/* -- Machine code for NVIDIA: aot_cubin.c ------------------------------------------------------------ */

/* Assembles the image's text with ptxas from the PATH. */
qd_status aot_assemble(const struct qd_image *img, struct buf *out, struct qd_error *err);
/* Exits if ptxas is missing. */
void aot_need_ptxas(void);
/* Creates a file with these bytes in TMPDIR, else in /tmp; false: errno is set. */
enum { AOT_PATH = 512 };
bool aot_temporary(char path[AOT_PATH], const void *data, size_t size);
/* Runs a program and stores up to cap bytes of its standard output and error in `said`. Returns
 * its exit status, or -1 if it cannot be started. */
int aot_run(const char *const *argv, char *said, size_t cap);

/* -- Output: aot_write.c, aot_header.c ------------------------------------------------------------ */

/* Exits if an output would overwrite another output or an input. */
void aot_check_paths(const struct aot_request *r);
/* Requests a single image if the output is named like "x.ptx" and --emit is not given. */
void aot_name_kind(struct aot_request *r);
/* Writes the outputs of the matrix. Returns the exit code. */
int aot_write(struct aot_matrix *m);
/* Writes the header if requested. */
void aot_put_header(struct qd_context *ctx, const struct aot_request *r,
		    const struct fatbin_item *items, uint32_t n, const char *stem);
/* Writes --emit=cuda-fatbin or offload-bundle (aot_foreign.c). */
void aot_write_foreign(struct qd_context *ctx, const struct aot_request *r,
		       const struct fatbin_item *items, uint32_t n);
/* Puts the kernels, all for one AMD target, in a code object and initializes out. aot_image_path
 * appends "folder/sum-T=f32-L=5-gfx1100.hsaco", without a NUL. */
void aot_put_object(struct buf *out, struct qd_context *ctx, const struct fatbin_item *items, uint32_t n);
void aot_image_path(struct buf *out, const char *folder, const char *kernel, const char *variant,
		    const char *target, enum code_kind kind);
void aot_write_header(struct buf *out, const struct fatbin_item *items, uint32_t n, const char *stem);
/* Converts "reduce-sum.o" to "reduce_sum". */
void aot_stem(const char *path, char out[64]);
void aot_check_stem(const char *stem); /* from the command line; exits if it is invalid */
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
/* Checks code with the library's own readers (aot_check.c). */
qd_status aot_check_code(struct qd_context *ctx, const struct image_parts *p, struct qd_error *e);
int aot_cache(struct qd_context *ctx, const struct aot_request *r); /* aot_cache.c */

/* -- Helpers of these commands: aot_entry.c ----------------------------------------------------------- */

struct qd_fatbin *aot_open(struct qd_context *ctx, const char *path);
/* Returns whether -k, -t and -D select this entry. */
bool aot_wanted(const struct aot_request *r, const struct fatbin_place *at);
/* Returns the selected entries, sorted by kernel, values and target. */
uint32_t *aot_rows(const struct aot_request *r, const struct qd_fatbin *f, uint32_t *n);
const char *aot_extension(enum code_kind kind);
void aot_json_target(const struct fatbin_place *at); /* in the form that -t takes */

#endif
