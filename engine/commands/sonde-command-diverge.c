/* SPDX-License-Identifier: Apache-2.0
 * Comparing the run with a reference run, node by node. */
#include <math.h>
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-compare.h"

/* @request points to the strings, which are owned. Paths stay as they were given. */
typedef struct
{
  SondeCommand parent;
  SondeDivergeRequest request;
  char *device, *precision, *tensors, *model, *weights, *pattern;
} Diverge;

/* ---- JSON ---------------------------------------------------------------- */

/* null: not known */
static void
json_error (const char *name, double number, JsonBuilder *builder)
{
  if (isnan (number))
    sonde_json_set_string (builder, name, NULL);
  else
    sonde_json_set_double (builder, name, number);
}

static void
json_value (const SondeDivergedValue *value, JsonBuilder *builder)
{
  g_autofree char *index
      = value->index >= 0 ? sonde_compare_format_index (&value->shape, value->index) : NULL;

  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "node", value->node);
  sonde_json_set_string (builder, "op", value->op);
  sonde_json_set_string (builder, "value", value->value);
  json_error ("own_error", value->own_error, builder);
  json_error ("inherited_error", value->inherited_error, builder);
  sonde_json_set_boolean (builder, "over", value->over);
  sonde_json_set_double (builder, "max_reference", value->largest);
  sonde_json_set_double (builder, "tolerance", value->tolerance);
  sonde_json_set_string (builder, "phase", sonde_phase_name (value->phase));
  if (value->reference != NULL)
    sonde_json_set_string (builder, "reference", value->reference);
  if (value->n_fused > 1)
    sonde_json_set_int (builder, "fused", value->n_fused);
  if (value->n_nodes > 1)
    sonde_json_set_int (builder, "span", value->n_nodes);
  if (index != NULL)
    {
      sonde_json_set_string (builder, "index", index);
      sonde_json_set_double (builder, "number", value->number);
      sonde_json_set_double (builder, "expected", value->wanted);
    }
  json_builder_end_object (builder);
}

static guint
count_over (const SondeDivergence *divergence)
{
  guint n = 0;

  for (guint i = 0; i < divergence->values->len; i++)
    n += ((const SondeDivergedValue *) g_ptr_array_index (divergence->values, i))->over;
  return n;
}

static const SondeDivergedValue *
first_of (const SondeDivergence *divergence)
{
  return divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeDivergence *divergence = result->divergence;
  const SondeDivergedValue *first = first_of (divergence);

  sonde_json_begin_array (builder, "nodes");
  for (guint i = 0; i < divergence->values->len; i++)
    json_value (g_ptr_array_index (divergence->values, i), builder);
  json_builder_end_array (builder);
  sonde_json_set_string (builder, "first_divergent_node", first != NULL ? first->node : NULL);
  sonde_json_set_int (builder, "over", count_over (divergence));
  sonde_command_json_names (divergence->unmatched, "unmatched", builder);
  sonde_command_json_names (divergence->unused, "unused", builder);
}

/* ---- text ---------------------------------------------------------------- */

static void
text_value (const SondeDivergedValue *value, GString *text)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *joined = NULL;

  sonde_clauses_add (clauses, "%s (%s) -> %s", value->node, value->op, value->value);
  if (value->n_fused > 1)
    sonde_clauses_add (clauses, _ ("%u nodes fused into one"), value->n_fused);
  if (value->n_nodes > 1)
    sonde_clauses_add (clauses, _ ("measured over %u nodes"), value->n_nodes);
  joined = sonde_clauses_join (clauses);
  sonde_command_append_cell (text, value->over ? C_ ("beyond the tolerance", "OVER") : "", 6);
  g_string_append_printf (text, "%-11.4g %-11.4g %-11.4g %s\n", value->own_error,
                          value->inherited_error, value->tolerance, joined);
}

static void
text_heads (GString *text)
{
  sonde_command_append_cell (text, "", 6);
  sonde_command_append_cell (text, C_ ("column", "own error"), 12);
  sonde_command_append_cell (text, C_ ("column", "inherited"), 12);
  sonde_command_append_cell (text, C_ ("column", "tolerance"), 12);
  g_string_append_printf (text, "%s\n", C_ ("column", "node"));
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeDivergence *divergence = result->divergence;
  const SondeDivergedValue *first = first_of (divergence);

  text_heads (text);
  for (guint i = 0; i < divergence->values->len; i++)
    text_value (g_ptr_array_index (divergence->values, i), text);
  for (guint i = 0; i < divergence->unmatched->len; i++)
    g_string_append_printf (text, _ ("      no reference value: %s\n"),
                            (const char *) divergence->unmatched->pdata[i]);
  for (guint i = 0; i < divergence->unused->len; i++)
    g_string_append_printf (text, _ ("      not found in this model: %s\n"),
                            (const char *) divergence->unused->pdata[i]);
  if (first == NULL)
    g_string_append_printf (text, _ ("All nodes are within tolerance (%u values).\n"),
                            divergence->values->len);
  else
    g_string_append_printf (text,
                            _ ("First divergent node: %s (%s), own error %.6g; %u of %u values "
                               "exceed the tolerance.\n"),
                            first->node, first->op, first->own_error, count_over (divergence),
                            divergence->values->len);
}

static void
result_clear (SondeCommandResult *result)
{
  sonde_divergence_free (result->divergence);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- parsing ------------------------------------------------------------- */

/* @why: a sentence, marked by N_() */
static gboolean
fail_usage (GError **error, const char *why)
{
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
      "%-s Usage: diverge --device D | --precision f64|bf16|f16 | --reference [F.npz] | "
      "--model F.onnx | --weights F | --optimise off | --dump DIR, and --rtol R, --node "
      "GLOB, --threads N.",
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

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Diverge *self = (const Diverge *) command;
  SondeDivergeRequest request = self->request;
  g_autofree char *tensors = absolute (self->tensors), *model = absolute (self->model),
                  *weights = absolute (self->weights);
  g_autoptr (SondeSessionReply) reply = NULL;
  SondeCommandResult *result;

  request.tensors_path = tensors;
  request.model_path = model;
  request.weights_path = weights;
  reply = sonde_command_runner_call (runner, sonde_session_request_diverge (&request), error);
  if (reply == NULL || reply->divergence == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_DIVERGENCE, &result_class);
  result->divergence = g_steal_pointer (&reply->divergence);
  return result;
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
                       "--node GLOB, --threads N."),
        .size = sizeof (Diverge),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
