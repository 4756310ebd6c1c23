/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-text-search.h"

#include <string.h>

#define READ_AT_ONCE 64 /* texts in memory */
#define MAX_BEFORE 24   /* bytes of a line that are kept before a match */
#define MAX_AFTER 80    /* and behind it */
#define MAX_SHOWN 200   /* bytes of a match */

struct _SondeTextSearch
{
  void (*changed) (void *user_data);
  void *user_data;
  GPtrArray *matches;
  GCancellable *cancellable; /* of what is under way, else NULL */
  gboolean is_cut;
};

/* What a thread is given: the next texts. */
typedef struct
{
  SondeTextSearch *search; /* only looked at on the main thread, and only if it was not cancelled */
  SondeRun *run;
  GRegex *regex;
  GArray *refs; /* SondeBlobRef; those before @n_asked are read or under way */
  guint n_asked, n_matches;
  GPtrArray *records; /* SondeRecord */
  GPtrArray *found;   /* SondeTextMatch, in @records */
} Job;

static void
match_free (void *data)
{
  SondeTextMatch *match = data;

  g_free (match->line);
  g_free (match);
}

static void
job_free (Job *job)
{
  g_object_unref (job->run);
  g_regex_unref (job->regex);
  g_array_unref (job->refs);
  g_clear_pointer (&job->records, g_ptr_array_unref);
  g_clear_pointer (&job->found, g_ptr_array_unref);
  g_free (job);
}

SondeTextSearch *
sonde_text_search_new (void (*changed) (void *user_data), void *user_data)
{
  SondeTextSearch *search = g_new0 (SondeTextSearch, 1);

  search->changed = changed;
  search->user_data = user_data;
  search->matches = g_ptr_array_new_with_free_func (match_free);
  return search;
}

void
sonde_text_search_stop (SondeTextSearch *search)
{
  if (search->cancellable != NULL)
    g_cancellable_cancel (search->cancellable);
  g_clear_object (&search->cancellable);
  g_ptr_array_set_size (search->matches, 0);
  search->is_cut = FALSE;
}

void
sonde_text_search_free (SondeTextSearch *search)
{
  if (search == NULL)
    return;
  sonde_text_search_stop (search);
  g_ptr_array_unref (search->matches);
  g_free (search);
}

/* ---- matching (in a thread) ---------------------------------------------- */

/* The beginning of the character that @at is in, not before @first. */
static const char *
begin_character (const char *first, const char *at)
{
  while (at > first && ((guint8) *at & 0xC0) == 0x80)
    at--;
  return at;
}

/* The line around [start, end) of @text. (transfer full) */
static SondeTextMatch *
make_match (const SondeRecord *record, const char *text, int start, int end)
{
  const char *first = text + start, *last = text + end, *line_end;
  SondeTextMatch *match = g_new0 (SondeTextMatch, 1);

  while (first > text && first[-1] != '\n' && text + start - first < MAX_BEFORE)
    first--;
  first = begin_character (text, first);
  last = MIN (last, text + start + MAX_SHOWN);
  last = MIN (last, text + start + strcspn (text + start, "\n"));
  line_end = last + MIN (strcspn (last, "\n"), MAX_AFTER);
  match->tag = g_intern_string (record->tag);
  match->step = record->step;
  line_end = begin_character (first, line_end);
  match->line = g_strndup (first, (gsize) (line_end - first));
  match->start = (guint) (text + start - first);
  match->length = (guint) (begin_character (first, last) - (text + start));
  return match;
}

static void
match_record (Job *job, const SondeRecord *record, GCancellable *cancellable)
{
  const char *text
      = record->u.message != NULL ? sonde_message_get_text (record->u.message) : record->u.text;
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  g_autoptr (GMatchInfo) info = NULL;
  int start, end;

  g_regex_match (job->regex, valid, 0, &info);
  while (g_match_info_matches (info) && !g_cancellable_is_cancelled (cancellable)
         && job->n_matches + job->found->len < SONDE_TEXT_SEARCH_MAX_MATCHES)
    {
      if (g_match_info_fetch_pos (info, 0, &start, &end) && end > start)
        g_ptr_array_add (job->found, make_match (record, valid, start, end));
      g_match_info_next (info, NULL);
    }
}

static void
match_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  Job *job = task_data;

  job->found = g_ptr_array_new_with_free_func (match_free);
  for (guint i = 0; i < job->records->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const SondeRecord *record = job->records->pdata[i];

      if (record->kind == SONDE_RECORD_TEXT)
        match_record (job, record, cancellable);
    }
  g_clear_pointer (&job->records, g_ptr_array_unref);
  g_task_return_boolean (task, TRUE);
}

/* ---- reading ------------------------------------------------------------- */

static void read_on (Job *job, GCancellable *cancellable);

static void
on_matched (GObject *source, GAsyncResult *result, void *user_data)
{
  Job *job = user_data;
  g_autoptr (GCancellable) cancellable = g_object_ref (g_task_get_cancellable (G_TASK (result)));
  SondeTextSearch *search = job->search;

  /* Cancelled: the search may be gone, or looks for something else already. */
  if (g_cancellable_is_cancelled (cancellable))
    {
      job_free (job);
      return;
    }
  job->n_matches += job->found->len;
  g_ptr_array_extend_and_steal (search->matches, g_steal_pointer (&job->found));
  search->is_cut = job->n_matches >= SONDE_TEXT_SEARCH_MAX_MATCHES;
  if (job->n_asked < job->refs->len && !search->is_cut)
    read_on (job, cancellable);
  else
    {
      g_clear_object (&search->cancellable);
      job_free (job);
    }
  search->changed (search->user_data);
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  g_autoptr (GTask) task = user_data;
  Job *job = g_task_get_task_data (task);

  job->records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);
  if (job->records == NULL)
    job->records = g_ptr_array_new ();
  g_task_run_in_thread (task, match_in_thread);
}

/* The next few: read in one thread, searched in another. */
static void
read_on (Job *job, GCancellable *cancellable)
{
  guint n = MIN (READ_AT_ONCE, job->refs->len - job->n_asked);
  g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  GTask *task = g_task_new (NULL, cancellable, on_matched, job);

  g_array_append_vals (some, &g_array_index (job->refs, SondeBlobRef, job->n_asked), n);
  job->n_asked += n;
  g_task_set_task_data (task, job, NULL);
  sonde_run_read_blobs_async (job->run, some, cancellable, on_read, task);
}

static int
compare_steps (const void *a, const void *b)
{
  const gint64 one = ((const SondeBlobRef *) a)->step, other = ((const SondeBlobRef *) b)->step;

  return (one > other) - (one < other);
}

void
sonde_text_search_start (SondeTextSearch *search, SondeRun *run, GPtrArray *tags, GRegex *regex)
{
  Job *job = g_new0 (Job, 1);

  sonde_text_search_stop (search);
  job->search = search;
  job->run = g_object_ref (run);
  job->regex = g_regex_ref (regex);
  job->refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  for (guint i = 0; i < tags->len; i++)
    {
      g_autoptr (GArray) refs = sonde_run_list_blobs (run, tags->pdata[i], SONDE_RECORD_TEXT);

      g_array_sort (refs, compare_steps);
      g_array_append_vals (job->refs, refs->data, refs->len);
    }
  search->cancellable = g_cancellable_new ();
  read_on (job, search->cancellable);
}

/* ---- what was found ------------------------------------------------------ */

const GPtrArray *
sonde_text_search_get_matches (SondeTextSearch *search)
{
  return search->matches;
}

gboolean
sonde_text_search_is_busy (SondeTextSearch *search)
{
  return search->cancellable != NULL;
}

gboolean
sonde_text_search_is_cut (SondeTextSearch *search)
{
  return search->is_cut;
}
