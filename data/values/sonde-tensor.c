/* SPDX-License-Identifier: Apache-2.0
 * Tensors: their buffers, making and releasing them, views. Copies and single elements are in
 * sonde-tensor-elements.c, slices in sonde-tensor-slice.c. */
#include "data/values/sonde-tensor-private.h"
#include "data/values/sonde-tensor-memory.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#include <string.h>

#define ALIGNMENT 64

struct _SondeBuffer
{
  _Atomic guint ref_count;
  void *data;
  gsize n_bytes;   /* that go with it; 0 where the memory is somebody else's */
  gsize n_strings; /* char * elements that the buffer owns, else 0 */
  GDestroyNotify release;
  void *release_data;
};

static SondeBuffer *
buffer_new (void *data, gsize n_bytes, gsize n_strings, GDestroyNotify release, void *release_data)
{
  SondeBuffer *buffer = g_new (SondeBuffer, 1);

  atomic_init (&buffer->ref_count, 1);
  buffer->data = data;
  buffer->n_bytes = release != NULL ? n_bytes : 0;
  buffer->n_strings = n_strings;
  buffer->release = release;
  buffer->release_data = release_data;
  return buffer;
}

/* Zeroed by calloc(), which for large sizes costs nothing before the first touch; aligned by hand,
 * since no aligned calloc exists. */
static SondeBuffer *
buffer_alloc (gsize n_bytes, gsize n_strings, gboolean may_fail)
{
  guint8 *memory;
  gsize room;

  if (!sonde_checked_add (&room, n_bytes, (gsize) ALIGNMENT))
    return NULL;
  memory = may_fail ? g_try_malloc0 (room) : g_malloc0 (room);
  if (memory == NULL)
    return NULL;
  return buffer_new (memory + (ALIGNMENT - (guintptr) memory % ALIGNMENT) % ALIGNMENT, n_bytes,
                     n_strings, g_free, memory);
}

static void
buffer_unref (SondeBuffer *buffer)
{
  char **strings = buffer->data;

  if (atomic_fetch_sub (&buffer->ref_count, 1) != 1)
    return;

  for (gsize i = 0; i < buffer->n_strings; i++)
    g_free (strings[i]);
  if (buffer->release != NULL)
    buffer->release (buffer->release_data);
  g_free (buffer);
}

void
sonde_shape_fill_strides (const SondeShape *shape, gint64 *strides)
{
  gint64 stride = 1;

  for (int i = shape->rank - 1; i >= 0; i--)
    {
      strides[i] = stride;
      /* Only the other sizes of an empty tensor can overflow; nobody follows its strides. */
      if (!sonde_checked_mul (&stride, stride, MAX (shape->dims[i], 1)))
        stride = 1;
    }
}

/* Takes over the reference on @buffer. */
static SondeTensor *
tensor_on_buffer (SondeDtype dtype, const SondeShape *shape, SondeBuffer *buffer)
{
  SondeTensor *tensor = g_new (SondeTensor, 1);

  atomic_init (&tensor->ref_count, 1);
  tensor->dtype = dtype;
  tensor->shape = *shape;
  sonde_shape_fill_strides (shape, tensor->strides);
  tensor->data = buffer->data;
  tensor->buffer = buffer;
  return tensor;
}

static gsize
n_strings_of (SondeDtype dtype, gint64 n_elements)
{
  return dtype == SONDE_DTYPE_STRING ? (gsize) n_elements : 0;
}

SondeTensor *
sonde_tensor_new (SondeDtype dtype, const SondeShape *shape)
{
  gint64 n = sonde_shape_n_elements (shape);
  SondeBuffer *buffer;

  g_return_val_if_fail (sonde_dtype_size (dtype) > 0 && n >= 0, NULL);

  buffer = buffer_alloc ((gsize) n * sonde_dtype_size (dtype), n_strings_of (dtype, n), FALSE);
  if (buffer == NULL)
    g_error ("out of memory: %" PRIi64 " elements of %s", n, sonde_dtype_name (dtype));
  return tensor_on_buffer (dtype, shape, buffer);
}

SondeTensor *
sonde_tensor_try_new (SondeDtype dtype, const SondeShape *shape, SondeBudget *budget,
                      const char *what, GError **error)
{
  gint64 n = sonde_shape_n_elements (shape);
  gsize n_bytes;
  SondeBuffer *buffer;

  g_return_val_if_fail (sonde_dtype_size (dtype) > 0, NULL);

  if (n < 0)
    {
      g_autofree char *text = sonde_shape_to_string (shape);

      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "%-s has the impossible shape %s", what, text);
      return NULL;
    }
  n_bytes = (gsize) n * sonde_dtype_size (dtype);
  if (!sonde_budget_take (budget, n_bytes, what, error))
    return NULL;

  buffer = buffer_alloc (n_bytes, n_strings_of (dtype, n), TRUE);
  if (buffer == NULL)
    {
      sonde_budget_give_back (budget, n_bytes);
      sonde_set_error (error, SONDE_DATA_ERROR,
                       n_bytes > SONDE_BUDGET_PARSE_BYTES ? SONDE_DATA_ERROR_LIMIT
                                                          : SONDE_DATA_ERROR_NO_MEMORY,
                       "%-s needs %zu bytes, more than the system has free", what, n_bytes);
      return NULL;
    }
  return tensor_on_buffer (dtype, shape, buffer);
}

static SondeTensor *
fill (SondeTensor *tensor, const void *data)
{
  gsize n_bytes = sonde_tensor_n_bytes (tensor);
  char *const *from = data;
  char **to = (void *) tensor->data;

  if (tensor->dtype != SONDE_DTYPE_STRING && n_bytes > 0)
    memcpy (tensor->data, data, n_bytes);
  for (gsize i = 0; i < tensor->buffer->n_strings; i++)
    to[i] = g_strdup (from[i]);
  return tensor;
}

SondeTensor *
sonde_tensor_new_from_data (SondeDtype dtype, const SondeShape *shape, const void *data)
{
  return fill (sonde_tensor_new (dtype, shape), data);
}

SondeTensor *
sonde_tensor_try_new_from_data (SondeDtype dtype, const SondeShape *shape, const void *data,
                                const char *what, GError **error)
{
  SondeTensor *tensor = sonde_tensor_try_new (dtype, shape, NULL, what, error);

  return tensor != NULL ? fill (tensor, data) : NULL;
}

SondeTensor *
sonde_tensor_new_take (SondeDtype dtype, const SondeShape *shape, void *data,
                       GDestroyNotify release, void *release_data)
{
  g_return_val_if_fail (dtype != SONDE_DTYPE_STRING && sonde_dtype_size (dtype) > 0, NULL);
  g_return_val_if_fail (sonde_shape_n_elements (shape) >= 0, NULL);

  return tensor_on_buffer (
      dtype, shape,
      buffer_new (data, (gsize) sonde_shape_n_elements (shape) * sonde_dtype_size (dtype), 0,
                  release, release_data));
}

SondeTensor *
sonde_tensor_new_f32 (float value)
{
  SondeShape shape = sonde_shape_scalar ();

  return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, &value);
}

SondeTensor *
sonde_tensor_new_i64 (gint64 value)
{
  SondeShape shape = sonde_shape_scalar ();

  return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, &value);
}

SondeTensor *
sonde_tensor_ref (SondeTensor *tensor)
{
  atomic_fetch_add_explicit (&tensor->ref_count, 1, memory_order_relaxed);
  return tensor;
}

void
sonde_tensor_unref (SondeTensor *tensor)
{
  if (tensor == NULL || atomic_fetch_sub (&tensor->ref_count, 1) != 1)
    return;
  buffer_unref (tensor->buffer);
  g_free (tensor);
}

gint64
sonde_tensor_n_elements (const SondeTensor *tensor)
{
  return sonde_shape_n_elements (&tensor->shape);
}

gsize
sonde_tensor_n_bytes (const SondeTensor *tensor)
{
  return (gsize) sonde_tensor_n_elements (tensor) * sonde_dtype_size (tensor->dtype);
}

gsize
sonde_tensor_get_held_bytes (const SondeTensor *tensor)
{
  const SondeBuffer *buffer = tensor->buffer;
  char *const *strings = buffer->data;
  gsize bytes = buffer->n_bytes;

  for (gsize i = 0; i < buffer->n_strings; i++)
    bytes += strings[i] != NULL ? strlen (strings[i]) + 1 : 0;
  return bytes;
}

gboolean
sonde_tensor_is_contiguous (const SondeTensor *tensor)
{
  gint64 stride = 1;

  if (sonde_tensor_n_elements (tensor) <= 1)
    return TRUE;
  for (int i = tensor->shape.rank - 1; i >= 0; i--)
    {
      if (tensor->shape.dims[i] != 1 && tensor->strides[i] != stride)
        return FALSE;
      stride *= tensor->shape.dims[i];
    }
  return TRUE;
}

SondeTensor *
sonde_tensor_new_view (SondeTensor *tensor, const SondeShape *shape, const gint64 *strides,
                       gint64 offset)
{
  SondeTensor *view = g_new (SondeTensor, 1);

  atomic_init (&view->ref_count, 1);
  view->dtype = tensor->dtype;
  view->shape = *shape;
  memcpy (view->strides, strides, (gsize) shape->rank * sizeof *strides);
  view->data = tensor->data + offset * (gint64) sonde_dtype_size (tensor->dtype);
  view->buffer = tensor->buffer;
  atomic_fetch_add_explicit (&view->buffer->ref_count, 1, memory_order_relaxed);
  return view;
}

SondeTensor *
sonde_tensor_view (SondeTensor *tensor, const SondeShape *shape, const gint64 *strides,
                   gint64 offset)
{
  g_return_val_if_fail (sonde_shape_n_elements (shape) >= 0, NULL);

  return sonde_tensor_new_view (tensor, shape, strides, offset);
}

SondeTensor *
sonde_tensor_reshape (SondeTensor *tensor, const SondeShape *shape)
{
  gint64 strides[SONDE_MAX_RANK];

  if (!sonde_tensor_is_contiguous (tensor)
      || sonde_shape_n_elements (shape) != sonde_tensor_n_elements (tensor))
    return NULL;
  sonde_shape_fill_strides (shape, strides);
  return sonde_tensor_new_view (tensor, shape, strides, 0);
}

SondeTensor *
sonde_tensor_transpose (SondeTensor *tensor, const int *permutation)
{
  SondeShape shape = { .rank = tensor->shape.rank };
  gint64 strides[SONDE_MAX_RANK];

  for (int i = 0; i < shape.rank; i++)
    {
      g_return_val_if_fail (permutation[i] >= 0 && permutation[i] < shape.rank, NULL);
      shape.dims[i] = tensor->shape.dims[permutation[i]];
      strides[i] = tensor->strides[permutation[i]];
    }
  return sonde_tensor_new_view (tensor, &shape, strides, 0);
}

/* Runs */

void
sonde_runs_init (SondeRuns *runs, const SondeTensor *tensor)
{
  gint64 n = sonde_tensor_n_elements (tensor);
  int rank = 0; /* of the joined dimensions, outermost first */

  memset (runs, 0, sizeof *runs);
  for (int i = 0; i < tensor->shape.rank; i++)
    {
      gint64 size = tensor->shape.dims[i], stride = tensor->strides[i];

      if (size == 1)
        continue;
      if (rank > 0 && runs->strides[rank - 1] == stride * size)
        {
          runs->dims[rank - 1] *= size;
          runs->strides[rank - 1] = stride;
          continue;
        }
      runs->dims[rank] = size;
      runs->strides[rank] = stride;
      rank++;
    }

  runs->rank = MAX (rank - 1, 0);
  runs->length = rank > 0 ? runs->dims[rank - 1] : 1;
  runs->stride = rank > 0 ? runs->strides[rank - 1] : 1;
  runs->n_runs = n > 0 ? n / runs->length : 0;
}

gint64
sonde_runs_next (SondeRuns *runs)
{
  gint64 offset = runs->offset;

  for (int i = runs->rank - 1; i >= 0; i--)
    {
      runs->offset += runs->strides[i];
      if (++runs->index[i] < runs->dims[i])
        break;
      runs->offset -= runs->strides[i] * runs->dims[i];
      runs->index[i] = 0;
    }
  return offset;
}

gint64
sonde_tensor_offset_of (const SondeTensor *tensor, gint64 index)
{
  gint64 offset = 0;

  for (int i = tensor->shape.rank - 1; i >= 0; i--)
    {
      offset += index % tensor->shape.dims[i] * tensor->strides[i];
      index /= tensor->shape.dims[i];
    }
  return offset;
}
