/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-sample-tile.h"

#include <math.h>

#include "app/pages/cards/sonde-frame-bar.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-image-view.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/pages/cards/sonde-sample-tile.ui"

struct _SondeSampleTile
{
  GtkBox parent_instance;
  SondeImageView *view;
  SondeBadge *mark;
  GtkBox *caption;
  GtkLabel *classes, *probability;
  SondeFrameBar *frames;
  int size;                    /* px of the longer side */
  int true_width, true_height; /* px; 0: those of the image */
  gboolean compact;
};

enum
{
  FRAME_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleTile, sonde_sample_tile, GTK_TYPE_BOX)

gboolean
sonde_sample_note_is_error (const SondeSampleNote *note)
{
  return note->label >= 0 && note->predicted >= 0 && note->label != note->predicted;
}

static char *
dup_class (const char *name, int index)
{
  return name != NULL ? sonde_text_make_visible (name) : g_strdup_printf ("%d", index);
}

/* "7", "7 → 9" when taken for another, "sample-3" when no class is known. (transfer full) */
static char *
format_note (const SondeSampleNote *note)
{
  g_autofree char *label = dup_class (note->label_name, note->label);
  g_autofree char *predicted = dup_class (note->predicted_name, note->predicted);

  if (sonde_sample_note_is_error (note))
    return g_strdup_printf ("%s → %s", label, predicted);
  if (note->label >= 0)
    return g_steal_pointer (&label);
  if (note->predicted >= 0)
    return g_strdup_printf ("→ %s", predicted);
  return sonde_text_make_visible (note->sample != NULL ? note->sample : "");
}

/* Everything that is known, for the tool-tip and assistive tools. */
static char *
dup_details (const SondeSampleNote *note)
{
  GString *text = g_string_new (NULL);
  g_autofree char *sample
      = sonde_text_make_visible (note->sample != NULL ? note->sample : _ ("image"));
  g_autofree char *label = dup_class (note->label_name, note->label);
  g_autofree char *predicted = dup_class (note->predicted_name, note->predicted);

  g_string_append (text, sample);
  if (note->label >= 0)
    g_string_append_printf (text, _ (" · true class %s"), label);
  if (note->label >= 0 && isfinite (note->label_probability))
    g_string_append_printf (text, " (%.1f %%)", note->label_probability * 100);
  if (note->predicted >= 0)
    g_string_append_printf (text, _ (" · prediction %s"), predicted);
  if (note->predicted >= 0 && isfinite (note->predicted_probability))
    g_string_append_printf (text, " (%.1f %%)", note->predicted_probability * 100);
  return g_string_free (text, FALSE);
}

char *
sonde_sample_note_dup_caption (const SondeSampleNote *note, int index)
{
  g_autofree char *text = format_note (note);

  return *text == '\0' && index >= 0 ? g_strdup_printf (_ ("No. %d"), index + 1)
                                     : g_steal_pointer (&text);
}

void
sonde_sample_tile_set_size (SondeSampleTile *tile, int size)
{
  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  tile->size = size;
}

/* An image that is broader than it is high needs no more height than it has. */
static void
fit_height (SondeSampleTile *tile, const SondeImage *image)
{
  int height = tile->size;

  if (image != NULL && image->width > image->height)
    height = MAX ((int) ((gint64) tile->size * image->height / image->width), tile->size / 3);
  sonde_view_set_minimum_size (SONDE_VIEW (tile->view), tile->size, height);
}

/* "64 × 48 px", of an animation "64 × 48 px · 12 frames", and of a long one how many of them are here. (transfer full) */
static char *
dup_size (SondeSampleTile *tile, const SondeImage *image)
{
  const SondeAnimation *animation = sonde_frame_bar_get_animation (tile->frames);
  g_autofree char *size
      = g_strdup_printf (_ ("%d × %d px"), tile->true_width > 0 ? tile->true_width : image->width,
                         tile->true_height > 0 ? tile->true_height : image->height);
  g_autofree char *n = NULL, *all = NULL;

  if (animation == NULL)
    return g_steal_pointer (&size);
  n = sonde_format_count (animation->n_frames);
  all = sonde_format_count (animation->n_recorded);
  if (animation->n_frames < animation->n_recorded)
    return g_strdup_printf (_ ("%s · first %s of %s frames"), size, n, all);
  return g_strdup_printf (ngettext ("%s · %s frame", "%s · %s frames", animation->n_frames), size,
                          n);
}

void
sonde_sample_tile_set_animation (SondeSampleTile *tile, const SondeAnimation *animation)
{
  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  sonde_frame_bar_set_animation (tile->frames, animation);
}

guint
sonde_sample_tile_get_frame (SondeSampleTile *tile)
{
  g_return_val_if_fail (SONDE_IS_SAMPLE_TILE (tile), 0);
  return sonde_frame_bar_get_frame (tile->frames);
}

static void
on_frame_changed (SondeSampleTile *tile)
{
  g_signal_emit (tile, signals[FRAME_CHANGED], 0);
}

void
sonde_sample_tile_set (SondeSampleTile *tile, const SondeSampleNote *note, int index,
                       SondeImage *image)
{
  g_autofree char *classes = sonde_sample_note_dup_caption (note, index);
  g_autofree char *details = dup_details (note);
  g_autofree char *probability = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  if (isfinite (note->predicted_probability))
    probability = g_strdup_printf (_ ("prediction: %.0f %%"), note->predicted_probability * 100);
  else if (note->label < 0 && note->predicted < 0 && image != NULL)
    probability = dup_size (tile, image);
  fit_height (tile, image);
  sonde_image_view_set_image (tile->view, image);
  sonde_image_view_set_note (tile->view, details);
  sonde_view_set_title (SONDE_VIEW (tile->view), classes);
  if (tile->compact && sonde_sample_note_is_error (note))
    {
      g_autofree char *predicted = dup_class (note->predicted_name, note->predicted);
      g_autofree char *arrow = g_strdup_printf ("→ %s", predicted);
      gtk_label_set_label (tile->classes, arrow);
    }
  else
    gtk_label_set_label (tile->classes, classes);
  gtk_widget_set_visible (GTK_WIDGET (tile->caption), *classes != '\0');
  gtk_widget_set_visible (GTK_WIDGET (tile->mark), note->label >= 0 && note->predicted >= 0);
  gtk_widget_set_margin_start (GTK_WIDGET (tile->probability),
                               note->label >= 0 && note->predicted >= 0 ? 24 : 0);
  gtk_label_set_label (tile->probability, probability != NULL ? probability : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (tile->classes), details);
  if (note->label < 0 || note->predicted < 0)
    sonde_badge_set_nothing (tile->mark);
  else
    sonde_badge_set_state (tile->mark,
                           sonde_sample_note_is_error (note) ? SONDE_STATE_ERROR : SONDE_STATE_OK);
}

void
sonde_sample_tile_set_menu (SondeSampleTile *tile, GMenuModel *menu)
{
  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  sonde_view_set_menu (SONDE_VIEW (tile->view), menu);
}

void
sonde_sample_tile_set_true_size (SondeSampleTile *tile, int width, int height)
{
  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  tile->true_width = width;
  tile->true_height = height;
}

void
sonde_sample_tile_set_image (SondeSampleTile *tile, SondeImage *image)
{
  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  fit_height (tile, image);
  sonde_image_view_set_image (tile->view, image);
}

void
sonde_sample_tile_set_compact (SondeSampleTile *tile)
{
  g_return_if_fail (SONDE_IS_SAMPLE_TILE (tile));
  tile->compact = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (tile->probability), FALSE);
  gtk_box_set_spacing (GTK_BOX (tile), 0);
  gtk_box_set_spacing (tile->caption, 0);
  gtk_label_set_width_chars (tile->classes, 3);
  gtk_label_set_max_width_chars (tile->classes, 3);
  gtk_widget_set_halign (GTK_WIDGET (tile->view), GTK_ALIGN_FILL);
  gtk_widget_set_vexpand (GTK_WIDGET (tile->view), TRUE);
}

static void
sonde_sample_tile_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_SAMPLE_TILE);
  G_OBJECT_CLASS (sonde_sample_tile_parent_class)->dispose (object);
}

static void
sonde_sample_tile_class_init (SondeSampleTileClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_sample_tile_dispose;
  signals[FRAME_CHANGED] = g_signal_new ("frame-changed", G_TYPE_FROM_CLASS (klass),
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (SONDE_TYPE_FRAME_BAR);
  g_type_ensure (SONDE_TYPE_IMAGE_VIEW);
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeSampleTile, view);
  gtk_widget_class_bind_template_child (widget_class, SondeSampleTile, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeSampleTile, caption);
  gtk_widget_class_bind_template_child (widget_class, SondeSampleTile, classes);
  gtk_widget_class_bind_template_child (widget_class, SondeSampleTile, probability);
  gtk_widget_class_bind_template_child (widget_class, SondeSampleTile, frames);
  gtk_widget_class_bind_template_callback (widget_class, on_frame_changed);
}

static void
sonde_sample_tile_init (SondeSampleTile *tile)
{
  gtk_widget_init_template (GTK_WIDGET (tile));
}

GtkWidget *
sonde_sample_tile_new (int size)
{
  SondeSampleTile *tile = g_object_new (SONDE_TYPE_SAMPLE_TILE, NULL);

  /* A tile is too small to zoom in; the wheel scrolls the page. */
  sonde_view_set_zoom (SONDE_VIEW (tile->view), SONDE_VIEW_ZOOM_FIXED);
  tile->size = size;
  sonde_view_set_minimum_size (SONDE_VIEW (tile->view), size, size);
  return GTK_WIDGET (tile);
}
