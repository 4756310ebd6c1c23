/* SPDX-License-Identifier: Apache-2.0
 * Votes of maps for squares, by summed-area tables. */
#include "explain/triage/sonde-cue.h"

#include <math.h>
#include <string.h>

#define LEAST_SHARE 0.3
#define LEAST_MAPS 3
#define LEAST_PART 0.1
#define RING 2

void
sonde_cue_normalise (float *map, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    {
      map[i] = map[i] > 0 && isfinite (map[i]) ? map[i] : 0;
      sum += (double) map[i];
    }
  for (gsize i = 0; i < n; i++)
    map[i] = sum > 0 && isfinite (sum) ? (float) ((double) map[i] / sum) : 0;
}

double
sonde_cue_get_share (const float *map, int height, int width, const SondeCue *cue)
{
  double sum = 0;

  for (int y = MAX (cue->y, 0); y < MIN (cue->y + cue->side, height); y++)
    for (int x = MAX (cue->x, 0); x < MIN (cue->x + cue->side, width); x++)
      sum += (double) map[y * width + x];
  return sum;
}

/* [height + 1, width + 1] */
static void
sum_areas (const float *map, int height, int width, double *table)
{
  memset (table, 0, (gsize) (width + 1) * sizeof *table);
  for (int y = 0; y < height; y++)
    {
      double *row = table + (gsize) (y + 1) * (gsize) (width + 1), *above = row - (width + 1),
             sum = 0;

      row[0] = 0;
      for (int x = 0; x < width; x++)
        {
          sum += (double) map[y * width + x];
          row[x + 1] = above[x + 1] + sum;
        }
    }
}

/* The place with the most votes, of equals the one with the most mass. */
static void
vote (const float *const *maps, guint n, int height, int width, int side, SondeCue *best)
{
  int rows = height - side + 1, columns = width - side + 1;
  double share = fmax (LEAST_SHARE, 4.0 * side * side / ((double) height * width));
  g_autofree double *table = g_new (double, (gsize) (height + 1) * (gsize) (width + 1));
  g_autofree double *masses = g_new0 (double, (gsize) rows *(gsize) columns);
  g_autofree guint *votes = g_new0 (guint, (gsize) rows * (gsize) columns);
  gsize found = 0;

  for (guint i = 0; i < n; i++)
    {
      sum_areas (maps[i], height, width, table);
      for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
          {
            const double *top = table + (gsize) y * (gsize) (width + 1) + x,
                         *bottom = top + (gsize) side * (gsize) (width + 1);
            double mass = bottom[side] - bottom[0] - top[side] + top[0];

            votes[y * columns + x] += mass >= share;
            masses[y * columns + x] += mass;
          }
    }
  for (gsize k = 1; k < (gsize) rows * (gsize) columns; k++)
    if (votes[k] > votes[found] || (votes[k] == votes[found] && masses[k] > masses[found]))
      found = k;
  if (votes[found] > best->n_sharing)
    *best = (SondeCue){ .x = (int) (found % (gsize) columns),
                        .y = (int) (found / (gsize) columns),
                        .side = side,
                        .share = share,
                        .n = n,
                        .n_sharing = votes[found] };
}

gboolean
sonde_cue_find (const float *const *maps, guint n, int height, int width, SondeCue *cue)
{
  static const double parts[] = { 1 / 8.0, 7 / 32.0, 5 / 16.0 };
  int smaller = MIN (height, width);

  *cue = (SondeCue){ .n = n };
  for (gsize i = 0; n >= LEAST_MAPS && i < G_N_ELEMENTS (parts); i++)
    vote (maps, n, height, width, MAX ((int) lround (parts[i] * smaller), 1), cue);
  return cue->n_sharing >= LEAST_MAPS && cue->n_sharing >= LEAST_PART * n;
}

void
sonde_cue_paint_over (const SondeCue *cue, float *image, int channels, int height, int width)
{
  int left = MAX (cue->x, 0), top = MAX (cue->y, 0), right = MIN (cue->x + cue->side, width);
  int bottom = MIN (cue->y + cue->side, height);

  for (int c = 0; c < channels; c++, image += (gsize) height * (gsize) width)
    {
      double sum = 0;
      guint n = 0;

      for (int y = MAX (top - RING, 0); y < MIN (bottom + RING, height); y++)
        for (int x = MAX (left - RING, 0); x < MIN (right + RING, width); x++)
          if (x < left || x >= right || y < top || y >= bottom)
            {
              sum += (double) image[y * width + x];
              n++;
            }
      for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
          image[y * width + x] = n > 0 ? (float) (sum / n) : 0;
    }
}
