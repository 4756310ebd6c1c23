/* SPDX-License-Identifier: Apache-2.0
 * Operators on strings: what the standard's own cases leave open. Expected: the operator texts of
 * ONNX; Python's str.split (); RE2's syntax. */
#include "engine/ops/sonde-op.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

/* Words separated by '|'; "" is a tensor without any. */
static SondeTensor *
words (const char *text)
{
  g_auto (GStrv) list = g_strsplit (text, "|", -1);
  SondeShape shape = sonde_shape_make (1, g_strv_length (list));

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, list);
}

static SondeNode *
new_node (SondeGraph *graph, const char *op, guint n_inputs)
{
  SondeGraphValue *inputs[2] = { NULL };

  for (guint k = 0; k < n_inputs; k++)
    inputs[k] = sonde_graph_add_value (graph, "x", NULL);
  return sonde_graph_add_node (graph, "node", "", op, inputs, n_inputs,
                               strcmp (op, "StringSplit") == 0 ? 2 : 1);
}

static void
set_words (SondeNode *node, const char *name, const char *text)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRINGS);

  attribute->u.strings = g_strsplit (text, "|", -1);
  attribute->n = g_strv_length (attribute->u.strings);
  sonde_node_take_attribute (node, attribute);
}

static SondeTensor *
run (SondeNode *node, SondeTensor *a, SondeTensor *b)
{
  SondeTensor *inputs[] = { a, b }, *outputs[2] = { NULL };
  g_autoptr (GError) error = NULL;

  sonde_op_run_reference (node, inputs, node->inputs->len, outputs, node->outputs->len, &error);
  g_assert_no_error (error);
  sonde_tensor_unref (outputs[1]);
  return outputs[0];
}

static void
refused (SondeNode *node, SondeTensor *x, const char *sentence)
{
  SondeTensor *outputs[2] = { NULL };
  g_autoptr (GError) error = NULL;

  g_assert_false (
      sonde_op_run_reference (node, &x, node->inputs->len, outputs, node->outputs->len, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, sentence) == NULL)
    g_error ("“%s” lacks “%s”", error->message, sentence);
}

static void
assert_words (SondeTensor *got, const char *want)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gint64 i = 0; i < sonde_tensor_n_elements (got); i++)
    {
      g_autofree char *word = sonde_tensor_format_element (got, i);

      g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", word);
    }
  g_assert_cmpstr (text->str, ==, want);
}

static void
test_split (void)
{
  static const struct
  {
    const char *text, *delimiter;
    int most; /* -2: not given */
    const char *want;
  } rows[] = {
    { "  1  2   3  ", NULL, 1, "1|2   3  " },
    { "  1  2   3  ", "", -2, "1|2|3" },
    { "a b", NULL, 0, "a b" },
    { " a b ", NULL, 0, "a b " },
    { "a\tb\vc\xc2\xa0"
      "d\xe2\x80\x83"
      "e",
      NULL, -2, "a|b|c|d|e" },
    { "a--b----c", "--", -2, "a|b||c" },
    { "a--b--c", "--", 1, "a|b--c" },
    { "", ",", -2, "" },
    { ",", ",", -2, "|" },
    { "\xff\xfe x", NULL, -2, "\xff\xfe|x" },
    { "a b c", NULL, -1, "a|b|c" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      SondeNode *node = new_node (graph, "StringSplit", 1);
      SondeShape one = sonde_shape_make (1, 1);
      g_autoptr (SondeTensor) x
          = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &one, &rows[i].text),
          y = NULL;

      if (rows[i].delimiter != NULL)
        sonde_node_set_string (node, "delimiter", rows[i].delimiter);
      if (rows[i].most != -2)
        sonde_node_set_int (node, "maxsplit", rows[i].most);
      y = run (node, x, NULL);
      g_assert_cmpint (y->shape.rank, ==, 2);
      assert_words (y, rows[i].want);
    }
}

/* One empty word of whitespace has no parts at all. */
static void
test_split_nothing (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  g_autoptr (SondeTensor) x = words (" |  "), y = NULL;

  y = run (new_node (graph, "StringSplit", 1), x, NULL);
  g_assert_cmpint (y->shape.dims[0], ==, 2);
  g_assert_cmpint (y->shape.dims[1], ==, 0);
}

static void
test_concat_limit (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeNode *node = new_node (graph, "StringConcat", 2);
  SondeShape one = sonde_shape_make (1, 1), many = sonde_shape_make (1, 200000);
  g_autofree char *text = g_strnfill (10000, 'x');
  g_autoptr (SondeTensor) x = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &one, &text);
  g_autoptr (SondeTensor) y = sonde_tensor_new (SONDE_DTYPE_STRING, &many);
  SondeTensor *inputs[] = { x, y }, *output = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_op_run_reference (node, inputs, 2, &output, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
}

static void
test_normalize (void)
{
  static const struct
  {
    const char *text, *change, *locale, *stop;
    int sensitive;
    const char *want;
  } rows[] = {
    { "Äpfel|UND|und|Birnen", "LOWER", NULL, "und", 0, "äpfel|birnen" },
    { "Äpfel|UND|und|Birnen", "UPPER", NULL, "und", 1, "ÄPFEL|UND|BIRNEN" },
    { "Istanbul|iyi|ıslak", "UPPER", "tr_TR", NULL, 0, "ISTANBUL|İYİ|ISLAK" },
    { "Istanbul|İyi", "LOWER", "tr_TR", NULL, 0, "ıstanbul|iyi" },
    { "Istanbul", "LOWER", "en_US", NULL, 0, "istanbul" },
    { "a|A", "NONE", NULL, "a", 0, "" },
    { "\xff"
      "A",
      "LOWER", NULL, NULL, 0,
      "\xff"
      "a" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      SondeNode *node = new_node (graph, "StringNormalizer", 1);
      g_autoptr (SondeTensor) x = words (rows[i].text), y = NULL;

      sonde_node_set_string (node, "case_change_action", rows[i].change);
      sonde_node_set_int (node, "is_case_sensitive", rows[i].sensitive);
      if (rows[i].locale != NULL)
        sonde_node_set_string (node, "locale", rows[i].locale);
      if (rows[i].stop != NULL)
        set_words (node, "stopwords", rows[i].stop);
      y = run (node, x, NULL);
      assert_words (y, rows[i].want);
    }
}

static void
test_match (void)
{
  static const struct
  {
    const char *pattern, *text;
    gboolean want;
  } rows[] = {
    { "\\d+", "123", TRUE },
    { "\\d+", "\xd9\xa1", FALSE }, /* an Arabic digit */
    { "[\\d_]+", "1_2", TRUE },
    { "\\w+", "\xc3\xa4", FALSE },
    { "\\pL+", "\xc3\xa4", TRUE },
    { "a|ab", "ab", TRUE },
    { "a", "a\n", FALSE },
    { "a$", "a\n", FALSE },
    { ".", "\xc3\xa4", TRUE },
    { ".", "\n", FALSE },
    { "(?s).", "\n", TRUE },
    { "(?i)ABC", "abc", TRUE },
    { "(?P<x>a+)b", "aab", TRUE },
    { "\\Qa.b\\E", "a.b", TRUE },
    { "\\Qa.b\\E", "axb", FALSE },
    { "[]a]+", "]a", TRUE },
    { "[^\\s]+", "a b", FALSE },
    { "[[:alpha:]\\d]+", "a1", TRUE },
    { "", "", TRUE },
    { "a", "\xff", FALSE },
    { "\\Q\\d\\E", "\\d", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      SondeNode *node = new_node (graph, "RegexFullMatch", 1);
      SondeShape one = sonde_shape_make (1, 1);
      g_autoptr (SondeTensor) x
          = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &one, &rows[i].text),
          y = NULL;

      sonde_node_set_string (node, "pattern", rows[i].pattern);
      y = run (node, x, NULL);
      if (sonde_tensor_get_int (y, 0) != rows[i].want)
        g_error ("“%s” and “%s”", rows[i].pattern, rows[i].text);
    }
}

static void
test_match_refused (void)
{
  static const char *const wrong[] = { "a)(b", "(", "[a", "*a" };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeNode *node = new_node (graph, "RegexFullMatch", 1);
  g_autofree char *text = g_strnfill (40, 'a');
  g_autofree char *long_text = g_strconcat (text, "b", NULL);
  g_autoptr (SondeTensor) x = words (long_text);

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      sonde_node_set_string (node, "pattern", wrong[i]);
      refused (node, x, "is wrong");
    }
  sonde_node_set_string (node, "pattern", "(a|aa)+[cd]");
  refused (node, x, "too long");
}

/* Pool: a, b | a b, b a; columns 3 1 | 0 2. */
static SondeNode *
new_vectorizer (SondeGraph *graph, const char *mode, int skip)
{
  static const gint64 starts[] = { 0, 2 }, columns[] = { 3, 1, 0, 2 };
  static const double weights[] = { 2, 3, 5, 7 };
  SondeNode *node = new_node (graph, "TfIdfVectorizer", 1);

  sonde_node_set_string (node, "mode", mode);
  sonde_node_set_int (node, "min_gram_length", 1);
  sonde_node_set_int (node, "max_gram_length", 2);
  sonde_node_set_int (node, "max_skip_count", skip);
  sonde_node_set_ints (node, "ngram_counts", starts, 2);
  sonde_node_set_ints (node, "ngram_indexes", columns, 4);
  sonde_node_set_floats (node, "weights", weights, 4);
  set_words (node, "pool_strings", "a|b|a|b|b|a");
  return node;
}

static void
test_count (void)
{
  static const struct
  {
    const char *mode;
    int skip;
    const char *want;
  } rows[] = {
    /* a b x a b: a twice, b twice, "a b" twice; with one skipped "b a" too; with two "a b" is not
     * there again */
    { "TF", 0, "4: 2 2 0 2" },
    { "TF", 1, "4: 2 2 1 2" },
    { "IDF", 1, "4: 5 3 7 2" },
    { "TFIDF", 1, "4: 10 6 7 4" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      g_autoptr (SondeTensor) x = words ("a|b|x|a|b"), y = NULL,
                              want = sonde_test_tensor (SONDE_DTYPE_F32, rows[i].want);

      y = run (new_vectorizer (graph, rows[i].mode, rows[i].skip), x, NULL);
      sonde_test_assert_close (y, want, 0, 0, rows[i].mode);
    }
}

static void
test_count_refused (void)
{
  static const gint64 starts[][2] = { { 0, 7 }, { 0, 1 }, { 4, 2 }, { -2, 2 } },
                      columns[] = { 0, 1, -1, 2 };
  g_autoptr (SondeTensor) x = words ("a"), numbers = sonde_test_tensor (SONDE_DTYPE_I64, "1: 1");
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeNode *node = new_vectorizer (graph, "TF", 0);

  refused (node, numbers, "the pool is not");
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      sonde_node_set_ints (node, "ngram_counts", starts[i], 2);
      refused (node, x, "");
    }
  node = new_vectorizer (graph, "TF", 0);
  sonde_node_set_ints (node, "ngram_indexes", columns, 4);
  refused (node, x, "ngram_indexes has -1");
  sonde_node_set_ints (node, "ngram_indexes", columns, 2);
  refused (node, x, "4 n-grams");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/text/split", test_split);
  g_test_add_func ("/engine/ops/text/split-nothing", test_split_nothing);
  g_test_add_func ("/engine/ops/text/concat-limit", test_concat_limit);
  g_test_add_func ("/engine/ops/text/normalize", test_normalize);
  g_test_add_func ("/engine/ops/text/match", test_match);
  g_test_add_func ("/engine/ops/text/match-refused", test_match_refused);
  g_test_add_func ("/engine/ops/text/count", test_count);
  g_test_add_func ("/engine/ops/text/count-refused", test_count_refused);
  return g_test_run ();
}
