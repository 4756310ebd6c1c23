/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-run.h"

#include "engine/session/codec/sonde-codec-reply.h"

/* ---- opening ------------------------------------------------------------- */

SondeSessionRequest *
sonde_session_request_open (const SondeOpenRequest *open)
{
  SondeSessionRequest *request
      = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_OPEN, SONDE_SESSION_REPLY_STOPS);
  Sonde__Session__Open *message = request->message.open;
  GPtrArray *memory = request->memory;

  message->subject = sonde_codec_text (memory, open->subject);
  message->n_inputs = open->n_inputs;
  message->inputs = sonde_codec_list (memory, open->n_inputs);
  for (guint i = 0; i < open->n_inputs; i++)
    {
      message->inputs[i] = sonde_codec_new (memory, &sonde__session__open_input__descriptor);
      message->inputs[i]->name = sonde_codec_text (memory, open->inputs[i].name);
      message->inputs[i]->path = sonde_codec_text (memory, open->inputs[i].path);
    }
  message->sets = sonde_codec_texts (memory, open->sets, &message->n_sets);
  message->run_directory = sonde_codec_text (memory, open->run_directory);
  message->device = sonde_codec_text (memory, open->device);
  message->threads = (guint32) MAX (open->threads, 0);
  message->training = open->training;
  message->replace = open->replace;
  return request;
}

void
sonde_codec_read_open (const Sonde__Session__Open *message, GPtrArray *memory,
                       SondeOpenRequest *open)
{
  SondeSessionInput *inputs = sonde_codec_alloc (memory, message->n_inputs * sizeof *inputs);
  const char **sets = sonde_codec_list (memory, message->n_sets + 1);

  for (gsize i = 0; i < message->n_inputs; i++)
    {
      inputs[i].name = sonde_codec_null_if_empty (message->inputs[i]->name);
      inputs[i].path = message->inputs[i]->path;
    }
  for (gsize i = 0; i < message->n_sets; i++)
    sets[i] = message->sets[i];
  *open = (SondeOpenRequest){
    .subject = message->subject,
    .inputs = inputs,
    .n_inputs = (guint) message->n_inputs,
    .sets = sets,
    .run_directory = sonde_codec_null_if_empty (message->run_directory),
    .device = sonde_codec_null_if_empty (message->device),
    .threads = (int) MIN (message->threads, 4096),
    .training = message->training,
    .replace = message->replace,
  };
}

/* ---- running ------------------------------------------------------------- */

static SondeSessionRequest *
new_request (Sonde__Session__Request__BodyCase kind)
{
  return sonde_session_request_new (kind, SONDE_SESSION_REPLY_DONE);
}

SondeSessionRequest *
sonde_session_request_resume (const SondeResume *resume)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_RESUME);

  request->message.resume->kind = resume->kind;
  request->message.resume->count = resume->count;
  request->message.resume->target = sonde_codec_text (request->memory, resume->target);
  return request;
}

gboolean
sonde_codec_read_resume (const Sonde__Session__Resume *message, SondeResume *resume)
{
  *resume = (SondeResume){ .count = message->count, .target = message->target };
  if (message->kind > SONDE_RESUME_OUT)
    return FALSE;
  resume->kind = (SondeResumeKind) message->kind;
  return TRUE;
}

SondeSessionRequest *
sonde_session_request_pause (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_PAUSE);
}

SondeSessionRequest *
sonde_session_request_restart (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_RESTART);
}

SondeSessionRequest *
sonde_session_request_quit (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_QUIT);
}

/* ---- going back ---------------------------------------------------------- */

SondeSessionRequest *
sonde_session_request_go_back (const SondeBack *back)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_GO_BACK);
  Sonde__Session__GoBack *message = request->message.go_back;

  message->kind = back->kind;
  message->count = back->count;
  message->target = sonde_codec_text (request->memory, back->target);
  return request;
}

gboolean
sonde_codec_read_go_back (const Sonde__Session__GoBack *message, SondeBack *back)
{
  *back = (SondeBack){ .count = message->count, .target = message->target };
  if (message->kind > SONDE_BACK_CAPTURE)
    return FALSE;
  back->kind = (SondeBackKind) message->kind;
  return TRUE;
}

SondeSessionRequest *
sonde_session_request_rewind (const char *path)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_REWIND);

  request->message.rewind->path = sonde_codec_text (request->memory, path);
  return request;
}

/* ---- captures ------------------------------------------------------------ */

static Sonde__Session__Command **
write_commands (GPtrArray *memory, const GPtrArray *stops, gsize *n)
{
  Sonde__Session__Command **messages = sonde_codec_list (memory, stops != NULL ? stops->len : 0);

  *n = stops != NULL ? stops->len : 0;
  for (gsize i = 0; i < *n; i++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (stops, i);

      messages[i] = sonde_codec_new (memory, &sonde__session__command__descriptor);
      messages[i]->text = sonde_codec_text (memory, stop->command);
      messages[i]->enabled = stop->enabled;
    }
  return messages;
}

SondeSessionRequest *
sonde_session_request_capture (const char *path, const char *const *values, const GPtrArray *stops)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_CAPTURE);
  Sonde__Session__Capture *message = request->message.capture;

  message->path = sonde_codec_text (request->memory, path);
  message->values = sonde_codec_texts (request->memory, values, &message->n_values);
  message->stops = write_commands (request->memory, stops, &message->n_stops);
  return request;
}

GPtrArray *
sonde_codec_read_stops (Sonde__Session__Command *const *messages, gsize n)
{
  GPtrArray *stops = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_capture_stop_free);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = sonde_codec_dup (messages[i]->text);

      g_ptr_array_add (stops, sonde_capture_stop_new (text, messages[i]->enabled));
    }
  return stops;
}

void
sonde_codec_write_stops (SondeSessionAnswer *answer, const GPtrArray *stops)
{
  Sonde__Session__Stops *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_STOPS);

  message->stops = write_commands (answer->memory, stops, &message->n_stops);
}

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  reply->stops = sonde_codec_read_stops (message->stops->stops, message->stops->n_stops);
  return TRUE;
}

static void
clear_reply (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->stops, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_stops = { SONDE_SESSION_REPLY_STOPS, read_reply, clear_reply };
