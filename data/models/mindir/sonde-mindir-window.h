/* SPDX-License-Identifier: Apache-2.0
 * Windows that slide over an image: kernel, stride, padding as the files have them. */
#pragma once

#include "data/models/mindir/sonde-mindir-build.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MINDIR_PAD,
  SONDE_MINDIR_SAME,
  SONDE_MINDIR_VALID,
} SondeMindirPadMode;

SondeMindirPadMode sonde_mindir_pad_mode (SondeMindirCall *call, SondeMindirPadMode fallback);
/* The last @n of the argument's numbers: one stands for all, two more stand for batch and channels. */
void sonde_mindir_spatial (SondeMindirCall *call, const char *name, guint n, gint64 fallback,
                           gint64 *sizes);
/* Pads as ONNX orders them, all begins first, from "top, bottom, left, right", one number, or one a
 * dimension. */
void sonde_mindir_pads (SondeMindirCall *call, const char *name, guint n, gint64 *pads);
/* Sets "auto_pad" or "pads", of @n spatial dimensions. */
void sonde_mindir_set_padding (SondeMindirCall *call, SondeNode *node, SondeMindirPadMode mode,
                               guint n);

/* Is the format NHWC? */
gboolean sonde_mindir_is_channels_last (SondeMindirCall *call);
/* @bias (nullable): a number a channel, along dimension 1 */
SondeGraphValue *sonde_mindir_add_bias (SondeMindirCall *call, SondeGraphValue *x,
                                        SondeGraphValue *bias, int rank);

G_END_DECLS
