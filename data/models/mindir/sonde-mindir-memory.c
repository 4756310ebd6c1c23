/* SPDX-License-Identifier: Apache-2.0
 * What all of the reader uses: memory of the file, names for people. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-reader.h"

gpointer
sonde_mindir_reader_take (SondeMindirReader *reader, gsize n, gsize size, GError **error)
{
  gpointer block;

  if (!sonde_budget_take (&reader->budget, (guint64) n * size, "nodes", error))
    return NULL;
  block = g_malloc0_n (MAX (n, 1), size);
  g_ptr_array_add (reader->file->memory->blocks, block);
  return block;
}

const char *
sonde_mindir_label (const char *name)
{
  const char *colon = strchr (name, ':');

  return colon != NULL && colon[1] != '\0' ? colon + 1 : name;
}
