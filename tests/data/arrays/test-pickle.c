/* SPDX-License-Identifier: Apache-2.0
 * Pickles that Python wrote, by every protocol; cut and changed ones. */
#include "data/arrays/sonde-pickle.h"
#include "data/base/sonde-error.h"

#define PICKLE(text) text, sizeof text - 1

typedef struct
{
  const char *name;
  const char *bytes;
  gsize length;
} Case;

/* [1, -2, 300, 70000, -5000000000, 3.5, "aä", (True, None), {"k": b"x", "l": [(), (1, 2, 3, 4)]}] */
static const Case written[] = {
  { "2",
    PICKLE (
        "\200\002]q\000(K\001J\376\377\377\377M,\001Jp\021\001\000\212\005\000\016\372\325\376G@"
        "\014\000\000\000\000\000\000X\003\000\000\000a\303\244q\001\210N\206q\002}q\003("
        "X\001\000\000\000kq\004c_"
        "codecs\012encode\012q\005X\001\000\000\000xq\006X\006\000\000\000latin1q\007\206q\010Rq"
        "\011X\001\000\000\000lq\012]q\013()(K\001K\002K\003K\004tq\014eue.") },
  { "3",
    PICKLE (
        "\200\003]q\000(K\001J\376\377\377\377M,\001Jp\021\001\000\212\005\000\016\372\325\376G@"
        "\014\000\000\000\000\000\000X\003\000\000\000a\303\244q\001\210N\206q\002}q\003("
        "X\001\000\000\000kq\004C\001xq\005X\001\000\000\000lq\006]q\007()("
        "K\001K\002K\003K\004tq\010eue.") },
  { "4", PICKLE ("\200\004\225N\000\000\000\000\000\000\000]\224(K\001J\376\377\377\377M,"
                 "\001Jp\021\001\000\212\005\000\016\372\325\376G@"
                 "\014\000\000\000\000\000\000\214\003a\303\244\224\210N\206\224}\224("
                 "\214\001k\224C\001x\224\214\001l\224]\224()(K\001K\002K\003K\004t\224eue.") },
  { "5", PICKLE ("\200\005\225N\000\000\000\000\000\000\000]\224(K\001J\376\377\377\377M,"
                 "\001Jp\021\001\000\212\005\000\016\372\325\376G@"
                 "\014\000\000\000\000\000\000\214\003a\303\244\224\210N\206\224}\224("
                 "\214\001k\224C\001x\224\214\001l\224]\224()(K\001K\002K\003K\004t\224eue.") },
};

static void append (GString *text, const SondePickleValue *value);

static void
append_all (GString *text, char open, const GPtrArray *values, char close)
{
  g_string_append_c (text, open);
  for (guint i = 0; values != NULL && i < values->len; i++)
    {
      g_string_append (text, i > 0 ? " " : "");
      append (text, g_ptr_array_index (values, i));
    }
  g_string_append_c (text, close);
}

/* A call as Python's bytes are written by protocol 2: ! function arguments. */
static void
append (GString *text, const SondePickleValue *value)
{
  switch (value->kind)
    {
    case SONDE_PICKLE_NONE:
      g_string_append (text, "None");
      break;
    case SONDE_PICKLE_BOOL:
      g_string_append (text, value->integer ? "True" : "False");
      break;
    case SONDE_PICKLE_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, value->integer);
      break;
    case SONDE_PICKLE_FLOAT:
      g_string_append_printf (text, "%g", value->real);
      break;
    case SONDE_PICKLE_TEXT:
    case SONDE_PICKLE_NAME:
      g_string_append (text, value->text);
      break;
    case SONDE_PICKLE_BYTES:
      g_string_append_printf (text, "b:%.*s", (int) g_bytes_get_size (value->bytes),
                              (const char *) g_bytes_get_data (value->bytes, NULL));
      break;
    case SONDE_PICKLE_TUPLE:
      append_all (text, '(', value->items, ')');
      break;
    case SONDE_PICKLE_LIST:
    case SONDE_PICKLE_SET:
      append_all (text, '[', value->items, ']');
      break;
    case SONDE_PICKLE_DICT:
      append_all (text, '{', value->entries, '}');
      break;
    case SONDE_PICKLE_CALL:
    case SONDE_PICKLE_PERSISTENT:
      append_all (text, '<', value->items, '>');
      break;
    }
}

static void
test_written (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePickle) pickle
      = sonde_pickle_parse ((const guint8 *) test->bytes, test->length, "x", &error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *wanted = NULL;

  g_assert_no_error (error);
  append (text, sonde_pickle_get_root (pickle));
  wanted
      = g_strdup_printf ("[1 -2 300 70000 -5000000000 3.5 aä (True None) {k %s l [() (1 2 3 4)]}]",
                         test->name[0] == '2' ? "<_codecs.encode (x latin1)>" : "b:x");
  g_assert_cmpstr (text->str, ==, wanted);
}

/* Every pickle that ends too early is refused, with a place. */
static void
test_cut (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (written); i++)
    for (gsize n = 0; n < written[i].length; n++)
      {
        g_autoptr (GError) error = NULL;
        g_autofree guint8 *part = g_memdup2 (written[i].bytes, n);

        g_assert_null (sonde_pickle_parse (part, n, "x", &error));
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
        g_assert_nonnull (strstr (error->message, "x, offset "));
      }
}

/* Whatever the bytes are: a tree or an error. */
static void
test_changed (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < 20000; i++)
    {
      const Case *from = &written[i % G_N_ELEMENTS (written)];
      g_autofree guint8 *bytes = g_memdup2 (from->bytes, from->length);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondePickle) pickle = NULL;

      for (guint k = 0; k < 1 + i % 5; k++)
        bytes[g_rand_int_range (rand, 0, (gint32) from->length)]
            = (guint8) g_rand_int_range (rand, 0, 256);
      pickle = sonde_pickle_parse (bytes, from->length, "x", &error);
      g_assert_true ((pickle == NULL) == (error != NULL));
    }
}

static void
test_refused (void)
{
  static const struct
  {
    Case from;
    int code;
    const char *says;
  } cases[] = {
    { { "big", PICKLE ("\200\002\212\011\001\002\003\004\005\006\007\010\011.") },
      SONDE_DATA_ERROR_UNSUPPORTED,
      "64 bits" },
    { { "operation", PICKLE ("\200\002I5\012.") }, SONDE_DATA_ERROR_UNSUPPORTED, "0x49" },
    { { "protocol", PICKLE ("\200\006N.") }, SONDE_DATA_ERROR_DAMAGED, "later protocol" },
    { { "mark", PICKLE ("t.") }, SONDE_DATA_ERROR_DAMAGED, "mark" },
    { { "memo", PICKLE ("h\001.") }, SONDE_DATA_ERROR_DAMAGED, "did not give" },
    { { "list", PICKLE ("K\001K\002a.") }, SONDE_DATA_ERROR_DAMAGED, "no list" },
    { { "text", PICKLE ("X\001\000\000\000\377.") }, SONDE_DATA_ERROR_DAMAGED, "UTF-8" },
    { { "only-a-mark", PICKLE ("(.") }, SONDE_DATA_ERROR_DAMAGED, "did not give" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_pickle_parse ((const guint8 *) cases[i].from.bytes, cases[i].from.length,
                                         "x", &error));
      g_assert_error (error, SONDE_DATA_ERROR, cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].says));
    }
}

/* A megabyte of nothing but values is refused before it takes more than the limit. */
static void
test_many (void)
{
  g_autoptr (GError) error = NULL;
  gsize n = SONDE_PICKLE_MAX_VALUES + 1;
  g_autofree guint8 *bytes = g_malloc (n);

  memset (bytes, 'N', n);
  g_assert_null (sonde_pickle_parse (bytes, n, "x", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (written); i++)
    {
      g_autofree char *path = g_strconcat ("/data/arrays/pickle/protocol-", written[i].name, NULL);

      g_test_add_data_func (path, &written[i], test_written);
    }
  g_test_add_func ("/data/arrays/pickle/cut", test_cut);
  g_test_add_func ("/data/arrays/pickle/changed", test_changed);
  g_test_add_func ("/data/arrays/pickle/refused", test_refused);
  g_test_add_func ("/data/arrays/pickle/many", test_many);
  return g_test_run ();
}
