/* SPDX-License-Identifier: Apache-2.0
 * The program in another language: texts for people are translated, what machines read is not. */
#include <string.h>

#include "tests/support/sonde-test-program.h"

/* The variable by which gettext chooses; the locale itself is C.UTF-8 in every test. */
static SondeTestProgram *
run_in (const char *language, const char *folder, const char *const *arguments)
{
  SondeTestProgram *program;

  g_setenv ("LANGUAGE", language, TRUE);
  program = sonde_test_run_strv (folder, NULL, arguments);
  g_setenv ("LANGUAGE", "", TRUE);
  return program;
}

static void
test_help (void)
{
  char *place = sonde_test_folder_new ();
  const char *arguments[] = { "--help", NULL };
  g_autoptr (SondeTestProgram) chinese = run_in ("zh_CN", place, arguments);
  g_autoptr (SondeTestProgram) english = run_in ("", place, arguments);

  sonde_test_assert_status (chinese, 0);
  sonde_test_assert_contains (chinese->out, "用法");
  sonde_test_assert_contains (chinese->out, "screenshot");
  sonde_test_assert_contains (english->out, "Usage:");
  sonde_test_folder_free (place);
}

/* Wrong use is said in the user's language; the words that were typed stay. */
static void
test_misuse (void)
{
  char *place = sonde_test_folder_new ();
  const char *arguments[] = { "--no-such-option", NULL };
  g_autoptr (SondeTestProgram) chinese = run_in ("zh_CN:zh", place, arguments);

  sonde_test_assert_status (chinese, 2);
  sonde_test_assert_contains (chinese->err, "未知选项");
  sonde_test_assert_contains (chinese->err, "--no-such-option");
  sonde_test_folder_free (place);
}

/* One object, the same bytes in both languages. */
static void
test_json (void)
{
  char *place = sonde_test_folder_new ();
  const char *arguments[] = { "train", "--list", "--json", NULL };
  g_autoptr (SondeTestProgram) chinese = run_in ("zh_CN", place, arguments);
  g_autoptr (SondeTestProgram) english = run_in ("", place, arguments);

  sonde_test_assert_status (chinese, 0);
  sonde_test_assert_status (english, 0);
  g_assert_cmpstr (chinese->out, ==, english->out);
  sonde_test_folder_free (place);
}

/* ---- whole sentences ----------------------------------------------------- */

static void
put (const char *folder, const char *name, const void *bytes, gssize length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, bytes, length, &error);
  g_assert_no_error (error);
}

/* What stands in quotation marks was typed, or is in a file. (transfer full) */
static char *
without_quotes (const char *text)
{
  g_autoptr (GRegex) quoted = g_regex_new ("“[^“”]*”", 0, 0, NULL);
  g_autofree char *once = g_regex_replace_literal (quoted, text, -1, 0, "", 0, NULL);

  return g_regex_replace_literal (quoted, once, -1, 0, "", 0, NULL);
}

/* @names: words of ASCII that are the same in every language, separated by blanks */
static void
assert_no_english (const char *text, const char *names)
{
  g_autofree char *plain = without_quotes (text);
  g_auto (GStrv) allowed = g_strsplit (names, " ", -1);
  g_autoptr (GRegex) word = g_regex_new ("[A-Za-z]{2,}", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (word, plain, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *found = g_match_info_fetch (match, 0);

      if (!g_strv_contains ((const char *const *) allowed, found))
        g_error ("“%s” is English in: %s", found, text);
    }
}

/* graph “g” with a node “n” of an attribute “a”, whose type no version knows; an initialiser “w” whose
 * element type none knows */
#define ONNX_HEAD "\x08\x08"
#define ONNX_TAIL "\x42\x04\x0a\x00\x10\x11"
static const char bad_attribute[]
    = ONNX_HEAD "\x3a\x19\x0a\x14\x12\x01y\x1a\x01n\x22\x04Relu\x2a\x06\x0a\x01"
                "a\xa0\x01\x63\x12\x01g" ONNX_TAIL;
static const char bad_tensor[]
    = ONNX_HEAD "\x3a\x0c\x12\x01g\x2a\x07\x08\x03\x10\x4d\x42\x01w" ONNX_TAIL;

/* @arguments: of the command; @said: a part in Chinese; @names: see assert_no_english() */
typedef struct
{
  const char *arguments[6];
  const char *said, *names;
} Sentence;

static const Sentence sentences[] = {
  { { "train", "mlp", "--set=data.source=csv:bad.csv", NULL },
    "不是数字",
    "sonde train data source csv bad" },
  { { "train", "mlp", "--set=data.source=csv:good.csv;kind=x", NULL },
    "可用项",
    "sonde train csv good auto class number yes no error mean none label kind header missing shape "
    "separator tab data source" },
  { { "train", "mlp", "--set=train.epochs=x", NULL }, "允许的值", "sonde train set epochs" },
  { { "train", "mlp", "--set=data.source=csv:good.csv", "--set=data.train=100", NULL },
    "个训练样本",
    "sonde train data source csv good" },
  { { "inspect", "attribute.onnx", NULL }, "节点“n”的属性“a”", "sonde inspect" },
  { { "inspect", "tensor.onnx", NULL }, "张量“w”", "sonde inspect" },
};

/* Words of ours inside of a sentence are in its language, too. */
static void
test_sentences (gconstpointer data)
{
  const Sentence *sentence = data;
  char *place = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) chinese = NULL;

  put (place, "bad.csv", "a,b,label\n1,2,x\n1,oops,y\n", -1);
  put (place, "good.csv", "a,b,label\n1,2,x\n1,3,y\n", -1);
  put (place, "attribute.onnx", bad_attribute, sizeof bad_attribute - 1);
  put (place, "tensor.onnx", bad_tensor, sizeof bad_tensor - 1);
  chinese = run_in ("zh_CN", place, sentence->arguments);
  g_assert_cmpint (chinese->status, !=, 0);
  sonde_test_assert_contains (chinese->err, sentence->said);
  assert_no_english (chinese->err, sentence->names);
  sonde_test_folder_free (place);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/locale/help", test_help);
  g_test_add_func ("/app/cli/locale/misuse", test_misuse);
  g_test_add_func ("/app/cli/locale/json", test_json);
  for (gsize i = 0; i < G_N_ELEMENTS (sentences); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/cli/locale/sentences/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, &sentences[i], test_sentences);
    }
  return g_test_run ();
}
