/* SPDX-License-Identifier: Apache-2.0
 * Editing the image. */
#include "app/explain/sample/sonde-sample-edit.h"

#include <math.h>

#include "app/explain/sonde-explain-widgets.h"
#include "viewers/sonde-edit-view.h"
#include "viewers/sonde-probability-view.h"

#define SIDE 300 /* px of the image */

struct _SondeSampleEdit
{
  AdwBin parent_instance;

  GtkWidget *view, *probabilities, *size, *strength, *color, *undo, *redo, *reset, *tools[4],
      *state, *show_maps, *maps;
  char **classes;
  float *before, *after;
  guint n;
  gint64 label;
  gboolean asking, dirty;
};

enum
{
  ANSWER_WANTED,
  MAP_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleEdit, sonde_sample_edit, ADW_TYPE_BIN)

static const struct
{
  const char *title, *hint;
} tools[] = {
  { "Brush", "Paint with the colour" },
  { "Blur", "Drag over a region to blur it" },
  { "Noise", "Drag over a region to add noise" },
  { "Paste", "Drag over a region, then click where a copy goes" },
};

static SondeEditView *
view_of (SondeSampleEdit *self)
{
  return SONDE_EDIT_VIEW (self->view);
}

static gboolean
is_changed (SondeSampleEdit *self)
{
  SondeImageEdit *edit = sonde_edit_view_get_edit (view_of (self));

  return edit != NULL && sonde_image_edit_is_changed (edit);
}

static void
show_answer (SondeSampleEdit *self)
{
  gboolean changed = self->after != NULL;

  sonde_probability_view_set_values (
      SONDE_PROBABILITY_VIEW (self->probabilities), (const char *const *) self->classes, self->n,
      changed ? self->after : self->before, changed ? self->before : NULL, self->label);
}

static void
ask (SondeSampleEdit *self)
{
  if (self->asking)
    {
      self->dirty = TRUE;
      return;
    }
  self->asking = TRUE;
  self->dirty = FALSE;
  gtk_label_set_text (GTK_LABEL (self->state), "computing…");
  g_signal_emit (self, signals[ANSWER_WANTED], 0);
}

static void
update_buttons (SondeSampleEdit *self)
{
  SondeImageEdit *edit = sonde_edit_view_get_edit (view_of (self));

  gtk_widget_set_sensitive (self->undo, edit != NULL && sonde_image_edit_can_undo (edit));
  gtk_widget_set_sensitive (self->redo, edit != NULL && sonde_image_edit_can_redo (edit));
  gtk_widget_set_sensitive (self->reset, is_changed (self));
  gtk_widget_set_sensitive (self->show_maps, edit != NULL);
}

static void
on_edited (SondeSampleEdit *self)
{
  update_buttons (self);
  gtk_widget_set_visible (self->maps, FALSE); /* of another image now */
  ask (self);
}

void
sonde_sample_edit_set_answer (SondeSampleEdit *edit, const SondeImagePrediction *answer,
                              const char *why)
{
  g_return_if_fail (SONDE_IS_SAMPLE_EDIT (edit));
  edit->asking = FALSE;
  if (answer != NULL && answer->n_classes == edit->n)
    {
      gint64 predicted = answer->predicted;
      g_autofree char *text = NULL;

      g_free (edit->after);
      edit->after = is_changed (edit)
                        ? g_memdup2 (answer->probabilities, edit->n * sizeof *edit->after)
                        : NULL;
      text = is_changed (edit) && predicted >= 0 && predicted < edit->n ? g_strdup_printf (
                 "Edited: the answer is “%s”. The line in each bar is where it was.",
                 edit->classes[predicted])
                                                                        : g_strdup ("As it was.");
      gtk_label_set_text (GTK_LABEL (edit->state), text);
      show_answer (edit);
    }
  else
    gtk_label_set_text (GTK_LABEL (edit->state), why != NULL ? why : "");
  if (edit->dirty)
    ask (edit);
}

void
sonde_sample_edit_set_sample (SondeSampleEdit *edit, const SondeImage *image,
                              const char *const *classes, guint n, const float *before,
                              gint64 label)
{
  g_return_if_fail (SONDE_IS_SAMPLE_EDIT (edit));
  g_strfreev (edit->classes);
  g_free (edit->before);
  g_clear_pointer (&edit->after, g_free);
  edit->classes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    edit->classes[i] = g_strdup (classes[i]);
  edit->before = before != NULL ? g_memdup2 (before, n * sizeof *before) : NULL;
  edit->n = n;
  edit->label = label;
  edit->asking = edit->dirty = FALSE;
  sonde_edit_view_set_image (view_of (edit), image);
  gtk_widget_set_visible (edit->maps, FALSE);
  gtk_label_set_text (GTK_LABEL (edit->state), "Paint, blur, paste: the network answers at once.");
  update_buttons (edit);
  show_answer (edit);
}

const SondeImage *
sonde_sample_edit_get_image (SondeSampleEdit *edit)
{
  return sonde_edit_view_get_image (view_of (edit));
}

SondeSampleMaps *
sonde_sample_edit_get_maps (SondeSampleEdit *edit)
{
  return SONDE_SAMPLE_MAPS (edit->maps);
}

/* ---- tools --------------------------------------------------------------- */

static void
on_tool (GtkToggleButton *button, SondeSampleEdit *self)
{
  for (int i = 0; i < (int) G_N_ELEMENTS (tools); i++)
    if (self->tools[i] == GTK_WIDGET (button) && gtk_toggle_button_get_active (button))
      {
        sonde_edit_view_set_tool (view_of (self), (SondeEditTool) i);
        gtk_widget_set_sensitive (self->strength, i == SONDE_EDIT_BLUR || i == SONDE_EDIT_NOISE);
        gtk_widget_set_sensitive (self->color, i == SONDE_EDIT_BRUSH);
        gtk_widget_set_sensitive (self->size, i == SONDE_EDIT_BRUSH);
      }
}

static void
on_brush (SondeSampleEdit *self)
{
  GdkRGBA rgba;
  guint8 color[3];

  gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (self->color), &rgba);
  color[0] = (guint8) lround (255 * (double) rgba.red);
  color[1] = (guint8) lround (255 * (double) rgba.green);
  color[2] = (guint8) lround (255 * (double) rgba.blue);
  sonde_edit_view_set_brush (view_of (self),
                             (int) lround (gtk_range_get_value (GTK_RANGE (self->size))), color,
                             gtk_range_get_value (GTK_RANGE (self->strength)));
}

static GtkWidget *
make_tools (SondeSampleEdit *self)
{
  GtkWidget *row = sonde_make_row (0);

  gtk_widget_add_css_class (row, "linked");
  for (gsize i = 0; i < G_N_ELEMENTS (tools); i++)
    {
      self->tools[i] = gtk_toggle_button_new_with_label (tools[i].title);
      gtk_widget_set_tooltip_text (self->tools[i], tools[i].hint);
      gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (self->tools[i]),
                                   i > 0 ? GTK_TOGGLE_BUTTON (self->tools[0]) : NULL);
      gtk_box_append (GTK_BOX (row), self->tools[i]);
    }
  return row;
}

static GtkWidget *
make_bar (SondeSampleEdit *self)
{
  GtkWidget *bar = sonde_make_column (6), *first = sonde_make_row (12),
            *second = sonde_make_row (18), *size = sonde_make_row (6),
            *strength = sonde_make_row (6);
  GtkWidget *steps = sonde_make_row (0);

  gtk_box_append (GTK_BOX (first), make_tools (self));
  self->color = gtk_color_button_new_with_rgba (&(GdkRGBA){ 0, 0, 0, 1 });
  gtk_widget_set_tooltip_text (self->color, "Colour of the brush");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->color), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Colour of the brush", -1);
  self->size = sonde_make_slider (1, 64, 1, 4, "Size of the brush in pixels of the image");
  self->strength = sonde_make_slider (0.5, 8, 0.5, 2, "Strength of blur (σ in pixels) and noise");
  gtk_box_append (GTK_BOX (size), self->color);
  gtk_box_append (GTK_BOX (size), sonde_make_label ("Size", "dim-label"));
  gtk_box_append (GTK_BOX (size), self->size);
  gtk_box_append (GTK_BOX (strength), sonde_make_label ("Strength", "dim-label"));
  gtk_box_append (GTK_BOX (strength), self->strength);
  self->undo = sonde_make_icon_button ("edit-undo-symbolic", "Undo (Ctrl+Z)");
  self->redo = sonde_make_icon_button ("edit-redo-symbolic", "Redo (Ctrl+Shift+Z)");
  self->reset = sonde_make_icon_button ("edit-clear-all-symbolic", "Back to the original");
  gtk_box_append (GTK_BOX (steps), self->undo);
  gtk_box_append (GTK_BOX (steps), self->redo);
  gtk_box_append (GTK_BOX (steps), self->reset);
  gtk_box_append (GTK_BOX (first), steps);
  gtk_box_append (GTK_BOX (second), size);
  gtk_box_append (GTK_BOX (second), strength);
  gtk_box_append (GTK_BOX (bar), first);
  gtk_box_append (GTK_BOX (bar), second);
  return bar;
}

static void
on_show_maps (SondeSampleEdit *self)
{
  gint64 top = -1;
  const float *values = self->after != NULL ? self->after : self->before;
  SondeMapTarget target;
  g_autofree char *caption = NULL;
  g_autoptr (SondeImage) shown = NULL;

  for (guint i = 0; values != NULL && i < self->n; i++)
    if (top < 0 || values[i] > values[top])
      top = i;
  if (top < 0 || sonde_sample_edit_get_image (self) == NULL)
    return;
  caption = g_strdup_printf ("Edited image, for “%s” · p %.3f", self->classes[top],
                             (double) values[top]);
  target = (SondeMapTarget){ top, self->classes[top], caption };
  gtk_widget_set_visible (self->maps, TRUE);
  sonde_sample_maps_set_targets (SONDE_SAMPLE_MAPS (self->maps), NULL, 0);
  shown = sonde_image_copy (sonde_sample_edit_get_image (self)); /* editing goes on */
  sonde_sample_maps_set_image (SONDE_SAMPLE_MAPS (self->maps), shown, NULL);
  sonde_sample_maps_set_targets (SONDE_SAMPLE_MAPS (self->maps), &target, 1);
}

static void
on_map_wanted (SondeSampleMaps *maps, const char *spec, gint64 target, SondeSampleEdit *self)
{
  g_signal_emit (self, signals[MAP_WANTED], 0, spec, target);
}

static void
sonde_sample_edit_finalize (GObject *object)
{
  SondeSampleEdit *self = SONDE_SAMPLE_EDIT (object);

  g_strfreev (self->classes);
  g_free (self->before);
  g_free (self->after);
  G_OBJECT_CLASS (sonde_sample_edit_parent_class)->finalize (object);
}

static void
sonde_sample_edit_class_init (SondeSampleEditClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_edit_finalize;
  signals[ANSWER_WANTED] = g_signal_new ("answer-wanted", G_TYPE_FROM_CLASS (klass),
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MAP_WANTED]
      = g_signal_new ("map-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
}

static void
connect_parts (SondeSampleEdit *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tools); i++)
    g_signal_connect_object (self->tools[i], "toggled", G_CALLBACK (on_tool), self, 0);
  g_signal_connect_object (self->size, "value-changed", G_CALLBACK (on_brush), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->strength, "value-changed", G_CALLBACK (on_brush), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->color, "color-set", G_CALLBACK (on_brush), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->undo, "clicked", G_CALLBACK (sonde_edit_view_undo), self->view,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->redo, "clicked", G_CALLBACK (sonde_edit_view_redo), self->view,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reset, "clicked", G_CALLBACK (sonde_edit_view_reset), self->view,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "edited", G_CALLBACK (on_edited), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->show_maps, "clicked", G_CALLBACK (on_show_maps), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->maps, "map-wanted", G_CALLBACK (on_map_wanted), self, 0);
}

static void
sonde_sample_edit_init (SondeSampleEdit *self)
{
  GtkWidget *column = sonde_make_column (12), *row = sonde_make_row (18),
            *right = sonde_make_column (6);

  self->view = sonde_edit_view_new ();
  sonde_view_set_minimum_size (SONDE_VIEW (self->view), SIDE, SIDE);
  self->probabilities = sonde_probability_view_new ();
  self->state = sonde_make_text (NULL, NULL);
  self->show_maps = gtk_button_new_with_label ("Maps of This Image");
  gtk_widget_set_halign (self->show_maps, GTK_ALIGN_START);
  self->maps = sonde_sample_maps_new ();
  sonde_sample_maps_set_unrated (SONDE_SAMPLE_MAPS (self->maps));
  gtk_box_append (GTK_BOX (right), self->state);
  gtk_box_append (GTK_BOX (right), self->probabilities);
  gtk_box_append (GTK_BOX (right), self->show_maps);
  gtk_box_append (GTK_BOX (column), make_bar (self));
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_set_valign (self->view, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (row), self->view);
  gtk_box_append (GTK_BOX (row), right);
  gtk_box_append (GTK_BOX (column), row);
  gtk_box_append (GTK_BOX (column), self->maps);
  connect_parts (self);
  adw_bin_set_child (ADW_BIN (self), column);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->tools[0]), TRUE);
  on_brush (self);
  sonde_sample_edit_set_sample (self, NULL, NULL, 0, NULL, -1);
}

GtkWidget *
sonde_sample_edit_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_EDIT, NULL);
}
