/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/metrics/sonde-pointing.h"

#include <math.h>

#include "explain/metrics/sonde-localisation.h"

static void
pointing_free (void *data)
{
  SondePointing *score = data;

  g_free (score->key);
  g_free (score);
}

GPtrArray *
sonde_pointing_new_list (void)
{
  return g_ptr_array_new_with_free_func (pointing_free);
}

static SondePointing *
find_score (GPtrArray *list, const SondeAttributionMap *map)
{
  g_autofree char *key = g_strdup_printf ("%s/%s", map->spec, map->target_is);
  SondePointing *score;

  for (guint i = 0; i < list->len; i++)
    {
      score = g_ptr_array_index (list, i);
      if (g_str_equal (score->key, key))
        return score;
    }
  score = g_new0 (SondePointing, 1);
  score->key = g_steal_pointer (&key);
  g_ptr_array_add (list, score);
  return score;
}

void
sonde_pointing_add (GPtrArray *list, SondeDataset *dataset, const SondeAttributionMap *map)
{
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  SondeBox box;
  SondePointing *score;
  int points;

  if (!sonde_dataset_get_truth (dataset, map->sample, &box, mask->data))
    return;
  score = find_score (list, map);
  points = sonde_localisation_points (map->map, mask);
  if (points < 0)
    {
      score->n_undefined++;
      return;
    }
  score->n++;
  score->hits += (guint) points;
  score->mass += sonde_localisation_mass (map->map, mask);
}

double
sonde_pointing_measure_centre (SondeDataset *dataset, GPtrArray *predictions)
{
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  guint n = 0, hits = 0;

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (predictions, i);
      SondeBox box;

      if (!sonde_dataset_get_truth (dataset, prediction->sample, &box, mask->data))
        continue;
      n++;
      hits += sonde_localisation_centre_points (mask);
    }
  return n > 0 ? (double) hits / n : NAN;
}
