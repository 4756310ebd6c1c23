/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-call.h"

#include "data/base/sonde-text.h"
#include "engine/session/codec/sonde-codec-reply.h"
#include "engine/session/codec/sonde-codec-value.h"

#define MAX_TENSORS 65536
#define MAX_REQUEST_BYTES ((guint64) 15 << 20) /* a frame takes 16 MiB */

/* ---- writing ------------------------------------------------------------- */

gboolean
sonde_codec_write_call (GVariant *variant, GPtrArray *tensors, guint64 limit, GPtrArray *memory,
                        Sonde__Session__CallResult *message, GError **error)
{
  g_autoptr (GVariant) own = g_variant_ref_sink (variant);
  gsize n = tensors != NULL ? tensors->len : 0;
  guint64 total;

  message->value = sonde_codec_write_value (memory, own);
  total = protobuf_c_message_get_packed_size (&message->value->base);
  for (gsize i = 0; i < n; i++)
    total += sonde_tensor_n_bytes (g_ptr_array_index (tensors, i)) + 128;
  if (total > limit || n > MAX_TENSORS)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "These are %" PRIu64 " bytes in %zu tensors; at most %" PRIu64
                       " bytes in %d can be sent at once. Ask for less at a time.",
                       total, n, limit, MAX_TENSORS);
      return FALSE;
    }
  message->n_tensors = n;
  message->tensors = sonde_codec_list (memory, n);
  for (gsize i = 0; i < n; i++)
    message->tensors[i] = sonde_codec_write_inside (memory, g_ptr_array_index (tensors, i));
  return TRUE;
}

SondeSessionRequest *
sonde_session_request_call (const char *name, GVariant *arguments, GPtrArray *tensors,
                            GError **error)
{
  SondeSessionRequest *request
      = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_CALL, SONDE_SESSION_REPLY_CALL);
  Sonde__Session__Call *message = request->message.call;

  message->name = sonde_codec_text (request->memory, name);
  message->arguments = sonde_codec_new (request->memory, &sonde__session__call_result__descriptor);
  if (sonde_codec_write_call (arguments, tensors, MAX_REQUEST_BYTES, request->memory,
                              message->arguments, error))
    return request;
  sonde_session_request_free (request);
  return NULL;
}

SondeSessionRequest *
sonde_session_request_cancel (guint32 id)
{
  SondeSessionRequest *request
      = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_CANCEL, SONDE_SESSION_REPLY_DONE);

  request->message.cancel->id = id;
  return request;
}

/* ---- reading ------------------------------------------------------------- */

gboolean
sonde_codec_read_call (const Sonde__Session__CallResult *message, const char *what,
                       GVariant **result, GPtrArray **tensors, GError **error)
{
  g_autoptr (GVariant) variant = sonde_codec_read_value (message->value);
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  if (variant != NULL && !g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    g_clear_pointer (&variant, g_variant_unref);
  if (variant == NULL || message->n_tensors > MAX_TENSORS)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, "%-s is malformed: %-s.", what,
          variant == NULL ? N_ ("its value is no map of text to values, or contradicts its type")
                          : N_ ("it has too many tensors"));
      return FALSE;
    }
  for (gsize i = 0; i < message->n_tensors; i++)
    {
      SondeTensor *tensor = sonde_codec_read_inside (message->tensors[i]);

      if (tensor == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                           "%-s cannot be: bytes and shape of its tensor %zu do not go together.",
                           what, i);
          return FALSE;
        }
      g_ptr_array_add (list, tensor);
    }
  *result = g_steal_pointer (&variant);
  *tensors = g_steal_pointer (&list);
  return TRUE;
}

/* ---- the reply ----------------------------------------------------------- */

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  return sonde_codec_read_call (message->call, N_ ("the result of a call"), &reply->result,
                                &reply->tensors, error);
}

static void
clear_reply (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->result, g_variant_unref);
  g_clear_pointer (&reply->tensors, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_call = { SONDE_SESSION_REPLY_CALL, read_reply, clear_reply };
