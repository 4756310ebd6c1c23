/* SPDX-License-Identifier: Apache-2.0
 * What a user can say about generated glyphs: count, size, channels, kind of labels, cue. */
#pragma once

#include "data/datasets/sonde-dataset-request.h"

#define SONDE_GLYPH_N_CUES 4

/**
 * SondeGlyphSettings:
 * @side: pixels of the square image
 * @pixels: a label at each pixel
 * @n_cues: classes with a cue, 0 for none
 * @cue_side: pixels of a cue
 */
typedef struct
{
  guint count;
  int side, channels;
  gboolean pixels;
  int n_cues;
  int cue_classes[SONDE_GLYPH_N_CUES];
  double cue_probability;
  int cue_side;
} SondeGlyphSettings;

/* From the options, then from "key=value;…" in the source. Errors: INVALID with what is allowed. */
gboolean sonde_glyph_settings_parse (SondeGlyphSettings *settings,
                                     const SondeDatasetRequest *request, GError **error);
