/* SPDX-License-Identifier: Apache-2.0
 * Commands about breakpoints. */
#include "app/front/sonde-front-private.h"

#include <string.h>

static void
json_breakpoint (SondeJsonText             *json,
                 const SondeBreakpointInfo *info)
{
  sonde_json_text_uint (json, "id", info->id);
  sonde_json_text_string (json, "node", info->pattern);
  sonde_json_text_string (json, "when", sonde_moment_name (info->moment));
  sonde_json_text_boolean (json, "temporary", info->temporary);
  sonde_json_text_boolean (json, "enabled", info->enabled);
  sonde_json_text_uint (json, "hits", info->hits);
  sonde_json_text_uint (json, "ignore", info->ignore);
  sonde_json_text_uint (json, "positions", info->n_positions);
}

static void
text_breakpoint (GString                   *text,
                 const SondeBreakpointInfo *info)
{
  g_string_append_printf (text, "%u: %s %s%s, %u place%s, %" G_GUINT64_FORMAT " hit%s", info->id,
                          sonde_moment_name (info->moment), info->pattern, info->temporary ? " (once)" : "",
                          info->n_positions, info->n_positions == 1 ? "" : "s", info->hits,
                          info->hits == 1 ? "" : "s");
  if (info->ignore > 0)
    g_string_append_printf (text, ", ignoring %" G_GUINT64_FORMAT " more", info->ignore);
  g_string_append (text, info->enabled ? "\n" : ", off\n");
}

static void
answer_list (SondeFront       *front,
             SondeFrontAnswer *answer,
             GPtrArray        *breakpoints)
{
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "breakpoints");
  for (guint i = 0; i < breakpoints->len; i++)
    {
      const SondeBreakpointInfo *info = g_ptr_array_index (breakpoints, i);

      if (!front->options.json)
        text_breakpoint (answer->text, info);
      else
        {
          sonde_json_text_begin_object (&answer->json, NULL);
          json_breakpoint (&answer->json, info);
          sonde_json_text_end_object (&answer->json);
        }
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  else if (breakpoints->len == 0)
    g_string_append (answer->text, "No breakpoints.\n");
}

static gboolean
call_and_list (SondeFront          *front,
               SondeSessionRequest *request,
               SondeFrontAnswer    *answer,
               GError             **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_front_call (front, request, error);

  if (reply == NULL)
    return FALSE;
  answer_list (front, answer, reply->breakpoints);
  return TRUE;
}

gboolean
sonde_front_info_breakpoints (SondeFront       *front,
                              SondeFrontAnswer *answer,
                              GError          **error)
{
  return call_and_list (front, sonde_session_request_list_breakpoints (), answer, error);
}

/* ---- break ---------------------------------------------------------------------------------- */

/* "NODE [before|after]". @pattern: (out) (transfer full) */
static gboolean
parse_place (const char  *arguments,
             char       **pattern,
             SondeMoment *moment,
             GError     **error)
{
  g_autofree char *last = NULL;
  g_autofree char *before = sonde_front_split_last (arguments, &last);

  *moment = SONDE_MOMENT_BEFORE;
  if (strstr (arguments, " if ") != NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           "Conditions are not in this version yet; the nearest is: break NODE, then ignore ID COUNT.");
      return FALSE;
    }
  if (before != NULL && (g_str_equal (last, "before") || g_str_equal (last, "after")))
    {
      *moment = g_str_equal (last, "after") ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
      *pattern = sonde_front_unquote (before);
    }
  else
    *pattern = sonde_front_unquote (arguments);
  if (**pattern != '\0')
    return TRUE;
  g_clear_pointer (pattern, g_free);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Break where? Name a node, a value, a glob, or op:TYPE.");
  return FALSE;
}

static gboolean
add_breakpoint (SondeFront       *front,
                const char       *arguments,
                gboolean          temporary,
                SondeFrontAnswer *answer,
                GError          **error)
{
  SondeBreakpointSpec spec = { .temporary = temporary };
  g_autofree char *pattern = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;
  const SondeBreakpointInfo *info;

  if (!parse_place (arguments, &pattern, &spec.moment, error))
    return FALSE;
  spec.pattern = pattern;
  reply = sonde_front_call (front, sonde_session_request_add_breakpoint (&spec), error);
  if (reply == NULL || reply->breakpoints->len == 0)
    return FALSE;
  info = g_ptr_array_index (reply->breakpoints, 0);
  if (front->options.json)
    json_breakpoint (&answer->json, info);
  else
    {
      g_string_append (answer->text, "Breakpoint ");
      text_breakpoint (answer->text, info);
    }
  return TRUE;
}

gboolean
sonde_front_run_break (SondeFront       *front,
                       const char       *arguments,
                       SondeFrontAnswer *answer,
                       GError          **error)
{
  return add_breakpoint (front, arguments, FALSE, answer, error);
}

gboolean
sonde_front_run_tbreak (SondeFront       *front,
                        const char       *arguments,
                        SondeFrontAnswer *answer,
                        GError          **error)
{
  return add_breakpoint (front, arguments, TRUE, answer, error);
}

/* ---- changing them -------------------------------------------------------------------------- */

/* "[ID]"; none is 0: all */
static gboolean
parse_id (const char *arguments,
          guint      *id,
          GError    **error)
{
  guint64 number = 0;

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "breakpoint", &number, error))
    return FALSE;
  *id = (guint) MIN (number, G_MAXUINT);
  return TRUE;
}

gboolean
sonde_front_run_enable (SondeFront       *front,
                        const char       *arguments,
                        SondeFrontAnswer *answer,
                        GError          **error)
{
  guint id;

  return parse_id (arguments, &id, error)
         && call_and_list (front, sonde_session_request_enable_breakpoint (id, TRUE), answer, error);
}

gboolean
sonde_front_run_disable (SondeFront       *front,
                         const char       *arguments,
                         SondeFrontAnswer *answer,
                         GError          **error)
{
  guint id;

  return parse_id (arguments, &id, error)
         && call_and_list (front, sonde_session_request_enable_breakpoint (id, FALSE), answer, error);
}

gboolean
sonde_front_run_clear (SondeFront       *front,
                       const char       *arguments,
                       SondeFrontAnswer *answer,
                       GError          **error)
{
  guint id;

  return parse_id (arguments, &id, error)
         && call_and_list (front, sonde_session_request_remove_breakpoint (id), answer, error);
}

gboolean
sonde_front_run_ignore (SondeFront       *front,
                        const char       *arguments,
                        SondeFrontAnswer *answer,
                        GError          **error)
{
  g_autofree char *last = NULL;
  g_autofree char *first = sonde_front_split_last (arguments, &last);
  guint64 count = 0;
  guint id;

  if (first == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Give the breakpoint and how often: ignore ID COUNT.");
      return FALSE;
    }
  return parse_id (first, &id, error) && sonde_front_parse_number (last, 0, "count", &count, error)
         && call_and_list (front, sonde_session_request_ignore_breakpoint (id, count), answer, error);
}
