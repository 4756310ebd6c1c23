/* SPDX-License-Identifier: Apache-2.0
 * Maps under small changes of the image and under another class. */
#include "explain/metrics/sonde-stability.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-random-fill.h"
#include "explain/metrics/sonde-map-order.h"

#define TRIES 3
#define MOST_MOVED 0.1

static SondeTensor *
make_batch (SondeTensor *image, SondeTensor *noise)
{
  SondeTensor *batch = sonde_tensor_copy (noise);
  gint64 size = sonde_tensor_n_elements (image);
  const float *values = (const float *) (const void *) image->data;
  float *out = (float *) (void *) batch->data;

  for (gint64 at = 0; at < sonde_tensor_n_elements (batch); at += size)
    for (gint64 i = 0; i < size; i++)
      out[at + i] += values[i];
  return batch;
}

/* ‖maps[row] − map‖₂; the map's own norm when @maps is NULL. */
static double
distance (SondeTensor *maps, gint64 row, SondeTensor *map)
{
  gint64 n = sonde_tensor_n_elements (map);
  double sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    {
      double other = maps != NULL ? sonde_tensor_get_double (maps, row * n + i) : 0.0;
      double difference = sonde_tensor_get_double (map, i) - other;

      sum += difference * difference;
    }
  return sqrt (sum);
}

gboolean
sonde_max_sensitivity (SondeTensor *image, SondeTensor *map, SondeTensor *noise,
                       SondeMapFunction compute, gpointer data, double *value, GError **error)
{
  g_autoptr (SondeTensor) batch = make_batch (image, noise);
  g_autoptr (SondeTensor) maps = compute (batch, data, error);
  double norm = distance (NULL, 0, map);

  if (maps == NULL)
    return FALSE;
  *value = 0.0;
  for (gint64 i = 0; i < noise->shape.dims[0]; i++)
    {
      double moved = distance (maps, i, map) / (norm == 0 ? 1.0 : norm);

      *value = isnan (moved) || isnan (*value) ? NAN : fmax (*value, moved);
    }
  return TRUE;
}

static double
image_range (SondeTensor *image)
{
  double least = INFINITY, most = -INFINITY;
  gint64 n = sonde_tensor_n_elements (image);

  for (gint64 i = 0; i < n; i++)
    {
      double value = sonde_tensor_get_double (image, i);

      least = fmin (least, value);
      most = fmax (most, value);
    }
  return most - least;
}

static SondeTensor *
make_noise (SondeTensor *image, guint n)
{
  SondeShape shape = sonde_shape_make (4, (int) n, image->shape.dims[0], image->shape.dims[1],
                                       image->shape.dims[2]);

  return sonde_tensor_new (SONDE_DTYPE_F32, &shape);
}

SondeTensor *
sonde_perturbation_uniform (SondeTensor *image, guint n, double radius, guint64 seed)
{
  SondeTensor *noise = make_noise (image, n);
  double range = radius * image_range (image);
  guint64 stream = sonde_random_stream ("uniform");

  for (gint64 i = 0; i < sonde_tensor_n_elements (noise); i++)
    ((float *) (void *) noise->data)[i]
        = (float) (range * (2.0 * sonde_random_uniform (seed, stream, (guint64) i) - 1.0));
  return noise;
}

SondeTensor *
sonde_perturbation_normal (SondeTensor *image, guint n, double sigma, guint64 seed)
{
  SondeTensor *noise = make_noise (image, n);
  double range = sigma * image_range (image), numbers[SONDE_RANDOM_BLOCK],
         unused[SONDE_RANDOM_BLOCK];
  gint64 total = sonde_tensor_n_elements (noise);
  float *to = (float *) (void *) noise->data;

  for (gint64 i = 0; i < total; i += SONDE_RANDOM_BLOCK)
    {
      sonde_random_fill_normal (seed, sonde_random_stream ("normal"), (guint64) i, numbers, unused);
      for (gint64 k = 0; k < MIN (SONDE_RANDOM_BLOCK, total - i); k++)
        to[i + k] = (float) (range * numbers[k]);
    }
  return noise;
}

/* Same class, and probabilities that hardly moved. */
static gboolean
is_accepted (SondeTensor *probabilities, gint64 row)
{
  gint64 classes = probabilities->shape.dims[1], best[2] = { 0, 0 };
  double moved = 0.0;

  for (gint64 c = 0; c < classes; c++)
    {
      double original = sonde_tensor_get_double (probabilities, c);
      double now = sonde_tensor_get_double (probabilities, row * classes + c);

      if (original > sonde_tensor_get_double (probabilities, best[0]))
        best[0] = c;
      if (now > sonde_tensor_get_double (probabilities, row * classes + best[1]))
        best[1] = c;
      moved += (now - original) * (now - original);
    }
  return best[0] == best[1] && sqrt (moved) <= MOST_MOVED;
}

/* The original, then TRIES draws for each perturbation. */
static SondeTensor *
with_original (SondeTensor *image, SondeTensor *changed)
{
  gsize bytes = sonde_tensor_n_bytes (image);
  SondeTensor *batch = make_noise (image, (guint) changed->shape.dims[0] + 1);

  memcpy (batch->data, image->data, bytes);
  memcpy (batch->data + bytes, changed->data, sonde_tensor_n_bytes (changed));
  return batch;
}

/* Rows of the first accepted try of each draw. */
static GArray *
choose_rows (SondeTensor *probabilities, guint draws, SondeRobustness *result)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint d = 0; d < draws; d++)
    for (guint t = 0; t < TRIES; t++)
      {
        gint64 row = 1 + (gint64) d * TRIES + t;

        if (is_accepted (probabilities, row))
          {
            g_array_append_val (rows, row);
            break;
          }
        result->n_rejected++;
      }
  return rows;
}

static SondeTensor *
take_rows (SondeTensor *batch, SondeTensor *image, GArray *rows)
{
  gsize bytes = sonde_tensor_n_bytes (image);
  SondeTensor *chosen = make_noise (image, rows->len);

  for (guint i = 0; i < rows->len; i++)
    memcpy (chosen->data + i * bytes, batch->data + (gsize) g_array_index (rows, gint64, i) * bytes,
            bytes);
  return chosen;
}

gboolean
sonde_robustness (SondeTensor *image, SondeTensor *map, guint draws, double radius, guint64 seed,
                  SondeMapFunction compute, SondeProbabilityFunction probabilities, gpointer data,
                  SondeRobustness *result, GError **error)
{
  g_autoptr (SondeTensor) noise = sonde_perturbation_uniform (image, draws * TRIES, radius, seed);
  g_autoptr (SondeTensor) changed = make_batch (image, noise),
                          batch = with_original (image, changed), chosen = NULL;
  g_autoptr (SondeTensor) answers = probabilities (batch, data, error), maps = NULL;
  g_autoptr (GArray) rows = NULL;
  double norm = distance (NULL, 0, map), worst = 0.0;

  *result = (SondeRobustness){ NAN, NAN, 0 };
  if (answers == NULL)
    return FALSE;
  rows = choose_rows (answers, draws, result);
  if (rows->len == 0)
    return TRUE;
  chosen = take_rows (batch, image, rows);
  maps = compute (chosen, data, error);
  if (maps == NULL)
    return FALSE;
  result->lipschitz = 0.0;
  for (guint i = 0; i < rows->len; i++)
    {
      double moved = distance (maps, i, map);

      worst = isnan (moved) ? NAN : fmax (worst, moved);
      result->lipschitz = fmax (result->lipschitz, moved / (distance (chosen, i, image) + 1e-10));
    }
  result->value = norm > 0 ? exp (-worst / norm) : NAN;
  return TRUE;
}

double
sonde_class_sensitivity (const SondeTensor *one, const SondeTensor *other)
{
  gint64 n = sonde_tensor_n_elements (one);
  g_autofree double *a = g_new (double, MAX (n, 1)), *b = g_new (double, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    {
      a[i] = sonde_tensor_get_double (one, i);
      b[i] = sonde_tensor_get_double (other, i);
    }
  return 0.5 * (1.0 - sonde_pearson (a, b, (gsize) n));
}
