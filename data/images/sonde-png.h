/* SPDX-License-Identifier: Apache-2.0
 * SondeImage -> PNG bytes, deflated by ISA-L. Encoding our own pixels needs no helper process. */
#pragma once

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

/* 8-bit grey, RGB or RGBA, not interlaced. Any thread. Returns: (transfer full) */
GBytes *sonde_png_encode (const SondeImage *image);

G_END_DECLS
