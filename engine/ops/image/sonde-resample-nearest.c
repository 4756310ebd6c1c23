/* SPDX-License-Identifier: Apache-2.0
 * Nearest resampling: elements are looked up, whatever they are. A row is the innermost dimension
 * that changes with all behind it; rows that come from the same place are copied from the one
 * before. */
#include "engine/ops/image/sonde-resample.h"

#include <string.h>

#define OUTSIDE (-1)

/* Passes by dimension, NULL for those that stay. Returns: the innermost one that changes, -1 for
 * none */
static int
find_passes (const SondeResample *resample, const SondeResamplePass **by_axis)
{
  int last = -1;

  memset (by_axis, 0, sizeof *by_axis * SONDE_MAX_RANK);
  for (int i = 0; i < resample->n_passes; i++)
    {
      by_axis[resample->passes[i].axis] = &resample->passes[i];
      last = MAX (last, resample->passes[i].axis);
    }
  return last;
}

gint64
sonde_resample_n_rows (const SondeResample *resample)
{
  const SondeResamplePass *by_axis[SONDE_MAX_RANK];
  int last = find_passes (resample, by_axis);
  gint64 rows = 1;

  for (int d = 0; d < last; d++)
    rows *= resample->out.dims[d];
  return rows;
}

#define MOVE_COLUMNS(bits)                                                                         \
  static void move_columns_##bits (const SondeResamplePass *pass, const void *from, void *to)      \
  {                                                                                                \
    const guint##bits *x = from;                                                                   \
    guint##bits *restrict y = to;                                                                  \
    if (pass->repeats == 2)                                                                        \
      for (gint64 j = 0; j < pass->in; j++)                                                        \
        y[2 * j] = y[2 * j + 1] = x[j];                                                            \
    else                                                                                           \
      for (gint64 j = 0; j < pass->out; j++)                                                       \
        y[j] = x[pass->at[j]];                                                                     \
  }
MOVE_COLUMNS (8)
MOVE_COLUMNS (16)
MOVE_COLUMNS (32)
MOVE_COLUMNS (64)

static void
move_row (const SondeResamplePass *pass, gsize block, const guint8 *from, guint8 *to)
{
  if (block == 1)
    move_columns_8 (pass, from, to);
  else if (block == 2)
    move_columns_16 (pass, from, to);
  else if (block == 4)
    move_columns_32 (pass, from, to);
  else if (block == 8)
    move_columns_64 (pass, from, to);
  else
    for (gint64 j = 0; j < pass->out; j++)
      memcpy (to + (gsize) j * block, from + (gsize) pass->at[j] * block, block);
}

static void
fill_elements (guint8 *to, gsize n, gsize size, const void *fill)
{
  for (gsize i = 0; i < n; i++)
    memcpy (to + i * size, fill, size);
}

/* Where row @row starts in the input, in rows of the innermost changing dimension; OUTSIDE. */
static gint64
source_of (const SondeResample *resample, const SondeResamplePass *const *by_axis, int last,
           gint64 row)
{
  gint64 place = 0, stride = 1;

  for (int d = last - 1; d >= 0; d--)
    {
      gint64 j = row % resample->out.dims[d];
      const SondeResamplePass *pass = by_axis[d];

      row /= resample->out.dims[d];
      if (pass != NULL && pass->outside != NULL && pass->outside[j])
        return OUTSIDE;
      place += (pass ? pass->at[j] : j) * stride;
      stride *= resample->in.dims[d];
    }
  return place;
}

void
sonde_resample_move_rows (const SondeResample *resample, gsize size, const void *fill,
                          const void *from, void *to, gint64 begin, gint64 end)
{
  const SondeResamplePass *by_axis[SONDE_MAX_RANK];
  int last = find_passes (resample, by_axis);
  const SondeResamplePass *pass = last >= 0 ? by_axis[last] : NULL;
  gsize inner = 1;
  gint64 before = OUTSIDE;

  for (int d = last + 1; d < resample->in.rank; d++)
    inner *= (gsize) resample->in.dims[d];
  if (pass == NULL)
    {
      if (from != to)
        memcpy (to, from, inner * size);
      return;
    }
  for (gint64 row = begin; row < end; row++)
    {
      gsize elements = (gsize) pass->out * inner;
      guint8 *y = (guint8 *) to + (gsize) row * elements * size;
      gint64 source = source_of (resample, by_axis, last, row);

      if (source == OUTSIDE)
        fill_elements (y, elements, size, fill);
      else if (source == before)
        memcpy (y, y - elements * size, elements * size);
      else
        move_row (pass, inner * size,
                  (const guint8 *) from + (gsize) (source * pass->in) * inner * size, y);
      for (gint64 j = 0;
           j < pass->out && pass->outside != NULL && source != OUTSIDE && source != before; j++)
        if (pass->outside[j])
          fill_elements (y + (gsize) j * inner * size, inner, size, fill);
      before = source;
    }
}
