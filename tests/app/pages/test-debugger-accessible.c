/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page as a screen reader has it: the program runs, and is read and pressed over the
 * accessibility bus. */
#include "tests/app/pages/debugger-fixture.h"
#include "tests/app/pages/screen-reader.h"

/* The page is read, steps by its buttons, and tells where it stands. */
static void
test_read_and_press (void)
{
  static const struct
  {
    const char *role, *name;
  } known[] = {
    { "button", "Continue" },
    { "button", "Pause" },
    { "button", "Step Back" },
    { "button", "Step Over (Scope)" },
    { "button", "Step Out" },
    { "button", "Run to Selected Node" },
    { "button", "Restart" },
    { "button", "Toggle Breakpoint at Selected Node" },
    { "button", "Add Watchpoint…" },
    { "button", "Find the Cause" },
    { "button", "More" },
    { "button", "End Session" },
    { "image", "Graph" },
    { "tab", "Breakpoints" },
    { "tab", "Console" },
    { "list", "Stack" },
    { "list", "Values" },
    { "list item", "x" },
    { "list item", "conv1.weight" },
    { "text box", "Slice of the value" },
    { "button", "Copy the value" },
    { "label", "Ready before the first of 4 nodes of small.onnx" },
  };
  ScreenReader reader;
  g_autofree char *model = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  model = debugger_write_model (reader.folder);
  screen_reader_start (&reader, (const char *const[]){ "debug", model, NULL }, "SondeDebuggerPage");
  screen_reader_expect (&reader, "text box", "Listing of the executed graph");
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    screen_reader_expect (&reader, known[i].role, known[i].name);
  screen_reader_press (&reader, "button", "Step Into");
  screen_reader_expect (&reader, "label", "Paused before relu1");
  screen_reader_expect (&reader, "list item", "conv1_output_0");
  screen_reader_check_names (&reader);
  screen_reader_check_all_names (&reader);
  screen_reader_find_read (&reader, "image", "Graph", "Conv");
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/debugger-accessible/read-and-press", test_read_and_press);
  return g_test_run ();
}
