/* SPDX-License-Identifier: Apache-2.0
 * A line below the bar of the Debugger about something that does not go as expected: a sentence and buttons
 * that help. Hidden while there is nothing to say, so that a screen reader does not come by. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_NOTE (sonde_debug_note_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeDebugNote, sonde_debug_note, SONDE, DEBUG_NOTE, GtkBox)

struct _SondeDebugNoteClass
{
  GtkBoxClass parent_class;
};

/* @sentence: (nullable): NULL hides the line */
void sonde_debug_note_set_sentence (SondeDebugNote *note, const char *sentence);
/* At the end of the line. @label: (nullable): given later; @action: activated by a press. (transfer none) */
GtkWidget *sonde_debug_note_add_button (SondeDebugNote *note, const char *label,
                                        const char *tooltip, const char *action);

G_END_DECLS
