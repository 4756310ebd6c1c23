/* SPDX-License-Identifier: Apache-2.0
 * The nearest name: which one wins, and when none is near. */
#include "engine/live/sonde-nearest.h"

#include <string.h>

static const char *
word (guint k, gpointer data)
{
  return ((const char **) data)[k];
}

static void
test_choice (void)
{
  static const char *words[]
      = { "conv1", "conv2", "relu_1", "Softmax", NULL, "continue", "/block3/Conv" };
  static const struct
  {
    const char *text, *nearest;
  } cases[] = {
    { "conv1", "conv1" },
    { "cnov1", "conv1" },
    { "conv22", "conv2" },
    { "conv3", "conv1" },
    { "softmax", "Softmax" },
    { "relu1", "relu_1" },
    { "contineu", "continue" },
    { "block3", "/block3/Conv" },
    { "bl", NULL },
    { "something else", NULL },
    { "", NULL },
    { "x", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (sonde_nearest_name (cases[i].text, word, G_N_ELEMENTS (words), words), ==,
                     cases[i].nearest);
}

static void
test_long (void)
{
  g_autofree char *text = g_strnfill (100000, 'a');
  const char *words[] = { text, "aaa" };

  g_assert_null (sonde_nearest_name (text, word, 2, words));
  g_assert_cmpstr (sonde_nearest_name ("aaab", word, 2, words), ==, "aaa");
  g_assert_null (sonde_nearest_name ("aaa", word, 0, words));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/nearest/choice", test_choice);
  g_test_add_func ("/engine/debug/nearest/long", test_long);
  return g_test_run ();
}
