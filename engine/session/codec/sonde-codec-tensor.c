/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-tensor.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/base/sonde-checked.h"

/* ---- element types ------------------------------------------------------- */

/* The element types of the protocol; numbers are never used again. */
static const SondeDtype dtypes[] = {
  [1] = SONDE_DTYPE_F64,         [2] = SONDE_DTYPE_F32,     [3] = SONDE_DTYPE_F16,
  [4] = SONDE_DTYPE_BF16,        [5] = SONDE_DTYPE_I8,      [6] = SONDE_DTYPE_I16,
  [7] = SONDE_DTYPE_I32,         [8] = SONDE_DTYPE_I64,     [9] = SONDE_DTYPE_U8,
  [10] = SONDE_DTYPE_U16,        [11] = SONDE_DTYPE_U32,    [12] = SONDE_DTYPE_U64,
  [13] = SONDE_DTYPE_BOOL,       [14] = SONDE_DTYPE_STRING, [15] = SONDE_DTYPE_F8E4M3FN,
  [16] = SONDE_DTYPE_F8E4M3FNUZ, [17] = SONDE_DTYPE_F8E5M2, [18] = SONDE_DTYPE_F8E5M2FNUZ,
  [19] = SONDE_DTYPE_F8E8M0,     [20] = SONDE_DTYPE_F4E2M1, [21] = SONDE_DTYPE_I4,
  [22] = SONDE_DTYPE_U4,         [23] = SONDE_DTYPE_I2,     [24] = SONDE_DTYPE_U2,
};

static guint32
number_of_dtype (SondeDtype dtype)
{
  for (guint32 i = 1; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i] == dtype)
      return i;
  return 0;
}

static SondeDtype
dtype_of_number (guint32 number)
{
  return number > 0 && number < G_N_ELEMENTS (dtypes) ? dtypes[number] : SONDE_DTYPE_INVALID;
}

/* ---- form ---------------------------------------------------------------- */

Sonde__Session__Tensor *
sonde_codec_write_form (GPtrArray *memory, SondeDtype dtype, const SondeShape *shape)
{
  Sonde__Session__Tensor *message = sonde_codec_new (memory, &sonde__session__tensor__descriptor);
  gsize bytes = (gsize) shape->rank * sizeof (gint64);

  message->dtype = number_of_dtype (dtype);
  message->n_dims = (gsize) shape->rank;
  message->dims = sonde_codec_alloc (memory, bytes);
  memcpy (message->dims, shape->dims, bytes);
  return message;
}

gboolean
sonde_codec_read_form (const Sonde__Session__Tensor *message, SondeDtype *dtype, SondeShape *shape,
                       GError **error)
{
  *dtype = dtype_of_number (message->dtype);
  if (*dtype != SONDE_DTYPE_INVALID && message->n_dims <= SONDE_MAX_RANK)
    {
      *shape = sonde_shape_from_array ((int) message->n_dims, message->dims);
      if (sonde_shape_n_elements (shape) >= 0)
        return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                   "The engine sent a tensor of element type %u and %zu dimensions that cannot be.",
                   message->dtype, message->n_dims);
  return FALSE;
}

/* ---- statistics ---------------------------------------------------------- */

Sonde__Session__Statistics *
sonde_codec_write_statistics (GPtrArray *memory, const SondeStatistics *statistics)
{
  Sonde__Session__Statistics *message
      = sonde_codec_new (memory, &sonde__session__statistics__descriptor);

  message->count = statistics->count;
  message->min = statistics->min;
  message->max = statistics->max;
  message->mean = statistics->mean;
  message->std = statistics->std;
  message->abs_mean = statistics->abs_mean;
  message->zeros = statistics->zeros;
  message->negatives = statistics->negatives;
  message->nan = statistics->nan;
  message->pos_inf = statistics->pos_inf;
  message->neg_inf = statistics->neg_inf;
  return message;
}

void
sonde_codec_read_statistics (const Sonde__Session__Statistics *from, SondeStatistics *statistics)
{
  *statistics = (SondeStatistics){
    .count = from->count,
    .min = from->min,
    .max = from->max,
    .mean = from->mean,
    .std = from->std,
    .abs_mean = from->abs_mean,
    .zeros = from->zeros,
    .negatives = from->negatives,
    .nan = from->nan,
    .pos_inf = from->pos_inf,
    .neg_inf = from->neg_inf,
  };
}

/* ---- bytes --------------------------------------------------------------- */

gboolean
sonde_codec_write_bytes (SondeSessionAnswer *answer, Sonde__Session__Data *data, const void *bytes,
                         gsize length, GError **error)
{
  if (length <= SONDE_SESSION_INSIDE_BYTES)
    {
      data->inside.data = sonde_codec_alloc (answer->memory, length);
      data->inside.len = length;
      memcpy (data->inside.data, bytes, length);
      return TRUE;
    }
  if (length > SONDE_SESSION_ELSEWHERE_BYTES)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "These are %zu bytes; at most %" PRIu64
                       " can be sent at once. Ask for a slice, or save it to a file.",
                       length, SONDE_SESSION_ELSEWHERE_BYTES);
      return FALSE;
    }
  answer->memfd = sonde_session_make_memfd (bytes, length, error);
  data->outside = TRUE;
  data->outside_bytes = length;
  return answer->memfd >= 0;
}

/* Memory that a tensor or bytes keep: mapped, or copied out of the frame. */
typedef struct
{
  guint8 *data;
  gsize length;
  gboolean mapped;
} Memory;

static void
memory_free (void *data)
{
  Memory *memory = data;

  if (memory->mapped)
    munmap (memory->data, memory->length);
  else
    g_free (memory->data);
  g_free (memory);
}

static Memory *
take_memory (const Sonde__Session__Data *data, SondeReplySource *source, GError **error)
{
  Memory *memory = g_new0 (Memory, 1);
  int fd;

  if (!data->outside)
    {
      memory->length = data->inside.len;
      memory->data = g_memdup2 (data->inside.data, data->inside.len);
      return memory;
    }
  fd = sonde_session_channel_take_fd (source->channel);
  memory->mapped = TRUE;
  memory->length = data->outside_bytes;
  memory->data = fd >= 0 ? sonde_session_map_memfd (fd, data->outside_bytes, error) : NULL;
  if (fd >= 0)
    close (fd);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine announced a value and did not send its memory.");
  source->taken += data->outside_bytes;
  if (memory->data != NULL)
    return memory;
  g_free (memory);
  return NULL;
}

GBytes *
sonde_codec_read_bytes (const Sonde__Session__Data *data, SondeReplySource *source, GError **error)
{
  Memory *memory = take_memory (data, source, error);

  return memory != NULL
             ? g_bytes_new_with_free_func (memory->data, memory->length, memory_free, memory)
             : NULL;
}

static guint64
outside_bytes (const Sonde__Session__Data *data)
{
  return data != NULL && data->outside ? data->outside_bytes : 0;
}

guint64
sonde_codec_memfd_bytes (const Sonde__Session__Reply *reply)
{
  if (reply->body_case == SONDE__SESSION__REPLY__BODY_GRAPH)
    return outside_bytes (reply->graph);
  if (reply->body_case == SONDE__SESSION__REPLY__BODY_READING && reply->reading->tensor != NULL)
    return outside_bytes (reply->reading->tensor->data);
  return 0;
}

/* ---- elements ------------------------------------------------------------ */

/* Length and bytes, one after the other. (transfer full) */
static GByteArray *
pack_strings (const SondeTensor *tensor)
{
  GByteArray *bytes = g_byte_array_new ();
  char *const *strings = (char *const *) (const void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      const char *text = strings[i] != NULL ? strings[i] : "";
      guint32 length = (guint32) strlen (text);
      guint32 little = GUINT32_TO_LE (length);

      g_byte_array_append (bytes, (const guint8 *) &little, sizeof little);
      g_byte_array_append (bytes, (const guint8 *) text, length);
    }
  return bytes;
}

Sonde__Session__Tensor *
sonde_codec_write_tensor (SondeSessionAnswer *answer, SondeTensor *tensor, GError **error)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);
  g_autoptr (GByteArray) strings = NULL;
  Sonde__Session__Tensor *message
      = sonde_codec_write_form (answer->memory, tensor->dtype, &tensor->shape);
  gboolean written;

  message->data = sonde_codec_new (answer->memory, &sonde__session__data__descriptor);
  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      strings = pack_strings (plain);
      written = sonde_codec_write_bytes (answer, message->data, strings->data, strings->len, error);
    }
  else
    written = sonde_codec_write_bytes (answer, message->data, plain->data,
                                       sonde_tensor_n_bytes (plain), error);
  return written ? message : NULL;
}

/* Elements of a string tensor out of @memory; FALSE when it does not hold exactly @n of them. */
static gboolean
unpack_strings (const Memory *memory, gint64 n, char **strings)
{
  gsize position = 0;

  for (gint64 i = 0; i < n; i++)
    {
      guint32 length;

      if (memory->length - position < sizeof length)
        return FALSE;
      memcpy (&length, memory->data + position, sizeof length);
      length = GUINT32_FROM_LE (length);
      position += sizeof length;
      if (memory->length - position < length)
        return FALSE;
      strings[i] = g_strndup ((const char *) memory->data + position, length);
      position += length;
    }
  return position == memory->length;
}

static SondeTensor *
make_strings (const SondeShape *shape, gint64 n, Memory *memory)
{
  g_autoptr (GPtrArray) strings = NULL;
  SondeTensor *tensor = NULL;

  if ((guint64) n <= memory->length / sizeof (guint32)) /* each has at least its length */
    {
      strings = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_set_size (strings, (int) n);
      if (unpack_strings (memory, n, (char **) strings->pdata))
        tensor = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, shape, strings->pdata);
    }
  memory_free (memory);
  return tensor;
}

gboolean
sonde_codec_read_tensor (const Sonde__Session__Tensor *message, SondeReplySource *source,
                         SondeDtype *dtype, SondeShape *shape, SondeTensor **tensor, GError **error)
{
  Memory *memory;
  gint64 n;
  gsize bytes;

  if (!sonde_codec_read_form (message, dtype, shape, error) || message->data == NULL)
    return message->data == NULL;
  memory = take_memory (message->data, source, error);
  if (memory == NULL)
    return FALSE;
  n = sonde_shape_n_elements (shape);
  if (*dtype == SONDE_DTYPE_STRING)
    *tensor = make_strings (shape, n, memory);
  else if (sonde_checked_mul (&bytes, (gsize) n, sonde_dtype_size (*dtype))
           && bytes == memory->length)
    *tensor = sonde_tensor_new_take (*dtype, shape, memory->data, memory_free, memory);
  else
    memory_free (memory);
  if (*tensor == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine sent a tensor whose bytes do not fit its shape.");
  return *tensor != NULL;
}

/* ---- inside of the frame ------------------------------------------------- */

Sonde__Session__Tensor *
sonde_codec_write_inside (GPtrArray *memory, SondeTensor *tensor)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);
  Sonde__Session__Tensor *message = sonde_codec_write_form (memory, tensor->dtype, &tensor->shape);
  Sonde__Session__Data *data = sonde_codec_new (memory, &sonde__session__data__descriptor);

  data->inside.len = sonde_tensor_n_bytes (plain);
  data->inside.data = g_memdup2 (plain->data, data->inside.len);
  g_ptr_array_add (memory, data->inside.data);
  message->data = data;
  return message;
}

SondeTensor *
sonde_codec_read_inside (const Sonde__Session__Tensor *message)
{
  SondeShape shape;
  SondeDtype dtype;
  gsize bytes;
  guint8 *copy;

  if (message->data == NULL || message->data->outside
      || !sonde_codec_read_form (message, &dtype, &shape, NULL) || dtype == SONDE_DTYPE_STRING
      || !sonde_checked_mul (&bytes, (gsize) sonde_shape_n_elements (&shape),
                             sonde_dtype_size (dtype))
      || bytes != message->data->inside.len)
    return NULL;
  copy = g_malloc (MAX (bytes, 1));
  if (bytes > 0)
    memcpy (copy, message->data->inside.data, bytes);
  return sonde_tensor_new_take (dtype, &shape, copy, g_free, copy);
}
