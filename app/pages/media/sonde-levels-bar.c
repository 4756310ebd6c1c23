/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-levels-bar.h"

#include "app/pages/media/sonde-sample-grid.h"

#include "data/base/sonde-text.h"

#define SCALE_WIDTH 220
#define SETTINGS "media"

/* Sides of images that can be chosen, px; the first is chosen by itself. */
static const int tile_sizes[] = { SONDE_TILE_SIZE_AUTOMATIC, 64, 96, 128, 192, 256, 384, 512, 768 };

struct _SondeLevelsBar
{
  GtkBox parent_instance;
  GtkAdjustment *brightness, *contrast, *size;
  GtkToggleButton *true_size;
  SondeWorkspace *workspace; /* NULL before sonde_levels_bar_set_up() */
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

int
sonde_levels_bar_get_tile_size (SondeLevelsBar *bar)
{
  g_return_val_if_fail (SONDE_IS_LEVELS_BAR (bar), 0);
  return gtk_toggle_button_get_active (bar->true_size)
             ? SONDE_TILE_SIZE_TRUE
             : tile_sizes[(int) (gtk_adjustment_get_value (bar->size) + 0.5)];
}

static void
on_size_changed (SondeLevelsBar *bar)
{
  int size = sonde_levels_bar_get_tile_size (bar);
  g_autofree char *value = size != SONDE_TILE_SIZE_AUTOMATIC ? g_strdup_printf ("%d", size) : NULL;

  if (bar->workspace == NULL)
    return;
  sonde_workspace_set_setting (bar->workspace, SETTINGS, "tile-size", value);
  tell (bar);
}

/* A size is chosen: no longer the true one. */
static void
on_size_moved (SondeLevelsBar *bar)
{
  if (gtk_toggle_button_get_active (bar->true_size))
    gtk_toggle_button_set_active (bar->true_size, FALSE);
  else
    on_size_changed (bar);
}

void
sonde_levels_bar_set_up (SondeLevelsBar *bar, SondeWorkspace *workspace)
{
  const char *value = sonde_workspace_get_setting (workspace, SETTINGS, "tile-size");
  gint64 size = value != NULL ? g_ascii_strtoll (value, NULL, 10) : SONDE_TILE_SIZE_AUTOMATIC;

  g_return_if_fail (SONDE_IS_LEVELS_BAR (bar) && bar->workspace == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tile_sizes); i++)
    if (tile_sizes[i] == size)
      gtk_adjustment_set_value (bar->size, i);
  gtk_toggle_button_set_active (bar->true_size, size == SONDE_TILE_SIZE_TRUE);
  bar->workspace = g_object_ref (workspace);
}

void
sonde_levels_bar_apply (SondeLevelsBar *bar, SondeImageLevels *levels)
{
  g_return_if_fail (SONDE_IS_LEVELS_BAR (bar));
  sonde_image_levels_set (levels, gtk_adjustment_get_value (bar->brightness),
                          gtk_adjustment_get_value (bar->contrast));
}

/* ---- widgets ------------------------------------------------------------- */

static void
on_reset (SondeLevelsBar *bar)
{
  gtk_adjustment_set_value (bar->brightness, 0);
  gtk_adjustment_set_value (bar->contrast, 1);
  gtk_adjustment_set_value (bar->size, 0);
}

static char *
format_size (GtkScale *scale, double value, void *user_data)
{
  int size = tile_sizes[CLAMP ((int) (value + 0.5), 0, (int) G_N_ELEMENTS (tile_sizes) - 1)];

  return size == SONDE_TILE_SIZE_AUTOMATIC ? g_strdup (_ ("automatic"))
                                           : g_strdup_printf (_ ("%d px"), size);
}

static GtkWidget *
attach_scale (GtkGrid *grid, int row, const char *name, GtkAdjustment *adjustment)
{
  GtkWidget *scale = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, adjustment),
            *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_size_request (scale, SCALE_WIDTH, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, scale, 1, row, 1, 1);
  return scale;
}

static void
add_size_scale (SondeLevelsBar *bar, GtkGrid *grid, int row)
{
  GtkWidget *scale;

  bar->size = g_object_ref_sink (
      gtk_adjustment_new (0, 0, (double) G_N_ELEMENTS (tile_sizes) - 1, 1, 2, 0));
  scale = attach_scale (grid, row, _ ("Size"), bar->size);
  gtk_range_set_round_digits (GTK_RANGE (scale), 0);
  gtk_scale_set_draw_value (GTK_SCALE (scale), TRUE);
  gtk_scale_set_value_pos (GTK_SCALE (scale), GTK_POS_RIGHT);
  gtk_scale_set_format_value_func (GTK_SCALE (scale), format_size, NULL, NULL);
  g_signal_connect_object (bar->size, "value-changed", G_CALLBACK (on_size_moved), bar,
                           G_CONNECT_SWAPPED);
}

static GtkAdjustment *
add_scale (SondeLevelsBar *bar, GtkGrid *grid, int row, const char *name, double low, double high,
           double plain)
{
  GtkAdjustment *adjustment = gtk_adjustment_new (plain, low, high, 0.05, 0.25, 0);
  GtkWidget *scale = attach_scale (grid, row, name, adjustment);

  gtk_scale_add_mark (GTK_SCALE (scale), plain, GTK_POS_BOTTOM, NULL);
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
  add_size_scale (bar, GTK_GRID (grid), 2);
  gtk_widget_set_halign (reset, GTK_ALIGN_END);
  g_signal_connect_object (reset, "clicked", G_CALLBACK (on_reset), bar, G_CONNECT_SWAPPED);
  gtk_grid_attach (GTK_GRID (grid), reset, 1, 3, 1, 1);
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "display-brightness-symbolic");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_tooltip_text (button, _ ("Brightness, contrast and size of the images"));
  /* the button itself, and what takes the focus in it */
  for (int i = 0; i < 2; i++)
    gtk_accessible_update_property (
        GTK_ACCESSIBLE (i == 0 ? button : gtk_widget_get_first_child (button)),
        GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Brightness, contrast and size of the images"), -1);
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
  g_clear_object (&bar->size);
  g_clear_object (&bar->workspace);
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
  GtkWidget *menu = make_menu (bar), *true_size = gtk_toggle_button_new_with_label (_ ("1:1"));

  bar->true_size = GTK_TOGGLE_BUTTON (true_size);
  gtk_widget_set_tooltip_text (true_size, _ ("One image pixel per screen pixel"));
  gtk_widget_set_valign (true_size, GTK_ALIGN_CENTER);
  g_signal_connect_object (true_size, "toggled", G_CALLBACK (on_size_changed), bar,
                           G_CONNECT_SWAPPED);
  gtk_box_set_spacing (GTK_BOX (bar), 12);
  gtk_box_append (GTK_BOX (bar), true_size);
  gtk_box_append (GTK_BOX (bar), menu);
}
