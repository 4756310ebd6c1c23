/* SPDX-License-Identifier: Apache-2.0
 * A stack of what is wanted: whoever scrolls wants what is in sight now, not what flew by. */
#include "app/explain/browser/sonde-thumbnail-loader.h"

#include <gdk/gdk.h>

#define AT_ONCE 4 /* questions under way: later ones can still overtake the rest */
#define SIDE 112  /* px of a thumbnail in a list */
#define KEPT 2000 /* thumbnails of 112 px: some 75 MB */

struct _SondeThumbnailLoader
{
  GObject parent_instance;

  SondeExplainClient *client;
  GCancellable *cancellable;
  GQueue *wanted; /* (element-type SondeExplainItem): owned; head: asked next */
  /* (element-type SondeExplainItem): owned; those with a thumbnail from here, oldest first */
  GQueue *shown;
  GHashTable *visible; /* SondeExplainItem → how many lists show it */
  guint n_asked;
};

G_DEFINE_FINAL_TYPE (SondeThumbnailLoader, sonde_thumbnail_loader, G_TYPE_OBJECT)

enum
{
  PROP_BUSY = 1,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

/* One question under way. */
typedef struct
{
  SondeThumbnailLoader *loader;
  SondeExplainItem *item;
  GCancellable *cancellable; /* of its session */
} Question;

static void ask (SondeThumbnailLoader *self);

static gboolean
is_visible (SondeThumbnailLoader *self, SondeExplainItem *item)
{
  return g_hash_table_contains (self->visible, item);
}

/* The oldest that nobody sees go first. */
static void
keep_few (SondeThumbnailLoader *self)
{
  guint n = self->shown->length;

  for (guint i = 0; i < n && self->shown->length > KEPT; i++)
    {
      SondeExplainItem *item = g_queue_pop_head (self->shown);

      if (is_visible (self, item))
        g_queue_push_tail (self->shown, item);
      else
        {
          sonde_explain_item_set_thumbnail (item, NULL);
          g_object_unref (item);
        }
    }
}

static void
question_free (Question *question)
{
  g_object_unref (question->item);
  g_object_unref (question->cancellable);
  g_object_unref (question->loader);
  g_free (question);
}

/* ---- thumbnails ------------------------------------------------------------ */

/* Mean of the thumbnail's pixels below one of the texture; of an enlarged thumbnail it is one pixel. */
static guint8
mean_below (const SondeImage *image, int x, int y, int width, int height, int channel)
{
  int x0 = x * image->width / width, x1 = MAX ((x + 1) * image->width / width, x0 + 1);
  int y0 = y * image->height / height, y1 = MAX ((y + 1) * image->height / height, y0 + 1);
  guint sum = 0;

  for (int v = y0; v < y1; v++)
    for (int u = x0; u < x1; u++)
      sum += image->pixels[((gsize) v * (gsize) image->width + (gsize) u) * (gsize) image->channels
                           + (gsize) channel];
  return (guint8) (sum / (guint) ((x1 - x0) * (y1 - y0)));
}

/* A thumbnail for a list, its longer side @side px: pixels of small ones stay squares, large ones are
 * averaged. (transfer full) */
static GdkTexture *
texture_new (const SondeImage *image, int side)
{
  g_autoptr (GBytes) bytes = NULL;
  int width, height, largest;
  guint8 *rgb;

  largest = MAX (image->width, image->height);
  width = MAX (1, image->width * side / largest);
  height = MAX (1, image->height * side / largest);
  rgb = g_malloc ((gsize) width * (gsize) height * 3);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        rgb[((gsize) y * (gsize) width + (gsize) x) * 3 + (gsize) c]
            = mean_below (image, x, y, width, height, image->channels >= 3 ? c : 0);
  bytes = g_bytes_new_take (rgb, (gsize) width * (gsize) height * 3);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_R8G8B8, bytes, 3 * (gsize) width);
}

/* @image: (nullable) */
static void
take (Question *question, const SondeImage *image, const GError *error)
{
  SondeThumbnailLoader *self = question->loader;

  if (question->cancellable == self->cancellable)
    {
      if (image != NULL)
        {
          g_autoptr (GdkTexture) thumbnail = texture_new (image, SIDE);

          sonde_explain_item_set_thumbnail (question->item, G_OBJECT (thumbnail));
          g_queue_push_tail (self->shown, g_object_ref (question->item));
          keep_few (self);
        }
      self->n_asked--;
      ask (self);
    }
  if (error != NULL)
    g_debug ("%s", error->message);
  question_free (question);
}

static void
on_image (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeBoxedImage) boxed = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_IMAGE, &error);

  take (data, boxed != NULL ? boxed->image : NULL, error);
}

static void
on_recorded_image (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeExplainedSample *sample = sonde_explain_item_get_recorded (((Question *) data)->item);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImage) image = sonde_explained_sample_load_image_finish (sample, result, &error);

  take (data, image, error);
}

/* Is there anybody to ask for its thumbnail? */
static gboolean
can_ask (SondeThumbnailLoader *self, SondeExplainItem *item)
{
  SondeExplainedSample *recorded = sonde_explain_item_get_recorded (item);

  return recorded != NULL ? sonde_explained_sample_has_image (recorded) : self->client != NULL;
}

static void
ask_one (SondeThumbnailLoader *self, SondeExplainItem *item)
{
  SondeExplainedSample *recorded = sonde_explain_item_get_recorded (item);
  Question *question = g_new0 (Question, 1);

  question->loader = g_object_ref (self);
  question->item = g_object_ref (item);
  question->cancellable = g_object_ref (self->cancellable);
  self->n_asked++;
  if (recorded != NULL)
    sonde_explained_sample_load_image_async (recorded, self->cancellable, on_recorded_image,
                                             question);
  else
    sonde_explain_client_ask_async (
        self->client, SONDE_EXPLAIN_IMAGE,
        &(SondeExplainArguments){ .sample = sonde_explain_item_get_result (item)->sample },
        self->cancellable, on_image, question);
}

static void
ask (SondeThumbnailLoader *self)
{
  while (self->n_asked < AT_ONCE && !g_queue_is_empty (self->wanted))
    {
      g_autoptr (SondeExplainItem) item = g_queue_pop_head (self->wanted);

      if (can_ask (self, item) && sonde_explain_item_get_thumbnail (item) == NULL)
        ask_one (self, item);
    }
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

void
sonde_thumbnail_loader_want (SondeThumbnailLoader *loader, SondeExplainItem *item)
{
  guint n;

  g_return_if_fail (SONDE_IS_THUMBNAIL_LOADER (loader));
  n = GPOINTER_TO_UINT (g_hash_table_lookup (loader->visible, item));
  g_hash_table_insert (loader->visible, g_object_ref (item), GUINT_TO_POINTER (n + 1));
  if (n > 0 || sonde_explain_item_get_thumbnail (item) != NULL || !can_ask (loader, item))
    return;
  g_queue_push_head (loader->wanted, g_object_ref (item));
  ask (loader);
}

void
sonde_thumbnail_loader_drop (SondeThumbnailLoader *loader, SondeExplainItem *item)
{
  guint n;
  GList *link;

  g_return_if_fail (SONDE_IS_THUMBNAIL_LOADER (loader));
  n = GPOINTER_TO_UINT (g_hash_table_lookup (loader->visible, item));
  if (n > 1)
    {
      g_hash_table_insert (loader->visible, g_object_ref (item), GUINT_TO_POINTER (n - 1));
      return;
    }
  link = g_queue_find (loader->wanted, item);
  if (link != NULL)
    {
      g_queue_delete_link (loader->wanted, link);
      g_object_unref (item);
      g_object_notify_by_pspec (G_OBJECT (loader), properties[PROP_BUSY]);
    }
  g_hash_table_remove (loader->visible, item);
}

gboolean
sonde_thumbnail_loader_is_busy (SondeThumbnailLoader *loader)
{
  return loader->n_asked > 0 || !g_queue_is_empty (loader->wanted);
}

void
sonde_thumbnail_loader_reset (SondeThumbnailLoader *loader)
{
  g_return_if_fail (SONDE_IS_THUMBNAIL_LOADER (loader));
  g_cancellable_cancel (loader->cancellable);
  g_clear_object (&loader->cancellable);
  loader->cancellable = g_cancellable_new ();
  g_queue_clear_full (loader->wanted, g_object_unref);
  g_queue_clear_full (loader->shown, g_object_unref);
  loader->n_asked = 0;
  g_object_notify_by_pspec (G_OBJECT (loader), properties[PROP_BUSY]);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, sonde_thumbnail_loader_is_busy (SONDE_THUMBNAIL_LOADER (object)));
}

static void
sonde_thumbnail_loader_finalize (GObject *object)
{
  SondeThumbnailLoader *self = SONDE_THUMBNAIL_LOADER (object);

  g_queue_free_full (self->wanted, g_object_unref);
  g_queue_free_full (self->shown, g_object_unref);
  g_hash_table_unref (self->visible);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->client);
  G_OBJECT_CLASS (sonde_thumbnail_loader_parent_class)->finalize (object);
}

static void
sonde_thumbnail_loader_class_init (SondeThumbnailLoaderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = sonde_thumbnail_loader_finalize;
  object_class->get_property = get_property;
  properties[PROP_BUSY]
      = g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
sonde_thumbnail_loader_init (SondeThumbnailLoader *self)
{
  self->wanted = g_queue_new ();
  self->shown = g_queue_new ();
  self->visible = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  self->cancellable = g_cancellable_new ();
}

SondeThumbnailLoader *
sonde_thumbnail_loader_new (SondeExplainClient *client)
{
  SondeThumbnailLoader *self = g_object_new (SONDE_TYPE_THUMBNAIL_LOADER, NULL);

  self->client = client != NULL ? g_object_ref (client) : NULL;
  return self;
}
