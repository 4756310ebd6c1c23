/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/browsing/browsing-fixture.h"

#include "tests/support/sonde-test-program.h"

void
browsing_fixture_init (BrowsingFixture *fixture)
{
  g_autofree char *index = NULL;

  fixture->folder = sonde_test_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  index = g_build_filename (fixture->folder, "index", NULL);
  fixture->store = sonde_run_store_new (NULL, (const char *const[]){ fixture->runs, NULL }, index);
}

SondeTestRun *
browsing_fixture_begin_run (BrowsingFixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->runs, name, NULL);

  return sonde_test_run_new (path);
}

void
browsing_fixture_add_run (BrowsingFixture *fixture, const char *name)
{
  g_autoptr (SondeTestRun) run = browsing_fixture_begin_run (fixture, name);

  sonde_test_run_scalars (run, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (run);
}

void
browsing_fixture_settle (BrowsingFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_run_store_settle (fixture->store, NULL, &error));
  g_assert_no_error (error);
}

SondeRun *
browsing_fixture_find (BrowsingFixture *fixture, const char *name)
{
  SondeRun *run = sonde_run_store_find (fixture->store, name);

  g_assert_nonnull (run);
  return run;
}

void
browsing_fixture_clear (BrowsingFixture *fixture)
{
  g_object_unref (fixture->store);
  g_free (fixture->runs);
  sonde_test_folder_free (fixture->folder);
}

SondeRecord
browsing_record (SondeRecordKind kind, const char *tag, gint64 step)
{
  return (SondeRecord){ .kind = kind,
                        .session = 1,
                        .step = step,
                        .tag = g_intern_string (tag),
                        .wall_time_ns = SONDE_TEST_RUN_START_NS + step };
}
