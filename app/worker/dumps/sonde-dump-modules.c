/* SPDX-License-Identifier: Apache-2.0
 * Modules of a dump, by their paths. */
#include "app/worker/dumps/sonde-dump-modules.h"

#include "data/base/sonde-error.h"
#include "data/records/msprobe/sonde-msprobe-folder.h"

/* The rank of the first step. NULL with @error: there are several. (transfer none) */
static const SondeMsprobePlace *
choose_place (const GArray *places, const char *path, GError **error)
{
  const SondeMsprobePlace *first = &g_array_index (places, SondeMsprobePlace, 0),
                          *next
                          = places->len > 1 ? &g_array_index (places, SondeMsprobePlace, 1) : NULL;

  if (next == NULL || next->step != first->step)
    return first;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” has several ranks in step %" PRIi64 "; specify the folder of one, such as "
                   "“%s”.",
                   path, first->step, first->path);
  return NULL;
}

/* The first output of @entry. (nullable) */
static const SondeMsprobeTensor *
find_output (const SondeMsprobeDump *dump, const SondeMsprobeEntry *entry)
{
  for (guint i = 0; i < entry->n_tensors; i++)
    {
      const SondeMsprobeTensor *tensor
          = &g_array_index (dump->tensors, SondeMsprobeTensor, entry->tensors + i);

      if (tensor->role == SONDE_MSPROBE_OUTPUT)
        return tensor;
    }
  return NULL;
}

/* @n_modules: (inout): counts first calls of modules, also those without a tensor */
static gboolean
take_entry (GHashTable *tensors, SondeMsprobeDump *dump, const SondeMsprobeEntry *entry,
            guint *n_modules, GError **error)
{
  const SondeMsprobeTensor *output = find_output (dump, entry);
  g_auto (SondeMsprobeName) name = { 0 };
  SondeTensor *tensor;

  sonde_msprobe_name_parse (entry->name, &name);
  if (output == NULL || name.kind != SONDE_MSPROBE_MODULE || name.direction != SONDE_MSPROBE_FORWARD
      || name.call > 0)
    return TRUE;
  (*n_modules)++;
  if (output->file == NULL)
    return TRUE;
  tensor = sonde_msprobe_dump_read (dump, output, error);
  if (tensor == NULL)
    return FALSE;
  g_hash_table_insert (tensors, g_steal_pointer (&name.path), tensor);
  return TRUE;
}

static void
set_nothing (const SondeMsprobeDump *dump, guint n_modules, GError **error)
{
  if (n_modules > 0)
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
        "“%s” keeps no tensors (task %s), only what is known of them: there is nothing "
        "to compare with. Dump with task tensor.",
        dump->path, dump->task);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” has no outputs of modules (level %s), and functions have no names in a "
                     "model. Dump with level L0 or mix.",
                     dump->path, dump->level);
}

GHashTable *
sonde_dump_modules_read (const char *path, gboolean *is_dump, GError **error)
{
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          (GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GArray) places = sonde_msprobe_find (NULL, path);
  g_autoptr (SondeMsprobeDump) dump = NULL;
  const SondeMsprobePlace *place;
  guint n_modules = 0;

  *is_dump = places->len > 0;
  place = *is_dump ? choose_place (places, path, error) : NULL;
  dump = place != NULL ? sonde_msprobe_dump_open (NULL, place->path, error) : NULL;
  if (dump == NULL)
    return NULL;
  for (guint i = 0; i < dump->entries->len; i++)
    if (!take_entry (tensors, dump, &g_array_index (dump->entries, SondeMsprobeEntry, i),
                     &n_modules, error))
      return NULL;
  if (g_hash_table_size (tensors) > 0)
    return g_steal_pointer (&tensors);
  set_nothing (dump, n_modules, error);
  return NULL;
}
