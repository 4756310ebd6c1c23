/* SPDX-License-Identifier: Apache-2.0
 * Limits of images, for both sides; docs/limits.md. */
#pragma once

#include <glib.h>

#define SONDE_IMAGE_MAX_SIDE 16384
#define SONDE_IMAGE_MAX_PIXELS ((gint64) 64 << 20)
#define SONDE_IMAGE_MAX_BYTES ((guint64) 256 << 20) /* encoded, and decoded */
