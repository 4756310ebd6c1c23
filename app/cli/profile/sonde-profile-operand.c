/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/profile/sonde-profile-operand.h"

#include "app/cli/profile/sonde-profile-measure.h"
#include "data/base/sonde-error.h"
#include "data/profiles/sonde-profile-file.h"

/* ---- what was recorded --------------------------------------------------- */

static gboolean
check_steps (const char *path, const SondeTrace *trace, const SondeStepRange *range, GError **error)
{
  g_autoptr (GArray) steps = sonde_trace_find_steps (trace, NULL);

  if (range->n == 0 || range->first < steps->len)
    return TRUE;
  if (steps->len == 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” marks no steps; omit --steps to analyse the whole trace.", path);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” has %u steps, the first of which is 0; --steps cannot begin at %u.",
                     path, steps->len, range->first);
  return FALSE;
}

/* Of a trace, a folder of another profiler, or a run. The last kind: its errors say what is wrong with a
 * file that is nothing. */
static gboolean
load_recorded (const char *path, const SondeProfileOptions *options, SondeProfileInput *input,
               GError **error)
{
  g_auto (SondeProfileFile) file = { 0 };

  if (!sonde_profile_file_read (NULL, path, 0, &file, error)
      || !check_steps (path, file.trace, &options->steps, error))
    return FALSE;
  input->trace = g_steal_pointer (&file.trace);
  input->facts = g_steal_pointer (&file.facts);
  input->range = options->steps;
  return TRUE;
}

static gboolean
accepts_all (const char *path)
{
  return TRUE;
}

/* ---- kinds --------------------------------------------------------------- */

/* In this order; the first that accepts the operand loads it, the last accepts all. @runs: it is run here. */
static const struct
{
  gboolean runs;
  gboolean (*accepts) (const char *path);
  gboolean (*load) (const char *path, const SondeProfileOptions *options, SondeProfileInput *input,
                    GError **error);
} kinds[] = {
  { FALSE, sonde_profile_file_is_run, load_recorded },
  { FALSE, sonde_profile_file_is_folder, load_recorded },
  { TRUE, sonde_profile_accepts_model, sonde_profile_measure_model },
  { TRUE, sonde_profile_accepts_recipe, sonde_profile_measure_recipe },
  { FALSE, accepts_all, load_recorded },
};

static guint
find_kind (const char *path)
{
  guint i = 0;

  while (!kinds[i].accepts (path))
    i++;
  return i;
}

gboolean
sonde_profile_operand_runs (const char *path)
{
  return kinds[find_kind (path)].runs;
}

gboolean
sonde_profile_operand_load (const char *path, const SondeProfileOptions *options,
                            SondeProfileInput *input, GError **error)
{
  const guint i = find_kind (path);

  *input = (SondeProfileInput){ NULL, NULL, { 0, 0 }, NULL };
  if (options->without != NULL && !kinds[i].runs)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "--without runs a model or a recipe again and again, but “%s” was recorded "
                       "before. Specify the model or the recipe.",
                       path);
      return FALSE;
    }
  return kinds[i].load (path, options, input, error);
}

SondeProfile *
sonde_profile_operand_analyse (const char *path, const SondeProfileOptions *options,
                               SondeWhatIfRun **what_if, GError **error)
{
  SondeProfileInput input;

  if (!sonde_profile_operand_load (path, options, &input, error))
    return NULL;
  *what_if = input.what_if;
  return sonde_profile_new (input.trace, input.facts, input.range.n > 0 ? &input.range : NULL);
}
