/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-tooltip.h"

#define KEY "sonde-tooltip"

static gboolean
on_query (GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  const char *text = sonde_get_tooltip (widget);

  if (text != NULL)
    gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

const char *
sonde_get_tooltip (GtkWidget *widget)
{
  g_return_val_if_fail (GTK_IS_WIDGET (widget), NULL);
  return g_object_get_data (G_OBJECT (widget), KEY);
}

void
sonde_set_tooltip (GtkWidget *widget, const char *text)
{
  g_return_if_fail (GTK_IS_WIDGET (widget));
  if (g_strcmp0 (sonde_get_tooltip (widget), text) == 0)
    return;
  if (g_signal_handler_find (widget, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, on_query, NULL) == 0)
    g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query), NULL);
  g_object_set_data_full (G_OBJECT (widget), KEY, g_strdup (text), g_free);
  gtk_widget_set_has_tooltip (widget, text != NULL);
}
