/* SPDX-License-Identifier: Apache-2.0
 * Errors that name the file, and texts that must be UTF-8. */
#include "data/models/onnx/sonde-onnx-reader.h"

gboolean
sonde_onnx_fail (const SondeOnnxReader *reader, GError **error, SondeDataError code,
                 const char *format, ...)
{
  SondeMessage *message;
  va_list arguments;

  va_start (arguments, format);
  message = sonde_message_new_va (format, arguments);
  va_end (arguments);
  sonde_message_prepend (message, "“%s”: ", reader->name);
  sonde_set_error_message (error, SONDE_DATA_ERROR, code, message);
  return FALSE;
}

gboolean
sonde_onnx_check_text (const SondeOnnxReader *reader, const char *what, const char *text,
                       GError **error)
{
  g_autofree char *shown = NULL;

  if (text == NULL || g_utf8_validate (text, -1, NULL))
    return TRUE;
  shown = g_utf8_make_valid (text, -1);
  return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED, "%-s “%s” is not UTF-8", what,
                          shown);
}

char *
sonde_onnx_dup_doc (const char *text)
{
  return text != NULL && *text != '\0' ? g_utf8_make_valid (text, -1) : NULL;
}
