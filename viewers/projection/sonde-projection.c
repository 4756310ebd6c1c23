/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-projection.h"

#include <math.h>

#include "viewers/projection/sonde-nearest-search.h"
#include "viewers/projection/sonde-trustworthiness.h"

#define MOST_TRUSTED 1000 /* points that trustworthiness is measured at */
#define LEAST_POINTS 4

/* What a method works with. @places: [n, dims], of the table's rows */
typedef struct
{
  const SondeTensor *tensor;
  const SondeProjectionSettings *settings;
  SondePointTable *points;
  SondeWorkTeam *team;
  SondeProjectionWatch *watch;
  float *places;
} Work;

static void
work_clear (Work *work)
{
  sonde_point_table_free (work->points);
  sonde_work_team_free (work->team);
  g_free (work->places);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

gboolean
sonde_projection_settings_equal (const SondeProjectionSettings *a, const SondeProjectionSettings *b)
{
  if (a->method != b->method)
    return FALSE;
  if (a->method == SONDE_PROJECTION_PCA)
    return TRUE;
  if (a->dims != b->dims || a->nearness != b->nearness)
    return FALSE;
  if (a->method == SONDE_PROJECTION_TSNE)
    return a->tsne.perplexity == b->tsne.perplexity && a->tsne.angle == b->tsne.angle
           && a->tsne.n_iterations == b->tsne.n_iterations;
  return a->umap.n_neighbours == b->umap.n_neighbours && a->umap.n_epochs == b->umap.n_epochs
         && a->umap.min_distance == b->umap.min_distance && a->umap.seed == b->umap.seed;
}

void
sonde_projection_free (SondeProjection *projection)
{
  if (projection == NULL)
    return;
  g_free (projection->places);
  g_free (projection->shares);
  g_free (projection);
}

/* (transfer full) (nullable): the components as they are */
static SondeProjection *
project_components (const Work *work, int dims, GError **error)
{
  g_autoptr (SondeProjection) projection = g_new0 (SondeProjection, 1);
  gsize n = work->tensor != NULL && work->tensor->shape.rank == 2
                ? (gsize) MAX (work->tensor->shape.dims[0], 1)
                : 1;

  projection->dims = dims;
  projection->n = n;
  projection->divergence = projection->trustworthiness = NAN;
  projection->shares = g_new0 (double, (gsize) dims);
  projection->places = g_try_new (double, n *(gsize) dims);
  if (projection->places == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for a copy of the points");
      return NULL;
    }
  if (!sonde_pca_project (work->tensor, (gsize) dims, projection->places, projection->shares,
                          &projection->residual, work->team, work->watch, error))
    return NULL;
  return g_steal_pointer (&projection);
}

/* The largest components of the table's rows are where the methods begin. */
static gboolean
begin (Work *work, SondeProjection *projection, GError **error)
{
  gsize n, dims = (gsize) projection->dims;

  work->points = sonde_point_table_new (work->tensor, work->settings->nearness, error);
  if (work->points == NULL)
    return FALSE;
  n = work->points->n;
  if (n < LEAST_POINTS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "%" PRIu64 " finite points are too few for this method; choose PCA",
                       (guint64) n);
      return FALSE;
    }
  work->places = g_new (float, n *dims);
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < dims; k++)
      work->places[i * dims + k]
          = (float) (projection->places[work->points->rows[i] * dims + k] / work->points->scale);
  return TRUE;
}

static gboolean
place_by_tsne (Work *work, SondeProjection *projection, GError **error)
{
  SondeTsneSettings settings = work->settings->tsne;
  g_autoptr (SondeNearestTable) nearest = NULL;
  g_autoptr (SondeLinks) links = NULL;

  settings.perplexity = CLAMP (settings.perplexity, 1, (double) (work->points->n - 1) / 3);
  projection->n_neighbours = sonde_tsne_count_neighbours (work->points->n, settings.perplexity);
  nearest = sonde_nearest_search (work->points, projection->n_neighbours, work->team, work->watch,
                                  error);
  if (nearest == NULL)
    return FALSE;
  projection->approximate = nearest->approximate;
  links = sonde_tsne_link (nearest, settings.perplexity, error);
  return links != NULL
         && sonde_tsne_place (links, &settings, projection->dims, work->places,
                              &projection->divergence, &projection->n_iterations, work->team,
                              work->watch, error);
}

static gboolean
place_by_umap (Work *work, SondeProjection *projection, GError **error)
{
  SondeUmapSettings settings = work->settings->umap;
  g_autoptr (SondeNearestTable) nearest = NULL;
  g_autoptr (SondeLinks) links = NULL;

  settings.n_neighbours = CLAMP (settings.n_neighbours, 2, work->points->n);
  projection->n_neighbours = settings.n_neighbours;
  nearest = sonde_nearest_search (work->points, settings.n_neighbours - 1, work->team, work->watch,
                                  error);
  if (nearest == NULL)
    return FALSE;
  projection->approximate = nearest->approximate;
  links = sonde_umap_link (work->points, nearest, error);
  return links != NULL
         && sonde_umap_place (links, &settings, projection->dims, work->places, work->team,
                              work->watch, error);
}

/* Places of the table's rows become those of the tensor's. */
static void
finish (const Work *work, SondeProjection *projection)
{
  gsize dims = (gsize) projection->dims;

  g_clear_pointer (&projection->shares, g_free);
  for (gsize i = 0; i < projection->n * dims; i++)
    projection->places[i] = NAN;
  for (gsize i = 0; i < work->points->n; i++)
    for (gsize k = 0; k < dims; k++)
      projection->places[work->points->rows[i] * dims + k] = (double) work->places[i * dims + k];
  projection->n_trusted = MIN (work->points->n, MOST_TRUSTED);
  projection->trustworthiness = sonde_trustworthiness_measure (
      work->points, work->places, projection->dims, projection->n_trusted, work->team);
}

SondeProjection *
sonde_projection_new (const SondeTensor *points, const SondeProjectionSettings *settings,
                      SondeProjectionWatch *watch, GError **error)
{
  g_auto (Work) work = { .tensor = points, .settings = settings, .watch = watch };
  g_autoptr (SondeProjection) projection = NULL;
  gboolean whole = settings->method == SONDE_PROJECTION_PCA;
  gsize most = SONDE_PCA_MOST_COMPONENTS;

  work.team = sonde_work_team_new (settings->n_threads);
  if (points != NULL && points->shape.rank == 2)
    most = CLAMP ((gsize) MAX (points->shape.dims[1], 2), 2, most);
  projection = project_components (&work, whole ? (int) most : settings->dims, error);
  if (projection == NULL || whole)
    return g_steal_pointer (&projection);
  if (!begin (&work, projection, error)
      || !(settings->method == SONDE_PROJECTION_TSNE ? place_by_tsne (&work, projection, error)
                                                     : place_by_umap (&work, projection, error)))
    return NULL;
  finish (&work, projection);
  return g_steal_pointer (&projection);
}
