/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-levels-bar.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define SCALE_WIDTH 220

struct _SondeLevelsBar
{
  GtkBox parent_instance;
  GtkAdjustment *brightness, *contrast;
  GtkToggleButton *difference;
  GtkLabel *difference_label;
  GtkWidget *menu;
  gint64 step, kept_step; /* of the page; where the difference was switched on */
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeLevelsBar, sonde_levels_bar, GTK_TYPE_BOX)

static void
tell (SondeLevelsBar *bar)
{
  g_signal_emit (bar, signals[CHANGED], 0);
}

static void
update_difference (SondeLevelsBar *bar)
{
  g_autofree char *count = sonde_format_count (bar->kept_step);
  g_autofree char *text = gtk_toggle_button_get_active (bar->difference)
                              ? g_strdup_printf (_ ("Difference from Step %s"), count)
                              : g_strdup (_ ("Difference"));

  gtk_label_set_label (bar->difference_label, text);
}

static void
on_difference (SondeLevelsBar *bar)
{
  bar->kept_step = bar->step;
  update_difference (bar);
  tell (bar);
}

void
sonde_levels_bar_set_step (SondeLevelsBar *bar, gint64 step)
{
  g_return_if_fail (SONDE_IS_LEVELS_BAR (bar));
  bar->step = step;
}

void
sonde_levels_bar_reset (SondeLevelsBar *bar)
{
  g_return_if_fail (SONDE_IS_LEVELS_BAR (bar));
  gtk_toggle_button_set_active (bar->difference, FALSE);
}

void
sonde_levels_bar_apply (SondeLevelsBar *bar, SondeImageLevels *levels)
{
  g_return_if_fail (SONDE_IS_LEVELS_BAR (bar));
  sonde_image_levels_set_difference (levels, gtk_toggle_button_get_active (bar->difference));
  sonde_image_levels_set (levels, gtk_adjustment_get_value (bar->brightness),
                          gtk_adjustment_get_value (bar->contrast));
}

/* ---- widgets ------------------------------------------------------------- */

static void
on_reset (SondeLevelsBar *bar)
{
  gtk_adjustment_set_value (bar->brightness, 0);
  gtk_adjustment_set_value (bar->contrast, 1);
}

static GtkAdjustment *
add_scale (SondeLevelsBar *bar, GtkGrid *grid, int row, const char *name, double low, double high,
           double plain)
{
  GtkAdjustment *adjustment = gtk_adjustment_new (plain, low, high, 0.05, 0.25, 0);
  GtkWidget *scale = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, adjustment),
            *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_size_request (scale, SCALE_WIDTH, -1);
  gtk_scale_add_mark (GTK_SCALE (scale), plain, GTK_POS_BOTTOM, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, scale, 1, row, 1, 1);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (tell), bar, G_CONNECT_SWAPPED);
  return g_object_ref (adjustment);
}

static GtkWidget *
make_menu (SondeLevelsBar *bar)
{
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new (),
            *grid = gtk_grid_new ();
  GtkWidget *reset = gtk_button_new_with_label (_ ("Reset"));

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  bar->brightness = add_scale (bar, GTK_GRID (grid), 0, _ ("Brightness"), -1, 1, 0);
  bar->contrast = add_scale (bar, GTK_GRID (grid), 1, _ ("Contrast"), 0, 4, 1);
  gtk_widget_set_halign (reset, GTK_ALIGN_END);
  g_signal_connect_object (reset, "clicked", G_CALLBACK (on_reset), bar, G_CONNECT_SWAPPED);
  gtk_grid_attach (GTK_GRID (grid), reset, 1, 2, 1, 1);
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "display-brightness-symbolic");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_tooltip_text (button, _ ("Brightness and contrast of the images"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

static void
sonde_levels_bar_dispose (GObject *object)
{
  SondeLevelsBar *bar = SONDE_LEVELS_BAR (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  g_clear_object (&bar->brightness);
  g_clear_object (&bar->contrast);
  G_OBJECT_CLASS (sonde_levels_bar_parent_class)->dispose (object);
}

static void
sonde_levels_bar_class_init (SondeLevelsBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_levels_bar_dispose;
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_LEVELS_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_levels_bar_init (SondeLevelsBar *bar)
{
  bar->difference = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  bar->difference_label = GTK_LABEL (gtk_label_new (_ ("Difference")));
  gtk_button_set_child (GTK_BUTTON (bar->difference), GTK_WIDGET (bar->difference_label));
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (bar->difference),
      _ ("Keep the images of this step and show the difference of other steps from them"));
  gtk_widget_set_valign (GTK_WIDGET (bar->difference), GTK_ALIGN_CENTER);
  g_signal_connect_object (bar->difference, "toggled", G_CALLBACK (on_difference), bar,
                           G_CONNECT_SWAPPED);
  bar->menu = make_menu (bar);
  gtk_box_set_spacing (GTK_BOX (bar), 12);
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (bar->difference));
  gtk_box_append (GTK_BOX (bar), bar->menu);
}
