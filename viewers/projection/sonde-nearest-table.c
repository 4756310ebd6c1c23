/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-nearest-table.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "viewers/projection/sonde-candidates-private.h"

int
sonde_candidates_compare (const void *a, const void *b)
{
  SondeCandidate x = *(const SondeCandidate *) a, y = *(const SondeCandidate *) b;

  return sonde_candidate_is_farther (x, y) ? 1 : sonde_candidate_is_farther (y, x) ? -1 : 0;
}

SondeNearestTable *
sonde_nearest_table_alloc (gsize n, gsize k, GError **error)
{
  g_autoptr (SondeNearestTable) table = g_new0 (SondeNearestTable, 1);
  gsize entries;

  table->n = n;
  table->k = k;
  if (sonde_checked_mul (&entries, n, k))
    {
      table->others = g_try_new (guint32, entries);
      table->squares = g_try_new (float, entries);
    }
  if (table->others != NULL && table->squares != NULL)
    return g_steal_pointer (&table);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                   "there is no memory for %" PRIu64 " neighbours of each of %" PRIu64 " points",
                   (guint64) k, (guint64) n);
  return NULL;
}

void
sonde_nearest_table_free (SondeNearestTable *table)
{
  if (table == NULL)
    return;
  g_free (table->others);
  g_free (table->squares);
  g_free (table);
}
