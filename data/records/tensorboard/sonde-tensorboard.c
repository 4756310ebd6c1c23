/* SPDX-License-Identifier: Apache-2.0
 * TensorBoard's event files as a format: tags, and which records a payload holds. Ids are given in
 * order of appearance: the names are in the file, ids are not. A tag's state is what its first
 * metadata said: "PLUGIN" or "BASE64 OF ITS CONTENT:PLUGIN" for those plugins whose later values
 * need it. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-limits.h"
#include "data/records/sonde-record-text.h"
#include "data/records/tensorboard.pb-c.h"
#include "data/records/tensorboard/sonde-graph-def-private.h"
#include "data/wire/sonde-wire-decode.h"

#define MAX_STATE_CONTENT 65536

/* What tags are compared by: the bytes of the file.
 * @next: the tag that came after this one the last time */
typedef struct
{
  SondeBytes name;
  guint32 next;
  SondePlugin plugin;
} Tag;

typedef struct
{
  SondeRecordDecoder base;
  GArray *tags;         /* of Tag, by id */
  GHashTable *by_tag;   /* owned SondeBytes and what they point to -> id + 1 */
  SondeWireArena arena; /* of one record, or of one value's metadata */
  gsize name_bytes;
  guint32 last;
  gboolean begun;
  gboolean is_inside; /* values came before: a start is a restart */
} Decoder;

static const char *const plugin_names[SONDE_N_PLUGINS] = {
  [SONDE_PLUGIN_SCALARS] = "scalars",
  [SONDE_PLUGIN_HISTOGRAMS] = "histograms",
  [SONDE_PLUGIN_IMAGES] = "images",
  [SONDE_PLUGIN_AUDIO] = "audio",
  [SONDE_PLUGIN_TEXT] = "text",
  [SONDE_PLUGIN_PR_CURVES] = "pr_curves",
  [SONDE_PLUGIN_HPARAMS] = "hparams",
  [SONDE_PLUGIN_MESH] = "mesh",
  [SONDE_PLUGIN_CUSTOM_SCALARS] = "custom_scalars",
  [SONDE_PLUGIN_GRAPHS] = "graphs",
  [SONDE_PLUGIN_GRAPH_RUN_METADATA] = "graph_run_metadata",
  [SONDE_PLUGIN_GRAPH_RUN_METADATA_GRAPH] = "graph_run_metadata_graph",
  [SONDE_PLUGIN_GRAPH_KERAS_MODEL] = "graph_keras_model",
  [SONDE_PLUGIN_TENSOR] = "tensor",
};

static SondePlugin
plugin_of_name (SondeBytes name)
{
  for (guint i = 0; i < SONDE_N_PLUGINS; i++)
    if (plugin_names[i] != NULL && strlen (plugin_names[i]) == name.length
        && memcmp (plugin_names[i], name.at, name.length) == 0)
      return (SondePlugin) i;
  return name.length == 0 ? SONDE_PLUGIN_NOT_SAID : SONDE_PLUGIN_OTHER;
}

/* ---- state of a tag ------------------------------------------------------ */

static gboolean
needs_content (SondePlugin plugin)
{
  return plugin == SONDE_PLUGIN_MESH || plugin == SONDE_PLUGIN_HPARAMS
         || plugin == SONDE_PLUGIN_OTHER;
}

static const char *
intern_state (const SondeEventMetadata *metadata)
{
  g_autofree char *plugin
      = sonde_record_dup_text (metadata->plugin.at, MIN (metadata->plugin.length, 1024));
  g_autofree char *content = NULL, *state = NULL;

  if (!needs_content (plugin_of_name (metadata->plugin)) || metadata->content.length == 0
      || metadata->content.length > MAX_STATE_CONTENT)
    {
      state = g_strconcat (strchr (plugin, ':') != NULL ? ":" : "", plugin, NULL);
      return g_intern_string (state);
    }
  content = g_base64_encode (metadata->content.at, metadata->content.length);
  state = g_strconcat (content, ":", plugin, NULL);
  return g_intern_string (state);
}

static const char *
plugin_of_state (const char *state)
{
  const char *colon = state != NULL ? strchr (state, ':') : NULL;

  return colon != NULL ? colon + 1 : state;
}

static SondePlugin
plugin_of_tag (const SondeRecordTag *tag)
{
  const char *name = plugin_of_state (tag->state);

  return name == NULL ? SONDE_PLUGIN_NOT_SAID
                      : plugin_of_name ((SondeBytes){ (const guint8 *) name, strlen (name) });
}

/* ---- tags ---------------------------------------------------------------- */

static guint
hash_name (gconstpointer name)
{
  const SondeBytes *bytes = name;
  guint hash = 2166136261u;

  for (gsize i = 0; i < bytes->length; i++)
    hash = (hash ^ bytes->at[i]) * 16777619u;
  return hash;
}

static gboolean
equal_names (gconstpointer a, gconstpointer b)
{
  const SondeBytes *one = a, *other = b;

  return one->length == other->length
         && (one->length == 0 || memcmp (one->at, other->at, one->length) == 0);
}

static guint32
add_tag (Decoder *decoder, SondeBytes name, const SondeRecordTag *known)
{
  SondeBytes *key = g_malloc (sizeof *key + name.length);
  guint32 id = decoder->tags->len;
  Tag tag = { .next = id };

  *key = (SondeBytes){ (guint8 *) (key + 1), name.length };
  if (name.length > 0)
    memcpy (key + 1, name.at, name.length);
  tag.name = *key;
  decoder->name_bytes += name.length;
  if (known != NULL)
    tag.plugin = plugin_of_tag (known);
  else
    {
      g_autofree char *text = sonde_record_dup_text (name.at, name.length);
      SondeRecordTag new_tag = { g_intern_string (text), NULL };

      g_array_append_val (decoder->base.tags, new_tag);
    }
  g_array_append_val (decoder->tags, tag);
  g_hash_table_insert (decoder->by_tag, key, GUINT_TO_POINTER (id + 1));
  return id;
}

static SondeRecordDecoder *
decoder_new (const SondeRecordTag *tags, gsize n_tags)
{
  Decoder *decoder = g_new0 (Decoder, 1);

  sonde_record_decoder_init (&decoder->base, tags, n_tags);
  decoder->tags = g_array_new (FALSE, FALSE, sizeof (Tag));
  decoder->by_tag = g_hash_table_new_full (hash_name, equal_names, g_free, NULL);
  decoder->is_inside = n_tags > 0;
  for (gsize i = 0; i < n_tags; i++)
    {
      const char *name = tags[i].name != NULL ? tags[i].name : "";

      add_tag (decoder, (SondeBytes){ (const guint8 *) name, strlen (name) }, &tags[i]);
    }
  return &decoder->base;
}

static void
decoder_free (SondeRecordDecoder *base)
{
  Decoder *decoder = (Decoder *) base;

  g_array_unref (decoder->tags);
  g_hash_table_unref (decoder->by_tag);
  sonde_wire_arena_clear (&decoder->arena);
  sonde_record_decoder_clear (base);
  g_free (decoder);
}

/* A name with a NUL is known by its bytes while the file is scanned, and by its text afterwards. */
static gboolean
find_tag (Decoder *decoder, SondeBytes name, guint32 *id)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (decoder->by_tag, &name));

  if (found == 0 && name.length > 0 && memchr (name.at, '\0', name.length) != NULL)
    {
      g_autofree char *text = sonde_record_dup_text (name.at, name.length);
      const SondeBytes key = { (const guint8 *) text, strlen (text) };

      found = GPOINTER_TO_UINT (g_hash_table_lookup (decoder->by_tag, &key));
    }
  *id = found - 1;
  return found != 0;
}

/* Tags come in the same order again and again: usually it is the one that followed before. */
static gboolean
resolve_tag (Decoder *decoder, SondeBytes name, guint32 *id, GError **error)
{
  Tag *last = decoder->tags->len > 0 ? &g_array_index (decoder->tags, Tag, decoder->last) : NULL;

  if (G_LIKELY (last != NULL
                && equal_names (&g_array_index (decoder->tags, Tag, last->next).name, &name)))
    *id = last->next;
  else if (!find_tag (decoder, name, id))
    {
      if (decoder->tags->len >= SONDE_TAG_TABLE_MAX_TAGS
          || name.length > SONDE_TAG_TABLE_MAX_BYTES - decoder->name_bytes)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                           "The file has more than %d tags or %zu MiB of tag names",
                           SONDE_TAG_TABLE_MAX_TAGS, SONDE_TAG_TABLE_MAX_BYTES >> 20);
          return FALSE;
        }
      *id = add_tag (decoder, name, NULL);
    }
  if (decoder->last < decoder->tags->len)
    g_array_index (decoder->tags, Tag, decoder->last).next = *id;
  decoder->last = *id;
  return TRUE;
}

/* ---- scanning ------------------------------------------------------------ */

/* A value's parts: the note of its metadata, then its own. They do not depend on what came before,
 * so that a record is found again by its number alone. */
static guint64
count_parts (const SondeEventValue *value)
{
  guint64 own = value->form == SONDE_FORM_NUMBER ? 0 : 1;

  if (value->form == SONDE_FORM_TENSOR)
    own += sonde_tensor_proto_count_strings (&value->tensor);
  return own + (value->has_metadata ? 1 : 0);
}

static gboolean
add_ref (Decoder *decoder, SondeRecordBatch *batch, SondeRecordRef ref, guint64 offset,
         guint64 part, GError **error)
{
  if (part >= SONDE_RECORD_PLACE_MAX_PARTS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "Event has more than %u records", SONDE_RECORD_PLACE_MAX_PARTS);
      return FALSE;
    }
  ref.place = sonde_record_place (offset, (guint) part);
  ref.session = decoder->base.session;
  sonde_record_batch_add_ref (batch, &ref);
  return TRUE;
}

/* Of the first metadata of a tag, which holds for ever. *@has_note: it says something for the
 * user. */
static gboolean
learn (Decoder *decoder, guint32 id, const SondeEventValue *value, gboolean *has_note,
       GError **error)
{
  SondeRecordTag *tag = &g_array_index (decoder->base.tags, SondeRecordTag, id);
  SondeEventMetadata metadata;

  *has_note = FALSE;
  if (G_LIKELY (!value->has_metadata || tag->state != NULL))
    return TRUE;
  sonde_wire_arena_empty (&decoder->arena);
  if (!sonde_event_metadata_view (&metadata, value->metadata, &decoder->arena, error))
    return FALSE;
  *has_note = metadata.display_name.length > 0 || metadata.description.length > 0;
  tag->state = intern_state (&metadata);
  g_array_index (decoder->tags, Tag, id).plugin = plugin_of_name (metadata.plugin);
  return TRUE;
}

static gboolean
scan_value (Decoder *decoder, const SondeEvent *event, const SondeEventValue *value, guint64 offset,
            guint64 part, SondeRecordBatch *batch, GError **error)
{
  SondeRecordRef ref = { .step = event->step, .wall_time_ns = event->wall_time_ns };
  double number = value->number;
  SondeRecordKind kind;
  gboolean has_note;
  guint n = 0;

  if (!resolve_tag (decoder, value->tag, &ref.tag, error)
      || !learn (decoder, ref.tag, value, &has_note, error))
    return FALSE;
  if (has_note)
    {
      ref.kind = SONDE_RECORD_NOTE;
      if (!add_ref (decoder, batch, ref, offset, part, error))
        return FALSE;
    }
  if (value->form != SONDE_FORM_NUMBER)
    n = sonde_plugin_classify (g_array_index (decoder->tags, Tag, ref.tag).plugin, value, &kind,
                               &number);
  if (n == 0)
    sonde_record_batch_add_point (batch, ref.tag, event->step, event->wall_time_ns, number,
                                  decoder->base.session);
  part += value->has_metadata ? 1 : 0;
  for (guint i = 0; i < n; i++)
    {
      ref.kind = sonde_plugin_kind_of_part (kind, i);
      ref.same = i > 0 && ref.kind == kind;
      if (!add_ref (decoder, batch, ref, offset, part + i, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
scan_summary (Decoder *decoder, const SondeEvent *event, guint64 offset, SondeRecordBatch *batch,
              GError **error)
{
  SondeEventWalk walk = { .event = event };
  SondeEventValue value;
  SondeWireStep step;
  guint64 part = 0;

  while ((step = sonde_event_walk_next (&walk, &value, error)) == SONDE_WIRE_ITEM)
    {
      if (!scan_value (decoder, event, &value, offset, part, batch, error))
        return FALSE;
      part += count_parts (&value);
    }
  return step == SONDE_WIRE_END;
}

/* Events without a summary: their records go by a name of their own, or none. */
static const struct
{
  SondeRecordKind kind;
  const char *tag;
} event_kinds[] = {
  [SONDE_EVENT_NOTHING] = { SONDE_RECORD_UNKNOWN },
  [SONDE_EVENT_FILE_VERSION] = { SONDE_RECORD_UNKNOWN },
  [SONDE_EVENT_GRAPH] = { SONDE_RECORD_GRAPH },
  [SONDE_EVENT_LOG_MESSAGE] = { SONDE_RECORD_TEXT, "log_message" },
  [SONDE_EVENT_SESSION_LOG] = { SONDE_RECORD_SESSION_LOG },
  [SONDE_EVENT_RUN_METADATA] = { SONDE_RECORD_RUN_METADATA },
  [SONDE_EVENT_META_GRAPH] = { SONDE_RECORD_GRAPH, "meta_graph_def" },
};

/* What an event holds; its texts lie in the event. */
static void *
decode_content (const SondeEvent *event, const ProtobufCMessageDescriptor *descriptor,
                SondeWireArena *arena, GError **error)
{
  return sonde_wire_decode (descriptor, event->content.at, event->content.length, NULL, NULL, arena,
                            error);
}

/* Numbers of SessionLog's status. */
enum
{
  STATUS_START = 1,
  STATUS_STOP = 2,
  N_STATUSES = 4,
};

static gboolean
get_status (const SondeEvent *event, guint64 *status, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__SessionLog *log
      = decode_content (event, &tensorboard__session_log__descriptor, &arena, error);

  *status = log != NULL ? log->status : 0;
  return log != NULL;
}

static gboolean
get_run_metadata (const SondeEvent *event, SondeBytes *tag, SondeBytes *metadata, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__TaggedRunMetadata *tagged
      = decode_content (event, &tensorboard__tagged_run_metadata__descriptor, &arena, error);

  if (tagged == NULL)
    return FALSE;
  *tag = sonde_bytes_of_field (tagged->tag);
  *metadata = sonde_bytes_of_field (tagged->run_metadata);
  return TRUE;
}

static gboolean
scan_event (Decoder *decoder, const SondeEvent *event, guint64 offset, SondeRecordBatch *batch,
            GError **error)
{
  SondeRecordRef ref
      = { .tag = SONDE_RECORD_NO_TAG, .step = event->step, .wall_time_ns = event->wall_time_ns };
  const char *name = event_kinds[event->kind].tag;
  SondeBytes tag = { (const guint8 *) name, name != NULL ? strlen (name) : 0 }, metadata;
  guint64 status;

  ref.kind = event_kinds[event->kind].kind;
  if (ref.kind == SONDE_RECORD_UNKNOWN)
    return TRUE;
  if (event->kind == SONDE_EVENT_RUN_METADATA && !get_run_metadata (event, &tag, &metadata, error))
    return FALSE;
  if (event->kind == SONDE_EVENT_SESSION_LOG)
    {
      if (!get_status (event, &status, error))
        return FALSE;
      if (status == STATUS_START && decoder->is_inside)
        decoder->base.session++;
    }
  if ((tag.at != NULL || event->kind == SONDE_EVENT_RUN_METADATA)
      && !resolve_tag (decoder, tag, &ref.tag, error))
    return FALSE;
  return add_ref (decoder, batch, ref, offset, 0, error);
}

/* A session log that tells the end of a session. */
static gboolean
says_stop (const SondeEvent *event)
{
  guint64 status;

  return event->kind == SONDE_EVENT_SESSION_LOG && get_status (event, &status, NULL)
         && status == STATUS_STOP;
}

static gboolean
scan (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint64 offset,
      SondeRecordBatch *batch, GError **error)
{
  Decoder *decoder = (Decoder *) base;
  gsize n_points = batch->n_points;
  guint n_refs = batch->refs->len;
  SondeEvent event;

  if (!decoder->begun)
    decoder->is_inside = decoder->is_inside || offset > 0;
  decoder->begun = TRUE;
  if (!sonde_event_view (&event, payload, length, error))
    return FALSE;
  if (G_LIKELY (event.kind == SONDE_EVENT_SUMMARY)
          ? scan_summary (decoder, &event, offset, batch, error)
          : scan_event (decoder, &event, offset, batch, error))
    {
      decoder->is_inside = decoder->is_inside || event.kind == SONDE_EVENT_SUMMARY;
      sonde_record_batch_note_time (batch, event.wall_time_ns);
      batch->ended = says_stop (&event);
      return TRUE;
    }
  batch->n_points = n_points;
  g_array_set_size (batch->refs, n_refs);
  return FALSE;
}

/* ---- reading ------------------------------------------------------------- */

static gboolean
read_note (Decoder *decoder, const SondeEventValue *value, SondeRecord *record, GError **error)
{
  SondeEventMetadata metadata;

  if (!sonde_event_metadata_view (&metadata, value->metadata, &decoder->arena, error))
    return FALSE;
  record->kind = SONDE_RECORD_NOTE;
  if (metadata.display_name.length > 0)
    record->u.tag_note.display_name
        = sonde_record_dup_text (metadata.display_name.at, metadata.display_name.length);
  if (metadata.description.length > 0)
    record->u.tag_note.description
        = sonde_record_dup_text (metadata.description.at, metadata.description.length);
  return TRUE;
}

/* What the value itself says of its plugin, or else what the tag's first said. */
static gboolean
read_value (Decoder *decoder, const SondeEventValue *value, guint part, SondeRecord *record,
            GError **error)
{
  SondePluginValue plugin_value = { .value = value, .arena = &decoder->arena, .part = part };
  SondeEventMetadata metadata = { 0 };
  g_autofree guint8 *content = NULL;
  g_autofree char *plugin = NULL;
  double number;
  guint32 id;
  guint n;

  if (value->has_metadata
      && !sonde_event_metadata_view (&metadata, value->metadata, &decoder->arena, error))
    return FALSE;
  plugin = sonde_record_dup_text (metadata.plugin.at, MIN (metadata.plugin.length, 1024));
  plugin_value.plugin = plugin_of_name (metadata.plugin);
  plugin_value.plugin_name = plugin;
  plugin_value.content = metadata.content;
  if (find_tag (decoder, value->tag, &id))
    {
      const char *state = g_array_index (decoder->base.tags, SondeRecordTag, id).state;

      if (state != NULL)
        {
          const char *colon = strchr (state, ':');
          g_autofree char *base64
              = colon != NULL ? g_strndup (state, (gsize) (colon - state)) : NULL;

          plugin_value.plugin = g_array_index (decoder->tags, Tag, id).plugin;
          plugin_value.plugin_name = plugin_of_state (state);
          if (plugin_value.content.length == 0 && base64 != NULL && base64[0] != '\0')
            {
              content = g_base64_decode (base64, &plugin_value.content.length);
              plugin_value.content.at = content;
            }
        }
    }
  n = sonde_plugin_classify (plugin_value.plugin, value, &record->kind, &number);
  if (part >= n)
    return sonde_record_damaged (error, "Event has no record of this number");
  record->kind = sonde_plugin_kind_of_part (record->kind, part);
  return sonde_plugin_read (&plugin_value, record, error);
}

static gboolean
read_summary (Decoder *decoder, const SondeEvent *event, guint64 part, SondeRecord *record,
              GError **error)
{
  SondeEventWalk walk = { .event = event, .reading = TRUE };
  SondeEventValue value;
  SondeWireStep step;

  while ((step = sonde_event_walk_next (&walk, &value, error)) == SONDE_WIRE_ITEM)
    {
      guint64 n = count_parts (&value);
      g_autofree char *tag = NULL;

      if (part >= n)
        {
          part -= n;
          continue;
        }
      tag = sonde_record_dup_text (value.tag.at, value.tag.length);
      record->tag = g_intern_string (tag);
      if (part == 0 && value.has_metadata)
        return read_note (decoder, &value, record, error);
      return read_value (decoder, &value, (guint) part - (value.has_metadata ? 1 : 0), record,
                         error);
    }
  return step == SONDE_WIRE_BROKEN
             ? FALSE
             : sonde_record_damaged (error, "Event has no record of this number");
}

static char *
dup_text_or_null (ProtobufCBinaryData text)
{
  return text.len > 0 ? sonde_record_dup_bytes (text) : NULL;
}

static gboolean
read_session_log (const SondeEvent *event, SondeRecord *record, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__SessionLog *log
      = decode_content (event, &tensorboard__session_log__descriptor, &arena, error);

  if (log == NULL)
    return FALSE;
  record->u.session_log.status = log->status < N_STATUSES ? (int) log->status : 0;
  record->u.session_log.checkpoint = dup_text_or_null (log->checkpoint_path);
  record->u.session_log.message = dup_text_or_null (log->msg);
  return TRUE;
}

static gboolean
read_log_message (const SondeEvent *event, SondeRecord *record, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__LogMessage *log
      = decode_content (event, &tensorboard__log_message__descriptor, &arena, error);

  if (log == NULL)
    return FALSE;
  record->u.text = sonde_record_dup_bytes (log->message);
  return TRUE;
}

static gboolean
read_run_metadata (const SondeEvent *event, SondeRecord *record, GError **error)
{
  g_autofree char *name = NULL;
  SondeBytes tag, metadata;

  if (!get_run_metadata (event, &tag, &metadata, error))
    return FALSE;
  name = sonde_record_dup_text (tag.at, tag.length);
  record->tag = g_intern_string (name);
  record->u.run_metadata.message = g_bytes_new (metadata.at, metadata.length);
  return TRUE;
}

static gboolean
read_meta_graph (const SondeEvent *event, SondeRecord *record, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__MetaGraphDef *meta
      = decode_content (event, &tensorboard__meta_graph_def__descriptor, &arena, error);

  return meta != NULL
         && sonde_event_read_graph (sonde_bytes_of_field (meta->graph_def), record, error);
}

static gboolean
read_event (const SondeEvent *event, SondeRecord *record, GError **error)
{
  record->kind = event_kinds[event->kind].kind;
  record->tag = g_intern_string (event_kinds[event->kind].tag);
  switch (event->kind)
    {
    case SONDE_EVENT_SESSION_LOG:
      return read_session_log (event, record, error);
    case SONDE_EVENT_LOG_MESSAGE:
      return read_log_message (event, record, error);
    case SONDE_EVENT_RUN_METADATA:
      return read_run_metadata (event, record, error);
    case SONDE_EVENT_META_GRAPH:
      return read_meta_graph (event, record, error);
    case SONDE_EVENT_GRAPH:
      return sonde_event_read_graph (event->content, record, error);
    default:
      return sonde_record_damaged (error, "Event has no record");
    }
}

static gboolean
read_record (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint part,
             SondeRecord *record, GError **error)
{
  Decoder *decoder = (Decoder *) base;
  SondeEvent event;

  *record = (SondeRecord){ 0 };
  sonde_wire_arena_empty (&decoder->arena);
  if (!sonde_event_view (&event, payload, length, error))
    return FALSE;
  record->step = event.step;
  record->wall_time_ns = event.wall_time_ns;
  record->session = base->session;
  if (event.kind == SONDE_EVENT_SUMMARY ? read_summary (decoder, &event, part, record, error)
                                        : read_event (&event, record, error))
    return TRUE;
  sonde_record_clear (record);
  return FALSE;
}

/* ---- files --------------------------------------------------------------- */

/* Anything with "tfevents" in its name; markers of the profiler hold nothing. */
static gboolean
recognises (const char *file_name)
{
  return strstr (file_name, "tfevents") != NULL && !g_str_has_suffix (file_name, ".profile-empty")
         && !g_str_has_suffix (file_name, ".gz");
}

const SondeRecordFormat sonde_record_format_tensorboard = {
  .name = "tensorboard",
  .recognises = recognises,
  .decoder_new = decoder_new,
  .decoder_free = decoder_free,
  .scan = scan,
  .read = read_record,
};
