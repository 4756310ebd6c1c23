/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sidebar/sonde-damage-list.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_LINES 200 /* more is said as a number */

static void
add_line (GtkBox *box, const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (NULL);
  g_autofree char *visible = sonde_text_make_visible (text);

  gtk_label_set_text (GTK_LABEL (label), visible);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 60);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  gtk_widget_add_css_class (label, class);
  gtk_box_append (box, label);
}

static int
add_file (GtkBox *box, const SondeRunFile *file, int room)
{
  int n = 0;

  for (guint i = 0; i < file->damage->len && n < room; i++, n++)
    {
      const SondeFrameDamage *damage = file->damage->pdata[i];
      g_autofree char *bytes = sonde_format_bytes (damage->bytes);
      g_autofree char *text = g_strdup_printf (_ ("%s at offset %" PRIu64 ": %s (%s skipped)"),
                                               file->path, damage->offset, damage->reason, bytes);
      add_line (box, text, "body");
    }
  if (file->lost_records > 0 && n < room)
    {
      g_autofree char *count = sonde_format_count ((gint64) file->lost_records);
      g_autofree char *text
          = g_strdup_printf (_ ("%s: the writer lost %s records"), file->path, count);
      add_line (box, text, "body");
      n++;
    }
  return n;
}

GtkWidget *
sonde_damage_list_new (SondeWorkspace *workspace, GPtrArray *runs)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GPtrArray *problems = sonde_run_store_get_problems (sonde_workspace_get_store (workspace));
  int room = MAX_LINES;

  for (guint i = 0; i < problems->len && room > 0; i++, room--)
    add_line (GTK_BOX (box), problems->pdata[i], "body");
  for (guint i = 0; i < runs->len && room > 0; i++)
    {
      SondeRun *run = runs->pdata[i];
      GPtrArray *files = sonde_run_get_files (run);

      if (sonde_run_get_damage_count (run) == 0)
        continue;
      add_line (GTK_BOX (box), sonde_workspace_get_run_title (workspace, run), "heading");
      for (guint k = 0; k < files->len && room > 0; k++)
        room -= add_file (GTK_BOX (box), files->pdata[k], room);
    }
  if (room <= 0)
    add_line (GTK_BOX (box), _ ("… and more; “sonde inspect” lists all damage."), "dim-label");
  add_line (GTK_BOX (box), _ ("Everything outside these ranges was read."), "dim-label");

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), 360);
  return scrolled;
}
