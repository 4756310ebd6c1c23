/* SPDX-License-Identifier: Apache-2.0
 * The colours of charts for people who ask their desktop for high contrast. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* As sonde_theme_get(), but every text has the strongest colour there is, and lines that carry no data can be seen
 * (≥ 3:1 on @card, a grid 1.5:1). Static; never freed. */
const SondeTheme *sonde_strong_theme_get (gboolean dark);

G_END_DECLS
