/* SPDX-License-Identifier: Apache-2.0
 * Memory of a ModelProto under construction. */
#pragma once

#include "data/arrays/sonde-tensor-blob.h"
#include "data/models/onnx/onnx.pb-c.h"

G_BEGIN_DECLS

/* Everything that a message under construction points to. */
typedef struct
{
  GPtrArray *blocks; /* freed with g_free() */
  GPtrArray *kept;   /* tensors */
  int ir_version;    /* that what was written so far needs */
  /* (nullable): where large initialisers of the main graph go; borrowed */
  SondeTensorBlob *blob;
} SondeOnnxWriter;

void *sonde_onnx_alloc (SondeOnnxWriter *writer, gsize bytes);    /* zeroed */
char *sonde_onnx_take_text (SondeOnnxWriter *writer, char *text); /* (transfer full) (nullable) */
/* An array of @n pointers to zeroed structs of @bytes, each initialised from @init. */
void *sonde_onnx_alloc_messages (SondeOnnxWriter *writer, gsize n, const void *init, gsize bytes);
Onnx__StringStringEntryProto **sonde_onnx_new_entries (SondeOnnxWriter *writer,
                                                       GPtrArray *texts, /* key, value, key, … */
                                                       size_t *n);

G_END_DECLS
