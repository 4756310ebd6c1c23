/* SPDX-License-Identifier: Apache-2.0
 * One explained sample. */
#include "app/explain/sonde-sample-view.h"

#include <string.h>

#include "viewers/sonde-saliency-view.h"

#define MIN_SIDE 190 /* px of a picture */
#define MAX_SIDE 448

struct _SondeSampleView
{
  AdwBin parent_instance;

  SondeStudyClient *client;
  GtkWidget *heading, *subheading, *maps, *blend, *outline, *note;
  SondeExplainedSample *recorded;
};

G_DEFINE_FINAL_TYPE (SondeSampleView, sonde_sample_view, ADW_TYPE_BIN)

static SondeImage *
copy_image (const SondeImage *image)
{
  SondeImage *copy;

  if (image == NULL)
    return NULL;
  copy = sonde_image_new (image->width, image->height, image->channels);
  memcpy (copy->pixels, image->pixels, (gsize) image->width * (gsize) image->height * (gsize) image->channels);
  return copy;
}

static GtkWidget *
make_label (const char *text,
            const char *class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, text);
  gtk_widget_add_css_class (label, class);
  return label;
}

static void
append_view (SondeSampleView      *self,
             SondeExplainedSample *sample,
             const SondeSampleMap *map,
             const char           *caption,
             const char           *fact)
{
  GtkWidget *view = sonde_saliency_view_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *detail = make_label (fact, "caption");
  gboolean outline = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->outline));

  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (view), copy_image (sonde_explained_sample_get_image (sample)),
                                   map != NULL ? map->map : NULL,
                                   outline ? sonde_explained_sample_get_mask (sample) : NULL,
                                   sonde_explained_sample_get_limit (sample));
  sonde_saliency_view_set_blend (SONDE_SALIENCY_VIEW (view), gtk_range_get_value (GTK_RANGE (self->blend)));
  sonde_view_set_title (SONDE_VIEW (view), caption);
  sonde_view_set_minimum_size (SONDE_VIEW (view), MIN_SIDE, MIN_SIDE);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (view), MAX_SIDE);
  gtk_widget_add_css_class (detail, "dim-label");
  gtk_widget_add_css_class (detail, "numeric");
  gtk_box_append (GTK_BOX (box), make_label (caption, "heading"));
  gtk_box_append (GTK_BOX (box), detail);
  gtk_box_append (GTK_BOX (box), view);
  gtk_flow_box_append (GTK_FLOW_BOX (self->maps), box);
}

static void
clear_maps (SondeSampleView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->maps)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->maps), child);
}

/* What the picture cannot say: a map without evidence, what the colours mean. */
static char *
make_note (SondeExplainedSample *sample)
{
  GString *text = g_string_new (NULL);
  GPtrArray *maps = sonde_explained_sample_get_maps (sample);

  if (maps->len > 0)
    g_string_append_printf (text,
                            "Red: a brighter pixel raises the class’s logit; blue: it lowers it. All maps share "
                            "one scale. Method: %s (%s).",
                            ((SondeSampleMap *) g_ptr_array_index (maps, 0))->method,
                            ((SondeSampleMap *) g_ptr_array_index (maps, 0))->parameters);
  if (sonde_explained_sample_get_limit (sample) <= 0)
    g_string_append (text, " The maps are zero everywhere: the network's answer does not depend on small changes here.");
  if (sonde_explained_sample_get_mask (sample) != NULL)
    g_string_append (text, " The outline is the object as it was drawn.");
  return g_string_free (text, FALSE);
}

static void
fill_recorded (SondeSampleView *self)
{
  SondeExplainedSample *sample = self->recorded;
  g_autofree char *heading = NULL, *subheading = NULL, *size = NULL, *note = NULL;
  const SondeImage *image;
  GPtrArray *maps;

  clear_maps (self);
  gtk_widget_set_visible (gtk_widget_get_first_child (GTK_WIDGET (self)), sample != NULL);
  if (sample == NULL)
    return;
  maps = sonde_explained_sample_get_maps (sample);
  image = sonde_explained_sample_get_image (sample);
  heading = g_strdup_printf ("“%s” taken for “%s”", sonde_explained_sample_get_label (sample),
                             sonde_explained_sample_get_predicted (sample));
  subheading = g_strdup_printf ("%s · p(%s) = %.3f · p(%s) = %.3f", sonde_explained_sample_get_name (sample),
                                sonde_explained_sample_get_predicted (sample),
                                sonde_explained_sample_get_predicted_probability (sample),
                                sonde_explained_sample_get_label (sample),
                                sonde_explained_sample_get_label_probability (sample));
  gtk_label_set_text (GTK_LABEL (self->heading), heading);
  gtk_label_set_text (GTK_LABEL (self->subheading), subheading);
  if (image != NULL)
    size = g_strdup_printf ("%d × %d pixels", image->width, image->height);
  append_view (self, sample, NULL, "Picture", size != NULL ? size : "cannot be decoded");
  for (guint i = 0; i < maps->len; i++)
    {
      SondeSampleMap *map = g_ptr_array_index (maps, i);
      g_autofree char *caption = g_strdup_printf ("For “%s” (%s)", map->target_name, map->target_is);
      g_autofree char *fact = g_strdup_printf ("%s · logit %.4g", map->method, map->score);

      append_view (self, sample, map, caption, fact);
    }
  note = make_note (sample);
  gtk_label_set_text (GTK_LABEL (self->note), note);
}

void
sonde_sample_view_show_recorded (SondeSampleView      *view,
                                 SondeExplainedSample *sample)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  g_set_object (&view->recorded, sample);
  fill_recorded (view);
}

void
sonde_sample_view_show (SondeSampleView *view,
                        gconstpointer    row)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  if (row == NULL)
    sonde_sample_view_show_recorded (view, NULL);
}

static void
on_blend_changed (GtkRange        *range,
                  SondeSampleView *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (self->maps); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *box = gtk_flow_box_child_get_child (GTK_FLOW_BOX_CHILD (child));
      GtkWidget *view = gtk_widget_get_last_child (box);

      sonde_saliency_view_set_blend (SONDE_SALIENCY_VIEW (view), gtk_range_get_value (range));
    }
}

static void
sonde_sample_view_dispose (GObject *object)
{
  g_clear_object (&SONDE_SAMPLE_VIEW (object)->recorded);
  G_OBJECT_CLASS (sonde_sample_view_parent_class)->dispose (object);
}

static void
sonde_sample_view_class_init (SondeSampleViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sample_view_dispose;
}

static void
make_controls (SondeSampleView *self,
               GtkWidget       *box)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  self->blend = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.05);
  gtk_range_set_value (GTK_RANGE (self->blend), 0.8);
  gtk_scale_set_draw_value (GTK_SCALE (self->blend), FALSE);
  gtk_widget_set_size_request (self->blend, 120, -1);
  gtk_widget_set_tooltip_text (self->blend, "How much of the map covers the picture");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->blend), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Overlay of map on picture", -1);
  self->outline = gtk_check_button_new_with_label ("Outline of the Object");
  gtk_check_button_set_active (GTK_CHECK_BUTTON (self->outline), TRUE);
  gtk_box_append (GTK_BOX (row), make_label ("Picture", "dim-label"));
  gtk_box_append (GTK_BOX (row), self->blend);
  gtk_box_append (GTK_BOX (row), make_label ("Map", "dim-label"));
  gtk_box_append (GTK_BOX (box), row);
  gtk_box_append (GTK_BOX (box), self->outline);
  g_signal_connect_object (self->blend, "value-changed", G_CALLBACK (on_blend_changed), self, 0);
  g_signal_connect_object (self->outline, "toggled", G_CALLBACK (fill_recorded), self, G_CONNECT_SWAPPED);
}

static void
sonde_sample_view_init (SondeSampleView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  gtk_widget_set_margin_top (box, 18);
  gtk_widget_set_margin_bottom (box, 18);
  self->heading = make_label (NULL, "title-2");
  self->subheading = make_label (NULL, "dim-label");
  gtk_widget_add_css_class (self->subheading, "numeric");
  gtk_label_set_selectable (GTK_LABEL (self->subheading), TRUE);
  self->maps = gtk_flow_box_new ();
  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (self->maps), GTK_SELECTION_NONE);
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (self->maps), 18);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (self->maps), 18);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self->maps), 3);
  gtk_flow_box_set_homogeneous (GTK_FLOW_BOX (self->maps), TRUE);
  self->note = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->note), 0);
  gtk_label_set_wrap (GTK_LABEL (self->note), TRUE);
  gtk_widget_add_css_class (self->note, "dim-label");
  gtk_box_append (GTK_BOX (box), self->heading);
  gtk_box_append (GTK_BOX (box), self->subheading);
  gtk_box_append (GTK_BOX (box), self->maps);
  make_controls (self, box);
  gtk_box_append (GTK_BOX (box), self->note);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  adw_bin_set_child (ADW_BIN (self), scroller);
  gtk_widget_set_visible (scroller, FALSE);
}

GtkWidget *
sonde_sample_view_new (SondeStudyClient *client)
{
  SondeSampleView *self = g_object_new (SONDE_TYPE_SAMPLE_VIEW, NULL);

  self->client = client;
  return GTK_WIDGET (self);
}
