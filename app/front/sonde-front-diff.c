/* SPDX-License-Identifier: Apache-2.0
 * Commands that compare: a node computed again, two values, two branches. */
#include "app/front/sonde-front-private.h"

#include <string.h>

/* ---- one difference ------------------------------------------------------ */

static void
json_index (SondeJsonText *json, const SondeDifference *difference)
{
  g_auto (GStrv) parts = NULL;
  g_autofree char *inside = NULL;

  if (difference->place == NULL || strlen (difference->place) < 2)
    {
      sonde_json_text_string (json, "index", NULL);
      return;
    }
  inside = g_strndup (difference->place + 1, strlen (difference->place) - 2);
  parts = *inside != '\0' ? g_strsplit (inside, ",", -1) : g_new0 (char *, 1);
  sonde_json_text_begin_array (json, "index");
  for (char **part = parts; *part != NULL; part++)
    sonde_json_text_int (json, NULL, g_ascii_strtoll (*part, NULL, 10));
  sonde_json_text_end_array (json);
}

static void
json_difference (SondeJsonText *json, const SondeDifference *difference)
{
  const SondeComparison *numbers = &difference->comparison;

  if (difference->problem != NULL)
    {
      sonde_json_text_string (json, "problem", difference->problem);
      return;
    }
  sonde_json_text_string (json, "dtype", sonde_dtype_name (difference->dtype));
  sonde_json_text_shape (json, "shape", &difference->shape);
  sonde_json_text_double (json, "max_abs", numbers->max_abs);
  sonde_json_text_double (json, "max_rel", numbers->max_rel);
  sonde_json_text_double (json, "mean_abs", numbers->mean_abs);
  sonde_json_text_double (json, "rms", numbers->rms);
  sonde_json_text_double (json, "cosine", numbers->cosine);
  sonde_json_text_double (json, "max_reference", numbers->max_reference);
  sonde_json_text_double (json, "max_ulp", numbers->max_ulp);
  sonde_json_text_uint (json, "differing", numbers->differing);
  sonde_json_text_uint (json, "nan_mismatch", numbers->nan_mismatch);
  sonde_json_text_uint (json, "count", numbers->count);
  json_index (json, difference);
  sonde_json_text_double (json, "a", numbers->a);
  sonde_json_text_double (json, "b", numbers->b);
}

static void
text_difference (GString *text, const SondeDifference *difference)
{
  const SondeComparison *numbers = &difference->comparison;

  if (difference->problem != NULL)
    g_string_append_printf (text, "%s\n", difference->problem);
  else if (numbers->differing == 0)
    g_string_append_printf (text, "equal, %" G_GUINT64_FORMAT " elements\n", numbers->count);
  else
    g_string_append_printf (
        text,
        "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " differ, max abs %.6g, max rel %.6g, mean abs %.6g, cosine %.9g, at %s: %.9g and %.9g\n",
        numbers->differing, numbers->count, numbers->max_abs, numbers->max_rel, numbers->mean_abs,
        numbers->cosine, difference->place != NULL ? difference->place : "-", numbers->a,
        numbers->b);
}

static gboolean
differs (const SondeDifference *difference)
{
  return difference->problem != NULL || difference->comparison.differing > 0;
}

/* ---- rerun --------------------------------------------------------------- */

/* "NODE [--precision P] [--device D] [--reference] [--take]". @spec lends from @words */
static gboolean
parse_rerun (const char *arguments, GPtrArray *words, SondeRerunOptions *spec, GError **error)
{
  g_autofree char *rest = g_strdup (arguments);

  while (TRUE)
    {
      char *last = NULL;
      char *before = sonde_front_split_last (rest, &last);

      g_ptr_array_add (words, last);
      if (last != NULL && g_str_equal (last, "--take"))
        spec->take = TRUE;
      else if (last != NULL && g_str_equal (last, "--reference"))
        spec->device = "reference";
      else if (before != NULL && g_str_has_suffix (before, "--precision"))
        {
          spec->precision = last;
          before[strlen (before) - strlen ("--precision")] = '\0';
        }
      else if (before != NULL && g_str_has_suffix (before, "--device"))
        {
          spec->device = last;
          before[strlen (before) - strlen ("--device")] = '\0';
        }
      else
        {
          g_free (before);
          break;
        }
      g_free (rest);
      rest = g_strstrip (before != NULL ? before : g_strdup (""));
    }
  g_ptr_array_add (words, sonde_front_unquote (rest));
  spec->node = g_ptr_array_index (words, words->len - 1);
  if (*spec->node != '\0' && strstr (spec->node, " --") == NULL
      && !g_str_has_prefix (spec->node, "--"))
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Which node, and how? rerun NODE --precision f64|f32|bf16|f16, --device D "
                       "or --reference, and --take.");
  return FALSE;
}

static const SondeDifference *
find_worst (const GPtrArray *differences)
{
  const SondeDifference *worst = NULL;

  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (worst == NULL || difference->comparison.nan_mismatch > worst->comparison.nan_mismatch
          || (difference->comparison.nan_mismatch == worst->comparison.nan_mismatch
              && difference->comparison.max_abs > worst->comparison.max_abs))
        worst = difference;
    }
  return worst;
}

static void
json_rerun (SondeJsonText *json, const SondeRerunOptions *spec, const SondeSessionReply *reply)
{
  const SondeDifference *worst = find_worst (reply->differences);

  sonde_json_text_string (json, "node", worst != NULL ? worst->node : spec->node);
  sonde_json_text_string (json, "op", worst != NULL ? worst->op : NULL);
  sonde_json_text_string (json, "precision", spec->precision);
  sonde_json_text_string (json, "device", spec->device);
  sonde_json_text_string (json, "note", reply->note);
  sonde_json_text_boolean (json, "taken", reply->edits->len > 0);
  if (worst != NULL)
    {
      sonde_json_text_string (json, "value", worst->value);
      json_difference (json, worst);
    }
  sonde_json_text_begin_array (json, "outputs");
  for (guint i = 0; i < reply->differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (reply->differences, i);

      sonde_json_text_begin_object (json, NULL);
      sonde_json_text_string (json, "value", difference->value);
      json_difference (json, difference);
      sonde_front_json_part (json, "again", &difference->a);
      sonde_front_json_part (json, "run", &difference->b);
      sonde_json_text_end_object (json);
    }
  sonde_json_text_end_array (json);
}

gboolean
sonde_front_run_rerun (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  SondeRerunOptions spec = { NULL };
  g_autoptr (SondeSessionReply) reply = NULL;

  if (!parse_rerun (arguments, words, &spec, error))
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_rerun (&spec), error);
  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    {
      json_rerun (&answer->json, &spec, reply);
      return TRUE;
    }
  g_string_append_printf (answer->text, "%s\n", reply->note != NULL ? reply->note : "");
  for (guint i = 0; i < reply->differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (reply->differences, i);

      g_string_append_printf (answer->text, "  %s: ", difference->value);
      text_difference (answer->text, difference);
    }
  for (guint i = 0; i < reply->edits->len; i++)
    sonde_front_text_edit (answer->text, g_ptr_array_index (reply->edits, i));
  return TRUE;
}

/* ---- diff ---------------------------------------------------------------- */

/* "A B" at the blanks that stand in no brackets or quotes. Returns: (transfer full): at most 3
 * parts */
static GPtrArray *
split_operands (const char *text)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  const char *start = text;
  int depth = 0;
  gboolean quoted = FALSE;

  for (const char *at = text;; at++)
    {
      quoted = *at == '"' ? !quoted : quoted;
      depth += !quoted && (*at == '(' || *at == '[');
      depth -= !quoted && (*at == ')' || *at == ']');
      if (*at != '\0' && (!g_ascii_isspace (*at) || quoted || depth > 0))
        continue;
      if (at > start)
        {
          g_autofree char *part = g_strndup (start, (gsize) (at - start));

          g_ptr_array_add (parts, sonde_front_unquote (part));
        }
      if (*at == '\0')
        return parts;
      start = at + 1;
    }
}

static void
json_branches (SondeJsonText *json, const GPtrArray *differences)
{
  const char *first = NULL;
  guint n_different = 0;

  sonde_json_text_begin_array (json, "nodes");
  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (first == NULL && differs (difference) && difference->node != NULL)
        first = difference->node;
      n_different += differs (difference);
      sonde_json_text_begin_object (json, NULL);
      sonde_json_text_string (json, "node", difference->node);
      sonde_json_text_string (json, "op", difference->op);
      sonde_json_text_string (json, "value", difference->value);
      json_difference (json, difference);
      sonde_json_text_end_object (json);
    }
  sonde_json_text_end_array (json);
  sonde_json_text_uint (json, "different", n_different);
  sonde_json_text_string (json, "first_different_node", first);
}

static void
text_branches (GString *text, const GPtrArray *differences)
{
  guint n = 0;

  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (!differs (difference))
        continue;
      n++;
      g_string_append_printf (text, "%s%s%s: ", difference->value,
                              difference->node != NULL ? " of " : "",
                              difference->node != NULL ? difference->node : "");
      text_difference (text, difference);
    }
  g_string_append_printf (text, "%u of %u values differ.\n", n, differences->len);
}

gboolean
sonde_front_run_diff (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  g_autoptr (GPtrArray) parts = split_operands (arguments);
  g_autofree char *a = NULL, *b = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  if (parts->len < 1 || parts->len > 2)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Compare what? diff A B: values, expressions (in quotes where they have "
                           "blanks), VALUE@BRANCH, "
                           "VALUE@prev, VALUE@run:DIR[:STEP], file:F.npy, or branches.");
      return FALSE;
    }
  a = sonde_front_absolute_source (g_ptr_array_index (parts, 0));
  b = parts->len > 1 ? sonde_front_absolute_source (g_ptr_array_index (parts, 1)) : NULL;
  reply = sonde_front_call (front, sonde_session_request_diff (a, b), error);
  if (reply == NULL)
    return FALSE;
  if (reply->of_branches)
    {
      if (front->options.json)
        json_branches (&answer->json, reply->differences);
      else
        text_branches (answer->text, reply->differences);
      return TRUE;
    }
  if (reply->differences->len == 0)
    return FALSE;
  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "name", a);
      sonde_json_text_string (&answer->json, "reference", b);
      json_difference (&answer->json, g_ptr_array_index (reply->differences, 0));
    }
  else
    text_difference (answer->text, g_ptr_array_index (reply->differences, 0));
  return TRUE;
}
