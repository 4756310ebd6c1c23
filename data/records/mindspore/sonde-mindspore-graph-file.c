/* SPDX-License-Identifier: Apache-2.0
 * Graph files (ms_output_*.pb and others of that kind): an anf_ir ModelProto; bare GraphProtos of
 * old debuggers, when they have such a name. */
#include "data/records/mindspore/sonde-mindspore-file-private.h"
#include "data/records/mindspore/sonde-mindspore-graph-private.h"
#include "data/records/mindspore/sonde-mindspore-number-private.h"

#include "data/base/sonde-budget.h"
#include "data/wire/sonde-wire-decode.h"

#define PROBE_BYTES 64

/* Of ModelProto. */
enum
{
  MODEL_IR_VERSION = 1,
  MODEL_DOMAIN = 2,
  MODEL_VERSION = 3,
  MODEL_GRAPH = 4,
  MODEL_OPERATORS = 5,
};

static gboolean
recognises (const char *name)
{
  gsize length = strlen (name);

  return g_str_has_suffix (name, ".pb")
         && !sonde_mindspore_is_numbered (name, length - 3, "memory_usage_");
}

static gboolean
has_name (const SondeMindsporeFile *file)
{
  return g_str_has_prefix (file->name, "ms_output");
}

/* "ir_version, a graph of that length" at the start: no other kind of .pb begins so. */
static gboolean
probe (const SondeMindsporeFile *file)
{
  guint8 bytes[PROBE_BYTES];
  SondeWireCursor cursor;
  SondeWireItem item;
  guint64 key, length;
  gssize n;
  int fd;

  if (has_name (file))
    return TRUE;
  fd = sonde_io_open_regular (file->io, file->path, NULL, NULL);
  if (fd < 0)
    return FALSE;
  n = sonde_io_pread_full (file->io, fd, file->path, bytes, sizeof bytes, 0, NULL);
  sonde_io_close (file->io, fd);
  cursor = sonde_wire_cursor (bytes, (gsize) MAX (n, 0));
  if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM || item.number != MODEL_IR_VERSION
      || item.type != 0 || item.value > 100)
    return FALSE;
  return sonde_wire_take_varint (&cursor, &key) && key == (MODEL_GRAPH << 3 | 2)
         && sonde_wire_take_varint (&cursor, &length) && length <= file->size;
}

/* @graph: (out): inside @bytes; @ir_version: 0 unknown */
static gboolean
find_graph (const SondeMindsporeFile *file, GBytes *bytes, SondeWireItem *graph, gint64 *ir_version,
            GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  SondeWireCursor cursor = sonde_wire_cursor (data, length);
  SondeWireItem item;
  SondeWireStep step;
  gboolean is_bare = FALSE;

  *graph = (SondeWireItem){ 0 };
  *ir_version = 0;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == MODEL_IR_VERSION && item.type == 0)
      *ir_version = (gint64) item.value;
    else if (item.number == 1)
      is_bare = TRUE;
    else if (item.number == MODEL_GRAPH && item.type == 2)
      *graph = item;
  if (is_bare)
    *graph = (SondeWireItem){ .number = 1, .bytes = data, .length = length };
  if (step != SONDE_WIRE_END)
    return sonde_record_damaged (error, "“%s” is truncated or not a graph", file->path);
  return graph->number != 0 || sonde_record_damaged (error, "“%s” contains no graph", file->path);
}

static gboolean
check_graph (const SondeWireItem *graph, GError **error)
{
  return sonde_wire_is_message (graph)
         || sonde_record_damaged (error, "GraphProto is not a valid message");
}

static GBytes *
read_bytes (const SondeMindsporeFile *file, GError **error)
{
  return sonde_io_read_file (file->io, file->path, SONDE_BUDGET_RECORD_BYTES, error);
}

static char *
dup_tag (const SondeMindsporeFile *file)
{
  return g_strndup (file->name, strlen (file->name) - strlen (".pb"));
}

static gboolean
scan (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
      GError **error)
{
  g_autoptr (GBytes) bytes = read_bytes (file, error);
  g_autofree char *tag = dup_tag (file);
  SondeWireItem graph;
  gint64 ir_version;

  return bytes != NULL && find_graph (file, bytes, &graph, &ir_version, error)
         && check_graph (&graph, error)
         && sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_GRAPH, tag, 0, 0, 0, error);
}

static gboolean
read_record (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  g_autoptr (GBytes) bytes = read_bytes (file, error);
  g_autofree char *tag = dup_tag (file);
  SondeWireItem graph;
  gint64 ir_version;

  if (bytes == NULL || !find_graph (file, bytes, &graph, &ir_version, error))
    return FALSE;
  record->kind = SONDE_RECORD_GRAPH;
  record->tag = g_intern_string (tag);
  record->u.graph.graph = sonde_mindspore_graph (sonde_wire_item_field (&graph), error);
  if (record->u.graph.graph == NULL)
    return FALSE;
  record->u.graph.graph->ir_version = ir_version;
  return TRUE;
}

const SondeMindsporeFileKind sonde_mindspore_file_graph = { recognises, probe, scan, read_record };
