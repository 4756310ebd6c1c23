/* SPDX-License-Identifier: Apache-2.0
 * The head of a gallery. */
#include "app/explain/browser/sonde-gallery-header.h"

#include <math.h>

#include "app/explain/browser/sonde-explain-tile.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-map-paint.h"

#define SIDE 76 /* px of a map */

struct _SondeGalleryHeader
{
  AdwBin parent_instance;

  GtkWidget *title, *sentence, *line, *cards;
  GtkWidget *chosen; /* (nullable): the card whose members are shown */
  SondeThumbnailLoader *thumbnails;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeGalleryHeader, sonde_gallery_header, ADW_TYPE_BIN)

static guint group_signal;

SondeTensor *
sonde_explain_mean_map (GPtrArray *clusters)
{
  SondeTensor *mean = NULL;
  g_autofree double *sum = NULL;
  gsize n = 0;
  guint members = 0;

  for (guint i = 0; i < clusters->len; i++)
    {
      const SondeErrorCluster *cluster = g_ptr_array_index (clusters, i);

      if (cluster->mean == NULL
          || (mean != NULL && !sonde_shape_equal (&mean->shape, &cluster->mean->shape)))
        continue;
      if (mean == NULL)
        {
          mean = sonde_tensor_new (SONDE_DTYPE_F32, &cluster->mean->shape);
          n = (gsize) sonde_tensor_n_elements (mean);
          sum = g_new0 (double, MAX (n, 1));
        }
      for (gsize k = 0; k < n; k++)
        sum[k] += cluster->members->len * sonde_tensor_get_double (cluster->mean, (gint64) k);
      members += cluster->members->len;
    }
  for (gsize k = 0; k < n; k++)
    sonde_tensor_set_double (mean, (gint64) k, sum[k] / MAX (members, 1));
  return mean;
}

/* @limit: of the scale that all maps of the line share. */
static GtkWidget *
make_map (SondeTensor *map, double limit, const char *title)
{
  SondeMapImage content = { .map = map, .limit = limit, .blend = 1 };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIDE, SIDE);
  cairo_t *cr = cairo_create (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  GtkWidget *image;

  sonde_paint_map (cr,
                   sonde_theme_get (adw_style_manager_get_dark (adw_style_manager_get_default ())),
                   &content, 0, 0, SIDE, SIDE);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  bytes = g_bytes_new (cairo_image_surface_get_data (surface), stride * SIDE);
  cairo_surface_destroy (surface);
  texture = gdk_memory_texture_new (SIDE, SIDE, GDK_MEMORY_DEFAULT, bytes, stride);
  image = gtk_picture_new_for_paintable (GDK_PAINTABLE (texture));
  gtk_picture_set_can_shrink (GTK_PICTURE (image), FALSE);
  gtk_widget_set_halign (image, GTK_ALIGN_START);
  gtk_widget_set_overflow (image, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (image, "gallery-thumbnail");
  gtk_picture_set_alternative_text (GTK_PICTURE (image), title);
  return image;
}

static GtkWidget *
make_caption (const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "numeric");
  return label;
}

static void
on_card_toggled (GtkToggleButton *button, SondeGalleryHeader *self)
{
  int index = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "index"));

  if (self->updating)
    return;
  self->updating = TRUE;
  if (self->chosen != NULL && self->chosen != GTK_WIDGET (button))
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->chosen), FALSE);
  self->chosen = gtk_toggle_button_get_active (button) ? GTK_WIDGET (button) : NULL;
  self->updating = FALSE;
  g_signal_emit (self, group_signal, 0, self->chosen != NULL ? index : -1);
}

/* The mean map of a group beside the sample that stands for it. */
static GtkWidget *
make_card (SondeGalleryHeader *self, const SondeErrorCluster *cluster, SondeExplainItem *medoid,
           double limit, int index)
{
  GtkWidget *button = gtk_toggle_button_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *pair = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autofree char *text = g_strdup_printf (
      P_ ("Group %d · %u sample", "Group %d · %u similar", cluster->members->len), index + 1,
      cluster->members->len);
  g_autofree char *name = g_strdup_printf (_ ("Mean map of group %d"), index + 1);

  if (cluster->mean != NULL)
    gtk_box_append (GTK_BOX (pair), make_map (cluster->mean, limit, name));
  if (medoid != NULL)
    {
      GtkWidget *tile = sonde_explain_tile_new (TRUE);

      sonde_explain_tile_set_thumbnail_only (SONDE_EXPLAIN_TILE (tile), SIDE);
      sonde_explain_tile_set_item (SONDE_EXPLAIN_TILE (tile), medoid, self->thumbnails);
      gtk_box_append (GTK_BOX (pair), tile);
    }
  gtk_box_append (GTK_BOX (box), pair);
  gtk_box_append (GTK_BOX (box), make_caption (text));
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "group-card");
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (
      button, _ ("Show only this group: its mean map and its most typical sample"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  g_object_set_data (G_OBJECT (button), "index", GINT_TO_POINTER (index));
  g_signal_connect (button, "toggled", G_CALLBACK (on_card_toggled), self);
  return button;
}

static void
clear (SondeGalleryHeader *self)
{
  GtkWidget *child;

  self->chosen = NULL;
  while ((child = gtk_widget_get_first_child (self->cards)) != NULL)
    gtk_box_remove (GTK_BOX (self->cards), child);
}

/* What the scale must reach. */
static double
largest_of (GPtrArray *clusters)
{
  double largest = 0;

  for (guint i = 0; i < clusters->len; i++)
    {
      const SondeErrorCluster *cluster = g_ptr_array_index (clusters, i);

      if (cluster->mean != NULL)
        largest = fmax (largest, sonde_map_largest_magnitude (cluster->mean));
    }
  return largest;
}

static void
add_mean (SondeGalleryHeader *self, GPtrArray *clusters, double limit)
{
  g_autoptr (SondeTensor) mean = sonde_explain_mean_map (clusters);
  GtkWidget *box;
  g_autofree char *text = NULL, *number = sonde_format_number (limit);
  guint n = 0;

  if (mean == NULL)
    return;
  for (guint i = 0; i < clusters->len; i++)
    n += ((SondeErrorCluster *) g_ptr_array_index (clusters, i))->members->len;
  text = g_strdup_printf (_ ("Mean map of %u\nscale ±%s"), n, number);
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_box_append (GTK_BOX (box), make_map (mean, limit, text));
  gtk_widget_set_tooltip_text (
      box,
      _ ("Red supports the predicted class, blue contradicts it. Each map is scaled to a largest "
         "magnitude of 1; all maps of this row share one scale."));
  gtk_box_append (GTK_BOX (box), make_caption (text));
  gtk_widget_add_css_class (box, "group-mean");
  gtk_box_append (GTK_BOX (self->cards), box);
}

void
sonde_gallery_header_set_clusters (SondeGalleryHeader *cell, GPtrArray *clusters,
                                   GPtrArray *medoids, SondeThumbnailLoader *thumbnails)
{
  guint n = clusters != NULL ? clusters->len : 0;
  double limit = n > 0 ? largest_of (clusters) : 0;

  g_return_if_fail (SONDE_IS_GALLERY_HEADER (cell));
  g_set_object (&cell->thumbnails, thumbnails);
  clear (cell);
  if (n > 0)
    add_mean (cell, clusters, limit);
  for (guint i = 0; i < n; i++)
    gtk_box_append (GTK_BOX (cell->cards),
                    make_card (cell, g_ptr_array_index (clusters, i),
                               g_ptr_array_index (medoids, i), limit, (int) i));
  gtk_widget_set_visible (cell->line, n > 0);
}

void
sonde_gallery_header_set_words (SondeGalleryHeader *cell, const char *title, const char *sentence)
{
  g_return_if_fail (SONDE_IS_GALLERY_HEADER (cell));
  gtk_label_set_text (GTK_LABEL (cell->title), title);
  gtk_label_set_text (GTK_LABEL (cell->sentence), sentence);
}

static void
sonde_gallery_header_dispose (GObject *object)
{
  g_clear_object (&SONDE_GALLERY_HEADER (object)->thumbnails);
  G_OBJECT_CLASS (sonde_gallery_header_parent_class)->dispose (object);
}

static void
sonde_gallery_header_class_init (SondeGalleryHeaderClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_gallery_header_dispose;
  group_signal = g_signal_new ("group-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                               NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/browser/sonde-gallery-header.ui");
  gtk_widget_class_bind_template_child (widget, SondeGalleryHeader, title);
  gtk_widget_class_bind_template_child (widget, SondeGalleryHeader, sentence);
  gtk_widget_class_bind_template_child (widget, SondeGalleryHeader, line);
  gtk_widget_class_bind_template_child (widget, SondeGalleryHeader, cards);
}

static void
sonde_gallery_header_init (SondeGalleryHeader *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_gallery_header_new (void)
{
  return g_object_new (SONDE_TYPE_GALLERY_HEADER, NULL);
}
