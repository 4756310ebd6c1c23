/* SPDX-License-Identifier: Apache-2.0
 * Editing the image. */
#include "app/explain/sample/sonde-sample-edit.h"

#include <math.h>

#include "app/explain/browser/sonde-wrap-layout.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-edit-view.h"
#include "viewers/sonde-probability-view.h"

#define SIDE 300 /* px of the image */
#define N_TOOLS 4

struct _SondeSampleEdit
{
  AdwBin parent_instance;

  GtkWidget *view, *probabilities, *size, *strength, *color, *undo, *redo, *reset, *tools[N_TOOLS],
      *state, *show_maps, *maps;
  char **classes;
  float *before, *after;
  guint n;
  gint64 label;
  gboolean asking, dirty;
};

enum
{
  PREDICTION_WANTED,
  MAP_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* In the order of SondeEditTool. */
static const char *const tool_names[N_TOOLS] = { "tool_0", "tool_1", "tool_2", "tool_3" };

G_DEFINE_FINAL_TYPE (SondeSampleEdit, sonde_sample_edit, ADW_TYPE_BIN)

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
  gtk_label_set_text (GTK_LABEL (self->state), _ ("Computing…"));
  g_signal_emit (self, signals[PREDICTION_WANTED], 0);
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
sonde_sample_edit_set_answer (SondeSampleEdit *edit, const SondeSampleResult *answer,
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
      if (is_changed (edit) && predicted >= 0 && predicted < edit->n)
        text = g_strdup_printf (_ ("Edited: the prediction is “%s”. The line in each bar shows the "
                                   "original value."),
                                edit->classes[predicted]);
      else
        text = g_strdup (_ ("The image is unchanged."));
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
  gtk_label_set_text (GTK_LABEL (edit->state),
                      _ ("Paint, blur or paste: the prediction follows at once."));
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
  for (int i = 0; i < N_TOOLS; i++)
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

static void
on_undo (SondeSampleEdit *self)
{
  sonde_edit_view_undo (view_of (self));
}

static void
on_redo (SondeSampleEdit *self)
{
  sonde_edit_view_redo (view_of (self));
}

static void
on_reset (SondeSampleEdit *self)
{
  sonde_edit_view_reset (view_of (self));
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
  caption = g_strdup_printf (_ ("Edited image, for “%s” · %.1f %%"), self->classes[top],
                             100 * (double) values[top]);
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
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_sample_edit_finalize;
  signals[PREDICTION_WANTED]
      = g_signal_new ("prediction-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                      NULL, NULL, G_TYPE_NONE, 0);
  signals[MAP_WANTED]
      = g_signal_new ("map-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
  g_type_ensure (SONDE_TYPE_WRAP_LAYOUT);
  g_type_ensure (SONDE_TYPE_EDIT_VIEW);
  g_type_ensure (SONDE_TYPE_PROBABILITY_VIEW);
  g_type_ensure (SONDE_TYPE_SAMPLE_MAPS);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-sample-edit.ui");
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, view);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, probabilities);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, size);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, strength);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, color);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, undo);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, redo);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, reset);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, state);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, show_maps);
  gtk_widget_class_bind_template_child (widget, SondeSampleEdit, maps);
  for (int i = 0; i < N_TOOLS; i++)
    gtk_widget_class_bind_template_child_full (widget, tool_names[i], FALSE, 0);
  gtk_widget_class_bind_template_callback (widget, on_tool);
  gtk_widget_class_bind_template_callback (widget, on_brush);
  gtk_widget_class_bind_template_callback (widget, on_undo);
  gtk_widget_class_bind_template_callback (widget, on_redo);
  gtk_widget_class_bind_template_callback (widget, on_reset);
  gtk_widget_class_bind_template_callback (widget, on_edited);
  gtk_widget_class_bind_template_callback (widget, on_show_maps);
  gtk_widget_class_bind_template_callback (widget, on_map_wanted);
}

static void
sonde_sample_edit_init (SondeSampleEdit *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (int i = 0; i < N_TOOLS; i++)
    self->tools[i] = GTK_WIDGET (
        gtk_widget_get_template_child (GTK_WIDGET (self), SONDE_TYPE_SAMPLE_EDIT, tool_names[i]));
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (self->color), &(GdkRGBA){ 0, 0, 0, 1 });
  sonde_view_set_minimum_size (SONDE_VIEW (self->view), SIDE, SIDE);
  sonde_sample_maps_set_unrated (SONDE_SAMPLE_MAPS (self->maps));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->tools[0]), TRUE);
  on_brush (self);
  sonde_sample_edit_set_sample (self, NULL, NULL, 0, NULL, -1);
}

GtkWidget *
sonde_sample_edit_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_EDIT, NULL);
}
