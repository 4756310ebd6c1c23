/* SPDX-License-Identifier: Apache-2.0
 * The search for nodes that must stay float32. */
#include "app/front/sonde-front-private.h"

#include <math.h>
#include <string.h>

/* Words of the command, owned. */
typedef struct
{
  char **words;
  const char *path, *precision;
  GPtrArray *values; /* lent, NULL-terminated when parsed */
  double tolerance;
} Parsed;

static gboolean
fail_usage (GError **error, const char *why)
{
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "%s: precision F.ini --tolerance T [--precision bf16|f16] [--value V]…", why);
  return FALSE;
}

static gboolean
take_option (Parsed *parsed, const char *option, const char *value, GError **error)
{
  char *end = NULL;

  if (value == NULL)
    return fail_usage (error, "Something is missing behind the last option");
  if (g_str_equal (option, "--precision"))
    parsed->precision = value;
  else if (g_str_equal (option, "--value"))
    g_ptr_array_add (parsed->values, (gpointer) value);
  else if (!g_str_equal (option, "--tolerance"))
    return fail_usage (error, "That is not understood");
  else
    {
      parsed->tolerance = g_ascii_strtod (value, &end);
      if (end == value || *end != '\0' || !(parsed->tolerance >= 0) || isinf (parsed->tolerance))
        return fail_usage (error, "The tolerance is no number from 0 on");
    }
  return TRUE;
}

static gboolean
parse (Parsed *parsed, const char *arguments, GError **error)
{
  g_autoptr (GError) failure = NULL;
  int n = 0;

  parsed->tolerance = -1;
  if (*arguments != '\0' && !g_shell_parse_argv (arguments, &n, &parsed->words, &failure))
    return fail_usage (error, failure->message);
  for (int i = 0; i < n; i++)
    if (!g_str_has_prefix (parsed->words[i], "--"))
      {
        if (parsed->path != NULL)
          return fail_usage (error, "There is one file");
        parsed->path = parsed->words[i];
      }
    else
      {
        if (!take_option (parsed, parsed->words[i], i + 1 < n ? parsed->words[i + 1] : NULL, error))
          return FALSE;
        i++;
      }
  g_ptr_array_add (parsed->values, NULL);
  if (parsed->path == NULL || !g_str_has_suffix (parsed->path, ".ini"))
    return fail_usage (error, "Give the file that is to be written; it ends in .ini");
  return parsed->tolerance >= 0
         || fail_usage (error,
                        "Give a tolerance, relative to the largest number of an output, as 0.01");
}

static void
json_found (SondeJsonText *json, const char *file, const SondePrecisionFound *found)
{
  sonde_json_text_string (json, "file", file);
  sonde_json_text_double (json, "tolerance", found->tolerance);
  sonde_json_text_double (json, "reached", found->reached);
  sonde_front_json_names (json, "kept", found->kept);
  sonde_json_text_uint (json, "nodes", found->n_nodes);
  sonde_json_text_uint (json, "runs", found->n_runs);
  sonde_json_text_double (json, "whole_runs", found->whole_runs);
  sonde_json_text_string (json, "precision", sonde_dtype_name (found->precision));
  sonde_json_text_double (json, "all_low", found->lowest);
  sonde_front_json_names (json, "values", found->values);
}

static void
text_found (GString *text, const char *file, const SondePrecisionFound *found)
{
  g_string_append_printf (text,
                          "%u of %u nodes stay float32, the others are %s: error %.4g of at most "
                          "%.4g (all %s: %.4g).\n",
                          found->kept->len, found->n_nodes, sonde_dtype_name (found->precision),
                          found->reached, found->tolerance, sonde_dtype_name (found->precision),
                          found->lowest);
  for (guint i = 0; i < found->kept->len; i++)
    g_string_append_printf (text, "  %s\n", (const char *) found->kept->pdata[i]);
  g_string_append_printf (text, "%u sets were tried, which took as much as %.1f runs -> %s\n",
                          found->n_runs, found->whole_runs, file);
}

gboolean
sonde_front_run_precision (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                           GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  Parsed parsed = { .values = values };
  g_autoptr (SondeSessionReply) reply = NULL;
  gboolean good = parse (&parsed, arguments, error);
  g_auto (GStrv) words = parsed.words;
  g_autofree char *path = good ? g_canonicalize_filename (parsed.path, NULL) : NULL;

  if (!good)
    return FALSE;
  reply
      = sonde_front_call (front,
                          sonde_session_request_precision (path, parsed.precision, parsed.tolerance,
                                                           (const char *const *) values->pdata),
                          error);
  if (reply == NULL || reply->precision == NULL)
    return FALSE;
  if (front->options.json)
    json_found (&answer->json, parsed.path, reply->precision);
  else
    text_found (answer->text, parsed.path, reply->precision);
  return TRUE;
}
