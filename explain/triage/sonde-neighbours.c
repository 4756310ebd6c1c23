/* SPDX-License-Identifier: Apache-2.0
 * Cosines by rows of unit length; the k best of a query stand in a heap, the worst of them at its
 * top. */
#include "explain/triage/sonde-neighbours.h"

#include <math.h>
#include <string.h>

struct _SondeNeighbours
{
  guint n, width;
  float *rows; /* of length 1 */
};

#if defined(__x86_64__)
#define BEST_TARGET __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BEST_TARGET
#endif

#define SUMS 16
#define LANES 16 /* queries that are multiplied at once, one beside the other */
#define ROWS 6   /* rows that are multiplied at once: their sums stay in registers */
#define TILE 240 /* rows that stay in the cache while all queries pass; a multiple of ROWS */

/* In several sums, so that it vectorises without reordering what the compiler may not. */
BEST_TARGET static float
dot (const float *a, const float *b, guint n)
{
  float sums[SUMS] = { 0 }, total = 0;
  guint i = 0;

  for (; i + SUMS <= n; i += SUMS)
    for (guint k = 0; k < SUMS; k++)
      sums[k] += a[i + k] * b[i + k];
  for (; i < n; i++)
    total += a[i] * b[i];
  for (guint half = SUMS / 2; half > 0; half /= 2)
    for (guint k = 0; k < half; k++)
      sums[k] += sums[k + half];
  return total + sums[0];
}

/* LANES numbers side by side; compiled to whatever registers there are. */
typedef float Wide __attribute__ ((vector_size (LANES * sizeof (float))));

/* @queries: [width]; @products: [n]. Each sum goes from the first number to the last, whatever
 * stands beside it: a query has the same products in any company. */
BEST_TARGET static void
multiply (const Wide *queries, const float *rows, guint n, guint width, Wide *products)
{
  guint r = 0;

  for (; r + ROWS <= n; r += ROWS)
    {
      const float *row = rows + (gsize) r * width;
      Wide a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 }, e = { 0 }, f = { 0 };

      for (guint i = 0; i < width; i++)
        {
          Wide query = queries[i];

          a += row[i] * query;
          b += row[i + width] * query;
          c += row[i + 2 * (gsize) width] * query;
          d += row[i + 3 * (gsize) width] * query;
          e += row[i + 4 * (gsize) width] * query;
          f += row[i + 5 * (gsize) width] * query;
        }
      products[r] = a;
      products[r + 1] = b;
      products[r + 2] = c;
      products[r + 3] = d;
      products[r + 4] = e;
      products[r + 5] = f;
    }
  for (; r < n; r++)
    {
      Wide sum = { 0 };

      for (guint i = 0; i < width; i++)
        sum += rows[(gsize) r * width + i] * queries[i];
      products[r] = sum;
    }
}

static void
make_unit (const float *from, guint n, float *into)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) from[i] * (double) from[i];
  for (guint i = 0; i < n; i++)
    into[i] = sum > 0 ? (float) ((double) from[i] / sqrt (sum)) : 0;
}

SondeNeighbours *
sonde_neighbours_new (const float *features, guint n, guint width)
{
  SondeNeighbours *neighbours = g_new0 (SondeNeighbours, 1);

  neighbours->n = n;
  neighbours->width = width;
  neighbours->rows = g_new (float, MAX ((gsize) n * width, 1));
  for (guint i = 0; i < n; i++)
    make_unit (features + (gsize) i * width, width, neighbours->rows + (gsize) i * width);
  return neighbours;
}

void
sonde_neighbours_free (SondeNeighbours *neighbours)
{
  if (neighbours == NULL)
    return;
  g_free (neighbours->rows);
  g_free (neighbours);
}

/* What is known of LANES queries. */
typedef struct
{
  Wide *queries;  /* [width] */
  Wide least;     /* what a row must be above to be kept */
  guint n[LANES]; /* rows kept */
} Lanes;

/* Of equals the later row is worse. */
static gboolean
is_worse (const SondeNeighbour *a, const SondeNeighbour *b)
{
  return a->value < b->value || (a->value == b->value && a->row > b->row);
}

static int
compare_found (gconstpointer a, gconstpointer b)
{
  return is_worse (a, b) ? 1 : is_worse (b, a) ? -1 : 0;
}

/* @what takes the place of the worst. */
static void
sink (SondeNeighbour *heap, guint n, SondeNeighbour what)
{
  guint at = 0;

  for (guint child = 1; child < n; child = 2 * at + 1)
    {
      if (child + 1 < n && is_worse (&heap[child + 1], &heap[child]))
        child++;
      if (!is_worse (&heap[child], &what))
        break;
      heap[at] = heap[child];
      at = child;
    }
  heap[at] = what;
}

/* @what comes to the others, of which there are @at. */
static void
rise (SondeNeighbour *heap, guint at, SondeNeighbour what)
{
  for (; at > 0 && is_worse (&what, &heap[(at - 1) / 2]); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = what;
}

static void
keep (Lanes *lanes, guint lane, guint k, SondeNeighbour what, SondeNeighbour *heap)
{
  if (lanes->n[lane] < k)
    rise (heap, lanes->n[lane]++, what);
  else
    sink (heap, k, what);
  if (lanes->n[lane] == k)
    lanes->least[lane] = (float) heap[0].value;
}

/* Of a tile of rows, for LANES queries, of which @n are asked for. */
BEST_TARGET static void
keep_of_tile (Lanes *lanes, guint n, const Wide *products, guint first, guint n_rows,
              const gint64 *except, guint k, SondeNeighbour *found)
{
  for (guint r = 0; r < n_rows; r++)
    {
      guint above = 0;

      for (guint lane = 0; lane < LANES; lane++)
        above |= (products[r][lane] > lanes->least[lane]) << lane;
      for (; above != 0; above &= above - 1)
        {
          guint lane = (guint) g_bit_nth_lsf (above, -1);

          if (lane < n && (except == NULL || except[lane] != (gint64) (first + r)))
            keep (lanes, lane, k, (SondeNeighbour){ first + r, (double) products[r][lane] },
                  found + (gsize) lane * k);
        }
    }
}

static Lanes *
make_lanes (const SondeNeighbours *neighbours, const float *const *queries, guint n)
{
  Lanes *lanes = g_aligned_alloc0 ((n + LANES - 1) / LANES, sizeof (Lanes), sizeof (Wide));
  g_autofree float *unit = g_new (float, MAX (neighbours->width, 1));

  for (guint i = 0; i < n; i++)
    {
      Lanes *own = &lanes[i / LANES];

      if (own->queries == NULL)
        own->queries = g_aligned_alloc0 (MAX (neighbours->width, 1), sizeof (Wide), sizeof (Wide));
      make_unit (queries[i], neighbours->width, unit);
      for (guint k = 0; k < neighbours->width; k++)
        own->queries[k][i % LANES] = unit[k];
      own->least[i % LANES] = -INFINITY;
    }
  for (guint i = n; i % LANES != 0; i++)
    lanes[i / LANES].least[i % LANES] = INFINITY;
  return lanes;
}

void
sonde_neighbours_find_many (const SondeNeighbours *neighbours, const float *const *queries,
                            const gint64 *except, guint n, guint k, SondeNeighbour *found,
                            guint *n_found)
{
  Lanes *lanes = make_lanes (neighbours, queries, n);
  Wide products[TILE];

  for (guint first = 0; k > 0 && first < neighbours->n; first += TILE)
    for (guint i = 0; i < n; i += LANES)
      {
        guint n_rows = MIN (TILE, neighbours->n - first);

        multiply (lanes[i / LANES].queries, neighbours->rows + (gsize) first * neighbours->width,
                  n_rows, neighbours->width, products);
        keep_of_tile (&lanes[i / LANES], n - i, products, first, n_rows,
                      except != NULL ? except + i : NULL, k, found + (gsize) i * k);
      }
  for (guint i = 0; i < n; i++)
    {
      n_found[i] = lanes[i / LANES].n[i % LANES];
      qsort (found + (gsize) i * k, n_found[i], sizeof *found, compare_found);
    }
  for (guint i = 0; i < n; i += LANES)
    g_aligned_free (lanes[i / LANES].queries);
  g_aligned_free (lanes);
}

guint
sonde_neighbours_find (const SondeNeighbours *neighbours, const float *query, gint64 except,
                       guint k, SondeNeighbour *found)
{
  guint n;

  sonde_neighbours_find_many (neighbours, &query, &except, 1, k, found, &n);
  return n;
}

double
sonde_influence (const float *probabilities, gint64 label, const float *features,
                 const float *other_probabilities, gint64 other_label, const float *other_features,
                 guint classes, guint width)
{
  double errors = 0, product = 1;

  for (guint c = 0; c < classes; c++)
    errors += ((double) probabilities[c] - (c == label))
              * ((double) other_probabilities[c] - (c == other_label));
  product += (double) dot (features, other_features, width);
  return errors * product;
}
