/* SPDX-License-Identifier: Apache-2.0
 * What is known of the folder of one rank in one step. */
#include "data/records/msprobe/sonde-msprobe-parse-private.h"

void
sonde_msprobe_dump_free (SondeMsprobeDump *dump)
{
  if (dump == NULL)
    return;
  g_free (dump->path);
  g_array_unref (dump->entries);
  g_array_unref (dump->tensors);
  g_array_unref (dump->arguments);
  g_ptr_array_unref (dump->stacks);
  g_ptr_array_unref (dump->problems);
  g_hash_table_unref (dump->by_entry);
  g_hash_table_unref (dump->by_name);
  g_string_chunk_free (dump->texts);
  g_free (dump);
}

SondeMsprobeDump *
sonde_msprobe_dump_new (const SondeIo *io, const char *path)
{
  SondeMsprobeDump *dump = g_new0 (SondeMsprobeDump, 1);

  dump->io = io;
  dump->path = g_strdup (path);
  dump->texts = g_string_chunk_new (1 << 14);
  dump->entries = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeEntry));
  dump->tensors = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeTensor));
  dump->arguments = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeArgument));
  dump->stacks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  dump->problems = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  dump->by_entry = g_hash_table_new (g_str_hash, g_str_equal);
  dump->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return dump;
}

SondeMsprobeEntry *
sonde_msprobe_dump_add_entry (SondeMsprobeDump *dump, const char *name)
{
  SondeMsprobeEntry entry = {
    .name = name, .tensors = dump->tensors->len, .arguments = dump->arguments->len, .stack = -1
  };

  g_array_append_val (dump->entries, entry);
  g_hash_table_insert (dump->by_entry, (gpointer) name, GUINT_TO_POINTER (dump->entries->len));
  return &g_array_index (dump->entries, SondeMsprobeEntry, dump->entries->len - 1);
}

const SondeMsprobeEntry *
sonde_msprobe_dump_find_entry (const SondeMsprobeDump *dump, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (dump->by_entry, name));

  return index > 0 ? &g_array_index (dump->entries, SondeMsprobeEntry, index - 1) : NULL;
}

const SondeMsprobeTensor *
sonde_msprobe_dump_find (const SondeMsprobeDump *dump, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (dump->by_name, name));

  return index > 0 ? &g_array_index (dump->tensors, SondeMsprobeTensor, index - 1) : NULL;
}
