/* Arguments of other compilers' kernels: converts .args of the metadata to parameters and slots,
 * with the tables value_kind.def and value_type.def. */
#include "object.h"
#include "show.h"

#include <stdio.h>

enum what { VALUE, BUFFER, SHARED, ZERO, BLOCKS, ONE, GROUP, DIMS, DYNAMIC, CANNOT };

static const struct kind {
	const char *name;
	uint8_t size, what, axis;
	const char *wants;
} kinds[] = {
#define VALUE_KIND(name, size, what, axis, wants) { #name, size, what, axis, wants },
#include "value_kind.def"
};

static const struct {
	const char *name;
	qd_type type;
} types[] = {
#define VALUE_TYPE(name, type) { #name, QD_TYPE_##type },
#include "value_type.def"
};

enum { MAX_NAME = 255, MAX_SHARED_ALIGN = 1 << 12 };

struct argument {
	size_t at; /* offset of its map */
	uint32_t number;
	const struct kind *kind;
	struct msgpack_value name, type_name, value_type, space, access;
	uint64_t offset, size, align; /* align: of a pointer's target; 0: unknown */
	bool has_offset, has_size, is_const;
};

struct making {
	struct object_kernel *k;
	struct layout_param params[MAX_PARAM];
	struct layout_slot slots[LAYOUT_MAX_SLOTS];	/* of parameters */
	struct layout_slot hidden[LAYOUT_MAX_SLOTS];
	const char *names[1 + MAX_PARAM];
	uint32_t n_params, n_hidden, n_shared;
	bool lists; /* for object_list: unsupported arguments are not errors */
	uint32_t dynamic[LAYOUT_MAX_SLOTS], n_dynamic; /* hidden slots with the size of dynamic LDS */
};

/* -- Reading --------------------------------------------------------------------------- */

static qd_status
not_that(const struct making *m, const struct argument *a, size_t at, const char *key,
	 const char *what, struct qd_error *err)
{
	return object_fail_at(m->k, at, err, "argument %u: %s is not %s", a->number, key, what);
}

static qd_status
read_kind(const struct making *m, struct argument *a, size_t at, const struct msgpack_value *v,
	  struct qd_error *err)
{
	for (size_t i = 0; i < QD_COUNT(kinds); i++) {
		if (msgpack_is(v, kinds[i].name)) {
			a->kind = &kinds[i];
			return QD_OK;
		}
	}
	if (v->kind != MSGPACK_STRING)
		return not_that(m, a, at, ".value_kind", "a string", err);
	return object_fail_at(m->k, at, err, "argument %u: .value_kind '%.*s' is not known",
			      a->number, 40, show_name((const char *)v->data, v->size).s);
}

static qd_status
read_key(const struct making *m, struct argument *a, const struct msgpack_value *key, size_t at,
	 struct qd_error *err)
{
	const struct msgpack *meta = &m->k->k->metadata;
	struct msgpack_value v;
	const struct {
		const char *key;
		uint64_t *number;
		struct msgpack_value *text;
		bool *flag;
	} rows[] = {
		{ ".offset", &a->offset, NULL, &a->has_offset },
		{ ".size", &a->size, NULL, &a->has_size },
		{ ".pointee_align", &a->align, NULL, NULL },
		{ ".name", NULL, &a->name, NULL },
		{ ".type_name", NULL, &a->type_name, NULL },
		{ ".value_type", NULL, &a->value_type, NULL },
		{ ".address_space", NULL, &a->space, NULL },
		{ ".actual_access", NULL, &a->access, NULL },
		{ ".is_const", NULL, NULL, &a->is_const },
	};

	msgpack_get(meta, at, &v);
	if (msgpack_is(key, ".value_kind"))
		return read_kind(m, a, at, &v, err);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (!msgpack_is(key, rows[i].key))
			continue;
		enum msgpack_kind want = rows[i].number ? MSGPACK_UINT :
					 rows[i].text	? MSGPACK_STRING :
							  MSGPACK_BOOL;
		if (v.kind != want)
			return not_that(m, a, at, rows[i].key,
					rows[i].number ? "a number" :
					rows[i].text ? "a string" :
							 "true or false",
					err);
		if (rows[i].number)
			*rows[i].number = v.u;
		if (rows[i].text)
			*rows[i].text = v;
		if (rows[i].flag)
			*rows[i].flag = rows[i].number || v.u;
	}
	return QD_OK;
}

static qd_status
check_argument(const struct making *m, const struct argument *a, struct qd_error *err)
{
	if (!a->kind || !a->has_offset || !a->has_size)
		return object_fail_at(m->k, a->at, err, "argument %u has no %s", a->number,
				      !a->kind	     ? ".value_kind" :
				      !a->has_offset ? ".offset" :
						       ".size");
	if (a->kind->what == CANNOT && !m->lists)
		return object_fail_at(m->k, a->at, err,
				      "it needs %s (%s), which launches do not provide",
				      a->kind->wants, a->kind->name);
	if (a->kind->size && a->size != a->kind->size)
		return object_fail_at(m->k, a->at, err,
				      "argument %u: %s has %llu bytes; it must have %u", a->number,
				      a->kind->name, (unsigned long long)a->size, a->kind->size);
	if (!a->size || a->size > m->k->kernarg_size || a->offset > m->k->kernarg_size - a->size)
		return object_fail_at(m->k, a->at, err,
				      "argument %u: %llu bytes at %llu are not within the %u bytes of "
				      "arguments (.kernarg_segment_size)",
				      a->number, (unsigned long long)a->size,
				      (unsigned long long)a->offset, m->k->kernarg_size);
	return QD_OK;
}

static qd_status
read_argument(const struct making *m, size_t at, uint32_t number, struct argument *a,
	      struct qd_error *err)
{
	const struct msgpack *meta = &m->k->k->metadata;
	struct msgpack_value map, key;

	*a = (struct argument){ .at = at, .number = number };
	at = msgpack_get(meta, at, &map);
	if (map.kind != MSGPACK_MAP)
		return object_fail_at(m->k, a->at, err, "argument %u is not a map", number);
	for (uint64_t i = 0; i < map.u; i++) {
		size_t value = msgpack_get(meta, at, &key);
		if (key.kind != MSGPACK_STRING)
			return object_fail_at(m->k, at, err, "argument %u: a key is not a string", number);
		QD_TRY(read_key(m, a, &key, value, err));
		at = msgpack_skip(meta, value);
	}
	return check_argument(m, a, err);
}

/* -- Types ------------------------------------------------------------------------------- */

/* Converts "float4*" to f32 and 4 elements; returns NONE for an unknown type. */
static qd_type
type_of(const struct msgpack_value *text, bool pointer, uint32_t *n)
{
	const char *s = text->data;
	size_t len = text->size;

	*n = 1;
	if (pointer && len && s[len - 1] == '*')
		len--;
	else if (pointer)
		return QD_TYPE_NONE;
	while (len && s[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < QD_COUNT(types); i++) {
		size_t name = strlen(types[i].name), digits = len - name;
		if (name > len || memcmp(types[i].name, s, name) != 0)
			continue;
		if (!digits)
			return types[i].type;
		uint32_t v = 0;
		for (size_t k = name; k < len && k < name + 3; k++)
			v = s[k] >= '0' && s[k] <= '9' ? v * 10 + (uint32_t)(s[k] - '0') : 99;
		if (digits <= 2 && (v == 2 || v == 3 || v == 4 || v == 8 || v == 16)) {
			*n = v == 3 ? 4 : v;
			return types[i].type;
		}
	}
	return QD_TYPE_NONE;
}

static qd_access
access_of(const struct argument *a)
{
	if (msgpack_is(&a->access, "read_only"))
		return QD_ACCESS_IN;
	if (msgpack_is(&a->access, "write_only"))
		return QD_ACCESS_OUT;
	return !a->access.data && a->is_const ? QD_ACCESS_IN : QD_ACCESS_INOUT;
}

/* Describes a buffer; elements of an unknown type are bytes. */
static struct layout_param
buffer_of(const struct argument *a)
{
	enum { MOST_ALIGN = 16 };
	uint32_t n, size;
	qd_type type = type_of(&a->type_name, true, &n);

	if (type == QD_TYPE_NONE)
		type = QD_TYPE_U8;
	size = type_info[type].size * n;
	return (struct layout_param){ .align = (uint8_t)(size < MOST_ALIGN ? size : MOST_ALIGN),
					   .type = (uint8_t)type,
					   .size = type_info[type].size,
					   .access = (uint8_t)access_of(a) };
}

static struct layout_param
value_of(const struct argument *a)
{
	uint32_t n;
	qd_type type = type_of(a->type_name.data ? &a->type_name : &a->value_type, false, &n);

	if (n != 1 || type_info[type].size != a->size)
		type = QD_TYPE_NONE;
	return (struct layout_param){ .type = (uint8_t)type, .size = type_info[type].size };
}

/* -- Creation ------------------------------------------------------------------------------ */

static qd_status
add_param(struct making *m, const struct argument *a, struct qd_error *err)
{
	uint32_t i = m->n_params;
	const char *name;
	char number[16];

	if (i == MAX_PARAM)
		return object_fail_at(m->k, a->at, err, "more than %u parameters", MAX_PARAM);
	if (a->kind->what == BUFFER && a->space.data && !msgpack_is(&a->space, "global") &&
	    !msgpack_is(&a->space, "constant") && !msgpack_is(&a->space, "generic"))
		return object_fail_at(m->k, a->at, err,
				      "argument %u: the address space of the buffer is '%.*s'; it "
				      "must be global, constant or generic",
				      a->number, 40,
				      show_name((const char *)a->space.data, a->space.size).s);
	if (a->name.size > MAX_NAME || (a->name.size && memchr(a->name.data, 0, a->name.size)))
		return object_fail_at(m->k, a->at, err, "argument %u: .name is not a name", a->number);
	int len = snprintf(number, sizeof number, "arg%u", i);
	name = a->name.size ? arena_strdup(m->k->mem, a->name.data, a->name.size) :
			      arena_strdup(m->k->mem, number, (size_t)len);
	if (!name || !(name = show_in(m->k->mem, name)))
		return qd_fail(err, QD_E_NOMEM, "out of memory for a name");
	if (strlen(name) > MAX_NAME)
		return object_fail_at(m->k, a->at, err, "argument %u: .name is not a name", a->number);
	m->names[1 + i] = name;
	m->params[i] = a->kind->what == BUFFER ? buffer_of(a) : value_of(a);
	m->slots[i] = (struct layout_slot){ .offset = (uint16_t)a->offset,
						 .size = (uint16_t)a->size,
						 .what = LAYOUT_SLOT_PARAM,
						 .param = (uint8_t)i };
	m->n_params++;
	return QD_OK;
}

/* Allocates the argument's shared memory after the memory allocated so far. */
static qd_status
add_shared(struct making *m, const struct argument *a, uint64_t *bits, struct qd_error *err)
{
	const struct qd_object_options *o = m->k->options;
	uint64_t align = a->align ? a->align : 16;

	if (m->lists) {
		m->n_shared++;
		return QD_OK;
	}
	if (align > MAX_SHARED_ALIGN || (align & (align - 1)))
		return object_fail_at(m->k, a->at, err, "argument %u: .pointee_align %llu", a->number,
				      (unsigned long long)align);
	if (m->n_shared == o->n_shared)
		return object_fail_at(m->k, a->at, err,
				      "argument %u is shared memory; pass its size in the options, "
				      "which have %u size%s",
				      a->number, o->n_shared, o->n_shared == 1 ? "" : "s");
	*bits = (m->k->lds_size + align - 1) & ~(align - 1);
	uint64_t end = *bits + o->shared[m->n_shared++];
	if (end > m->k->target->m.max_shared)
		return qd_fail(err, QD_E_LIMIT,
			       "kernel '%.80s': %llu bytes of shared memory in total; the limit "
			       "for a block on %s is %u",
			       m->k->k->name, (unsigned long long)end, m->k->target->m.name,
			       m->k->target->m.max_shared);
	m->k->lds_size = (uint32_t)end;
	return QD_OK;
}

/* Adds a slot that the launch itself fills. A slot whose value is zero is not needed. */
static qd_status
add_hidden(struct making *m, const struct argument *a, struct qd_error *err)
{
	const uint32_t *block = m->k->block;
	struct layout_slot s = { .offset = (uint16_t)a->offset,
				      .size = (uint16_t)a->size,
				      .what = LAYOUT_SLOT_BITS };

	switch ((enum what)a->kind->what) {
	case SHARED: QD_TRY(add_shared(m, a, &s.bits, err)); break;
	case BLOCKS: s.what = LAYOUT_SLOT_N_BLOCKS; break;
	case ONE: s.bits = 1; break;
	case GROUP: s.bits = block[a->kind->axis]; break;
	case DIMS: s.bits = block[2] > 1 ? 3 : block[1] > 1 ? 2 : 1; break;
	case DYNAMIC: break;
	default: return QD_OK;
	}
	if (m->n_hidden == LAYOUT_MAX_SLOTS - MAX_PARAM)
		return object_fail_at(m->k, a->at, err, "too many arguments");
	if (a->kind->what == DYNAMIC)
		m->dynamic[m->n_dynamic++] = m->n_hidden;
	m->hidden[m->n_hidden++] = s;
	return QD_OK;
}

static qd_status
add_all(struct making *m, size_t at, struct qd_error *err)
{
	const struct msgpack *meta = &m->k->k->metadata;
	struct msgpack_value list;
	struct argument a;
	size_t start = at;

	at = msgpack_get(meta, at, &list);
	if (list.kind != MSGPACK_ARRAY)
		return object_fail_at(m->k, start, err, ".args is not a list");
	for (uint64_t i = 0; i < list.u; i++) {
		QD_TRY(read_argument(m, at, (uint32_t)i, &a, err));
		bool hidden = !strncmp(a.kind->name, "hidden_", strlen("hidden_"));
		bool param = a.kind->what == VALUE || a.kind->what == BUFFER ||
			     (a.kind->what == CANNOT && !hidden);
		QD_TRY(param ? add_param(m, &a, err) : add_hidden(m, &a, err));
		at = msgpack_skip(meta, at);
	}
	return QD_OK;
}

/* Returns the position of .args in the kernel's map, or SIZE_MAX. */
static size_t
find_args(const struct object_kernel *k)
{
	const struct msgpack *meta = &k->k->metadata;
	struct msgpack_value map, key;
	size_t at = msgpack_get(meta, k->k->meta_at, &map);

	for (uint64_t i = 0; i < map.u; i++) {
		size_t value = msgpack_get(meta, at, &key);
		if (msgpack_is(&key, ".args"))
			return value;
		at = msgpack_skip(meta, value);
	}
	return SIZE_MAX;
}

/* Allocates the shared memory that the options request for a kernel without shared-memory
 * arguments, and sets the hidden sizes of dynamic shared memory. */
static qd_status
finish_shared(struct making *m, struct qd_error *err)
{
	const struct qd_object_options *o = m->k->options;
	uint32_t own = (uint32_t)m->k->k->meta.group_size;

	if (m->n_shared != o->n_shared && (m->n_shared || o->n_shared != 1))
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%.80s': %u of its arguments are shared memory, but the "
			       "options have %u sizes",
			       m->k->k->name, m->n_shared, o->n_shared);
	if (!m->n_shared && o->n_shared) {
		struct argument none = { .at = m->k->k->meta_at, .align = 1 };
		uint64_t at;
		QD_TRY(add_shared(m, &none, &at, err));
	}
	for (uint32_t i = 0; i < m->n_dynamic; i++)
		m->hidden[m->dynamic[i]].bits = m->k->lds_size - own;
	return QD_OK;
}

static qd_status
make(struct making *m, struct launch_layout **out, struct qd_error *err)
{
	size_t args = find_args(m->k);

	m->names[0] = m->k->k->name;
	m->k->lds_size = (uint32_t)m->k->k->meta.group_size;
	if (args != SIZE_MAX)
		QD_TRY(add_all(m, args, err));
	QD_TRY(finish_shared(m, err));
	memcpy(m->slots + m->n_params, m->hidden, m->n_hidden * sizeof m->hidden[0]);
	const struct layout_foreign f = {
		.names = m->names,
		.params = m->params,
		.slots = m->slots,
		.n_params = m->n_params,
		.n_slots = m->n_params + m->n_hidden,
		.args_size = m->k->kernarg_size,
		.block = { m->k->block[0], m->k->block[1], m->k->block[2] },
		.subgroup_size = m->k->wave,
	};
	*out = layout_foreign(&f, m->k->mem);
	if (!*out)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", m->k->k->name);
	/* Detects overlapping arguments. */
	struct qd_error why;
	qd_status st = layout_check(*out, (*out)->size, &why);
	return st ? object_fail_at(m->k, args == SIZE_MAX ? m->k->k->meta_at : args, err, "%s", why.text) :
		    QD_OK;
}

qd_status
object_describe(struct object_kernel *k, struct launch_layout **out, struct qd_error *err)
{
	struct making *m = arena_zalloc(k->mem, sizeof *m);

	if (!m)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	m->k = k;
	return make(m, out, err);
}

static qd_status
make_listing(struct making *m, struct object_listing *out, struct qd_error *err)
{
	size_t args = find_args(m->k);
	struct qd_param_info *params;

	if (args != SIZE_MAX)
		QD_TRY(add_all(m, args, err));
	params = arena_zalloc(m->k->mem, (m->n_params + 1) * sizeof *params);
	if (!params)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", m->k->k->name);
	for (uint32_t i = 0; i < m->n_params; i++) {
		const struct layout_param *p = &m->params[i];
		params[i] = (struct qd_param_info){ .name = m->names[1 + i],
						    .type = (qd_type)p->type,
						    .is_buffer = p->align != 0,
						    .access = (qd_access)p->access,
						    .size = p->align ? p->size : m->slots[i].size };
	}
	out->params = params;
	out->n_params = m->n_params;
	out->n_shared = m->n_shared;
	return QD_OK;
}

qd_status
object_list(const struct code_object *o, const struct code_kernel *kernel, struct arena *mem,
	    struct object_listing *out, struct qd_error *err)
{
	static const struct qd_object_options none;
	struct object_kernel k = { .o = o, .k = kernel, .options = &none, .mem = mem };
	struct making *m = arena_zalloc(mem, sizeof *m);
	const uint64_t *demands = kernel->meta.workgroup;

	*out = (struct object_listing){ .n_params = 0 };
	if (!m)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", kernel->name);
	if (kernel->meta_at == SIZE_MAX)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%.80s': no metadata describes its arguments", kernel->name);
	if (kernel->meta.kernarg_size > LAYOUT_MAX_ARGS)
		return qd_fail(err, QD_E_LIMIT, "kernel '%.80s': more arguments than qd supports",
			       kernel->name);
	out->wants_block = !demands[0] && !demands[1] && !demands[2];
	k.kernarg_size = (uint32_t)kernel->meta.kernarg_size;
	m->k = &k;
	m->lists = true;
	return make_listing(m, out, err);
}
