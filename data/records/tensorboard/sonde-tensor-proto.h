/* SPDX-License-Identifier: Apache-2.0
 * TensorFlow's TensorProto, looked at where it lies and made a tensor only when wanted: for event
 * files and for the attributes of graphs. Nothing is allocated by a number that stands in the file
 * beyond the bytes that are there, but for the repetition of a single element, up to 64 MiB. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "data/wire/sonde-wire-cursor.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Lent bytes that are no C string. */
typedef struct
{
  const guint8 *at;
  gsize length;
} SondeBytes;

static inline SondeBytes
sonde_bytes_of_field (ProtobufCBinaryData field)
{
  return (SondeBytes){ field.data, field.len };
}

#define SONDE_TENSOR_PROTO_MAX_REPEATED_BYTES ((gint64) 64 << 20)

/**
 * SondeTensorProto: a view of the message; lent bytes
 * @dtype: TensorFlow's number, without the 100 of references
 * @rank: -1 when unknown; above SONDE_MAX_RANK it is no tensor of ours
 * @dims: -1 where unknown
 * @content: tensor_content, raw elements; the values below do not matter then
 * @field: number of the field with the values, 0: there are none
 * @n: its values; @first: the first of a number field, as on the wire
 */
typedef struct
{
  SondeWireCursor message;
  guint32 dtype;
  int rank;
  gint64 dims[SONDE_MAX_RANK];
  const guint8 *content;
  gsize content_length;
  guint32 field;
  guint64 n, first;
} SondeTensorProto;

/* Walks all of the message, but no allocation. FALSE: it is none, @at is about where. */
gboolean sonde_tensor_proto_view (SondeTensorProto *proto, const guint8 *bytes, gsize length,
                                  const guint8 **at);

/* A TensorShapeProto; the same for shapes elsewhere. @rank as above. */
gboolean sonde_tensor_proto_view_shape (const guint8 *bytes, gsize length, int *rank, gint64 *dims,
                                        const guint8 **at);

/* The one number of a tensor with exactly one element of a real number type, exact but for the
 * rounding of 64-bit integers; FALSE when it is something else. */
gboolean sonde_tensor_proto_get_number (const SondeTensorProto *proto, double *value);

/* SONDE_DTYPE_INVALID when it has none. @is_complex: (optional): two elements a number */
SondeDtype sonde_tensor_proto_get_dtype (guint32 number, gboolean *is_complex);

/**
 * sonde_tensor_proto_to_tensor:
 * @what: for messages
 *
 * Fewer values than elements: the last is repeated, none are zeros; more are cut (as TensorFlow
 * does). Complex numbers become a last dimension of two. A NUL in a string becomes "\0". Half and
 * bfloat16 whose values have more than 16 bits are what PyTorch writes, float32, and become that;
 * numbers in a field of another type are taken from there. An unknown rank is 1.
 * Returns: (transfer full). Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT, UNSUPPORTED (resources,
 * variants, unknown types).
 */
SondeTensor *sonde_tensor_proto_to_tensor (const SondeTensorProto *proto, SondeBudget *budget,
                                           const char *what, GError **error);

/* The strings as bytes, which may be pictures. */
typedef struct
{
  SondeWireCursor lengths, bytes;
  gboolean packed;
} SondeTensorStrings;

/* How many strings are there; 0 when it is no string tensor. */
guint64 sonde_tensor_proto_count_strings (const SondeTensorProto *proto);
void sonde_tensor_strings_init (SondeTensorStrings *strings, const SondeTensorProto *proto);
gboolean sonde_tensor_strings_next (SondeTensorStrings *strings, const guint8 **bytes,
                                    gsize *length);

G_END_DECLS
