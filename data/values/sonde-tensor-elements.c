/* SPDX-License-Identifier: Apache-2.0
 * The elements of tensors: copies, casts, single values, comparison. */
#include "data/values/sonde-tensor-private.h"

#include "data/values/sonde-decimal.h"
#include "data/values/sonde-dtype-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TILE_RUNS 64
#define TILE_LENGTH 16

/* Copies @n elements that lie @stride elements apart. */
#define DEFINE_GATHER(bits)                                                                        \
  static void gather_##bits (void *to, const void *from, gint64 n, gint64 stride)                  \
  {                                                                                                \
    guint##bits *out = to;                                                                         \
    const guint##bits *in = from;                                                                  \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = in[i * stride];                                                                     \
  }

DEFINE_GATHER (8)
DEFINE_GATHER (16)
DEFINE_GATHER (32)
DEFINE_GATHER (64)

void
sonde_elements_gather (void *to, const void *from, gint64 n, gint64 stride, gsize size)
{
  static void (*const by_size[9]) (void *, const void *, gint64, gint64) = {
    [1] = gather_8,
    [2] = gather_16,
    [4] = gather_32,
    [8] = gather_64,
  };

  if (stride == 1)
    memcpy (to, from, (gsize) n * size);
  else
    by_size[size](to, from, n, stride);
}

static void
own_strings (SondeTensor *tensor)
{
  char **strings = (void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n && tensor->dtype == SONDE_DTYPE_STRING; i++)
    strings[i] = g_strdup (strings[i]);
}

/* Runs of elements that lie apart, as in a transpose: a line of the cache that one run reads has
 * elements of its neighbours, so they are copied together, a few elements of each. */
static void
copy_apart (SondeRuns *runs, const guint8 *from, guint8 *to, gsize size)
{
  gint64 offsets[TILE_RUNS], row = runs->length * (gint64) size;

  for (gint64 done = 0, n; done < runs->n_runs; done += n)
    {
      n = MIN (TILE_RUNS, runs->n_runs - done);
      for (gint64 r = 0; r < n; r++)
        offsets[r] = sonde_runs_next (runs);
      for (gint64 i = 0; i < runs->length; i += TILE_LENGTH)
        for (gint64 r = 0; r < n; r++)
          sonde_elements_gather (to + (done + r) * row + i * (gint64) size,
                                 from + (offsets[r] + i * runs->stride) * (gint64) size,
                                 MIN (TILE_LENGTH, runs->length - i), runs->stride, size);
    }
}

SondeTensor *
sonde_tensor_copy (SondeTensor *tensor)
{
  SondeTensor *copy = sonde_tensor_new (tensor->dtype, &tensor->shape);
  gsize size = sonde_dtype_size (tensor->dtype);
  guint8 *to = copy->data;
  SondeRuns runs;

  sonde_runs_init (&runs, tensor);
  if (runs.stride != 1)
    copy_apart (&runs, tensor->data, to, size);
  for (gint64 i = 0; runs.stride == 1 && i < runs.n_runs; i++)
    {
      gint64 offset = sonde_runs_next (&runs);

      sonde_elements_gather (to, tensor->data + offset * (gint64) size, runs.length, runs.stride,
                             size);
      to += (gsize) runs.length * size;
    }
  own_strings (copy);
  return copy;
}

SondeTensor *
sonde_tensor_contiguous (SondeTensor *tensor)
{
  return sonde_tensor_is_contiguous (tensor) ? sonde_tensor_ref (tensor)
                                             : sonde_tensor_copy (tensor);
}

SondeTensor *
sonde_tensor_cast (SondeTensor *tensor, SondeDtype dtype)
{
  g_autoptr (SondeTensor) from = NULL;
  SondeTensor *to;

  if (dtype == tensor->dtype)
    return sonde_tensor_contiguous (tensor);

  g_return_val_if_fail (dtype != SONDE_DTYPE_STRING && tensor->dtype != SONDE_DTYPE_STRING, NULL);
  from = sonde_tensor_contiguous (tensor);
  to = sonde_tensor_new (dtype, &from->shape);
  sonde_dtype_convert (from->dtype, from->data, dtype, to->data,
                       (gsize) sonde_tensor_n_elements (from));
  return to;
}

SondeTensor *
sonde_tensor_try_cast (SondeTensor *tensor, SondeDtype dtype, const char *what, GError **error)
{
  g_autoptr (SondeTensor) from = NULL;
  SondeTensor *to;

  if (dtype == tensor->dtype)
    return sonde_tensor_contiguous (tensor);

  g_return_val_if_fail (dtype != SONDE_DTYPE_STRING && tensor->dtype != SONDE_DTYPE_STRING, NULL);
  to = sonde_tensor_try_new (dtype, &tensor->shape, NULL, what, error);
  if (to == NULL)
    return NULL;
  from = sonde_tensor_contiguous (tensor);
  sonde_dtype_convert (from->dtype, from->data, dtype, to->data,
                       (gsize) sonde_tensor_n_elements (from));
  return to;
}

static guint8 *
element (const SondeTensor *tensor, gint64 index)
{
  return tensor->data
         + sonde_tensor_offset_of (tensor, index) * (gint64) sonde_dtype_size (tensor->dtype);
}

double
sonde_tensor_get_double (const SondeTensor *tensor, gint64 index)
{
  double value;

  sonde_dtype_convert (tensor->dtype, element (tensor, index), SONDE_DTYPE_F64, &value, 1);
  return value;
}

gint64
sonde_tensor_get_int (const SondeTensor *tensor, gint64 index)
{
  gint64 value;

  sonde_dtype_convert (tensor->dtype, element (tensor, index), SONDE_DTYPE_I64, &value, 1);
  return value;
}

void
sonde_tensor_set_double (SondeTensor *tensor, gint64 index, double value)
{
  sonde_dtype_convert (SONDE_DTYPE_F64, &value, tensor->dtype, element (tensor, index), 1);
}

char *
sonde_tensor_format_element (const SondeTensor *tensor, gint64 index)
{
  const void *bits = element (tensor, index);

  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      char *const *string = bits;

      return g_strdup (*string != NULL ? *string : "");
    }
  if (tensor->dtype == SONDE_DTYPE_BOOL)
    return g_strdup (sonde_tensor_get_int (tensor, index) != 0 ? "true" : "false");
  if (sonde_dtype_has_fractions (tensor->dtype))
    {
      char text[SONDE_DECIMAL_BUFFER];

      sonde_decimal_format (tensor->dtype, sonde_tensor_get_double (tensor, index), text);
      return g_strdup (text);
    }
  if (tensor->dtype == SONDE_DTYPE_U64)
    return g_strdup_printf ("%" PRIu64, (guint64) sonde_tensor_get_int (tensor, index));
  return g_strdup_printf ("%" PRIi64, sonde_tensor_get_int (tensor, index));
}

static gboolean
strings_equal (const SondeTensor *a, const SondeTensor *b)
{
  gint64 n = sonde_tensor_n_elements (a);

  for (gint64 i = 0; i < n; i++)
    {
      char *const *from_a = (void *) element (a, i);
      char *const *from_b = (void *) element (b, i);

      if (strcmp (*from_a != NULL ? *from_a : "", *from_b != NULL ? *from_b : "") != 0)
        return FALSE;
    }
  return TRUE;
}

char *
sonde_tensor_describe (const SondeTensor *tensor)
{
  GString *text = g_string_new (sonde_dtype_name (tensor->dtype));

  g_string_append (text, " [");
  for (int d = 0; d < tensor->shape.rank; d++)
    g_string_append_printf (text, "%s%" PRIi64, d > 0 ? ", " : "", tensor->shape.dims[d]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

gboolean
sonde_tensor_equal (const SondeTensor *a, const SondeTensor *b)
{
  g_autoptr (SondeTensor) flat_a = NULL, flat_b = NULL;

  if (a->dtype != b->dtype || !sonde_shape_equal (&a->shape, &b->shape))
    return FALSE;
  if (a->dtype == SONDE_DTYPE_STRING)
    return strings_equal (a, b);

  flat_a = sonde_tensor_contiguous ((SondeTensor *) a);
  flat_b = sonde_tensor_contiguous ((SondeTensor *) b);
  return memcmp (flat_a->data, flat_b->data, sonde_tensor_n_bytes (a)) == 0;
}
