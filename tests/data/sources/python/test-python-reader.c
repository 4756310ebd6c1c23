/* SPDX-License-Identifier: Apache-2.0
 * Single forms of Python, and bytes that are none. */
#include <string.h>

#include "data/sources/python/sonde-python-module.h"

static const char *const methods[] = { "unsqueeze", "sum", NULL };

/* "line:column how first.chain" of each reference, joined by blanks. (transfer full) */
static char *
describe (const char *text, gsize length, guint32 *damaged)
{
  g_autoptr (SondePythonReader) reader = sonde_python_reader_new (methods);
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  g_autoptr (SondePythonModule) module = sonde_python_reader_read (reader, bytes);
  SondeNameTable *names = sonde_python_reader_get_names (reader);
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < module->references->len; i++)
    {
      const SondePythonReference *reference
          = &g_array_index (module->references, SondePythonReference, i);
      const char *first = reference->first == SONDE_NO_NAME
                              ? "import"
                              : sonde_name_table_get (names, reference->first);

      g_string_append_printf (all, "%s%u:%u %s", i > 0 ? ", " : "", reference->line,
                              reference->column, first);
      if (*sonde_name_table_get (names, reference->chain) != '\0')
        g_string_append_printf (all, ".%s", sonde_name_table_get (names, reference->chain));
    }
  *damaged = module->damage.line;
  return g_string_free (all, FALSE);
}

typedef struct
{
  const char *name, *text, *references;
  guint32 damaged;
} Form;

static const Form forms[] = {
  { "nested-f-string", "import t\nx = f\"{t.a:{t.b}} {f'{t.c}'}\" \"{t.no}\"\n",
    "1:8 import.t, 2:8 t.a, 2:13 t.b, 2:23 t.c", 0 },
  { "same-quotes-in-f-string", "import t\nx = f'{t.a['k']!r}{{t.no}}{t.b = }'; t.c\n",
    "1:8 import.t, 2:8 t.a, 2:28 t.b, 2:38 t.c", 0 },
  { "escapes-in-f-string", "import t\nx = f'\\N{DASH}{t.a}\\{t.b}\\'{t.c}'\n",
    "1:8 import.t, 2:16 t.a, 2:22 t.b, 2:29 t.c", 0 },
  { "multi-line-f-string", "import t\nx = f'''\n{t.a\n  + t.b:\n>3}'''\nt.c\n",
    "1:8 import.t, 3:2 t.a, 4:5 t.b, 6:1 t.c", 0 },
  { "walrus-leaves-comprehension", "import t\n[y for _ in z if (t := _)]\nt.a\n",
    "1:8 import.t, 3:1 t.a", 0 },
  { "lambda-ends-at-comma", "import t\nf(lambda t: t.no, t.a)\n{1: lambda t: t.no, t.b: 2}\n",
    "1:8 import.t, 2:19 t.a, 3:21 t.b", 0 },
  { "lambda-default", "import t\nf = lambda t=t.a, *, k=lambda: t.b: t.no\n",
    "1:8 import.t, 2:14 t.a, 2:32 t.b, 2:37 t.no", 0 },
  { "comprehension-in-class", "import t\nclass A:\n  t = 1\n  x = [t.a for _ in t.no]\n",
    "1:8 import.t, 4:8 t.a", 0 },
  { "nonlocal", "def f():\n  import t\n  def g():\n    nonlocal t\n    t = 2\n    t.a\n  t.b\n",
    "2:10 import.t, 6:5 t.a, 7:3 t.b", 0 },
  { "global", "def f():\n  global t\n  import t\ndef g(): return t.a\n", "3:10 import.t, 4:17 t.a",
    0 },
  { "type-parameters",
    "import t\ndef f[T: t.a](x: T.no) -> t.b: ...\nclass C[T](t.c): ...\ntype X[U] = t.d[U]\n",
    "1:8 import.t, 2:10 t.a, 2:27 t.b, 3:12 t.c, 4:13 t.d", 0 },
  { "soft-words",
    "import t\nmatch = t.a\nmatch(t.b)\nmatch[t.c]: int = 1\ncase = type = t.d\nprint(case)\n",
    "1:8 import.t, 2:9 t.a, 3:1 match, 3:7 t.b, 4:1 match, 4:7 t.c, 5:15 t.d, 6:7 case", 0 },
  { "match",
    "import t\nmatch t.a, 1:\n  case t.b(t.no) | {'k': t.c} if t.d: t.e\n  case [*_]: pass\n",
    "1:8 import.t, 2:7 t.a, 3:8 t.b, 3:12 t.no, 3:26 t.c, 3:34 t.d, 3:39 t.e", 0 },
  { "decorators", "import t\n@t.a\n@t.b(t.c)\n@(t.d)\ndef f(): pass\n",
    "1:8 import.t, 2:2 t.a, 3:2 t.b, 3:6 t.c, 4:3 t.d", 0 },
  { "except-group", "import t\ntry: pass\nexcept* t.a as t: t.b\n",
    "1:8 import.t, 3:9 t.a, 3:19 t.b", 0 },
  { "with-in-brackets", "import t\nwith (t.a() as x, t.b() as y,): t.c\nwith (t.d): pass\n",
    "1:8 import.t, 2:7 t.a, 2:19 t.b, 2:33 t.c, 3:7 t.d", 0 },
  { "brackets-in-chain", "import t\n(t).a.b()\n((t.a)\n.b)(1)\n",
    "1:8 import.t, 2:2 t.a.b, 3:3 t.a.b", 0 },
  { "old-mac-lines", "import t\rt.a\r\nt.b\r", "1:8 import.t, 2:1 t.a, 3:1 t.b", 0 },
  { "numbers", "import t\nx = 1if t.a else 0x1e-t.b + 1.e-5j.real + 1_0.5.t\n",
    "1:8 import.t, 2:9 t.a, 2:23 t.b", 0 },
  { "unclosed-bracket", "import t\nx = (t.a,\ndef f(): return t.b\n",
    "1:8 import.t, 2:6 t.a, 3:17 t.b", 2 },
  { "matmul-in-brackets", "import t\nx = (t.a\n@ t.b)\n", "1:8 import.t, 2:6 t.a, 3:3 t.b", 0 },
  { "unclosed-string", "import t\nx = 't.no\nt.a\n", "1:8 import.t, 3:1 t.a", 2 },
  { "unclosed-long-string", "import t\nx = '''t.no\nt.a\n", "1:8 import.t, 3:1 t.a", 2 },
  { "python-2",
    "import t\nprint 'x', t.a\ntry: pass\nexcept t.b, e: raise t.c, 1\ndef f((a, b)): t.d\n",
    "1:8 import.t, 2:12 t.a, 4:8 t.b, 4:22 t.c, 5:16 t.d", 2 },
  { "stray-backslash", "import t\nx = t.a \\ t.b\n", "1:8 import.t, 2:5 t.a, 2:11 t.b", 2 },
  { "missing-block", "import t\nif t.a:\nt.b\n", "1:8 import.t, 2:4 t.a, 3:1 t.b", 3 },
  { "missing-value", "import t\nx = \nt.a\n", "1:8 import.t, 3:1 t.a", 2 },
  { "dangling-operator", "import t\nx = t.a +\nt.b\n", "1:8 import.t, 2:5 t.a, 3:1 t.b", 2 },
  { "shell-line", "import t\n!pip install x\nt.a\n", "1:8 import.t, 3:1 t.a", 2 },
};

static void
test_form (gconstpointer data)
{
  const Form *form = data;
  guint32 damaged;
  g_autofree char *described = describe (form->text, strlen (form->text), &damaged);

  g_assert_cmpstr (described, ==, form->references);
  g_assert_cmpuint (damaged, ==, form->damaged);
}

/* Long and deep inputs end in a moment, with a damage and without a crash. */
static void
test_hostile (gconstpointer data)
{
  const char *piece = data;
  GString *text = g_string_new ("import t\n");
  guint32 damaged;
  g_autofree char *described = NULL;

  while (text->len < 1 << 20)
    g_string_append (text, piece);
  described = describe (text->str, text->len, &damaged);
  g_assert_true (g_str_has_prefix (described, "1:8 import.t"));
  g_string_free (text, TRUE);
}

/* Texts cut at every byte. */
static void
test_cut (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    for (gsize length = 0; length < strlen (forms[i].text); length++)
      {
        guint32 damaged;
        g_autofree char *described = describe (forms[i].text, length, &damaged);

        g_assert_nonnull (described);
      }
}

static void
test_too_large (void)
{
  gsize length = SONDE_PYTHON_MAX_BYTES + 100;
  g_autofree char *text = g_malloc (length);
  g_autofree char *described = NULL;
  guint32 damaged;

  memset (text, '\n', length);
  memcpy (text, "import t", 8);
  described = describe (text, length, &damaged);
  g_assert_cmpstr (described, ==, "1:8 import.t");
  g_assert_cmpuint (damaged, ==, SONDE_PYTHON_MAX_BYTES - 8 + 1);
}

static void
test_nul (void)
{
  guint32 damaged;
  g_autofree char *described = describe ("import t\nx = \0t.a\0\n", 18, &damaged);

  g_assert_cmpstr (described, ==, "1:8 import.t, 2:6 t.a");
  g_assert_cmpuint (damaged, ==, 2);
}

static void
test_arguments (void)
{
  g_autoptr (SondePythonReader) reader = sonde_python_reader_new (methods);
  g_autoptr (GBytes) bytes = g_bytes_new_static (
      "import t\ndef f(x: t.T):\n  t.a(1, (2, 3), k=4, l=t.c(5)).sum()\n  x.y[0].sum(*z)\n", 77);
  g_autoptr (SondePythonModule) module = sonde_python_reader_read (reader, bytes);
  const SondePythonReference *call = &g_array_index (module->references, SondePythonReference, 2);
  const SondePythonArguments *given
      = &g_array_index (module->arguments, SondePythonArguments, call->arguments - 1);
  const SondePythonMethod *method = &g_array_index (module->methods, SondePythonMethod, 0);
  const SondePythonParameter *parameter
      = &g_array_index (module->parameters, SondePythonParameter, 0);

  g_assert_cmpuint (given->n_positional, ==, 2);
  g_assert_cmpuint (given->n_keywords, ==, 2);
  g_assert_cmpuint (module->methods->len, ==, 2);
  g_assert_cmpuint (method->receiver, ==, SONDE_PYTHON_RECEIVER_CALL);
  g_assert_cmpuint (method[1].receiver, ==, SONDE_PYTHON_RECEIVER_NAME);
  g_assert_cmpstr (sonde_name_table_get (sonde_python_reader_get_names (reader), parameter->chain),
                   ==, "T");
}

int
main (int argc, char *argv[])
{
  static const char *const pieces[] = { "(",
                                        ")",
                                        "[t.a for t in (",
                                        "lambda x=",
                                        "lambda: ",
                                        "f'{",
                                        "f'{x:{",
                                        "'''",
                                        "if t.a: ",
                                        "def f(",
                                        "t.",
                                        "global t\n",
                                        "nonlocal t\n",
                                        "x = t.a\n",
                                        "a,",
                                        "x=x=",
                                        "\\\n",
                                        "class A(t.B",
                                        "from t import *\n" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sources/python/%s", forms[i].name);

      g_test_add_data_func (path, &forms[i], test_form);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sources/python/hostile/%zu", i);

      g_test_add_data_func (path, pieces[i], test_hostile);
    }
  g_test_add_func ("/sources/python/nul", test_nul);
  g_test_add_func ("/sources/python/cut", test_cut);
  g_test_add_func ("/sources/python/too-large", test_too_large);
  g_test_add_func ("/sources/python/arguments", test_arguments);
  return g_test_run ();
}
