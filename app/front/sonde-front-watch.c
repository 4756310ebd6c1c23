/* SPDX-License-Identifier: Apache-2.0
 * Commands about watches. */
#include "app/front/sonde-front-private.h"

#include <math.h>
#include <string.h>

/* ---- hits ---------------------------------------------------------------- */

static void
json_number (SondeJsonText *json, const char *name, double number, gboolean is_there)
{
  if (is_there)
    sonde_json_text_double (json, name, number);
  else
    sonde_json_text_string (json, name, NULL);
}

/* Members of the object that is open. */
static void
json_hit (SondeJsonText *json, const SondeWatchHit *hit)
{
  g_autofree char *unchecked
      = hit->unchecked != 0 ? sonde_unchecked_to_string (hit->unchecked) : NULL;

  sonde_json_text_uint (json, "step", hit->step);
  sonde_json_text_string (json, "node", hit->node);
  sonde_json_text_string (json, "value", hit->value);
  sonde_json_text_string (json, "condition", hit->condition);
  sonde_json_text_string (json, "parameter", hit->parameter);
  json_number (json, "threshold", hit->threshold, unchecked == NULL && !isnan (hit->threshold));
  json_number (json, "actual", hit->actual, unchecked == NULL);
  if (unchecked != NULL)
    sonde_json_text_string (json, "error", unchecked);
  if (hit->explanation != NULL)
    sonde_json_text_string (json, "explanation", hit->explanation);
}

static void
text_hit (GString *text, const SondeWatchHit *hit)
{
  g_autofree char *unchecked = sonde_unchecked_to_string (hit->unchecked);

  if (!g_str_equal (hit->value, hit->node))
    g_string_append_printf (text, "%s (%s), step %" G_GUINT64_FORMAT ": ", hit->value, hit->node,
                            hit->step);
  else
    g_string_append_printf (text, "%s, step %" G_GUINT64_FORMAT ": ", hit->value, hit->step);
  if (hit->unchecked != 0)
    g_string_append_printf (text, "%s not checked: %s", hit->condition, unchecked);
  else if (hit->explanation != NULL)
    g_string_append (text, hit->explanation);
  else
    g_string_append_printf (text, "%s %s = %.9g, actual %.9g", hit->condition, hit->parameter,
                            hit->threshold, hit->actual);
  g_string_append_c (text, '\n');
}

void
sonde_front_answer_hits (SondeFront *front, SondeFrontAnswer *answer, const char *name,
                         const GPtrArray *hits)
{
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, name);
  for (guint i = 0; hits != NULL && i < hits->len; i++)
    {
      const SondeWatchHit *hit = g_ptr_array_index (hits, i);

      if (!front->options.json)
        {
          g_string_append_printf (answer->text, "Watch %u: ", hit->watch);
          text_hit (answer->text, hit);
          continue;
        }
      sonde_json_text_begin_object (&answer->json, NULL);
      sonde_json_text_uint (&answer->json, "id", hit->watch);
      json_hit (&answer->json, hit);
      sonde_json_text_end_object (&answer->json);
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
}

/* ---- watches ------------------------------------------------------------- */

static void
json_watch (SondeJsonText *json, const SondeWatch *info)
{
  sonde_json_text_uint (json, "id", info->id);
  sonde_json_text_string (json, "watch", info->text);
  sonde_json_text_string (json, "on", info->pattern);
  sonde_json_text_boolean (json, "inputs", info->on_inputs);
  sonde_json_text_boolean (json, "stops", !info->log_only);
  sonde_json_text_boolean (json, "enabled", info->enabled);
  sonde_json_text_uint (json, "values", info->n_values);
  sonde_json_text_uint (json, "hits", info->hits);
  sonde_json_text_uint (json, "ignore", info->ignore);
  sonde_json_text_uint (json, "unchecked", info->unchecked);
  if (info->last == NULL)
    {
      sonde_json_text_string (json, "last", NULL);
      return;
    }
  sonde_json_text_begin_object (json, "last");
  json_hit (json, info->last);
  sonde_json_text_end_object (json);
}

static void
text_watch (GString *text, const SondeWatch *info)
{
  g_string_append_printf (text, "%u: %s", info->id, info->text);
  if (info->pattern != NULL)
    g_string_append_printf (text, " on %s%s", info->pattern, info->on_inputs ? " inputs" : "");
  g_string_append_printf (text, ", %u value%s, %" G_GUINT64_FORMAT " hit%s", info->n_values,
                          info->n_values == 1 ? "" : "s", info->hits, info->hits == 1 ? "" : "s");
  if (info->unchecked > 0)
    g_string_append_printf (text, ", %" G_GUINT64_FORMAT " not checked", info->unchecked);
  if (info->ignore > 0)
    g_string_append_printf (text, ", ignoring %" G_GUINT64_FORMAT " more", info->ignore);
  g_string_append_printf (text, "%s%s\n", info->log_only ? ", does not stop" : "",
                          info->enabled ? "" : ", off");
  if (info->last != NULL)
    {
      g_string_append (text, "   last: ");
      text_hit (text, info->last);
    }
}

void
sonde_front_answer_watches (SondeFront *front, SondeFrontAnswer *answer, const GPtrArray *watches)
{
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "watches");
  for (guint i = 0; i < watches->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (watches, i);

      if (!front->options.json)
        text_watch (answer->text, info);
      else
        {
          sonde_json_text_begin_object (&answer->json, NULL);
          json_watch (&answer->json, info);
          sonde_json_text_end_object (&answer->json);
        }
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
}

gboolean
sonde_front_info_watches (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                          GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  if (!sonde_front_no_arguments (arguments, error))
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_list_watches (), error);
  if (reply == NULL)
    return FALSE;
  sonde_front_answer_watches (front, answer, reply->watches);
  if (!front->options.json && reply->watches->len == 0)
    g_string_append (answer->text, "No watches.\n");
  return TRUE;
}

static gboolean
answer_found (SondeFront *front, SondeSessionReply *reply, SondeFrontAnswer *answer)
{
  if (reply == NULL)
    return FALSE;
  sonde_front_answer_hits (front, answer, "hits", reply->watch_hits);
  if (!front->options.json && reply->watch_hits->len == 0)
    g_string_append (answer->text, "No hits.\n");
  return TRUE;
}

gboolean
sonde_front_info_hits (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  guint64 id = 0;

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "watch", &id, error))
    return FALSE;
  reply = sonde_front_call (
      front, sonde_session_request_list_watch_hits ((guint) MIN (id, G_MAXUINT)), error);
  return answer_found (front, reply, answer);
}

gboolean
sonde_front_run_watch (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  if (*arguments == '\0')
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Watch what? An expression, or preset NAME [key=value…], or preset recommended.");
      return FALSE;
    }
  reply = sonde_front_call (front, sonde_session_request_add_watch (arguments), error);
  if (reply == NULL)
    return FALSE;
  if (front->options.json && reply->watches->len == 1)
    json_watch (&answer->json, g_ptr_array_index (reply->watches, 0));
  if (!front->options.json)
    g_string_append (answer->text, reply->watches->len == 1 ? "Watch " : "Watches:\n");
  sonde_front_answer_watches (front, answer, reply->watches);
  return TRUE;
}

gboolean
sonde_front_run_recheck (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  static const char prefix[] = "step:";
  const char *number
      = g_str_has_prefix (arguments, prefix) ? arguments + strlen (prefix) : arguments;
  g_autoptr (SondeSessionReply) reply = NULL;
  guint64 step = 0;

  if (*arguments != '\0' && !sonde_front_parse_number (number, 1, "step", &step, error))
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_recheck (step), error);
  return answer_found (front, reply, answer);
}
