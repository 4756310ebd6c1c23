/* SPDX-License-Identifier: Apache-2.0
 * Requests that compare runs: long, so that they tell how far they are and are given up when a
 * pause, or the end, is asked for. */
#include "engine/session/activity/sonde-activity-session.h"

#include <string.h>

#include "data/base/sonde-clock.h"
#include "engine/debug/searches/sonde-diverge.h"
#include "engine/debug/searches/sonde-precision.h"

/* ---- what is asked ------------------------------------------------------- */

static gboolean
check_state (SondeSessionServer *server, GError **error)
{
  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run first.");
  return sonde_activity_session_check_computes (server, error);
}

static gboolean
check_path (const char *path, gboolean can, GError **error)
{
  if (can)
    return sonde_session_check_path (path, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "This engine cannot read or write “%s”.", path);
  return FALSE;
}

static gboolean
parse_precision (const char *name, SondeDtype *dtype, GError **error)
{
  *dtype = name != NULL ? sonde_dtype_from_name (name) : SONDE_DTYPE_INVALID;
  if (name == NULL || *dtype == SONDE_DTYPE_F32 || *dtype == SONDE_DTYPE_F64
      || *dtype == SONDE_DTYPE_F16 || *dtype == SONDE_DTYPE_BF16)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Unknown precision “%s”; use f64, f32, bf16 or f16.", name);
  return FALSE;
}

/* What lies in files, owned until the comparison is over. */
typedef struct
{
  GHashTable *tensors, *weights;
  SondeGraph *graph;
} Files;

static void
files_clear (Files *files)
{
  g_clear_pointer (&files->tensors, g_hash_table_unref);
  g_clear_pointer (&files->weights, g_hash_table_unref);
  g_clear_pointer (&files->graph, sonde_graph_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Files, files_clear)

static gboolean
read_files (SondeSessionServer *server, const SondeDivergeRequest *asked, Files *files,
            GError **error)
{
  SondeSessionHost *host = server->options.host;
  const char *tensors = asked->tensors_path, *weights = asked->weights_path,
             *model = asked->model_path;

  if (tensors != NULL
      && (!check_path (tensors, host->read_tensors != NULL, error)
          || (files->tensors = host->read_tensors (host, tensors, error)) == NULL))
    return FALSE;
  if (weights != NULL
      && (!check_path (weights, host->read_tensors != NULL, error)
          || (files->weights = host->read_tensors (host, weights, error)) == NULL))
    return FALSE;
  return model == NULL
         || (check_path (model, host->load_graph != NULL, error)
             && (files->graph = host->load_graph (host, model, error)) != NULL);
}

/* For reduce: the first node that is over, and the line that shows it in a model of that node
 * alone, where no file of this model is compared with. */
static void
remember_first (SondeSessionServer *server, const SondeDivergeRequest *asked,
                const SondeDivergence *divergence)
{
  const SondeDivergedValue *first
      = divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;
  g_autoptr (GString) line = g_string_new ("diverge");

  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (first == NULL)
    return;
  if (asked->tensors_path != NULL || asked->model_path != NULL || asked->weights_path != NULL)
    g_string_assign (line, "print out");
  else if (asked->device != NULL)
    g_string_append_printf (line, " --device %s", asked->device);
  else if (asked->precision != NULL)
    g_string_append_printf (line, " --precision %s", asked->precision);
  else
    g_string_append (line, asked->optimise_off ? " --optimise off" : " --reference");
  if (asked->has_rtol && g_str_has_prefix (line->str, "diverge"))
    g_string_append_printf (line, " --rtol %s",
                            g_ascii_dtostr (number, sizeof number, asked->rtol));
  sonde_activity_session_remember_failure (sonde_activity_session_of (server), first->node,
                                           line->str);
}

gboolean
sonde_serve_diverge (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  SondeDivergeRequest asked;
  g_auto (Files) files = { NULL };
  SondeSessionWork work = { server, N_ ("comparing"), sonde_clock_monotonic_ns (NULL) };
  SondeDivergeOptions options = { .tick = sonde_session_work_tick, .data = &work };
  g_autoptr (SondeDivergence) divergence = NULL;

  sonde_codec_read_diverge (job->request->diverge, &asked);
  if (!check_state (server, error)
      || !parse_precision (asked.precision, &options.reference.precision, error)
      || !read_files (server, &asked, &files, error))
    return FALSE;
  options.rtol = asked.has_rtol ? asked.rtol : -1;
  options.reference.device = asked.device;
  options.reference.threads = (int) asked.threads;
  options.reference.graph = files.graph;
  options.reference.parameters = files.weights;
  options.tensors = files.tensors;
  options.optimised = asked.optimise_off;
  options.pattern = asked.pattern;
  divergence = sonde_diverge (
      sonde_debugger_get_execution (sonde_activity_session_of (server)->debugger), &options, error);
  if (divergence == NULL)
    return FALSE;
  sonde_codec_write_divergence (answer, divergence);
  remember_first (server, &asked, divergence);
  return TRUE;
}

/* ---- a step of another program ------------------------------------------- */

static gboolean
check_paths (const SondeStepComparisonRequest *asked, gboolean can, GError **error)
{
  const char *const paths[]
      = { asked->values_path, asked->model_path, asked->reference_path, asked->weights_path };

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    if (paths[i] != NULL && !check_path (paths[i], can, error))
      return FALSE;
  if ((asked->model_path != NULL) != (asked->reference_path != NULL))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "A step is compared with a model or with values, one of them.");
  return FALSE;
}

gboolean
sonde_serve_compare_step (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  SondeSessionHost *host = server->options.host;
  const Sonde__Session__CompareStep *message = job->request->compare_step;
  g_autofree const char **order = g_new0 (const char *, message->n_order + 1);
  SondeSessionWork work = { server, N_ ("comparing"), sonde_clock_monotonic_ns (NULL) };
  SondeStepComparisonRequest asked;
  g_autoptr (SondeDivergence) divergence = NULL;

  sonde_codec_read_compare_step (message, &asked);
  for (gsize i = 0; i < message->n_order; i++)
    order[i] = message->order[i];
  asked.order = order;
  if (server->state == SONDE_SESSION_RUNNING) /* something else may be open, or nothing */
    return sonde_session_refuse (error, "Pause the run first.");
  if (!check_paths (&asked, host->compare_step != NULL, error))
    return FALSE;
  divergence = host->compare_step (host, &asked, sonde_session_work_tick, &work, error);
  if (divergence == NULL)
    return FALSE;
  sonde_codec_write_divergence (answer, divergence);
  return TRUE;
}

/* ---- precision ----------------------------------------------------------- */

gboolean
sonde_serve_precision (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                       GError **error)
{
  const Sonde__Session__Precision *message = job->request->precision;
  SondeSessionHost *host = server->options.host;
  g_autofree const char **values = g_new0 (const char *, message->n_values + 1);
  SondeSessionWork work = { server, N_ ("searching"), sonde_clock_monotonic_ns (NULL) };
  SondePrecisionOptions options
      = { SONDE_DTYPE_BF16, message->tolerance, message->n_values > 0 ? values : NULL,
          sonde_session_work_tick, &work };
  g_autoptr (SondePrecisionFound) found = NULL;
  g_autofree char *text = NULL;

  for (gsize i = 0; i < message->n_values; i++)
    values[i] = message->values[i];
  if (!check_state (server, error) || !check_path (message->path, host->write_text != NULL, error)
      || (*message->precision != '\0'
          && !parse_precision (message->precision, &options.precision, error)))
    return FALSE;
  if (!(message->tolerance >= 0))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The tolerance is %g; it must not be negative.", message->tolerance);
      return FALSE;
    }
  found = sonde_precision_search (
      sonde_debugger_get_execution (sonde_activity_session_of (server)->debugger), &options, error);
  if (found == NULL)
    return FALSE;
  text = sonde_precision_format (found);
  if (!host->write_text (host, message->path, text, error))
    return FALSE;
  sonde_codec_write_precision (answer, found);
  answer->reply.path = sonde_codec_text (answer->memory, message->path);
  return TRUE;
}
