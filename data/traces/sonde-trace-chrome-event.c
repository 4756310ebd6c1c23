/* SPDX-License-Identifier: Apache-2.0
 * What the phases of a Chrome trace mean. */
#include <string.h>

#include "data/traces/sonde-trace-chrome-private.h"

/* Arguments that may tell who wrote the file are looked for in so many events at most. */
#define PRODUCER_EVENTS 10000

static guint32
or_empty (guint32 text)
{
  return text == SONDE_TRACE_NONE ? 0 : text;
}

static gboolean
is_text (SondeChromeReader *reader, guint32 text, const char *expected)
{
  return text != SONDE_TRACE_NONE
         && strcmp (sonde_trace_builder_get_text (reader->builder, text), expected) == 0;
}

static guint32
get_pid (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  return event->pid != SONDE_TRACE_NONE ? event->pid
                                        : sonde_trace_builder_add_text (reader->builder, "0", 1);
}

static guint32
get_thread (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  guint32 pid = get_pid (reader, event);

  return sonde_trace_builder_add_thread (reader->builder, pid,
                                         event->tid != SONDE_TRACE_NONE ? event->tid : pid, 0);
}

static guint32
get_label (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  return sonde_trace_builder_add_label (reader->builder, or_empty (event->category),
                                        or_empty (event->name));
}

static void
count (SondeChromeReader *reader, SondeTraceReason reason)
{
  sonde_trace_builder_count_reason (reader->builder, reason);
}

/* Returns FALSE, and counts it, when the event has no time. */
static gboolean
get_time (SondeChromeReader *reader, const SondeChromeEvent *event, gint64 *ns)
{
  if (event->has_time && sonde_trace_decimal_round (&event->time, ns))
    return TRUE;
  count (reader, SONDE_TRACE_REASON_TIME);
  return FALSE;
}

/* ---- arguments ----------------------------------------------------------- */

/* Called for each argument; @bytes as of sonde_json_scanner_take_value(). */
typedef void (*ArgumentFunc) (SondeChromeReader *reader, const SondeChromeEvent *event, guint32 key,
                              SondeJsonKind kind, const char *bytes, gsize n, gpointer data);

/* Returns how many there were. Of equal keys each is called. */
static guint
for_each_argument (SondeChromeReader *reader, const SondeChromeEvent *event, ArgumentFunc func,
                   gpointer data)
{
  gboolean first = TRUE;
  guint n_arguments = 0;

  if (event->args == NULL)
    return 0;
  sonde_json_scanner_set_bytes (reader->args, event->args, event->n_args);
  sonde_json_scanner_take (reader->args, '{');
  while (sonde_json_scanner_next (reader->args, '}', &first))
    {
      const char *bytes;
      gsize n;
      guint32 key;
      SondeJsonKind kind;

      if (!sonde_json_scanner_take_key (reader->args, &bytes, &n))
        break;
      key = sonde_trace_builder_add_text (reader->builder, bytes, n);
      if (!sonde_json_scanner_take_value (reader->args, &kind, &bytes, &n))
        break;
      n_arguments++;
      func (reader, event, key, kind, bytes, n, data);
    }
  return n_arguments;
}

static gboolean
parse_double (SondeJsonKind kind, const char *bytes, gsize n, double *value)
{
  SondeTraceDecimal decimal;
  char text[64];

  if ((kind != SONDE_JSON_NUMBER && kind != SONDE_JSON_TEXT) || n == 0 || n >= sizeof text)
    return FALSE;
  /* the same form as times have; a value may be greater than a time */
  if (!sonde_trace_decimal_parse (bytes, n, &decimal)
      && strspn (memcpy (text, bytes, n), "-0123456789.eE+") < n)
    return FALSE;
  memcpy (text, bytes, n);
  text[n] = 0;
  *value = g_ascii_strtod (text, NULL);
  return TRUE;
}

/* The text of one argument. */
typedef struct
{
  const char *key;
  guint32 text;
} Wanted;

static void
take_wanted (SondeChromeReader *reader, const SondeChromeEvent *event, guint32 key,
             SondeJsonKind kind, const char *bytes, gsize n, gpointer data)
{
  Wanted *wanted = data;

  if (is_text (reader, key, wanted->key))
    wanted->text = kind == SONDE_JSON_TEXT
                       ? sonde_trace_builder_add_text (reader->builder, bytes, n)
                       : SONDE_TRACE_NONE;
}

static guint32
get_argument (SondeChromeReader *reader, const SondeChromeEvent *event, const char *key)
{
  Wanted wanted = { key, SONDE_TRACE_NONE };

  for_each_argument (reader, event, take_wanted, &wanted);
  return wanted.text;
}

/* ---- who wrote it -------------------------------------------------------- */

void
sonde_chrome_reader_set_producer (SondeChromeReader *reader, const char *producer)
{
  if (!reader->known_producer)
    sonde_trace_builder_set_producer (reader->builder, producer);
  reader->known_producer = TRUE;
}

/* An array does not say it by its keys. */
static void
look_for_producer (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  const char *name = event->name != SONDE_TRACE_NONE
                         ? sonde_trace_builder_get_text (reader->builder, event->name)
                         : "";

  reader->n_looked_at++;
  if (g_str_has_prefix (name, "model_loading") || strcmp (name, "session_initialization") == 0)
    sonde_chrome_reader_set_producer (reader, "onnxruntime");
  else if (event->args != NULL
           && (is_text (reader, get_argument (reader, event, "type"), "HostCpuOps")
               || (strcmp (name, "process_labels") == 0
                   && is_text (reader, get_argument (reader, event, "labels"), "CPU OP"))))
    sonde_chrome_reader_set_producer (reader, "mindspore");
}

/* ---- phases -------------------------------------------------------------- */

static void
add_flow (SondeChromeReader *reader, const SondeChromeEvent *event, SondeTraceFlowKind kind,
          SondeTraceBinding binding, guint32 label, guint32 id, gint64 at_ns)
{
  sonde_trace_builder_add_flow (reader->builder, kind, binding, get_thread (reader, event), label,
                                id, at_ns, event->place);
}

/* "bind_id" of a span: it starts a flow, ends it, or passes it on. */
static void
bind_span (SondeChromeReader *reader, const SondeChromeEvent *event, gint64 start_ns)
{
  SondeTraceFlowKind kind = event->flow_in && event->flow_out ? SONDE_TRACE_FLOW_STEP
                            : event->flow_out                 ? SONDE_TRACE_FLOW_START
                                                              : SONDE_TRACE_FLOW_END;

  if (event->bind_id != SONDE_TRACE_NONE && (event->flow_in || event->flow_out))
    add_flow (reader, event, kind, SONDE_TRACE_BIND_OWN, SONDE_TRACE_NONE, event->bind_id,
              start_ns);
}

/* What ONNX Runtime says of a node. @n_sizes: how many of its three sizes in bytes are told, which sum to @bytes */
typedef struct
{
  guint32 type;
  double bytes;
  guint n_sizes;
} Node;

static void
take_of_node (SondeChromeReader *reader, const SondeChromeEvent *event, guint32 key,
              SondeJsonKind kind, const char *bytes, gsize n, gpointer data)
{
  Node *node = data;
  double size;

  if (is_text (reader, key, "op_name") && kind == SONDE_JSON_TEXT)
    node->type = sonde_trace_builder_add_text (reader->builder, bytes, n);
  else if ((is_text (reader, key, "output_size") || is_text (reader, key, "parameter_size")
            || is_text (reader, key, "activation_size"))
           && parse_double (kind, bytes, n, &size) && size >= 0)
    {
      node->bytes += size;
      node->n_sizes++;
    }
}

/* ONNX Runtime names the node and puts the operator's type and sizes beside it, PyTorch the sizes of the inputs. */
static void
add_operator (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  Node node = { .type = SONDE_TRACE_NONE };
  double flops = 0, bytes = 0;

  if (event->args == NULL)
    return;
  if (!reader->is_object && is_text (reader, event->category, "Node"))
    {
      for_each_argument (reader, event, take_of_node, &node);
      bytes = node.n_sizes == 3 ? node.bytes : 0;
    }
  else if (is_text (reader, event->category, "cpu_op"))
    sonde_chrome_event_count_cost (reader, event, &flops, &bytes);
  if (node.type != SONDE_TRACE_NONE || flops > 0 || bytes > 0)
    sonde_trace_builder_add_operator (reader->builder, node.type, flops, bytes, event->place);
}

static void
apply_complete (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  gint64 start_ns, end_ns;

  if (!get_time (reader, event, &start_ns))
    return;
  if (!event->has_duration || event->duration.ns < 0 || event->duration.rest < 0
      || !sonde_trace_decimal_round_sum (&event->time, &event->duration, &end_ns))
    {
      count (reader, SONDE_TRACE_REASON_DURATION);
      return;
    }
  sonde_trace_builder_add_span (reader->builder, get_thread (reader, event),
                                get_label (reader, event), start_ns, end_ns, event->place);
  bind_span (reader, event, start_ns);
  add_operator (reader, event);
}

static void
apply_begin (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  gint64 ns;

  if (!get_time (reader, event, &ns))
    return;
  sonde_trace_builder_add_begin (reader->builder, get_thread (reader, event),
                                 get_label (reader, event), ns, event->place);
  bind_span (reader, event, ns);
}

static void
apply_end (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  gint64 ns;

  if (get_time (reader, event, &ns))
    sonde_trace_builder_add_end (reader->builder, get_thread (reader, event), event->name, ns,
                                 event->place);
}

/* What PyTorch says at each allocation and release. */
typedef struct
{
  gboolean has_total;
  gint64 total_bytes, reserved_bytes, type, id;
} Allocation;

static void
take_allocation (SondeChromeReader *reader, const SondeChromeEvent *event, guint32 key,
                 SondeJsonKind kind, const char *bytes, gsize n, gpointer data)
{
  Allocation *allocation = data;
  char text[32];
  gint64 value;

  if (kind != SONDE_JSON_NUMBER || n >= sizeof text)
    return;
  memcpy (text, bytes, n);
  text[n] = 0;
  if (!g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value, NULL))
    return;
  if (is_text (reader, key, "Total Allocated"))
    {
      allocation->has_total = TRUE;
      allocation->total_bytes = value;
    }
  else if (is_text (reader, key, "Total Reserved"))
    allocation->reserved_bytes = value;
  else if (is_text (reader, key, "Device Type"))
    allocation->type = value;
  else if (is_text (reader, key, "Device Id"))
    allocation->id = value;
}

static void
add_memory (SondeChromeReader *reader, const SondeChromeEvent *event, gint64 at_ns)
{
  Allocation allocation = { FALSE, 0, -1, 0, -1 };
  g_autofree char *device = NULL;

  for_each_argument (reader, event, take_allocation, &allocation);
  if (!allocation.has_total)
    return;
  device
      = g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, allocation.type, allocation.id);
  sonde_trace_builder_add_memory (
      reader->builder, sonde_trace_builder_add_text (reader->builder, device, strlen (device)),
      at_ns, allocation.total_bytes, allocation.reserved_bytes);
}

static void
apply_instant (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  gint64 ns;

  if (!get_time (reader, event, &ns))
    return;
  sonde_trace_builder_add_instant (reader->builder, get_thread (reader, event),
                                   get_label (reader, event), ns, event->place);
  if (event->args != NULL && is_text (reader, event->name, "[memory]"))
    add_memory (reader, event, ns);
}

/* Asked behind the time: an event without either has one reason, that it has no time. */
static gboolean
has_id (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  if (event->id != SONDE_TRACE_NONE || event->local_id != SONDE_TRACE_NONE)
    return TRUE;
  count (reader, SONDE_TRACE_REASON_ID);
  return FALSE;
}

static void
apply_step_of_async (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  gint64 ns;

  if (get_time (reader, event, &ns) && has_id (reader, event))
    apply_instant (reader, event);
}

static void
apply_async (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  char letter = event->phase_letter;
  gboolean begins = letter == 'b' || letter == 'S';
  gboolean is_local = event->local_id != SONDE_TRACE_NONE;
  gint64 ns;

  if (!get_time (reader, event, &ns) || !has_id (reader, event))
    return;
  sonde_trace_builder_add_async (
      reader->builder, begins, g_ascii_isupper (letter) ? 'S' : 'b', get_thread (reader, event),
      get_label (reader, event), is_local ? event->local_id : event->id,
      is_local ? get_pid (reader, event) : SONDE_TRACE_NONE, ns, event->place);
}

static void
apply_flow (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  SondeTraceFlowKind kind = event->phase_letter == 's'   ? SONDE_TRACE_FLOW_START
                            : event->phase_letter == 't' ? SONDE_TRACE_FLOW_STEP
                                                         : SONDE_TRACE_FLOW_END;
  SondeTraceBinding binding = kind == SONDE_TRACE_FLOW_END && !event->binds_enclosing
                                  ? SONDE_TRACE_BIND_NEXT
                                  : SONDE_TRACE_BIND_ENCLOSING;
  guint32 id = event->local_id != SONDE_TRACE_NONE ? event->local_id : event->id;
  gint64 ns;

  if (!get_time (reader, event, &ns))
    return;
  if (id == SONDE_TRACE_NONE && event->bind_id == SONDE_TRACE_NONE)
    {
      count (reader, SONDE_TRACE_REASON_ID);
      return;
    }
  if (id != SONDE_TRACE_NONE)
    add_flow (reader, event, kind, binding, get_label (reader, event), id, ns);
  else
    add_flow (reader, event, kind, binding, SONDE_TRACE_NONE, event->bind_id, ns);
}

static void
apply_object (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  SondeTraceObjectKind kind = event->phase_letter == 'N'   ? SONDE_TRACE_OBJECT_CREATED
                              : event->phase_letter == 'O' ? SONDE_TRACE_OBJECT_SNAPSHOT
                                                           : SONDE_TRACE_OBJECT_DELETED;
  gint64 ns;

  if (get_time (reader, event, &ns))
    sonde_trace_builder_add_object (reader->builder, kind, ns);
}

/* What an event says of a counter. @place: among the arguments of the event; @is_number: else @value is 0 */
typedef struct
{
  guint32 key, place;
  gboolean is_number;
  double value;
} Point;

static void
take_point (SondeChromeReader *reader, const SondeChromeEvent *event, guint32 key,
            SondeJsonKind kind, const char *bytes, gsize n, gpointer data)
{
  GArray *points = data;
  Point point = { .key = key, .place = points->len };

  point.is_number = parse_double (kind, bytes, n, &point.value);
  g_array_append_val (points, point);
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;

  return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->place < y->place ? -1 : 1);
}

static guint32
get_counter_name (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  SondeTraceBuilder *builder = reader->builder;
  guint32 id = event->local_id != SONDE_TRACE_NONE ? event->local_id : event->id;
  g_autofree char *name = NULL;

  if (id == SONDE_TRACE_NONE)
    return or_empty (event->name);
  name = g_strconcat (sonde_trace_builder_get_text (builder, or_empty (event->name)), " ",
                      sonde_trace_builder_get_text (builder, id), NULL);
  return sonde_trace_builder_add_text (builder, name, strlen (name));
}

/* Of equal keys the last one counts. */
static void
apply_counter (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (Point));
  guint32 pid, name;
  gint64 ns;

  if (!get_time (reader, event, &ns))
    return;
  pid = get_pid (reader, event);
  name = get_counter_name (reader, event);
  if (for_each_argument (reader, event, take_point, points) == 0)
    count (reader, SONDE_TRACE_REASON_COUNTER);
  g_array_sort (points, compare_points);
  for (guint i = 0; i < points->len; i++)
    {
      const Point *point = &g_array_index (points, Point, i);

      if (i + 1 < points->len && point[1].key == point->key)
        continue;
      if (point->is_number)
        sonde_trace_builder_add_point (reader->builder, pid, name, point->key, ns, point->value);
      else
        count (reader, SONDE_TRACE_REASON_COUNTER);
    }
}

static void
apply_metadata (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  gboolean is_process = is_text (reader, event->name, "process_name");
  guint32 name;

  if (!is_process && !is_text (reader, event->name, "thread_name"))
    return;
  name = get_argument (reader, event, "name");
  if (name == SONDE_TRACE_NONE)
    return;
  if (is_process)
    sonde_trace_builder_name_process (reader->builder, get_pid (reader, event), name);
  else
    sonde_trace_builder_name_thread (reader->builder, get_thread (reader, event), name);
}

void
sonde_chrome_event_apply (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  static const struct
  {
    const char *letters;
    void (*apply) (SondeChromeReader *reader, const SondeChromeEvent *event);
  } phases[] = {
    { "X", apply_complete },  { "B", apply_begin },         { "E", apply_end },
    { "iIR", apply_instant }, { "n", apply_step_of_async }, { "C", apply_counter },
    { "M", apply_metadata },  { "beSF", apply_async },      { "stf", apply_flow },
    { "NOD", apply_object },
  };

  if (!reader->known_producer && !reader->is_object && reader->n_looked_at < PRODUCER_EVENTS)
    look_for_producer (reader, event);
  if (event->phase == SONDE_TRACE_NONE)
    {
      count (reader, SONDE_TRACE_REASON_PHASE);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    if (event->phase_letter != 0 && strchr (phases[i].letters, event->phase_letter) != NULL)
      {
        phases[i].apply (reader, event);
        return;
      }
  sonde_trace_builder_count_ignored (reader->builder, event->phase);
}
