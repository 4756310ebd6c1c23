/* SPDX-License-Identifier: Apache-2.0
 * Errors that can be shown in the user's language, and the error domain of data/: its few codes, each
 * one something a caller can act on. The place (file, offset, node, key) is in the message, never in
 * the code.
 *
 * An error of a domain made by sonde_error_register_domain() carries a SondeMessage beside
 * error->message, which is English in every locale: it goes to JSON, records, the protocol and logs.
 * People are shown sonde_error_get_text(). */
#pragma once

#include <glib.h>

#include "data/base/sonde-message.h"
#include "data/base/sonde-text.h" /* N_() and PRIu64 for messages */

G_BEGIN_DECLS

/**
 * sonde_set_error:
 * @error: (out) (optional): return location
 * @domain: one made by sonde_error_register_domain()
 * @format: message id, see sonde-message.h; a literal, collected by scripts/translate
 *
 * As g_set_error(), with an id and arguments that can be translated later.
 */
void sonde_set_error (GError **error, GQuark domain, int code, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* As sonde_set_error(), for functions that pass on their arguments; a place in front of the message
 * is added with sonde_prefix_error(). */
void sonde_set_error_va (GError **error, GQuark domain, int code, const char *format,
                         va_list arguments) G_GNUC_PRINTF (4, 0);

/**
 * sonde_set_error_because:
 * @cause: (transfer none): of any domain
 * @format: message id; ends as "cannot read “%s”: " does, or is ""
 *
 * Sets @error to FORMAT and the message of @cause behind it.
 */
void sonde_set_error_because (GError **error, GQuark domain, int code, const GError *cause,
                              const char *format, ...) G_GNUC_PRINTF (5, 6);

/* The message of @cause alone, under another domain or code. @cause: (transfer none) */
void sonde_set_error_from (GError **error, GQuark domain, int code, const GError *cause);

/* As sonde_set_error() with a message at hand. @message: (transfer full) */
void sonde_set_error_message (GError **error, GQuark domain, int code, SondeMessage *message);

/**
 * sonde_prefix_error:
 * @error: (inout) (optional) (nullable): an error of any domain, or none
 * @format: message id, as "node “%s”: "
 *
 * As g_prefix_error(). In front of an error of another library the prefix stays English.
 */
void sonde_prefix_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* What @error carries; NULL for an error of another library. (transfer none) (nullable) */
const SondeMessage *sonde_error_get_message (const GError *error);

/* The message of any error, for whoever shows it later: its own parts, behind what g_prefix_error() put
 * in front; of an error of another library its text. (transfer full) */
SondeMessage *sonde_error_dup_message (const GError *error);

/* The message of any error in the user's language, where it is known; what g_prefix_error() put in
 * front stays English. (transfer none): lives as long as @error does, or until the next call. Not for
 * JSON, records, the protocol and logs. */
const char *sonde_error_get_text (const GError *error);

/* A domain whose errors carry a SondeMessage; @name lives forever. To be called once a domain. */
GQuark sonde_error_register_domain (const char *name);

#define SONDE_DATA_ERROR (sonde_data_error_quark ())

/**
 * SondeDataError:
 * @SONDE_DATA_ERROR_IO: the system refused a read or a write; the message carries its reason
 * @SONDE_DATA_ERROR_NOT_FOUND: no such file, tag, tensor or key
 * @SONDE_DATA_ERROR_NO_SPACE: the disk is full or a quota is reached; waiting may help
 * @SONDE_DATA_ERROR_DAMAGED: the bytes contradict the format
 * @SONDE_DATA_ERROR_UNSUPPORTED: valid, but not understood by this version
 * @SONDE_DATA_ERROR_LIMIT: a budget was reached before any memory was taken
 * @SONDE_DATA_ERROR_INVALID: an argument, a key or a shape from the user makes no sense
 * @SONDE_DATA_ERROR_FORBIDDEN: a path leaves the folder it must stay in, or is no regular file
 * @SONDE_DATA_ERROR_CANCELLED: somebody asked to stop
 * @SONDE_DATA_ERROR_NO_MEMORY: the system had none for something within the budget: the bytes may
 *   be right, and reading them later may work
 */
typedef enum
{
  SONDE_DATA_ERROR_IO,
  SONDE_DATA_ERROR_NOT_FOUND,
  SONDE_DATA_ERROR_NO_SPACE,
  SONDE_DATA_ERROR_DAMAGED,
  SONDE_DATA_ERROR_UNSUPPORTED,
  SONDE_DATA_ERROR_LIMIT,
  SONDE_DATA_ERROR_INVALID,
  SONDE_DATA_ERROR_FORBIDDEN,
  SONDE_DATA_ERROR_CANCELLED,
  SONDE_DATA_ERROR_NO_MEMORY,
} SondeDataError;

GQuark sonde_data_error_quark (void);

/* Is it the system's fault (IO, NO_MEMORY), not the bytes'? (nullable) */
gboolean sonde_data_error_is_of_system (const GError *error);

/**
 * sonde_data_error_set_errno:
 * @error: (out) (optional): return location
 * @error_number: value of errno
 * @format: message id: what was being done and to which file, as "cannot read “%s”"
 *
 * Sets @error to "FORMAT: reason of errno" with the code that fits the errno (ENOENT: NOT_FOUND;
 * ENOSPC, EDQUOT, EFBIG: NO_SPACE; ELOOP, EXDEV: FORBIDDEN; else IO).
 */
void sonde_data_error_set_errno (GError **error, int error_number, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
