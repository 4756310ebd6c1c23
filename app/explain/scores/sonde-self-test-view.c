/* SPDX-License-Identifier: Apache-2.0
 * Cases whose answer is known. */
#include "app/explain/scores/sonde-self-test-view.h"

#include "explain/browsing/sonde-explain-text.h"
#include "app/explain/sonde-explain-widgets.h"
#include "data/base/sonde-error.h"
#include "viewers/sonde-badge.h"

struct _SondeSelfTestView
{
  AdwBin parent_instance;

  SondeExplainClient *client;
  GtkWidget *empty, *begin, *bar, *run, *cancel, *summary, *spinner, *grid;
  GCancellable *running;
};

G_DEFINE_FINAL_TYPE (SondeSelfTestView, sonde_self_test_view, ADW_TYPE_BIN)

/* From the first test on the page is that of its results. */
static void
say (SondeSelfTestView *self, const char *sentence)
{
  gtk_label_set_text (GTK_LABEL (self->summary), sentence);
  gtk_widget_set_visible (self->empty, FALSE);
  gtk_widget_set_visible (self->bar, TRUE);
  gtk_widget_set_visible (self->summary, TRUE);
}

static void
clear_grid (SondeSelfTestView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->grid)) != NULL)
    gtk_grid_remove (GTK_GRID (self->grid), child);
}

static GtkWidget *
make_value (const char *text)
{
  GtkWidget *label = sonde_make_text (text, "numeric");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_width_chars (GTK_LABEL (label), 14);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 26);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  return label;
}

static void
attach_check (SondeSelfTestView *self, const SondeSelfTestCheck *check, int row)
{
  GtkWidget *mark = sonde_badge_new (), *name = sonde_make_column (0),
            *verdict = sonde_make_row (3);
  g_autofree char *error = sonde_explain_number_text (check->error);
  g_autofree char *tip = g_strdup_printf (_ ("Largest difference: %s"), error);

  sonde_badge_set_state (SONDE_BADGE (mark), check->good ? SONDE_STATE_OK : SONDE_STATE_ERROR);
  gtk_box_append (GTK_BOX (verdict), mark);
  gtk_box_append (GTK_BOX (verdict), sonde_make_text (check->good ? _ ("OK") : _ ("differs"),
                                                      check->good ? NULL : "error"));
  gtk_widget_set_valign (verdict, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (verdict, tip);
  gtk_box_append (GTK_BOX (name), sonde_make_text (_ (check->name), "heading"));
  gtk_box_append (GTK_BOX (name),
                  sonde_make_text (sonde_message_get_text (check->sentence), "caption dim-label"));
  gtk_widget_set_hexpand (name, TRUE);
  gtk_grid_attach (GTK_GRID (self->grid), name, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), make_value (sonde_message_get_text (check->expected)), 1,
                   row, 1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), make_value (sonde_message_get_text (check->got)), 2, row,
                   1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), verdict, 3, row, 1, 1);
}

/* Those that differ first. */
void
sonde_self_test_view_set_checks (SondeSelfTestView *view, GPtrArray *checks)
{
  static const char *const heads[] = { N_ ("Case"), N_ ("Expected"), N_ ("Computed") };
  g_autofree char *summary = NULL;
  guint n_good = 0;
  int row = 1;

  g_return_if_fail (SONDE_IS_SELF_TEST_VIEW (view));
  clear_grid (view);
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    gtk_grid_attach (GTK_GRID (view->grid), sonde_make_label (_ (heads[i]), "caption dim-label"),
                     (int) i, 0, 1, 1);
  for (int good = 0; good < 2; good++)
    for (guint i = 0; i < checks->len; i++)
      {
        const SondeSelfTestCheck *check = g_ptr_array_index (checks, i);

        if ((check->good ? 1 : 0) != good)
          continue;
        n_good += check->good;
        attach_check (view, check, row++);
      }
  if (n_good == checks->len)
    summary = g_strdup_printf (P_ ("The %u case gives the expected result.",
                                   "All %u cases give the expected results.", checks->len),
                               checks->len);
  else
    summary = g_strdup_printf (_ ("%u of %u cases differ: do not trust the methods they name."),
                               checks->len - n_good, checks->len);
  say (view, summary);
}

static void
show_running (SondeSelfTestView *self)
{
  gtk_widget_set_sensitive (self->begin, self->client != NULL);
  gtk_widget_set_sensitive (self->run, self->running == NULL && self->client != NULL);
  gtk_widget_set_visible (self->cancel, self->running != NULL);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), self->running != NULL);
}

static void
on_checks (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeSelfTestView) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) checks = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_SELF_TEST, &error);

  g_clear_object (&self->running);
  show_running (self);
  if (checks != NULL)
    sonde_self_test_view_set_checks (self, checks);
  else
    say (self, g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                   ? _ ("Stopped.")
                   : sonde_error_get_text (error));
}

void
sonde_self_test_view_run (SondeSelfTestView *view)
{
  g_return_if_fail (SONDE_IS_SELF_TEST_VIEW (view));
  if (view->running != NULL || view->client == NULL)
    return;
  view->running = g_cancellable_new ();
  say (view, _ ("Computing…"));
  show_running (view);
  sonde_explain_client_ask_async (view->client, SONDE_EXPLAIN_SELF_TEST, NULL, view->running,
                                  on_checks, g_object_ref (view));
}

gboolean
sonde_self_test_view_is_running (SondeSelfTestView *view)
{
  return view->running != NULL;
}

static void
on_cancel (SondeSelfTestView *self)
{
  g_cancellable_cancel (self->running);
}

static void
sonde_self_test_view_finalize (GObject *object)
{
  g_clear_object (&SONDE_SELF_TEST_VIEW (object)->running);
  G_OBJECT_CLASS (sonde_self_test_view_parent_class)->finalize (object);
}

static void
sonde_self_test_view_dispose (GObject *object)
{
  g_cancellable_cancel (SONDE_SELF_TEST_VIEW (object)->running);
  g_clear_object (&SONDE_SELF_TEST_VIEW (object)->client);
  G_OBJECT_CLASS (sonde_self_test_view_parent_class)->dispose (object);
}

static void
sonde_self_test_view_class_init (SondeSelfTestViewClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_self_test_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_self_test_view_finalize;
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/scores/sonde-self-test-view.ui");
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, empty);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, begin);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, bar);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, run);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, cancel);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, spinner);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, summary);
  gtk_widget_class_bind_template_child (widget, SondeSelfTestView, grid);
  gtk_widget_class_bind_template_callback (widget, sonde_self_test_view_run);
  gtk_widget_class_bind_template_callback (widget, on_cancel);
}

static void
sonde_self_test_view_init (SondeSelfTestView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  show_running (self);
}

void
sonde_self_test_view_set_client (SondeSelfTestView *view, SondeExplainClient *client)
{
  g_return_if_fail (SONDE_IS_SELF_TEST_VIEW (view));
  g_set_object (&view->client, client);
  show_running (view);
}

GtkWidget *
sonde_self_test_view_new (SondeExplainClient *client)
{
  SondeSelfTestView *self = g_object_new (SONDE_TYPE_SELF_TEST_VIEW, NULL);

  sonde_self_test_view_set_client (self, client);
  return GTK_WIDGET (self);
}
