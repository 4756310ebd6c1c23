/* SPDX-License-Identifier: Apache-2.0
 * The question of how a landscape shall be computed. What was answered last is what it begins with. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SondeLandscapeSettings: as the options of `sonde landscape`
 * @of_path: directions of the path, not random ones
 * @test: samples of the test part
 * @batches: 0: all; @range: 0: by itself
 */
typedef struct
{
  gboolean of_path, test;
  guint grid, batches, seed;
  double range;
} SondeLandscapeSettings;

typedef void (*SondeLandscapeFunc) (const SondeLandscapeSettings *settings, gpointer data);

/**
 * sonde_landscape_dialog_ask:
 * @widget: of the window
 * @title: of the run
 * @answered: gets @data when the user wants it computed; not when @data, an object, is gone by then
 */
void sonde_landscape_dialog_ask (GtkWidget *widget, SondeWorkspace *workspace, const char *title,
                                 SondeLandscapeFunc answered, GObject *data);

/* What was answered last, or the defaults. */
void sonde_landscape_settings_load (SondeWorkspace *workspace, SondeLandscapeSettings *settings);

G_END_DECLS
