/* SPDX-License-Identifier: Apache-2.0
 * Writes the samples into one file: how tests/fixtures/records/v1.sonde and v2.sonde were made.
 * Usage: make-fixture 1|2 FILE */
#include "data/base/sonde-io.h"
#include "data/records/sonde-record-frame.h"
#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"

int
main (int argc, char *argv[])
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gboolean rich = argc == 3 && g_str_equal (argv[1], "2");

  if (argc != 3)
    {
      g_printerr ("Usage: %s 1|2 FILE\n", argv[0]);
      return 2;
    }
  for (guint i = 0; i < (rich ? N_VERSION_2_RECORDS : N_SAMPLE_RECORDS); i++)
    {
      SondeRecord record;
      gsize start = sonde_frame_begin (bytes);

      (rich ? make_rich_record : make_sample_record) (i, &record);
      sonde_record_encode (&record, table, bytes);
      sonde_frame_end (bytes, start);
      sonde_record_clear (&record);
    }
  if (sonde_io_replace_file (NULL, argv[2], bytes->data, bytes->len, &error))
    return 0;
  g_printerr ("%s\n", error->message);
  return 1;
}
