/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/overview/sonde-environment-card.h"

#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeEnvironmentCard
{
  GtkBox parent_instance;
  GtkWidget *names[SONDE_RUN_N_FACTS];
  GtkLabel *values[SONDE_RUN_N_FACTS];
};

G_DEFINE_FINAL_TYPE (SondeEnvironmentCard, sonde_environment_card, GTK_TYPE_BOX)

static const char *const names[SONDE_RUN_N_FACTS]
    = { N_ ("Device"), N_ ("Host"), N_ ("Command"), N_ ("Folder"), N_ ("Git Commit"), N_ ("Seed") };

gboolean
sonde_environment_card_set_trial (SondeEnvironmentCard *card, SondeTrial *trial)
{
  gboolean any = FALSE;

  g_return_val_if_fail (SONDE_IS_ENVIRONMENT_CARD (card), FALSE);
  for (guint i = 0; i < SONDE_RUN_N_FACTS; i++)
    {
      const char *text = trial != NULL ? sonde_run_fact_get (trial, i) : NULL;
      g_autofree char *visible = text != NULL ? sonde_text_make_visible (text) : NULL;

      gtk_widget_set_visible (card->names[i], visible != NULL);
      gtk_widget_set_visible (GTK_WIDGET (card->values[i]), visible != NULL);
      if (visible == NULL)
        continue;
      any = TRUE;
      if (g_str_equal (visible, gtk_label_get_label (card->values[i])))
        continue;
      gtk_label_set_label (card->values[i], visible);
      sonde_set_tooltip (GTK_WIDGET (card->values[i]), visible);
    }
  return any;
}

static void
sonde_environment_card_class_init (SondeEnvironmentCardClass *klass)
{
}

/* A command is read from its beginning, up to three lines of it; the whole can be selected and copied. */
static GtkWidget *
make_value (void)
{
  GtkWidget *value = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (value), 0);
  gtk_label_set_wrap (GTK_LABEL (value), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (value), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (value), 3);
  gtk_label_set_ellipsize (GTK_LABEL (value), PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (GTK_LABEL (value), TRUE);
  gtk_label_set_width_chars (GTK_LABEL (value), 10);
  gtk_label_set_max_width_chars (GTK_LABEL (value), 20);
  gtk_widget_set_hexpand (value, TRUE);
  return value;
}

static void
sonde_environment_card_init (SondeEnvironmentCard *card)
{
  GtkWidget *title = gtk_label_new (_ ("Environment")), *grid = gtk_grid_new ();

  gtk_orientable_set_orientation (GTK_ORIENTABLE (card), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (card), 6);
  gtk_widget_add_css_class (GTK_WIDGET (card), "card");
  gtk_widget_add_css_class (GTK_WIDGET (card), "view-card");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_size_request (title, -1, 26);
  gtk_widget_add_css_class (title, "card-title");
  gtk_grid_set_row_spacing (GTK_GRID (grid), 3);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  for (int i = 0; i < SONDE_RUN_N_FACTS; i++)
    {
      card->names[i] = gtk_label_new (_ (names[i]));
      card->values[i] = GTK_LABEL (make_value ());
      gtk_label_set_xalign (GTK_LABEL (card->names[i]), 0);
      gtk_label_set_yalign (GTK_LABEL (card->names[i]), 0);
      gtk_widget_add_css_class (card->names[i], "dim-label");
      gtk_grid_attach (GTK_GRID (grid), card->names[i], 0, i, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), GTK_WIDGET (card->values[i]), 1, i, 1, 1);
      gtk_accessible_update_relation (GTK_ACCESSIBLE (card->values[i]),
                                      GTK_ACCESSIBLE_RELATION_LABELLED_BY, card->names[i], NULL,
                                      -1);
    }
  gtk_box_append (GTK_BOX (card), title);
  gtk_box_append (GTK_BOX (card), grid);
}
