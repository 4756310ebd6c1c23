/* SPDX-License-Identifier: Apache-2.0
 * TensorProto <-> tensors; sparse tensors and the values of test data. */
#pragma once

#include "data/values/sonde-value.h"
#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/models/onnx/sonde-onnx-writer.h"

G_BEGIN_DECLS

/* @where: for a %-s of messages, as N_("tensor") or a nested message: "attribute “value” of node “c”";
 * the tensor's name is added.
 * Returns: (transfer full) */
SondeTensor *sonde_onnx_read_tensor (SondeOnnxReader *reader, Onnx__TensorProto *proto,
                                     const char *where, GError **error);

/* As a dense tensor. @where: as above. Errors: LIMIT when it would be too large. */
SondeTensor *sonde_onnx_read_sparse (SondeOnnxReader *reader, Onnx__SparseTensorProto *proto,
                                     const char *where, GError **error);

/* A tensor, sequence or optional of a test's data set, as deep as it is nested. */
SondeValue *sonde_onnx_read_tensor_value (SondeOnnxReader *reader, Onnx__TensorProto *proto,
                                          GError **error);
SondeValue *sonde_onnx_read_sequence (SondeOnnxReader *reader, Onnx__SequenceProto *proto,
                                      GError **error);
SondeValue *sonde_onnx_read_optional (SondeOnnxReader *reader, Onnx__OptionalProto *proto,
                                      GError **error);

gboolean sonde_onnx_write_tensor (SondeOnnxWriter *writer, SondeTensor *tensor,
                                  const char *name, /* (nullable) */
                                  Onnx__TensorProto *proto, GError **error);

G_END_DECLS
