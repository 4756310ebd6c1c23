/* SPDX-License-Identifier: Apache-2.0
 * Plays an animation, or shows one of its frames: a button, a slider, "3 / 12". It says which frame is to be
 * seen; what lives elsewhere: the image. Nothing moves before the button is pressed, or where nobody
 * sees it. */
#pragma once

#include <gtk/gtk.h>

#include "data/values/sonde-animation.h"

G_BEGIN_DECLS

#define SONDE_TYPE_FRAME_BAR (sonde_frame_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeFrameBar, sonde_frame_bar, SONDE, FRAME_BAR, GtkBox)

/* Signal "frame-changed": another frame of the same animation is to be seen. */

/* @animation: (nullable): referenced; NULL hides the bar. Another one begins at its first frame and stands
 * still; that is not told. */
void sonde_frame_bar_set_animation (SondeFrameBar *bar, const SondeAnimation *animation);
SondeAnimation *sonde_frame_bar_get_animation (SondeFrameBar *bar); /* (nullable), lent */
guint sonde_frame_bar_get_frame (SondeFrameBar *bar);               /* from 0 */

G_END_DECLS
