/* SPDX-License-Identifier: Apache-2.0 */
#include "data/models/mindir/write/sonde-mindir-emit.h"

#include "data/wire/sonde-wire-emit.h"

/* Numbers of MindIR's attribute types. */
enum
{
  TYPE_FLOAT = 1,
  TYPE_INT64 = 7,
  TYPE_STRING = 8,
  TYPE_BOOL = 9,
  TYPE_TENSORS = 19,
  TYPE_TUPLE = 20,
  TYPE_NONE = 25,
};

/* ---- attributes ---------------------------------------------------------- */

static gsize
begin (GByteArray *out, guint field, const char *name)
{
  const gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  return start;
}

static void
end (GByteArray *out, gsize start, int type)
{
  sonde_emit_number (out, 16, type);
  sonde_emit_end (out, start);
}

void
sonde_mindir_emit_int (GByteArray *out, guint field, const char *name, gint64 value)
{
  const gsize start = begin (out, field, name);

  sonde_emit_number (out, 3, value);
  end (out, start, TYPE_INT64);
}

void
sonde_mindir_emit_bool (GByteArray *out, guint field, const char *name, gboolean value)
{
  const gsize start = begin (out, field, name);

  sonde_emit_number (out, 3, value);
  end (out, start, TYPE_BOOL);
}

void
sonde_mindir_emit_ints (GByteArray *out, guint field, const char *name, const gint64 *values,
                        gsize n)
{
  const gsize start = begin (out, field, name);

  sonde_emit_number (out, 16, TYPE_TUPLE);
  for (gsize i = 0; i < n; i++)
    {
      const gsize item = sonde_emit_begin (out, 17);

      sonde_emit_number (out, 10, values[i]);
      end (out, item, TYPE_INT64);
    }
  sonde_emit_end (out, start);
}

void
sonde_mindir_emit_float (GByteArray *out, guint field, const char *name, double value)
{
  const gsize start = begin (out, field, name);

  sonde_emit_float (out, 2, value);
  end (out, start, TYPE_FLOAT);
}

void
sonde_mindir_emit_string (GByteArray *out, guint field, const char *name, const char *value)
{
  const gsize start = begin (out, field, name);

  sonde_emit_text (out, 5, value);
  end (out, start, TYPE_STRING);
}

void
sonde_mindir_emit_none (GByteArray *out, guint field, const char *name)
{
  end (out, begin (out, field, name), TYPE_NONE);
}

/* ---- tensors ------------------------------------------------------------- */

static gint64
get_type_number (SondeDtype dtype)
{
  static const SondeDtype order[]
      = { SONDE_DTYPE_INVALID, SONDE_DTYPE_F32,  SONDE_DTYPE_U8,      SONDE_DTYPE_I8,
          SONDE_DTYPE_U16,     SONDE_DTYPE_I16,  SONDE_DTYPE_I32,     SONDE_DTYPE_I64,
          SONDE_DTYPE_STRING,  SONDE_DTYPE_BOOL, SONDE_DTYPE_F16,     SONDE_DTYPE_F64,
          SONDE_DTYPE_U32,     SONDE_DTYPE_U64,  SONDE_DTYPE_INVALID, SONDE_DTYPE_INVALID,
          SONDE_DTYPE_BF16 };

  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    if (order[i] == dtype)
      return (gint64) i;
  return 0;
}

/* Returns: where the message begins */
static gsize
begin_tensor (GByteArray *out, guint field, const char *name, const SondeTensor *tensor)
{
  const gsize start = sonde_emit_begin (out, field);

  for (int i = 0; i < tensor->shape.rank; i++)
    sonde_emit_number (out, 1, tensor->shape.dims[i]);
  sonde_emit_number (out, 2, get_type_number (tensor->dtype));
  if (name != NULL)
    sonde_emit_text (out, 7, name);
  return start;
}

void
sonde_mindir_emit_parameter (GByteArray *out, guint field, const char *name,
                             const SondeTensor *tensor, SondeTensorBlob *blob)
{
  const guint64 offset
      = blob != NULL ? sonde_tensor_blob_add (blob, (SondeTensor *) tensor) : G_MAXUINT64;
  gsize start, place;

  if (offset == G_MAXUINT64)
    {
      sonde_mindir_emit_tensor (out, field, name, tensor);
      return;
    }
  start = begin_tensor (out, field, name, tensor);
  place = sonde_emit_begin (out, 12);
  sonde_emit_text (out, 1, blob->location);
  sonde_emit_number (out, 2, (gint64) offset);
  sonde_emit_number (out, 3, (gint64) sonde_tensor_n_bytes (tensor));
  sonde_emit_end (out, place);
  sonde_emit_end (out, start);
}

void
sonde_mindir_emit_tensor (GByteArray *out, guint field, const char *name, const SondeTensor *tensor)
{
  g_autoptr (SondeTensor) flat = sonde_tensor_contiguous ((SondeTensor *) tensor);
  const gsize start = begin_tensor (out, field, name, flat);

  sonde_emit_bytes (out, 9, flat->data, sonde_tensor_n_bytes (flat));
  sonde_emit_end (out, start);
}

static void
emit_type (GByteArray *out, guint field, const SondeType *type)
{
  gsize start = sonde_emit_begin (out, field);

  for (int i = 0; i < type->rank; i++)
    sonde_emit_number (out, 1, type->dims[i].size);
  sonde_emit_number (out, 2, get_type_number (type->dtype));
  sonde_emit_end (out, start);
}

void
sonde_mindir_emit_tensor_attribute (GByteArray *out, guint field, const char *name,
                                    const SondeTensor *tensor)
{
  const gsize start = begin (out, field, name);

  sonde_mindir_emit_tensor (out, 12, NULL, tensor);
  end (out, start, TYPE_TENSORS);
}

void
sonde_mindir_emit_type_attribute (GByteArray *out, guint field, const char *name,
                                  const SondeType *type)
{
  const gsize start = begin (out, field, name);

  emit_type (out, 12, type);
  end (out, start, TYPE_TENSORS);
}

/* ---- ports --------------------------------------------------------------- */

void
sonde_mindir_emit_port (GByteArray *out, guint field, const char *name, const SondeType *type)
{
  const gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  if (type != NULL && type->kind == SONDE_VALUE_TENSOR)
    emit_type (out, 2, type);
  sonde_emit_end (out, start);
}
