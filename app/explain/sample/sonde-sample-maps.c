/* SPDX-License-Identifier: Apache-2.0
 * Maps of one sample side by side. */
#include "app/explain/sample/sonde-sample-maps.h"

#include <math.h>

#include "app/explain/browser/sonde-wrap-layout.h"
#include "app/explain/sonde-method-chooser.h"
#include "app/explain/sample/sonde-trust-badge.h"
#include "explain/browsing/sonde-explain-text.h"
#include "app/explain/sonde-explain-widgets.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-map-paint.h"

#define MIN_SIDE 134 /* px of a map: four tiles beside the matrix in a window of 1280 px */
#define MAX_SIDE 480
#define GAP 12

/* A place for a map. */
typedef struct
{
  char *spec;
  gint64 target;
  SondeAttributionMap *map; /* NULL: not there yet */
  GtkWidget *view, *badge, *detail, *note;
} Slot;

struct _SondeSampleMaps
{
  AdwBin parent_instance;

  GtkWidget *rows, *chooser, *blend, *outline, *scale, *check_all;
  GPtrArray *slots, *linked; /* Slot; SondeSaliencyView of others */
  GPtrArray *images;         /* SondeSaliencyView: the first of each row, lent */
  GHashTable *known;         /* key → SondeAttributionMap: of this sample */
  GPtrArray *captions, *names;
  GArray *targets;
  SondeImage *image;
  SondeTensor *mask;
  char **fixed; /* methods of recorded maps; NULL: the menu's */
  gboolean linking, unrated, with_image;
};

enum
{
  MAP_WANTED,
  RATE_WANTED,
  N_SIGNALS
};

enum
{
  SCALE_METHOD,
  SCALE_ALL,
  SCALE_EACH,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleMaps, sonde_sample_maps, ADW_TYPE_BIN)

static void
slot_free (Slot *slot)
{
  g_free (slot->spec);
  sonde_attribution_map_free (slot->map);
  g_free (slot);
}

static char *
make_key (const char *spec, gint64 target)
{
  return g_strdup_printf ("%" PRIi64 "\n%s", target, spec);
}

static Slot *
find_slot (SondeSampleMaps *self, const char *spec, gint64 target)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);

      if (slot->target == target && g_str_equal (slot->spec, spec))
        return slot;
    }
  return NULL;
}

/* ---- one crosshair, one zoom --------------------------------------------- */

typedef void (*ViewFunction) (SondeSaliencyView *view, gpointer data);

static void
for_each_other (SondeSampleMaps *self, SondeSaliencyView *from, ViewFunction function,
                gpointer data)
{
  if (self->linking)
    return;
  self->linking = TRUE;
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);

      if (SONDE_SALIENCY_VIEW (slot->view) != from)
        function (SONDE_SALIENCY_VIEW (slot->view), data);
    }
  for (guint i = 0; i < self->images->len; i++)
    if (g_ptr_array_index (self->images, i) != from)
      function (g_ptr_array_index (self->images, i), data);
  for (guint i = 0; i < self->linked->len; i++)
    if (g_ptr_array_index (self->linked, i) != from)
      function (g_ptr_array_index (self->linked, i), data);
  self->linking = FALSE;
}

static void
set_pixel (SondeSaliencyView *view, gpointer data)
{
  sonde_saliency_view_set_pixel (view, *(gint64 *) data);
}

static void
on_pixel (SondeSaliencyView *view, gint64 pixel, SondeSampleMaps *self)
{
  for_each_other (self, view, set_pixel, &pixel);
}

static void
follow (SondeSaliencyView *view, gpointer data)
{
  SondeView *from = data;
  SondeViewport viewport;

  if (sonde_view_is_fitted (from, NULL, NULL))
    {
      if (!sonde_view_is_fitted (SONDE_VIEW (view), NULL, NULL))
        sonde_view_zoom_fit (SONDE_VIEW (view));
      return;
    }
  sonde_view_get_viewport (from, &viewport);
  sonde_view_set_viewport (SONDE_VIEW (view), &viewport);
}

static void
on_viewport (SondeSaliencyView *view, SondeSampleMaps *self)
{
  for_each_other (self, view, follow, view);
}

static void
join (SondeSampleMaps *self, SondeSaliencyView *view)
{
  sonde_saliency_view_set_zoomable (view, TRUE);
  g_signal_connect_object (view, "pixel-changed", G_CALLBACK (on_pixel), self, 0);
  g_signal_connect_object (view, "viewport-changed", G_CALLBACK (on_viewport), self, 0);
}

void
sonde_sample_maps_link (SondeSampleMaps *maps, SondeSaliencyView *view)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  g_ptr_array_add (maps->linked, g_object_ref (view));
  join (maps, view);
}

/* ---- scale --------------------------------------------------------------- */

/* The largest magnitude of the maps that share a scale with the slot. */
static double
limit_of (SondeSampleMaps *self, const Slot *slot)
{
  guint scale = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->scale));
  double limit = 0;

  for (guint i = 0; i < self->slots->len; i++)
    {
      const Slot *other = g_ptr_array_index (self->slots, i);

      if (other->map == NULL || (scale == SCALE_EACH && other != slot)
          || (scale == SCALE_METHOD && !g_str_equal (other->spec, slot->spec)))
        continue;
      limit = fmax (limit, sonde_map_largest_magnitude (other->map->map));
    }
  return limit;
}

static void
show_slot (SondeSampleMaps *self, Slot *slot)
{
  gboolean outline = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->outline));

  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (slot->view), sonde_image_ref (self->image),
                                   slot->map != NULL ? slot->map->map : NULL,
                                   outline ? self->mask : NULL, limit_of (self, slot));
  sonde_saliency_view_set_blend (SONDE_SALIENCY_VIEW (slot->view),
                                 slot->map != NULL ? gtk_range_get_value (GTK_RANGE (self->blend))
                                                   : 0);
  gtk_widget_set_opacity (slot->view, slot->map != NULL ? 1 : 0.35);
}

static void
show_images (SondeSampleMaps *self)
{
  gboolean outline = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->outline));

  for (guint i = 0; i < self->images->len; i++)
    sonde_saliency_view_set_content (g_ptr_array_index (self->images, i),
                                     sonde_image_ref (self->image), NULL,
                                     outline ? self->mask : NULL, 0);
}

static void
show_all (SondeSampleMaps *self)
{
  show_images (self);
  for (guint i = 0; i < self->slots->len; i++)
    show_slot (self, g_ptr_array_index (self->slots, i));
}

/* What the map explains: "logit 5.00", "probability 84.1 %". */
static char *
dup_score (const SondeAttributionMap *map)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (map->spec, NULL);

  if (spec == NULL) /* recorded by another program */
    return g_strdup_printf (_ ("score %.2f"), map->score);
  if (sonde_attribution_spec_get_method (spec)->takes_pair)
    return g_strdup_printf (_ ("logit difference %.2f"), map->score);
  if (sonde_attribution_spec_is (spec, "score", "probability"))
    return g_strdup_printf (_ ("probability %.1f %%"), 100 * map->score);
  if (sonde_attribution_spec_is (spec, "score", "margin"))
    return g_strdup_printf (_ ("margin %.1f %%"), 100 * map->score);
  return g_strdup_printf (_ ("logit %.2f"), map->score);
}

/* The line under the title: what is explained, or what is missing. */
static void
describe_slot (SondeSampleMaps *self, Slot *slot)
{
  const char *empty = slot->map != NULL ? sonde_map_describe_emptiness (slot->map->map) : NULL;
  g_autofree char *text = NULL;
  const char *note = empty != NULL       ? empty
                     : slot->map != NULL ? sonde_message_get_text (slot->map->note)
                                         : NULL;

  if (slot->map == NULL)
    text = g_strdup (self->fixed != NULL ? _ ("Loading…") : _ ("Computing…"));
  else if (!isnan (slot->map->score)) /* recorded without */
    text = dup_score (slot->map);
  sonde_label_set (slot->detail, text);
  gtk_label_set_text (GTK_LABEL (slot->note), note != NULL ? note : "");
  gtk_widget_set_visible (slot->note, note != NULL);
  if (self->fixed == NULL && !self->unrated)
    sonde_trust_badge_set_map (SONDE_TRUST_BADGE (slot->badge), slot->map);
}

/* ---- places -------------------------------------------------------------- */

static void
on_badge_wanted (GtkWidget *badge, SondeSampleMaps *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);

      if (slot->badge == badge)
        {
          g_signal_emit (self, signals[RATE_WANTED], 0, slot->spec, slot->target);
          return;
        }
    }
}

static GtkWidget *
make_card (SondeSampleMaps *self, Slot *slot, const char *target_name, GtkSizeGroup *heads)
{
  GtkWidget *card = sonde_make_column (3), *head = sonde_make_column (3);
  g_autofree char *title = sonde_attribution_spec_dup_title (slot->spec);
  g_autofree char *full = g_strdup_printf (_ ("%s for %s"), title, target_name);
  GtkWidget *name = sonde_make_label (title, "heading");

  slot->badge = sonde_trust_badge_new ();
  slot->detail = sonde_make_label (NULL, "caption dim-label numeric");
  slot->note = sonde_make_text (NULL, "caption");
  /* not the note says how wide a map is */
  gtk_label_set_max_width_chars (GTK_LABEL (slot->note), 20);
  slot->view = sonde_saliency_view_new ();
  sonde_view_set_title (SONDE_VIEW (slot->view), full);
  sonde_view_set_minimum_size (SONDE_VIEW (slot->view), MIN_SIDE, MIN_SIDE);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (slot->view), MAX_SIDE);
  join (self, SONDE_SALIENCY_VIEW (slot->view));
  g_signal_connect_object (slot->badge, "wanted", G_CALLBACK (on_badge_wanted), self, 0);
  gtk_box_append (GTK_BOX (head), name);
  gtk_widget_set_halign (slot->badge, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (head), slot->detail);
  gtk_box_append (GTK_BOX (head), slot->badge);
  gtk_box_append (GTK_BOX (card), head);
  gtk_size_group_add_widget (heads, head);
  gtk_box_append (GTK_BOX (card), slot->view);
  gtk_box_append (GTK_BOX (card), slot->note);
  return card;
}

/* What the maps are of, before them. */
static void
add_image (SondeSampleMaps *self, GtkWidget *flow, GtkSizeGroup *heads)
{
  GtkWidget *card = sonde_make_column (3), *view = sonde_saliency_view_new (),
            *name = sonde_make_label (_ ("Image"), "heading");

  gtk_label_set_yalign (GTK_LABEL (name), 0);
  gtk_size_group_add_widget (heads, name);
  sonde_view_set_title (SONDE_VIEW (view), _ ("Image"));
  sonde_view_set_minimum_size (SONDE_VIEW (view), MIN_SIDE, MIN_SIDE);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (view), MAX_SIDE);
  sonde_saliency_view_set_legend (SONDE_SALIENCY_VIEW (view), FALSE);
  join (self, SONDE_SALIENCY_VIEW (view));
  gtk_box_append (GTK_BOX (card), name);
  gtk_box_append (GTK_BOX (card), view);
  gtk_flow_box_append (GTK_FLOW_BOX (flow), card);
  g_ptr_array_add (self->images, view);
}

static void
add_slot (SondeSampleMaps *self, GtkWidget *flow, const char *spec, gint64 target,
          const char *target_name, GtkSizeGroup *heads)
{
  Slot *slot = g_new0 (Slot, 1);
  g_autofree char *key = make_key (spec, target);
  const SondeAttributionMap *map = g_hash_table_lookup (self->known, key);

  slot->spec = g_strdup (spec);
  slot->target = target;
  slot->map = map != NULL ? sonde_attribution_map_copy (map) : NULL;
  gtk_flow_box_append (GTK_FLOW_BOX (flow), make_card (self, slot, target_name, heads));
  g_ptr_array_add (self->slots, slot);
  describe_slot (self, slot);
}

/* Methods in the order of the menu, a row a class. */
static void
rebuild (SondeSampleMaps *self)
{
  const char *const *specs
      = self->fixed != NULL ? (const char *const *) self->fixed
                            : sonde_method_chooser_get_specs (SONDE_METHOD_CHOOSER (self->chooser));
  guint n = g_strv_length ((char **) specs);

  g_ptr_array_set_size (self->slots, 0);
  g_ptr_array_set_size (self->images, 0);
  sonde_clear_box (self->rows);
  for (guint i = 0; i < self->targets->len; i++)
    {
      GtkWidget *row = sonde_make_column (6), *flow = sonde_make_flow (n + 1);
      g_autoptr (GtkSizeGroup) heads = gtk_size_group_new (GTK_SIZE_GROUP_VERTICAL);

      gtk_box_append (GTK_BOX (row),
                      sonde_make_label (g_ptr_array_index (self->captions, i), "dim-label"));
      gtk_box_append (GTK_BOX (row), flow);
      gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (flow), GAP);
      if (self->with_image && n > 0)
        add_image (self, flow, heads);
      for (guint k = 0; k < n; k++)
        add_slot (self, flow, specs[k], g_array_index (self->targets, gint64, i),
                  g_ptr_array_index (self->names, i), heads);
      gtk_box_append (GTK_BOX (self->rows), row);
    }
  if (n == 0)
    gtk_box_append (GTK_BOX (self->rows),
                    sonde_make_text (_ ("No method is selected. Choose some from the menu above."),
                                     "dim-label"));
  show_all (self);
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);

      if (slot->map == NULL)
        g_signal_emit (self, signals[MAP_WANTED], 0, slot->spec, slot->target);
    }
}

/* ---- content ------------------------------------------------------------- */

void
sonde_sample_maps_set_image (SondeSampleMaps *maps, const SondeImage *image, SondeTensor *mask)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  g_hash_table_remove_all (maps->known);
  g_clear_pointer (&maps->image, sonde_image_unref);
  g_clear_pointer (&maps->mask, sonde_tensor_unref);
  maps->image = sonde_image_ref (image);
  maps->mask = mask != NULL ? sonde_tensor_ref (mask) : NULL;
  gtk_widget_set_visible (maps->outline, mask != NULL);
  for (guint i = 0; i < maps->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (maps->slots, i);

      g_clear_pointer (&slot->map, sonde_attribution_map_free);
      describe_slot (maps, slot);
    }
  show_all (maps);
}

void
sonde_sample_maps_show_image (SondeSampleMaps *maps)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  maps->with_image = TRUE;
}

void
sonde_sample_maps_take_image (SondeSampleMaps *maps, const SondeImage *image)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  sonde_image_unref (maps->image);
  maps->image = sonde_image_ref (image);
  show_all (maps);
}

void
sonde_sample_maps_set_info (SondeSampleMaps *maps, const SondeExplainInfo *info)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  sonde_method_chooser_set_info (SONDE_METHOD_CHOOSER (maps->chooser), info);
}

void
sonde_sample_maps_set_targets (SondeSampleMaps *maps, const SondeMapTarget *targets, guint n)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  g_array_set_size (maps->targets, 0);
  g_ptr_array_set_size (maps->captions, 0);
  g_ptr_array_set_size (maps->names, 0);
  for (guint i = 0; i < n; i++)
    {
      g_array_append_val (maps->targets, targets[i].target);
      g_ptr_array_add (maps->captions, g_strdup (targets[i].caption));
      g_ptr_array_add (maps->names, g_strdup (targets[i].name));
    }
  rebuild (maps);
}

void
sonde_sample_maps_set_specs (SondeSampleMaps *maps, const char *const *specs)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  sonde_method_chooser_set_specs (SONDE_METHOD_CHOOSER (maps->chooser), specs);
}

/* Maps that share the slot's scale are drawn again. */
static void
update_slot (SondeSampleMaps *self, Slot *slot)
{
  describe_slot (self, slot);
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *other = g_ptr_array_index (self->slots, i);

      if (other == slot || other->map != NULL)
        show_slot (self, other);
    }
}

void
sonde_sample_maps_set_map (SondeSampleMaps *maps, const SondeAttributionMap *map)
{
  Slot *slot;

  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  g_hash_table_insert (maps->known, make_key (map->spec, map->target),
                       sonde_attribution_map_copy (map));
  slot = find_slot (maps, map->spec, map->target);
  if (slot == NULL)
    return;
  sonde_attribution_map_free (slot->map);
  slot->map = sonde_attribution_map_copy (map);
  update_slot (maps, slot);
}

void
sonde_sample_maps_set_failed (SondeSampleMaps *maps, const char *spec, gint64 target,
                              const char *why)
{
  Slot *slot = find_slot (maps, spec, target);

  if (slot == NULL)
    return;
  sonde_label_set (slot->detail, _ ("no map"));
  gtk_label_set_text (GTK_LABEL (slot->note), why);
  gtk_widget_set_visible (slot->note, TRUE);
}

void
sonde_sample_maps_set_rating (SondeSampleMaps *maps, const char *spec, gint64 target,
                              const SondeMapRating *rating)
{
  g_autofree char *key = make_key (spec, target);
  SondeAttributionMap *known = g_hash_table_lookup (maps->known, key);
  Slot *slot = find_slot (maps, spec, target);

  if (known != NULL)
    known->rating = *rating;
  if (slot == NULL || slot->map == NULL)
    return;
  slot->map->rating = *rating;
  sonde_trust_badge_set_map (SONDE_TRUST_BADGE (slot->badge), slot->map);
}

void
sonde_sample_maps_set_rating_failed (SondeSampleMaps *maps, const char *spec, gint64 target,
                                     const char *why)
{
  Slot *slot = find_slot (maps, spec, target);

  if (slot != NULL)
    sonde_trust_badge_set_failed (SONDE_TRUST_BADGE (slot->badge), why);
}

void
sonde_sample_maps_set_fixed (SondeSampleMaps *maps, const char *const *specs)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  g_strfreev (maps->fixed);
  maps->fixed = g_strdupv ((char **) specs);
  gtk_widget_set_visible (maps->chooser, specs == NULL);
  gtk_widget_set_visible (maps->check_all, specs == NULL && !maps->unrated);
}

void
sonde_sample_maps_set_unrated (SondeSampleMaps *maps)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MAPS (maps));
  maps->unrated = TRUE;
  gtk_widget_set_visible (maps->check_all, FALSE);
}

/* ---- bar above ----------------------------------------------------------- */

static void
on_blend (SondeSampleMaps *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);

      if (slot->map != NULL)
        sonde_saliency_view_set_blend (SONDE_SALIENCY_VIEW (slot->view),
                                       gtk_range_get_value (GTK_RANGE (self->blend)));
    }
}

static void
on_check_all (SondeSampleMaps *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    sonde_trust_badge_ask (
        SONDE_TRUST_BADGE (((Slot *) g_ptr_array_index (self->slots, i))->badge));
}

static void
sonde_sample_maps_finalize (GObject *object)
{
  SondeSampleMaps *self = SONDE_SAMPLE_MAPS (object);

  g_ptr_array_unref (self->slots);
  g_ptr_array_unref (self->linked);
  g_ptr_array_unref (self->images);
  g_hash_table_unref (self->known);
  g_ptr_array_unref (self->captions);
  g_ptr_array_unref (self->names);
  g_array_unref (self->targets);
  sonde_image_unref (self->image);
  sonde_tensor_unref (self->mask);
  g_strfreev (self->fixed);
  G_OBJECT_CLASS (sonde_sample_maps_parent_class)->finalize (object);
}

static void
sonde_sample_maps_dispose (GObject *object)
{
  g_ptr_array_set_size (SONDE_SAMPLE_MAPS (object)->slots, 0);
  G_OBJECT_CLASS (sonde_sample_maps_parent_class)->dispose (object);
}

static void
sonde_sample_maps_class_init (SondeSampleMapsClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_sample_maps_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_maps_finalize;
  signals[MAP_WANTED]
      = g_signal_new ("map-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
  signals[RATE_WANTED]
      = g_signal_new ("rate-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
  g_type_ensure (SONDE_TYPE_WRAP_LAYOUT);
  g_type_ensure (SONDE_TYPE_METHOD_CHOOSER);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-sample-maps.ui");
  gtk_widget_class_bind_template_child (widget, SondeSampleMaps, rows);
  gtk_widget_class_bind_template_child (widget, SondeSampleMaps, chooser);
  gtk_widget_class_bind_template_child (widget, SondeSampleMaps, blend);
  gtk_widget_class_bind_template_child (widget, SondeSampleMaps, outline);
  gtk_widget_class_bind_template_child (widget, SondeSampleMaps, scale);
  gtk_widget_class_bind_template_child (widget, SondeSampleMaps, check_all);
  gtk_widget_class_bind_template_callback (widget, rebuild);
  gtk_widget_class_bind_template_callback (widget, show_all);
  gtk_widget_class_bind_template_callback (widget, on_check_all);
  gtk_widget_class_bind_template_callback (widget, on_blend);
}

static void
sonde_sample_maps_init (SondeSampleMaps *self)
{
  self->slots = g_ptr_array_new_with_free_func ((GDestroyNotify) slot_free);
  self->linked = g_ptr_array_new_with_free_func (g_object_unref);
  self->images = g_ptr_array_new ();
  self->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                       (GDestroyNotify) sonde_attribution_map_free);
  self->captions = g_ptr_array_new_with_free_func (g_free);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->targets = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_sample_maps_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_MAPS, NULL);
}
