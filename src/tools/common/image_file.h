/* An image of a fatbin as files of its kind have it. */
#ifndef QD_TOOLS_IMAGE_FILE_H
#define QD_TOOLS_IMAGE_FILE_H

#include "jit.h"

/* Behind what out has; an AMD image becomes a code object.  Exits where it cannot. */
void image_file(const struct image_parts *p, struct buf *out);

#endif
