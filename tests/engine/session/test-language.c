/* SPDX-License-Identifier: Apache-2.0
 * What a session says to people: English in the messages, Chinese at a client that speaks Chinese,
 * whatever the engine speaks; parts that are out of bounds or make another text are not looked at. */
#include <locale.h>
#include <string.h>

#include <glib/gstdio.h>
#include <libintl.h>

#include "data/base/sonde-text.h"
#include "engine/session/codec/sonde-codec-message.h"
#include "tests/engine/session/session-fixture.h"

static const char *const catalogue
    = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
      "msgid \"Nothing is open in this session.\"\nmsgstr \"此会话中没有打开任何内容。\"\n\n"
      "msgid \"Cannot evaluate the condition “%s” of breakpoint %u: \"\n"
      "msgstr \"无法计算断点 %2$s 的条件“%1$s”：\"\n\n"
      "msgid \"no element of “%s” is true\"\nmsgstr \"“%s”没有为真的元素\"\n\n"
      "msgid \"loading\"\nmsgstr \"正在加载\"\n\n"
      "msgid \"%s of %s\"\nmsgstr \"%2$s 中的 %1$s\"\n\n"
      "msgid \"The session was closed.\"\nmsgstr \"会话已关闭。\"\n\n"
      "msgid \"The first request must be hello.\"\nmsgstr \"第一个请求必须是 hello。\"\n";

/* ---- over a socket ------------------------------------------------------- */

static void
test_error (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  client = session_fixture_connect (&fixture);
  reply = sonde_session_client_call (client, sonde_session_request_list_breakpoints (), -1, &error);
  g_assert_null (reply);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_cmpstr (error->message, ==, "Nothing is open in this session.");
  g_assert_cmpstr (sonde_error_get_text (error), ==, "此会话中没有打开任何内容。");
  g_clear_object (&client);
  session_fixture_clear (&fixture);
}

static void
test_stop (void)
{
  const SondeBreakpointSpec spec
      = { .pattern = "n1", .either = TRUE, .condition = "any(v1 > wide)" };
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeSessionReply) added = NULL, checked = NULL;
  g_autoptr (SondeSessionEvent) stop = NULL;
  const SondeMessage *why;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  client = session_fixture_connect (&fixture);
  open_subject (client, "inference");
  added = call (client, sonde_session_request_add_breakpoint (&spec));
  stop = resume (client, SONDE_RESUME_CONTINUE, 1, NULL, SONDE_SESSION_EVENT_STOPPED);
  why = stop->status->stop.condition_error;
  g_assert_nonnull (why);
  g_assert_true (g_str_has_prefix (sonde_message_get_english (why),
                                   "Cannot evaluate the condition “any(v1 > wide)” of "
                                   "breakpoint 1: "));
  g_assert_true (
      g_str_has_prefix (sonde_message_get_text (why), "无法计算断点 1 的条件“any(v1 > wide)”："));
  checked = call (client,
                  sonde_session_request_evaluate ("v0 > 1e30", SONDE_SESSION_WANT_CHECKED, NULL));
  g_assert_cmpstr (sonde_message_get_english (checked->explanation), ==,
                   "no element of “v0 > 1e30” is true");
  g_assert_cmpstr (sonde_message_get_text (checked->explanation), ==, "“v0 > 1e30”没有为真的元素");
  g_clear_object (&client);
  session_fixture_clear (&fixture);
}

/* A line of the program's own, and why a client is turned away. */
static void
test_events (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeMessage) line = sonde_message_new ("%s of %s", "a%n", "b");
  g_autoptr (SondeSessionEvent) event = NULL, closed = NULL;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  client = session_fixture_connect (&fixture);
  sonde_session_server_log (fixture.server, line);
  event = wait_for (client, SONDE_SESSION_EVENT_LOG);
  g_assert_cmpstr (event->text, ==, "a%n of b");
  g_assert_cmpstr (sonde_message_get_text (event->message), ==, "b 中的 a%n");
  sonde_session_server_quit (fixture.server);
  session_fixture_join (&fixture);
  sonde_session_server_free (g_steal_pointer (&fixture.server));
  closed = wait_for (client, SONDE_SESSION_EVENT_CLOSED);
  g_assert_cmpstr (closed->text, ==, sonde_message_get_english (closed->message));
  g_clear_object (&client);
  session_fixture_clear (&fixture);
}

/* ---- what a stranger sends ----------------------------------------------- */

#define PART(message_id, ...)                                                                      \
  {                                                                                                \
    PROTOBUF_C_MESSAGE_INIT (&sonde__session__message_part__descriptor), (char *) message_id,      \
        G_N_ELEMENTS (((char *[]){ __VA_ARGS__ })), (char *[])                                     \
    {                                                                                              \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

static void
assert_read (const char *text, Sonde__Session__MessagePart *parts, gsize n, const char *shown)
{
  g_autofree Sonde__Session__MessagePart **list = g_new (Sonde__Session__MessagePart *, n + 1);
  g_autoptr (SondeMessage) message = NULL;

  for (gsize i = 0; i < n; i++)
    list[i] = &parts[i];
  message = sonde_codec_read_message (text, list, n);
  g_assert_cmpstr (sonde_message_get_english (message), ==, text);
  g_assert_cmpstr (sonde_message_get_text (message), ==, shown);
}

static void
test_hostile (void)
{
  Sonde__Session__MessagePart good[] = { PART ("%s of %s", "1", "2"), PART ("loading", NULL) };
  Sonde__Session__MessagePart other[] = { PART ("loading", NULL) };
  Sonde__Session__MessagePart positions[] = { PART ("%1$s%1$s", "ab") };
  Sonde__Session__MessagePart broken[] = { PART ("%n%9999999d%", "ab", "\xff") };
  Sonde__Session__MessagePart many[SONDE_CODEC_MESSAGE_PARTS + 1];
  g_autofree char *long_id = g_strnfill (SONDE_CODEC_MESSAGE_ID_BYTES + 1, 'i');
  g_autofree char *long_argument = g_strnfill (SONDE_CODEC_MESSAGE_ARGUMENT_BYTES + 1, 'a');
  char *arguments[SONDE_CODEC_MESSAGE_ARGUMENTS + 1];
  Sonde__Session__MessagePart large[] = { PART (long_id, NULL) },
                              wide[] = { PART ("%s", long_argument) },
                              full[] = { PART ("loading", NULL) };

  good[1].n_arguments = other[0].n_arguments = large[0].n_arguments = 0;
  assert_read ("1 of 2loading", good, 2, "2 中的 1正在加载");
  assert_read ("deleting everything", other, 1, "deleting everything");
  assert_read ("abab", positions, 1, "abab");
  assert_read ("ab%", broken, 1, "ab%");
  assert_read (long_id, large, 1, long_id);
  assert_read (long_argument, wide, 1, long_argument);
  for (gsize i = 0; i < G_N_ELEMENTS (many); i++)
    many[i] = (Sonde__Session__MessagePart) PART ("", NULL), many[i].n_arguments = 0;
  many[0].id = (char *) "loading";
  assert_read ("loading", many, G_N_ELEMENTS (many) - 1, "正在加载");
  assert_read ("loading", many, G_N_ELEMENTS (many), "loading");
  for (gsize i = 0; i < G_N_ELEMENTS (arguments); i++)
    arguments[i] = (char *) "x";
  full[0].arguments = arguments;
  full[0].n_arguments = G_N_ELEMENTS (arguments) - 1;
  assert_read ("loading", full, 1, "正在加载");
  full[0].n_arguments++;
  assert_read ("loading", full, 1, "loading");
  g_assert_null (sonde_codec_read_message ("", NULL, 0));
  g_assert_null (sonde_codec_read_message (NULL, NULL, 0));
}

/* ---- the catalogue ------------------------------------------------------- */

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
  g_autofree char *folder = g_dir_make_tmp ("sonde-language-XXXXXX", NULL);
  int status;

  g_setenv ("LANGUAGE", "zh_CN", TRUE);
  setlocale (LC_ALL, "C.UTF-8");
  compile_catalogue (folder);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/language/error", test_error);
  g_test_add_func ("/engine/session/language/stop", test_stop);
  g_test_add_func ("/engine/session/language/events", test_events);
  g_test_add_func ("/engine/session/language/hostile", test_hostile);
  status = g_test_run ();
  remove_catalogue (folder);
  return status;
}
