/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-images-card.h"

#include "app/pages/media/sonde-pair-grid.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define CARD_BYTES ((gsize) 48 << 20) /* of the images of a card among others */
#define CAPTION 40                    /* px below an image */
#define MIN_SIZE 96                   /* px: the side of an image, however narrow the card is */

struct _SondeImagesCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondeSampleLoader *loader, *other_loader; /* other: what the images are compared with */
  SondeSampleGrid *grid;
  SondePairGrid *pairs;
  GtkStack *stack; /* of the two */
  SondeImageLevels *levels;
  SondeLevelsBar *bar;
  SondeCompareBar *compare;
};

G_DEFINE_FINAL_TYPE (SondeImagesCard, sonde_images_card, SONDE_TYPE_TAG_CARD)

static void
tell (SondeImagesCard *card)
{
  g_signal_emit_by_name (card, "state-changed");
}

static gint64
get_cursor_step (SondeImagesCard *card)
{
  return sonde_step_cursor_get_step (sonde_workspace_get_cursor (card->workspace));
}

static void
on_samples (GPtrArray *samples, gint64 step, void *user_data)
{
  SondeImagesCard *card = user_data;
  SondeRun *run = sonde_workspace_get_run (card->workspace);
  g_autofree char *name
      = run != NULL ? sonde_compare_bar_dup_name (card->workspace, run, step, step) : NULL;

  sonde_sample_grid_set_samples (card->grid, samples, step);
  sonde_pair_grid_set_samples (card->pairs, 1, samples, name);
  tell (card);
}

static void
on_other_samples (GPtrArray *samples, gint64 step, void *user_data)
{
  SondeImagesCard *card = user_data;
  SondeRun *run = sonde_workspace_get_run (card->workspace), *other;
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));
  g_autofree char *name = NULL;
  gint64 wanted;

  if (run == NULL || tag == NULL
      || !sonde_compare_bar_find (
          card->compare, run, sonde_sample_loader_choose_step (run, tag, get_cursor_step (card)),
          &other, &wanted))
    return;
  name = sonde_compare_bar_dup_name (card->workspace, other, step, wanted);
  sonde_pair_grid_set_samples (card->pairs, 0, samples, name);
  tell (card);
}

static void
show_nothing (SondeImagesCard *card)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  sonde_sample_grid_set_samples (card->grid, none, 0);
  for (guint side = 0; side < 2; side++)
    sonde_pair_grid_set_samples (card->pairs, side, none, NULL);
}

static gboolean
has_tag (SondeRun *run, const char *tag)
{
  g_autoptr (GArray) steps = sonde_sample_loader_list_steps (run, tag);

  return steps->len > 0;
}

/* Those of the other run or step, where there is something to be compared with. */
static void
update_other (SondeImagesCard *card, SondeRun *run, const char *tag)
{
  gint64 step = sonde_sample_loader_choose_step (run, tag, get_cursor_step (card)), other_step;
  SondeRun *other;
  gboolean compares = sonde_compare_bar_find (card->compare, run, step, &other, &other_step);

  gtk_widget_set_visible (GTK_WIDGET (card->pairs), compares);
  gtk_stack_set_visible_child (card->stack,
                               compares ? GTK_WIDGET (card->pairs) : GTK_WIDGET (card->grid));
  if (!compares)
    {
      sonde_sample_loader_forget (card->other_loader);
      return;
    }
  sonde_pair_grid_set_mode (card->pairs,
                            (SondeImagePairMode) sonde_compare_bar_get_mode (card->compare));
  if (has_tag (other, tag))
    sonde_sample_loader_load (card->other_loader, other, tag, other_step);
  else
    {
      g_autoptr (GPtrArray) none = g_ptr_array_new ();
      g_autofree char *title
          = sonde_text_make_visible (sonde_workspace_get_run_title (card->workspace, other));
      g_autofree char *name = g_strdup_printf (_ ("%s has no such tag"), title);

      sonde_sample_loader_forget (card->other_loader);
      sonde_pair_grid_set_samples (card->pairs, 0, none, name);
    }
}

static void
update (SondeImagesCard *card)
{
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));
  SondeRun *run = sonde_workspace_get_run (card->workspace);

  if (tag == NULL || run == NULL)
    return;
  sonde_tag_card_take_note (SONDE_TAG_CARD (card), run);
  sonde_sample_loader_load (card->loader, run, tag, get_cursor_step (card));
  update_other (card, run, tag);
}

static void
on_compare_changed (SondeImagesCard *card)
{
  update (card);
  tell (card);
}

static void
on_levels_wanted (SondeImagesCard *card)
{
  sonde_levels_bar_apply (card->bar, card->levels);
  sonde_sample_grid_set_tile_size (card->grid, sonde_levels_bar_get_tile_size (card->bar));
  sonde_pair_grid_set_tile_size (card->pairs, sonde_levels_bar_get_tile_size (card->bar));
}

/* ---- card ---------------------------------------------------------------- */

static void
sonde_images_card_tag_changed (SondeTagCard *base)
{
  SondeImagesCard *card = SONDE_IMAGES_CARD (base);

  sonde_sample_loader_forget (card->loader);
  sonde_sample_loader_forget (card->other_loader);
  show_nothing (card);
  update (card);
}

static gboolean
sonde_images_card_is_settled (SondeTagCard *base)
{
  return !sonde_sample_loader_is_busy (SONDE_IMAGES_CARD (base)->loader)
         && !sonde_sample_loader_is_busy (SONDE_IMAGES_CARD (base)->other_loader);
}

static void
sonde_images_card_room_changed (SondeTagCard *base, int width, int height)
{
  SondeImagesCard *card = SONDE_IMAGES_CARD (base);

  sonde_sample_grid_set_max_size (card->grid, MAX (MIN (width, height - CAPTION), MIN_SIZE));
  sonde_pair_grid_set_room (card->pairs, width, height);
  sonde_sample_loader_set_max_bytes (card->loader, CARD_BYTES);
  sonde_sample_loader_set_max_bytes (card->other_loader, CARD_BYTES);
}

SondeSampleGrid *
sonde_images_card_get_grid (SondeImagesCard *card)
{
  g_return_val_if_fail (SONDE_IS_IMAGES_CARD (card), NULL);
  return card->grid;
}

char *
sonde_images_card_describe_levels (SondeImagesCard *card)
{
  g_return_val_if_fail (SONDE_IS_IMAGES_CARD (card), NULL);
  return sonde_image_levels_describe (card->levels);
}

static void
sonde_images_card_dispose (GObject *object)
{
  SondeImagesCard *card = SONDE_IMAGES_CARD (object);

  g_clear_pointer (&card->loader, sonde_sample_loader_free);
  g_clear_pointer (&card->other_loader, sonde_sample_loader_free);
  G_OBJECT_CLASS (sonde_images_card_parent_class)->dispose (object);
  g_clear_object (&card->levels);
  g_clear_object (&card->workspace);
}

static void
sonde_images_card_class_init (SondeImagesCardClass *klass)
{
  SondeTagCardClass *card_class = SONDE_TAG_CARD_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_images_card_dispose;
  card_class->tag_changed = sonde_images_card_tag_changed;
  card_class->is_settled = sonde_images_card_is_settled;
  card_class->room_changed = sonde_images_card_room_changed;
  g_signal_new ("state-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}

static void
sonde_images_card_init (SondeImagesCard *card)
{
  card->levels = sonde_image_levels_new ();
  card->grid = g_object_new (SONDE_TYPE_SAMPLE_GRID, NULL);
  card->pairs = g_object_new (SONDE_TYPE_PAIR_GRID, NULL);
  sonde_sample_grid_set_levels (card->grid, card->levels);
  sonde_pair_grid_set_levels (card->pairs, card->levels);
  card->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_hhomogeneous (card->stack, FALSE);
  gtk_stack_set_vhomogeneous (card->stack, FALSE);
  gtk_stack_add_child (card->stack, GTK_WIDGET (card->grid));
  gtk_stack_add_child (card->stack, GTK_WIDGET (card->pairs));
  sonde_tag_card_set_content (SONDE_TAG_CARD (card), GTK_WIDGET (card->stack));
  g_signal_connect_object (card->levels, "changed", G_CALLBACK (tell), card, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_images_card_new (SondeWorkspace *workspace, SondeSampleDecoder *decoder, SondeLevelsBar *bar,
                       SondeCompareBar *compare, GMenuModel *menu)
{
  SondeImagesCard *card = g_object_new (SONDE_TYPE_IMAGES_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  card->bar = bar;
  card->compare = compare;
  card->loader = sonde_sample_loader_new (decoder, on_samples, card);
  card->other_loader = sonde_sample_loader_new (decoder, on_other_samples, card);
  sonde_sample_grid_set_menu (card->grid, menu);
  sonde_pair_grid_set_menu (card->pairs, menu);
  on_levels_wanted (card);
  g_signal_connect_object (bar, "changed", G_CALLBACK (on_levels_wanted), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (compare, "changed", G_CALLBACK (on_compare_changed), card,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify::step",
                           G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
