/* SPDX-License-Identifier: Apache-2.0
 * What the pictures of a trace share: a colour for each name, and labels on bars, which are laid out
 * once and not on each frame. */
#pragma once

#include "viewers/paint/sonde-text-paint.h"

G_BEGIN_DECLS

#define SONDE_TRACE_N_COLORS 16

/* Fills of bars, readable under the theme's text: of equal lightness, apart in hue. @hue: any number
 * that is the same for the same name */
const SondeColor *sonde_trace_get_color (const SondeTheme *theme, guint hue);
/* The same as 0xAARRGGBB, its colours multiplied by @alpha as Cairo stores them. */
guint32 sonde_trace_get_pixel (const SondeTheme *theme, guint hue, double alpha);
/* Text on a bar. */
SondeColor sonde_trace_get_ink (const SondeTheme *theme);

/* Lines of text that were laid out; NULL to all functions: none are kept. */
typedef struct _SondeLabelCache SondeLabelCache;
SondeLabelCache *sonde_label_cache_new (void);
void sonde_label_cache_free (SondeLabelCache *cache); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLabelCache, sonde_label_cache_free)

/**
 * sonde_trace_paint_label:
 * @text: of a trace: lives as long as what the cache is used for, and is known by its address
 * @max_width: px; the middle is left out where it is longer
 *
 * Draws with the source colour of @cr, from @x on, around @y.
 */
void sonde_trace_paint_label (cairo_t *cr, SondeLabelCache *cache, double x, double y,
                              double max_width, const char *text);

/* The narrowest bar that has a label, px. */
#define SONDE_TRACE_LABEL_MIN 28

G_END_DECLS
