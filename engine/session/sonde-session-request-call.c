/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program's own: what they carry, as messages and back. Both ends use this; whatever
 * arrives is checked. */
#include "engine/session/sonde-session-client-private.h"

#include <string.h>

#include "data/base/sonde-checked.h"
#include "engine/session/sonde-session-server-private.h"

#define MAX_TENSORS 65536
#define MAX_REQUEST_BYTES ((guint64) 15 << 20) /* a frame takes 16 MiB */

/* ---- packing ------------------------------------------------------------- */

static Sonde__Session__Tensor *
pack_tensor (SondeTensor *tensor, GPtrArray *garbage)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);
  Sonde__Session__Tensor *message = g_new0 (Sonde__Session__Tensor, 1);
  Sonde__Session__Data *data = g_new0 (Sonde__Session__Data, 1);
  gsize rank = (gsize) tensor->shape.rank;

  sonde__session__tensor__init (message);
  sonde__session__data__init (data);
  message->dtype = sonde_session_number_of_dtype (tensor->dtype);
  message->n_dims = rank;
  message->dims = g_memdup2 (tensor->shape.dims, MAX (rank, 1) * sizeof (gint64));
  message->data = data;
  data->inside.len = sonde_tensor_n_bytes (plain);
  data->inside.data = g_memdup2 (plain->data, data->inside.len);
  g_ptr_array_add (garbage, message->dims);
  g_ptr_array_add (garbage, data->inside.data);
  g_ptr_array_add (garbage, data);
  g_ptr_array_add (garbage, message);
  return message;
}

gboolean
sonde_session_pack_call (GVariant *variant, GPtrArray *tensors, guint64 limit, GPtrArray *garbage,
                         ProtobufCBinaryData *bytes, Sonde__Session__Tensor ***messages, gsize *n,
                         GError **error)
{
  g_autoptr (GVariant) own = g_variant_ref_sink (variant);
  guint64 total = g_variant_get_size (own);

  *n = tensors != NULL ? tensors->len : 0;
  for (gsize i = 0; i < *n; i++)
    total += sonde_tensor_n_bytes (g_ptr_array_index (tensors, i)) + 128;
  if (total > limit || *n > MAX_TENSORS)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "These are %" G_GUINT64_FORMAT " bytes in %" G_GSIZE_FORMAT
                   " tensors; at most %" G_GUINT64_FORMAT
                   " bytes in %d can be sent at once. Ask for less at a time.",
                   total, *n, limit, MAX_TENSORS);
      return FALSE;
    }
  bytes->len = g_variant_get_size (own);
  bytes->data = g_malloc (MAX (bytes->len, 1));
  g_variant_store (own, bytes->data);
  *messages = g_new0 (Sonde__Session__Tensor *, MAX (*n, 1));
  g_ptr_array_add (garbage, bytes->data);
  g_ptr_array_add (garbage, *messages);
  for (gsize i = 0; i < *n; i++)
    (*messages)[i] = pack_tensor (g_ptr_array_index (tensors, i), garbage);
  return TRUE;
}

SondeSessionRequest *
sonde_session_request_call (const char *name, GVariant *arguments, GPtrArray *tensors,
                            GError **error)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_CALL, sizeof (Sonde__Session__Call),
      (void (*) (void *)) sonde__session__call__init);
  Sonde__Session__Call *message = request->message.call;

  message->name = sonde_session_request_keep (request, name);
  if (sonde_session_pack_call (arguments, tensors, MAX_REQUEST_BYTES, request->garbage,
                               &message->arguments, &message->tensors, &message->n_tensors, error))
    return request;
  sonde_session_request_free (request);
  return NULL;
}

SondeSessionRequest *
sonde_session_request_cancel (guint32 id)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_CANCEL, sizeof (Sonde__Session__Cancel),
      (void (*) (void *)) sonde__session__cancel__init);

  request->message.cancel->id = id;
  return request;
}

/* ---- unpacking ----------------------------------------------------------- */

static SondeTensor *
unpack_tensor (const Sonde__Session__Tensor *message)
{
  SondeShape shape;
  SondeDtype dtype;
  gsize bytes;
  guint8 *copy;

  if (message->data == NULL || message->data->outside
      || !sonde_session_decode_form (message, &dtype, &shape, NULL) || dtype == SONDE_DTYPE_STRING
      || !sonde_checked_mul (&bytes, (gsize) sonde_shape_n_elements (&shape),
                             sonde_dtype_size (dtype))
      || bytes != message->data->inside.len)
    return NULL;
  copy = g_malloc (MAX (bytes, 1));
  if (bytes > 0)
    memcpy (copy, message->data->inside.data, bytes);
  return sonde_tensor_new_take (dtype, &shape, copy, g_free, copy);
}

/* NULL for bytes that no a{sv} is made of. */
static GVariant *
unpack_variant (const ProtobufCBinaryData *bytes)
{
  g_autoptr (GBytes) copy = g_bytes_new (bytes->data, bytes->len);
  g_autoptr (GVariant) variant
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE_VARDICT, copy, FALSE));

  return g_variant_is_normal_form (variant) ? g_steal_pointer (&variant) : NULL;
}

gboolean
sonde_session_unpack_call (const ProtobufCBinaryData *bytes,
                           Sonde__Session__Tensor *const *messages, gsize n, const char *what,
                           GVariant **result, GPtrArray **tensors, GError **error)
{
  g_autoptr (GVariant) variant = unpack_variant (bytes);
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  if (variant == NULL || n > MAX_TENSORS)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, "%s cannot be: %s.",
                   what,
                   variant == NULL ? "its bytes are no GVariant a{sv} in normal form"
                                   : "it has too many tensors");
      return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    {
      SondeTensor *tensor = unpack_tensor (messages[i]);

      if (tensor == NULL)
        {
          g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "%s cannot be: bytes and shape of its tensor %" G_GSIZE_FORMAT
                       " do not go together.",
                       what, i);
          return FALSE;
        }
      g_ptr_array_add (list, tensor);
    }
  *result = g_steal_pointer (&variant);
  *tensors = g_steal_pointer (&list);
  return TRUE;
}
