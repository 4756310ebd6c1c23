/* SPDX-License-Identifier: Apache-2.0
 * Small widgets made in code. */
#include "app/explain/sonde-explain-widgets.h"

#include "app/widgets/sonde-tile-flow.h"
#include "viewers/sonde-saliency-view.h"

static void
add_classes (GtkWidget *widget, const char *classes)
{
  g_auto (GStrv) words = g_strsplit (classes != NULL ? classes : "", " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      gtk_widget_add_css_class (widget, words[i]);
}

GtkWidget *
sonde_make_label (const char *text, const char *classes)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  add_classes (label, classes);
  sonde_label_set (label, text);
  return label;
}

GtkWidget *
sonde_make_text (const char *text, const char *classes)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  add_classes (label, classes);
  return label;
}

void
sonde_label_set (GtkWidget *label, const char *text)
{
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "");
  if (gtk_label_get_ellipsize (GTK_LABEL (label)) != PANGO_ELLIPSIZE_NONE)
    gtk_widget_set_tooltip_text (label, text != NULL && *text != '\0' ? text : NULL);
}

GtkWidget *
sonde_make_row (int spacing)
{
  return gtk_box_new (GTK_ORIENTATION_HORIZONTAL, spacing);
}

GtkWidget *
sonde_make_column (int spacing)
{
  return gtk_box_new (GTK_ORIENTATION_VERTICAL, spacing);
}

GtkWidget *
sonde_make_flow (guint max_per_line)
{
  GtkWidget *flow = gtk_flow_box_new ();

  sonde_tile_flow_set_up (GTK_FLOW_BOX (flow));
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (flow), 18);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (flow), 18);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (flow), max_per_line);
  gtk_flow_box_set_homogeneous (GTK_FLOW_BOX (flow), TRUE);
  gtk_widget_add_css_class (flow, "plain-flow");
  return flow;
}

void
sonde_clear_flow (GtkWidget *flow)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (flow)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (flow), child);
}

void
sonde_clear_box (GtkWidget *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (box)) != NULL)
    gtk_box_remove (GTK_BOX (box), child);
}

GtkWidget *
sonde_make_thumbnail (const SondeImage *image, int side, const char *name)
{
  GtkWidget *view = sonde_saliency_view_new ();

  sonde_view_set_title (SONDE_VIEW (view), name);
  sonde_view_set_minimum_size (SONDE_VIEW (view), side, side);
  sonde_saliency_view_set_legend (SONDE_SALIENCY_VIEW (view), FALSE);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (view), side);
  gtk_widget_set_focusable (view, FALSE);
  gtk_widget_set_halign (view, GTK_ALIGN_START);
  gtk_widget_set_valign (view, GTK_ALIGN_START);
  sonde_thumbnail_set_image (view, image);
  return view;
}

void
sonde_thumbnail_set_image (GtkWidget *thumbnail, const SondeImage *image)
{
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (thumbnail), sonde_image_ref (image), NULL,
                                   NULL, 0);
}
