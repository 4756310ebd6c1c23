/* SPDX-License-Identifier: Apache-2.0
 * SparseTensorProto -> dense tensor. The file may be small and the shape huge: a budget stands
 * before it. */
#include "data/models/onnx/sonde-onnx-tensor.h"

#include <string.h>

#include "data/base/sonde-message-nest.h"
#include "data/models/onnx/sonde-onnx-reader.h"

typedef struct
{
  SondeOnnxReader *reader;
  const char *what; /* "sparse tensor “w1”" */
  SondeTensor *values, *indices;
  SondeShape shape;
  gint64 n; /* of elements of the dense tensor */
} SparseRead;

static gboolean sparse_fail (const SparseRead *read, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
sparse_fail (const SparseRead *read, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "“%s”: %-s: ", read->reader->name, read->what);
  return FALSE;
}

static gboolean
read_shape (SparseRead *read, const Onnx__SparseTensorProto *proto, GError **error)
{
  if (proto->n_dims > SONDE_MAX_RANK)
    return sparse_fail (read, error, "there are %zu dimensions; at most %d are supported",
                        proto->n_dims, SONDE_MAX_RANK);
  for (gsize i = 0; i < proto->n_dims; i++)
    if (proto->dims[i] < 0)
      return sparse_fail (read, error, "the size is %" PRIi64 " in dimension %zu", proto->dims[i],
                          i);

  read->shape = sonde_shape_from_array ((int) proto->n_dims, proto->dims);
  read->n = sonde_shape_n_elements (&read->shape);
  return read->n >= 0 || sparse_fail (read, error, "there are more elements than can be");
}

static gboolean
check_forms (const SparseRead *read, GError **error)
{
  const SondeShape *indices = &read->indices->shape;
  gint64 n = sonde_tensor_n_elements (read->values);

  if (read->values->shape.rank != 1)
    return sparse_fail (read, error, "its values have %d dimensions instead of one",
                        read->values->shape.rank);
  if (read->values->dtype == SONDE_DTYPE_STRING)
    return sparse_fail (read, error, "strings cannot be sparse");
  if (read->indices->dtype != SONDE_DTYPE_I64)
    return sparse_fail (read, error, "its indices are of type %s instead of int64",
                        sonde_dtype_name (read->indices->dtype));
  if (indices->rank != 1 && indices->rank != 2)
    return sparse_fail (read, error, "its indices have %d dimensions instead of one or two",
                        indices->rank);
  if (indices->dims[0] != n)
    return sparse_fail (read, error, "there are %" PRIi64 " values, but indices for %" PRIi64, n,
                        indices->dims[0]);
  if (indices->rank == 2 && indices->dims[1] != read->shape.rank)
    return sparse_fail (read, error,
                        "its indices are %" PRIi64 " numbers each for a shape of %d dimensions",
                        indices->dims[1], read->shape.rank);
  return TRUE;
}

/* Place of value @i in the dense tensor, -1 when it is outside. */
static gint64
place_of (const SparseRead *read, gint64 i)
{
  const gint64 *index = (const gint64 *) (const void *) read->indices->data;
  gint64 place = 0;

  if (read->indices->shape.rank == 1)
    return index[i] >= 0 && index[i] < read->n ? index[i] : -1;
  for (int d = 0; d < read->shape.rank; d++)
    {
      gint64 at = index[i * read->shape.rank + d];

      if (at < 0 || at >= read->shape.dims[d])
        return -1;
      place = place * read->shape.dims[d] + at;
    }
  return place;
}

static gboolean
scatter (const SparseRead *read, SondeTensor *dense, GError **error)
{
  gint64 n = sonde_tensor_n_elements (read->values), before = -1;
  gsize size = sonde_dtype_size (dense->dtype);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 place = place_of (read, i);

      if (place < 0)
        return sparse_fail (read, error, "the index of value %" PRIi64 " lies outside the shape",
                            i);
      if (place <= before)
        return sparse_fail (read, error,
                            "the index of value %" PRIi64 " is there twice or out of order", i);
      memcpy (dense->data + (gsize) place * size, read->values->data + (gsize) i * size, size);
      before = place;
    }
  return TRUE;
}

static SondeTensor *
read_dense (SparseRead *read, Onnx__SparseTensorProto *proto, GError **error)
{
  g_autoptr (SondeTensor) dense = NULL;

  if (!read_shape (read, proto, error) || !check_forms (read, error))
    return NULL;
  dense = sonde_tensor_try_new (read->values->dtype, &read->shape, &read->reader->dense, read->what,
                                error);
  if (dense == NULL || !scatter (read, dense, error))
    return NULL;
  return g_steal_pointer (&dense);
}

SondeTensor *
sonde_onnx_read_sparse (SondeOnnxReader *reader, Onnx__SparseTensorProto *proto, const char *where,
                        GError **error)
{
  const char *name = proto->values && proto->values->name ? proto->values->name : "";
  g_autofree char *shown = g_utf8_make_valid (name, -1);
  g_autofree char *what = sonde_message_nest ("%-s “%s”", where, shown);
  g_autoptr (SondeTensor) values = NULL, indices = NULL;
  SparseRead read = { .reader = reader, .what = what };

  if (proto->values == NULL || proto->indices == NULL)
    {
      if (proto->values == NULL)
        sparse_fail (&read, error, "there are no values");
      else
        sparse_fail (&read, error, "there are no indices");
      return NULL;
    }
  values = sonde_onnx_read_tensor (reader, proto->values, where, error);
  indices = values ? sonde_onnx_read_tensor (reader, proto->indices, what, error) : NULL;
  if (indices == NULL)
    return NULL;
  read.values = values;
  read.indices = indices;
  return read_dense (&read, proto, error);
}
