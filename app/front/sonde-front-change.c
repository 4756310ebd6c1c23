/* SPDX-License-Identifier: Apache-2.0
 * Commands that change values, and the list of what was changed. */
#include "app/front/sonde-front-private.h"
#include "engine/debug/sonde-edit.h"

#include <string.h>

static void
json_names (SondeJsonText *json, const char *name, char **texts)
{
  sonde_json_text_begin_array (json, name);
  for (char **text = texts; text != NULL && *text != NULL; text++)
    sonde_json_text_string (json, NULL, *text);
  sonde_json_text_end_array (json);
}

void
sonde_front_json_part (SondeJsonText *json, const char *name, const SondeStatistics *statistics)
{
  sonde_json_text_begin_object (json, name);
  sonde_front_json_statistics (json, statistics);
  sonde_json_text_end_object (json);
}

void
sonde_front_json_edit (SondeJsonText *json, const SondeEdit *edit)
{
  sonde_json_text_uint (json, "edit", edit->number);
  sonde_json_text_string (json, "kind", edit->kind);
  sonde_json_text_string (json, "text", edit->text);
  sonde_json_text_uint (json, "step", edit->step);
  sonde_json_text_uint (json, "position", edit->position);
  sonde_json_text_string (json, "node", edit->node);
  sonde_json_text_uint (json, "branch", edit->branch);
  sonde_json_text_string (json, "name", edit->value);
  if (edit->has_statistics)
    {
      sonde_json_text_string (json, "slice", edit->slice);
      sonde_json_text_string (json, "dtype", sonde_dtype_name (edit->dtype));
      sonde_json_text_shape (json, "shape", &edit->shape);
      sonde_json_text_uint (json, "count", edit->count);
      sonde_json_text_uint (json, "changed", edit->changed);
      sonde_json_text_uint (json, "truncated", edit->truncated);
      sonde_front_json_part (json, "old", &edit->before);
      sonde_front_json_part (json, "new", &edit->after);
    }
  if (edit->is_single)
    {
      sonde_json_text_double (json, "old_number", edit->before_number);
      sonde_json_text_double (json, "new_number", edit->after_number);
    }
  json_names (json, "readers", edit->readers);
  json_names (json, "stale", edit->stale);
  sonde_json_text_boolean (json, "effect", edit->effect);
  sonde_json_text_string (json, "warning", edit->warning);
}

static void
text_statistics (GString *text, const char *word, const SondeStatistics *statistics)
{
  g_string_append_printf (text, "  %s min %.6g  max %.6g  mean %.6g  std %.6g", word,
                          statistics->min, statistics->max, statistics->mean, statistics->std);
  if (statistics->nan + statistics->pos_inf + statistics->neg_inf > 0)
    g_string_append_printf (text, "  nan %" G_GINT64_FORMAT "  inf %" G_GINT64_FORMAT,
                            statistics->nan, statistics->pos_inf + statistics->neg_inf);
  g_string_append_c (text, '\n');
}

static void
text_names (GString *text, const char *words, char **names)
{
  guint n = names != NULL ? g_strv_length (names) : 0;

  if (n == 0)
    return;
  g_string_append_printf (text, "  %s ", words);
  for (guint i = 0; i < MIN (n, 6); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", names[i]);
  g_string_append_printf (text, n > 6 ? " and %u more\n" : "\n", n - 6);
}

void
sonde_front_text_edit (GString *text, const SondeEdit *edit)
{
  g_autofree char *shape = sonde_shape_to_string (&edit->shape);

  g_string_append_printf (text, "%u: %s (before %s, step %" G_GUINT64_FORMAT ", branch %u)\n",
                          edit->number, edit->text, edit->node, edit->step, edit->branch);
  if (edit->is_single)
    g_string_append_printf (text, "  %.9g -> %.9g\n", edit->before_number, edit->after_number);
  if (edit->has_statistics)
    {
      g_string_append_printf (text,
                              "  %s %s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " changed\n",
                              sonde_dtype_name (edit->dtype), shape, edit->changed, edit->count);
      text_statistics (text, "old", &edit->before);
      text_statistics (text, "new", &edit->after);
    }
  text_names (text, "will be read by", edit->readers);
  text_names (text, "already read by (what they made stays)", edit->stale);
  if (edit->warning != NULL)
    g_string_append_printf (text, "  %s\n", edit->warning);
}

char *
sonde_front_absolute_source (const char *what)
{
  g_autofree char *file = NULL, *path = NULL;
  const char *run = strstr (what, "@run:");

  if (run != NULL)
    {
      g_autofree char *value = g_strndup (what, (gsize) (run - what));

      path = g_canonicalize_filename (run + strlen ("@run:"), NULL); /* a step behind it stays */
      return g_strconcat (value, "@run:", path, NULL);
    }
  if (!g_str_has_prefix (what, "file:"))
    return g_strdup (what);
  file = sonde_front_unquote (what + strlen ("file:"));
  path = g_canonicalize_filename (file, NULL);
  return g_strconcat ("file:", path, NULL);
}

gboolean
sonde_front_run_set (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                     GError **error)
{
  g_autofree char *target = NULL, *what = NULL, *name = NULL, *source = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  if (!sonde_edit_split (arguments, &target, &what))
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Set what to what? set VALUE[slice] = NUMBER, file:F.npy or an expression.");
      return FALSE;
    }
  name = sonde_front_unquote (target);
  source = sonde_front_absolute_source (what);
  reply = sonde_front_call (front, sonde_session_request_set (name, source), error);
  if (reply == NULL || reply->edits->len == 0)
    return FALSE;
  if (front->options.json)
    sonde_front_json_edit (&answer->json, g_ptr_array_index (reply->edits, 0));
  else
    sonde_front_text_edit (answer->text, g_ptr_array_index (reply->edits, 0));
  return TRUE;
}

gboolean
sonde_front_info_edits (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_branch (SONDE_BRANCH_EDITS, NULL), error);

  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "edits");
  for (guint i = 0; i < reply->edits->len; i++)
    {
      const SondeEdit *edit = g_ptr_array_index (reply->edits, i);

      if (!front->options.json)
        {
          sonde_front_text_edit (answer->text, edit);
          continue;
        }
      sonde_json_text_begin_object (&answer->json, NULL);
      sonde_front_json_edit (&answer->json, edit);
      sonde_json_text_end_object (&answer->json);
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  else if (reply->edits->len == 0)
    g_string_append (answer->text, "Nothing was changed.\n");
  return TRUE;
}
