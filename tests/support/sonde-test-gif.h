/* SPDX-License-Identifier: Apache-2.0
 * GIF files made by hand, each byte known: indices of a table of four colours, no compression. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The colours of every file; index SONDE_TEST_GIF_CLEAR lets through what lies below. */
#define SONDE_TEST_GIF_CLEAR 3
extern const guint8 sonde_test_gif_colors[4][3];

/* Signature, a screen of @width × @height px, the colours. (transfer full) */
GByteArray *sonde_test_gif_new (int width, int height);
/* @indices: width × height of them; @centiseconds: shown so long; @disposal: 1 stays, 2 is cleared before
 * the next */
void sonde_test_gif_add_frame (GByteArray *gif, int x, int y, int width, int height,
                               const guint8 *indices, int centiseconds, int disposal);
/* @n frames of one colour each, 1, 2, 1, 2, …, ended. (transfer full) */
GBytes *sonde_test_gif_new_blinking (int width, int height, guint n, int centiseconds);
void sonde_test_gif_end (GByteArray *gif);

G_END_DECLS
