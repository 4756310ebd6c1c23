/* SPDX-License-Identifier: Apache-2.0
 * Messages: the same text as printf, ids and arguments that survive, translations with another
 * order of the arguments, hostile ids; the errors that carry them. */
#include "data/base/sonde-message.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-message-nest.h"
#include "data/base/sonde-text.h"

static const char *const catalogue
    = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
      "msgid \"%s of %d files\"\nmsgstr \"%2$d 个文件中的 %1$s\"\n\n"
      "msgid \"cannot read “%s”\"\nmsgstr \"无法读取“%s”\"\n\n"
      "msgid \"%-s “%s” is missing\"\nmsgstr \"缺少%s“%s”\"\n\n"
      "msgid \"axis\"\nmsgstr \"轴\"\n\n"
      "msgid \"node “%s”: \"\nmsgstr \"节点“%s”：\"\n\n"
      "msgid \": %-s\"\nmsgstr \"：%s\"\n\n"
      "msgid \"%u%% of %.*s\"\nmsgstr \"%2$s 的 %1$u%%\"\n";

#define assert_english(message, expected)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *english_ = sonde_message_dup_english (message);                               \
    g_assert_cmpstr (english_, ==, expected);                                                      \
  }                                                                                                \
  G_STMT_END

#define assert_text(message, expected)                                                             \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *text_ = sonde_message_dup_text (message);                                     \
    g_assert_cmpstr (text_, ==, expected);                                                         \
  }                                                                                                \
  G_STMT_END

#define FORMAT "%d|%5.2f|%-8s|%zu|%" PRIu64 "|%lld|%hhx|%c|%*d|%.*s|%%|%Lg|%+" PRIi64 "|%s"

/* Every conversion and length gives what printf gives, and the next argument is the right one. */
static void
test_conversions (void)
{
  const guint64 large = G_MAXUINT64;
  const gint64 small = G_MININT64;
  g_autofree char *expected = g_strdup_printf (FORMAT, -3, 2.5, "ab", (gsize) 7, large, -9LL, 0x1ff,
                                               'q', 5, 42, 2, "xyz", 1.5L, small, "end");
  g_autoptr (SondeMessage) message
      = sonde_message_new (FORMAT, -3, 2.5, "ab", (gsize) 7, large, -9LL, 0x1ff, 'q', 5, 42, 2,
                           "xyz", 1.5L, small, "end");
  const char *const *arguments;

  assert_english (message, expected);
  g_assert_cmpuint (sonde_message_get_n_parts (message), ==, 1);
  g_assert_cmpstr (sonde_message_get_part (message, 0, &arguments), ==, FORMAT);
  g_assert_cmpuint (g_strv_length ((char **) arguments), ==, 13);
  g_assert_cmpstr (arguments[1], ==, " 2.50");
  g_assert_cmpstr (arguments[8], ==, "   42");
  g_assert_cmpstr (arguments[9], ==, "xy");
}

static void
test_translation (void)
{
  g_autoptr (SondeMessage) order = sonde_message_new ("%s of %d files", "3", 10);
  g_autoptr (SondeMessage) word = sonde_message_new ("%-s “%s” is missing", "axis", "axis");
  g_autoptr (SondeMessage) share = sonde_message_new ("%u%% of %.*s", 50u, 2, "abc");
  g_autoptr (SondeMessage) unknown = sonde_message_new ("not translated: %s", "axis");

  assert_english (order, "3 of 10 files");
  assert_text (order, "10 个文件中的 3");
  assert_text (word, "缺少轴“axis”");
  assert_text (share, "ab 的 50%");
  assert_text (unknown, "not translated: axis");
}

static void
test_parts (void)
{
  g_autoptr (SondeMessage) message = sonde_message_new ("%-s “%s” is missing", "axis", "k");
  g_autoptr (SondeMessage) copy = NULL;

  sonde_message_prepend (message, "node “%s”: ", "conv1");
  sonde_message_append_text (message, " %s 100%");
  copy = sonde_message_copy (message);
  assert_english (copy, "node “conv1”: axis “k” is missing %s 100%");
  assert_text (copy, "节点“conv1”：缺少轴“k” %s 100%");
  g_assert_cmpstr (sonde_message_get_english (copy), ==,
                   "node “conv1”: axis “k” is missing %s 100%");
  g_assert_cmpstr (sonde_message_get_text (copy), ==, "节点“conv1”：缺少轴“k” %s 100%");
  sonde_message_append_text (copy, "!");
  g_assert_cmpstr (sonde_message_get_english (copy), ==,
                   "node “conv1”: axis “k” is missing %s 100%!");
  g_assert_cmpstr (sonde_message_get_text (copy), ==, "节点“conv1”：缺少轴“k” %s 100%!");
  sonde_message_append_format (copy, "node “%s”: ", "fc");
  g_assert_cmpstr (sonde_message_get_english (copy), ==,
                   "node “conv1”: axis “k” is missing %s 100%!node “fc”: ");
  g_assert_cmpstr (sonde_message_get_text (copy), ==, "节点“conv1”：缺少轴“k” %s 100%!节点“fc”：");
  g_assert_cmpuint (sonde_message_get_n_parts (copy), ==, 5);
}

/* Words with arguments inside of a sentence. */
static void
test_nested (void)
{
  g_autofree char *files = sonde_message_nest ("%s of %d files", "a\037\002b", 10);
  g_autofree char *node = sonde_message_nest ("node “%s”: ", "conv1");
  g_autofree char *both = sonde_message_nest ("%-s “%s” is missing", node, "k");
  g_autofree char *none = sonde_message_nest ("axis");
  g_autoptr (SondeMessage) message = sonde_message_new ("%-s “%s” is missing", files, "x");
  g_autoptr (SondeMessage) deep = sonde_message_new ("%-s “%s” is missing", both, "y");
  g_autoptr (SondeMessage) plain = sonde_message_new ("%-s “%s” is missing", none, "z");

  assert_english (message, "a  b of 10 files “x” is missing");
  assert_text (message, "缺少10 个文件中的 a  b“x”");
  assert_english (deep, "node “conv1”:  “k” is missing “y” is missing");
  assert_text (deep, "缺少缺少节点“conv1”：“k”“y”");
  assert_english (plain, "axis “z” is missing");
  assert_text (plain, "缺少轴“z”");
}

/* Forms that nobody made: nothing of them is shown, and what is shown is not longer. */
static void
test_nested_hostile (void)
{
  static const char *const arguments[] = {
    "\002",
    "\002\003\003",
    "\002a",
    "\002a\037b",
    "\002\002a\003",
    "\002%1$s%1$s\037bb\003",
    "\002%-s\037\002%-s\037\002%-s\037\002%-s\037\002%-s\037x\003\003\003\003\003",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (arguments); i++)
    {
      g_autoptr (SondeMessage) message = sonde_message_new_empty ();

      sonde_message_add_part (message, "<%-s>", (const char *const[]){ arguments[i], NULL });
      assert_english (message, "<>");
      assert_text (message, "<>");
    }
}

/* Ids from a socket: nothing of them reaches printf. */
static void
test_hostile (void)
{
  static const struct
  {
    const char *id, *expected;
  } cases[] = {
    { "%n%n%s", "ab" },   { "%s %s %s", "a b " },  { "100%", "100%" },        { "%9999$s|", "|" },
    { "%2$s%1$s", "ba" }, { "%.999999999d", "a" }, { "%hhhhhhs%", "ahhhs%" }, { "", "" },
    { "%*.*s%s", "ab" },  { "%-s", "a" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeMessage) message = sonde_message_new_empty ();

      sonde_message_add_part (message, cases[i].id, (const char *const[]){ "a", "b", NULL });
      assert_english (message, cases[i].expected);
    }
}

static void
test_error (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) copy = NULL;

  sonde_set_error (&error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "%-s “%s” is missing",
                   N_ ("axis"), "k");
  sonde_prefix_error (&error, "node “%s”: ", "n");
  copy = g_error_copy (error);
  g_clear_error (&error);
  g_assert_error (copy, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_assert_cmpstr (copy->message, ==, "node “n”: axis “k” is missing");
  g_assert_cmpstr (sonde_error_get_text (copy), ==, "节点“n”：缺少轴“k”");
  sonde_prefix_error (&copy, "node “%s”: ", "m");
  g_assert_cmpstr (sonde_error_get_text (copy), ==, "节点“m”：节点“n”：缺少轴“k”");
  sonde_set_error (NULL, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "axis");
  sonde_prefix_error (NULL, "node “%s”: ", "n");
}

/* English in error->message even where the C library speaks Chinese. */
static void
test_errno (void)
{
  g_autoptr (GError) error = NULL;
  const SondeMessage *message;
  const char *const *arguments;

  sonde_data_error_set_errno (&error, ENOENT, "cannot read “%s”", "x");
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_cmpstr (error->message, ==, "cannot read “x”: No such file or directory");
  message = sonde_error_get_message (error);
  g_assert_cmpuint (sonde_message_get_n_parts (message), ==, 2);
  g_assert_cmpstr (sonde_message_get_part (message, 0, &arguments), ==, "cannot read “%s”");
  g_assert_cmpstr (sonde_message_get_part (message, 1, &arguments), ==, ": %-s");
  g_assert_cmpstr (sonde_message_describe_errno (-7), ==, "Unknown error");
}

/* Errors of other libraries, and of ours set by g_set_error(), are no worse than they were. */
static void
test_foreign (void)
{
  g_autoptr (GError) foreign = g_error_new (G_FILE_ERROR, G_FILE_ERROR_IO, "axis");
  g_autoptr (GError) plain = g_error_new (SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "axis %d%%", 3);
  g_autoptr (GError) caused = NULL;

  sonde_prefix_error (&foreign, "node “%s”: ", "n");
  g_assert_cmpstr (foreign->message, ==, "node “n”: axis");
  g_assert_null (sonde_error_get_message (foreign));
  sonde_prefix_error (&plain, "node “%s”: ", "n");
  g_assert_cmpstr (sonde_error_get_text (plain), ==, "节点“n”：axis 3%");
  sonde_set_error_because (&caused, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, foreign,
                           "cannot read “%s”", "x");
  g_assert_cmpstr (caused->message, ==, "cannot read “x”node “n”: axis");
  g_clear_error (&caused);
  sonde_set_error_from (&caused, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT, plain);
  g_assert_error (caused, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_assert_cmpstr (caused->message, ==, "node “n”: axis 3%");
}

/* What g_prefix_error() put in front stays, in a cause and under a prefix with an id, too. */
static void
test_prefixed (void)
{
  g_autoptr (GError) error = NULL, caused = NULL;
  g_autoptr (SondeMessage) message = NULL;

  sonde_set_error (&error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "%-s “%s” is missing",
                   N_ ("axis"), "k");
  g_prefix_error (&error, "100%% of ");
  message = sonde_error_dup_message (error);
  assert_english (message, "100% of axis “k” is missing");
  assert_text (message, "100% of 缺少轴“k”");
  sonde_set_error_because (&caused, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, error,
                           "%-s: ", N_ ("axis"));
  g_assert_cmpstr (caused->message, ==, "axis: 100% of axis “k” is missing");
  g_assert_cmpstr (sonde_error_get_text (caused), ==, "轴: 100% of 缺少轴“k”");
  sonde_prefix_error (&error, "node “%s”: ", "n");
  g_assert_cmpstr (error->message, ==, "node “n”: 100% of axis “k” is missing");
  g_assert_cmpstr (sonde_error_get_text (error), ==, "节点“n”：100% of 缺少轴“k”");
}

static void
compile_catalogue (const char *folder)
{
  g_autofree char *source = g_build_filename (folder, "zh.po", NULL);
  g_autofree char *messages = g_build_filename (folder, "zh_CN", "LC_MESSAGES", NULL);
  g_autofree char *target = g_build_filename (messages, GETTEXT_PACKAGE ".mo", NULL);
  const char *arguments[] = { "msgfmt", "-o", target, source, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (messages, 0700), ==, 0);
  g_file_set_contents (source, catalogue, -1, &error);
  g_assert_no_error (error);
  g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                &error);
  g_assert_no_error (error);
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

static void
remove_catalogue (const char *folder)
{
  static const char *const names[]
      = { "zh.po", "zh_CN/LC_MESSAGES/" GETTEXT_PACKAGE ".mo", "zh_CN/LC_MESSAGES", "zh_CN", "." };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_remove (path);
    }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-message-XXXXXX", NULL);
  int status;

  g_setenv ("LANGUAGE", "zh_CN", TRUE);
  setlocale (LC_ALL, "C.UTF-8");
  compile_catalogue (folder);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/message/conversions", test_conversions);
  g_test_add_func ("/data/base/message/translation", test_translation);
  g_test_add_func ("/data/base/message/parts", test_parts);
  g_test_add_func ("/data/base/message/nested", test_nested);
  g_test_add_func ("/data/base/message/nested-hostile", test_nested_hostile);
  g_test_add_func ("/data/base/message/hostile", test_hostile);
  g_test_add_func ("/data/base/message/error", test_error);
  g_test_add_func ("/data/base/message/errno", test_errno);
  g_test_add_func ("/data/base/message/foreign", test_foreign);
  g_test_add_func ("/data/base/message/prefixed", test_prefixed);
  status = g_test_run ();
  remove_catalogue (folder);
  return status;
}
