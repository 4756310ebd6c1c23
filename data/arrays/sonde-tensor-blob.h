/* SPDX-License-Identifier: Apache-2.0
 * Tensors one after the other in a file without names or types: the large weights of models whose own
 * file would be too large. Which lies where stands in the model. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeTensorBlob:
 * @location: the file, relative to the model's folder; owned
 * @head: bytes before the first tensor: a 1 (little endian) and zeros
 * @alignment: of each tensor in the file, a power of two
 * @least: smaller tensors stay in the model
 * @size: of the file so far
 */
typedef struct
{
  char *location;
  gsize head, alignment, least;
  guint64 size;
  GPtrArray *tensors; /* private: element-type SondeTensor */
  GArray *offsets;    /* private: guint64 */
} SondeTensorBlob;

SondeTensorBlob *sonde_tensor_blob_new (const char *location, gsize head, gsize alignment,
                                        gsize least);
void sonde_tensor_blob_free (SondeTensorBlob *blob); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTensorBlob, sonde_tensor_blob_free)

/* Returns: where its elements begin, G_MAXUINT64 when it stays in the model. A reference is taken. */
guint64 sonde_tensor_blob_add (SondeTensorBlob *blob, SondeTensor *tensor);

/* Into @folder, with the folders that the location names; replaced atomically. */
gboolean sonde_tensor_blob_write (const SondeTensorBlob *blob, const SondeIo *io,
                                  const char *folder, GError **error);

G_END_DECLS
