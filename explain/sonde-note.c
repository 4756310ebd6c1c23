/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/sonde-note.h"

#include "data/base/sonde-error.h"

void
sonde_note_append (SondeMessage **note, const SondeMessage *more)
{
  if (*note != NULL)
    sonde_message_append_text (*note, " ");
  else
    *note = sonde_message_new_empty ();
  sonde_message_append (*note, more);
}

void
sonde_note_add (SondeMessage **note, const char *format, ...)
{
  g_autoptr (SondeMessage) sentence = NULL;
  va_list arguments;

  va_start (arguments, format);
  sentence = sonde_message_new_va (format, arguments);
  va_end (arguments);
  sonde_note_append (note, sentence);
}

GPtrArray *
sonde_notes_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
}

void
sonde_notes_add_because (GPtrArray *notes, const GError *error, const char *prefix)
{
  g_autoptr (SondeMessage) reason = sonde_error_dup_message (error);
  SondeMessage *note = sonde_message_new_empty ();

  sonde_message_add_part (note, prefix, (const char *const[]){ NULL });
  sonde_message_append (note, reason);
  g_ptr_array_add (notes, note);
}

void
sonde_notes_append (GPtrArray *to, GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (to, sonde_message_copy (g_ptr_array_index (from, i)));
}
