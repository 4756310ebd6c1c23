/* SPDX-License-Identifier: Apache-2.0
 * TensorProto.DataType and TypeProto <-> dtypes and types. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/models/onnx/sonde-onnx-writer.h"

G_BEGIN_DECLS

/* Which list of a TensorProto holds the elements when raw_data does not. */
typedef enum
{
  SONDE_ONNX_FLOAT_DATA,
  SONDE_ONNX_INT32_DATA,
  SONDE_ONNX_INT64_DATA,
  SONDE_ONNX_DOUBLE_DATA,
  SONDE_ONNX_UINT64_DATA,
  SONDE_ONNX_STRING_DATA,
  SONDE_ONNX_N_PAYLOADS
} SondeOnnxPayload;

/**
 * SondeOnnxElement: one row for each TensorProto.DataType
 * @name: ONNX's name
 * @dtype: ours; INVALID when the type is not supported
 * @min: @max: smallest and greatest entry of int32_data for the narrow types
 * @ir_version: of the format that has it, where that is later than what is written by default; 0
 */
typedef struct
{
  const char *name;
  SondeDtype dtype;
  SondeOnnxPayload payload;
  gint32 min, max;
  int ir_version;
} SondeOnnxElement;

const SondeOnnxElement *sonde_onnx_element (int data_type); /* NULL for 0 and unknown numbers */
int sonde_onnx_data_type (SondeDtype dtype);                /* 0 when there is none */

/* @proto: (nullable): unknown. Errors name @what. */
gboolean sonde_onnx_read_type (const SondeOnnxReader *reader, const Onnx__TypeProto *proto,
                               const char *what, SondeType *type, GError **error);

void sonde_onnx_need_element (SondeOnnxWriter *writer, SondeDtype dtype);
Onnx__TypeProto *sonde_onnx_write_type (SondeOnnxWriter *writer,
                                        const SondeType *type); /* NULL when unknown */

G_END_DECLS
