/* SPDX-License-Identifier: Apache-2.0
 * Whether the desktop asks for high contrast, which GTK 4.8 does not say: who knows tells it here. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Views take it over with the style that comes with it. Default: FALSE */
void sonde_high_contrast_set (gboolean wanted);
gboolean sonde_high_contrast_get (void);

G_END_DECLS
