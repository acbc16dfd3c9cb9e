/* Imported files of .qdk texts, for the programs. */
#ifndef QD_TOOLS_IMPORT_H
#define QD_TOOLS_IMPORT_H

#include <sys/types.h>

#include "qd.h"

/* A file that was read. */
struct tool_import {
	char *path, *text;
	size_t size;
	const char *shown; /* the name in messages */
	dev_t device;
	ino_t number;
	bool is_main; /* an operand of the command line */
};

/* Directories of -I, and the files that were read. Zero-initialized. */
struct tool_imports {
	const char *folders[64];
	uint32_t n_folders, n_files;
	struct tool_import *files;
};

#define TOOL_IMPORT_HELP "search imported files here, after the directory of the importing file; may be repeated"
void tool_add_folder(struct tool_imports *im, const char *folder);
/* Parses a .qdk text from a file, with its imports. Exits on an error. file: its path. */
struct qd_module *tool_parse(struct tool_imports *im, struct qd_context *ctx, const char *file, const char *text,
			     size_t size);
/* Frees the texts of files. */
void tool_free_imports(struct tool_imports *im);

#endif
