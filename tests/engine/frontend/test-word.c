/* SPDX-License-Identifier: Apache-2.0
 * The word that is typed, and names that go on from it. */
#include "engine/frontend/sonde-debug-word.h"

#include <string.h>

static void
test_start (void)
{
  static const struct
  {
    const char *text, *word;
  } rows[] = {
    { "", "" },
    { "conv1", "conv1" },
    { "max(conv1.we", "conv1.we" },
    { "nan(x) || absmax(/layer1/re", "/layer1/re" },
    { "loss > gradient-no", "gradient-no" },
    { "a[0, :] ", "" },
    { "op:Re", "op:Re" },
    { "fc3.weight'", "fc3.weight'" },
    { "abs(größe", "größe" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gsize length = strlen (rows[i].text);

      g_assert_cmpstr (rows[i].text + sonde_debug_word_start (rows[i].text, length), ==,
                       rows[i].word);
    }
  g_assert_cmpuint (sonde_debug_word_start ("conv1 + conv2", 5), ==, 0);
}

static gboolean
matches (const char *word, const char *name)
{
  return sonde_debug_word_matches (word, 0, strlen (word), name);
}

static void
test_matches (void)
{
  g_assert_true (matches ("co", "conv1"));
  g_assert_true (matches ("CO", "conv1"));
  g_assert_true (matches ("conv", "/layer1/conv1"));
  g_assert_true (matches ("weight", "fc1.weight"));
  g_assert_false (matches ("c", "conv1"));
  g_assert_false (matches ("conv1", "conv1"));
  g_assert_false (matches ("onv", "conv1"));
  g_assert_false (matches ("conv12", "conv1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/word/start", test_start);
  g_test_add_func ("/engine/frontend/word/matches", test_matches);
  return g_test_run ();
}
