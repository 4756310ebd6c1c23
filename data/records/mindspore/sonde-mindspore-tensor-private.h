/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's TensorProto and the numbers of its element types. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Which of the two TensorProto: the summary's or the debugger's. */
typedef enum
{
  SONDE_MINDSPORE_TENSOR_SUMMARY,
  SONDE_MINDSPORE_TENSOR_DEBUGGER,
  SONDE_MINDSPORE_TENSOR_GUESS, /* by the wire types of its fields */
} SondeMindsporeNumbering;

/**
 * sonde_mindspore_tensor:
 *
 * MindSpore puts the elements of every type into float_data; they come back in the declared type,
 * and as float32 where that type is unknown. All other data fields are understood, too.
 * Errors: SONDE_DATA_ERROR_DAMAGED (elements and dims disagree), UNSUPPORTED, LIMIT.
 */
SondeTensor *sonde_mindspore_tensor (ProtobufCBinaryData message, SondeMindsporeNumbering numbering,
                                     GError **error);

/* Of anf_ir's DataType, the containers of a type (DT_TENSOR, DT_TUPLE) and unknown ones are
 * INVALID. */
SondeDtype sonde_mindspore_dtype (gint64 data_type);

G_END_DECLS
