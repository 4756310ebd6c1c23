/* SPDX-License-Identifier: Apache-2.0
 * Values of the step before, for watches. */
#include "engine/debug/watches/sonde-watch-previous.h"

/* Two steps of a value. */
typedef struct
{
  guint64 step, earlier_step;
  SondeTensor *tensor, *earlier; /* (nullable) */
} Kept;

static void
free_kept (gpointer data)
{
  Kept *kept = data;

  g_clear_pointer (&kept->tensor, sonde_tensor_unref);
  g_clear_pointer (&kept->earlier, sonde_tensor_unref);
  g_free (kept);
}

void
sonde_watch_previous_keep (GHashTable *values, guint64 step, const char *name, SondeTensor *tensor)
{
  Kept *kept = g_hash_table_lookup (values, name);

  if (kept == NULL)
    {
      kept = g_new0 (Kept, 1);
      g_hash_table_insert (values, g_strdup (name), kept);
    }
  if (kept->tensor == NULL || kept->step != step)
    {
      g_clear_pointer (&kept->earlier, sonde_tensor_unref);
      kept->earlier = g_steal_pointer (&kept->tensor);
      kept->earlier_step = kept->step;
    }
  /* the last one counts: of iterations, of a step that ran again */
  g_clear_pointer (&kept->tensor, sonde_tensor_unref);
  kept->tensor = sonde_tensor_copy (tensor);
  kept->step = step;
}

SondeTensor *
sonde_watch_previous_find (GHashTable *values, guint64 step, const char *name)
{
  const Kept *kept = g_hash_table_lookup (values, name);

  if (kept == NULL)
    return NULL;
  if (kept->tensor != NULL && kept->step == step)
    return kept->tensor;
  return kept->earlier != NULL && kept->earlier_step == step ? kept->earlier : NULL;
}

GHashTable *
sonde_watch_previous_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_kept);
}
