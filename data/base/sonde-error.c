/* SPDX-License-Identifier: Apache-2.0
 * The error domain of data/ and its mapping from errno. */
#include "data/base/sonde-error.h"

#include <errno.h>

G_DEFINE_QUARK (sonde - data - error - quark, sonde_data_error)

static const struct
{
  int number;
  SondeDataError code;
} errno_codes[] = {
  { ENOENT, SONDE_DATA_ERROR_NOT_FOUND }, { ENOSPC, SONDE_DATA_ERROR_NO_SPACE },
  { EDQUOT, SONDE_DATA_ERROR_NO_SPACE },  { EFBIG, SONDE_DATA_ERROR_NO_SPACE },
  { ELOOP, SONDE_DATA_ERROR_FORBIDDEN },  { EXDEV, SONDE_DATA_ERROR_FORBIDDEN },
};

static SondeDataError
code_of_errno (int number)
{
  for (gsize i = 0; i < G_N_ELEMENTS (errno_codes); i++)
    {
      if (errno_codes[i].number == number)
        return errno_codes[i].code;
    }
  return SONDE_DATA_ERROR_IO;
}

void
sonde_data_error_set_errno (GError **error, int error_number, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  g_set_error (error, SONDE_DATA_ERROR, code_of_errno (error_number), "%s: %s", message,
               g_strerror (error_number));
}

gboolean
sonde_data_error_is_of_system (const GError *error)
{
  return g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO)
         || g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY);
}
