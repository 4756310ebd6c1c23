/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-recording-list.h"

#include <string.h>

#include "data/wire/sonde-wire-decode.h"
#include "recorded-profile.pb-c.h"

/* Recordings of one run. */
#define MAX_RECORDINGS 4096

void
sonde_recording_list_clear (SondeRecordingList *list)
{
  g_clear_pointer (&list->entries, g_array_unref);
}

guint
sonde_recording_list_get_n (const SondeRecordingList *list)
{
  return list->entries != NULL ? list->entries->len : 0;
}

const SondeRecordingEntry *
sonde_recording_list_get (const SondeRecordingList *list, guint i)
{
  return &g_array_index (list->entries, SondeRecordingEntry, i);
}

/* NULL: there are too many. */
static SondeRecordingEntry *
find_entry (SondeRecordingList *list, guint64 recording)
{
  const SondeRecordingEntry fresh = { .recording = recording, .first_step = -1, .last_step = -1 };

  if (list->entries == NULL)
    list->entries = g_array_new (FALSE, TRUE, sizeof (SondeRecordingEntry));
  for (guint i = list->entries->len; i-- > 0;)
    if (g_array_index (list->entries, SondeRecordingEntry, i).recording == recording)
      return &g_array_index (list->entries, SondeRecordingEntry, i);
  if (list->entries->len >= MAX_RECORDINGS)
    return NULL;
  g_array_append_val (list->entries, fresh);
  return &g_array_index (list->entries, SondeRecordingEntry, list->entries->len - 1);
}

/* A text of the part by its index plus 1. */
static const char *
get_text (const Sonde__Profiles__SpanPart *part, guint32 number)
{
  return number > 0 && number <= part->n_texts ? part->texts[number - 1] : "";
}

/* The number of "step 12" or "run 12"; -1: the label is no step's. */
static gint64
get_step (const Sonde__Profiles__SpanPart *part, gsize label, gboolean *of_runs)
{
  const char *name = get_text (part, part->label_names[label]), *space = strrchr (name, ' ');
  gint64 number;

  if (!g_str_equal (get_text (part, part->label_categories[label]), "step") || space == NULL
      || !g_ascii_string_to_signed (space + 1, 10, 0, G_MAXINT64, &number, NULL))
    return -1;
  *of_runs = g_str_has_prefix (name, "run ");
  return number;
}

static void
add_step (SondeRecordingEntry *entry, gint64 number)
{
  entry->first_step = entry->n_steps == 0 ? number : MIN (entry->first_step, number);
  entry->last_step = MAX (entry->last_step, number);
  entry->n_steps++;
}

static void
add_part (SondeRecordingList *list, const Sonde__Profiles__SpanPart *part)
{
  SondeRecordingEntry *entry;
  g_autofree gint64 *steps = NULL;

  if (part->n_label_categories != part->n_label_names)
    return;
  entry = find_entry (list, SONDE_WIRE_OR (part, recording, 0));
  if (entry == NULL)
    return;
  steps = g_new (gint64, part->n_label_names + 1);
  for (gsize i = 0; i < part->n_label_names; i++)
    steps[i] = get_step (part, i, &entry->of_runs);
  for (gsize i = 0; i < part->n_span_labels; i++)
    if (part->span_labels[i] < part->n_label_names && steps[part->span_labels[i]] >= 0)
      add_step (entry, steps[part->span_labels[i]]);
}

void
sonde_recording_list_add (SondeRecordingList *list, const SondeRecord *record)
{
  g_auto (SondeWireArena) arena = { 0 };
  const guint8 *bytes;
  const Sonde__Profiles__SpanPart *part;
  gsize length;

  if (record->kind != SONDE_RECORD_SPAN)
    return;
  list->n_records++;
  bytes = g_bytes_get_data (record->u.profile.message, &length);
  part = sonde_wire_decode (&sonde__profiles__span_part__descriptor, bytes, length, NULL, NULL,
                            &arena, NULL);
  if (part != NULL)
    add_part (list, part);
}
