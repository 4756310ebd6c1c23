/* SPDX-License-Identifier: Apache-2.0
 * The error domain of data/. What lives here: the domain and its few codes, each one something a
 * caller can act on. The place (file, offset, node, key) is in the message, never in the code. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
 * @format: what was being done and to which file, as "cannot read “x.onnx”"
 *
 * Sets @error to "FORMAT: reason of errno" with the code that fits the errno (ENOENT: NOT_FOUND;
 * ENOSPC, EDQUOT, EFBIG: NO_SPACE; ELOOP, EXDEV: FORBIDDEN; else IO).
 */
void sonde_data_error_set_errno (GError **error, int error_number, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
