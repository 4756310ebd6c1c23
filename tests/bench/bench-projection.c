/* SPDX-License-Identifier: Apache-2.0
 * One projection of a table of points, timed. Usage: bench-projection pca|tsne|umap POINTS.npy
 * PLACES.npy THREADS DIMS SEED. Prints: seconds, trustworthiness, divergence, iterations; PLACES.npy is
 * written. tests/bench/projection-peers.py calls it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "viewers/projection/sonde-projection.h"

static gboolean
choose_method (const char *name, SondeProjectionMethod *method)
{
  static const char *const names[] = { "pca", "tsne", "umap" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      {
        *method = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
write_places (const SondeProjection *projection, const char *path, GError **error)
{
  SondeShape shape = sonde_shape_make (2, (gint64) projection->n, (gint64) projection->dims);
  g_autoptr (SondeTensor) places = sonde_tensor_new (SONDE_DTYPE_F64, &shape);

  memcpy (places->data, projection->places,
          projection->n * (gsize) projection->dims * sizeof (double));
  return sonde_npy_write (NULL, path, places, error);
}

int
main (int argc, char **argv)
{
  SondeProjectionSettings settings = SONDE_PROJECTION_DEFAULTS;
  g_autoptr (SondeProjection) projection = NULL;
  g_autoptr (SondeTensor) points = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start;
  double seconds;

  if (argc != 7 || !choose_method (argv[1], &settings.method))
    {
      fprintf (stderr,
               "Use: bench-projection pca|tsne|umap POINTS.npy PLACES.npy THREADS DIMS SEED\n");
      return 2;
    }
  settings.n_threads = (guint) atoi (argv[4]);
  settings.dims = atoi (argv[5]);
  settings.umap.seed = (guint64) atoi (argv[6]);
  points = sonde_npy_read (NULL, argv[2], &error);
  start = g_get_monotonic_time ();
  if (points != NULL)
    projection = sonde_projection_new (points, &settings, NULL, &error);
  seconds = (double) (g_get_monotonic_time () - start) / 1e6;
  if (projection == NULL || !write_places (projection, argv[3], &error))
    {
      fprintf (stderr, "bench-projection: %s\n", error->message);
      return 1;
    }
  printf ("%.3f %.5f %.5f %d\n", seconds, projection->trustworthiness, projection->divergence,
          projection->n_iterations);
  return 0;
}
