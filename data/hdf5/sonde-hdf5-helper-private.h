/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the helper. */
#pragma once

#include "data/hdf5/sonde-hdf5-library-private.h"

G_BEGIN_DECLS

/**
 * SondeHdf5Walk: through the groups of one file
 * @objects: builder of the answer; the tuple of an object is open while it is looked at
 * @seen: addresses of groups, so that no way leads in a circle
 * @text_bytes: @unpacked: bytes that were taken for texts; for elements
 * @error: what ended the walk: callbacks of the library can only say that something did
 */
typedef struct
{
  const SondeHdf5Library *hdf5;
  GVariantBuilder objects;
  GHashTable *seen;
  guint n_objects;
  gint64 text_bytes, unpacked;
  GError *error;
} SondeHdf5Walk;

/* The attributes of @object that hold texts, as a{sas}. */
gboolean sonde_hdf5_add_texts (SondeHdf5Walk *walk, hid_t object, const char *path, GError **error);
/* Element type, sizes, offset, elements. */
gboolean sonde_hdf5_add_dataset (SondeHdf5Walk *walk, hid_t object, const char *path,
                                 GError **error);

G_END_DECLS
