/* SPDX-License-Identifier: Apache-2.0
 * Whether a map can be trusted. */
#include "app/explain/sample/sonde-trust-badge.h"

#include "app/explain/sonde-explain-widgets.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

struct _SondeTrustBadge
{
  AdwBin parent_instance;

  GtkWidget *button, *mark, *word, *lines, *heading, *check;
  SondeTrust trust;
  gboolean asking, judged;
};

enum
{
  WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeTrustBadge, sonde_trust_badge, ADW_TYPE_BIN)

static GtkWidget *
make_line (const SondeTrustLine *line)
{
  GtkWidget *column = sonde_make_column (3), *row = sonde_make_row (6), *mark = sonde_badge_new ();
  GtkWidget *title = sonde_make_label (line->title, "heading"),
            *value = sonde_make_label (line->value, "numeric");

  sonde_badge_set_state (SONDE_BADGE (mark), line->state);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_box_append (GTK_BOX (row), mark);
  gtk_box_append (GTK_BOX (row), title);
  gtk_box_append (GTK_BOX (row), value);
  gtk_box_append (GTK_BOX (column), row);
  gtk_box_append (GTK_BOX (column), sonde_make_text (line->meaning, "caption dim-label"));
  return column;
}

static void
show_word (SondeTrustBadge *self, const char *word, SondeState state, const char *sentence)
{
  g_autofree char *name = g_strdup_printf (_ ("Trust in this map: %s"), word);

  gtk_label_set_text (GTK_LABEL (self->word), word);
  sonde_badge_set_state (SONDE_BADGE (self->mark), state);
  gtk_label_set_text (GTK_LABEL (self->heading), sentence);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, sentence, -1);
  gtk_widget_set_tooltip_text (self->button, sentence);
}

void
sonde_trust_badge_set_map (SondeTrustBadge *badge, const SondeAttributionMap *map)
{
  g_autoptr (GPtrArray) lines = NULL;

  g_return_if_fail (SONDE_IS_TRUST_BADGE (badge));
  badge->asking = FALSE;
  badge->judged = map != NULL;
  gtk_widget_set_sensitive (badge->button, map != NULL);
  gtk_widget_set_opacity (badge->button, map != NULL ? 1 : 0);
  sonde_clear_box (badge->lines);
  badge->trust = SONDE_TRUST_UNCHECKED;
  if (map == NULL)
    return;
  badge->trust = sonde_map_trust_judge (map, &lines);
  show_word (badge, sonde_trust_get_word (badge->trust), sonde_trust_get_state (badge->trust),
             sonde_trust_get_sentence (badge->trust));
  for (guint i = 0; i < lines->len; i++)
    gtk_box_append (GTK_BOX (badge->lines), make_line (g_ptr_array_index (lines, i)));
  gtk_widget_set_visible (badge->check, badge->trust == SONDE_TRUST_UNCHECKED);
}

void
sonde_trust_badge_set_asking (SondeTrustBadge *badge)
{
  g_return_if_fail (SONDE_IS_TRUST_BADGE (badge));
  badge->asking = TRUE;
  show_word (badge, _ ("Checking…"), SONDE_STATE_RUNNING, _ ("The checks are being computed."));
  gtk_widget_set_visible (badge->check, FALSE);
}

void
sonde_trust_badge_set_failed (SondeTrustBadge *badge, const char *why)
{
  g_return_if_fail (SONDE_IS_TRUST_BADGE (badge));
  badge->asking = FALSE;
  show_word (badge, _ ("Reliability unchecked"), SONDE_STATE_IDLE,
             why != NULL ? why : _ ("The checks were stopped."));
  gtk_widget_set_visible (badge->check, TRUE);
}

void
sonde_trust_badge_ask (SondeTrustBadge *badge)
{
  g_return_if_fail (SONDE_IS_TRUST_BADGE (badge));
  if (badge->asking || !badge->judged || badge->trust != SONDE_TRUST_UNCHECKED)
    return;
  sonde_trust_badge_set_asking (badge);
  g_signal_emit (badge, signals[WANTED], 0);
}

static void
sonde_trust_badge_class_init (SondeTrustBadgeClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  signals[WANTED] = g_signal_new ("wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-trust-badge.ui");
  gtk_widget_class_bind_template_child (widget, SondeTrustBadge, button);
  gtk_widget_class_bind_template_child (widget, SondeTrustBadge, mark);
  gtk_widget_class_bind_template_child (widget, SondeTrustBadge, word);
  gtk_widget_class_bind_template_child (widget, SondeTrustBadge, lines);
  gtk_widget_class_bind_template_child (widget, SondeTrustBadge, heading);
  gtk_widget_class_bind_template_child (widget, SondeTrustBadge, check);
  gtk_widget_class_bind_template_callback (widget, sonde_trust_badge_ask);
}

static void
sonde_trust_badge_init (SondeTrustBadge *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_trust_badge_set_map (self, NULL);
}

GtkWidget *
sonde_trust_badge_new (void)
{
  return g_object_new (SONDE_TYPE_TRUST_BADGE, NULL);
}
