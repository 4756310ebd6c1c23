/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-confusion.h"

#include "data/values/sonde-wilson.h"

static SondeConfusion *
new_empty (guint classes)
{
  SondeConfusion *confusion = g_new0 (SondeConfusion, 1);

  confusion->classes = classes;
  confusion->counts = g_new0 (guint, MAX ((gsize) classes * classes, 1));
  confusion->row_totals = g_new0 (guint, MAX (classes, 1));
  confusion->column_totals = g_new0 (guint, MAX (classes, 1));
  return confusion;
}

static void
add (SondeConfusion *confusion, gsize row, gsize column, guint count)
{
  confusion->n += count;
  confusion->counts[row * confusion->classes + column] += count;
  confusion->row_totals[row] += count;
  confusion->column_totals[column] += count;
}

SondeConfusion *
sonde_confusion_new (const gint64 *labels, const gint64 *predicted, guint n, guint classes)
{
  SondeConfusion *confusion = new_empty (classes);

  for (guint i = 0; i < n; i++)
    if (labels[i] >= 0 && labels[i] < classes && predicted[i] >= 0 && predicted[i] < classes)
      add (confusion, (gsize) labels[i], (gsize) predicted[i], 1);
  return confusion;
}

SondeConfusion *
sonde_confusion_new_from_counts (const guint *counts, guint classes)
{
  SondeConfusion *confusion = new_empty (classes);

  for (gsize r = 0; r < classes; r++)
    for (gsize c = 0; c < classes; c++)
      add (confusion, r, c, counts[r * classes + c]);
  return confusion;
}

SondeConfusion *
sonde_confusion_copy (const SondeConfusion *confusion)
{
  return sonde_confusion_new_from_counts (confusion->counts, confusion->classes);
}

void
sonde_confusion_free (SondeConfusion *confusion)
{
  if (confusion == NULL)
    return;
  g_free (confusion->counts);
  g_free (confusion->row_totals);
  g_free (confusion->column_totals);
  g_free (confusion);
}

static int
compare_cells (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint *counts = data;
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  if (counts[x] != counts[y])
    return counts[x] < counts[y] ? 1 : -1;
  return x < y ? -1 : x > y;
}

GArray *
sonde_confusion_list_cells (const SondeConfusion *confusion)
{
  GArray *cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 n = confusion->classes;

  for (gint64 i = 0; i < n * n; i++)
    if (confusion->counts[i] > 0 && i / n != i % n)
      g_array_append_val (cells, i);
  g_array_sort_with_data (cells, compare_cells, confusion->counts);
  return cells;
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const SondeConfusedPair *one = a, *other = b;

  if (one->count != other->count)
    return one->count > other->count ? -1 : 1;
  return (one->lift < other->lift) - (one->lift > other->lift);
}

GArray *
sonde_confusion_list_pairs (const SondeConfusion *confusion)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (SondeConfusedPair));
  guint classes = confusion->classes;

  for (guint y = 0; y < classes; y++)
    for (guint c = 0; c < classes; c++)
      {
        SondeConfusedPair pair = { y, c, confusion->counts[(gsize) y * classes + c], 0, 0, 0 };

        if (y == c || pair.count == 0)
          continue;
        sonde_wilson_interval (pair.count, confusion->row_totals[y], &pair.low, &pair.high);
        pair.lift = (double) pair.count * confusion->n
                    / ((double) confusion->row_totals[y] * confusion->column_totals[c]);
        g_array_append_val (pairs, pair);
      }
  g_array_sort (pairs, compare_pairs);
  return pairs;
}

static gint64
find_place (const guint *order, guint classes, gint64 class)
{
  gint64 place = 0;

  while (place < classes && order[place] != class)
    place++;
  return place;
}

gint64
sonde_confusion_find_next (const SondeConfusion *confusion, const guint *order, gint64 cell,
                           int direction, gboolean down)
{
  const gint64 classes = confusion->classes, n = classes * classes;
  gint64 at = direction > 0 ? -1 : n;

  if (cell >= 0 && cell < n)
    {
      gint64 row = find_place (order, confusion->classes, cell / classes),
             column = find_place (order, confusion->classes, cell % classes);

      at = down ? column * classes + row : row * classes + column;
    }
  for (at += direction; at >= 0 && at < n; at += direction)
    {
      gint64 major = order[at / classes], minor = order[at % classes],
             next = down ? minor * classes + major : major * classes + minor;

      if (confusion->counts[next] > 0)
        return next;
    }
  return -1;
}
