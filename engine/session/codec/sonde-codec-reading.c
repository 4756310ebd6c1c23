/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-reading.h"

#include "engine/session/codec/sonde-codec-message.h"
#include <string.h>

#include "engine/session/codec/sonde-codec-reply.h"

/* ---- requests ------------------------------------------------------------ */

static SondeSessionRequest *
new_request (Sonde__Session__Request__BodyCase kind, const char *value)
{
  SondeSessionRequest *request = sonde_session_request_new (kind, SONDE_SESSION_REPLY_READING);
  Sonde__Session__Value *message
      = (Sonde__Session__Value *) sonde_codec_read_value_request (&request->message);

  message->expression = sonde_codec_text (request->memory, value);
  return request;
}

SondeSessionRequest *
sonde_session_request_statistics (const char *value)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_STATISTICS, value);
}

SondeSessionRequest *
sonde_session_request_histogram (const char *value)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_HISTOGRAM, value);
}

SondeSessionRequest *
sonde_session_request_tensor (const char *value)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_TENSOR, value);
}

SondeSessionRequest *
sonde_session_request_save (const char *value, const char *path)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_SAVE, value);

  request->message.save->path = sonde_codec_text (request->memory, path);
  return request;
}

const Sonde__Session__Value *
sonde_codec_read_value_request (const Sonde__Session__Request *request)
{
  switch (request->body_case)
    {
    case SONDE__SESSION__REQUEST__BODY_STATISTICS:
      return request->statistics;
    case SONDE__SESSION__REQUEST__BODY_HISTOGRAM:
      return request->histogram;
    case SONDE__SESSION__REQUEST__BODY_SAVE:
      return request->save;
    default:
      return request->tensor;
    }
}

SondeSessionRequest *
sonde_session_request_evaluate (const char *expression, SondeSessionWant want, const char *path)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_EVALUATE,
                                                            SONDE_SESSION_REPLY_READING);

  request->message.evaluate->expression = sonde_codec_text (request->memory, expression);
  request->message.evaluate->want = want;
  request->message.evaluate->path = sonde_codec_text (request->memory, path);
  return request;
}

/* ---- writing ------------------------------------------------------------- */

static Sonde__Session__Reading *
body_of (SondeSessionAnswer *answer)
{
  return sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_READING);
}

void
sonde_codec_write_reading_name (SondeSessionAnswer *answer, const char *name)
{
  body_of (answer)->name = sonde_codec_text (answer->memory, name);
}

void
sonde_codec_write_reading_form (SondeSessionAnswer *answer, SondeDtype dtype,
                                const SondeShape *shape)
{
  body_of (answer)->tensor = sonde_codec_write_form (answer->memory, dtype, shape);
}

gboolean
sonde_codec_write_reading_tensor (SondeSessionAnswer *answer, SondeTensor *tensor, GError **error)
{
  Sonde__Session__Reading *message = body_of (answer);

  message->tensor = sonde_codec_write_tensor (answer, tensor, error);
  return message->tensor != NULL;
}

void
sonde_codec_write_reading_statistics (SondeSessionAnswer *answer, const SondeStatistics *statistics)
{
  body_of (answer)->statistics = sonde_codec_write_statistics (answer->memory, statistics);
}

static double *
copy_doubles (GPtrArray *memory, const double *values, gsize n)
{
  double *copy = sonde_codec_alloc (memory, n * sizeof (double));

  if (n > 0)
    memcpy (copy, values, n * sizeof (double));
  return copy;
}

void
sonde_codec_write_reading_histogram (SondeSessionAnswer *answer, const SondeBins *bins)
{
  GPtrArray *memory = answer->memory;
  Sonde__Session__Histogram *message
      = sonde_codec_new (memory, &sonde__session__histogram__descriptor);

  message->n_lefts = message->n_rights = message->n_counts = bins->n;
  message->lefts = copy_doubles (memory, bins->lefts, bins->n);
  message->rights = copy_doubles (memory, bins->rights, bins->n);
  message->counts = copy_doubles (memory, bins->counts, bins->n);
  message->count = bins->count;
  message->min = bins->min;
  message->max = bins->max;
  message->sum = bins->sum;
  message->sum_squares = bins->sum_squares;
  message->nan = bins->nan;
  message->pos_inf = bins->pos_inf;
  message->neg_inf = bins->neg_inf;
  body_of (answer)->histogram = message;
}

void
sonde_codec_write_reading_truth (SondeSessionAnswer *answer, gboolean truth, gboolean unknown,
                                 const SondeMessage *explanation)
{
  Sonde__Session__Reading *message = body_of (answer);

  message->truth = truth;
  message->unknown = unknown;
  sonde_codec_write_message (answer->memory, explanation, &message->explanation,
                             &message->explanation_parts, &message->n_explanation_parts);
}

/* ---- reading ------------------------------------------------------------- */

static SondeBins *
read_histogram (const Sonde__Session__Histogram *from, GError **error)
{
  SondeBins *bins = from->n_rights == from->n_lefts && from->n_counts == from->n_lefts
                        ? sonde_bins_new (from->n_lefts)
                        : NULL;

  if (bins == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The engine sent a histogram whose edges and counts do not go together.");
      return NULL;
    }
  for (gsize i = 0; i < bins->n; i++)
    {
      bins->lefts[i] = from->lefts[i];
      bins->rights[i] = from->rights[i];
      bins->counts[i] = from->counts[i];
    }
  bins->count = from->count;
  bins->min = from->min;
  bins->max = from->max;
  bins->sum = from->sum;
  bins->sum_squares = from->sum_squares;
  bins->nan = from->nan;
  bins->pos_inf = from->pos_inf;
  bins->neg_inf = from->neg_inf;
  return bins;
}

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  const Sonde__Session__Reading *from = message->reading;

  reply->name = sonde_codec_dup_optional (from->name);
  reply->truth = from->truth;
  reply->unknown = from->unknown;
  reply->explanation = sonde_codec_read_message (from->explanation, from->explanation_parts,
                                                 from->n_explanation_parts);
  if (from->tensor != NULL
      && !sonde_codec_read_tensor (from->tensor, source, &reply->dtype, &reply->shape,
                                   &reply->tensor, error))
    return FALSE;
  if (from->statistics != NULL)
    sonde_codec_read_statistics (from->statistics, &reply->statistics);
  if (from->histogram != NULL)
    reply->histogram = read_histogram (from->histogram, error);
  return from->histogram == NULL || reply->histogram != NULL;
}

static void
clear_reply (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->name, g_free);
  g_clear_pointer (&reply->explanation, sonde_message_free);
  g_clear_pointer (&reply->tensor, sonde_tensor_unref);
  g_clear_pointer (&reply->histogram, sonde_bins_free);
}

const SondeReplyCodec sonde_codec_reading
    = { SONDE_SESSION_REPLY_READING, read_reply, clear_reply };
