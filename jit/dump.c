/* Writes files of a compile to QD_DUMP_DIR. The name contains a hash of the contents, so several
 * processes write the same code only once, and names do not change between runs. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "dump.h"

static const char *const kind_name[] = { "ir", "isa", "bin" };

static bool
parse_kinds(const char *text, uint32_t *kinds)
{
	*kinds = 0;
	for (;;) {
		size_t len = strcspn(text, ","), i = 0;
		while (i < QD_COUNT(kind_name) &&
		       (strlen(kind_name[i]) != len || memcmp(kind_name[i], text, len) != 0))
			i++;
		if (i == QD_COUNT(kind_name))
			return false;
		*kinds |= 1u << i;
		if (!text[len])
			return true;
		text += len + 1;
	}
}

static QD_COLD void QD_PRINTF(2, 3)
ignore(struct dump *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(d->why, sizeof d->why, fmt, ap);
	va_end(ap);
	atomic_store(&d->wrong, true);
}

/* Loads libqdgpu-dis. Without it only code that is text already is written as text. */
static void
load_text(struct dump *d)
{
	static const char name[] = "libqdgpu-dis.so.0";
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	void *text = lib ? dlsym(lib, "qd_dis_text") : NULL;

	if (text)
		memcpy(&d->text, &text, sizeof d->text);
	else
		ignore(d, "QD_DUMP=isa writes no text of AMD and SPIR-V code: %s cannot be loaded; qd-dis shows the "
			  "files of QD_DUMP=bin", name);
}

void
dump_init(struct dump *d)
{
	const char *text = secure_getenv("QD_DUMP"), *dir = secure_getenv("QD_DUMP_DIR");
	uint32_t kinds;
	if (!text || !*text)
		return;
	if (!parse_kinds(text, &kinds)) {
		ignore(d,
		       "QD_DUMP='%.80s' is ignored: it takes a comma-separated list of ir, isa, "
		       "bin",
		       text);
		return;
	}
	if (!dir || !*dir || strlen(dir) >= sizeof d->dir) {
		ignore(d, "QD_DUMP is ignored: QD_DUMP_DIR does not name a directory");
		return;
	}
	if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
		ignore(d, "QD_DUMP is ignored: cannot create '%.80s': %s", dir, strerror(errno));
		return;
	}
	memcpy(d->dir, dir, strlen(dir) + 1);
	d->kinds = kinds;
	if (kinds & DUMP_ISA)
		load_text(d);
}

/* Replaces all characters except letters, digits, '_', '+' and '=' with dashes. */
static void
clean(char *s)
{
	for (; *s; s++) {
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9') || *s == '_' || *s == '+' || *s == '='))
			*s = '-';
	}
}

/* Builds the path: DIR/kernel_L=5_target_hash.ext. */
static void
make_path(const struct dump *d, const struct jit_key *key, const struct buf *bytes, const char *ext,
	  struct buf *path)
{
	char name[128], variant[256] = "", target[64];
	size_t n = 0;
	snprintf(name, sizeof name, "%.120s", key->k->name);
	snprintf(target, sizeof target, "%.63s", key->target->m.name);
	for (uint32_t i = 0; i < key->k->n_tmpls && n < sizeof variant; i++)
		n += (size_t)snprintf(variant + n, sizeof variant - n, "_%s=%d",
				      key->k->tmpls[i].name, (int)key->tmpl[i]);
	clean(name);
	clean(variant);
	clean(target);
	struct hash128 h = hash_bytes(buf_data(bytes), bytes->len);
	buf_printf(path, "%s/%s%s_%s_%016llx.%s", d->dir, name, variant, target,
		   (unsigned long long)h.lo, ext);
	buf_put(path, "", 1);
}

static void
write_file(const struct dump *d, struct qd_context *ctx, const struct jit_key *key,
	   const struct buf *bytes, const char *ext)
{
	struct buf path;
	buf_init(&path, &ctx->pool);
	make_path(d, key, bytes, ext, &path);
	const char *file = path.nomem ? NULL : buf_data(&path);
	if (file && !bytes->nomem) {
		int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		bool good = fd >= 0 && bytes_write(fd, buf_data(bytes), bytes->len) == 0;
		if (!good && errno != EEXIST)
			ctx_log(ctx, QD_LOG_WARNING, "dump", "cannot write '%s': %s", file,
				strerror(errno));
		if (fd >= 0)
			close(fd);
		if (fd >= 0 && !good)
			unlink(file);
	}
	buf_fini(&path);
}

/* Writes the text of the code, if it is available. */
static void
write_text(const struct dump *d, struct qd_context *ctx, const struct jit_key *key, const struct buf *code)
{
	char *text = NULL;
	size_t len;
	struct buf copy;

	if (key->target->isa->is_text) {
		write_file(d, ctx, key, code, "s");
	} else if (d->text && d->text(key->target->m.name, 0, buf_data(code), code->len, &text, &len, NULL) == QD_OK) {
		buf_init(&copy, &ctx->pool);
		buf_put(&copy, text, len);
		write_file(d, ctx, key, &copy, "s");
		buf_fini(&copy);
		free(text);
	}
}

void
dump_write(const struct dump *d, struct qd_context *ctx, const struct jit_key *key,
	   const struct ir *ir, const struct buf *code)
{
	const struct isa *isa = key->target->isa;

	if (d->kinds & DUMP_IR) {
		struct buf text;
		buf_init(&text, &ctx->pool);
		ir_print(&text, key->k, ir);
		write_file(d, ctx, key, &text, "ir");
		buf_fini(&text);
	}
	if (!isa->runs_ir && (d->kinds & DUMP_ISA))
		write_text(d, ctx, key, code);
	if (!isa->runs_ir && (d->kinds & DUMP_BIN))
		write_file(d, ctx, key, code, isa->extension);
}
