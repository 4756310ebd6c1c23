/* SPDX-License-Identifier: Apache-2.0
 * Images and maps of explained samples, decoded when somebody wants to see them: by workers, two
 * at a time, and kept while there is room for the last ones. */
#pragma once

#include <gio/gio.h>

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAINED_FILES (sonde_explained_files_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainedFiles, sonde_explained_files, SONDE, EXPLAINED_FILES, GObject)

/**
 * sonde_explained_files_new:
 * @folder: (nullable): below which the files must be; NULL: there are none, images come encoded
 * @program: whose image helper decodes
 *
 * Any thread; everything else in the main thread. Nothing is read here.
 */
SondeExplainedFiles *sonde_explained_files_new (const char *folder, const char *program);

/* @path: below the folder; @encoded: (nullable): its bytes, where they are held: @path is for
 * messages then. Errors: as sonde_path_gate_read() and sonde_image_decoder_decode(); CANCELLED. */
void sonde_explained_files_read_image_async (SondeExplainedFiles *files, const char *path,
                                             GBytes *encoded, GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer data);
/* (transfer full) */
SondeImage *sonde_explained_files_read_image_finish (SondeExplainedFiles *files,
                                                     GAsyncResult *result, GError **error);
/* A map: an array F.npy, or the first channel of a image in [0, 1]. Errors: also INVALID, an
 * array that is no map. */
void sonde_explained_files_read_map_async (SondeExplainedFiles *files, const char *path,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer data);
/* float32 [H, W] (transfer full) */
SondeTensor *sonde_explained_files_read_map_finish (SondeExplainedFiles *files,
                                                    GAsyncResult *result, GError **error);

/* How many were decoded so far, and how many bytes are kept of them: for tests. */
guint sonde_explained_files_get_n_decoded (SondeExplainedFiles *files);
gsize sonde_explained_files_get_n_kept (SondeExplainedFiles *files);

G_END_DECLS
