/* SPDX-License-Identifier: Apache-2.0
 * The built program as a user runs it: arguments, stdin, environment in; exit status, stdout,
 * stderr out. No shell, no pipes that could fill: the streams are files in the test's own folder,
 * which is also the home of its sockets, caches and state. A program that outlives its deadline is
 * killed by its process number and fails the test. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * SondeTestProgram: one run
 * @status: exit status, or 128 + signal; -1 until it has ended
 * @out, @err: what it wrote; NULL until it has ended
 */
typedef struct
{
  char *folder;
  char *out_path, *err_path;
  int pid;
  int status;
  char *out, *err;
} SondeTestProgram;

/* A new empty folder; sonde_test_folder_free() removes it with all that is in it. (transfer
 * full) */
char *sonde_test_folder_new (void);
void sonde_test_folder_free (char *folder);
void sonde_test_remove (const char *path); /* a file or a folder with all that is in it */

/* SONDE_BUILD/app/sonde. (transfer full) */
char *sonde_test_program_dup_path (void);

/**
 * sonde_test_start:
 * @folder: working folder, and where its streams, sockets and caches lie
 * @input: (nullable): text of stdin; NULL: stdin is closed
 * @arguments: (array zero-terminated=1): without the program
 * Returns: (transfer full): running
 */
SondeTestProgram *sonde_test_start (const char *folder, const char *input,
                                    const char *const *arguments);

/* Another program than ours, @arguments[0], in the same surroundings. */
SondeTestProgram *sonde_test_start_any (const char *folder, const char *input,
                                        const char *const *arguments);

/* Waits for its end, at most @seconds; then it is killed and the test fails. Returns @status. */
int sonde_test_wait (SondeTestProgram *program, int seconds);

/* Kills it when it still runs. */
void sonde_test_program_free (SondeTestProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTestProgram, sonde_test_program_free)

/* Starts and waits (120 s). */
SondeTestProgram *sonde_test_run_strv (const char *folder, const char *input,
                                       const char *const *arguments);
#define sonde_test_run(folder, input, ...)                                                         \
  sonde_test_run_strv (folder, input, (const char *const[]){ __VA_ARGS__, NULL })

/* The run ended with @status: else the test ends, saying what the program wrote. */
#define sonde_test_assert_status(program, expected)                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if ((program)->status != (expected))                                                           \
      g_test_message ("status %d, stderr: %s", (program)->status, (program)->err);                 \
    g_assert_cmpint ((program)->status, ==, expected);                                             \
  }                                                                                                \
  G_STMT_END

/* Ends the test when @text lacks @part. */
#define sonde_test_assert_contains(text, part)                                                     \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (strstr (text, part) == NULL)                                                               \
      g_test_message ("“%s” is not in: %s", part, text);                                           \
    g_assert_nonnull (strstr (text, part));                                                        \
  }                                                                                                \
  G_STMT_END

/* @text is one JSON object; the test ends when it is none. (transfer full) */
JsonNode *sonde_test_parse_json (const char *text);
JsonNode *sonde_test_read_json (const char *path);

/* The object has these members ("a b c") and no others. */
void sonde_test_assert_members (JsonObject *object, const char *names);

/* Contents of a file that must be there. (transfer full) */
char *sonde_test_read_text (const char *path);

G_END_DECLS
