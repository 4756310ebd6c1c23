/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/profile/sonde-profile-operand.h"

#include "app/cli/profile/sonde-profile-measure.h"
#include "data/base/sonde-error.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "data/traces/sonde-trace-file.h"
#include "data/traces/sonde-trace-mindspore.h"

/* ---- traces -------------------------------------------------------------- */

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

static gboolean
load_trace (const char *path, const SondeProfileOptions *options, SondeProfileInput *input,
            GError **error)
{
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, path, error);

  if (trace == NULL || !check_steps (path, trace, &options->steps, error))
    return FALSE;
  input->trace = g_steal_pointer (&trace);
  input->range = options->steps;
  return TRUE;
}

static gboolean
is_trace_folder (const char *path)
{
  g_autoptr (GPtrArray) traces
      = g_file_test (path, G_FILE_TEST_IS_DIR) ? sonde_trace_list_folder (path) : NULL;

  return traces != NULL && traces->len > 0;
}

static gboolean
load_trace_folder (const char *path, const SondeProfileOptions *options, SondeProfileInput *input,
                   GError **error)
{
  g_autoptr (GPtrArray) traces = sonde_trace_list_folder (path);

  if (traces->len == 1)
    return load_trace (g_ptr_array_index (traces, 0), options, input, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” holds %u traces; specify one of them, such as “%s”.", path, traces->len,
                   (const char *) g_ptr_array_index (traces, 0));
  return FALSE;
}

/* The last kind: its errors say what is wrong with a file that is nothing. */
static gboolean
is_file (const char *path)
{
  return !g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* ---- runs ---------------------------------------------------------------- */

static gboolean
is_run (const char *path)
{
  g_autofree char *records = g_build_filename (path, "records", NULL);

  return g_file_test (records, G_FILE_TEST_IS_DIR);
}

/* The last recording that is in it. */
static gboolean
load_run (const char *path, const SondeProfileOptions *options, SondeProfileInput *input,
          GError **error)
{
  g_autoptr (GPtrArray) profiles = sonde_recorded_profiles_read (NULL, path, error);
  SondeRecordedProfile *last;

  if (profiles == NULL)
    return FALSE;
  if (profiles->len == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "The run “%s” holds no profile. Record one with sonde train --profile, or "
                       "with profile start in a debugger.",
                       path);
      return FALSE;
    }
  last = g_ptr_array_index (profiles, profiles->len - 1);
  if (!check_steps (path, last->trace, &options->steps, error))
    return FALSE;
  input->trace = g_steal_pointer (&last->trace);
  input->facts = g_steal_pointer (&last->facts);
  input->range = options->steps;
  return TRUE;
}

/* ---- kinds --------------------------------------------------------------- */

/* In this order; the first that accepts the operand loads it. @runs: it is run here. */
static const struct
{
  gboolean runs;
  gboolean (*accepts) (const char *path);
  gboolean (*load) (const char *path, const SondeProfileOptions *options, SondeProfileInput *input,
                    GError **error);
} kinds[] = {
  { FALSE, is_run, load_run },
  { FALSE, is_trace_folder, load_trace_folder },
  { TRUE, sonde_profile_accepts_model, sonde_profile_measure_model },
  { TRUE, sonde_profile_accepts_recipe, sonde_profile_measure_recipe },
  { FALSE, is_file, load_trace },
};

gboolean
sonde_profile_operand_load (const char *path, const SondeProfileOptions *options,
                            SondeProfileInput *input, GError **error)
{
  guint i = 0;

  *input = (SondeProfileInput){ NULL, NULL, { 0, 0 }, NULL };
  while (i < G_N_ELEMENTS (kinds) && !kinds[i].accepts (path))
    i++;
  if (i < G_N_ELEMENTS (kinds) && options->without != NULL && !kinds[i].runs)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "--without runs a model or a recipe again and again, but “%s” was recorded "
                       "before. Specify the model or the recipe.",
                       path);
      return FALSE;
    }
  if (i < G_N_ELEMENTS (kinds))
    return kinds[i].load (path, options, input, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "The folder “%s” contains nothing that can be profiled. Specify a trace or the "
                   "folder of MindSpore's profiler.",
                   path);
  return FALSE;
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
