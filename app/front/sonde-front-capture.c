/* SPDX-License-Identifier: Apache-2.0
 * Capture files: what is needed to run this moment again elsewhere. */
#include "app/front/sonde-front-private.h"

#include <stdlib.h>
#include <string.h>

/* ---- breakpoints as they are typed --------------------------------------- */

/* (transfer full) */
static char *
command_of_breakpoint (const SondeBreakpoint *info)
{
  GString *line = g_string_new (info->log != NULL ? "log "
                                : info->temporary ? "tbreak "
                                                  : "break ");

  g_string_append (line, info->pattern);
  g_string_append_printf (line, " %s", sonde_moment_name (info->moment));
  if (info->log != NULL)
    g_string_append_printf (line, " \"%s\"", info->log);
  if (info->condition != NULL && info->hit_condition != NULL)
    g_string_append_printf (line, " if (%s) && (%s)", info->condition, info->hit_condition);
  else if (info->condition != NULL || info->hit_condition != NULL)
    g_string_append_printf (line, " if %s",
                            info->condition != NULL ? info->condition : info->hit_condition);
  return g_string_free (line, FALSE);
}

/* (transfer full) */
static char *
command_of_watch (const SondeWatch *info)
{
  GString *line = g_string_new ("watch ");

  g_string_append (line, info->text);
  if (info->pattern != NULL)
    g_string_append_printf (line, " on %s", info->pattern);
  g_string_append (line, info->on_inputs ? " inputs" : "");
  g_string_append (line, info->log_only ? " nostop" : "");
  return g_string_free (line, FALSE);
}

/* (element-type SondeCaptureStop) (transfer full) */
static GPtrArray *
list_stops (SondeFront *front, GError **error)
{
  g_autoptr (GPtrArray) stops
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_capture_stop_free);
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_list_breakpoints (), error);
  g_autoptr (SondeSessionReply) watches
      = reply != NULL ? sonde_front_call (front, sonde_session_request_list_watches (), error)
                      : NULL;

  if (watches == NULL)
    return NULL;
  for (guint i = 0; i < reply->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (reply->breakpoints, i);
      g_autofree char *command = command_of_breakpoint (info);

      g_ptr_array_add (stops, sonde_capture_stop_new (command, info->enabled));
    }
  for (guint i = 0; watches->watches != NULL && i < watches->watches->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (watches->watches, i);
      g_autofree char *command = command_of_watch (info);

      g_ptr_array_add (stops, sonde_capture_stop_new (command, info->enabled));
    }
  return g_steal_pointer (&stops);
}

void
sonde_front_restore_stops (SondeFront *front, const GPtrArray *stops)
{
  FILE *output = front->options.output;
  gboolean json = front->options.json;

  front->options.json = TRUE;
  for (guint i = 0; stops != NULL && i < stops->len; i++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (stops, i);
      char *text = NULL;
      size_t length = 0;
      const char *id;

      front->options.output = open_memstream (&text, &length);
      if (front->options.output == NULL)
        break;
      sonde_front_execute (front, stop->command);
      fflush (front->options.output);
      id = !stop->enabled ? strstr (text, "\"id\":") : NULL;
      if (id != NULL)
        {
          g_autofree char *line
              = g_strdup_printf ("disable %lu", strtoul (id + strlen ("\"id\":"), NULL, 10));

          sonde_front_execute (front, line);
        }
      fclose (front->options.output);
      free (text);
    }
  front->options.json = json;
  front->options.output = output;
}

/* ---- the command --------------------------------------------------------- */

static void
answer_file (SondeFront *front, SondeFrontAnswer *answer, const char *file, guint n_stops)
{
  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "%s, with %u breakpoint%s or watch%s\n", file, n_stops,
                              n_stops == 1 ? "" : "s", n_stops == 1 ? "" : "es");
      return;
    }
  sonde_json_text_string (&answer->json, "file", file);
  sonde_json_text_uint (&answer->json, "stops", n_stops);
}

/* The values of the node it stands at, and what was named. (transfer full) (array
 * zero-terminated=1) */
static char **
list_values (SondeFront *front, char **named)
{
  GPtrArray *values = g_ptr_array_new ();
  g_autoptr (SondeSessionReply) steps
      = sonde_front_call (front, sonde_session_request_steps (), NULL);
  g_autoptr (SondeSessionStatus) status = sonde_front_get_status (front, NULL);

  for (guint i = 0; named[i] != NULL; i++)
    if (*named[i] != '\0')
      g_ptr_array_add (values, sonde_front_unquote (named[i]));
  for (guint k = 0; steps != NULL && status != NULL && k < steps->steps->len; k++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps->steps, k);

      if (!g_str_equal (step->name, status->stop.node)
          && !g_strv_contains ((const char *const *) step->nodes, status->stop.node))
        continue;
      for (guint i = 0; step->inputs[i] != NULL; i++)
        g_ptr_array_add (values, g_strdup (step->inputs[i]));
      for (guint i = 0; step->outputs[i] != NULL; i++)
        g_ptr_array_add (values, g_strdup (step->outputs[i]));
    }
  g_ptr_array_add (values, NULL);
  return (char **) g_ptr_array_free (values, FALSE);
}

static gboolean
save (SondeFront *front, const char *arguments, SondeFrontAnswer *answer, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (arguments, " \t", -1);
  g_autofree char *file = words[0] != NULL ? sonde_front_unquote (words[0]) : NULL;
  g_autofree char *path = NULL;
  g_auto (GStrv) values = NULL;
  g_autoptr (GPtrArray) stops = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  if (file == NULL || *file == '\0')
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Which file? capture save FILE.sondecap [VALUE|GLOB]….");
      return FALSE;
    }
  path = g_canonicalize_filename (file, NULL); /* the engine may be in another folder */
  stops = list_stops (front, error);
  if (stops == NULL)
    return FALSE;
  values = list_values (front, words + 1);
  reply = sonde_front_call (
      front, sonde_session_request_capture (path, (const char *const *) values, stops), error);
  if (reply == NULL)
    return FALSE;
  answer_file (front, answer, file, stops->len);
  return TRUE;
}

/* What is open goes; the capture stands before its first node. */
static gboolean
open_file (SondeFront *front, const char *arguments, SondeFrontAnswer *answer, GError **error)
{
  g_autofree char *file = sonde_front_unquote (arguments), *path = NULL;
  SondeOpenRequest open = { .replace = TRUE };
  g_autoptr (SondeSessionReply) reply = NULL;

  if (*file == '\0')
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Which file? capture open FILE.sondecap.");
      return FALSE;
    }
  if (sonde_session_client_is_attached (front->client))
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "This session runs something else; open the capture with: sonde debug FILE.sondecap.");
      return FALSE;
    }
  path = g_canonicalize_filename (file, NULL);
  open.subject = path;
  reply = sonde_front_call (front, sonde_session_request_open (&open), error);
  if (reply == NULL)
    return FALSE;
  front->listed_to = 0;
  answer_file (front, answer, file, reply->stops != NULL ? reply->stops->len : 0);
  sonde_front_restore_stops (front, reply->stops);
  return TRUE;
}

gboolean
sonde_front_run_capture (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  gsize length = strcspn (arguments, " \t");
  g_autofree char *word = g_strndup (arguments, length);
  const char *rest = arguments + length + strspn (arguments + length, " \t");

  if (length > 0 && g_str_has_prefix ("save", word))
    return save (front, rest, answer, error);
  if (length > 0 && g_str_has_prefix ("open", word))
    return open_file (front, rest, answer, error);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "capture save FILE.sondecap [VALUE|GLOB]…, or capture open FILE.sondecap.");
  return FALSE;
}
