/* SPDX-License-Identifier: Apache-2.0
 * An image of the real window, header bar included. */
#pragma once

#include <cairo.h>
#include <gtk/gtk.h>

#include "app/sonde-window-module.h"

G_BEGIN_DECLS

/**
 * sonde_screenshot_take:
 *
 * Opens the window on a display that GTK was initialised with, waits until the page has settled and
 * was drawn after that (at most @timeout_seconds), writes the PNG, closes.
 * Errors: no such page; not settled in time; SONDE_DATA_ERROR_* of the file.
 */
gboolean sonde_screenshot_take (const SondeScreenshotRequest *request, int timeout_seconds,
                                GError **error);

/* Draws @widget as it stands. Returns: (transfer full): an ARGB32 surface of its size × @scale. */
cairo_surface_t *sonde_screenshot_render (GtkWidget *widget, int scale);

G_END_DECLS
