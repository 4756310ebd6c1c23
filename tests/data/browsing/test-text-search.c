/* SPDX-License-Identifier: Apache-2.0
 * Texts of a run searched at all steps: order, the line around a place, limits, a search that is left. */
#include <string.h>

#include "data/browsing/sonde-text-search.h"
#include "tests/data/browsing/browsing-fixture.h"

static void
add_text (SondeTestRun *run, const char *tag, gint64 step, const char *text)
{
  SondeRecord record = browsing_record (SONDE_RECORD_TEXT, tag, step);

  record.u.text = (char *) text;
  sonde_test_run_record (run, &record);
}

static void
count_calls (void *n)
{
  ++*(guint *) n;
}

static void
look_for (SondeTextSearch *search, SondeRun *run, const char *const *tags, const char *pattern)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();

  for (; *tags != NULL; tags++)
    g_ptr_array_add (list, (char *) *tags);
  sonde_text_search_start (search, run, list, regex);
}

static void
wait_for (SondeTextSearch *search)
{
  while (sonde_text_search_is_busy (search))
    g_main_context_iteration (NULL, TRUE);
}

static void
assert_match (SondeTextSearch *search, guint i, const char *tag, gint64 step, const char *words)
{
  const GPtrArray *matches = sonde_text_search_get_matches (search);
  const SondeTextMatch *match;
  g_autofree char *found = NULL;

  g_assert_cmpuint (i, <, matches->len);
  match = matches->pdata[i];
  found = g_strndup (match->line + match->start, match->length);
  g_assert_cmpstr (match->tag, ==, tag);
  g_assert_cmpint (match->step, ==, step);
  g_assert_cmpstr (found, ==, words);
  g_assert_true (g_utf8_validate (match->line, -1, NULL));
}

static void
test_matches (void)
{
  const char *const tags[] = { "notes", "other", NULL };
  BrowsingFixture fixture;
  g_autoptr (SondeTestRun) written = NULL;
  g_autofree char *wide = g_strnfill (500, 'w'), *around = NULL;
  guint n_calls = 0;
  SondeTextSearch *search = sonde_text_search_new (count_calls, &n_calls);
  const SondeTextMatch *match;

  browsing_fixture_init (&fixture);
  written = browsing_fixture_begin_run (&fixture, "a");
  around = g_strdup_printf ("%süü needle ö%s\nneedle", wide, wide);
  add_text (written, "other", 1, "a needle");
  add_text (written, "notes", 7, around);
  add_text (written, "notes", 2, "no\nneedle here, needle there\n\xff");
  add_text (written, "left out", 2, "needle");
  sonde_test_run_flush (written);
  browsing_fixture_settle (&fixture);
  look_for (search, browsing_fixture_find (&fixture, "a"), tags, "needle");
  wait_for (search);
  g_assert_cmpuint (sonde_text_search_get_matches (search)->len, ==, 5);
  assert_match (search, 0, "notes", 2, "needle");
  assert_match (search, 1, "notes", 2, "needle");
  assert_match (search, 2, "notes", 7, "needle");
  assert_match (search, 4, "other", 1, "needle");
  match = sonde_text_search_get_matches (search)->pdata[0];
  g_assert_cmpstr (match->line, ==, "needle here, needle there");
  match = sonde_text_search_get_matches (search)->pdata[2];
  g_assert_cmpuint (strlen (match->line), <, 200); /* of a long line what is around it */
  g_assert_false (sonde_text_search_is_cut (search));
  g_assert_cmpuint (n_calls, >, 0);
  look_for (search, browsing_fixture_find (&fixture, "a"), tags, "^needle\\b.*$|x*");
  wait_for (search);
  g_assert_cmpuint (sonde_text_search_get_matches (search)->len, ==, 2);
  sonde_text_search_free (search);
  browsing_fixture_clear (&fixture);
}

/* No more than there may be; what is left says nothing any more. */
static void
test_limit (void)
{
  const char *const tags[] = { "notes", NULL };
  BrowsingFixture fixture;
  g_autoptr (SondeTestRun) written = NULL;
  g_autofree char *many = g_strnfill (1000, 'a');
  guint n_calls = 0;
  SondeTextSearch *search = sonde_text_search_new (count_calls, &n_calls);
  SondeRun *run;

  browsing_fixture_init (&fixture);
  written = browsing_fixture_begin_run (&fixture, "a");
  for (int i = 0; i < 200; i++)
    add_text (written, "notes", i, many);
  sonde_test_run_flush (written);
  browsing_fixture_settle (&fixture);
  run = browsing_fixture_find (&fixture, "a");
  look_for (search, run, tags, "a");
  sonde_text_search_stop (search);
  g_assert_false (sonde_text_search_is_busy (search));
  look_for (search, run, tags, "a");
  wait_for (search);
  g_assert_true (sonde_text_search_is_cut (search));
  g_assert_cmpuint (sonde_text_search_get_matches (search)->len, ==, SONDE_TEXT_SEARCH_MAX_MATCHES);
  look_for (search, run, tags, "b");
  n_calls = 0;
  sonde_text_search_free (search);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (n_calls, ==, 0);
  browsing_fixture_clear (&fixture);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/text-search/matches", test_matches);
  g_test_add_func ("/data/browsing/text-search/limit", test_limit);
  return g_test_run ();
}
