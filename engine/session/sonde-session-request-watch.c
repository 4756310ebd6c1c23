/* SPDX-License-Identifier: Apache-2.0
 * Requests about watches, and what comes back. */
#include "engine/session/sonde-session-client-private.h"

#define NEW(KIND, type, member)                                                                    \
  sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_##KIND,                                 \
                             sizeof (Sonde__Session__##type),                                      \
                             (void (*) (void *)) sonde__session__##member##__init)

SondeSessionRequest *
sonde_session_request_add_watch (const char *text)
{
  SondeSessionRequest *request = NEW (ADD_WATCH, AddWatch, add_watch);

  request->message.add_watch->text = sonde_session_request_keep (request, text);
  return request;
}

SondeSessionRequest *
sonde_session_request_list_watches (void)
{
  return NEW (LIST_WATCHES, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_list_watch_hits (guint id)
{
  SondeSessionRequest *request = NEW (LIST_WATCH_HITS, WhichWatch, which_watch);

  request->message.list_watch_hits->id = id;
  return request;
}

SondeSessionRequest *
sonde_session_request_recheck (guint64 step)
{
  SondeSessionRequest *request = NEW (RECHECK, Recheck, recheck);

  request->message.recheck->step = step;
  return request;
}

/* ---- decoding ------------------------------------------------------------ */

static SondeWatchHit *
decode_hit (const Sonde__Session__WatchHit *message)
{
  SondeWatchHit *hit = g_new0 (SondeWatchHit, 1);

  hit->watch = message->watch;
  hit->step = message->step;
  hit->node = sonde_session_dup_text (message->node);
  hit->value = sonde_session_dup_text (message->value);
  hit->condition = sonde_session_dup_text (message->condition);
  hit->parameter = sonde_session_dup_optional (message->parameter);
  hit->threshold = message->threshold;
  hit->actual = message->actual;
  hit->unchecked = message->unchecked;
  hit->explanation = sonde_session_dup_optional (message->explanation);
  return hit;
}

GPtrArray *
sonde_session_decode_hits (Sonde__Session__WatchHit *const *messages, gsize n)
{
  GPtrArray *hits = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (hits, decode_hit (messages[i]));
  return hits;
}

static SondeWatch *
decode_watch (const Sonde__Session__Watch *message)
{
  SondeWatch *info = g_new0 (SondeWatch, 1);

  info->id = message->id;
  info->text = sonde_session_dup_text (message->text);
  info->pattern = sonde_session_dup_optional (message->pattern);
  info->on_inputs = message->on_inputs;
  info->log_only = message->log_only;
  info->enabled = message->enabled;
  info->hits = message->hits;
  info->ignore = message->ignore;
  info->unchecked = message->unchecked;
  info->n_values = message->n_values;
  info->last = message->last != NULL ? decode_hit (message->last) : NULL;
  return info;
}

void
sonde_session_decode_watches (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  reply->watches = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_free);
  for (gsize i = 0; i < message->n_watches; i++)
    g_ptr_array_add (reply->watches, decode_watch (message->watches[i]));
  reply->watch_hits = sonde_session_decode_hits (message->watch_hits, message->n_watch_hits);
}
