/* SPDX-License-Identifier: Apache-2.0
 * Images -> PNG. Writing needs no decoder, so it happens in the program itself; deflate and CRC
 * are ISA-L's. Reading is sonde-image-decoder.h. */
#pragma once

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

/* 8 bits a channel: grey, RGB or RGBA as @image has. Lossless. Any thread. Returns: (transfer
 * full) */
GBytes *sonde_png_encode (const SondeImage *image);

G_END_DECLS
