/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/landscape/sonde-landscape-job.h"

#include <math.h>
#include <string.h>

#include "app/worker/landscape/sonde-landscape-cache.h"
#include "app/worker/sonde-evaluation-parts.h"
#include "app/worker/sonde-weight-path.h"
#include "app/worker/sonde-weights.h"
#include "app/worker/sonde-worker-host.h"
#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "engine/landscape/sonde-landscape-grid.h"

#define AIR 0.2                      /* of the path's width, on each side */
#define LEAST_WIDTH 0.1              /* of one side of the plane, of the other */
#define MOST_BYTES ((gsize) 2 << 30) /* of the path's weights */
#define N_PLAIN 5 /* evaluations that are timed with the weights left as they are */

/* A landscape being computed. */
typedef struct
{
  const SondeLandscapeOptions *options;
  SondeRecipe *recipe;
  SondeEvaluationParts *parts;
  GArray *stations;  /* SondeWeightStation */
  SondeGraph *model; /* whose constants are those of one station after the other */
  SondeLossProbe *probe;
  const SondeWeightSpace *space;
  GPtrArray *weights; /* float [n] of each station */
  SondeWeightPlane *plane;
  double *path[3]; /* x, y, loss of each station */
  double *x, *y, *losses;
  double shares[2];
  SondeLandscapeResult *result;
} Job;

static void
job_clear (Job *job)
{
  g_clear_pointer (&job->plane, sonde_weight_plane_free);
  g_clear_pointer (&job->weights, g_ptr_array_unref);
  g_clear_pointer (&job->probe, sonde_loss_probe_free);
  g_clear_pointer (&job->model, sonde_graph_unref);
  g_clear_pointer (&job->parts, sonde_evaluation_parts_free);
  g_clear_pointer (&job->stations, g_array_unref);
  g_clear_pointer (&job->recipe, sonde_recipe_free);
  for (int i = 0; i < 3; i++)
    g_free (job->path[i]);
  g_free (job->x);
  g_free (job->y);
  g_free (job->losses);
  sonde_landscape_result_free (job->result);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

void
sonde_landscape_result_free (SondeLandscapeResult *result)
{
  if (result == NULL)
    return;
  sonde_record_clear (&result->record);
  g_free (result);
}

static const SondeWeightStation *
station_of (const Job *job, guint i)
{
  return &g_array_index (job->stations, SondeWeightStation, i);
}

/* ---- what the run has ---------------------------------------------------- */

static gboolean
load_recipe (Job *job, GError **error)
{
  const char *run = job->options->run;
  g_autofree char *path = g_build_filename (run, "run.ini", NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” contains no run.ini. A landscape is computed from a recipe and its "
                       "checkpoints, which only runs of “sonde train” have.",
                       run);
      return FALSE;
    }
  job->recipe = sonde_worker_load_recipe (path, job->options->sets, error);
  return job->recipe != NULL;
}

static gboolean
find_stations (Job *job, GError **error)
{
  g_autofree char *folder
      = g_build_filename (job->options->run, job->recipe->checkpoint_directory, NULL);

  job->stations = sonde_weight_path_find (folder, job->recipe->checkpoint_prefix, error);
  if (job->stations == NULL)
    return FALSE;
  job->result->n_found = job->stations->len;
  sonde_weight_path_thin (job->stations, job->options->stations);
  return TRUE;
}

/* ---- the weights --------------------------------------------------------- */

/* The model's constants become those of a station. */
static gboolean
enter_station (Job *job, guint i, GError **error)
{
  const char *path = station_of (job, i)->path;
  g_autoptr (SondeNamedTensors) tensors = NULL;

  g_clear_pointer (&job->model, sonde_graph_unref);
  job->model = sonde_graph_copy (job->parts->model, FALSE);
  if (path == NULL)
    return TRUE;
  tensors = sonde_weights_read (NULL, path, error);
  return tensors != NULL
         && sonde_weights_fit_model (job->model, tensors, path, SONDE_WEIGHTS_ALL, NULL, error);
}

static gboolean
open_probe (Job *job, GError **error)
{
  const SondeLandscapeOptions *options = job->options;

  job->parts
      = sonde_evaluation_parts_open (job->recipe, options->program, options->test,
                                     options->batches > 0 ? MAX (options->seed, 1) : 0, error);
  if (job->parts == NULL || !enter_station (job, job->stations->len - 1, error))
    return FALSE;
  if (options->threads > 0)
    job->parts->options.threads = (int) options->threads;
  job->probe = sonde_loss_probe_new (
      job->model, &job->parts->options, job->parts->source,
      options->batches > 0 ? MIN (options->batches, job->parts->n_batches) : job->parts->n_batches,
      error);
  if (job->probe == NULL)
    return FALSE;
  job->space = sonde_loss_probe_get_space (job->probe);
  return TRUE;
}

/* The path would take too much memory: every so many of its stations. */
static void
fit_memory (Job *job)
{
  gsize most = MOST_BYTES / sizeof (float) / MAX (job->space->n, 1);

  sonde_weight_path_thin (job->stations, (guint) CLAMP (most, 2, G_MAXUINT));
}

static gboolean
tell (const Job *job, guint done, GError **error)
{
  const SondeLandscapeOptions *options = job->options;
  guint n = job->stations->len + options->grid * options->grid;

  if (options->progress == NULL || options->progress (done, n, options->data))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED, "Cancelled.");
  return FALSE;
}

/* Weights and true losses of all stations; the last one's stay in the probe. */
static gboolean
walk_path (Job *job, GError **error)
{
  guint n = job->stations->len;

  job->weights = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; i < 3; i++)
    job->path[i] = g_new0 (double, n);
  for (guint i = 0; i < n; i++)
    {
      float *weights = g_new (float, MAX (job->space->n, 1));

      g_ptr_array_add (job->weights, weights);
      if (!enter_station (job, i, error)
          || !sonde_weight_space_collect (job->space, job->model, weights, error)
          || !sonde_loss_probe_set_model (job->probe, job->model, error)
          || !sonde_loss_probe_measure (job->probe, &job->path[2][i], error)
          || !tell (job, i + 1, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the plane ----------------------------------------------------------- */

static gboolean
make_plane (Job *job, GError **error)
{
  const float *const *weights = (const float *const *) job->weights->pdata;
  guint n = job->weights->len;
  g_autoptr (GError) reason = NULL;

  if (job->options->kind == SONDE_LANDSCAPE_RANDOM)
    job->plane = sonde_weight_plane_new_random (job->space, weights[n - 1], job->options->seed);
  else
    job->plane
        = sonde_weight_plane_new_of_path (weights, n - 1, weights[n - 1], job->space->n, &reason);
  if (job->plane != NULL)
    return TRUE;
  if (g_error_matches (reason, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The directions of the path need at least three different weights on it, and "
                     "“%s” has %u. Train with checkpoint.every=N and checkpoint.keep=0, which keep "
                     "them all, or use random directions.",
                     job->options->run, n);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* Shares: of the path's squared distances from its end, that on the first axis alone, and what the second adds. */
static void
project_path (Job *job)
{
  guint n = job->weights->len;
  const float *end = job->weights->pdata[n - 1];
  const double *products = job->plane->products;
  double all = 0, first = 0, both = 0;

  for (guint i = 0; i + 1 < n; i++)
    {
      double place[2], outside, along;
      double distance
          = sonde_weight_plane_project (job->plane, end, job->weights->pdata[i], place, &outside);

      job->path[0][i] = place[0];
      job->path[1][i] = place[1];
      along = place[0] * products[0] + place[1] * products[1];
      all += distance;
      both += distance - outside;
      first += products[0] > 0 ? along * along / products[0] : 0;
    }
  job->shares[0] = all > 0 ? first / all : NAN;
  job->shares[1] = all > 0 ? fmax (both - first, 0) / all : NAN;
}

/* Of the path's places on an axis. */
static void
find_limits (const Job *job, int axis, double limits[2])
{
  limits[0] = limits[1] = 0;
  for (guint i = 0; i < job->weights->len; i++)
    {
      limits[0] = fmin (limits[0], job->path[axis][i]);
      limits[1] = fmax (limits[1], job->path[axis][i]);
    }
}

static void
make_axes (Job *job)
{
  guint n = job->options->grid;
  double range = job->options->range, limits[2][2];

  job->x = g_new (double, n);
  job->y = g_new (double, n);
  if (!(range > 0) && job->options->kind == SONDE_LANDSCAPE_RANDOM)
    range = 1;
  for (int axis = 0; axis < 2; axis++)
    find_limits (job, axis, limits[axis]);
  for (int axis = 0; axis < 2; axis++)
    {
      double width = limits[axis][1] - limits[axis][0];
      double other = limits[1 - axis][1] - limits[1 - axis][0];
      double air = AIR * width + fmax (LEAST_WIDTH * other - width, 0) / 2;

      sonde_landscape_grid_spread (range > 0 ? -range : limits[axis][0] - air,
                                   range > 0 ? range : limits[axis][1] + air, n,
                                   axis == 0 ? job->x : job->y);
    }
}

/* ---- the grid ------------------------------------------------------------ */

static gboolean
on_point (guint done, gpointer data)
{
  Job *job = data;

  return tell (job, job->stations->len + done, NULL);
}

static gboolean
time_plain (Job *job, GError **error)
{
  gint64 begin = sonde_clock_monotonic_ns (NULL);
  double loss;

  for (int i = 0; i < N_PLAIN; i++)
    if (!sonde_loss_probe_measure (job->probe, &loss, error))
      return FALSE;
  job->result->plain_seconds = (double) (sonde_clock_monotonic_ns (NULL) - begin) / 1e9 / N_PLAIN;
  return TRUE;
}

static gboolean
measure (Job *job, GError **error)
{
  guint n = job->options->grid;
  SondeLandscapeGrid grid = { .probe = job->probe,
                              .plane = job->plane,
                              .origin = job->weights->pdata[job->weights->len - 1],
                              .x = job->x,
                              .y = job->y,
                              .n_side = n,
                              .point_done = on_point,
                              .data = job };
  gint64 begin;

  job->losses = g_new (double, (gsize) n *n);
  if (!time_plain (job, error))
    return FALSE;
  begin = sonde_clock_monotonic_ns (NULL);
  if (!sonde_landscape_grid_measure (&grid, job->losses, error))
    return FALSE;
  job->result->seconds = (double) (sonde_clock_monotonic_ns (NULL) - begin) / 1e9;
  return TRUE;
}

/* ---- the record ---------------------------------------------------------- */

static SondeTensor *
make_line (const double *numbers, guint n)
{
  SondeShape shape = sonde_shape_make (1, (int) n);

  return sonde_tensor_new_from_data (SONDE_DTYPE_F64, &shape, numbers);
}

static SondeTensor *
make_steps (const Job *job)
{
  SondeShape shape = sonde_shape_make (1, (int) job->stations->len);
  SondeTensor *steps = sonde_tensor_new (SONDE_DTYPE_I64, &shape);

  for (guint i = 0; i < job->stations->len; i++)
    ((gint64 *) (void *) steps->data)[i] = (gint64) station_of (job, i)->step;
  return steps;
}

static const char *
find_tag (const SondeLandscapeOptions *options)
{
  static const char *const tags[2][2] = { { "landscape/random", "landscape/random/test" },
                                          { "landscape/path", "landscape/path/test" } };

  return tags[options->kind == SONDE_LANDSCAPE_PATH][options->test != FALSE];
}

static void
fill_record (Job *job, const char *digest, SondeRecord *record)
{
  const SondeLandscapeOptions *options = job->options;
  guint n = options->grid, last = job->stations->len - 1;
  SondeShape square = sonde_shape_make (2, (int) n, (int) n);

  *record = (SondeRecord){ .kind = SONDE_RECORD_LANDSCAPE,
                           .tag = g_intern_static_string (find_tag (options)),
                           .step = (gint64) station_of (job, last)->step };
  record->u.landscape.x = make_line (job->x, n);
  record->u.landscape.y = make_line (job->y, n);
  record->u.landscape.z = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &square, job->losses);
  record->u.landscape.path_x = make_line (job->path[0], last + 1);
  record->u.landscape.path_y = make_line (job->path[1], last + 1);
  record->u.landscape.path_z = make_line (job->path[2], last + 1);
  record->u.landscape.intervals = make_steps (job);
  for (int i = 0; i < 3; i++)
    record->u.landscape.found[i] = job->path[i][last];
  record->u.landscape.decomposition
      = g_strdup (options->kind == SONDE_LANDSCAPE_PATH ? "PCA" : "random");
  record->u.landscape.unit = g_strdup ("step");
  record->u.landscape.loss = g_strdup (job->parts->options.loss);
  record->u.landscape.part = g_strdup (options->test ? "test" : "train");
  record->u.landscape.digest = g_strdup (digest);
  memcpy (record->u.landscape.shares, job->shares, sizeof job->shares);
  record->u.landscape.samples = sonde_loss_probe_get_n_samples (job->probe);
  record->u.landscape.seed = options->seed;
}

/* A file of its own in the run: one write, so that there is all of it or nothing. */
static gboolean
write_record (const Job *job, GError **error)
{
  SondeSummaryWriterOptions options = { .program = "sonde " SONDE_VERSION };
  SondeSummaryWriter *writer = sonde_summary_writer_open (job->options->run, &options, error);

  if (writer == NULL)
    return FALSE;
  sonde_summary_writer_add_record (writer, &job->result->record);
  return sonde_summary_writer_close (writer, error);
}

static gboolean
compute (Job *job, const char *digest, GError **error)
{
  if (!open_probe (job, error))
    return FALSE;
  fit_memory (job);
  if (!walk_path (job, error) || !make_plane (job, error))
    return FALSE;
  project_path (job);
  make_axes (job);
  if (!measure (job, error))
    return FALSE;
  fill_record (job, digest, &job->result->record);
  return write_record (job, error);
}

SondeLandscapeResult *
sonde_landscape_job_run (const SondeLandscapeOptions *options, GError **error)
{
  g_auto (Job) job = { .options = options, .result = g_new0 (SondeLandscapeResult, 1) };
  g_autofree char *digest = NULL;

  if (!load_recipe (&job, error) || !find_stations (&job, error))
    return NULL;
  digest = sonde_landscape_cache_digest (options, job.recipe, job.stations, error);
  if (digest == NULL)
    return NULL;
  job.result->reused
      = !options->again && sonde_landscape_cache_find (options->run, digest, &job.result->record);
  if (!job.result->reused && !compute (&job, digest, error))
    return NULL;
  return g_steal_pointer (&job.result);
}
