/* SPDX-License-Identifier: Apache-2.0
 * glibc keeps freed memory between what stays until it is asked. */
#include "data/base/sonde-spare-memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

gboolean
sonde_return_memory (gsize least)
{
#ifdef __GLIBC__
  if (mallinfo2 ().fordblks < least)
    return FALSE;
  malloc_trim (0);
  return TRUE;
#else
  return FALSE;
#endif
}
