/* SPDX-License-Identifier: Apache-2.0
 * Comparing the run with a reference run, node by node. */
#include <math.h>
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/commands/sonde-foreign-step.h"

/* @request points to the strings, which are owned. Paths stay as they were given. */
typedef struct
{
  SondeCommand parent;
  SondeDivergeRequest request;
  char *device, *precision, *tensors, *model, *weights, *pattern;
} Diverge;

/* ---- parsing ------------------------------------------------------------- */

/* @why: a sentence, marked by N_() */
static gboolean
fail_usage (GError **error, const char *why)
{
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
      "%-s Usage: diverge --device D | --precision f64|bf16|f16 | --reference [F.npz] | "
      "--model F.onnx | --weights F | --optimise off | --dump DIR, and --rtol R, --node "
      "GLOB, --threads N; in a PyTorch session --model F.onnx [--weights F] [--gradients] | "
      "--reference "
      "F.npz | --dump DIR.",
      why);
  return FALSE;
}

static void
take (char **owned, const char *value)
{
  g_free (*owned);
  *owned = g_strdup (value);
}

static gboolean
parse_tolerance (const char *text, double *number, GError **error)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *number >= 0 && isfinite (*number))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is not a valid tolerance: specify a number of at least 0, such as 1e-3.",
                   text);
  return FALSE;
}

/* What the run is compared with. FALSE: no such option */
static gboolean
take_reference (Diverge *self, const char *option, const char *value)
{
  if (g_str_equal (option, "--device"))
    take (&self->device, value);
  else if (g_str_equal (option, "--precision"))
    take (&self->precision, value);
  else if (g_str_equal (option, "--model"))
    take (&self->model, value);
  else if (g_str_equal (option, "--weights"))
    take (&self->weights, value);
  else if (g_str_equal (option, "--dump"))
    take (&self->tensors, value);
  else if (g_str_equal (option, "--optimise") && g_str_equal (value, "off"))
    self->request.optimise_off = TRUE;
  else
    return FALSE;
  return TRUE;
}

/* @n_references: counts what the run is compared with */
static gboolean
take_option (Diverge *self, const char *option, const char *value, guint *n_references,
             GError **error)
{
  guint64 threads = 0;

  if (value == NULL)
    return fail_usage (error, N_ ("The last option has no value."));
  if (g_str_equal (option, "--rtol"))
    {
      self->request.has_rtol = TRUE;
      return parse_tolerance (value, &self->request.rtol, error);
    }
  if (g_str_equal (option, "--node"))
    {
      take (&self->pattern, value);
      return TRUE;
    }
  (*n_references)++;
  if (!g_str_equal (option, "--threads"))
    return take_reference (self, option, value) || fail_usage (error, N_ ("Unknown option."));
  if (!sonde_words_parse_number (value, 1, N_ ("number of threads"), &threads, error))
    return FALSE;
  self->request.threads = (guint) MIN (threads, 4096);
  return TRUE;
}

static void
fill_request (Diverge *self)
{
  self->request.device = self->device;
  self->request.precision = self->precision;
  self->request.tensors_path = self->tensors;
  self->request.model_path = self->model;
  self->request.weights_path = self->weights;
  self->request.pattern = self->pattern;
}

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Diverge *self = (Diverge *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);
  guint n_references = 0;

  if (!sonde_words_are_closed (words, error))
    return FALSE;
  for (guint i = 0; i < words->len; i++)
    {
      const char *option = sonde_words_get (words, i)->text;
      const char *value = i + 1 < words->len ? sonde_words_get (words, i + 1)->text : NULL;

      if (g_str_equal (option, "--gradients"))
        {
          self->request.gradients = TRUE;
          continue;
        }
      if (value != NULL && g_str_has_prefix (value, "--"))
        value = NULL;
      i += value != NULL;
      if (!g_str_equal (option, "--reference"))
        {
          if (!take_option (self, option, value, &n_references, error))
            return FALSE;
          continue;
        }
      n_references++;
      if (value != NULL)
        take (&self->tensors, value);
      else
        take (&self->device, "reference");
    }
  fill_request (self);
  return n_references > 0 || fail_usage (error, N_ ("No reference given."));
}

static void
append_option (GString *line, const char *option, const char *value)
{
  if (value == NULL)
    return;
  g_string_append_printf (line, " %s", option);
  sonde_command_append_word (line, value);
}

static void
format (const SondeCommand *command, GString *line)
{
  const Diverge *self = (const Diverge *) command;

  append_option (line, "--device", self->device);
  append_option (line, "--precision", self->precision);
  append_option (line, "--reference", self->tensors);
  append_option (line, "--model", self->model);
  append_option (line, "--weights", self->weights);
  append_option (line, "--optimise", self->request.optimise_off ? "off" : NULL);
  if (self->request.has_rtol)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      append_option (line, "--rtol", g_ascii_dtostr (number, sizeof number, self->request.rtol));
    }
  if (self->request.gradients)
    g_string_append (line, " --gradients");
  append_option (line, "--node", self->pattern);
  if (self->request.threads > 0)
    g_string_append_printf (line, " --threads %u", self->request.threads);
}

/* ---- running ------------------------------------------------------------- */

static void
clear (SondeCommand *command)
{
  Diverge *self = (Diverge *) command;

  g_free (self->device);
  g_free (self->precision);
  g_free (self->tensors);
  g_free (self->model);
  g_free (self->weights);
  g_free (self->pattern);
}

static char *
absolute (const char *path)
{
  return path != NULL ? sonde_command_absolute_path (path) : NULL;
}

/* ---- a step of another program ------------------------------------------- */

static gboolean
is_interrupted (gpointer runner)
{
  return sonde_command_runner_is_interrupted (runner);
}

static void
tell_reading (double fraction, gpointer runner)
{
  sonde_command_runner_tell_progress (runner, N_ ("reading the values of the step"), fraction);
}

static gboolean
check_foreign (const Diverge *self, const SondeSessionStatus *status, GError **error)
{
  if (status->state == SONDE_SESSION_RUNNING)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "Pause the run first.");
  else if ((self->model != NULL) == (self->tensors != NULL) || self->device != NULL
           || self->precision != NULL || self->request.optimise_off)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
        "A step of PyTorch is compared with its export, --model F.onnx, or with values, "
        "--reference F.npz or --dump DIR: nothing of it runs a second time.");
  else if (self->model == NULL && (self->weights != NULL || self->request.gradients))
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "--weights and --gradients belong to --model.");
  else
    return TRUE;
  return FALSE;
}

static SondeDivergence *
compare_step (const Diverge *self, const SondeDivergeRequest *paths, SondeForeignStep *step,
              SondeCommandRunner *runner, GError **error)
{
  SondeStepComparisonRequest asked = {
    .model_path = paths->model_path,
    .reference_path = paths->tensors_path,
    .values_path = step->values,
    .weights_path = paths->weights_path != NULL ? paths->weights_path : step->weights,
    .gradients = self->request.gradients,
    .has_rtol = self->request.has_rtol,
    .rtol = self->request.rtol,
    .pattern = self->pattern,
    .threads = self->request.threads,
  };
  g_autoptr (SondeSessionReply) reply = NULL;
  SondeDivergence *divergence;

  g_ptr_array_add (step->order, NULL);
  asked.order = (const char *const *) step->order->pdata;
  sonde_command_runner_tell_progress (runner, N_ ("comparing"), 0);
  reply = sonde_command_runner_call_helper (runner, sonde_session_request_compare_step (&asked),
                                            (int) self->request.threads, error);
  if (reply == NULL || reply->divergence == NULL)
    return NULL;
  divergence = g_steal_pointer (&reply->divergence);
  g_ptr_array_unref (divergence->absent);
  divergence->absent = g_ptr_array_ref (step->absent);
  return divergence;
}

static SondeCommandResult *
run_foreign (const Diverge *self, const SondeDivergeRequest *paths, SondeCommandRunner *runner,
             GError **error)
{
  /* gradients of a file of values may be there, too */
  SondeForeignStepOptions options = { .weights = self->model != NULL && self->weights == NULL,
                                      .gradients = self->request.gradients || self->model == NULL,
                                      .sums = self->model == NULL,
                                      .pattern = self->pattern,
                                      .is_given_up = is_interrupted,
                                      .progress = tell_reading,
                                      .data = runner };
  g_autoptr (SondeForeignStep) step
      = sonde_foreign_step_fetch (sonde_command_runner_get_client (runner), &options, error);
  SondeDivergence *divergence
      = step != NULL ? compare_step (self, paths, step, runner, error) : NULL;

  return divergence != NULL ? sonde_command_divergence_new (divergence) : NULL;
}

/* ---- running ------------------------------------------------------------- */

static SondeCommandResult *
run_own (const Diverge *self, const SondeDivergeRequest *paths, SondeCommandRunner *runner,
         GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  if (self->request.gradients)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "--gradients belongs to a PyTorch session: a training here is compared with its "
          "backward pass in any case.");
      return NULL;
    }
  reply = sonde_command_runner_call (runner, sonde_session_request_diverge (paths), error);
  if (reply == NULL || reply->divergence == NULL)
    return NULL;
  return sonde_command_divergence_new (g_steal_pointer (&reply->divergence));
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Diverge *self = (const Diverge *) command;
  SondeDivergeRequest request = self->request;
  g_autofree char *tensors = absolute (self->tensors), *model = absolute (self->model),
                  *weights = absolute (self->weights);
  g_autoptr (SondeSessionStatus) status = sonde_command_runner_get_status (runner, error);

  if (status == NULL)
    return NULL;
  request.tensors_path = tensors;
  request.model_path = model;
  request.weights_path = weights;
  if (status->facts.kind != SONDE_ACTIVITY_PYTORCH)
    return run_own (self, &request, runner, error);
  return check_foreign (self, status, error) ? run_foreign (self, &request, runner, error) : NULL;
}

SondeCommand *
sonde_command_new_diverge (const SondeDivergeRequest *diverge)
{
  Diverge *self = sonde_command_new (&sonde_command_class_diverge);

  self->request = *diverge;
  self->device = g_strdup (diverge->device);
  self->precision = g_strdup (diverge->precision);
  self->tensors = g_strdup (diverge->tensors_path);
  self->model = g_strdup (diverge->model_path);
  self->weights = g_strdup (diverge->weights_path);
  self->pattern = g_strdup (diverge->pattern);
  fill_request (self);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_diverge
    = { .name = "diverge",
        .arguments = "--device D|--precision P|--reference [F.npz]|--model F.onnx|--weights "
                     "F|--optimise off|--dump DIR",
        .summary = N_ ("Find the first node that differs from a reference run; also --rtol R, "
                       "--node GLOB, --threads N, in a PyTorch session --gradients."),
        .size = sizeof (Diverge),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
