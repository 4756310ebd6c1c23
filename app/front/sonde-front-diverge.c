/* SPDX-License-Identifier: Apache-2.0
 * Commands that compare the run with another. */
#include "app/front/sonde-front-private.h"

#include <math.h>
#include <string.h>

#include "engine/live/sonde-compare.h"

/* ---- words --------------------------------------------------------------- */

static gboolean
fail_usage (GError **error, const char *why)
{
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "%s: diverge --device D | --precision f64|bf16|f16 | --reference [F.npz] | --model "
               "F.onnx | --weights F | "
               "--optimise off | --dump DIR, and --rtol R, --node GLOB, --threads N.",
               why);
  return FALSE;
}

/* Arguments and what they stand for, owned. */
typedef struct
{
  SondeDivergeRequest request;
  GPtrArray *strings;
  guint n_kinds;
} Parsed;

static const char *
keep (Parsed *parsed, char *text)
{
  g_ptr_array_add (parsed->strings, text);
  return text;
}

/* The engine may run in another folder. */
static const char *
keep_path (Parsed *parsed, const char *path)
{
  return keep (parsed, g_canonicalize_filename (path, NULL));
}

static gboolean
parse_tolerance (const char *text, double *number, GError **error)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *number >= 0 && isfinite (*number))
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "“%s” is no tolerance: give a number from 0 on, as 1e-3.", text);
  return FALSE;
}

static gboolean
take_option (Parsed *parsed, const char *option, const char *value, GError **error)
{
  SondeDivergeRequest *request = &parsed->request;
  guint64 threads = 0;

  if (value == NULL)
    return fail_usage (error, "Something is missing behind the last option");
  if (g_str_equal (option, "--rtol"))
    {
      request->has_rtol = TRUE;
      return parse_tolerance (value, &request->rtol, error);
    }
  if (g_str_equal (option, "--node"))
    return (request->pattern = keep (parsed, g_strdup (value))) != NULL;
  if (g_str_equal (option, "--threads"))
    {
      if (!sonde_front_parse_number (value, 1, "number of threads", &threads, error))
        return FALSE;
      request->threads = (guint) MIN (threads, 4096);
      parsed->n_kinds++;
      return TRUE;
    }
  parsed->n_kinds++;
  if (g_str_equal (option, "--device"))
    request->device = keep (parsed, g_strdup (value));
  else if (g_str_equal (option, "--precision"))
    request->precision = keep (parsed, g_strdup (value));
  else if (g_str_equal (option, "--model"))
    request->model_path = keep_path (parsed, value);
  else if (g_str_equal (option, "--weights"))
    request->weights_path = keep_path (parsed, value);
  else if (g_str_equal (option, "--dump"))
    request->tensors_path = keep_path (parsed, value);
  else if (g_str_equal (option, "--optimise") && g_str_equal (value, "off"))
    request->optimise_off = TRUE;
  else
    return fail_usage (error, "That is not understood");
  return TRUE;
}

static gboolean
parse (Parsed *parsed, const char *arguments, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) failure = NULL;
  int n = 0;

  if (*arguments != '\0' && !g_shell_parse_argv (arguments, &n, &words, &failure))
    return fail_usage (error, failure->message);
  for (int i = 0; i < n; i++)
    {
      const char *option = words[i],
                 *value = i + 1 < n && !g_str_has_prefix (words[i + 1], "--") ? words[++i] : NULL;

      if (!g_str_equal (option, "--reference"))
        {
          if (!take_option (parsed, option, value, error))
            return FALSE;
          continue;
        }
      parsed->n_kinds++;
      if (value != NULL)
        parsed->request.tensors_path = keep_path (parsed, value);
      else
        parsed->request.device = "reference";
    }
  if (parsed->n_kinds == 0)
    return fail_usage (error, "With what is it to be compared");
  return TRUE;
}

/* ---- answers ------------------------------------------------------------- */

static void
json_error (SondeJsonText *json, const char *name, double number)
{
  if (isnan (number))
    sonde_json_text_string (json, name, NULL);
  else
    sonde_json_text_double (json, name, number);
}

static void
json_value (SondeJsonText *json, const SondeDivergedValue *value)
{
  g_autofree char *index
      = value->index >= 0 ? sonde_compare_format_index (&value->shape, value->index) : NULL;

  sonde_json_text_begin_object (json, NULL);
  sonde_json_text_string (json, "node", value->node);
  sonde_json_text_string (json, "op", value->op);
  sonde_json_text_string (json, "value", value->value);
  json_error (json, "own_error", value->own_error);
  json_error (json, "inherited_error", value->inherited_error);
  sonde_json_text_boolean (json, "over", value->over);
  sonde_json_text_double (json, "max_reference", value->largest);
  sonde_json_text_double (json, "tolerance", value->tolerance);
  sonde_json_text_string (json, "phase", sonde_phase_name (value->phase));
  if (value->reference != NULL)
    sonde_json_text_string (json, "reference", value->reference);
  if (value->n_fused > 1)
    sonde_json_text_uint (json, "fused", value->n_fused);
  if (value->n_nodes > 1)
    sonde_json_text_uint (json, "span", value->n_nodes);
  if (index != NULL)
    {
      sonde_json_text_string (json, "index", index);
      sonde_json_text_double (json, "number", value->number);
      sonde_json_text_double (json, "expected", value->wanted);
    }
  sonde_json_text_end_object (json);
}

void
sonde_front_json_names (SondeJsonText *json, const char *name, const GPtrArray *names)
{
  sonde_json_text_begin_array (json, name);
  for (guint i = 0; i < names->len; i++)
    sonde_json_text_string (json, NULL, names->pdata[i]);
  sonde_json_text_end_array (json);
}

static guint
count_over (const SondeDivergence *divergence)
{
  guint n = 0;

  for (guint i = 0; i < divergence->values->len; i++)
    n += ((const SondeDivergedValue *) g_ptr_array_index (divergence->values, i))->over;
  return n;
}

static void
json_divergence (SondeJsonText *json, const SondeDivergence *divergence)
{
  const SondeDivergedValue *first
      = divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;

  sonde_json_text_begin_array (json, "nodes");
  for (guint i = 0; i < divergence->values->len; i++)
    json_value (json, g_ptr_array_index (divergence->values, i));
  sonde_json_text_end_array (json);
  sonde_json_text_string (json, "first_divergent_node", first != NULL ? first->node : NULL);
  sonde_json_text_uint (json, "over", count_over (divergence));
  sonde_front_json_names (json, "unmatched", divergence->unmatched);
  sonde_front_json_names (json, "unused", divergence->unused);
}

static void
text_value (GString *text, const SondeDivergedValue *value)
{
  g_string_append_printf (text, "%-5s %-11.4g %-11.4g %-11.4g %s (%s) -> %s",
                          value->over ? "OVER" : "", value->own_error, value->inherited_error,
                          value->tolerance, value->node, value->op, value->value);
  if (value->n_fused > 1)
    g_string_append_printf (text, ", %u nodes fused into one", value->n_fused);
  if (value->n_nodes > 1)
    g_string_append_printf (text, ", judged over %u nodes", value->n_nodes);
  g_string_append_c (text, '\n');
}

static void
text_divergence (GString *text, const SondeDivergence *divergence)
{
  const SondeDivergedValue *first
      = divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;

  g_string_append (text, "      own error   inherited   tolerance   node\n");
  for (guint i = 0; i < divergence->values->len; i++)
    text_value (text, g_ptr_array_index (divergence->values, i));
  for (guint i = 0; i < divergence->unmatched->len; i++)
    g_string_append_printf (text, "      no partner: %s\n",
                            (const char *) divergence->unmatched->pdata[i]);
  for (guint i = 0; i < divergence->unused->len; i++)
    g_string_append_printf (text, "      not found here: %s\n",
                            (const char *) divergence->unused->pdata[i]);
  if (first == NULL)
    g_string_append_printf (text, "No node is over its tolerance (%u values).\n",
                            divergence->values->len);
  else
    g_string_append_printf (
        text, "First divergent node: %s (%s), own error %.6g; %u of %u values are over.\n",
        first->node, first->op, first->own_error, count_over (divergence), divergence->values->len);
}

gboolean
sonde_front_run_diverge (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);
  Parsed parsed = { .strings = strings };
  g_autoptr (SondeSessionReply) reply = NULL;

  if (!parse (&parsed, arguments, error))
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_diverge (&parsed.request), error);
  if (reply == NULL || reply->divergence == NULL)
    return FALSE;
  if (front->options.json)
    json_divergence (&answer->json, reply->divergence);
  else
    text_divergence (answer->text, reply->divergence);
  return TRUE;
}
