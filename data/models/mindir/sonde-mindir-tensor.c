/* SPDX-License-Identifier: Apache-2.0
 * Tensors of a MindIR file: elements as bytes, as lists of numbers, or in a file beside. */
#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-path-gate.h"
#include "data/models/mindir/sonde-mindir-reader.h"

/* By the number on the wire. */
static const SondeDtype dtypes[] = {
  SONDE_DTYPE_INVALID, SONDE_DTYPE_F32,  SONDE_DTYPE_U8,  SONDE_DTYPE_I8,      SONDE_DTYPE_U16,
  SONDE_DTYPE_I16,     SONDE_DTYPE_I32,  SONDE_DTYPE_I64, SONDE_DTYPE_STRING,  SONDE_DTYPE_BOOL,
  SONDE_DTYPE_F16,     SONDE_DTYPE_F64,  SONDE_DTYPE_U32, SONDE_DTYPE_U64,     SONDE_DTYPE_INVALID,
  SONDE_DTYPE_INVALID, SONDE_DTYPE_BF16, SONDE_DTYPE_F64, SONDE_DTYPE_INVALID,
};

gboolean
sonde_mindir_read_type (SondeMindirReader *reader, const MindIr__TensorProto *proto,
                        const char *what, SondeType *type, GError **error)
{
  *type = sonde_type_unknown ();
  type->kind = SONDE_VALUE_TENSOR;
  if (proto->has_data_type && proto->data_type > 0
      && proto->data_type < (gint32) G_N_ELEMENTS (dtypes))
    type->dtype = dtypes[proto->data_type];
  if (proto->n_dims > SONDE_MAX_RANK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: “%s” has %zu dimensions; there can be %d.", reader->name, what,
                       proto->n_dims, SONDE_MAX_RANK);
      return FALSE;
    }
  /* −2 alone: not even how many dimensions there are */
  type->rank = proto->n_dims == 1 && proto->dims[0] == -2 ? -1 : (int) proto->n_dims;
  for (int i = 0; i < type->rank; i++)
    type->dims[i].size = MAX (proto->dims[i], -1);
  return TRUE;
}

static gboolean
count_bytes (SondeMindirReader *reader, const SondeType *type, const char *what, SondeShape *shape,
             guint64 *bytes, GError **error)
{
  if (!sonde_type_get_shape (type, shape))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: tensor “%s” has elements, but its sizes are not known.", reader->name,
                       what);
      return FALSE;
    }
  *bytes = sonde_dtype_size (type->dtype);
  for (int i = 0; i < shape->rank; i++)
    if (!sonde_checked_mul (bytes, *bytes, (guint64) shape->dims[i]))
      {
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                         "“%s”: tensor “%s” has more elements than can be counted.", reader->name,
                         what);
        return FALSE;
      }
  return TRUE;
}

static gboolean
too_few (SondeMindirReader *reader, const char *what, guint64 there, guint64 wanted, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: tensor “%s” has %" PRIu64 " bytes; its shape needs %" PRIu64 ".",
                   reader->name, what, there, wanted);
  return FALSE;
}

/* ---- elsewhere ----------------------------------------------------------- */

static GBytes *
open_location (SondeMindirReader *reader, const char *location, const char *what, GError **error)
{
  if (reader->folder == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                       "“%s”: the elements of “%s” lie in another file, “%s”, which is not read "
                       "here.",
                       reader->name, what, location);
      return NULL;
    }
  if (g_strcmp0 (location, reader->location) == 0)
    return reader->data;
  g_clear_pointer (&reader->data, g_bytes_unref);
  g_free (reader->location);
  reader->location = g_strdup (location);
  reader->data = sonde_path_gate_read (reader->io, reader->folder, location,
                                       8 * SONDE_BUDGET_PARSE_BYTES, error);
  if (reader->data == NULL)
    {
      g_clear_pointer (&reader->location, g_free);
      sonde_prefix_error (error, "“%s”: elements of “%s”: ", reader->name, what);
    }
  return reader->data;
}

static const guint8 *
find_external (SondeMindirReader *reader, const MindIr__ExternalDataProto *place, const char *what,
               guint64 wanted, GError **error)
{
  const char *location = place->location != NULL ? place->location : "";
  guint64 offset = place->has_offset && place->offset > 0 ? (guint64) place->offset : 0;
  guint64 said = place->has_length ? (guint64) MAX (place->length, 0) : wanted;
  GBytes *data = open_location (reader, location, what, error);
  gsize length = data != NULL ? g_bytes_get_size (data) : 0;

  if (data == NULL)
    return NULL;
  if (said < wanted || offset > length || wanted > length - offset)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: tensor “%s” wants %" PRIu64 " bytes at offset %" PRIu64
                       " of “%s”; the file has %zu and the entry says %" PRIu64 ".",
                       reader->name, what, wanted, offset, location, length, said);
      return NULL;
    }
  return (const guint8 *) g_bytes_get_data (data, NULL) + offset;
}

/* ---- lists of numbers ---------------------------------------------------- */

/* Old files: 32-bit entries hold the narrower types too. */
static gboolean
copy_lists (SondeMindirReader *reader, const MindIr__TensorProto *proto, const char *what,
            SondeTensor *tensor, GError **error)
{
  const gsize n = (gsize) sonde_tensor_n_elements (tensor);
  const struct
  {
    SondeDtype dtype;
    gsize n;
    const void *data;
  } lists[] = {
    { SONDE_DTYPE_F32, proto->n_float_data, proto->float_data },
    { SONDE_DTYPE_I32, proto->n_int32_data, proto->int32_data },
    { SONDE_DTYPE_I64, proto->n_int64_data, proto->int64_data },
    { SONDE_DTYPE_F64, proto->n_double_data, proto->double_data },
    { SONDE_DTYPE_U64, proto->n_uint64_data, proto->uint64_data },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (lists[i].n == n && n > 0)
      {
        sonde_dtype_convert (lists[i].dtype, lists[i].data, tensor->dtype, tensor->data,
                             (gint64) n);
        return TRUE;
      }
  return n == 0 || too_few (reader, what, 0, sonde_tensor_n_bytes (tensor), error);
}

/* ---- all ----------------------------------------------------------------- */

static gboolean
check_kind (SondeMindirReader *reader, const MindIr__TensorProto *proto, SondeDtype dtype,
            const char *what, GError **error)
{
  if (proto->has_compression_type && proto->compression_type != 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "“%s”: tensor “%s” is compressed (kind %d), which is not read. Export the "
                     "model without compression.",
                     reader->name, what, proto->compression_type);
  else if (dtype == SONDE_DTYPE_INVALID || dtype == SONDE_DTYPE_STRING)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "“%s”: tensor “%s” has elements of type number %d, which is not read.",
                     reader->name, what, proto->has_data_type ? proto->data_type : 0);
  else
    return TRUE;
  return FALSE;
}

static gboolean
fill (SondeMindirReader *reader, const MindIr__TensorProto *proto, const char *what,
      SondeTensor *tensor, GError **error)
{
  const guint64 wanted = sonde_tensor_n_bytes (tensor);
  const guint8 *from = proto->raw_data.data;

  if (proto->external_data != NULL)
    from = find_external (reader, proto->external_data, what, wanted, error);
  else if (!proto->has_raw_data || (proto->raw_data.len == 0 && wanted > 0))
    return copy_lists (reader, proto, what, tensor, error);
  else if (proto->raw_data.len != wanted)
    return too_few (reader, what, proto->raw_data.len, wanted, error);
  if (from == NULL && proto->external_data != NULL)
    return FALSE;
  if (wanted > 0)
    memcpy (tensor->data, from, wanted);
  if (tensor->dtype == SONDE_DTYPE_BOOL)
    for (guint64 i = 0; i < wanted; i++)
      tensor->data[i] = tensor->data[i] != 0;
  return TRUE;
}

SondeTensor *
sonde_mindir_read_tensor (SondeMindirReader *reader, const MindIr__TensorProto *proto,
                          const char *what, GError **error)
{
  SondeTensor *tensor;
  SondeType type;
  SondeShape shape;
  guint64 bytes;

  if (!sonde_mindir_read_type (reader, proto, what, &type, error)
      || !check_kind (reader, proto, type.dtype, what, error)
      || !count_bytes (reader, &type, what, &shape, &bytes, error))
    return NULL;
  if (proto->has_raw_data && proto->external_data == NULL && proto->raw_data.len != bytes
      && proto->raw_data.len > 0)
    {
      too_few (reader, what, proto->raw_data.len, bytes, error);
      return NULL;
    }
  tensor = sonde_tensor_try_new (type.dtype, &shape, &reader->budget, what, error);
  if (tensor == NULL)
    return NULL;
  g_ptr_array_add (reader->file->memory->tensors, tensor);
  return fill (reader, proto, what, tensor, error) ? tensor : NULL;
}
