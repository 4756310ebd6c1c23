/* SPDX-License-Identifier: Apache-2.0
 * Decoding as the helper does it. */
#pragma once

#include "data/helper/sonde-helper-loop.h"

G_BEGIN_DECLS

/* SondeHelperCodec: the payload is SONDE_HDF5_OBJECTS, there are no facts */
gboolean sonde_hdf5_decode (guint32 kind, const guint8 *data, gsize length,
                            SondeHelperResult *result, GError **error);

G_END_DECLS
