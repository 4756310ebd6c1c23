/* SPDX-License-Identifier: Apache-2.0 */
#include "data/models/tflite/sonde-tflite.h"

#include <string.h>

#include "data/models/tflite/sonde-tflite-lower.h"

#define IDENTIFIER "TFL3"
#define IDENTIFIER_OFFSET 4

#define MOST_BYTES ((guint64) 1 << 40)

gboolean
sonde_tflite_sniff (const guint8 *start, gsize length)
{
  return length >= IDENTIFIER_OFFSET + strlen (IDENTIFIER)
         && memcmp (start + IDENTIFIER_OFFSET, IDENTIFIER, strlen (IDENTIFIER)) == 0;
}

/* Options are read while operators are lowered, so damage may show only then. */
void
sonde_tflite_parse (SondeLowering *lowering, GBytes *bytes, const char *name)
{
  GError *error = NULL;
  g_autoptr (SondeTfliteFile) file = sonde_tflite_file_new (bytes, name, &error);

  if (file != NULL)
    sonde_tflite_lower_model (lowering, file);
  if (file == NULL || !sonde_flat_buffer_check (&file->buffer, &error))
    sonde_lowering_take_error (lowering, error);
}

void
sonde_tflite_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MOST_BYTES, &error);

  if (bytes != NULL)
    sonde_tflite_parse (lowering, bytes, path);
  else
    sonde_lowering_take_error (lowering, error);
}
