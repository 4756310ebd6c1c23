/* SPDX-License-Identifier: Apache-2.0
 * The file and the keys of its events. */
#include "data/traces/sonde-trace-chrome.h"

#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/traces/sonde-trace-chrome-private.h"

typedef enum
{
  KEY_OTHER,
  KEY_PHASE,
  KEY_NAME,
  KEY_CATEGORY,
  KEY_TIME,
  KEY_DURATION,
  KEY_PID,
  KEY_TID,
  KEY_ID,
  KEY_ID2,
  KEY_BIND_ID,
  KEY_BIND_POINT,
  KEY_FLOW_IN,
  KEY_FLOW_OUT,
  KEY_ARGS,
} Key;

static Key
get_key (const char *bytes, gsize n)
{
  static const struct
  {
    const char *name;
    Key key;
  } keys[] = {
    { "ph", KEY_PHASE },        { "ts", KEY_TIME },           { "id", KEY_ID },
    { "bp", KEY_BIND_POINT },   { "cat", KEY_CATEGORY },      { "pid", KEY_PID },
    { "tid", KEY_TID },         { "dur", KEY_DURATION },      { "id2", KEY_ID2 },
    { "name", KEY_NAME },       { "args", KEY_ARGS },         { "bind_id", KEY_BIND_ID },
    { "flow_in", KEY_FLOW_IN }, { "flow_out", KEY_FLOW_OUT },
  };
  /* where the keys of each length begin in the table */
  static const guint8 begins[] = { 0, 0, 0, 4, 9, 11, 11, 11, 13, 14 };

  if (n + 1 >= G_N_ELEMENTS (begins))
    return KEY_OTHER;
  for (guint i = begins[n]; i < begins[n + 1]; i++)
    if (memcmp (keys[i].name, bytes, n) == 0)
      return keys[i].key;
  return KEY_OTHER;
}

/* ---- values of an event -------------------------------------------------- */

/* A number that is whole without saying so, as 7.0 or 1e3. */
static char *
format_whole (const char *bytes, gsize n)
{
  g_autofree char *text = g_strndup (bytes, n);
  double value = g_ascii_strtod (text, NULL);

  if (value != (double) (gint64) CLAMP (value, -9e15, 9e15))
    return g_steal_pointer (&text);
  return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
}

/* Ids: 7, 7.0 and "7" are the same text. SONDE_TRACE_NONE for what is neither number nor text. */
static guint32
make_id (SondeTraceBuilder *builder, SondeJsonKind kind, const char *bytes, gsize n)
{
  g_autofree char *whole = NULL;

  if (kind == SONDE_JSON_TEXT)
    return sonde_trace_builder_add_text (builder, bytes, n);
  if (kind != SONDE_JSON_NUMBER)
    return SONDE_TRACE_NONE;
  for (gsize i = 0; i < n; i++)
    if (bytes[i] == '.' || bytes[i] == 'e' || bytes[i] == 'E')
      {
        whole = format_whole (bytes, n);
        return sonde_trace_builder_add_text (builder, whole, strlen (whole));
      }
  return sonde_trace_builder_add_text (builder, bytes, n);
}

static guint32
make_text (SondeChromeReader *reader, SondeJsonKind kind, const char *bytes, gsize n)
{
  return kind == SONDE_JSON_TEXT ? sonde_trace_builder_add_text (reader->builder, bytes, n)
                                 : SONDE_TRACE_NONE;
}

static gboolean
is_number (SondeJsonKind kind)
{
  return kind == SONDE_JSON_NUMBER || kind == SONDE_JSON_TEXT;
}

static gboolean
is_set (SondeJsonKind kind, const char *bytes, gsize n)
{
  return kind == SONDE_JSON_TRUE || (is_number (kind) && !(n == 0 || (n == 1 && *bytes == '0')));
}

/* "id2": {"local": …} or {"global": …} */
static gboolean
take_id2 (SondeChromeReader *reader, SondeChromeEvent *event)
{
  SondeJsonScanner *scanner = reader->scanner;
  gboolean first = TRUE;
  const char *bytes;
  gsize n;

  if (sonde_json_scanner_peek (scanner) != '{')
    return sonde_json_scanner_skip (scanner);
  sonde_json_scanner_take (scanner, '{');
  while (sonde_json_scanner_next (scanner, '}', &first))
    {
      gboolean is_local, is_global;
      SondeJsonKind kind;

      if (!sonde_json_scanner_take_key (scanner, &bytes, &n))
        return FALSE;
      is_local = n == 5 && memcmp (bytes, "local", 5) == 0;
      is_global = n == 6 && memcmp (bytes, "global", 6) == 0;
      if (!sonde_json_scanner_take_value (scanner, &kind, &bytes, &n))
        return FALSE;
      if (is_local)
        event->local_id = make_id (reader->builder, kind, bytes, n);
      else if (is_global)
        event->id = make_id (reader->builder, kind, bytes, n);
    }
  return !sonde_json_scanner_is_bad (scanner);
}

static gboolean
take_args (SondeJsonScanner *scanner, gboolean *has_args)
{
  *has_args = sonde_json_scanner_peek (scanner) == '{';
  if (*has_args)
    sonde_json_scanner_set_mark (scanner);
  return sonde_json_scanner_skip (scanner);
}

static void
set_phase (SondeChromeReader *reader, SondeChromeEvent *event, SondeJsonKind kind,
           const char *bytes, gsize n)
{
  event->phase = SONDE_TRACE_NONE;
  event->phase_letter = 0;
  if (kind != SONDE_JSON_TEXT || n == 0
      || (n > 1
          && (n > 4 || g_utf8_strlen (bytes, n) != 1 || !g_utf8_validate_len (bytes, n, NULL))))
    return;
  event->phase_letter = n == 1 ? *bytes : '?';
  event->phase = sonde_trace_builder_add_text (reader->builder, bytes, n);
}

static gboolean
take_member (SondeChromeReader *reader, SondeChromeEvent *event, Key key)
{
  SondeTraceBuilder *builder = reader->builder;
  const char *bytes;
  gsize n;
  SondeJsonKind kind;

  if (!sonde_json_scanner_take_value (reader->scanner, &kind, &bytes, &n))
    return FALSE;
  switch (key)
    {
    case KEY_PHASE:
      set_phase (reader, event, kind, bytes, n);
      break;
    case KEY_NAME:
      event->name = make_text (reader, kind, bytes, n);
      break;
    case KEY_CATEGORY:
      event->category = make_text (reader, kind, bytes, n);
      break;
    case KEY_TIME:
      event->has_time = is_number (kind) && sonde_trace_decimal_parse (bytes, n, &event->time);
      break;
    case KEY_DURATION:
      event->has_duration
          = is_number (kind) && sonde_trace_decimal_parse (bytes, n, &event->duration);
      break;
    case KEY_PID:
      event->pid = make_id (builder, kind, bytes, n);
      break;
    case KEY_TID:
      event->tid = make_id (builder, kind, bytes, n);
      break;
    case KEY_ID:
      event->id = make_id (builder, kind, bytes, n);
      break;
    case KEY_BIND_ID:
      event->bind_id = make_id (builder, kind, bytes, n);
      break;
    case KEY_BIND_POINT:
      event->binds_enclosing = kind == SONDE_JSON_TEXT && n == 1 && *bytes == 'e';
      break;
    case KEY_FLOW_IN:
      event->flow_in = is_set (kind, bytes, n);
      break;
    case KEY_FLOW_OUT:
      event->flow_out = is_set (kind, bytes, n);
      break;
    case KEY_ID2:
    case KEY_ARGS:
    case KEY_OTHER:
      break;
    }
  return TRUE;
}

/* ---- events -------------------------------------------------------------- */

/* The arguments lie in the buffer, which moves when more is read: they are found again from the end. */
typedef struct
{
  gboolean has;
  gsize begin, n; /* from the mark, which is the beginning of the arguments */
} Arguments;

static gboolean
take_event_member (SondeChromeReader *reader, SondeChromeEvent *event, Arguments *args)
{
  const char *bytes;
  gsize n;
  Key key;

  if (!sonde_json_scanner_take_key (reader->scanner, &bytes, &n))
    return FALSE;
  key = get_key (bytes, n);
  if (key == KEY_ID2)
    return take_id2 (reader, event);
  if (key == KEY_OTHER)
    return sonde_json_scanner_skip (reader->scanner);
  if (key != KEY_ARGS)
    return take_member (reader, event, key);
  if (!take_args (reader->scanner, &args->has))
    return FALSE;
  sonde_json_scanner_get_mark (reader->scanner, &args->n);
  return TRUE;
}

/* An object of the list of events. Returns FALSE where the JSON ends; the event is lost then. */
static gboolean
take_event (SondeChromeReader *reader)
{
  SondeJsonScanner *scanner = reader->scanner;
  SondeChromeEvent event = {
    .place = sonde_json_scanner_get_offset (scanner),
    .phase = SONDE_TRACE_NONE,
    .name = SONDE_TRACE_NONE,
    .category = SONDE_TRACE_NONE,
    .pid = SONDE_TRACE_NONE,
    .tid = SONDE_TRACE_NONE,
    .id = SONDE_TRACE_NONE,
    .local_id = SONDE_TRACE_NONE,
    .bind_id = SONDE_TRACE_NONE,
  };
  Arguments args = { FALSE, 0, 0 };
  gboolean first = TRUE, is_empty = TRUE;
  gsize n;

  sonde_json_scanner_take (scanner, '{');
  while (sonde_json_scanner_next (scanner, '}', &first))
    {
      is_empty = FALSE;
      if (!take_event_member (reader, &event, &args))
        return FALSE;
    }
  if (sonde_json_scanner_is_bad (scanner))
    return FALSE;
  if (is_empty)
    return TRUE;
  event.args = args.has ? sonde_json_scanner_get_mark (scanner, &n) : NULL;
  event.n_args = event.args != NULL ? args.n : 0;
  sonde_trace_builder_count_event (reader->builder);
  sonde_chrome_event_apply (reader, &event);
  sonde_json_scanner_drop_mark (scanner);
  return TRUE;
}

/* The list of events. A file that is nothing else may end without the bracket behind a whole event. */
static gboolean
take_events (SondeChromeReader *reader)
{
  SondeJsonScanner *scanner = reader->scanner;
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '[');
  while (sonde_json_scanner_next (scanner, ']', &first))
    {
      gboolean is_object = sonde_json_scanner_peek (scanner) == '{';

      if (!(is_object ? take_event (reader) : sonde_json_scanner_skip (scanner)))
        return FALSE;
      if (!is_object)
        sonde_trace_builder_count_reason (reader->builder, SONDE_TRACE_REASON_EVENT);
    }
  return !sonde_json_scanner_is_bad (scanner)
         || (!reader->is_object && sonde_json_scanner_is_at_end (scanner));
}

/* ---- the file ------------------------------------------------------------ */

static gboolean
is_key (const char *bytes, gsize n, const char *key)
{
  return n == strlen (key) && memcmp (bytes, key, n) == 0;
}

static gboolean
take_clock_base (SondeChromeReader *reader)
{
  SondeJsonKind kind;
  const char *bytes;
  gsize n;
  g_autofree char *text = NULL;
  gint64 ns;

  if (!sonde_json_scanner_take_value (reader->scanner, &kind, &bytes, &n))
    return FALSE;
  text = g_strndup (bytes != NULL ? bytes : "", n);
  if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &ns, NULL))
    sonde_trace_builder_set_clock_base (reader->builder, ns);
  return TRUE;
}

/* "metadata": {"producer": "sonde", …} */
static gboolean
take_metadata (SondeChromeReader *reader)
{
  SondeJsonScanner *scanner = reader->scanner;
  gboolean first = TRUE;
  const char *bytes;
  gsize n;

  if (sonde_json_scanner_peek (scanner) != '{')
    return sonde_json_scanner_skip (scanner);
  sonde_json_scanner_take (scanner, '{');
  while (sonde_json_scanner_next (scanner, '}', &first))
    {
      gboolean is_producer;
      SondeJsonKind kind;

      if (!sonde_json_scanner_take_key (scanner, &bytes, &n))
        return FALSE;
      is_producer = is_key (bytes, n, "producer");
      if (!sonde_json_scanner_take_value (scanner, &kind, &bytes, &n))
        return FALSE;
      if (is_producer && kind == SONDE_JSON_TEXT && is_key (bytes, n, "sonde"))
        sonde_chrome_reader_set_producer (reader, "sonde");
    }
  return !sonde_json_scanner_is_bad (scanner);
}

static gboolean
take_file_member (SondeChromeReader *reader)
{
  SondeJsonScanner *scanner = reader->scanner;
  const char *bytes;
  gsize n;
  gboolean is_events;

  if (!sonde_json_scanner_take_key (scanner, &bytes, &n))
    return FALSE;
  if (is_key (bytes, n, "schemaVersion") || is_key (bytes, n, "deviceProperties"))
    sonde_chrome_reader_set_producer (reader, "pytorch");
  else if (is_key (bytes, n, "viztracer_metadata"))
    sonde_chrome_reader_set_producer (reader, "viztracer");
  else if (is_key (bytes, n, "baseTimeNanoseconds"))
    return take_clock_base (reader);
  else if (is_key (bytes, n, "metadata"))
    return take_metadata (reader);
  is_events = is_key (bytes, n, "traceEvents");
  if (is_events && sonde_json_scanner_peek (scanner) == '[')
    return take_events (reader);
  return sonde_json_scanner_skip (scanner);
}

static gboolean
take_object (SondeChromeReader *reader)
{
  gboolean first = TRUE;

  reader->is_object = TRUE;
  sonde_json_scanner_take (reader->scanner, '{');
  while (sonde_json_scanner_next (reader->scanner, '}', &first))
    if (!take_file_member (reader))
      return FALSE;
  return !sonde_json_scanner_is_bad (reader->scanner);
}

gboolean
sonde_trace_read_chrome (SondeTraceBuilder *builder, SondeJsonScanner *scanner, GError **error)
{
  g_autoptr (SondeJsonScanner) args = sonde_json_scanner_new_for_bytes ("", 0);
  SondeChromeReader reader = { builder, scanner, args, FALSE, FALSE, 0 };
  GError *problem;
  gboolean whole;

  sonde_json_scanner_skip_mark (scanner);
  whole = sonde_json_scanner_peek (scanner) == '[' ? take_events (&reader) : take_object (&reader);
  problem = sonde_json_scanner_steal_error (scanner);
  if (problem != NULL)
    return g_propagate_error (error, problem), FALSE;
  if (!whole || !sonde_json_scanner_is_at_end (scanner))
    sonde_trace_builder_set_truncated (builder, sonde_json_scanner_get_offset (scanner));
  return TRUE;
}
