/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-pair-grid.h"

#include "app/pages/cards/sonde-sample-tile.h"
#include "app/pages/media/sonde-sample-grid.h"
#include "app/widgets/sonde-tile-flow.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-sample-loader.h"

#define SPACING 12  /* px between tiles */
#define CAPTION 44  /* px below the images: two lines */
#define GAP 12      /* px between images beside each other */
#define MIN_SIDE 96 /* px of an image, however little room there is */

/* The side of an image that is chosen by itself, px, by the number of pairs. */
static const struct
{
  guint max;
  int size;
} size_table[] = { { 1, 1024 }, { 2, 512 }, { 6, 320 }, { G_MAXUINT, 192 } };

/* An image of one of the two. */
typedef struct
{
  int index;
  SondeImage *image; /* (nullable) */
  char *caption;     /* without a number */
  gboolean is_copy;  /* smaller than what was recorded */
} PairedImage;

/* A tile: not owned. */
typedef struct
{
  GtkWidget *box;
  SondeImagePairView *view;
  GtkLabel *caption, *numbers;
} PairTile;

struct _SondePairGrid
{
  GtkBox parent_instance;
  GtkFlowBox *flow;
  SondeImageLevels *levels;
  GPtrArray *sides[2]; /* PairedImage */
  char *names[2];
  GArray *tiles; /* PairTile */
  SondeImagePairMode mode;
  int room_width, room_height, tile_size;
  GMenuModel *menu; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondePairGrid, sonde_pair_grid, GTK_TYPE_BOX)

static void
paired_image_free (void *data)
{
  PairedImage *paired = data;

  g_clear_pointer (&paired->image, sonde_image_unref);
  g_free (paired->caption);
  g_free (paired);
}

static PairedImage *
paired_image_new (const SondeSample *sample)
{
  PairedImage *paired = g_new0 (PairedImage, 1);

  paired->index = sample->index;
  paired->image = sonde_image_ref (sample->image);
  paired->caption = sonde_sample_note_dup_caption (&sample->note, -1);
  paired->is_copy = sample->image != NULL && sample->image->width != sample->width;
  return paired;
}

/* (nullable) */
static const PairedImage *
find_image (SondePairGrid *grid, guint side, int index)
{
  for (guint i = 0; i < grid->sides[side]->len; i++)
    if (((const PairedImage *) grid->sides[side]->pdata[i])->index == index)
      return grid->sides[side]->pdata[i];
  return NULL;
}

/* The indices of both, ascending, each once. (element-type int) (transfer full) */
static GArray *
list_indices (SondePairGrid *grid)
{
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (int));
  guint at[2] = { 0, 0 };

  while (at[0] < grid->sides[0]->len || at[1] < grid->sides[1]->len)
    {
      int least = G_MAXINT;

      for (guint s = 0; s < 2; s++)
        if (at[s] < grid->sides[s]->len)
          least = MIN (least, ((const PairedImage *) grid->sides[s]->pdata[at[s]])->index);
      for (guint s = 0; s < 2; s++)
        while (at[s] < grid->sides[s]->len
               && ((const PairedImage *) grid->sides[s]->pdata[at[s]])->index == least)
          at[s]++;
      g_array_append_val (indices, least);
    }
  return indices;
}

/* ---- sizes --------------------------------------------------------------- */

/* px of the longer side of one image */
static int
choose_side (SondePairGrid *grid, const SondeImage *image, guint n)
{
  const int across = grid->mode == SONDE_IMAGE_PAIR_BESIDE ? 2 : 1;
  const int extra = sonde_image_pair_view_get_extra_height (grid->mode);
  gsize i = 0;
  int size;

  if (grid->tile_size == SONDE_TILE_SIZE_TRUE && image != NULL)
    return MAX (image->width, image->height);
  if (grid->tile_size > 0)
    return grid->tile_size;
  while (n > size_table[i].max)
    i++;
  size = size_table[i].size;
  if (grid->room_width > 0)
    size = MIN (size, (grid->room_width - GAP * (across - 1)) / across);
  if (grid->room_height > 0)
    size = MIN (size, grid->room_height - CAPTION - extra);
  return MAX (size, MIN_SIDE);
}

static void
fit_tile (SondePairGrid *grid, PairTile *tile, const SondeImage *image, guint n)
{
  const int side = choose_side (grid, image, n);
  int width = side, height = side;

  if (image != NULL && image->width > image->height)
    height = MAX ((int) ((gint64) side * image->height / image->width), side / 4);
  if (image != NULL && image->height > image->width && grid->tile_size == SONDE_TILE_SIZE_TRUE)
    width = image->width;
  if (grid->mode == SONDE_IMAGE_PAIR_BESIDE)
    width = 2 * width + GAP;
  sonde_view_set_minimum_size (SONDE_VIEW (tile->view), width,
                               height + sonde_image_pair_view_get_extra_height (grid->mode));
}

/* ---- tiles --------------------------------------------------------------- */

static GtkLabel *
add_label (GtkWidget *box, const char *class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), 4);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 4);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (label, class);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static PairTile
make_tile (SondePairGrid *grid)
{
  PairTile tile = { .box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3),
                    .view = SONDE_IMAGE_PAIR_VIEW (sonde_image_pair_view_new ()) };

  gtk_widget_add_css_class (tile.box, "sample-tile");
  gtk_widget_add_css_class (tile.box, "card");
  gtk_box_append (GTK_BOX (tile.box), GTK_WIDGET (tile.view));
  tile.caption = add_label (tile.box, "caption");
  tile.numbers = add_label (tile.box, "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (tile.numbers), "mini");
  sonde_view_set_menu (SONDE_VIEW (tile.view), grid->menu);
  return tile;
}

static void
set_n_tiles (SondePairGrid *grid, guint n)
{
  while (grid->tiles->len > n)
    {
      PairTile *tile = &g_array_index (grid->tiles, PairTile, grid->tiles->len - 1);

      gtk_flow_box_remove (grid->flow, gtk_widget_get_parent (tile->box));
      g_array_set_size (grid->tiles, grid->tiles->len - 1);
    }
  while (grid->tiles->len < n)
    {
      PairTile tile = make_tile (grid);

      gtk_flow_box_append (grid->flow, tile.box);
      g_array_append_val (grid->tiles, tile);
    }
}

/* "No. 2 · 7 → 9", with the words of the shown image where both have some. */
static char *
dup_caption (const PairedImage *first, const PairedImage *second, int index, gboolean several)
{
  const char *words = second != NULL && *second->caption != '\0' ? second->caption
                      : first != NULL                            ? first->caption
                                                                 : "";
  g_autofree char *number = several ? g_strdup_printf (_ ("No. %d"), index + 1) : g_strdup ("");

  return *words != '\0' && *number != '\0' ? g_strdup_printf ("%s · %s", number, words)
                                           : g_strconcat (number, words, NULL);
}

static void
fill_tile (SondePairGrid *grid, PairTile *tile, int index, guint n)
{
  const PairedImage *first = find_image (grid, 0, index), *second = find_image (grid, 1, index);
  const SondeImage *a = first != NULL ? first->image : NULL,
                   *b = second != NULL ? second->image : NULL;
  g_autofree char *caption = dup_caption (first, second, index, n > 1), *numbers = NULL;
  double brightness, contrast;

  sonde_image_levels_get (grid->levels, &brightness, &contrast);
  sonde_image_pair_view_set_mode (tile->view, grid->mode);
  sonde_image_pair_view_set_names (tile->view, grid->names[0], grid->names[1]);
  sonde_image_pair_view_set_levels (tile->view, brightness, contrast);
  sonde_image_pair_view_set_images (tile->view, a, b);
  sonde_view_set_title (SONDE_VIEW (tile->view), *caption != '\0' ? caption : _ ("Comparison"));
  numbers = sonde_image_pair_view_describe_numbers (tile->view);
  if ((first != NULL && first->is_copy) || (second != NULL && second->is_copy))
    {
      g_autofree char *plain = g_steal_pointer (&numbers);

      numbers = g_strdup_printf (_ ("%s · of smaller copies"), plain);
    }
  gtk_label_set_label (tile->caption, caption);
  gtk_widget_set_visible (GTK_WIDGET (tile->caption), *caption != '\0');
  gtk_label_set_label (tile->numbers, numbers);
  gtk_widget_set_tooltip_text (GTK_WIDGET (tile->numbers), numbers);
  fit_tile (grid, tile, b != NULL ? b : a, n);
}

static void
update (SondePairGrid *grid)
{
  g_autoptr (GArray) indices = list_indices (grid);

  set_n_tiles (grid, indices->len);
  for (guint i = 0; i < indices->len; i++)
    fill_tile (grid, &g_array_index (grid->tiles, PairTile, i), g_array_index (indices, int, i),
               indices->len);
}

/* ---- what it shows ------------------------------------------------------- */

void
sonde_pair_grid_set_samples (SondePairGrid *grid, guint side, GPtrArray *samples, const char *name)
{
  g_return_if_fail (SONDE_IS_PAIR_GRID (grid) && side < 2);
  g_ptr_array_set_size (grid->sides[side], 0);
  for (guint i = 0; i < samples->len; i++)
    g_ptr_array_add (grid->sides[side], paired_image_new (samples->pdata[i]));
  g_free (grid->names[side]);
  grid->names[side] = g_strdup (name);
  update (grid);
}

void
sonde_pair_grid_set_mode (SondePairGrid *grid, SondeImagePairMode mode)
{
  g_return_if_fail (SONDE_IS_PAIR_GRID (grid));
  if (grid->mode == mode)
    return;
  grid->mode = mode;
  update (grid);
}

void
sonde_pair_grid_set_room (SondePairGrid *grid, int width, int height)
{
  g_return_if_fail (SONDE_IS_PAIR_GRID (grid));
  if (grid->room_width == width && grid->room_height == height)
    return;
  grid->room_width = width;
  grid->room_height = height;
  update (grid);
}

void
sonde_pair_grid_set_tile_size (SondePairGrid *grid, int size)
{
  g_return_if_fail (SONDE_IS_PAIR_GRID (grid));
  if (grid->tile_size == size)
    return;
  grid->tile_size = size;
  update (grid);
}

void
sonde_pair_grid_set_menu (SondePairGrid *grid, GMenuModel *menu)
{
  g_return_if_fail (SONDE_IS_PAIR_GRID (grid));
  g_set_object (&grid->menu, menu);
}

void
sonde_pair_grid_set_levels (SondePairGrid *grid, SondeImageLevels *levels)
{
  g_return_if_fail (SONDE_IS_PAIR_GRID (grid) && grid->levels == NULL);
  grid->levels = g_object_ref (levels);
  g_signal_connect_object (levels, "changed", G_CALLBACK (update), grid, G_CONNECT_SWAPPED);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_pair_grid_dispose (GObject *object)
{
  SondePairGrid *grid = SONDE_PAIR_GRID (object);
  GtkWidget *child;

  g_clear_object (&grid->levels);
  g_clear_object (&grid->menu);
  g_array_set_size (grid->tiles, 0);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  G_OBJECT_CLASS (sonde_pair_grid_parent_class)->dispose (object);
}

static void
sonde_pair_grid_finalize (GObject *object)
{
  SondePairGrid *grid = SONDE_PAIR_GRID (object);

  for (guint s = 0; s < 2; s++)
    {
      g_ptr_array_unref (grid->sides[s]);
      g_free (grid->names[s]);
    }
  g_array_unref (grid->tiles);
  G_OBJECT_CLASS (sonde_pair_grid_parent_class)->finalize (object);
}

static void
sonde_pair_grid_class_init (SondePairGridClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_pair_grid_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_pair_grid_finalize;
}

static void
sonde_pair_grid_init (SondePairGrid *grid)
{
  GtkWidget *flow = gtk_flow_box_new (), *scrolled = gtk_scrolled_window_new ();

  for (guint s = 0; s < 2; s++)
    grid->sides[s] = g_ptr_array_new_with_free_func (paired_image_free);
  grid->tiles = g_array_new (FALSE, FALSE, sizeof (PairTile));
  grid->flow = GTK_FLOW_BOX (flow);
  sonde_tile_flow_set_up (grid->flow);
  gtk_flow_box_set_homogeneous (grid->flow, TRUE);
  gtk_flow_box_set_max_children_per_line (grid->flow, 12);
  gtk_flow_box_set_row_spacing (grid->flow, SPACING);
  gtk_flow_box_set_column_spacing (grid->flow, SPACING);
  gtk_widget_set_valign (flow, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (flow), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Comparisons"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), flow);
  gtk_widget_set_hexpand (scrolled, TRUE);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (grid), scrolled);
}
