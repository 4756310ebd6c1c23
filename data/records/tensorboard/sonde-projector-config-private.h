/* SPDX-License-Identifier: Apache-2.0
 * projector_config.pbtxt: which embeddings a run has and in what files. Protobuf's text format, as
 * much of it as this file uses. Source: tensorflow/tensorboard
 * plugins/projector/projector_config.proto. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One embedding; texts (nullable), paths as they stand there. */
typedef struct
{
  char *tensor_name, *metadata_path, *tensor_path, *sprite_path;
  gint64 tile[2];  /* width, height; 0 unknown */
  gint64 shape[2]; /* of raw float32; 0 unknown */
  guint n_tile, n_shape;
} SondeProjectorEmbedding;

void sonde_projector_embedding_clear (gpointer embedding);

/**
 * sonde_projector_config_parse:
 * Unknown fields are stepped over.
 * Errors: SONDE_DATA_ERROR_DAMAGED with the line. LIMIT: nested too deeply.
 * Returns: (transfer full) (element-type SondeProjectorEmbedding)
 */
GArray *sonde_projector_config_parse (const char *text, gsize length, GError **error);

G_END_DECLS
