/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-images-card.h"

#define CARD_BYTES ((gsize) 48 << 20) /* of the images of a card among others */
#define CAPTION 40                    /* px below an image */
#define MIN_SIZE 96                   /* px: the side of an image, however narrow the card is */

struct _SondeImagesCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondeSampleLoader *loader;
  SondeSampleGrid *grid;
  SondeImageLevels *levels;
  SondeLevelsBar *bar;
};

G_DEFINE_FINAL_TYPE (SondeImagesCard, sonde_images_card, SONDE_TYPE_TAG_CARD)

static void
tell (SondeImagesCard *card)
{
  g_signal_emit_by_name (card, "state-changed");
}

static void
on_samples (GPtrArray *samples, gint64 step, void *user_data)
{
  SondeImagesCard *card = user_data;

  sonde_sample_grid_set_samples (card->grid, samples, step);
  tell (card);
}

static void
show_nothing (SondeImagesCard *card)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  sonde_sample_grid_set_samples (card->grid, none, 0);
}

static void
update (SondeImagesCard *card)
{
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));
  SondeRun *run = sonde_workspace_get_run (card->workspace);

  if (tag == NULL || run == NULL)
    return;
  sonde_tag_card_take_note (SONDE_TAG_CARD (card), run);
  sonde_sample_loader_load (
      card->loader, run, tag,
      sonde_step_cursor_get_step (sonde_workspace_get_cursor (card->workspace)));
}

/* What was kept for a difference belongs to the run of before. */
static void
on_run_changed (SondeImagesCard *card)
{
  sonde_image_levels_reset (card->levels);
  update (card);
}

static void
on_levels_wanted (SondeImagesCard *card)
{
  sonde_levels_bar_apply (card->bar, card->levels);
}

/* ---- card ---------------------------------------------------------------- */

static void
sonde_images_card_tag_changed (SondeTagCard *base)
{
  SondeImagesCard *card = SONDE_IMAGES_CARD (base);

  sonde_sample_loader_forget (card->loader);
  sonde_image_levels_reset (card->levels);
  show_nothing (card);
  update (card);
}

static gboolean
sonde_images_card_is_settled (SondeTagCard *base)
{
  return !sonde_sample_loader_is_busy (SONDE_IMAGES_CARD (base)->loader);
}

static void
sonde_images_card_room_changed (SondeTagCard *base, int width, int height)
{
  SondeImagesCard *card = SONDE_IMAGES_CARD (base);

  sonde_sample_grid_set_max_size (card->grid, MAX (MIN (width, height - CAPTION), MIN_SIZE));
  sonde_sample_loader_set_max_bytes (card->loader, CARD_BYTES);
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
  sonde_sample_grid_set_levels (card->grid, card->levels);
  sonde_tag_card_set_content (SONDE_TAG_CARD (card), GTK_WIDGET (card->grid));
  g_signal_connect_object (card->levels, "changed", G_CALLBACK (tell), card, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_images_card_new (SondeWorkspace *workspace, SondeSampleDecoder *decoder, SondeLevelsBar *bar)
{
  SondeImagesCard *card = g_object_new (SONDE_TYPE_IMAGES_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  card->bar = bar;
  card->loader = sonde_sample_loader_new (decoder, on_samples, card);
  on_levels_wanted (card);
  g_signal_connect_object (bar, "changed", G_CALLBACK (on_levels_wanted), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (on_run_changed), card,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify::step",
                           G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
