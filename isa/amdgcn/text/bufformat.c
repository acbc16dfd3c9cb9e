/* Formats of typed buffer instructions, to text and back; a number without a name
 * stands for itself. */
#include "modifier.h"

enum { NONE = 255 };

static const char *const data_name[16] = {
#define UFMT(...)
#define NFMT(...)
#define DFMT(name, v) [v] = #name,
#include "bufformat.def"
};
static const char *const num_name[8] = {
#define UFMT(...)
#define DFMT(...)
#define NFMT(name, v) [v] = #name,
#include "bufformat.def"
};
static const struct {
	const char *name;
	uint8_t gfx10, gfx11;
} unified[] = {
#define DFMT(...)
#define NFMT(...)
#define UFMT(name, v10, v11) { #name, v10, v11 },
#include "bufformat.def"
};
enum { N_UNIFIED = sizeof unified / sizeof *unified };

static void
print_pair(unsigned data, unsigned num, struct gcn_text *x)
{
	gcn_add(x, "[");
	if (data != GCN_BUF_FORMAT)
		gcn_add(x, "BUF_DATA_FORMAT_%s%s", data_name[data], num ? "," : "");
	if (num)
		gcn_add(x, "BUF_NUM_FORMAT_%s", num_name[num]);
	gcn_add(x, "]");
}

void
gcn_buf_format_print(const struct gcn_target *t, uint32_t v, struct gcn_text *x)
{
	if (t->gen < GCN_G10) {
		print_pair(v & 15, v >> 4 & 7, x);
		return;
	}
	for (unsigned i = 0; i < N_UNIFIED; i++) {
		if (v == (t->gen == GCN_G10 ? unified[i].gfx10 : unified[i].gfx11)) {
			gcn_add(x, "[BUF_FMT_%s]", unified[i].name);
			return;
		}
	}
	gcn_add(x, "%u", v);
}

static bool
find(const char *const *names, unsigned n, struct token k, uint32_t *v)
{
	for (*v = 0; *v < n && !token_is(k, names[*v]); ++*v)
		;
	return *v < n;
}

/* Up to the next comma, which is taken as well with blanks behind it. */
static struct token
next_part(struct token *k)
{
	struct token one = token_until(k, ",");

	if (k->len > 1)
		token_skip(k, ",");
	token_skip_all(k, " ");
	return one;
}

/* One of each or one alone, in either order. */
static bool
parse_pair(struct token k, uint32_t *data, uint32_t *num)
{
	bool has_data = false, has_num = false;

	*data = GCN_BUF_FORMAT;
	*num = 0;
	for (unsigned i = 0; i < 2 && k.len; i++) {
		struct token one = next_part(&k);
		bool *has = token_skip(&one, "BUF_DATA_FORMAT_") ? &has_data : &has_num;
		if (*has || (has == &has_num && !token_skip(&one, "BUF_NUM_FORMAT_")) ||
		    !(has == &has_data ? find(data_name, 16, one, data) : find(num_name, 8, one, num)))
			return false;
		*has = true;
	}
	return !k.len && (has_data || has_num);
}

/* A pair where formats have one number; false when it has none. */
static bool
unify(const struct gcn_target *t, uint32_t data, uint32_t num, uint32_t *v)
{
	for (unsigned i = 0; i < N_UNIFIED; i++) {
		struct token k = { unified[i].name, strlen(unified[i].name) };
		*v = t->gen == GCN_G10 ? unified[i].gfx10 : unified[i].gfx11;
		if (*v == NONE || !token_skip(&k, data_name[data]))
			continue;
		if (k.len ? token_skip(&k, "_") && token_is(k, num_name[num]) : !data)
			return true;
	}
	return false;
}

bool
gcn_buf_format_parse(const struct gcn_target *t, struct token k, uint32_t *v)
{
	uint32_t data, num;

	if (!token_skip(&k, "["))
		return token_number(k, v) && *v < 128;
	if (!k.len || k.at[--k.len] != ']')
		return false;
	if (!token_skip(&k, "BUF_FMT_")) {
		if (!parse_pair(k, &data, &num))
			return false;
		*v = data | num << 4;
		return t->gen < GCN_G10 || unify(t, data, num, v);
	}
	if (t->gen < GCN_G10)
		return false;
	for (unsigned i = 0; i < N_UNIFIED; i++) {
		*v = t->gen == GCN_G10 ? unified[i].gfx10 : unified[i].gfx11;
		if (token_is(k, unified[i].name))
			return *v != NONE;
	}
	return false;
}
