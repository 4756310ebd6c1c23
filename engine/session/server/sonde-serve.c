/* SPDX-License-Identifier: Apache-2.0
 * What clients ask of the engine, one row a request. Runs on the engine thread, between two
 * steps. */
#include "engine/session/server/sonde-serve.h"

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/server/sonde-serve-table.h"

gboolean
sonde_session_refuse (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           sonde_message_new_va (format, arguments));
  va_end (arguments);
  return FALSE;
}

gboolean
sonde_session_check_path (const char *path, GError **error)
{
  if (g_path_is_absolute (path))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” must be an absolute path: the engine may run in another folder.", path);
  return FALSE;
}

/* Only asked here when what was published is too old. */
gboolean
sonde_serve_status (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  sonde_session_publish (server);
  return TRUE;
}

/* ---- requests ------------------------------------------------------------ */

static gboolean
handle (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
        const SondeServeRow *handler, GError **error)
{
  if (handler == NULL || handler->handle == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This engine does not support that request.");
      return FALSE;
    }
  if ((handler->flags & SONDE_NEEDS_CONTROL) && !job->in_control)
    return sonde_session_refuse (
        error, "Another client controls this session; this client can only observe.");
  if ((handler->flags & SONDE_NEEDS_OPEN) && server->target == NULL)
    return sonde_session_refuse (error, "Nothing is open in this session.");
  return handler->handle (server, job, answer, error);
}

/* Room for the whole of @bytes on its way to @peer. */
static gboolean
has_room (const SondeSessionPeer *peer, guint64 bytes)
{
  if (peer->channel.queued_fds >= SONDE_SESSION_UNREAD_VALUES)
    return FALSE;
  return peer->in_transit == 0
         || bytes
                <= SONDE_SESSION_MEMORY_BYTES - MIN (peer->in_transit, SONDE_SESSION_MEMORY_BYTES);
}

void
sonde_session_reply (SondeSessionServer *server, guint64 id_of_peer, guint32 id,
                     SondeSessionAnswer *answer)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Reply small = SONDE__SESSION__REPLY__INIT;
  SondeSessionPeer *peer;

  message.body_case = SONDE__SESSION__MESSAGE__BODY_REPLY;
  message.reply = &answer->reply;
  answer->reply.id = id;
  answer->reply.state = server->state;
  pthread_mutex_lock (&server->lock);
  peer = sonde_session_find_peer (server, id_of_peer);
  if (peer != NULL)
    {
      peer->pending -= MIN (peer->pending, 1);
      if (answer->memfd >= 0 && !has_room (peer, sonde_codec_memfd_bytes (&answer->reply)))
        {
          g_autoptr (GError) error = NULL;

          sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                           "Values requested earlier are still in transit; receive those first.");
          small.id = id;
          small.error = sonde_codec_write_error (answer->memory, error);
          message.reply = &small;
        }
      else if (answer->memfd >= 0)
        peer->in_transit += sonde_codec_memfd_bytes (&answer->reply);
      sonde_session_send (server, peer, &message, message.reply == &small ? -1 : answer->memfd);
      if (message.reply != &small)
        answer->memfd = -1; /* taken */
    }
  pthread_mutex_unlock (&server->lock);
}

/* What was published, packed later without the lock. */
static void
add_status (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer)
{
  pthread_mutex_lock (&server->lock);
  server->status->has_controller = server->controller != 0;
  answer->reply.status
      = sonde_codec_write_status (answer->memory, server->status, server->controller == job->peer);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_handle (SondeSessionServer *server, SondeSessionJob *job)
{
  const SondeSessionServiceClass *klass = server->service->klass;
  guint kind = (guint) job->request->body_case;
  const SondeServeRow *handler = kind < klass->n_rows ? &klass->rows[kind] : NULL;
  g_autoptr (GError) error = NULL;
  SondeSessionAnswer answer;

  sonde_session_answer_init (&answer);
  if (!handle (server, job, &answer, handler, &error))
    {
      sonde_session_answer_clear (&answer);
      sonde_session_answer_init (&answer);
      if (error == NULL) /* a fault of ours, which is no reason to take the run down */
        sonde_session_refuse (&error, "The engine failed without giving a reason.");
      sonde_session_answer_error (&answer, error);
    }
  else if (handler->flags & SONDE_GIVES_STATUS)
    add_status (server, job, &answer);
  if (!answer.later)
    sonde_session_reply (server, job->peer, job->id, &answer);
  sonde_session_answer_clear (&answer);
  sonde_session_job_free (job);
}
