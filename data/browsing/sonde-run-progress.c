/* SPDX-License-Identifier: Apache-2.0
 * Names of parameters are those of Sonde, MindSpore, PyTorch Lightning, Hugging Face and of what people write
 * themselves, also behind a group: "trainer.max_steps", "train/epochs". */
#include "data/browsing/sonde-run-progress.h"

#include <math.h>
#include <string.h>

#define RATE_POINTS 64 /* the last ones, that the rate is taken over */

/* ---- names --------------------------------------------------------------- */

typedef struct
{
  const char *wanted;
  const char *name, *text; /* found so far */
} Search;

static char
plain (char c)
{
  return c == '-' || c == ' ' ? '_' : g_ascii_tolower (c);
}

/* Behind what people gather the settings of a training under; elsewhere "steps" are those of a warm-up. */
static const char *
skip_group (const char *name)
{
  static const char *const groups[]
      = { "train", "trainer", "training", "training_args", "args", "config", "hparams", "run" };

  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      gsize n = strlen (groups[i]);

      if (g_ascii_strncasecmp (name, groups[i], n) == 0 && (name[n] == '.' || name[n] == '/'))
        return name + n + 1;
    }
  return name;
}

static gboolean
is_name (const char *text, const char *wanted)
{
  while (*text != '\0' && plain (*text) == *wanted)
    text++, wanted++;
  return *text == '\0' && *wanted == '\0';
}

static void
look_at (const char *name, const char *text, void *data)
{
  Search *search = data;

  if (is_name (skip_group (name), search->wanted)
      && (search->name == NULL || strcmp (name, search->name) < 0))
    {
      search->name = name;
      search->text = text;
    }
}

/* What the run says of itself under @wanted. @name: (out): its own spelling. (nullable) */
static const char *
find_text (SondeTrial *trial, const char *wanted, const char **name)
{
  Search search = { wanted, wanted, sonde_trial_get_environment (trial, wanted) };

  if (search.text == NULL)
    {
      search.name = NULL;
      sonde_trial_for_each_parameter (trial, look_at, &search);
    }
  *name = search.name;
  return search.text;
}

/* The first whole number ≥ 1 that goes by one of @names, else -1: 0 and -1 stand for "not set". @name: (out)
 * (optional) */
static gint64
find_count (SondeTrial *trial, const char *const *names, const char **name)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      const char *found;
      const char *text = find_text (trial, names[i], &found);
      char *end = NULL;
      double value = text != NULL ? g_ascii_strtod (text, &end) : NAN;

      if (!(value >= 1 && value <= 1e15) || *end != '\0' || value != floor (value))
        continue;
      if (name != NULL)
        *name = found;
      return (gint64) value;
    }
  return -1;
}

const char *
sonde_run_fact_get (SondeTrial *trial, SondeRunFact fact)
{
  static const char *const names[SONDE_RUN_N_FACTS][8] = {
    { "device", "device_target", "accelerator" },
    { "host", "hostname" },
    { "command", "command_line" },
    { "folder" },
    { "git_commit", "git_sha", "git_hash", "commit", "sha" },
    { "seed", "random_seed", "manual_seed", "global_seed", "rng_seed" },
  };

  g_return_val_if_fail (SONDE_IS_TRIAL (trial) && fact < SONDE_RUN_N_FACTS, NULL);
  for (gsize i = 0; names[fact][i] != NULL; i++)
    {
      const char *name;
      const char *text = find_text (trial, names[fact][i], &name);

      if (text != NULL && *text != '\0')
        return text;
    }
  return NULL;
}

/* ---- steps --------------------------------------------------------------- */

/* The scalar that has gone farthest; of several the one with most points. (nullable) */
static const SondeRunTag *
find_leader (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  const SondeRunTag *best = NULL;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];

      if (tag->kind == SONDE_RECORD_SCALARS
          && (best == NULL || tag->last_step > best->last_step
              || (tag->last_step == best->last_step && tag->count > best->count)))
        best = tag;
    }
  return best;
}

/* Over its last points of one session, as far as steps and time rise. */
static double
measure_rate (SondeSeries *series)
{
  SondePoint points[RATE_POINTS];
  guint64 held = sonde_series_get_n_points (series);
  gsize n = sonde_series_copy_points (series, held > RATE_POINTS ? held - RATE_POINTS : 0,
                                      RATE_POINTS, points);
  gsize first = n > 0 ? n - 1 : 0;

  while (first > 0 && points[first - 1].session == points[n - 1].session
         && points[first - 1].step < points[first].step
         && points[first - 1].wall_time_ns <= points[first].wall_time_ns)
    first--;
  if (n == 0 || points[n - 1].wall_time_ns <= points[first].wall_time_ns)
    return NAN;
  return (double) (points[n - 1].step - points[first].step)
         / ((double) (points[n - 1].wall_time_ns - points[first].wall_time_ns) / 1e9);
}

static void
take_total (SondeTrial *trial, SondeRunProgress *progress)
{
  static const char *const totals[] = { "total_steps", "max_steps", "num_training_steps",
                                        "num_steps",   "n_steps",   "max_iterations",
                                        "max_iters",   "steps",     NULL };
  static const char *const of_epoch[]
      = { "steps_per_epoch", "batches_per_epoch", "iterations_per_epoch", NULL };
  static const char *const epochs[]
      = { "epochs", "max_epochs", "num_epochs", "num_train_epochs", "n_epochs", NULL };
  const char *epochs_name = NULL;
  gint64 per_epoch = find_count (trial, of_epoch, NULL);

  progress->total_steps = find_count (trial, totals, &progress->total_name);
  progress->epochs = find_count (trial, epochs, &epochs_name);
  if (progress->total_steps < 0 && per_epoch > 0 && progress->epochs > 0
      && progress->epochs <= G_MAXINT64 / per_epoch)
    {
      progress->total_steps = progress->epochs * per_epoch;
      progress->total_name = epochs_name;
    }
  /* The steps of its records are others than those that the parameter counts. */
  if (progress->total_steps >= 0 && progress->step > progress->total_steps)
    progress->total_steps = -1;
  if (progress->total_steps < 0)
    progress->total_name = NULL;
  if (per_epoch > 0 && progress->step >= 0)
    progress->epoch = MAX (progress->step - 1, 0) / per_epoch + 1;
  if (progress->epochs > 0)
    progress->epoch = MIN (progress->epoch, progress->epochs);
}

void
sonde_run_progress_get (SondeRun *run, SondeTrial *trial, SondeRunProgress *progress)
{
  const SondeRunTag *leader;
  SondeSeries *series;

  g_return_if_fail (SONDE_IS_RUN (run));
  leader = find_leader (run);
  series = leader != NULL ? sonde_run_get_series (run, leader->tag) : NULL;
  *progress = (SondeRunProgress){ -1, -1, NULL, NAN, NAN, -1, -1, -1 };
  if (series != NULL)
    {
      progress->step = leader->first_step == 0 ? leader->last_step + 1 : leader->last_step;
      progress->steps_per_second = measure_rate (series);
    }
  if (trial == NULL)
    return;
  take_total (trial, progress);
  if (progress->total_steps <= 0 || progress->step < 0)
    return;
  progress->fraction = (double) progress->step / (double) progress->total_steps;
  if (progress->steps_per_second > 0)
    progress->remaining_ns = (gint64) MIN (
        (double) (progress->total_steps - progress->step) / progress->steps_per_second * 1e9, 1e18);
}
