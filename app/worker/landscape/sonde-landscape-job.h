/* SPDX-License-Identifier: Apache-2.0
 * The loss landscape of a run, computed from its recipe and its checkpoints and recorded into it. */
#pragma once

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_LANDSCAPE_RANDOM, /* two random directions, filter by filter as long as the weights */
  SONDE_LANDSCAPE_PATH,   /* the two in which the path of the training lies (PCA) */
} SondeLandscapeKind;

#define SONDE_LANDSCAPE_DEFAULT_GRID 41
#define SONDE_LANDSCAPE_DEFAULT_BATCHES 8
#define SONDE_LANDSCAPE_DEFAULT_STATIONS 100

/**
 * SondeLandscapeOptions:
 * @run: folder; @sets: (nullable) (array zero-terminated=1): "key=value" over its recipe
 * @program: path of `sonde`, for the image helper
 * @grid: points on a side
 * @range: half the width around the last weights, in units of the axes; 0: 1 of random directions,
 *   of others what holds the path and a fifth more on each side
 * @batches: 0: all
 * @test: losses of the test part
 * @stations: checkpoints of the path at most, 2 or more
 * @threads: 0: the recipe's
 * @again: even if the run has it
 * @progress: (nullable): of the weights measured so far, grid and path; FALSE ends the work
 */
typedef struct
{
  const char *run, *program;
  const char *const *sets;
  SondeLandscapeKind kind;
  guint grid, batches, stations, threads;
  double range;
  guint64 seed;
  gboolean test, again;
  gboolean (*progress) (guint done, guint n, gpointer data);
  gpointer data;
} SondeLandscapeOptions;

/**
 * SondeLandscapeResult:
 * @record: as it stands in the run
 * @reused: it stood there before; then what follows is 0
 * @n_found: checkpoints there are, the beginning included; the path has as many unless @stations is less
 * @seconds: for the grid; @plain_seconds: for one evaluation of the same batches with the weights left as they are
 */
typedef struct
{
  SondeRecord record;
  gboolean reused;
  guint n_found;
  double seconds, plain_seconds;
} SondeLandscapeResult;

void sonde_landscape_result_free (SondeLandscapeResult *result); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLandscapeResult, sonde_landscape_result_free)

/**
 * sonde_landscape_job_run:
 *
 * Errors: NOT_FOUND when the folder has no recipe or no checkpoints; INVALID when the path spans no
 * plane; CANCELLED by @progress; of recipe, data, model, weights and writing. Nothing is recorded then.
 */
SondeLandscapeResult *sonde_landscape_job_run (const SondeLandscapeOptions *options,
                                               GError **error);

G_END_DECLS
