/* SPDX-License-Identifier: Apache-2.0
 * What one step of a dump has, entry by entry. */
#include "app/cli/dumps/sonde-dump-outline.h"

#include <string.h>

#include "app/cli/sonde-cli-table.h"
#include "data/arrays/sonde-json-text.h"
#include "data/base/sonde-error.h"

/* ---- text ---------------------------------------------------------------- */

static const char *const columns[]
    = { N_ ("<ENTRY"), N_ ("<DTYPE"), N_ ("<SHAPE"), N_ (">MIN"),   N_ (">MAX"),
        N_ (">MEAN"),  N_ (">NORM"),  N_ ("<KEPT"),  N_ ("<PLACE"), NULL };

/* Code of PyTorch and MindSpore themselves is no place that a user wrote. */
static const SondeMsprobeFrame *
find_place (const SondeMsprobeDump *dump, const SondeMsprobeEntry *entry)
{
  const GArray *frames = entry->stack >= 0 ? g_ptr_array_index (dump->stacks, entry->stack) : NULL;

  for (guint i = 0; frames != NULL && i < frames->len; i++)
    {
      const SondeMsprobeFrame *frame = &g_array_index (frames, SondeMsprobeFrame, i);

      if (frame->file != NULL && strstr (frame->file, "site-packages/") == NULL)
        return frame;
    }
  return NULL;
}

static void
add_entry_row (SondeTable *table, const SondeMsprobeDump *dump, const SondeMsprobeEntry *entry)
{
  const SondeMsprobeFrame *frame = find_place (dump, entry);
  g_autofree char *place = frame != NULL ? g_strdup_printf (_ ("%s:%u in %s"), frame->file,
                                                            frame->line, frame->function)
                                         : g_strdup ("");

  sonde_table_add (table, entry->name, "", "", "", "", "", "", "", place, NULL);
}

/* "" where it was not kept */
static char *
format_number (const SondeMsprobeNumber *number)
{
  return number->known ? g_strdup_printf ("%.6g", number->number) : g_strdup ("");
}

static const char *
say_kept (const SondeMsprobeTensor *tensor)
{
  if (tensor->file != NULL)
    return _ ("tensor");
  if (tensor->min.known || tensor->max.known)
    return _ ("statistics");
  return tensor->checksum != NULL ? _ ("checksum") : "";
}

static void
add_tensor_row (SondeTable *table, const SondeMsprobeEntry *entry, const SondeMsprobeTensor *tensor)
{
  g_autofree char *shape = sonde_shape_to_string (&tensor->shape);
  g_autofree char *min = format_number (&tensor->min), *max = format_number (&tensor->max),
                  *mean = format_number (&tensor->mean), *norm = format_number (&tensor->norm);
  g_autofree char *name = g_strdup_printf ("  %s", tensor->name + strlen (entry->name));

  sonde_table_add (table, name, tensor->dtype_name, shape, min, max, mean, norm, say_kept (tensor),
                   "", NULL);
}

void
sonde_dump_outline_print (const SondeMsprobePlace *place, const SondeMsprobeDump *dump)
{
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autofree char *entries = sonde_cli_format_count (dump->entries->len),
                  *tensors = sonde_cli_format_count (dump->tensors->len);

  sonde_cli_print (_ ("  step %" PRIi64 ", %s: task %s, level %s, %s entries, %s tensors\n"),
                   place->step, place->rank, dump->task != NULL ? dump->task : "?",
                   dump->level != NULL ? dump->level : "?", entries, tensors);
  for (guint i = 0; i < dump->problems->len; i++)
    sonde_cli_print ("  %s\n", sonde_error_get_text (g_ptr_array_index (dump->problems, i)));
  for (guint i = 0; i < dump->entries->len; i++)
    {
      const SondeMsprobeEntry *entry = &g_array_index (dump->entries, SondeMsprobeEntry, i);

      add_entry_row (table, dump, entry);
      for (guint k = 0; k < entry->n_tensors; k++)
        add_tensor_row (table, entry,
                        &g_array_index (dump->tensors, SondeMsprobeTensor, entry->tensors + k));
    }
  sonde_table_print (table, 4);
  sonde_cli_print ("\n");
}

/* ---- JSON ---------------------------------------------------------------- */

/* @text: (nullable): null */
static void
append_text (GString *json, const char *name, const char *text)
{
  g_string_append_printf (json, ", \"%s\" : ", name);
  if (text != NULL)
    sonde_json_append_string (json, text);
  else
    g_string_append (json, "null");
}

static void
append_number (GString *json, const char *name, const SondeMsprobeNumber *number)
{
  g_string_append_printf (json, ", \"%s\" : ", name);
  if (number->known)
    sonde_json_append_number (json, SONDE_DTYPE_F64, number->number);
  else
    g_string_append (json, "null");
}

static void
append_tensor (GString *json, const SondeMsprobeTensor *tensor)
{
  static const char *const roles[] = { "input", "output", "parameter", "gradient", "value" };

  g_string_append (json, "{\"name\" : ");
  sonde_json_append_string (json, tensor->name);
  append_text (json, "role", roles[tensor->role]);
  append_text (json, "dtype", tensor->dtype_name);
  g_string_append (json, ", \"shape\" : [");
  for (int i = 0; i < tensor->shape.rank; i++)
    g_string_append_printf (json, "%s%" PRIi64, i > 0 ? ", " : "", tensor->shape.dims[i]);
  g_string_append_c (json, ']');
  append_number (json, "min", &tensor->min);
  append_number (json, "max", &tensor->max);
  append_number (json, "mean", &tensor->mean);
  append_number (json, "norm", &tensor->norm);
  if (tensor->is_nan.known)
    append_number (json, "is_nan", &tensor->is_nan);
  g_string_append_printf (json, ", \"requires_grad\" : %s",
                          tensor->requires_grad ? "true" : "false");
  append_text (json, "file", tensor->file);
  append_text (json, "checksum", tensor->checksum);
  g_string_append_c (json, '}');
}

static void
append_argument (GString *json, const SondeMsprobeArgument *argument)
{
  g_string_append (json, "{\"name\" : ");
  sonde_json_append_string (json, argument->name);
  append_text (json, "value", argument->text);
  g_string_append_c (json, '}');
}

/* What its name says. */
static void
append_parts (GString *json, const char *entry)
{
  static const char *const kinds[] = { "module", "function", "saved", "other" };
  static const char *const phases[] = { "forward", "backward", "parameters_grad" };
  g_auto (SondeMsprobeName) name = { 0 };

  sonde_msprobe_name_parse (entry, &name);
  append_text (json, "kind", kinds[name.kind]);
  append_text (json, "module", name.path);
  append_text (json, "op", name.op);
  append_text (json, "phase", phases[name.direction]);
  g_string_append_printf (json, ", \"call\" : %" PRIu64, name.call);
}

static void
append_entry (GString *json, const SondeMsprobeDump *dump, const SondeMsprobeEntry *entry)
{
  g_string_append (json, "{\"name\" : ");
  sonde_json_append_string (json, entry->name);
  append_parts (json, entry->name);
  append_text (json, "parent", entry->parent);
  if (entry->stack >= 0)
    g_string_append_printf (json, ", \"stack\" : %d", entry->stack);
  g_string_append (json, ", \"tensors\" : [");
  for (guint i = 0; i < entry->n_tensors; i++)
    {
      g_string_append (json, i > 0 ? ",\n        " : "\n        ");
      append_tensor (json, &g_array_index (dump->tensors, SondeMsprobeTensor, entry->tensors + i));
    }
  g_string_append (json, "], \"arguments\" : [");
  for (guint i = 0; i < entry->n_arguments; i++)
    {
      g_string_append (json, i > 0 ? ", " : "");
      append_argument (
          json, &g_array_index (dump->arguments, SondeMsprobeArgument, entry->arguments + i));
    }
  g_string_append (json, "]}");
}

static void
append_stack (GString *json, const GArray *frames)
{
  g_string_append_c (json, '[');
  for (guint i = 0; i < frames->len; i++)
    {
      const SondeMsprobeFrame *frame = &g_array_index (frames, SondeMsprobeFrame, i);

      g_string_append_printf (json, "%s{\"line\" : %u", i > 0 ? ", " : "", frame->line);
      append_text (json, "file", frame->file);
      append_text (json, "function", frame->function);
      append_text (json, "source", frame->source);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

void
sonde_dump_outline_append_json (GString *text, const SondeMsprobePlace *place,
                                const SondeMsprobeDump *dump)
{
  g_autofree char *path = g_filename_display_name (place->path);

  g_string_append_printf (text, "{\"step\" : %" PRIi64, place->step);
  append_text (text, "rank", place->rank);
  append_text (text, "path", path);
  append_text (text, "task", dump->task);
  append_text (text, "level", dump->level);
  append_text (text, "framework", dump->framework);
  g_string_append (text, ", \"entries\" : [");
  for (guint i = 0; i < dump->entries->len; i++)
    {
      g_string_append (text, i > 0 ? ",\n      " : "\n      ");
      append_entry (text, dump, &g_array_index (dump->entries, SondeMsprobeEntry, i));
    }
  g_string_append (text, "], \"stacks\" : [");
  for (guint i = 0; i < dump->stacks->len; i++)
    {
      g_string_append (text, i > 0 ? ",\n      " : "\n      ");
      append_stack (text, g_ptr_array_index (dump->stacks, i));
    }
  g_string_append (text, "], \"problems\" : [");
  for (guint i = 0; i < dump->problems->len; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      sonde_json_append_string (text, ((GError *) g_ptr_array_index (dump->problems, i))->message);
    }
  g_string_append (text, "]}");
}
