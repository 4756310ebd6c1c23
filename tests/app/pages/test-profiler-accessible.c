/* SPDX-License-Identifier: Apache-2.0
 * The Profiler page as a screen reader has it: its views are chosen, read and searched for what has no name,
 * on a run with a recording and on a trace of another program. */
#include <glib/gstdio.h>

#include "tests/app/pages/profile-fixture.h"
#include "tests/app/pages/screen-reader.h"

/* Of a view its tab, and what can be read there; of its picture what is read under the pointer, too. */
typedef struct
{
  const char *title;
  struct
  {
    const char *role, *name;
  } known[6];
  const char *picture, *reading;
} View;

static void
read_views (ScreenReader *reader, const View *views, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_test_message ("%s", views[i].title);
      screen_reader_press (reader, "tab", views[i].title);
      for (gsize k = 0; k < G_N_ELEMENTS (views[i].known) && views[i].known[k].name != NULL; k++)
        screen_reader_expect (reader, views[i].known[k].role, views[i].known[k].name);
      screen_reader_check_names (reader);
      if (views[i].picture != NULL)
        screen_reader_find_read (reader, "image", views[i].picture, views[i].reading);
    }
  screen_reader_check_all_names (reader);
}

static void
test_run (void)
{
  static const View views[] = {
    { "Operators",
      { { "search box", "Filter operators" },
        { "button", "Export the table" },
        { "tree grid", "Operators" },
        { "label", "relu+fc" },
        { "label", "compute" } } },
    { "Timeline",
      { { "search box", "Search spans by name" },
        { "image", "Timeline" },
        { "tree grid", "Sums by name" },
        { "label", "conv" } },
      "Timeline",
      ", from " },
    { "Flame Graph", { { "image", "Flame graph" }, { "label", "all: " } }, "Flame graph", "all" },
    { "Roofline",
      { { "image", "Roofline" }, { "label", "Measured with 1 thread" } },
      "Roofline",
      "conv" },
    { "Memory",
      { { "image", "Memory" },
        { "spin button", "Step of the plan" },
        { "tree grid", "Values that live in the step" },
        { "label", "conv, the peak: 5 KiB" } },
      "Memory",
      "KiB" },
    { "Data", { { "label", "No Data Pipeline" } } },
    { "Compare",
      { { "combo box", "Profile to compare with" },
        { "tree grid", "Operators of both profiles" },
        { "label", "A step takes" } } },
    { "Overview",
      { { "label", "What to change" },
        { "image", "Where a step goes" },
        { "image", "Top operators" },
        { "button", "Show Operator" } },
      "Top operators",
      "conv" },
  };
  ScreenReader reader;
  g_autofree char *base = NULL, *other = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  screen_reader_choose_page (&reader, "profiler");
  base = g_build_filename (reader.folder, "base", NULL);
  other = g_build_filename (reader.folder, "other", NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SondeTestRun) run = sonde_test_run_new (i == 0 ? base : other);

      profile_fixture_write (run, i + 1, i == 0 ? 1 : 2);
    }
  screen_reader_start (&reader, (const char *const[]){ base, other, NULL }, "SondeProfilerPage");
  read_views (&reader, views, G_N_ELEMENTS (views));
  screen_reader_clear (&reader);
}

static void
test_trace (void)
{
  static const char text[]
      = "{\"schemaVersion\":1,\"traceEvents\":["
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100,\"name\":\"ProfilerStep#0\","
        "\"cat\":\"user_annotation\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":60,\"name\":\"enumerate(DataLoader)#"
        "x\","
        "\"cat\":\"user_annotation\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":60,\"dur\":30,\"name\":\"aten::conv\",\"cat\":"
        "\"cpu_op\"},"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":65,\"name\":\"[memory]\",\"cat\":\"cpu_instant_"
        "event\","
        "\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Addr\":1,\"Bytes\":64,\"Total "
        "Allocated\":64,"
        "\"Total Reserved\":0}},"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":95,\"name\":\"stray\"}]}";
  static const View views[] = {
    { "Operators", { { "tree grid", "Operators" }, { "label", "aten::conv" } } },
    { "Timeline", { { "button", "Irregularities" }, { "label", "Whole trace" } } },
    { "Flame Graph", { { "image", "Flame graph" } } },
    { "Roofline", { { "label", "No Operations to Count" } } },
    { "Memory", { { "tree grid", "Memory events" }, { "label", "64 B" } } },
    { "Data", { { "image", "Waiting for data" }, { "label", "DataLoader" } } },
    { "Compare", { { "label", "Nothing to Compare With" } } },
    { "Overview", { { "button", "Show Data Pipeline" }, { "label", "What it cannot tell" } } },
  };
  ScreenReader reader;
  g_autofree char *path = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  path = g_build_filename (reader.folder, "trace.json", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  screen_reader_start (&reader, (const char *const[]){ path, NULL }, "SondeProfilerPage");
  read_views (&reader, views, G_N_ELEMENTS (views));
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/profiler-accessible/run", test_run);
  g_test_add_func ("/app/pages/profiler-accessible/trace", test_trace);
  return g_test_run ();
}
