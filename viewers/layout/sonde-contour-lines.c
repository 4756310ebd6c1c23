/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/sonde-contour-lines.h"

#include <math.h>

/* Side of a square: from point (column, row) to the right (even numbers) or down (odd ones). A line goes on from
 * a side to at most one in each of the two squares that share it. */
typedef struct
{
  const double *heights;
  gsize n_x, n_y;
  double level;
  gssize (*links)[2]; /* of each side: others; -1: none */
} March;

static gssize
side_right (const March *march, gsize column, gsize row)
{
  return (gssize) (2 * (row * march->n_x + column));
}

static gssize
side_down (const March *march, gsize column, gsize row)
{
  return side_right (march, column, row) + 1;
}

static double
height_at (const March *march, gsize column, gsize row)
{
  return march->heights[row * march->n_x + column];
}

static void
add_link (March *march, gssize from, gssize to)
{
  march->links[from][march->links[from][0] >= 0] = to;
}

/* The sides of a square that the line crosses are joined two by two. */
static void
march_square (March *march, gsize column, gsize row)
{
  const double corners[4]
      = { height_at (march, column, row), height_at (march, column + 1, row),
          height_at (march, column + 1, row + 1), height_at (march, column, row + 1) };
  const gssize sides[4] = { side_right (march, column, row), side_down (march, column + 1, row),
                            side_right (march, column, row + 1), side_down (march, column, row) };
  gssize crossed[4];
  int n = 0;

  if (!isfinite (corners[0] + corners[1] + corners[2] + corners[3]))
    return;
  for (int i = 0; i < 4; i++)
    if ((corners[i] < march->level) != (corners[(i + 1) % 4] < march->level))
      crossed[n++] = sides[i];
  for (int i = 0; i + 1 < n; i += 2)
    {
      add_link (march, crossed[i], crossed[i + 1]);
      add_link (march, crossed[i + 1], crossed[i]);
    }
}

static SondeContourPoint
place_of (const March *march, gssize side)
{
  gsize point = (gsize) side / 2, column = point % march->n_x, row = point / march->n_x;
  gboolean down = side % 2 != 0;
  double from = height_at (march, column, row);
  double to = down ? height_at (march, column, row + 1) : height_at (march, column + 1, row);
  double share = (march->level - from) / (to - from);

  return (SondeContourPoint){ (double) column + (down ? 0 : share),
                              (double) row + (down ? share : 0) };
}

static gssize
unlink_next (March *march, gssize side)
{
  gssize next = MAX (march->links[side][0], march->links[side][1]);

  if (next < 0)
    return -1;
  for (int k = 0; k < 2; k++)
    {
      if (march->links[side][k] == next)
        {
          march->links[side][k] = -1;
          break;
        }
    }
  for (int k = 0; k < 2; k++)
    {
      if (march->links[next][k] == side)
        {
          march->links[next][k] = -1;
          break;
        }
    }
  return next;
}

static void
follow (March *march, gssize side, SondeContourLines *lines)
{
  SondeContourLine line = { lines->points->len, 0 };

  for (; side >= 0; side = unlink_next (march, side))
    {
      SondeContourPoint point = place_of (march, side);

      g_array_append_val (lines->points, point);
    }
  line.n = lines->points->len - line.first;
  g_array_append_val (lines->lines, line);
}

SondeContourLines *
sonde_contour_lines_new (const double *heights, gsize n_x, gsize n_y, double level)
{
  SondeContourLines *lines = g_new0 (SondeContourLines, 1);
  gsize n_sides = 2 * n_x * n_y;
  g_autofree gssize *links = g_new (gssize, 2 * n_sides);
  March march = { heights, n_x, n_y, level, (gssize (*)[2]) (gpointer) links };

  lines->points = g_array_new (FALSE, FALSE, sizeof (SondeContourPoint));
  lines->lines = g_array_new (FALSE, FALSE, sizeof (SondeContourLine));
  for (gsize i = 0; i < 2 * n_sides; i++)
    links[i] = -1;
  for (gsize row = 0; row + 1 < n_y; row++)
    for (gsize column = 0; column + 1 < n_x; column++)
      march_square (&march, column, row);
  /* Those with ends first: what is left then is closed. */
  for (gsize i = 0; i < n_sides; i++)
    if ((march.links[i][0] >= 0) != (march.links[i][1] >= 0))
      follow (&march, (gssize) i, lines);
  for (gsize i = 0; i < n_sides; i++)
    if (march.links[i][0] >= 0 || march.links[i][1] >= 0)
      follow (&march, (gssize) i, lines);
  return lines;
}

void
sonde_contour_lines_free (SondeContourLines *lines)
{
  if (lines == NULL)
    return;
  g_array_unref (lines->points);
  g_array_unref (lines->lines);
  g_free (lines);
}
