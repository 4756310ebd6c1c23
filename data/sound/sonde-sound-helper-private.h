/* SPDX-License-Identifier: Apache-2.0
 * Decoding as the helper does it, for the fuzz target. */
#pragma once

#include "data/helper/sonde-helper-loop.h"

G_BEGIN_DECLS

/* Opens libsndfile; without it every sound is refused. */
void sonde_sound_load_library (void);

/* SondeHelperCodec: facts are frames, channels, frames a second; the payload is float32 */
gboolean sonde_sound_decode (guint32 kind, const guint8 *data, gsize length,
                             SondeHelperResult *result, GError **error);

G_END_DECLS
