/* SPDX-License-Identifier: Apache-2.0
 * Twice through all pages with random pointer and keys: what GTK or GLib warns of ends the program, and the test. The
 * long form, which watches the memory, too: scripts/bench window random. */
#include "tests/app/whole/random-input.h"
#include "tests/app/whole/whole-fixture.h"

#define EVENTS_ON_A_PAGE 40
#define ROUNDS 2

static guint
count_pages (void)
{
  guint n = 0;

  while (sonde_page_table[n].name != NULL)
    n++;
  return n;
}

static void
test_round (gconstpointer seed)
{
  WindowFixture fixture = { 0 };
  RandomInput *input;

  whole_fixture_open (&fixture, "overview");
  input = random_input_new (&fixture, GPOINTER_TO_UINT (seed), EVENTS_ON_A_PAGE, NULL);
  if (input == NULL)
    g_test_skip ("There is no libXtst.");
  else
    {
      while (random_input_get_n_pages (input) <= count_pages ())
        g_main_context_iteration (NULL, TRUE);
      random_input_free (input);
    }
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  random_input_know_warnings ();
  for (guint seed = 1; seed <= ROUNDS; seed++)
    {
      g_autofree char *path = g_strdup_printf ("/app/whole/random-input/%u", seed);

      g_test_add_data_func (path, GUINT_TO_POINTER (seed), test_round);
    }
  return g_test_run ();
}
