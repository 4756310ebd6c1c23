/* SPDX-License-Identifier: Apache-2.0
 * What the folders and names of MindSpore's files say:
 *   rank_N/NET/GRAPH/ITERATION/OP.NODE.TASK.STREAM.TIME.output.SLOT.FORMAT[.DTYPE].npy
 *   rank_N/NET/GRAPH/constants/…, rank_N/graphs/…, rank_N/execution_order/…
 *   RUN/ckpt_dir/…, RUN/export_N/tensor/…, RUN/…_ascend_ms/…/…, RUN/profiler…/…,
 *   RUN/_explain_N/… */
#include "data/records/mindspore/sonde-mindspore-dump-private.h"
#include "data/records/mindspore/sonde-mindspore-number-private.h"
#include "data/records/mindspore/sonde-mindspore-run-private.h"

#include <inttypes.h>

#define MAX_ORDER_BYTES ((guint64) 16 << 20)

gboolean
sonde_mindspore_is_numbered (const char *text, gsize length, const char *prefix)
{
  gsize n = strlen (prefix);

  if (length <= n || strncmp (text, prefix, n) != 0)
    return FALSE;
  for (gsize i = n; i < length; i++)
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  return TRUE;
}

/* ---- runs ---------------------------------------------------------------- */

typedef enum
{
  PART_NONE,
  PART_RUN,    /* this folder is the run */
  PART_INSIDE, /* the one that holds it is */
} Part;

static Part
part_of (const char *name, gsize length)
{
  g_autofree char *text = g_strndup (name, length);

  if (sonde_mindspore_is_numbered (name, length, "rank_"))
    return PART_RUN;
  if (g_str_has_suffix (text, "_ascend_ms") || g_str_equal (text, "ckpt_dir")
      || sonde_mindspore_is_numbered (name, length, "export_")
      || sonde_mindspore_is_numbered (name, length, "_explain_"))
    return PART_INSIDE;
  return PART_NONE;
}

char *
sonde_mindspore_dup_run (const char *folder)
{
  gsize end = strlen (folder);

  while (end > 1)
    {
      gsize begin = end;
      Part part;

      while (begin > 0 && folder[begin - 1] != '/')
        begin--;
      part = part_of (folder + begin, end - begin);
      /* old profilers wrote into one folder */
      if (folder[end] == '\0' && strncmp (folder + begin, "profiler", strlen ("profiler")) == 0)
        part = PART_INSIDE;
      if (part == PART_RUN)
        return g_strndup (folder, end);
      if (part == PART_INSIDE && begin > 1)
        return g_strndup (folder, begin - 1);
      end = begin > 0 ? begin - 1 : 0;
    }
  return NULL;
}

/* ---- dumps --------------------------------------------------------------- */

gboolean
sonde_mindspore_is_dump_folder (const char *folder, gint64 *iteration)
{
  g_auto (GStrv) parts = g_strsplit (folder, "/", -1);
  const guint n = g_strv_length (parts);
  gboolean is_constants = n >= 1 && g_str_equal (parts[n - 1], "constants");

  if (n < 4 || !sonde_mindspore_is_numbered (parts[n - 4], strlen (parts[n - 4]), "rank_")
      || !sonde_mindspore_is_numbered (parts[n - 2], strlen (parts[n - 2]), "")
      || !(is_constants || sonde_mindspore_is_numbered (parts[n - 1], strlen (parts[n - 1]), "")))
    return FALSE;
  if (iteration != NULL)
    *iteration = is_constants ? 0 : g_ascii_strtoll (parts[n - 1], NULL, 10);
  return TRUE;
}

/* A line of the order that is @name once its slashes are underscores (or hyphens, as some
 * wrote). */
static char *
find_in_order (const char *order, gsize length, const char *name)
{
  const gsize n = strlen (name);

  for (const char *line = order, *end = order + length; line < end;)
    {
      const char *stop = memchr (line, '\n', (gsize) (end - line));
      gsize bytes = (gsize) ((stop != NULL ? stop : end) - line), i = 0;

      while (bytes == n && i < n
             && (line[i] == name[i] || (line[i] == '/' && (name[i] == '_' || name[i] == '-'))))
        i++;
      if (bytes == n && i == n)
        return g_strndup (line, n);
      line += bytes + 1;
    }
  return NULL;
}

/* Parts of a scope begin with a capital, an underscore of their own, or behind a cell's type. */
static char *
guess_full_name (const char *name)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!g_str_has_prefix (name, "Default_") && !g_str_has_prefix (name, "Gradients_"))
    return g_strdup (name);
  for (const char *p = name; *p != '\0'; p++)
    if (*p == '_' && (p == name || p[-1] != '_') && !g_str_has_suffix (text->str, "/Grad"))
      g_string_append_c (text, '/');
    else
      g_string_append_c (text, *p);
  return g_strdup (text->str);
}

char *
sonde_mindspore_dup_full_name (const SondeIo *io, const char *folder, const char *op,
                               const char *name)
{
  g_autofree char *graph = g_path_get_dirname (folder), *net = g_path_get_dirname (graph);
  g_autofree char *rank = g_path_get_dirname (net), *number = g_path_get_basename (graph);
  g_autofree char *file
      = g_strdup_printf ("%s/execution_order/ms_execution_order_graph_%s.csv", rank, number);
  g_autoptr (GBytes) order = NULL;
  char *found = NULL;
  gsize length;
  const char *text;

  if (g_str_equal (op, "Parameter"))
    {
      /* a constant of the graph is named by its number */
      if (sonde_mindspore_is_numbered (name, strlen (name), "data-"))
        return g_strconcat ("cst", name + strlen ("data-"), NULL);
      return g_strdup (name);
    }
  if (strchr (name, '/') != NULL)
    return g_strdup (name);
  order = sonde_io_read_file (io, file, MAX_ORDER_BYTES, NULL);
  if (order != NULL)
    {
      text = g_bytes_get_data (order, &length);
      found = find_in_order (text, length, name);
    }
  return found != NULL ? found : guess_full_name (name);
}

static gboolean
is_number (const char *text)
{
  return sonde_mindspore_is_numbered (text, strlen (text), "");
}

/* Microseconds since 1970 have 16 digits, for a while. */
static gint64
time_of (const char *text)
{
  gint64 number = g_ascii_strtoll (text, NULL, 10);

  return number >= 1000000000000000 && number < 9000000000000000 ? number * 1000 : 0;
}

/* The part that says input or output: parameters have dots in their names, so from the right. */
static int
find_io (char **parts, int n)
{
  for (int i = n - 2; i >= 5; i--)
    if ((g_str_equal (parts[i], "input") || g_str_equal (parts[i], "output"))
        && is_number (parts[i + 1]) && is_number (parts[i - 1]) && is_number (parts[i - 2])
        && is_number (parts[i - 3]))
      return i;
  return -1;
}

/* Of names without that part: behind the last of three numbers. */
static int
find_times (char **parts, int n)
{
  if (n > 1 && g_str_equal (parts[n - 1], "bin"))
    n--;
  return n >= 5 && is_number (parts[n - 1]) && is_number (parts[n - 2]) && is_number (parts[n - 3])
             ? n
             : -1;
}

gboolean
sonde_mindspore_dump_parse (const SondeIo *io, const char *path, gboolean needs_io,
                            SondeMindsporeDump *dump)
{
  g_autofree char *name = g_path_get_basename (path), *folder = g_path_get_dirname (path),
                  *node = NULL;
  g_auto (GStrv) parts = g_strsplit (name, ".", -1);
  const int n = (int) g_strv_length (parts);
  int at = find_io (parts, n);
  const gboolean has_io = at >= 0;

  *dump = (SondeMindsporeDump){ .io = "", .slot = -1 };
  if (!has_io)
    at = needs_io ? -1 : find_times (parts, n);
  if (at < 0)
    return FALSE;
  if (has_io)
    {
      dump->io = g_str_equal (parts[at], "input") ? "input" : "output";
      dump->slot = g_ascii_strtoll (parts[at + 1], NULL, 10);
    }
  dump->wall_time_ns = time_of (parts[at - 1]);
  sonde_mindspore_is_dump_folder (folder, &dump->iteration);
  dump->op = g_strdup (parts[0]);
  g_clear_pointer (&parts[at - 3], g_free);
  node = g_strjoinv (".", parts + 1);
  for (int i = at - 2; i < n; i++)
    g_free (parts[i]);
  dump->node = sonde_mindspore_dup_full_name (io, folder, dump->op, node);
  return TRUE;
}

void
sonde_mindspore_dump_clear (SondeMindsporeDump *dump)
{
  g_clear_pointer (&dump->op, g_free);
  g_clear_pointer (&dump->node, g_free);
}

char *
sonde_mindspore_dump_tag (const SondeMindsporeDump *dump, const char *io, gint64 slot)
{
  return g_strdup_printf ("%s/%s/%" PRIi64, dump->node, io, slot);
}
