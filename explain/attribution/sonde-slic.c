/* SPDX-License-Identifier: Apache-2.0
 * Clusters of colour and place, then connected parts. */
#include "explain/attribution/sonde-slic.h"

#include <math.h>
#include <string.h>

#define ROUNDS 10

/**
 * Slic:
 * @centres: [m, channels + 2]: colours, row, column
 * @sums: [m, channels + 3]: the same of the pixels that are nearest, and their count
 * @colour: factor of squared differences of values; @place: of pixels
 */
typedef struct
{
  const float *image;
  gint64 channels, height, width, m;
  double *centres, *sums, *nearest;
  double colour, place, reach[2];
  gint32 *of;
} Slic;

void
sonde_slic_choose_grid (gint64 n, gint64 height, gint64 width, gint64 *rows, gint64 *columns)
{
  *rows = CLAMP ((gint64) lround (sqrt ((double) n * (double) height / (double) width)), 1,
                 MIN (height, n));
  *columns = CLAMP (n / *rows, 1, width);
}

/* Values of a constant image do not count. */
static void
measure (Slic *slic, double compactness, double side)
{
  float least = slic->image[0], largest = slic->image[0];

  for (gint64 i = 1; i < slic->channels * slic->height * slic->width; i++)
    {
      least = fminf (least, slic->image[i]);
      largest = fmaxf (largest, slic->image[i]);
    }
  slic->colour = largest > least ? pow (100.0 / ((double) largest - (double) least), 2.0) : 0.0;
  slic->place = pow (compactness / side, 2.0);
}

static double
distance (const Slic *slic, const double *centre, gint64 y, gint64 x)
{
  gint64 pixels = slic->height * slic->width;
  double dy = (double) y - centre[slic->channels], dx = (double) x - centre[slic->channels + 1],
         sum = 0.0;

  for (gint64 c = 0; c < slic->channels; c++)
    {
      double d = (double) slic->image[c * pixels + y * slic->width + x] - centre[c];

      sum += d * d;
    }
  return slic->colour * sum + slic->place * (dy * dy + dx * dx);
}

static void
start (Slic *slic, gint64 rows, gint64 columns)
{
  gint64 pixels = slic->height * slic->width;

  for (gint64 j = 0; j < slic->m; j++)
    {
      double *centre = slic->centres + j * (slic->channels + 2);
      gint64 y = (2 * (j / columns) + 1) * slic->height / (2 * rows),
             x = (2 * (j % columns) + 1) * slic->width / (2 * columns);

      for (gint64 c = 0; c < slic->channels; c++)
        centre[c] = slic->image[c * pixels + y * slic->width + x];
      centre[slic->channels]
          = ((double) (j / columns) + 0.5) * (double) slic->height / (double) rows - 0.5;
      centre[slic->channels + 1]
          = ((double) (j % columns) + 0.5) * (double) slic->width / (double) columns - 0.5;
    }
  /* pixels that no centre reaches stay in their cell */
  for (gint64 p = 0; p < pixels; p++)
    slic->of[p] = (gint32) (MIN (p / slic->width * rows / slic->height, rows - 1) * columns
                            + MIN (p % slic->width * columns / slic->width, columns - 1));
}

/* Each pixel to the nearest centre of those whose window of twice the cell holds it; the first of
 * equals. */
static void
assign (Slic *slic)
{
  for (gint64 p = 0; p < slic->height * slic->width; p++)
    slic->nearest[p] = INFINITY;
  for (gint64 j = 0; j < slic->m; j++)
    {
      const double *centre = slic->centres + j * (slic->channels + 2);
      double cy = centre[slic->channels], cx = centre[slic->channels + 1];
      gint64 top = (gint64) fmax (ceil (cy - slic->reach[0]), 0),
             left = (gint64) fmax (ceil (cx - slic->reach[1]), 0);
      gint64 bottom = MIN ((gint64) (cy + slic->reach[0]), slic->height - 1);
      gint64 right = MIN ((gint64) (cx + slic->reach[1]), slic->width - 1);

      for (gint64 y = top; y <= bottom; y++)
        for (gint64 x = left; x <= right; x++)
          {
            double d = distance (slic, centre, y, x);

            if (d >= slic->nearest[y * slic->width + x])
              continue;
            slic->nearest[y * slic->width + x] = d;
            slic->of[y * slic->width + x] = (gint32) j;
          }
    }
}

static void
move_centres (Slic *slic)
{
  gint64 pixels = slic->height * slic->width, fields = slic->channels + 3;

  memset (slic->sums, 0, (gsize) (slic->m * fields) * sizeof (double));
  for (gint64 p = 0; p < pixels; p++)
    {
      double *sum = slic->sums + slic->of[p] * fields;

      for (gint64 c = 0; c < slic->channels; c++)
        sum[c] += slic->image[c * pixels + p];
      sum[slic->channels] += (double) (p / slic->width);
      sum[slic->channels + 1] += (double) (p % slic->width);
      sum[slic->channels + 2] += 1.0;
    }
  for (gint64 j = 0; j < slic->m; j++)
    for (gint64 f = 0; f < slic->channels + 2; f++)
      if (slic->sums[j * fields + fields - 1] > 0)
        slic->centres[j * (slic->channels + 2) + f]
            = slic->sums[j * fields + f] / slic->sums[j * fields + fields - 1];
}

/* ---- connected parts ----------------------------------------------------- */

/* The up to four pixels beside @p. */
static guint
find_beside (const Slic *slic, gint64 p, gint64 beside[4])
{
  gint64 x = p % slic->width;
  guint n = 0;

  if (p >= slic->width)
    beside[n++] = p - slic->width;
  if (x > 0)
    beside[n++] = p - 1;
  if (x + 1 < slic->width)
    beside[n++] = p + 1;
  if (p + slic->width < slic->height * slic->width)
    beside[n++] = p + slic->width;
  return n;
}

/* Numbers the connected parts of equal segments. @order: pixels, part by part; @begin: [parts + 1].
 * Returns the parts. */
static gint64
find_parts (const Slic *slic, gint32 *part, gint64 *order, gint64 *begin)
{
  gint64 pixels = slic->height * slic->width, n = 0, end = 0;

  memset (part, 0xff, (gsize) pixels * sizeof (gint32));
  for (gint64 p = 0; p < pixels; p++)
    {
      if (part[p] >= 0)
        continue;
      begin[n] = end;
      part[p] = (gint32) n;
      order[end++] = p;
      for (gint64 next = begin[n]; next < end; next++)
        {
          gint64 beside[4];
          guint n_beside = find_beside (slic, order[next], beside);

          for (guint k = 0; k < n_beside; k++)
            if (part[beside[k]] < 0 && slic->of[beside[k]] == slic->of[p])
              {
                part[beside[k]] = (gint32) n;
                order[end++] = beside[k];
              }
        }
      n++;
    }
  begin[n] = end;
  return n;
}

/* The segment of the nearest mean colour among those that touch the part and are settled; −1 when
 * none is. */
static gint32
choose_neighbour (const Slic *slic, const gint64 *order, gint64 n, const guint8 *settled,
                  const gint32 *part)
{
  gint64 pixels = slic->height * slic->width, beside[4];
  double best = INFINITY;
  gint32 chosen = -1;

  for (gint64 i = 0; i < n; i++)
    {
      guint n_beside = find_beside (slic, order[i], beside);

      for (guint k = 0; k < n_beside; k++)
        {
          const double *centre = slic->centres + slic->of[beside[k]] * (slic->channels + 2);
          double sum = 0.0;

          if (part[beside[k]] == part[order[i]] || !settled[part[beside[k]]])
            continue;
          for (gint64 c = 0; c < slic->channels; c++)
            sum += pow ((double) slic->image[c * pixels + order[i]] - centre[c], 2.0);
          if (sum >= best && chosen >= 0)
            continue;
          best = sum;
          chosen = slic->of[beside[k]];
        }
    }
  return chosen;
}

/* Each segment keeps its largest part; every round gives what touches a settled part to one of
 * those. */
static void
connect (Slic *slic)
{
  gint64 pixels = slic->height * slic->width;
  g_autofree gint32 *part = g_new (gint32, pixels);
  g_autofree gint64 *order = g_new (gint64, pixels), *begin = g_new (gint64, pixels + 1),
                    *largest = g_new (gint64, slic->m);
  gint64 n = find_parts (slic, part, order, begin), open = n;
  g_autofree guint8 *settled = g_new0 (guint8, n);

  for (gint64 j = 0; j < slic->m; j++)
    largest[j] = -1;
  for (gint64 k = 0; k < n; k++)
    {
      gint32 j = slic->of[order[begin[k]]];

      if (largest[j] < 0 || begin[k + 1] - begin[k] > begin[largest[j] + 1] - begin[largest[j]])
        largest[j] = k;
    }
  for (gint64 j = 0; j < slic->m; j++)
    if (largest[j] >= 0)
      {
        settled[largest[j]] = TRUE;
        open--;
      }
  while (open > 0)
    for (gint64 k = 0; k < n; k++)
      {
        gint32 to = settled[k] ? -1
                               : choose_neighbour (slic, order + begin[k], begin[k + 1] - begin[k],
                                                   settled, part);

        if (to < 0)
          continue;
        for (gint64 i = begin[k]; i < begin[k + 1]; i++)
          slic->of[order[i]] = to;
        settled[k] = TRUE;
        open--;
      }
}

void
sonde_slic (const float *image, gint64 channels, gint64 height, gint64 width, gint64 rows,
            gint64 columns, double compactness, gint32 *of)
{
  gint64 m = rows * columns;
  double high = (double) height / (double) rows, wide = (double) width / (double) columns;
  g_autofree double *centres = g_new (double, m *(channels + 2)),
                    *sums = g_new (double, m *(channels + 3)),
                    *nearest = g_new (double, height *width);
  Slic slic = { .image = image,
                .channels = channels,
                .height = height,
                .width = width,
                .m = m,
                .centres = centres,
                .sums = sums,
                .nearest = nearest,
                .reach = { fmax (high, 1.0), fmax (wide, 1.0) },
                .of = of };

  measure (&slic, compactness, sqrt (high * wide));
  start (&slic, rows, columns);
  for (int round = 0; round < ROUNDS; round++)
    {
      assign (&slic);
      move_centres (&slic);
    }
  connect (&slic);
}
