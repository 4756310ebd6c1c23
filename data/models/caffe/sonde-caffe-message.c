/* SPDX-License-Identifier: Apache-2.0
 * Messages of Caffe in memory. */
#include "data/models/caffe/sonde-caffe-message.h"

#include <string.h>

static void
clear_entry (SondeCaffeEntry *entry)
{
  g_free (entry->text);
  sonde_caffe_message_free (entry->message);
}

SondeCaffeMessage *
sonde_caffe_message_new (const SondeCaffeType *type, guint line)
{
  SondeCaffeMessage *message = g_new0 (SondeCaffeMessage, 1);

  message->type = type;
  message->line = line;
  message->entries = g_array_new (FALSE, TRUE, sizeof (SondeCaffeEntry));
  g_array_set_clear_func (message->entries, (GDestroyNotify) clear_entry);
  return message;
}

void
sonde_caffe_message_free (SondeCaffeMessage *message)
{
  if (message == NULL)
    return;
  g_array_unref (message->entries);
  g_free (message);
}

SondeCaffeEntry *
sonde_caffe_message_add (SondeCaffeMessage *message, const SondeCaffeField *field)
{
  const SondeCaffeEntry entry = { .field = field };

  g_array_append_val (message->entries, entry);
  return &g_array_index (message->entries, SondeCaffeEntry, message->entries->len - 1);
}

/* ---- reading ------------------------------------------------------------- */

static const SondeCaffeEntry *
next_entry (const SondeCaffeMessage *message, const char *name, guint *at)
{
  while (message != NULL && *at < message->entries->len)
    {
      const SondeCaffeEntry *entry = &g_array_index (message->entries, SondeCaffeEntry, (*at)++);

      if (strcmp (entry->field->name, name) == 0)
        return entry;
    }
  return NULL;
}

const SondeCaffeEntry *
sonde_caffe_get_entry (const SondeCaffeMessage *message, const char *name, guint index)
{
  const SondeCaffeEntry *entry = NULL;
  guint at = 0;

  do
    entry = next_entry (message, name, &at);
  while (entry != NULL && index-- > 0);
  return entry;
}

guint
sonde_caffe_count (const SondeCaffeMessage *message, const char *name)
{
  guint at = 0, count = 0;

  while (next_entry (message, name, &at) != NULL)
    count++;
  return count;
}

static const SondeCaffeEntry *
last_entry (const SondeCaffeMessage *message, const char *name)
{
  const SondeCaffeEntry *entry = NULL, *last = NULL;
  guint at = 0;

  while ((entry = next_entry (message, name, &at)) != NULL)
    last = entry;
  return last;
}

gboolean
sonde_caffe_has (const SondeCaffeMessage *message, const char *name)
{
  return last_entry (message, name) != NULL;
}

double
sonde_caffe_get_number (const SondeCaffeMessage *message, const char *name, double fallback)
{
  const SondeCaffeEntry *entry = last_entry (message, name);

  return entry != NULL ? entry->number : fallback;
}

gint64
sonde_caffe_get_int (const SondeCaffeMessage *message, const char *name, gint64 fallback)
{
  double number = sonde_caffe_get_number (message, name, (double) fallback);

  return (gint64) CLAMP (number, (double) G_MININT32, (double) G_MAXINT32);
}

gboolean
sonde_caffe_get_bool (const SondeCaffeMessage *message, const char *name, gboolean fallback)
{
  return sonde_caffe_get_number (message, name, fallback ? 1 : 0) != 0;
}

const char *
sonde_caffe_get_text (const SondeCaffeMessage *message, const char *name, const char *fallback)
{
  const SondeCaffeEntry *entry = last_entry (message, name);

  return entry != NULL && entry->text != NULL ? entry->text : fallback;
}

const SondeCaffeMessage *
sonde_caffe_get_message (const SondeCaffeMessage *message, const char *name)
{
  const SondeCaffeEntry *entry = last_entry (message, name);

  return entry != NULL ? entry->message : NULL;
}
