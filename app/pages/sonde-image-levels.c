/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-image-levels.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define SCALE_WIDTH 220

struct _SondeImageLevels
{
  GtkBox parent_instance;
  GtkAdjustment *brightness, *contrast;
  GtkToggleButton *difference;
  GtkLabel *difference_label;
  GtkWidget *menu;
  GPtrArray *images, *kept; /* SondeImage, (nullable) entries */
  gint64 step, kept_step;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeImageLevels, sonde_image_levels, GTK_TYPE_BOX)

static gboolean
is_plain (SondeImageLevels *levels)
{
  return gtk_adjustment_get_value (levels->brightness) == 0
         && gtk_adjustment_get_value (levels->contrast) == 1;
}

static void
tell (SondeImageLevels *levels)
{
  g_signal_emit (levels, signals[CHANGED], 0);
}

static void
free_image (void *image)
{
  sonde_image_unref (image);
}

static SondeImage *
copy_image (const SondeImage *image)
{
  return image != NULL ? sonde_image_new_shrunk (image, 1) : NULL;
}

static GPtrArray *
copy_all (GPtrArray *images)
{
  GPtrArray *copies = g_ptr_array_new_full (images->len, free_image);

  for (guint i = 0; i < images->len; i++)
    g_ptr_array_add (copies, copy_image (images->pdata[i]));
  return copies;
}

static void
update_difference (SondeImageLevels *levels)
{
  g_autofree char *count = sonde_format_count (levels->kept_step);
  g_autofree char *text = gtk_toggle_button_get_active (levels->difference)
                              ? g_strdup_printf (_ ("Difference from Step %s"), count)
                              : g_strdup (_ ("Difference"));

  gtk_label_set_label (levels->difference_label, text);
}

static void
on_difference (SondeImageLevels *levels)
{
  g_clear_pointer (&levels->kept, g_ptr_array_unref);
  if (gtk_toggle_button_get_active (levels->difference))
    {
      levels->kept = copy_all (levels->images);
      levels->kept_step = levels->step;
    }
  update_difference (levels);
  tell (levels);
}

void
sonde_image_levels_set_difference (SondeImageLevels *levels, gboolean difference)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  gtk_toggle_button_set_active (levels->difference, difference);
}

void
sonde_image_levels_set (SondeImageLevels *levels, double brightness, double contrast)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  gtk_adjustment_set_value (levels->brightness, brightness);
  gtk_adjustment_set_value (levels->contrast, contrast);
}

void
sonde_image_levels_set_images (SondeImageLevels *levels, GPtrArray *images, gint64 step)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  g_ptr_array_unref (levels->images);
  levels->images = copy_all (images);
  levels->step = step;
}

void
sonde_image_levels_reset (SondeImageLevels *levels)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  g_ptr_array_set_size (levels->images, 0);
  gtk_toggle_button_set_active (levels->difference, FALSE);
}

SondeImage *
sonde_image_levels_apply (SondeImageLevels *levels, guint index)
{
  const SondeImage *image = index < levels->images->len ? levels->images->pdata[index] : NULL;
  const SondeImage *kept
      = levels->kept != NULL && index < levels->kept->len ? levels->kept->pdata[index] : NULL;
  g_autoptr (SondeImage) difference = NULL;

  if (image == NULL)
    return NULL;
  /* one that has nothing to be compared with stays as it is */
  if (levels->kept != NULL)
    difference = sonde_image_new_difference (image, kept);
  if (difference != NULL)
    image = difference;
  return is_plain (levels)
             ? copy_image (image)
             : sonde_image_new_adjusted (image, gtk_adjustment_get_value (levels->brightness),
                                         gtk_adjustment_get_value (levels->contrast));
}

char *
sonde_image_levels_describe (SondeImageLevels *levels)
{
  g_autofree char *count = sonde_format_count (levels->kept_step);
  g_autofree char *difference = NULL, *adjusted = NULL;

  if (levels->kept != NULL)
    difference = g_strdup_printf (_ ("difference from step %s, grey means equal"), count);
  if (!is_plain (levels))
    adjusted = g_strdup_printf (_ ("brightness %+.0f %%, contrast %.0f %%"),
                                gtk_adjustment_get_value (levels->brightness) * 100,
                                gtk_adjustment_get_value (levels->contrast) * 100);
  if (difference != NULL && adjusted != NULL)
    return g_strdup_printf (_ ("%s; %s"), difference, adjusted);
  return difference != NULL ? g_steal_pointer (&difference) : g_steal_pointer (&adjusted);
}

/* ---- widgets ------------------------------------------------------------- */

static void
on_reset (SondeImageLevels *levels)
{
  sonde_image_levels_set (levels, 0, 1);
}

static GtkAdjustment *
add_scale (SondeImageLevels *levels, GtkGrid *grid, int row, const char *name, double low,
           double high, double plain)
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
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (tell), levels,
                           G_CONNECT_SWAPPED);
  return g_object_ref (adjustment);
}

static GtkWidget *
make_menu (SondeImageLevels *levels)
{
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new (),
            *grid = gtk_grid_new ();
  GtkWidget *reset = gtk_button_new_with_label (_ ("Reset"));

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  levels->brightness = add_scale (levels, GTK_GRID (grid), 0, _ ("Brightness"), -1, 1, 0);
  levels->contrast = add_scale (levels, GTK_GRID (grid), 1, _ ("Contrast"), 0, 4, 1);
  gtk_widget_set_halign (reset, GTK_ALIGN_END);
  g_signal_connect_object (reset, "clicked", G_CALLBACK (on_reset), levels, G_CONNECT_SWAPPED);
  gtk_grid_attach (GTK_GRID (grid), reset, 1, 2, 1, 1);
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "display-brightness-symbolic");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_tooltip_text (button, _ ("Brightness and contrast of the images"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

static void
sonde_image_levels_dispose (GObject *object)
{
  SondeImageLevels *levels = SONDE_IMAGE_LEVELS (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  g_clear_object (&levels->brightness);
  g_clear_object (&levels->contrast);
  G_OBJECT_CLASS (sonde_image_levels_parent_class)->dispose (object);
}

static void
sonde_image_levels_finalize (GObject *object)
{
  SondeImageLevels *levels = SONDE_IMAGE_LEVELS (object);

  g_ptr_array_unref (levels->images);
  g_clear_pointer (&levels->kept, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_image_levels_parent_class)->finalize (object);
}

static void
sonde_image_levels_class_init (SondeImageLevelsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_image_levels_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_image_levels_finalize;
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_IMAGE_LEVELS, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_image_levels_init (SondeImageLevels *levels)
{
  levels->images = g_ptr_array_new_with_free_func (free_image);
  levels->difference = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  levels->difference_label = GTK_LABEL (gtk_label_new (_ ("Difference")));
  gtk_button_set_child (GTK_BUTTON (levels->difference), GTK_WIDGET (levels->difference_label));
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (levels->difference),
      _ ("Keep the images of this step and show the difference of other steps from them"));
  gtk_widget_set_valign (GTK_WIDGET (levels->difference), GTK_ALIGN_CENTER);
  g_signal_connect_object (levels->difference, "toggled", G_CALLBACK (on_difference), levels,
                           G_CONNECT_SWAPPED);
  levels->menu = make_menu (levels);
  gtk_box_set_spacing (GTK_BOX (levels), 12);
  gtk_box_append (GTK_BOX (levels), GTK_WIDGET (levels->difference));
  gtk_box_append (GTK_BOX (levels), levels->menu);
}
