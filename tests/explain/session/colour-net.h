/* SPDX-License-Identifier: Apache-2.0
 * A network that tells two colours apart and the images it is asked about: right under one
 * preprocessing, wrong under another. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define COLOUR_IMAGES 80u /* half of them of each class */

/* Dark or bright, decided at 0: with pixels from −1 to 1 all are right, from 0 to 1 none of the dark. */
#define SIGN_OF_BRIGHTNESS "3x2: -1 1 -1 1 -1 1"
extern const guint8 dark_or_bright[2][3];

/* FOLDER/net.onnx: the means of three planes times @weights (3 × 2) are the logits. (transfer full) */
char *colour_net_write (const char *folder, const char *weights);
/* Uniform images in shades of @colours, of class 0 and of class 1; the source that names them.
 * (transfer full) */
char *colour_images_write (const char *folder, const guint8 colours[2][3]);

G_END_DECLS
