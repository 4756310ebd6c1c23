/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-text-scale.h"

#include <math.h>

#define USUAL_DPI (96 * 1024) /* as the setting has it: 1024ths */

double
sonde_text_scale_get (GtkWidget *widget)
{
  int dpi;

  g_object_get (gtk_widget_get_settings (widget), "gtk-xft-dpi", &dpi, NULL);
  return dpi > 0 ? (double) dpi / USUAL_DPI : 1; /* ≤ 0: not known */
}

int
sonde_text_scale_length (GtkWidget *widget, int length)
{
  return (int) ceil (length * sonde_text_scale_get (widget));
}

static int
get_request (GtkWidget *widget, int length)
{
  return length < 0 ? -1 : sonde_text_scale_length (widget, length);
}

static void
update_request (GtkWidget *widget)
{
  const GtkRequisition *asked = g_object_get_data (G_OBJECT (widget), "sonde-text-scale-request");

  gtk_widget_set_size_request (widget, get_request (widget, asked->width),
                               get_request (widget, asked->height));
}

void
sonde_text_scale_request (GtkWidget *widget, int width, int height)
{
  const GtkRequisition asked = { width, height };
  gboolean follows = g_object_get_data (G_OBJECT (widget), "sonde-text-scale-request") != NULL;

  g_object_set_data_full (G_OBJECT (widget), "sonde-text-scale-request",
                          g_memdup2 (&asked, sizeof asked), g_free);
  update_request (widget);
  if (!follows)
    g_signal_connect_object (gtk_widget_get_settings (widget), "notify::gtk-xft-dpi",
                             G_CALLBACK (update_request), widget, G_CONNECT_SWAPPED);
}

void
sonde_text_scale_set (double scale)
{
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", (int) round (scale * USUAL_DPI), NULL);
}
