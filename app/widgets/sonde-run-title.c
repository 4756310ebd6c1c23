/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-run-title.h"

#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

struct _SondeRunTitle
{
  GtkBox parent_instance;
  SondeBadge *mark;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE (SondeRunTitle, sonde_run_title, GTK_TYPE_BOX)

void
sonde_run_title_update (SondeRunTitle *title, SondeWorkspace *workspace)
{
  SondeRun *run = sonde_workspace_get_run (workspace);

  g_return_if_fail (SONDE_IS_RUN_TITLE (title));
  if (run == NULL)
    return;
  sonde_badge_set_series (title->mark, sonde_run_get_color_index (run));
  gtk_label_set_label (title->label, sonde_workspace_get_run_title (workspace, run));
}

static void
sonde_run_title_class_init (SondeRunTitleClass *klass)
{
}

static void
sonde_run_title_init (SondeRunTitle *title)
{
  GtkBox *box = GTK_BOX (title);

  title->mark = SONDE_BADGE (sonde_badge_new ());
  title->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (title->label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (title->label, 0);
  gtk_label_set_width_chars (title->label, 5);
  gtk_label_set_max_width_chars (title->label, 24);
  gtk_box_set_spacing (box, 12);
  gtk_box_append (box, GTK_WIDGET (title->mark));
  gtk_box_append (box, GTK_WIDGET (title->label));
  gtk_widget_set_tooltip_text (GTK_WIDGET (title), _ ("The run selected in the sidebar"));
}
