/* SPDX-License-Identifier: Apache-2.0
 * The Explain page on a network that is right under another preprocessing: the choice is offered, and
 * nothing is taken for a fact before it is made. */
#include <string.h>

#include "app/explain/sonde-explain-chooser.h"
#include "app/explain/sonde-explain-workspace.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/explain/session/colour-net.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture, const char *text)
{
  GtkWidget *label = window_fixture_find_label (page_of (fixture), text);

  return label != NULL && gtk_widget_get_mapped (label);
}

static SondeExplainWorkspace *
workspace_of (WindowFixture *fixture)
{
  return SONDE_EXPLAIN_WORKSPACE (
      window_fixture_find (page_of (fixture), SONDE_TYPE_EXPLAIN_WORKSPACE));
}

static SondeExplanationJobs *
jobs_of (WindowFixture *fixture)
{
  return sonde_explain_workspace_get_jobs (workspace_of (fixture));
}

static const char *
status_of (WindowFixture *fixture)
{
  return sonde_page_get_status (SONDE_PAGE (page_of (fixture)));
}

/* A button that a hand can reach. */
static void
press (WindowFixture *fixture, const char *label)
{
  GtkWidget *text = window_fixture_find_label (page_of (fixture), label), *button;

  g_assert_nonnull (text);
  button = gtk_widget_get_ancestor (text, GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_mapped (button) && gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  window_fixture_settle (fixture);
}

static void
open_doubtful (WindowFixture *fixture)
{
  g_autofree char *model = NULL, *data = NULL;
  SondePageRequest request = { 0 };

  fixture->folder = g_dir_make_tmp ("sonde-explain-XXXXXX", NULL);
  model = colour_net_write (fixture->folder, SIGN_OF_BRIGHTNESS);
  data = colour_images_write (fixture->folder, dark_or_bright);
  request.data = data;
  window_fixture_open_paths (fixture, (const char *const[]){ model, NULL }, "explain", &request);
  window_fixture_settle (fixture);
  g_assert_true (sonde_explanation_jobs_is_doubtful (jobs_of (fixture)));
  g_assert_true (says (fixture, "Preprocessing not chosen: 100.0 % correct with "));
  g_assert_true (says (fixture, "Preprocessing not chosen. Misclassified: 40 of 80"));
  g_assert_true (g_str_has_prefix (status_of (fixture), "Preprocessing not chosen"));
  /* no reasons for errors that are not the network's */
  g_assert_null (sonde_explanation_jobs_get_triage (jobs_of (fixture)));
  g_assert_false (says (fixture, "All  "));
}

static void
test_use (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeExplanationSettings) settings = NULL;

  open_doubtful (&fixture);
  press (&fixture, "Use It");
  g_assert_false (sonde_explanation_jobs_is_doubtful (jobs_of (&fixture)));
  g_assert_false (says (&fixture, "Preprocessing not chosen"));
  g_assert_null (strstr (status_of (&fixture), "Preprocessing"));
  g_assert_cmpuint (sonde_prediction_list_count_errors (
                        sonde_explanation_jobs_get_predictions (jobs_of (&fixture))),
                    ==, 0);
  settings = sonde_explain_workspace_dup_settings (workspace_of (&fixture));
  g_assert_nonnull (settings->mean);
  g_assert_nonnull (settings->std);
  window_fixture_clear (&fixture);
}

static void
test_keep (void)
{
  WindowFixture fixture = { 0 };

  open_doubtful (&fixture);
  press (&fixture, "Keep");
  g_assert_false (says (&fixture, "Preprocessing not chosen"));
  g_assert_true (says (&fixture, "Misclassified: 40 of 80"));
  g_assert_true (says (&fixture, "Misclassified: 40 of 80"));
  g_assert_nonnull (sonde_explanation_jobs_get_triage (jobs_of (&fixture)));
  window_fixture_clear (&fixture);
}

static void
test_enter (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeExplanationSettings) settings = NULL;
  SondeExplainChooser *chooser;

  open_doubtful (&fixture);
  press (&fixture, "Enter…");
  chooser = SONDE_EXPLAIN_CHOOSER (
      window_fixture_find (page_of (&fixture), SONDE_TYPE_EXPLAIN_CHOOSER));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chooser)));
  settings = sonde_explain_chooser_dup_settings (chooser);
  g_assert_cmpstr (
      settings->mean, ==,
      sonde_preprocessing_trial_get_best (sonde_explanation_jobs_get_trial (jobs_of (&fixture)))
          ->mean);
  g_free (settings->mean);
  settings->mean = g_strdup ("0.4");
  sonde_explain_chooser_set_settings (chooser, settings);
  g_signal_emit_by_name (chooser, "open");
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "Preprocessing not chosen"));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/explain/preprocessing/use", test_use);
  g_test_add_func ("/app/explain/preprocessing/keep", test_keep);
  g_test_add_func ("/app/explain/preprocessing/enter", test_enter);
  return g_test_run ();
}
