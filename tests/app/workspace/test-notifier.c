/* SPDX-License-Identifier: Apache-2.0
 * What somebody who looks elsewhere is told of runs, once each. No display. */
#include "app/workspace/sonde-notifier.h"

#include <math.h>
#include <string.h>

#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-run.h"

typedef struct
{
  char *folder, *path;
  SondeTestRun *run;
  SondeWorkspace *workspace;
  SondeNotifier *notifier;
  GString *said; /* a line each */
} Fixture;

static void
on_notice (SondeNotice notice, const char *id, const char *title, const char *body, gpointer data)
{
  g_string_append_printf (((Fixture *) data)->said, "%s: %s\n", title, body);
}

static void
fixture_init (Fixture *fixture)
{
  g_autofree char *runs = NULL, *index = NULL;

  fixture->folder = sonde_test_folder_new ();
  runs = g_build_filename (fixture->folder, "runs", NULL);
  index = g_build_filename (fixture->folder, "index", NULL);
  fixture->path = g_build_filename (runs, "a", NULL);
  fixture->run = sonde_test_run_new (fixture->path);
  fixture->said = g_string_new (NULL);
  sonde_test_run_scalars (fixture->run, 0, "loss", 1.0, "accuracy", 0.5, NULL);
  sonde_test_run_flush (fixture->run);
  fixture->workspace
      = sonde_workspace_new (NULL, "sonde", (const char *const[]){ runs, NULL }, index);
  fixture->notifier = sonde_notifier_new (fixture->workspace, on_notice, fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_notifier_free (fixture->notifier);
  g_clear_object (&fixture->workspace);
  sonde_test_run_free (fixture->run);
  g_string_free (fixture->said, TRUE);
  g_free (fixture->path);
  sonde_test_folder_free (fixture->folder);
}

static void
check (Fixture *fixture, gboolean quiet, const char *expected)
{
  g_autoptr (GError) error = NULL;

  sonde_test_run_flush (fixture->run);
  g_assert_true (
      sonde_run_store_settle (sonde_workspace_get_store (fixture->workspace), NULL, &error));
  g_assert_no_error (error);
  g_string_truncate (fixture->said, 0);
  sonde_notifier_look (fixture->notifier, quiet);
  g_assert_cmpstr (fixture->said->str, ==, expected);
}

static void
end (Fixture *fixture)
{
  sonde_test_run_record (fixture->run, &(SondeRecord){ .kind = SONDE_RECORD_END, .session = 1 });
}

static void
test_run (void)
{
  Fixture fixture = { 0 };

  fixture_init (&fixture);
  check (&fixture, FALSE, "");
  sonde_test_run_scalars (fixture.run, 1, "loss", (double) NAN, NULL);
  check (&fixture, FALSE, "NaN in a Training: “loss” of “a” is NaN at step 1\n");
  sonde_test_run_scalars (fixture.run, 2, "loss", (double) NAN, NULL);
  check (&fixture, FALSE, "");
  end (&fixture);
  check (&fixture, FALSE, "Training Ended: “a” ended at step 2\n");
  check (&fixture, FALSE, "");
  fixture_clear (&fixture);
}

/* Of what is recorded into a run that has ended, without a step more, nothing is said; of further steps it is. */
static void
test_recorded_later (void)
{
  SondeRecord text
      = { .kind = SONDE_RECORD_TEXT, .session = 2, .tag = "later", .u.text = (char *) "a" };
  SondeScalar loss = { .tag = "loss", .value = 0.5 };
  const SondeRecord over = { .kind = SONDE_RECORD_END, .session = 2 };
  Fixture fixture = { 0 };

  fixture_init (&fixture);
  end (&fixture);
  check (&fixture, FALSE, "");
  sonde_test_run_record (fixture.run, &text);
  check (&fixture, FALSE, "");
  sonde_test_run_record (fixture.run, &over);
  check (&fixture, FALSE, "");
  sonde_test_run_record (fixture.run, &(SondeRecord){ .kind = SONDE_RECORD_SCALARS,
                                                      .session = 3,
                                                      .step = 7,
                                                      .u.scalars = { &loss, 1 } });
  check (&fixture, FALSE, "");
  sonde_test_run_record (fixture.run, &(SondeRecord){ .kind = SONDE_RECORD_END, .session = 3 });
  check (&fixture, FALSE, "Training Ended: “a” ended at step 7\n");
  fixture_clear (&fixture);
}

/* What was seen while somebody looked is not told afterwards, nor what is switched off. */
static void
test_quiet (void)
{
  Fixture fixture = { 0 };

  fixture_init (&fixture);
  sonde_test_run_scalars (fixture.run, 1, "loss", (double) NAN, NULL);
  check (&fixture, TRUE, "");
  check (&fixture, FALSE, "");
  sonde_test_run_scalars (fixture.run, 2, "accuracy", (double) NAN, NULL);
  sonde_workspace_set_setting (fixture.workspace, "notifications",
                               sonde_notice_get_setting (SONDE_NOTICE_NAN), "false");
  check (&fixture, FALSE, "");
  end (&fixture);
  check (&fixture, FALSE, "Training Ended: “a” ended at step 2\n");
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = sonde_test_folder_new ();
  int status;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_test_add_func ("/app/workspace/notifier/run", test_run);
  g_test_add_func ("/app/workspace/notifier/recorded-later", test_recorded_later);
  g_test_add_func ("/app/workspace/notifier/quiet", test_quiet);
  status = g_test_run ();
  sonde_test_folder_free (g_steal_pointer (&folder));
  return status;
}
