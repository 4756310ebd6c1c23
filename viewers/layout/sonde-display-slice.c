/* SPDX-License-Identifier: Apache-2.0
 * Which part of a value is fetched. */
#include "viewers/layout/sonde-display-slice.h"

#include <inttypes.h>

#define MAX_TILES 64 /* of a dimension that numbers tiles */
#define MAX_SIDE 256 /* elements along a side of a tile, where there are several */
#define MAX_LINE 4096

/* What is kept of one dimension. */
typedef struct
{
  gint64 index; /* ≥ 0: one element, the dimension goes */
  gint64 count; /* the first so many */
  gint64 step;
} Part;

static gint64
size_of (const Part *part, gint64 size)
{
  return part->index >= 0 ? 1 : (MIN (part->count, size) + part->step - 1) / part->step;
}

static double
elements (const Part *parts, const SondeShape *shape)
{
  double n = 1;

  for (int d = 0; d < shape->rank; d++)
    n *= (double) MAX (size_of (&parts[d], shape->dims[d]), 1);
  return n;
}

static char *
format (const Part *parts, const SondeShape *shape)
{
  GString *text = g_string_new (NULL);
  int last = shape->rank;

  while (last > 0 && parts[last - 1].index < 0 && parts[last - 1].step == 1
         && parts[last - 1].count >= shape->dims[last - 1])
    last--;
  for (int d = 0; d < last; d++)
    {
      const Part *part = &parts[d];

      g_string_append (text, d > 0 ? ", " : "");
      if (part->index >= 0)
        g_string_append_printf (text, "%" PRIi64, part->index);
      else if (part->step > 1)
        g_string_append_printf (text, "::%" PRIi64, part->step);
      else if (part->count < shape->dims[d])
        g_string_append_printf (text, ":%" PRIi64, part->count);
      else
        g_string_append_c (text, ':');
    }
  return g_string_free (text, FALSE);
}

/* The dimension whose reduction shows most: the longest that is left. */
static int
longest (const Part *parts, const SondeShape *shape)
{
  int best = 0;

  for (int d = 1; d < shape->rank; d++)
    if (size_of (&parts[d], shape->dims[d]) >= size_of (&parts[best], shape->dims[best]))
      best = d;
  return best;
}

char *
sonde_display_slice_of_shape (const SondeShape *shape, gboolean is_data, gboolean channels_last)
{
  Part parts[SONDE_MAX_RANK];
  int tiles, first = is_data && shape->rank >= 3 && shape->dims[0] > 0 ? 1 : 0;

  for (int d = 0; d < shape->rank; d++)
    parts[d] = (Part){ d < first ? 0 : -1, shape->dims[d], 1 };
  tiles = channels_last ? shape->rank - 1 : shape->rank - 3;
  if (tiles >= first && shape->rank - first >= 3)
    parts[tiles].count = MAX_TILES;
  for (int d = first; d < shape->rank; d++)
    if (d != tiles && shape->rank - first >= 2 && shape->dims[d] > MAX_SIDE
        && (d >= shape->rank - 2 || channels_last))
      parts[d].step = (shape->dims[d] + MAX_SIDE - 1) / MAX_SIDE;
  if (shape->rank - first == 1 && shape->dims[first] > MAX_LINE)
    parts[first].step = (shape->dims[first] + MAX_LINE - 1) / MAX_LINE;
  while (shape->rank > 0 && elements (parts, shape) > SONDE_DISPLAY_MAX_ELEMENTS)
    {
      int d = longest (parts, shape);

      if (d < shape->rank - 2 && !channels_last)
        parts[d].count = MAX (size_of (&parts[d], shape->dims[d]) / 2, 1);
      else
        parts[d].step *= 2;
    }
  return format (parts, shape);
}

char *
sonde_display_slice_of_rows (const SondeShape *shape, gint64 row, gint64 n_rows, gint64 column,
                             gint64 n_columns)
{
  g_autofree gint64 *index = g_new0 (gint64, SONDE_MAX_RANK);
  GString *text = g_string_new (NULL);

  if (shape->rank == 0)
    return g_string_free (text, FALSE);
  for (int d = shape->rank - 2; d >= 0; d--)
    {
      index[d] = row % MAX (shape->dims[d], 1);
      row /= MAX (shape->dims[d], 1);
    }
  for (int d = 0; d < shape->rank - 2; d++)
    g_string_append_printf (text, "%" PRIi64 ", ", index[d]);
  if (shape->rank >= 2)
    g_string_append_printf (text, "%" PRIi64 ":%" PRIi64 ", ", index[shape->rank - 2],
                            index[shape->rank - 2] + n_rows);
  g_string_append_printf (text, "%" PRIi64 ":%" PRIi64, column, column + n_columns);
  return g_string_free (text, FALSE);
}
