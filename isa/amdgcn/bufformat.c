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
	if (t->gen < G10) {
		print_pair(v & 15, v >> 4 & 7, x);
		return;
	}
	for (unsigned i = 0; i < N_UNIFIED; i++) {
		if (v == (t->gen == G10 ? unified[i].gfx10 : unified[i].gfx11)) {
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

static bool
parse_pair(struct token k, uint32_t *v)
{
	uint32_t data = GCN_BUF_FORMAT, num = 0;
	struct token one = k;

	one.len = 0;
	while (one.len < k.len && k.at[one.len] != ',')
		one.len++;
	if (token_skip(&one, "BUF_DATA_FORMAT_")) {
		if (!find(data_name, 16, one, &data))
			return false;
		one.at += one.len;
		one.len = (size_t)(k.at + k.len - one.at);
		if (one.len && !token_skip(&one, ","))
			return false;
	} else {
		one = k;
	}
	if (one.len && !(token_skip(&one, "BUF_NUM_FORMAT_") && find(num_name, 8, one, &num)))
		return false;
	*v = data | num << 4;
	return true;
}

bool
gcn_buf_format_parse(const struct gcn_target *t, struct token k, uint32_t *v)
{
	if (!token_skip(&k, "["))
		return token_number(k, v) && *v < 128;
	if (!k.len || k.at[--k.len] != ']')
		return false;
	if (t->gen < G10)
		return parse_pair(k, v);
	if (!token_skip(&k, "BUF_FMT_"))
		return false;
	for (unsigned i = 0; i < N_UNIFIED; i++) {
		*v = t->gen == G10 ? unified[i].gfx10 : unified[i].gfx11;
		if (token_is(k, unified[i].name))
			return *v != NONE;
	}
	return false;
}
