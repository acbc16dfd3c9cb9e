/* Prints and parses formats of typed buffer instructions; a format without a name is a number. */
#include "modifier.h"

enum { N_DATA = 16, N_NUM = 8 };

static const char *const data_name[N_DATA] = {
#define NFMT(...)
#define DFMT(name, v, ...) [v] = #name,
#include "bufformat.def"
};
static const char *const num_name[N_NUM] = {
#define DFMT(...)
#define NFMT(name, v) [v] = #name,
#include "bufformat.def"
};
/* Masks of number formats, on gfx10 and on later generations. */
static const uint8_t nums_of[N_DATA][2] = {
#define NFMT(...)
#define DFMT(name, v, nums10, nums11) [v] = { nums10, nums11 },
#include "bufformat.def"
};

/* Returns whether the target has pair i: data format i / N_NUM, number format i % N_NUM. */
static bool
has_pair(const struct gcn_target *t, unsigned i)
{
	return nums_of[i / N_NUM][t->gen > GCN_G10] >> i % N_NUM & 1;
}

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
	for (unsigned i = 0, left = v; i < N_DATA * N_NUM; i++) {
		if (has_pair(t, i) && --left == 0) {
			gcn_add(x, "[BUF_FMT_%s_%s]", data_name[i / N_NUM], num_name[i % N_NUM]);
			return;
		}
	}
	gcn_add(x, v ? "%u" : "[BUF_FMT_INVALID]", v);
}

static bool
find(const char *const *names, unsigned n, struct token k, uint32_t *v)
{
	for (*v = 0; *v < n && !token_is(k, names[*v]); ++*v)
		;
	return *v < n;
}

/* Takes the text up to the next comma, then skips the comma and blanks. */
static struct token
next_part(struct token *k)
{
	struct token one = token_until(k, ",");

	if (k->len > 1)
		token_skip(k, ",");
	token_skip_all(k, " ");
	return one;
}

/* Parses a data format, a number format, or both in either order. */
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
		    !(has == &has_data ? find(data_name, N_DATA, one, data) : find(num_name, N_NUM, one, num)))
			return false;
		*has = true;
	}
	return !k.len && (has_data || has_num);
}

/* Converts a pair to the single number of gfx10 and later; returns false if there is none. */
static bool
unify(const struct gcn_target *t, uint32_t data, uint32_t num, uint32_t *v)
{
	*v = 0;
	for (unsigned i = 0; i <= data * N_NUM + num; i++)
		*v += has_pair(t, i);
	return !data || has_pair(t, data * N_NUM + num);
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
	*v = 0;
	for (data = 1; data < N_DATA; data++) {
		struct token rest = k;
		if (token_skip(&rest, data_name[data]) && token_skip(&rest, "_") &&
		    find(num_name, N_NUM, rest, &num))
			return unify(t, data, num, v);
	}
	return token_is(k, data_name[0]);
}
