/* SPDX-License-Identifier: Apache-2.0
 * Notes on results: sentences side by side, reasons behind them, and the way to another process. */
#include "data/base/sonde-error.h"
#include "data/base/sonde-message-variant.h"
#include "explain/sonde-note.h"

static void
test_sentences (void)
{
  g_autoptr (SondeMessage) note = NULL;
  const char *const *arguments;

  sonde_note_add (&note, "%d maps are constant.", 3);
  g_assert_cmpstr (sonde_message_get_english (note), ==, "3 maps are constant.");
  sonde_note_add (&note, "The map contains numbers that are not finite.");
  g_assert_cmpstr (sonde_message_get_english (note), ==,
                   "3 maps are constant. The map contains numbers that are not finite.");
  /* each sentence keeps its id */
  g_assert_cmpstr (sonde_message_get_part (note, 0, &arguments), ==, "%d maps are constant.");
  g_assert_cmpstr (arguments[0], ==, "3");
}

static void
test_because (void)
{
  g_autoptr (GPtrArray) notes = sonde_notes_new (), copies = sonde_notes_new ();
  g_autoptr (GError) error = NULL;

  sonde_set_error (&error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "“%s” has no gradient.",
                   "Loop");
  sonde_notes_add_because (notes, error, "Maps could not be clustered: ");
  sonde_notes_append (copies, notes);
  g_ptr_array_set_size (notes, 0);
  g_assert_cmpuint (copies->len, ==, 1);
  g_assert_cmpstr (sonde_message_get_english (copies->pdata[0]), ==,
                   "Maps could not be clustered: “Loop” has no gradient.");
  g_assert_cmpuint (sonde_message_get_n_parts (copies->pdata[0]), ==, 2);
}

/* Ids and arguments survive, whatever the bytes are; none is none. */
static void
test_variant (void)
{
  g_autoptr (SondeMessage) message = sonde_message_new ("“%s” and %d %%", "a\xff", 7), back = NULL;
  g_autoptr (GPtrArray) list = sonde_notes_new (), lists = NULL;
  g_autoptr (GVariant) one = NULL, none = NULL, all = NULL;

  sonde_message_append_text (message, " more");
  one = g_variant_ref_sink (sonde_message_to_variant (message));
  g_assert_true (g_variant_is_of_type (one, G_VARIANT_TYPE (SONDE_MESSAGE_VARIANT)));
  back = sonde_message_from_variant (one);
  g_assert_cmpuint (sonde_message_get_n_parts (back), ==, 2);
  g_assert_cmpstr (sonde_message_get_english (back), ==, "“a\357\277\275” and 7 % more");
  none = g_variant_ref_sink (sonde_message_to_variant (NULL));
  g_assert_null (sonde_message_from_variant (none));
  g_ptr_array_add (list, sonde_message_copy (message));
  g_ptr_array_add (list, sonde_message_copy (message));
  all = g_variant_ref_sink (sonde_messages_to_variant (list));
  lists = sonde_messages_from_variant (all);
  g_assert_cmpuint (lists->len, ==, 2);
  g_assert_cmpstr (sonde_message_get_english (lists->pdata[1]), ==,
                   sonde_message_get_english (back));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/notes/sentences", test_sentences);
  g_test_add_func ("/explain/notes/because", test_because);
  g_test_add_func ("/explain/notes/variant", test_variant);
  return g_test_run ();
}
