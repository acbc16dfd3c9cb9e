/* The calls of <qdgpu/dis.h>. */
#include "isa_dis.h"

#include <stdlib.h>

/* Checks the arguments that both calls take, and finds the target. */
static qd_status
find_target(const char *call, const char *target, uint32_t flags, const void *code, size_t size,
	    struct dis_target *out, struct qd_error *err)
{
	QD_CHECK_ARG_OF(call, target, err, "the target is NULL");
	QD_CHECK_ARG_OF(call, code || size == 0, err, "the code is NULL");
	QD_CHECK_ARG_OF(call, !(flags & ~(uint32_t)QD_DIS_WORDS), err, "unknown flags");
	return dis_target_named(target, out, err);
}

/* Returns a copy of the text that the caller frees. */
static qd_status
give(const struct buf *b, char **text, size_t *len, struct qd_error *err)
{
	char *copy = b->nomem ? NULL : malloc(b->len + 1);

	if (!copy)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	memcpy(copy, buf_data(b), b->len);
	copy[b->len] = '\0';
	*text = copy;
	if (len)
		*len = b->len;
	return QD_OK;
}

qd_status
qd_dis_text(const char *target, uint32_t flags, const void *code, size_t size, char **text,
	    size_t *len, struct qd_error *err)
{
	struct dis_target t;
	struct pool pool;
	struct buf b;

	QD_CHECK_ARG(text, err, "the text pointer is NULL");
	*text = NULL;
	QD_TRY(find_target(__func__, target, flags, code, size, &t, err));
	pool_init(&pool, &pool_malloc);
	buf_init(&b, &pool);
	qd_status st = dis_text(&t, flags, code, size, NULL, &b, err);
	if (st == QD_OK)
		st = give(&b, text, len, err);
	buf_fini(&b);
	pool_fini(&pool);
	return st;
}

qd_status
qd_dis_check(const char *target, uint32_t flags, const void *code, size_t size,
	     void (*found)(void *user, const struct qd_dis_finding *finding), void *user,
	     struct qd_error *err)
{
	struct dis_target t;
	struct pool pool;

	QD_CHECK_ARG(found, err, "the callback is NULL");
	QD_TRY(find_target(__func__, target, flags, code, size, &t, err));
	pool_init(&pool, &pool_malloc);
	qd_status st = dis_check(&t, flags, code, size, &pool, found, user, err);
	pool_fini(&pool);
	return st;
}
