/* Writes an image of a fatbin in its file format. */
#ifndef QD_TOOLS_IMAGE_FILE_H
#define QD_TOOLS_IMAGE_FILE_H

#include "jit.h"

/* Appends the image to out; an AMD image becomes a code object. Exits on an error. */
void image_file(const struct image_parts *p, struct buf *out);

#endif
