/* SPDX-License-Identifier: Apache-2.0
 * Bilinear resizing. */
#include "explain/attribution/sonde-resize.h"

#include <math.h>

/* Between which two entries position @i of @to lies, and how far from the first. */
static void
find_source (gint64 i, gint64 from, gint64 to, SondeResizeGrid grid, gint64 *first, gint64 *second,
             float *share)
{
  double at = grid == SONDE_RESIZE_HALF_PIXEL
                  ? ((double) i + 0.5) * (double) from / (double) to - 0.5
              : to > 1 ? (double) i * (double) (from - 1) / (double) (to - 1)
                       : 0.0;

  at = CLAMP (at, 0.0, (double) (from - 1));
  *first = (gint64) floor (at);
  *second = MIN (*first + 1, from - 1);
  *share = (float) (at - (double) *first);
}

void
sonde_resize_plane (const float *from, gint64 h, gint64 w, float *to, gint64 height, gint64 width,
                    SondeResizeGrid grid)
{
  g_autofree gint64 *columns = g_new (gint64, 2 * width);
  g_autofree float *shares = g_new (float, width);

  for (gint64 x = 0; x < width; x++)
    find_source (x, w, width, grid, &columns[2 * x], &columns[2 * x + 1], &shares[x]);
  for (gint64 y = 0; y < height; y++)
    {
      gint64 first, second;
      float share;
      const float *above, *below;

      find_source (y, h, height, grid, &first, &second, &share);
      above = from + first * w;
      below = from + second * w;
      for (gint64 x = 0; x < width; x++)
        {
          gint64 left = columns[2 * x], right = columns[2 * x + 1];
          float top = above[left] + (above[right] - above[left]) * shares[x];
          float bottom = below[left] + (below[right] - below[left]) * shares[x];

          to[y * width + x] = top + (bottom - top) * share;
        }
    }
}
