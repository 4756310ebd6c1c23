/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-card-changes.h"

#include "app/pages/cards/sonde-scalar-card.h"

static void
on_pin (SondeTagCard *card, SondeChartBoard *board)
{
  const char *tag = sonde_tag_card_get_tag (card);

  sonde_chart_board_set_pinned (board, tag, !sonde_chart_board_is_pinned (board, tag));
}

static SondeChartSetup *
dup_own (SondeChartBoard *board, const char *tag)
{
  const SondeChartSetup *own = sonde_chart_board_get_own (board, tag);

  return own != NULL ? sonde_chart_setup_copy (own) : sonde_chart_setup_new ();
}

/* Which curves a chart does not draw stays with it, and can be undone. */
static void
on_hidden_changed (SondeScalarView *view, char **titles, SondeChartBoard *board)
{
  GtkWidget *card = gtk_widget_get_ancestor (GTK_WIDGET (view), SONDE_TYPE_TAG_CARD);
  const char *tag = card != NULL ? sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) : NULL;
  g_autoptr (SondeChartSetup) setup = NULL;

  if (tag == NULL)
    return;
  setup = dup_own (board, tag);
  if (titles != NULL)
    sonde_chart_setup_set_list (setup, SONDE_CHART_FIELD_HIDDEN, (const char *const *) titles);
  else
    sonde_chart_setup_forget (setup, SONDE_CHART_FIELD_HIDDEN);
  sonde_chart_board_set_own (board, tag, setup);
}

/* The curves of the dropped card come into this one. */
static void
on_dropped (SondeTagCard *card, const char *tag, SondeChartBoard *board)
{
  const char *target = sonde_tag_card_get_tag (card);
  g_autoptr (SondeChartSetup) setup = dup_own (board, target);
  g_autoptr (GPtrArray) curves = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; setup->curves != NULL && setup->curves[i] != NULL; i++)
    if (!g_str_equal (setup->curves[i], tag))
      g_ptr_array_add (curves, g_strdup (setup->curves[i]));
  g_ptr_array_add (curves, g_strdup (tag));
  g_ptr_array_add (curves, NULL);
  sonde_chart_setup_set_list (setup, SONDE_CHART_FIELD_CURVES, (const char *const *) curves->pdata);
  sonde_chart_board_set_own (board, target, setup);
}

void
sonde_card_changes_connect (SondeTagCard *card, SondeChartBoard *board)
{
  SondeView *view = sonde_tag_card_get_view (card);

  g_signal_connect_object (card, "pin", G_CALLBACK (on_pin), board, 0);
  g_signal_connect_object (card, "dropped", G_CALLBACK (on_dropped), board, 0);
  g_signal_connect_object (view, "hidden-changed", G_CALLBACK (on_hidden_changed), board, 0);
}
