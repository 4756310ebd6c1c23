/* SPDX-License-Identifier: Apache-2.0
 * Records of every kind in words. */
#include "data/records/sonde-record-facts.h"

#include <string.h>

#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"

static const char *
find_fact (GPtrArray *facts, const char *name)
{
  for (guint i = 0; i < facts->len; i++)
    if (g_str_equal (((SondeRecordFact *) facts->pdata[i])->name, name))
      return ((SondeRecordFact *) facts->pdata[i])->text;
  return NULL;
}

/* Of every kind that was made for a plain look there is something to say. */
static void
test_every_kind (void)
{
  for (guint i = 0; i < N_RICH_RECORDS; i++)
    {
      SondeRecord record;
      g_autoptr (GPtrArray) facts = NULL;

      make_rich_record (i, &record);
      facts = sonde_record_list_facts (&record);
      g_assert_cmpuint (facts->len, >, 0);
      for (guint k = 0; k < facts->len; k++)
        {
          const SondeRecordFact *fact = facts->pdata[k];

          g_assert_nonnull (fact->name);
          g_assert_nonnull (fact->text);
        }
      sonde_record_clear (&record);
    }
  for (guint i = 0; i < N_SAMPLE_RECORDS; i++)
    {
      SondeRecord record;

      make_sample_record (i, &record);
      g_ptr_array_unref (sonde_record_list_facts (&record));
      sonde_record_clear (&record);
    }
}

static void
test_hparams (void)
{
  SondeHparam items[] = { { (char *) "learning rate", (char *) "0.1", SONDE_HPARAM_NUMBER } };
  SondeRecord record
      = { .kind = SONDE_RECORD_HPARAMS,
          .u.hparams
          = { .items = items, .n = 1, .group = (char *) "trial 7", .status = (char *) "success" } };
  g_autoptr (GPtrArray) facts = sonde_record_list_facts (&record);

  g_assert_cmpstr (find_fact (facts, "learning rate"), ==, "0.1");
  g_assert_cmpstr (find_fact (facts, "trial"), ==, "trial 7");
  g_assert_cmpstr (find_fact (facts, "status"), ==, "success");
  g_assert_null (find_fact (facts, "started"));
}

static void
test_other_and_unknown (void)
{
  SondeRecord record = { .kind = SONDE_RECORD_OTHER,
                         .u.other = { .plugin = (char *) "somebody's", .bytes = 1234 } };
  g_autoptr (GPtrArray) facts = sonde_record_list_facts (&record);
  g_autoptr (GPtrArray) none = NULL;

  g_assert_cmpstr (find_fact (facts, "made for"), ==, "somebody's");
  g_assert_cmpstr (find_fact (facts, "in the file"), ==, "1234 bytes");
  record.kind = 77;
  none = sonde_record_list_facts (&record);
  g_assert_cmpuint (none->len, ==, 0);
}

/* A million items are no million lines. */
static void
test_limit (void)
{
  gsize n = SONDE_RECORD_MAX_FACTS + 10;
  g_autofree SondeHparam *items = g_new (SondeHparam, n);
  SondeRecord record = { .kind = SONDE_RECORD_LINEAGE, .u.lineage = { .items = items, .n = n } };
  g_autoptr (GPtrArray) facts = NULL;

  for (gsize i = 0; i < n; i++)
    items[i] = (SondeHparam){ (char *) "key", (char *) "text", SONDE_HPARAM_TEXT };
  facts = sonde_record_list_facts (&record);
  g_assert_cmpuint (facts->len, ==, SONDE_RECORD_MAX_FACTS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/record-facts/every-kind", test_every_kind);
  g_test_add_func ("/record-facts/hparams", test_hparams);
  g_test_add_func ("/record-facts/other", test_other_and_unknown);
  g_test_add_func ("/record-facts/limit", test_limit);
  return g_test_run ();
}
