/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-badge.h"

#include "viewers/sonde-text-scale.h"

#define WIDTH 18
#define HEIGHT 12

typedef enum
{
  NOTHING,
  SERIES,
  STATE,
} Shows;

struct _SondeBadge
{
  GtkWidget parent_instance;
  Shows shows;
  guint index;
  SondeState state;
};

G_DEFINE_FINAL_TYPE (SondeBadge, sonde_badge, GTK_TYPE_WIDGET)

static const char *const state_names[SONDE_N_STATES]
    = { "idle", "running", "paused", "error", "ok" };

static const SondeTheme *
get_theme (SondeBadge *mark)
{
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (mark)), &color);
  return sonde_theme_get (0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue > 0.5);
}

static void
sonde_badge_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SondeBadge *mark = SONDE_BADGE (widget);
  const SondeTheme *theme = get_theme (mark);
  double scale = sonde_text_scale_get (widget), width = gtk_widget_get_width (widget),
         height = gtk_widget_get_height (widget), x = width / scale / 2, y = height / scale / 2;
  SondeStroke stroke;
  cairo_t *cr;

  if (mark->shows == NOTHING)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  cairo_scale (cr, scale, scale);
  if (mark->shows == STATE)
    sonde_paint_state (cr, theme, mark->state, x, y, HEIGHT - 2);
  else
    {
      stroke = sonde_theme_series (theme, mark->index);
      sonde_paint_set_color (cr, &stroke.color);
      cairo_set_line_width (cr, 3);
      cairo_set_line_cap (cr, stroke.n_dashes > 0 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
      cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
      cairo_move_to (cr, x - WIDTH / 2.0 + 2, y);
      cairo_line_to (cr, x + WIDTH / 2.0 - 2, y);
      cairo_stroke (cr);
    }
  cairo_destroy (cr);
}

static void
sonde_badge_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                     int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = sonde_text_scale_length (
      widget, orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT);
  *minimum_baseline = *natural_baseline = -1;
}

static void
sonde_badge_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (sonde_badge_parent_class)->system_setting_changed (widget, setting);
  if (setting == GTK_SYSTEM_SETTING_DPI)
    gtk_widget_queue_resize (widget);
}

static void
set (SondeBadge *mark, Shows shows, guint index, SondeState state)
{
  if (mark->shows == shows && mark->index == index && mark->state == state)
    return;
  mark->shows = shows;
  mark->index = index;
  mark->state = state;
  gtk_accessible_update_property (GTK_ACCESSIBLE (mark), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  shows == STATE ? state_names[state] : "", -1);
  /* A stroke says nothing without its name, which stands beside it. */
  gtk_accessible_update_state (GTK_ACCESSIBLE (mark), GTK_ACCESSIBLE_STATE_HIDDEN, shows != STATE,
                               -1);
  gtk_widget_queue_draw (GTK_WIDGET (mark));
}

void
sonde_badge_set_series (SondeBadge *mark, guint index)
{
  g_return_if_fail (SONDE_IS_BADGE (mark));
  set (mark, SERIES, index, SONDE_STATE_IDLE);
}

void
sonde_badge_set_state (SondeBadge *mark, SondeState state)
{
  g_return_if_fail (SONDE_IS_BADGE (mark) && state < SONDE_N_STATES);
  set (mark, STATE, 0, state);
}

void
sonde_badge_set_nothing (SondeBadge *mark)
{
  g_return_if_fail (SONDE_IS_BADGE (mark));
  set (mark, NOTHING, 0, SONDE_STATE_IDLE);
}

static void
sonde_badge_class_init (SondeBadgeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = sonde_badge_snapshot;
  widget_class->measure = sonde_badge_measure;
  widget_class->system_setting_changed = sonde_badge_system_setting_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
sonde_badge_init (SondeBadge *mark)
{
  gtk_widget_set_valign (GTK_WIDGET (mark), GTK_ALIGN_CENTER);
}

GtkWidget *
sonde_badge_new (void)
{
  return g_object_new (SONDE_TYPE_BADGE, NULL);
}
