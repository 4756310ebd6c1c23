/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-sample-grid.h"

#include "app/pages/cards/sonde-sample-tile.h"
#include "app/widgets/sonde-tile-flow.h"
#include "data/browsing/sonde-sample-loader.h"
#include "data/base/sonde-text.h"

#define SPACING 12 /* px between them */

/* Side of a tile's image, px. */
static const struct
{
  guint max;
  int size;
} size_table[] = { { 2, 384 }, { 6, 256 }, { 15, 192 }, { G_MAXUINT, 128 } };

struct _SondeSampleGrid
{
  GtkBox parent_instance;
  GtkFlowBox *flow;
  SondeImageLevels *levels;
  GPtrArray *tiles; /* not owned */
  GPtrArray
      *images; /* SondeImage as recorded, (nullable) entries; one a tile: the frame that is seen */
  GPtrArray *animations; /* SondeAnimation, (nullable) entries; one a tile */
  GArray *wrong;         /* gboolean, one a tile */
  GMenuModel *menu;      /* (nullable) */
  guint n_errors, n_judged;
  gboolean only_errors;
  char *problem; /* (nullable) */
  gint64 step;
  int max_size; /* px; 0: no limit */
  int tile_size;
};

G_DEFINE_FINAL_TYPE (SondeSampleGrid, sonde_sample_grid, GTK_TYPE_BOX)

static int
choose_size (SondeSampleGrid *grid, guint n)
{
  gsize i = 0;

  while (n > size_table[i].max)
    i++;
  return grid->max_size > 0 ? MIN (size_table[i].size, grid->max_size) : size_table[i].size;
}

static void
show_tiles (SondeSampleGrid *grid)
{
  gboolean only_errors = grid->n_judged > 0 && grid->only_errors;

  for (guint i = 0; i < grid->tiles->len; i++)
    {
      GtkWidget *child = gtk_widget_get_parent (grid->tiles->pdata[i]);

      gtk_widget_set_visible (child, !only_errors || g_array_index (grid->wrong, gboolean, i));
    }
}

/* px of the longer side of image @i */
static int
get_size (SondeSampleGrid *grid, guint i)
{
  const SondeImage *image = grid->images->pdata[i];

  if (grid->tile_size == SONDE_TILE_SIZE_TRUE && image != NULL)
    return MAX (image->width, image->height);
  return grid->tile_size > 0 ? grid->tile_size : choose_size (grid, grid->tiles->len);
}

static void
update_sizes (SondeSampleGrid *grid)
{
  for (guint i = 0; i < grid->tiles->len; i++)
    sonde_sample_tile_set_size (grid->tiles->pdata[i], get_size (grid, i));
}

static void
on_levels_changed (SondeSampleGrid *grid)
{
  for (guint i = 0; i < grid->tiles->len; i++)
    sonde_sample_tile_set_image (grid->tiles->pdata[i],
                                 sonde_image_levels_apply (grid->levels, grid->images->pdata[i]));
}

static void
on_frame_changed (SondeSampleTile *tile, SondeSampleGrid *grid)
{
  const SondeAnimation *animation;
  guint i;

  if (!g_ptr_array_find (grid->tiles, tile, &i))
    return;
  animation = grid->animations->pdata[i];
  sonde_image_unref (grid->images->pdata[i]);
  grid->images->pdata[i] = sonde_image_ref (animation->frames[sonde_sample_tile_get_frame (tile)]);
  sonde_sample_tile_set_image (tile,
                               sonde_image_levels_apply (grid->levels, grid->images->pdata[i]));
}

/* As many tiles as samples. */
static void
set_n_tiles (SondeSampleGrid *grid, guint n)
{
  while (grid->tiles->len > n)
    {
      GtkWidget *tile = grid->tiles->pdata[grid->tiles->len - 1];

      g_ptr_array_set_size (grid->tiles, (int) grid->tiles->len - 1);
      gtk_flow_box_remove (grid->flow, gtk_widget_get_parent (tile));
    }
  for (guint i = 0; i < n; i++)
    {
      if (i == grid->tiles->len)
        {
          GtkWidget *tile = sonde_sample_tile_new (choose_size (grid, n));

          sonde_sample_tile_set_menu (SONDE_SAMPLE_TILE (tile), grid->menu);
          g_signal_connect (tile, "frame-changed", G_CALLBACK (on_frame_changed), grid);
          gtk_flow_box_append (grid->flow, tile);
          g_ptr_array_add (grid->tiles, tile);
        }
    }
  g_array_set_size (grid->wrong, n);
}

static void
free_image (void *image)
{
  sonde_image_unref (image);
}

static void
free_animation (void *animation)
{
  sonde_animation_unref (animation);
}

/* Images are not changed once they are made: they are shared. */
static void
set_images (SondeSampleGrid *grid, GPtrArray *samples)
{
  g_ptr_array_set_size (grid->images, 0);
  g_ptr_array_set_size (grid->animations, 0);
  for (guint i = 0; i < samples->len; i++)
    {
      const SondeSample *sample = samples->pdata[i];

      g_ptr_array_add (grid->images, sonde_image_ref (sample->image));
      g_ptr_array_add (grid->animations, sonde_animation_ref (sample->animation));
    }
}

void
sonde_sample_grid_set_samples (SondeSampleGrid *grid, GPtrArray *samples, gint64 step)
{
  g_return_if_fail (SONDE_IS_SAMPLE_GRID (grid));
  set_images (grid, samples);
  set_n_tiles (grid, samples->len);
  update_sizes (grid);
  grid->n_errors = grid->n_judged = 0;
  grid->step = step;
  g_clear_pointer (&grid->problem, g_free);
  for (guint i = 0; i < samples->len; i++)
    {
      const SondeSample *sample = samples->pdata[i];
      gboolean wrong = sonde_sample_note_is_error (&sample->note);

      if (grid->problem == NULL)
        grid->problem = g_strdup (sample->problem);
      sonde_sample_tile_set_true_size (grid->tiles->pdata[i], sample->width, sample->height);
      sonde_sample_tile_set_animation (grid->tiles->pdata[i], sample->animation);
      sonde_sample_tile_set (grid->tiles->pdata[i], &sample->note, samples->len > 1 ? (int) i : -1,
                             sonde_image_levels_apply (grid->levels, sample->image));
      g_array_index (grid->wrong, gboolean, i) = wrong;
      grid->n_errors += wrong ? 1 : 0;
      grid->n_judged += sample->note.label >= 0 && sample->note.predicted >= 0 ? 1 : 0;
    }
  show_tiles (grid);
}

void
sonde_sample_grid_set_max_size (SondeSampleGrid *grid, int size)
{
  g_return_if_fail (SONDE_IS_SAMPLE_GRID (grid));
  if (grid->max_size == size)
    return;
  grid->max_size = size;
  update_sizes (grid);
  on_levels_changed (grid);
}

void
sonde_sample_grid_set_tile_size (SondeSampleGrid *grid, int size)
{
  g_return_if_fail (SONDE_IS_SAMPLE_GRID (grid));
  if (grid->tile_size == size)
    return;
  grid->tile_size = size;
  update_sizes (grid);
  on_levels_changed (grid);
}

void
sonde_sample_grid_set_menu (SondeSampleGrid *grid, GMenuModel *menu)
{
  g_return_if_fail (SONDE_IS_SAMPLE_GRID (grid));
  g_set_object (&grid->menu, menu);
  for (guint i = 0; i < grid->tiles->len; i++)
    sonde_sample_tile_set_menu (grid->tiles->pdata[i], menu);
}

void
sonde_sample_grid_set_only_errors (SondeSampleGrid *grid, gboolean only_errors)
{
  g_return_if_fail (SONDE_IS_SAMPLE_GRID (grid));
  grid->only_errors = only_errors;
  show_tiles (grid);
}

void
sonde_sample_grid_set_levels (SondeSampleGrid *grid, SondeImageLevels *levels)
{
  g_return_if_fail (SONDE_IS_SAMPLE_GRID (grid) && grid->levels == NULL);
  grid->levels = g_object_ref (levels);
  g_signal_connect_object (levels, "changed", G_CALLBACK (on_levels_changed), grid,
                           G_CONNECT_SWAPPED);
}

guint
sonde_sample_grid_get_n_samples (SondeSampleGrid *grid)
{
  return grid->tiles->len;
}

guint
sonde_sample_grid_get_n_judged (SondeSampleGrid *grid)
{
  return grid->n_judged;
}

guint
sonde_sample_grid_get_n_errors (SondeSampleGrid *grid)
{
  return grid->n_errors;
}

gint64
sonde_sample_grid_get_step (SondeSampleGrid *grid)
{
  return grid->step;
}

const char *
sonde_sample_grid_get_problem (SondeSampleGrid *grid)
{
  return grid->problem;
}

static void
sonde_sample_grid_dispose (GObject *object)
{
  SondeSampleGrid *grid = SONDE_SAMPLE_GRID (object);
  GtkWidget *child;

  g_clear_object (&grid->levels);
  g_clear_object (&grid->menu);
  g_ptr_array_set_size (grid->tiles, 0);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  G_OBJECT_CLASS (sonde_sample_grid_parent_class)->dispose (object);
}

static void
sonde_sample_grid_finalize (GObject *object)
{
  SondeSampleGrid *grid = SONDE_SAMPLE_GRID (object);

  g_array_unref (grid->wrong);
  g_ptr_array_unref (grid->images);
  g_ptr_array_unref (grid->animations);
  g_free (grid->problem);
  g_ptr_array_unref (grid->tiles);
  G_OBJECT_CLASS (sonde_sample_grid_parent_class)->finalize (object);
}

static void
sonde_sample_grid_class_init (SondeSampleGridClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sample_grid_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_grid_finalize;
}

static void
sonde_sample_grid_init (SondeSampleGrid *grid)
{
  GtkWidget *flow = gtk_flow_box_new (), *scrolled = gtk_scrolled_window_new ();

  grid->tiles = g_ptr_array_new ();
  grid->images = g_ptr_array_new_with_free_func (free_image);
  grid->animations = g_ptr_array_new_with_free_func (free_animation);
  grid->wrong = g_array_new (FALSE, TRUE, sizeof (gboolean));
  grid->flow = GTK_FLOW_BOX (flow);
  sonde_tile_flow_set_up (grid->flow);
  gtk_flow_box_set_homogeneous (grid->flow, TRUE);
  gtk_flow_box_set_max_children_per_line (grid->flow, 24);
  gtk_flow_box_set_row_spacing (grid->flow, SPACING);
  gtk_flow_box_set_column_spacing (grid->flow, SPACING);
  gtk_widget_set_valign (flow, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (flow), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Samples"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), flow);
  gtk_widget_set_hexpand (scrolled, TRUE);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (grid), scrolled);
}
