/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-watches.h"

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-reply.h"

/* ---- requests ------------------------------------------------------------ */

SondeSessionRequest *
sonde_session_request_add_watch (const char *text)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_ADD_WATCH,
                                                            SONDE_SESSION_REPLY_BREAKPOINTS);

  request->message.add_watch->text = sonde_codec_text (request->memory, text);
  return request;
}

SondeSessionRequest *
sonde_session_request_list_watches (void)
{
  return sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_LIST_WATCHES,
                                    SONDE_SESSION_REPLY_BREAKPOINTS);
}

SondeSessionRequest *
sonde_session_request_list_watch_hits (guint id)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_LIST_WATCH_HITS, SONDE_SESSION_REPLY_WATCH_HITS);

  request->message.list_watch_hits->id = id;
  return request;
}

SondeSessionRequest *
sonde_session_request_recheck (guint64 step)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_RECHECK,
                                                            SONDE_SESSION_REPLY_WATCH_HITS);

  request->message.recheck->step = step;
  return request;
}

/* ---- hits ---------------------------------------------------------------- */

static Sonde__Session__WatchHit *
write_hit (GPtrArray *memory, const SondeWatchHit *hit)
{
  Sonde__Session__WatchHit *message
      = sonde_codec_new (memory, &sonde__session__watch_hit__descriptor);

  message->watch = hit->watch;
  message->step = hit->step;
  message->node = sonde_codec_text (memory, hit->node);
  message->value = sonde_codec_text (memory, hit->value);
  message->condition = sonde_codec_text (memory, hit->condition);
  message->parameter = sonde_codec_text (memory, hit->parameter);
  message->threshold = hit->threshold;
  message->actual = hit->actual;
  message->unchecked = hit->unchecked;
  sonde_codec_write_message (memory, hit->explanation, &message->explanation,
                             &message->explanation_parts, &message->n_explanation_parts);
  return message;
}

Sonde__Session__WatchHit **
sonde_codec_write_hits (GPtrArray *memory, const GPtrArray *hits, gsize *n)
{
  Sonde__Session__WatchHit **messages = sonde_codec_list (memory, hits != NULL ? hits->len : 0);

  *n = hits != NULL ? hits->len : 0;
  for (gsize i = 0; i < *n; i++)
    messages[i] = write_hit (memory, g_ptr_array_index (hits, i));
  return messages;
}

static SondeWatchHit *
read_hit (const Sonde__Session__WatchHit *message)
{
  SondeWatchHit *hit = g_new0 (SondeWatchHit, 1);

  hit->watch = message->watch;
  hit->step = message->step;
  hit->node = sonde_codec_dup (message->node);
  hit->value = sonde_codec_dup (message->value);
  hit->condition = sonde_codec_dup (message->condition);
  hit->parameter = sonde_codec_dup_optional (message->parameter);
  hit->threshold = message->threshold;
  hit->actual = message->actual;
  hit->unchecked = message->unchecked;
  hit->explanation = sonde_codec_read_message (message->explanation, message->explanation_parts,
                                               message->n_explanation_parts);
  return hit;
}

GPtrArray *
sonde_codec_read_hits (Sonde__Session__WatchHit *const *messages, gsize n)
{
  GPtrArray *hits = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (hits, read_hit (messages[i]));
  return hits;
}

/* ---- watches ------------------------------------------------------------- */

static Sonde__Session__Watch *
write_watch (GPtrArray *memory, const SondeWatch *watch)
{
  Sonde__Session__Watch *message = sonde_codec_new (memory, &sonde__session__watch__descriptor);

  message->id = watch->id;
  message->text = sonde_codec_text (memory, watch->text);
  message->pattern = sonde_codec_text (memory, watch->pattern);
  message->on_inputs = watch->on_inputs;
  message->log_only = watch->log_only;
  message->enabled = watch->enabled;
  message->hits = watch->hits;
  message->ignore = watch->ignore;
  message->unchecked = watch->unchecked;
  message->n_values = watch->n_values;
  message->last = watch->last != NULL ? write_hit (memory, watch->last) : NULL;
  return message;
}

void
sonde_codec_write_watches (SondeSessionAnswer *answer, const GPtrArray *list, guint id)
{
  Sonde__Session__Breakpoints *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_BREAKPOINTS);

  message->watches = sonde_codec_list (answer->memory, list->len);
  for (guint i = 0; i < list->len; i++)
    {
      const SondeWatch *watch = g_ptr_array_index (list, i);

      if (id == 0 || watch->id == id)
        message->watches[message->n_watches++] = write_watch (answer->memory, watch);
    }
}

static SondeWatch *
read_watch (const Sonde__Session__Watch *message)
{
  SondeWatch *watch = g_new0 (SondeWatch, 1);

  watch->id = message->id;
  watch->text = sonde_codec_dup (message->text);
  watch->pattern = sonde_codec_dup_optional (message->pattern);
  watch->on_inputs = message->on_inputs;
  watch->log_only = message->log_only;
  watch->enabled = message->enabled;
  watch->hits = message->hits;
  watch->ignore = message->ignore;
  watch->unchecked = message->unchecked;
  watch->n_values = message->n_values;
  watch->last = message->last != NULL ? read_hit (message->last) : NULL;
  return watch;
}

GPtrArray *
sonde_codec_read_watches (Sonde__Session__Watch *const *messages, gsize n)
{
  GPtrArray *watches = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (watches, read_watch (messages[i]));
  return watches;
}

/* ---- the reply of hits --------------------------------------------------- */

void
sonde_codec_write_watch_hits (SondeSessionAnswer *answer, const GPtrArray *hits)
{
  Sonde__Session__WatchHits *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_WATCH_HITS);

  message->hits = sonde_codec_write_hits (answer->memory, hits, &message->n_hits);
}

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  reply->watch_hits
      = sonde_codec_read_hits (message->watch_hits->hits, message->watch_hits->n_hits);
  return TRUE;
}

static void
clear_reply (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->watch_hits, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_watch_hits
    = { SONDE_SESSION_REPLY_WATCH_HITS, read_reply, clear_reply };
