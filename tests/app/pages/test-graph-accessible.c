/* SPDX-License-Identifier: Apache-2.0
 * The Graph page as a screen reader has it. */
#include "tests/app/pages/debugger-fixture.h"
#include "tests/app/pages/screen-reader.h"

/* The picture has words, what is pressed, written into or chosen has a name. */
static void
test_read (void)
{
  static const struct
  {
    const char *role, *name;
  } known[] = {
    { "image", "Graph" },           { "combo box", "Graph" },
    { "combo box", "Colour by" },   { "search box", "Search in the graph" },
    { "button", "→ conv1 (Conv)" },
  };
  ScreenReader reader;
  g_autofree char *model = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  model = debugger_write_model (reader.folder);
  screen_reader_start (&reader, (const char *const[]){ model, NULL }, "SondeGraphPage");
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    screen_reader_expect (&reader, known[i].role, known[i].name);
  screen_reader_check_names (&reader);
  screen_reader_check_all_names (&reader);
  screen_reader_find_read (&reader, "image", "Graph", "Relu");
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/graph-accessible/read", test_read);
  return g_test_run ();
}
