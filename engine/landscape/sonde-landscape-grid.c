/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/landscape/sonde-landscape-grid.h"

#include "data/base/sonde-error.h"

void
sonde_landscape_grid_spread (double low, double high, guint n, double *places)
{
  double middle = (low + high) / 2, half = (high - low) / 2;

  for (guint i = 0; i < n; i++)
    places[i] = middle + half * (2.0 * i - (n - 1.0)) / (n - 1.0);
}

static void
move (float *to, const float *from, double by, const float *axis, gsize n)
{
  float factor = (float) by;

  for (gsize i = 0; i < n; i++)
    to[i] = from[i] + factor * axis[i];
}

gboolean
sonde_landscape_grid_measure (const SondeLandscapeGrid *grid, double *losses, GError **error)
{
  gsize n = sonde_loss_probe_get_space (grid->probe)->n;
  g_autofree float *row = g_new (float, MAX (n, 1)), *point = g_new (float, MAX (n, 1));

  for (guint i = 0; i < grid->n_side * grid->n_side; i++)
    {
      guint column = i % grid->n_side;

      if (column == 0)
        move (row, grid->origin, grid->y[i / grid->n_side], grid->plane->axes[1], n);
      move (point, row, grid->x[column], grid->plane->axes[0], n);
      if (!sonde_loss_probe_set_weights (grid->probe, point, error)
          || !sonde_loss_probe_measure (grid->probe, &losses[i], error))
        return FALSE;
      if (grid->point_done != NULL && !grid->point_done (i + 1, grid->data))
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED, "Cancelled.");
          return FALSE;
        }
    }
  return TRUE;
}
