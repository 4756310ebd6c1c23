/* SPDX-License-Identifier: Apache-2.0
 * Bytes that PyTorch's operators read and write, from the sizes, strides and types of their inputs: of products,
 * convolutions, and operators whose result has the size of their inputs. Of others a trace does not tell the result. */
#pragma once

#include "data/traces/sonde-torch-cost.h"

G_BEGIN_DECLS

/* Of one element: "float", "long int", "c10::BFloat16"; 0: of what is no tensor, and of types unknown here */
guint sonde_torch_type_get_size (const char *name, gsize n);

/* Whether bytes of @name can be told of which no operations can. */
gboolean sonde_torch_bytes_knows (const char *name);

/* @inputs: (array length=n). Returns: bytes of a call: each input once, of an expanded one what really lies there, and
 * the output; 0: they are not told. An input that is given twice counts twice, since a trace does not say so. */
double sonde_torch_bytes_count (const char *name, const SondeTorchInput *inputs, guint n);

G_END_DECLS
