/* SPDX-License-Identifier: Apache-2.0
 * A message for a user that keeps its id and its arguments, so that it can be written in English and
 * shown in the user's language later, in another process too.
 *
 * A message is a list of parts. A part is an id (the English printf format, which is also the msgid of
 * the catalogues) and the text of each conversion, already formatted. Prefixes that are added on the
 * way up and causes that are appended are parts of their own; the parts follow each other without
 * a separator.
 *
 * In an id:
 *   %-s   an argument that is itself a message id (or a text of the C library), as in
 *         ("%-s of “%s” is missing", N_("axis"), name): it is translated, too
 *   %m    does not exist; pass sonde_message_describe_errno() to a %-s
 *   %n$s  is for translations only; ids name their arguments in order */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeMessage SondeMessage;

/**
 * sonde_message_new:
 * @format: the id: a literal, collected by scripts/translate; all conversions of printf but %n and %m
 *
 * Returns: (transfer full): a message of one part
 */
SondeMessage *sonde_message_new (const char *format, ...) G_GNUC_PRINTF (1, 2);
SondeMessage *sonde_message_new_va (const char *format, va_list arguments) G_GNUC_PRINTF (1, 0);

/* No part at all; sonde_message_add_part() fills it. (transfer full) */
SondeMessage *sonde_message_new_empty (void);
/* A text without an id, see sonde_message_append_text(). (transfer full) */
SondeMessage *sonde_message_new_text (const char *text);
SondeMessage *sonde_message_copy (const SondeMessage *message); /* (nullable) */
void sonde_message_free (SondeMessage *message);                /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMessage, sonde_message_free)

/* Puts a part before the others. */
void sonde_message_prepend (SondeMessage *message, const char *format, ...) G_GNUC_PRINTF (2, 3);
void sonde_message_prepend_va (SondeMessage *message, const char *format, va_list arguments)
    G_GNUC_PRINTF (2, 0);

/* Copies of the parts of @tail behind those of @message. */
void sonde_message_append (SondeMessage *message, const SondeMessage *tail);

/* Puts a part behind the others. */
void sonde_message_append_format (SondeMessage *message, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* A text without an id, as that of another library: shown as it is in every language. */
void sonde_message_append_text (SondeMessage *message, const char *text);

/**
 * sonde_message_add_part:
 * @id: from anywhere, a socket too: it is never given to printf(); conversions without an argument
 *   are empty, arguments without a conversion are not shown
 * @arguments: (array zero-terminated=1): copied
 *
 * Appends a part that another process made.
 */
void sonde_message_add_part (SondeMessage *message, const char *id, const char *const *arguments);

guint sonde_message_get_n_parts (const SondeMessage *message);

/* The id of a part and (out) (transfer none) (array zero-terminated=1) its arguments. */
const char *sonde_message_get_part (const SondeMessage *message, guint part,
                                    const char *const **arguments);

/* As printf() would have written it. (transfer full) */
char *sonde_message_dup_english (const SondeMessage *message);

/* In the language of the process; English where a translation is missing. (transfer full) */
char *sonde_message_dup_text (const SondeMessage *message);

/* The same two, kept with the message: valid until it is changed or freed. Any thread. NULL of NULL.
 * (transfer none) (nullable) */
const char *sonde_message_get_english (const SondeMessage *message);
const char *sonde_message_get_text (const SondeMessage *message);

/* "No such file or directory": the English text of an errno, for a %-s. A static string. */
const char *sonde_message_describe_errno (int number);

G_END_DECLS
