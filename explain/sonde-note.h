/* SPDX-License-Identifier: Apache-2.0
 * Notes: sentences on the limits of a result, for people. Each is a message of its own, so that it can
 * be shown in the user's language; in files they stand in English. */
#pragma once

#include "data/base/sonde-message.h"

G_BEGIN_DECLS

/* One more sentence, behind a space where there are some. @note: (inout) (nullable); @format: message
 * id, a literal */
void sonde_note_add (SondeMessage **note, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Copies of the sentences of @more, the same way. */
void sonde_note_append (SondeMessage **note, const SondeMessage *more);

/* (transfer full) (element-type SondeMessage) */
GPtrArray *sonde_notes_new (void);
/* One more: @prefix, which ends as "Maps could not be clustered: " does, and the message of @error. @prefix:
 * message id without arguments, a literal */
void sonde_notes_add_because (GPtrArray *notes, const GError *error, const char *prefix);
/* Copies those of @from behind those of @to. */
void sonde_notes_append (GPtrArray *to, GPtrArray *from);

G_END_DECLS
