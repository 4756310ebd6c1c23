/* SPDX-License-Identifier: Apache-2.0
 * Into bodies, functions and fused steps and out of them, and where the run stands in them. */
#include "app/front/sonde-front-private.h"

#include <string.h>

gboolean
sonde_front_run_into (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  return sonde_front_resume_by (front, SONDE_RESUME_INTO, arguments, answer, error);
}

gboolean
sonde_front_run_out (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                     GError **error)
{
  return sonde_front_resume_by (front, SONDE_RESUME_OUT, arguments, answer, error);
}

/* ---- frames -------------------------------------------------------------- */

static void
json_originals (SondeJsonText *json, const SondeFrame *frame)
{
  sonde_json_text_begin_array (json, "originals");
  for (gsize i = 0; frame->originals[i] != NULL; i++)
    sonde_json_text_string (json, NULL, frame->originals[i]);
  sonde_json_text_end_array (json);
}

static void
json_scopes (SondeJsonText *json, const SondeFrame *frame)
{
  sonde_json_text_begin_array (json, "scopes");
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);

      sonde_json_text_begin_object (json, NULL);
      sonde_json_text_string (json, "scope", scope->scope);
      sonde_json_text_string (json, "call", scope->call);
      sonde_json_text_string (json, "function", scope->function);
      sonde_json_text_end_object (json);
    }
  sonde_json_text_end_array (json);
}

void
sonde_front_json_frame (SondeJsonText *json, const SondeFrame *frame, guint level)
{
  sonde_json_text_uint (json, "level", level);
  sonde_json_text_string (json, "kind", sonde_frame_kind_name (frame->kind));
  sonde_json_text_string (json, "node", *frame->node != '\0' ? frame->node : NULL);
  sonde_json_text_string (json, "op", *frame->op != '\0' ? frame->op : NULL);
  sonde_json_text_string (json, "body", *frame->body != '\0' ? frame->body : NULL);
  if (frame->iteration >= 0)
    sonde_json_text_int (json, "iteration", frame->iteration);
  else
    sonde_json_text_string (json, "iteration", NULL);
  sonde_json_text_uint (json, "position", frame->position);
  sonde_json_text_uint (json, "steps", frame->n_steps);
  sonde_json_text_string (json, "at", frame->at);
  sonde_json_text_string (json, "at_op", frame->at_op);
  sonde_json_text_string (json, "when", sonde_moment_name (frame->moment));
  sonde_json_text_string (json, "scope", frame->scope);
  json_originals (json, frame);
  json_scopes (json, frame);
}

void
sonde_front_json_stack (SondeJsonText *json, const GPtrArray *frames)
{
  sonde_json_text_begin_array (json, "stack");
  for (guint i = 0; frames != NULL && i < frames->len; i++)
    {
      sonde_json_text_begin_object (json, NULL);
      sonde_front_json_frame (json, g_ptr_array_index (frames, i), i);
      sonde_json_text_end_object (json);
    }
  sonde_json_text_end_array (json);
}

/* What is repeated, from the outermost: ", iteration 2 of outer, 0 of inner" */
void
sonde_front_append_iterations (GString *text, const GPtrArray *frames)
{
  const char *before = ", iteration ";

  for (guint i = frames != NULL ? frames->len : 0; i > 0; i--)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, i - 1);

      if (frame->iteration < 0)
        continue;
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT " of %s", before, frame->iteration,
                              frame->node);
      before = ", ";
    }
}

static gboolean
is_itself (const SondeFrame *frame)
{
  return frame->originals[0] == NULL
         || (frame->originals[1] == NULL && g_str_equal (frame->originals[0], frame->at));
}

static void
text_frame (GString *text, const SondeFrame *frame, guint level, gboolean selected)
{
  g_string_append_printf (text, "%s #%-2u %s %s (%s), node %u of %u", selected ? "=>" : "  ", level,
                          level > 0 ? "inside" : sonde_moment_name (frame->moment), frame->at,
                          frame->at_op, MIN (frame->position + 1, frame->n_steps), frame->n_steps);
  if (frame->kind == SONDE_FRAME_FUSED)
    g_string_append_printf (text, " of the fused %s (%s)", frame->node, frame->op);
  else if (frame->kind == SONDE_FRAME_BODY)
    g_string_append_printf (text, " of %s of %s (%s)", frame->body, frame->node, frame->op);
  if (frame->iteration >= 0)
    g_string_append_printf (text, ", iteration %" G_GINT64_FORMAT, frame->iteration);
  g_string_append_c (text, '\n');
  if (!is_itself (frame))
    {
      g_autofree char *names = g_strjoinv (", ", frame->originals);

      g_string_append_printf (text, "         from %s\n", names);
    }
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);

      if (scope->function != NULL)
        g_string_append_printf (text, "         in function %s, called by %s\n", scope->function,
                                scope->call);
      else
        g_string_append_printf (text, "         in scope %s\n", scope->scope);
    }
}

gboolean
sonde_front_info_stack (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_frames (), error);

  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    {
      sonde_front_json_stack (&answer->json, reply->frames);
      sonde_json_text_uint (&answer->json, "selected", reply->selected);
      return TRUE;
    }
  for (guint i = 0; i < reply->frames->len; i++)
    text_frame (answer->text, g_ptr_array_index (reply->frames, i), i, i == reply->selected);
  return TRUE;
}

/* ---- selecting one ------------------------------------------------------- */

static gboolean
select_frame (SondeFront *front, guint level, SondeFrontAnswer *answer, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_select_frame (level), error);
  const SondeFrame *frame;

  if (reply == NULL || reply->selected >= reply->frames->len)
    return FALSE;
  front->listed_to = 0;
  frame = g_ptr_array_index (reply->frames, reply->selected);
  if (front->options.json)
    sonde_front_json_frame (&answer->json, frame, reply->selected);
  else
    text_frame (answer->text, frame, reply->selected, TRUE);
  return TRUE;
}

/* @up: outwards */
static gboolean
move (SondeFront *front, gboolean up, const char *arguments, SondeFrontAnswer *answer,
      GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  guint64 count = 1;

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "count", &count, error))
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_frames (), error);
  if (reply == NULL)
    return FALSE;
  if (reply->frames->len == 0
      || (up ? reply->selected + 1 >= reply->frames->len : reply->selected == 0))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           up ? "This is the outermost frame; down goes to those inside it."
                              : "This is the innermost frame; up goes to those around it.");
      return FALSE;
    }
  if (up)
    return select_frame (
        front, reply->selected + (guint) MIN (count, reply->frames->len - 1 - reply->selected),
        answer, error);
  return select_frame (front, reply->selected - (guint) MIN (count, reply->selected), answer,
                       error);
}

gboolean
sonde_front_run_up (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                    GError **error)
{
  return move (front, TRUE, arguments, answer, error);
}

gboolean
sonde_front_run_down (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  return move (front, FALSE, arguments, answer, error);
}
