/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-tag-card.h"

#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-text-scale.h"

#define RESOURCE "/org/sonde/Sonde/pages/cards/sonde-tag-card.ui"
#define VIEW_WIDTH 230 /* px that a view of a card asks for */

typedef struct
{
  char *tag;
  GtkLabel *title, *value, *note;
  GtkButton *pin, *settings, *fit, *export, *expand;
  GtkWidget *actions, *link;
  GtkLabel *link_label;
  AdwBin *bin;
} SondeTagCardPrivate;

enum
{
  EXPAND,
  PIN,
  SETTINGS,
  DROPPED,
  TAG_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondeTagCard, sonde_tag_card, GTK_TYPE_BOX)

void
sonde_tag_card_set_content (SondeTagCard *card, GtkWidget *content)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  adw_bin_set_child (priv->bin, content);
  gtk_widget_set_visible (GTK_WIDGET (priv->fit), SONDE_IS_VIEW (content));
  gtk_widget_set_visible (GTK_WIDGET (priv->export), SONDE_IS_VIEW (content));
}

SondeView *
sonde_tag_card_get_view (SondeTagCard *card)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  g_return_val_if_fail (SONDE_IS_TAG_CARD (card), NULL);
  return priv->bin != NULL && SONDE_IS_VIEW (adw_bin_get_child (priv->bin))
             ? SONDE_VIEW (adw_bin_get_child (priv->bin))
             : NULL;
}

void
sonde_tag_card_set_height (SondeTagCard *card, int height)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  SondeView *view = sonde_tag_card_get_view (card);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  if (view != NULL)
    sonde_view_set_minimum_size (view, VIEW_WIDTH, height);
  else
    gtk_widget_set_size_request (adw_bin_get_child (priv->bin), -1,
                                 sonde_text_scale_length (GTK_WIDGET (card), height));
}

void
sonde_tag_card_set_room (SondeTagCard *card, int width, int height)
{
  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  if (SONDE_TAG_CARD_GET_CLASS (card)->room_changed != NULL)
    SONDE_TAG_CARD_GET_CLASS (card)->room_changed (card, width, height);
}

static void
set_view_title (SondeTagCard *card, const char *title)
{
  if (sonde_tag_card_get_view (card) != NULL)
    sonde_view_set_title (sonde_tag_card_get_view (card), title);
}

void
sonde_tag_card_set_tag (SondeTagCard *card, const char *tag)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  g_autofree char *visible = NULL;

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  if (g_strcmp0 (tag, priv->tag) == 0)
    return;
  g_free (priv->tag);
  priv->tag = g_strdup (tag);
  visible = sonde_text_make_visible (tag);
  gtk_label_set_text (priv->title, visible);
  sonde_set_tooltip (GTK_WIDGET (priv->title), visible);
  set_view_title (card, visible);
  if (sonde_tag_card_get_view (card) != NULL)
    sonde_view_zoom_fit (sonde_tag_card_get_view (card));
  SONDE_TAG_CARD_GET_CLASS (card)->tag_changed (card);
  g_signal_emit (card, signals[TAG_CHANGED], 0);
}

void
sonde_tag_card_set_title (SondeTagCard *card, const char *title)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_label_set_text (priv->title, title);
  set_view_title (card, title);
}

gboolean
sonde_tag_card_take_note (SondeTagCard *card, SondeRun *run)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  g_autoptr (SondeRunNote) note = NULL;
  g_autofree char *tag = NULL, *name = NULL, *words = NULL, *tip = NULL;

  g_return_val_if_fail (SONDE_IS_TAG_CARD (card), FALSE);
  note = run != NULL && priv->tag != NULL ? sonde_run_dup_note (run, priv->tag) : NULL;
  if (note == NULL)
    return FALSE;
  tag = sonde_text_make_visible (priv->tag);
  if (note->display_name != NULL && *note->display_name != '\0')
    name = sonde_text_make_visible (note->display_name);
  if (note->description != NULL && *note->description != '\0')
    words = sonde_text_make_visible (note->description);
  tip = words != NULL ? g_strdup_printf ("%s\n%s", tag, words) : g_strdup (tag);
  if (name != NULL && g_strcmp0 (gtk_label_get_text (priv->title), name) != 0)
    {
      gtk_label_set_text (priv->title, name);
      set_view_title (card, name);
    }
  sonde_set_tooltip (GTK_WIDGET (priv->title), tip);
  return TRUE;
}

const char *
sonde_tag_card_get_tag (SondeTagCard *card)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  g_return_val_if_fail (SONDE_IS_TAG_CARD (card), NULL);
  return priv->tag;
}

void
sonde_tag_card_set_value (SondeTagCard *card, const char *text, const char *tooltip)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_label_set_label (priv->value, text != NULL ? text : "");
  sonde_set_tooltip (GTK_WIDGET (priv->value), tooltip);
}

void
sonde_tag_card_set_value_visible (SondeTagCard *card, gboolean visible)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_widget_set_visible (GTK_WIDGET (priv->value), visible);
}

gboolean
sonde_tag_card_is_settled (SondeTagCard *card)
{
  g_return_val_if_fail (SONDE_IS_TAG_CARD (card), TRUE);
  return SONDE_TAG_CARD_GET_CLASS (card)->is_settled == NULL
         || SONDE_TAG_CARD_GET_CLASS (card)->is_settled (card);
}

void
sonde_tag_card_set_expanded (SondeTagCard *card, gboolean expanded)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_button_set_icon_name (priv->expand,
                            expanded ? "view-restore-symbolic" : "view-fullscreen-symbolic");
  sonde_set_tooltip (GTK_WIDGET (priv->expand),
                     expanded ? _ ("Back to all cards") : _ ("Fill the page with this card"));
}

void
sonde_tag_card_set_pinned (SondeTagCard *card, gboolean pinned)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  const char *label = pinned ? _ ("Unpin") : _ ("Pin to the top");

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_widget_set_visible (GTK_WIDGET (priv->pin), TRUE);
  gtk_widget_set_visible (GTK_WIDGET (priv->settings), TRUE);
  gtk_button_set_icon_name (priv->pin, pinned ? "starred-symbolic" : "non-starred-symbolic");
  sonde_set_tooltip (GTK_WIDGET (priv->pin), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (priv->pin), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
}

void
sonde_tag_card_set_note (SondeTagCard *card, const char *note)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  g_autofree char *visible = note != NULL ? sonde_text_make_visible (note) : NULL;

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_label_set_label (priv->note, visible != NULL ? visible : "");
  sonde_set_tooltip (GTK_WIDGET (priv->note), visible);
  gtk_widget_set_visible (GTK_WIDGET (priv->note), visible != NULL);
}

/* ---- dragging ------------------------------------------------------------ */

/* A tag, and no other text that somebody drops. */
#define DRAG_PREFIX "sonde-tag:"

static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, SondeTagCard *card)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  g_autofree char *text = priv->tag != NULL ? g_strconcat (DRAG_PREFIX, priv->tag, NULL) : NULL;

  return text != NULL ? gdk_content_provider_new_typed (G_TYPE_STRING, text) : NULL;
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, SondeTagCard *card)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  const char *text = g_value_get_string (value);

  if (text == NULL || !g_str_has_prefix (text, DRAG_PREFIX)
      || g_strcmp0 (text + strlen (DRAG_PREFIX), priv->tag) == 0)
    return FALSE;
  g_signal_emit (card, signals[DROPPED], 0, text + strlen (DRAG_PREFIX));
  return TRUE;
}

void
sonde_tag_card_enable_drag (SondeTagCard *card)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  GtkDragSource *source = gtk_drag_source_new ();
  GtkDropTarget *target = gtk_drop_target_new (G_TYPE_STRING, GDK_ACTION_COPY);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  g_signal_connect (source, "prepare", G_CALLBACK (on_drag_prepare), card);
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), card);
  gtk_widget_add_controller (GTK_WIDGET (priv->title), GTK_EVENT_CONTROLLER (source));
  gtk_widget_add_controller (GTK_WIDGET (card), GTK_EVENT_CONTROLLER (target));
}

void
sonde_tag_card_set_link (SondeTagCard *card, const char *label)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);
  g_autofree char *tooltip = g_strdup_printf (_ ("Open the page %s"), label);

  g_return_if_fail (SONDE_IS_TAG_CARD (card));
  gtk_label_set_label (priv->link_label, label);
  gtk_widget_set_tooltip_text (priv->link, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (priv->link), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  tooltip, -1);
  gtk_widget_set_visible (priv->link, TRUE);
  gtk_widget_set_visible (priv->actions, FALSE);
}

static void
on_fit (SondeTagCard *card)
{
  sonde_view_zoom_fit (sonde_tag_card_get_view (card));
}

static void
on_export (SondeTagCard *card)
{
  gtk_widget_activate_action (GTK_WIDGET (sonde_tag_card_get_view (card)), "view.export", NULL);
}

static void
on_pin (SondeTagCard *card)
{
  g_signal_emit (card, signals[PIN], 0);
}

static void
on_settings (SondeTagCard *card)
{
  g_signal_emit (card, signals[SETTINGS], 0);
}

static void
on_expand (SondeTagCard *card)
{
  g_signal_emit (card, signals[EXPAND], 0, sonde_tag_card_get_tag (card));
}

static void
sonde_tag_card_dispose (GObject *object)
{
  GtkWidget *child;

  /* gtk_widget_dispose_template() of GTK 4.8 finds no template on a child class. */
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  G_OBJECT_CLASS (sonde_tag_card_parent_class)->dispose (object);
}

static void
sonde_tag_card_finalize (GObject *object)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (SONDE_TAG_CARD (object));

  g_free (priv->tag);
  G_OBJECT_CLASS (sonde_tag_card_parent_class)->finalize (object);
}

static void
sonde_tag_card_class_init (SondeTagCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = sonde_tag_card_dispose;
  object_class->finalize = sonde_tag_card_finalize;
  signals[EXPAND] = g_signal_new ("expand", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[PIN] = g_signal_new ("pin", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
  signals[SETTINGS] = g_signal_new ("settings", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DROPPED] = g_signal_new ("dropped", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[TAG_CHANGED] = g_signal_new ("tag-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, title);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, value);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, note);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, pin);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, settings);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, fit);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, export);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, expand);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, actions);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, link);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, link_label);
  gtk_widget_class_bind_template_child_private (widget_class, SondeTagCard, bin);
  gtk_widget_class_bind_template_callback (widget_class, on_pin);
  gtk_widget_class_bind_template_callback (widget_class, on_settings);
  gtk_widget_class_bind_template_callback (widget_class, on_fit);
  gtk_widget_class_bind_template_callback (widget_class, on_export);
  gtk_widget_class_bind_template_callback (widget_class, on_expand);
}

static void
sonde_tag_card_init (SondeTagCard *card)
{
  SondeTagCardPrivate *priv = sonde_tag_card_get_instance_private (card);

  gtk_widget_init_template (GTK_WIDGET (card));
  sonde_set_tooltip (GTK_WIDGET (priv->settings), _ ("Settings of this chart"));
  sonde_set_tooltip (GTK_WIDGET (priv->fit), _ ("Fit (double-click, 0)"));
  sonde_set_tooltip (GTK_WIDGET (priv->export), _ ("Export…"));
  sonde_set_tooltip (GTK_WIDGET (priv->expand), _ ("Fill the page with this card"));
}
