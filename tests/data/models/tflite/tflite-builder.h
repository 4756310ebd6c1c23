/* SPDX-License-Identifier: Apache-2.0
 * A .tflite file written by hand: x [2] → ADD with a constant → y, for tests that then damage
 * one place of it. */
#pragma once

#include "tests/data/models/tflite/flat-builder.h"

G_BEGIN_DECLS

/* Places of what a test may damage. */
typedef struct
{
  GByteArray *bytes;
  gsize model, subgraphs, subgraph, tensors, tensor[3], operators, op, codes, code, buffers,
      buffer[2];
} TinyModel;

/* Slots as in the schema. (transfer full): free with g_byte_array_unref (bytes) */
TinyModel tiny_model_new (void);

G_END_DECLS
