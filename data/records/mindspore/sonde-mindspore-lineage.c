/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's lineage files: framed LineageEvent messages, without a version record before them. */
#include "data/records/mindspore/sonde-mindspore-items-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-wire.h"

/* Of LineageEvent. */
enum
{
  EVENT_WALL_TIME = 1,
  EVENT_STEP = 2,
  EVENT_VERSION = 3,
};

typedef struct
{
  double wall_time;
  gint64 step;
  SondeWireItem what;
} Event;

static gboolean read_train (const SondeWireItem *message, SondeRecord *record, GArray *items,
                            GError **error);
static gboolean read_evaluation (const SondeWireItem *message, SondeRecord *record, GArray *items,
                                 GError **error);
static gboolean read_dataset (const SondeWireItem *message, SondeRecord *record, GArray *items,
                              GError **error);
static gboolean read_custom (const SondeWireItem *message, SondeRecord *record, GArray *items,
                             GError **error);

static const struct
{
  guint32 number;
  const char *part;
  gboolean (*read) (const SondeWireItem *message, SondeRecord *record, GArray *items,
                    GError **error);
} parts[] = {
  { 6, "train", read_train },
  { 7, "evaluation", read_evaluation },
  { 9, "dataset", read_dataset },
  { 10, "custom", read_custom },
};

/* ---- tables of facts ----------------------------------------------------- */

typedef enum
{
  FACT_TEXT,
  FACT_FLOAT,
  FACT_INT,
  FACT_JSON, /* its members are the facts; a text when it is no JSON */
} FactType;

/* A field of a message inside the event's: @group, or of the event's own with 0. */
typedef struct
{
  guint32 group, number;
  FactType type;
  const char *key;
} Fact;

static const Fact train_facts[] = {
  { 1, 1, FACT_TEXT, "optimizer" },          { 1, 2, FACT_FLOAT, "learning_rate" },
  { 1, 3, FACT_TEXT, "loss_function" },      { 1, 4, FACT_INT, "epoch" },
  { 1, 5, FACT_TEXT, "parallel_mode" },      { 1, 6, FACT_INT, "device_num" },
  { 1, 8, FACT_INT, "batch_size" },          { 2, 1, FACT_TEXT, "train_dataset_path" },
  { 2, 2, FACT_INT, "train_dataset_size" },  { 3, 1, FACT_TEXT, "network" },
  { 3, 2, FACT_FLOAT, "loss" },              { 4, 3, FACT_TEXT, "model_path" },
  { 4, 4, FACT_INT, "model_size" },
}, evaluation_facts[] = {
  { 0, 2, FACT_JSON, "metric" },
  { 3, 1, FACT_TEXT, "valid_dataset_path" }, { 3, 2, FACT_INT, "valid_dataset_size" },
};

static const guint8 fact_wire_types[] = {
  [FACT_TEXT] = SONDE_WIRE_BYTES,
  [FACT_FLOAT] = SONDE_WIRE_FIXED32,
  [FACT_INT] = SONDE_WIRE_VARINT,
  [FACT_JSON] = SONDE_WIRE_BYTES,
};

static gboolean
add_fact (const Fact *fact, const SondeWireItem *item, GArray *items, GError **error)
{
  if (item->type != fact_wire_types[fact->type])
    return sonde_mindspore_damaged (error, "“%s” of the lineage has the wrong wire type",
                                    fact->key);
  if (fact->type == FACT_FLOAT)
    sonde_mindspore_items_add (items, fact->key,
                               sonde_mindspore_float_text (sonde_wire_item_float (item)),
                               SONDE_HPARAM_NUMBER);
  else if (fact->type == FACT_INT)
    sonde_mindspore_items_add_int (items, fact->key, (gint64) item->value);
  else if (fact->type == FACT_TEXT || !sonde_mindspore_items_add_json (items, item))
    sonde_mindspore_items_add (items, fact->key, sonde_mindspore_dup_text (item),
                               SONDE_HPARAM_TEXT);
  return TRUE;
}

static gboolean
add_facts (const SondeWireItem *message, const Fact *facts, gsize n_facts, guint32 group,
           GArray *items, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    for (gsize i = 0; i < n_facts; i++)
      if (facts[i].group == group && facts[i].number == item.number)
        {
          if (!add_fact (&facts[i], &item, items, error))
            return FALSE;
        }
      else if (group == 0 && facts[i].group == item.number)
        {
          if (item.type != SONDE_WIRE_BYTES
              || !add_facts (&item, facts, n_facts, item.number, items, error))
            return item.type == SONDE_WIRE_BYTES
                       ? FALSE
                       : sonde_mindspore_damaged (error,
                                                  "a part of the lineage is not a valid message");
          break;
        }
  return step == SONDE_WIRE_END
         || sonde_mindspore_damaged (error, "the lineage is truncated or not a valid message");
}

static gboolean
read_train (const SondeWireItem *message, SondeRecord *record, GArray *items, GError **error)
{
  return add_facts (message, train_facts, G_N_ELEMENTS (train_facts), 0, items, error);
}

static gboolean
read_evaluation (const SondeWireItem *message, SondeRecord *record, GArray *items, GError **error)
{
  return add_facts (message, evaluation_facts, G_N_ELEMENTS (evaluation_facts), 0, items, error);
}

static gboolean
read_dataset (const SondeWireItem *message, SondeRecord *record, GArray *items, GError **error)
{
  record->u.lineage.pipeline = sonde_mindspore_pipeline (message, items, error);
  return record->u.lineage.pipeline != NULL;
}

/* ---- the user's own facts ------------------------------------------------ */

/* A map entry; @number: of an int32. */
typedef struct
{
  SondeWireItem key, value;
  gint64 number;
  double real;
} Entry;

static const SondeMindsporeField text_entry[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Entry, key), "the key of a map" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Entry, value), "the value of a map" },
}, int_entry[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Entry, key), "the key of a map" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Entry, number), "the number of a map" },
}, double_entry[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Entry, key), "the key of a map" },
  { 2, SONDE_MINDSPORE_DOUBLE, offsetof (Entry, real), "the number of a map" },
};

/* Of UserDefinedInfo. */
enum
{
  INFO_INFOS = 1,
  INFO_DICTS = 2,
  INFO_INTS = 3,
  INFO_TEXTS = 4,
  INFO_DOUBLES = 5,
};

static const SondeMindsporeField *
entry_fields (guint32 number)
{
  return number == INFO_INTS ? int_entry : number == INFO_DOUBLES ? double_entry : text_entry;
}

/* Inner dictionaries as "outer.inner"; nesting is bounded by @depth. */
static gboolean
add_info (const SondeWireItem *message, const char *prefix, guint depth, GArray *items,
          GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;
  SondeWireStep step;

  if (depth > SONDE_BUDGET_NESTING)
    return sonde_mindspore_damaged (error, "the lineage is nested more than %d deep",
                                    SONDE_BUDGET_NESTING);
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      g_autofree char *name = NULL, *key = NULL, *inner = NULL;
      Entry entry = { { 0 } };

      if (item.number > INFO_DOUBLES)
        continue;
      if (item.type != SONDE_WIRE_BYTES)
        return sonde_mindspore_damaged (error,
                                        "UserDefinedInfo has a field of the wrong wire type");
      if (item.number == INFO_INFOS)
        {
          if (!add_info (&item, prefix, depth + 1, items, error))
            return FALSE;
          continue;
        }
      if (!sonde_mindspore_items_check (items, error)
          || !sonde_mindspore_take (&item, entry_fields (item.number), 2, &entry, error))
        return FALSE;
      name = sonde_mindspore_dup_text (&entry.key);
      key = g_strconcat (prefix, name, NULL);
      inner = g_strconcat (key, ".", NULL);
      if (item.number == INFO_INTS)
        sonde_mindspore_items_add_int (items, key, entry.number);
      else if (item.number == INFO_DOUBLES)
        sonde_mindspore_items_add_number (items, key, entry.real);
      else if (item.number == INFO_TEXTS)
        sonde_mindspore_items_add (items, key, sonde_mindspore_dup_text (&entry.value),
                                   SONDE_HPARAM_TEXT);
      else if (!add_info (&entry.value, inner, depth + 1, items, error))
        return FALSE;
    }
  return step == SONDE_WIRE_END
         || sonde_mindspore_damaged (error, "UserDefinedInfo is truncated or not a valid message");
}

static gboolean
read_custom (const SondeWireItem *message, SondeRecord *record, GArray *items, GError **error)
{
  return add_info (message, "", 0, items, error);
}

/* ---- the format ---------------------------------------------------------- */

static const SondeMindsporeField event_fields[] = {
  { EVENT_WALL_TIME, SONDE_MINDSPORE_DOUBLE, offsetof (Event, wall_time),
    "LineageEvent.wall_time" },
  { EVENT_STEP, SONDE_MINDSPORE_INT, offsetof (Event, step), "LineageEvent.step" },
};

static gboolean
take_event (const guint8 *payload, gsize length, Event *event, GError **error)
{
  SondeWireItem whole = sonde_mindspore_whole (payload, length), item;
  SondeWireCursor cursor = sonde_wire_item_cursor (&whole);

  *event = (Event){ 0 };
  if (!sonde_mindspore_take (&whole, event_fields, G_N_ELEMENTS (event_fields), event, error))
    return FALSE;
  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number >= EVENT_VERSION && item.type == SONDE_WIRE_BYTES)
      event->what = item;
    else if (item.number >= EVENT_VERSION)
      return sonde_mindspore_damaged (error, "the content of LineageEvent has the wrong wire type");
  return TRUE;
}

static gsize
find_part (const Event *event)
{
  gsize i = 0;

  while (i < G_N_ELEMENTS (parts) && parts[i].number != event->what.number)
    i++;
  return i;
}

static gboolean
scan (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint64 offset,
      SondeRecordBatch *batch, GError **error)
{
  SondeRecordRef ref = { .tag = SONDE_RECORD_NO_TAG,
                         .place = sonde_record_place (offset, 0),
                         .session = base->session };
  gboolean has_time;
  Event event;

  if (!take_event (payload, length, &event, error))
    return FALSE;
  has_time = sonde_mindspore_time (event.wall_time, &ref.wall_time_ns);
  ref.step = event.step;
  ref.kind = find_part (&event) < G_N_ELEMENTS (parts) ? SONDE_RECORD_LINEAGE : SONDE_RECORD_OTHER;
  if (ref.kind == SONDE_RECORD_LINEAGE
      && !sonde_mindspore_check (&event.what, "the lineage", error))
    return FALSE;
  if (event.what.number > EVENT_VERSION)
    sonde_record_batch_add_ref (batch, &ref);
  if (has_time)
    sonde_record_batch_note_time (batch, ref.wall_time_ns);
  return TRUE;
}

static gboolean
read_record (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint part,
             SondeRecord *record, GError **error)
{
  g_autoptr (GArray) items = sonde_mindspore_items_new ();
  Event event;
  gsize i;

  *record = (SondeRecord){ .session = base->session, .kind = SONDE_RECORD_LINEAGE };
  if (!take_event (payload, length, &event, error))
    return FALSE;
  record->step = event.step;
  sonde_mindspore_time (event.wall_time, &record->wall_time_ns);
  i = find_part (&event);
  if (i == G_N_ELEMENTS (parts))
    {
      record->kind = SONDE_RECORD_OTHER;
      record->u.other.plugin = g_strdup_printf ("lineage field %u", event.what.number);
      record->u.other.bytes = event.what.length;
      return TRUE;
    }
  if (!parts[i].read (&event.what, record, items, error))
    {
      sonde_record_clear (record);
      return FALSE;
    }
  sonde_mindspore_items_steal (items, record, parts[i].part);
  return TRUE;
}

const SondeRecordFormat sonde_record_format_mindspore_lineage = {
  .name = "mindspore",
  .recognises = sonde_mindspore_is_lineage_name,
  .probe = sonde_mindspore_probe_event,
  .decoder_new = sonde_mindspore_decoder_new,
  .decoder_free = sonde_mindspore_decoder_free,
  .scan = scan,
  .read = read_record,
};
