/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-step-scale.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/widgets/sonde-step-scale.ui"

struct _SondeStepScale
{
  GtkBox parent_instance;
  GtkWidget *scale;
  GtkAdjustment *adjustment;
  GtkLabel *label;
  SondeStepCursor *cursor;
  GArray *steps; /* gint64 */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeStepScale, sonde_step_scale, GTK_TYPE_BOX)

static guint
find_index (SondeStepScale *scale)
{
  gint64 cursor = scale->cursor != NULL ? sonde_step_cursor_get_step (scale->cursor) : 0;
  guint index = 0;

  for (guint i = 0; i < scale->steps->len && g_array_index (scale->steps, gint64, i) <= cursor; i++)
    index = i;
  return index;
}

static void
update (SondeStepScale *scale)
{
  guint n = scale->steps->len;
  g_autofree char *count = sonde_format_count (sonde_step_scale_get_step (scale));
  g_autofree char *text = g_strdup_printf (_ ("Step %s"), count);

  scale->updating = TRUE;
  gtk_adjustment_configure (scale->adjustment, find_index (scale), 0, MAX (n, 2) - 1, 1, 10, 0);
  scale->updating = FALSE;
  gtk_widget_set_visible (scale->scale, n > 1); /* of one step there is nothing to choose */
  gtk_label_set_label (scale->label, n > 0 ? text : "");
}

static void
on_moved (SondeStepScale *scale)
{
  guint index = (guint) (gtk_adjustment_get_value (scale->adjustment) + 0.5);

  if (!scale->updating && scale->cursor != NULL && index < scale->steps->len)
    sonde_step_cursor_set_step (scale->cursor, g_array_index (scale->steps, gint64, index));
}

void
sonde_step_scale_set_cursor (SondeStepScale *scale, SondeStepCursor *cursor)
{
  g_return_if_fail (SONDE_IS_STEP_SCALE (scale) && scale->cursor == NULL);
  scale->cursor = g_object_ref (cursor);
  g_signal_connect_object (cursor, "notify::step", G_CALLBACK (update), scale, G_CONNECT_SWAPPED);
  update (scale);
}

void
sonde_step_scale_set_label (SondeStepScale *scale, const char *label)
{
  g_return_if_fail (SONDE_IS_STEP_SCALE (scale));
  gtk_widget_set_tooltip_text (GTK_WIDGET (scale), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale->scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

void
sonde_step_scale_set_steps (SondeStepScale *scale, GArray *steps)
{
  g_return_if_fail (SONDE_IS_STEP_SCALE (scale));
  g_array_set_size (scale->steps, 0);
  g_array_append_vals (scale->steps, steps->data, steps->len);
  update (scale);
}

guint
sonde_step_scale_get_n_steps (SondeStepScale *scale)
{
  g_return_val_if_fail (SONDE_IS_STEP_SCALE (scale), 0);
  return scale->steps->len;
}

gint64
sonde_step_scale_get_step (SondeStepScale *scale)
{
  g_return_val_if_fail (SONDE_IS_STEP_SCALE (scale), 0);
  return scale->steps->len > 0 ? g_array_index (scale->steps, gint64, find_index (scale)) : 0;
}

static void
sonde_step_scale_dispose (GObject *object)
{
  SondeStepScale *scale = SONDE_STEP_SCALE (object);

  scale->updating = TRUE;
  g_clear_object (&scale->cursor);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_STEP_SCALE);
  G_OBJECT_CLASS (sonde_step_scale_parent_class)->dispose (object);
}

static void
sonde_step_scale_finalize (GObject *object)
{
  g_array_unref (SONDE_STEP_SCALE (object)->steps);
  G_OBJECT_CLASS (sonde_step_scale_parent_class)->finalize (object);
}

static void
sonde_step_scale_class_init (SondeStepScaleClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_step_scale_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_step_scale_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeStepScale, scale);
  gtk_widget_class_bind_template_child (widget_class, SondeStepScale, adjustment);
  gtk_widget_class_bind_template_child (widget_class, SondeStepScale, label);
  gtk_widget_class_bind_template_callback (widget_class, on_moved);
}

static void
sonde_step_scale_init (SondeStepScale *scale)
{
  scale->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_init_template (GTK_WIDGET (scale));
}
