/* SPDX-License-Identifier: Apache-2.0
 * A tile reserves the room of its thumbnail before that is there. */
#include "app/explain/browser/sonde-explain-tile.h"

#include "data/base/sonde-text.h"
#include "explain/browsing/sonde-item-text.h"

#define TILE_SIDE 112
#define ROW_SIDE 72
#define EVIDENCE_LINES 2

struct _SondeExplainTile
{
  AdwBin parent_instance;

  GtkWidget *thumbnail, *title, *detail, *category,
      *evidence; /* category and evidence: rows only */
  SondeExplainItem *item;
  SondeThumbnailLoader *thumbnails;
};

G_DEFINE_FINAL_TYPE (SondeExplainTile, sonde_explain_tile, ADW_TYPE_BIN)

static void
update_category (SondeExplainTile *self)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (self->item);
  const char *evidence = sonde_explain_item_get_evidence (self->item);
  gboolean told = result->category < SONDE_N_CATEGORIES;

  gtk_label_set_text (GTK_LABEL (self->category),
                      told ? _ (sonde_error_category_get_title (result->category)) : "");
  gtk_inscription_set_text (GTK_INSCRIPTION (self->evidence),
                            told && evidence != NULL ? evidence : "");
}

static void
update (SondeExplainTile *self)
{
  g_autofree char *title = NULL, *detail = NULL, *tooltip = NULL, *full = NULL;
  GObject *thumbnail;

  if (self->item == NULL)
    return;
  title = sonde_explain_item_dup_short (self->item);
  detail = sonde_explain_item_dup_detail (self->item);
  tooltip = sonde_explain_item_dup_details (self->item);
  full = sonde_explain_item_dup_title (self->item);
  thumbnail = sonde_explain_item_get_thumbnail (self->item);
  gtk_picture_set_paintable (GTK_PICTURE (self->thumbnail),
                             thumbnail != NULL ? GDK_PAINTABLE (thumbnail) : NULL);
  if (thumbnail != NULL)
    gtk_widget_remove_css_class (self->thumbnail, "thumbnail-place");
  else
    gtk_widget_add_css_class (self->thumbnail, "thumbnail-place");
  gtk_label_set_text (GTK_LABEL (self->title), title);
  gtk_label_set_text (GTK_LABEL (self->detail), detail);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, full,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tooltip, -1);
  if (self->evidence != NULL)
    update_category (self);
}

/* Not kept as text: a list binds hundreds of tiles in a frame, and of each new text GTK looks where
 * the pointer is. */
static gboolean
on_tooltip (SondeExplainTile *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  g_autofree char *text = self->item != NULL ? sonde_explain_item_dup_details (self->item) : NULL;

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

void
sonde_explain_tile_set_item (SondeExplainTile *tile, SondeExplainItem *item,
                             SondeThumbnailLoader *thumbnails)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_TILE (tile));
  if (tile->item != NULL)
    {
      g_signal_handlers_disconnect_by_func (tile->item, update, tile);
      if (tile->thumbnails != NULL)
        sonde_thumbnail_loader_drop (tile->thumbnails, tile->item);
    }
  g_set_object (&tile->item, item);
  g_set_object (&tile->thumbnails, thumbnails);
  if (item == NULL)
    return;
  g_signal_connect_swapped (item, "changed", G_CALLBACK (update), tile);
  update (tile);
  if (thumbnails != NULL)
    sonde_thumbnail_loader_want (thumbnails, item);
}

void
sonde_explain_tile_set_thumbnail_only (SondeExplainTile *tile, int side)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_TILE (tile));
  gtk_widget_set_size_request (tile->thumbnail, side, side);
  gtk_widget_set_visible (gtk_widget_get_next_sibling (tile->thumbnail), FALSE);
}

static void
sonde_explain_tile_dispose (GObject *object)
{
  sonde_explain_tile_set_item (SONDE_EXPLAIN_TILE (object), NULL, NULL);
  G_OBJECT_CLASS (sonde_explain_tile_parent_class)->dispose (object);
}

static void
sonde_explain_tile_class_init (SondeExplainTileClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_explain_tile_dispose;
}

static void
sonde_explain_tile_init (SondeExplainTile *self)
{
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
}

static GtkWidget *
make_label (const char *class, gboolean dim)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (label, class);
  gtk_widget_add_css_class (label, "numeric");
  if (dim)
    gtk_widget_add_css_class (label, "dim-label");
  return label;
}

/* A thumbnail of a fixed size, whatever is in it. */
static GtkWidget *
make_image (int side)
{
  /* the tile says what it shows */
  GtkWidget *thumbnail
      = g_object_new (GTK_TYPE_PICTURE, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_picture_set_can_shrink (GTK_PICTURE (thumbnail), TRUE);
  gtk_widget_set_size_request (thumbnail, side, side);
  gtk_widget_set_halign (thumbnail, GTK_ALIGN_START);
  gtk_widget_set_valign (thumbnail, GTK_ALIGN_CENTER);
  gtk_widget_set_overflow (thumbnail, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (thumbnail, "gallery-thumbnail");
  return thumbnail;
}

static void
fill_as_row (SondeExplainTile *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  self->category = make_label ("caption", FALSE);
  /* Not a label: one that wraps is measured at each width a list tries, a millisecond a row. The
   * tool-tip has all. */
  self->evidence = gtk_inscription_new (NULL);
  gtk_inscription_set_min_lines (GTK_INSCRIPTION (self->evidence), EVIDENCE_LINES);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (self->evidence), EVIDENCE_LINES);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (self->evidence), 0);
  gtk_inscription_set_yalign (GTK_INSCRIPTION (self->evidence), 0);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (self->evidence),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->evidence, "caption");
  gtk_widget_add_css_class (self->evidence, "numeric");
  gtk_widget_add_css_class (self->evidence, "dim-label");
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (head), self->title);
  gtk_box_append (GTK_BOX (head), self->detail);
  gtk_box_append (GTK_BOX (text), head);
  gtk_box_append (GTK_BOX (text), self->category);
  gtk_box_append (GTK_BOX (text), self->evidence);
  gtk_box_append (GTK_BOX (box), self->thumbnail);
  gtk_box_append (GTK_BOX (box), text);
  adw_bin_set_child (ADW_BIN (self), box);
}

static void
fill_as_tile (SondeExplainTile *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);

  gtk_label_set_max_width_chars (GTK_LABEL (self->title), 4);
  gtk_label_set_max_width_chars (GTK_LABEL (self->detail), 4);
  gtk_box_append (GTK_BOX (box), self->thumbnail);
  gtk_box_append (GTK_BOX (box), self->title);
  gtk_box_append (GTK_BOX (box), self->detail);
  adw_bin_set_child (ADW_BIN (self), box);
}

GtkWidget *
sonde_explain_tile_new (gboolean row)
{
  SondeExplainTile *self = g_object_new (SONDE_TYPE_EXPLAIN_TILE, NULL);

  self->thumbnail = make_image (row ? ROW_SIDE : TILE_SIDE);
  self->title = make_label (row ? "heading" : "gallery-title", FALSE);
  self->detail = make_label ("caption", TRUE);
  if (row)
    fill_as_row (self);
  else
    fill_as_tile (self);
  return GTK_WIDGET (self);
}
