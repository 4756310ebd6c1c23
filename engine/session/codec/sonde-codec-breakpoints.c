/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-breakpoints.h"

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-reply.h"
#include "engine/session/codec/sonde-codec-watches.h"

/* ---- requests ------------------------------------------------------------ */

static SondeSessionRequest *
new_request (Sonde__Session__Request__BodyCase kind)
{
  return sonde_session_request_new (kind, SONDE_SESSION_REPLY_BREAKPOINTS);
}

SondeSessionRequest *
sonde_session_request_list_breakpoints (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_LIST_BREAKPOINTS);
}

SondeSessionRequest *
sonde_session_request_add_breakpoint (const SondeBreakpointSpec *spec)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_ADD_BREAKPOINT);
  Sonde__Session__AddBreakpoint *message = request->message.add_breakpoint;

  message->pattern = sonde_codec_text (request->memory, spec->pattern);
  message->after = spec->moment == SONDE_MOMENT_AFTER;
  message->temporary = spec->temporary;
  message->ignore = spec->ignore;
  message->either = spec->either;
  message->condition = sonde_codec_text (request->memory, spec->condition);
  message->hit_condition = sonde_codec_text (request->memory, spec->hit_condition);
  message->log = sonde_codec_text (request->memory, spec->log);
  return request;
}

void
sonde_codec_read_add_breakpoint (const Sonde__Session__AddBreakpoint *message,
                                 SondeBreakpointSpec *spec)
{
  *spec = (SondeBreakpointSpec){
    .pattern = message->pattern,
    .moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE,
    .temporary = message->temporary,
    .ignore = message->ignore,
    .either = message->either,
    .condition = sonde_codec_null_if_empty (message->condition),
    .hit_condition = sonde_codec_null_if_empty (message->hit_condition),
    .log = sonde_codec_null_if_empty (message->log),
  };
}

SondeSessionRequest *
sonde_session_request_remove_breakpoint (guint id)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_REMOVE_BREAKPOINT);

  request->message.remove_breakpoint->id = id;
  return request;
}

SondeSessionRequest *
sonde_session_request_enable_breakpoint (guint id, gboolean enabled)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_ENABLE_BREAKPOINT);

  request->message.enable_breakpoint->id = id;
  request->message.enable_breakpoint->value = enabled != FALSE;
  return request;
}

SondeSessionRequest *
sonde_session_request_ignore_breakpoint (guint id, guint64 count)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_IGNORE_BREAKPOINT);

  request->message.ignore_breakpoint->id = id;
  request->message.ignore_breakpoint->value = count;
  return request;
}

/* ---- the reply ----------------------------------------------------------- */

static Sonde__Session__Breakpoint *
write_breakpoint (GPtrArray *memory, const SondeBreakpoint *breakpoint)
{
  Sonde__Session__Breakpoint *message
      = sonde_codec_new (memory, &sonde__session__breakpoint__descriptor);

  message->id = breakpoint->id;
  message->pattern = sonde_codec_text (memory, breakpoint->pattern);
  message->after = breakpoint->moment == SONDE_MOMENT_AFTER;
  message->temporary = breakpoint->temporary;
  message->enabled = breakpoint->enabled;
  message->hits = breakpoint->hits;
  message->ignore = breakpoint->ignore;
  message->n_positions = breakpoint->n_positions;
  message->condition = sonde_codec_text (memory, breakpoint->condition);
  message->hit_condition = sonde_codec_text (memory, breakpoint->hit_condition);
  message->log = sonde_codec_text (memory, breakpoint->log);
  sonde_codec_write_message (memory, breakpoint->note, &message->note, &message->note_parts,
                             &message->n_note_parts);
  return message;
}

void
sonde_codec_write_breakpoints (SondeSessionAnswer *answer, const GPtrArray *list, guint id)
{
  Sonde__Session__Breakpoints *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_BREAKPOINTS);

  message->breakpoints = sonde_codec_list (answer->memory, list->len);
  for (guint i = 0; i < list->len; i++)
    {
      const SondeBreakpoint *breakpoint = g_ptr_array_index (list, i);

      if (id == 0 || breakpoint->id == id)
        message->breakpoints[message->n_breakpoints++]
            = write_breakpoint (answer->memory, breakpoint);
    }
}

static SondeBreakpoint *
read_breakpoint (const Sonde__Session__Breakpoint *message)
{
  SondeBreakpoint *breakpoint = g_new0 (SondeBreakpoint, 1);

  breakpoint->id = message->id;
  breakpoint->pattern = sonde_codec_dup (message->pattern);
  breakpoint->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  breakpoint->temporary = message->temporary;
  breakpoint->enabled = message->enabled;
  breakpoint->hits = message->hits;
  breakpoint->ignore = message->ignore;
  breakpoint->n_positions = message->n_positions;
  breakpoint->condition = sonde_codec_dup_optional (message->condition);
  breakpoint->hit_condition = sonde_codec_dup_optional (message->hit_condition);
  breakpoint->log = sonde_codec_dup_optional (message->log);
  breakpoint->note
      = sonde_codec_read_message (message->note, message->note_parts, message->n_note_parts);
  return breakpoint;
}

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  const Sonde__Session__Breakpoints *from = message->breakpoints;

  reply->breakpoints = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_breakpoint_free);
  for (gsize i = 0; i < from->n_breakpoints; i++)
    g_ptr_array_add (reply->breakpoints, read_breakpoint (from->breakpoints[i]));
  reply->watches = sonde_codec_read_watches (from->watches, from->n_watches);
  return TRUE;
}

static void
clear_reply (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&reply->watches, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_breakpoints
    = { SONDE_SESSION_REPLY_BREAKPOINTS, read_reply, clear_reply };
