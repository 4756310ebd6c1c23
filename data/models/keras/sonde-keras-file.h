/* SPDX-License-Identifier: Apache-2.0
 * What a model of Keras is kept in: the configuration as JSON, and weights in HDF5. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/hdf5/sonde-hdf5.h"
#include "data/json/sonde-json-member.h"

G_BEGIN_DECLS

typedef struct _SondeKerasFile SondeKerasFile;

/**
 * sonde_keras_file_open:
 *
 * Errors: DAMAGED (archive, JSON, HDF5), UNSUPPORTED (weights without a model, weights in parts),
 * LIMIT (64 MiB of JSON, 200 levels), IO, and those of sonde_hdf5_read().
 */
SondeKerasFile *sonde_keras_file_open (const SondeIo *io, const char *path, GError **error);
void sonde_keras_file_free (SondeKerasFile *file); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeKerasFile, sonde_keras_file_free)

const char *sonde_keras_file_get_path (const SondeKerasFile *file);
JsonObject *sonde_keras_file_get_config (SondeKerasFile *file);        /* of the model; lent */
const char *sonde_keras_file_get_version (const SondeKerasFile *file); /* (nullable): "3.15.1" */
const SondeHdf5 *sonde_keras_file_get_weights (const SondeKerasFile *file);
/* Weights lie under the names of layers (.h5), not under those of classes (.keras). */
gboolean sonde_keras_file_is_by_layer (const SondeKerasFile *file);

G_END_DECLS
