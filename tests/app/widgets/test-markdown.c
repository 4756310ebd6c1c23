/* SPDX-License-Identifier: Apache-2.0
 * What a recorded text becomes: labels that say the same, never markup, links or HTML; and hostile
 * texts that are nested or long. */
#include "app/widgets/sonde-markdown.h"
#include "tests/app/pages/window-fixture.h"

#define LIMIT 20000 /* characters that a text card gives to Markdown */

static GtkWidget *
make (const char *text, gboolean *was_cut)
{
  *was_cut = FALSE;
  return g_object_ref_sink (sonde_markdown_make (text, was_cut));
}

static void
test_words (void)
{
  static const struct
  {
    const char *text, *shown;
  } cases[] = {
    { "# Title", "Title" },
    { "Title\n=====", "Title" },
    { "some *words*, a_b_c and 2*3*4", "some words, a_b_c and 2*3*4" },
    { "**bold `code*x*y`** end", "bold code*x*y end" },
    { "one\ntwo", "one\ntwo" },
    { "- a\n- b", "•" },
    { "3. three", "3." },
    { "> quoted", "quoted" },
    { "```\nlet a*b;\n```", "let a*b;" },
    { "<b>raw</b> & <i>more</i>", "<b>raw</b> & <i>more</i>" },
    { "<div onclick=\"x\">\nblock\n</div>", "<div onclick=\"x\">\nblock\n</div>" },
    { "see [the page](https://example.org/?a=1)", "see [the page](https://example.org/?a=1)" },
    { "![a picture](file:///etc/passwd)", "![a picture](file:///etc/passwd)" },
    { "| a | b |\n|---|--:|\n| x\\|y | `6` |", "x|y" },
    { "<a\u202e", "<a⟨U+202E⟩" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean was_cut;
      GtkWidget *box = make (cases[i].text, &was_cut);

      if (window_fixture_find_label (box, cases[i].shown) == NULL)
        g_error ("“%s” does not say “%s”", cases[i].text, cases[i].shown);
      g_assert_false (was_cut);
      g_object_unref (box);
    }
}

static int
count_depth (GtkWidget *widget)
{
  int depth = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    depth = MAX (depth, 1 + count_depth (child));
  return depth;
}

/* The same few characters over and over, up to the limit. */
static void
test_hostile (void)
{
  static const char *const parts[]
      = { "> ",  "- ", "*",    "[",  "`",     "**a ",   "_a ",  "<",     "![](", "|",     "\n- ",
          "#\n", "\\", "&#0;", "a*", "~~~\n", "*a_ **", "|-\n", "1. \n", "]: ",  "\u202e" };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      GString *text = g_string_new (NULL);
      gint64 start = g_get_monotonic_time (), took;
      gboolean was_cut;
      GtkWidget *box;

      while (text->len + strlen (parts[i]) <= LIMIT)
        g_string_append (text, parts[i]);
      box = make (text->str, &was_cut);
      took = g_get_monotonic_time () - start;
      g_test_message ("%zu: %s, %.1f ms, depth %d", i, parts[i], (double) took / 1000,
                      count_depth (box));
      g_assert_cmpint (count_depth (box), <, 64);
      g_assert_cmpint (took, <, 20 * G_USEC_PER_SEC);
      g_object_unref (box);
      g_string_free (text, TRUE);
    }
}

/* More blocks than there is room for: the rest is one plain text. */
static void
test_many (void)
{
  GString *text = g_string_new (NULL);
  gboolean was_cut;
  GtkWidget *box;

  for (int i = 0; i < 400; i++)
    g_string_append_printf (text, "**p%d**\n\n", i);
  box = make (text->str, &was_cut);
  g_assert_nonnull (window_fixture_find_label (box, "p299"));
  g_assert_nonnull (window_fixture_find_label (box, "**p300**\n\n**p301**"));
  g_object_unref (box);
  g_string_free (text, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/app/widgets/markdown/words", test_words);
  g_test_add_func ("/app/widgets/markdown/hostile", test_hostile);
  g_test_add_func ("/app/widgets/markdown/many", test_many);
  return g_test_run ();
}
