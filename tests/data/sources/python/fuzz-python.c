/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for Python sources. Built by gcc it replays the files named on the command line, and each of
 * them damaged in many places (a test); with clang -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a libFuzzer
 * target (scripts/fuzz). */
#include "data/sources/python/sonde-python-module.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* ---- what holds of every source ------------------------------------------ */

static void
check_scopes (const SondePythonModule *module)
{
  g_assert_cmpuint (g_array_index (module->scopes, SondePythonScope, 0).parent, ==,
                    SONDE_PYTHON_NO_SCOPE);
  for (guint i = 1; i < module->scopes->len; i++)
    g_assert_cmpuint (g_array_index (module->scopes, SondePythonScope, i).parent, <, i);
}

static void
check_bindings (const SondePythonModule *module, const SondeNameTable *names)
{
  for (guint i = 0; i < module->bindings->len; i++)
    {
      const SondePythonBinding *binding = &g_array_index (module->bindings, SondePythonBinding, i);
      guint n;

      g_assert_cmpuint (binding->scope, <, module->scopes->len);
      g_assert_cmpuint (binding->line, <=, module->n_lines + 1);
      g_assert_nonnull (sonde_python_module_find (module, binding->scope, binding->name, &n));
      if (binding->name != SONDE_NO_NAME)
        g_assert_nonnull (sonde_name_table_get (names, binding->name));
      if (binding->kind == SONDE_PYTHON_BINDS_ALIAS || binding->kind == SONDE_PYTHON_BINDS_DEFAULT)
        g_assert_cmpuint (binding->value_scope, <, module->scopes->len);
    }
}

static void
check_references (const SondePythonModule *module, const SondeNameTable *names)
{
  guint32 line = 0;

  for (guint i = 0; i < module->references->len; i++)
    {
      const SondePythonReference *reference
          = &g_array_index (module->references, SondePythonReference, i);

      g_assert_cmpuint (reference->line, >=, MAX (line, 1));
      g_assert_cmpuint (reference->line, <=, module->n_lines + 1);
      g_assert_cmpuint (reference->column, >=, 1);
      g_assert_cmpuint (reference->scope, <, module->scopes->len);
      g_assert_nonnull (sonde_name_table_get (names, reference->chain));
      if (reference->how != SONDE_PYTHON_IMPORT)
        g_assert_cmpuint (reference->arguments, <=, module->arguments->len);
      line = reference->line;
    }
  for (guint i = 0; i < module->arguments->len; i++)
    {
      const SondePythonArguments *given
          = &g_array_index (module->arguments, SondePythonArguments, i);

      g_assert_cmpuint (given->keywords + given->n_keywords, <=, module->keywords->len);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  static const char *const methods[] = { "sum", "view", NULL };
  g_autoptr (SondePythonReader) reader = sonde_python_reader_new (methods);
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);
  g_autoptr (SondePythonModule) module = sonde_python_reader_read (reader, bytes);
  const SondeNameTable *names = sonde_python_reader_get_names (reader);

  g_assert_true ((module->damage.line == 0) == (module->damage.message == NULL));
  check_scopes (module);
  check_bindings (module, names);
  check_references (module, names);
  return 0;
}

#ifndef SONDE_LIBFUZZER
/* Each byte in turn becomes another one, in a way that is the same each time. */
static void
damage (const char *data, gsize length)
{
  static const char marks[] = "()[]{}'\"\\\n\r\t:;=,.#f@*";
  g_autofree guint8 *bytes = g_memdup2 (data, length);
  guint32 state = 1;

  for (gsize i = 0; i < length; i++)
    {
      guint8 kept = bytes[i];

      state = state * 1664525 + 1013904223;
      bytes[i] = i % 3 == 0 ? state >> 24 : (guint8) marks[(state >> 20) % (sizeof marks - 1)];
      LLVMFuzzerTestOneInput (bytes, i % 5 == 0 ? i : length);
      bytes[i] = kept;
    }
}

static int
replay (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *data = NULL;
  const char *name;
  gsize length;
  int n = 0;

  if (dir == NULL)
    {
      if (!g_file_get_contents (path, &data, &length, NULL))
        return 0;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      damage (data, length);
      return 1;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      n += replay (child);
    }
  return n;
}

int
main (int argc, char *argv[])
{
  int n = 0;

  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  g_print ("1..1\n%s 1 - /data/sources/python/fuzz # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
