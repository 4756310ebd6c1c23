/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/convert/sonde-convert-quantised.h"

#include "data/base/sonde-text.h"

/* What moves elements or chooses among them rounds nothing that was not rounded before. */
static gboolean
computes (const SondeNode *node)
{
  static const char *const moves[]
      = { "QuantizeLinear", "DequantizeLinear", "MaxPool", "Reshape", "Transpose", NULL };

  return !g_strv_contains (moves, node->op);
}

static gboolean
is_rounded (const SondeConvertedNode *row)
{
  gboolean quantises = FALSE, computed = FALSE;

  for (guint i = 0; i < row->to->len; i++)
    {
      const SondeNode *node = row->to->pdata[i];

      quantises |= g_str_equal (node->op, "QuantizeLinear");
      computed |= computes (node);
    }
  return quantises && computed;
}

gboolean
sonde_convert_mark_rounded (SondeConversion *conversion)
{
  gboolean any = FALSE;

  for (guint i = 0; i < conversion->nodes->len; i++)
    {
      SondeConvertedNode *row = conversion->nodes->pdata[i];

      if (row->how == SONDE_LOWERED_UNSUPPORTED || !is_rounded (row))
        continue;
      row->how = SONDE_LOWERED_APPROXIMATE;
      any = TRUE;
    }
  return any;
}

void
sonde_convert_note_rounded (SondeConversion *conversion, const char *path, int steps)
{
  SondeConversionNote *note = g_new0 (SondeConversionNote, 1);

  note->severity = SONDE_NOTE_INFORMATION;
  note->where = g_strdup (path);
  note->what = sonde_message_new (
      "Quantised operators are computed in floats and rounded once: at most a step a layer apart "
      "from the integers of the model");
  if (steps >= 0)
    sonde_message_append_format (note->what, N_ (" (a run saw %d steps at an output)"), steps);
  note->advice = sonde_message_new (
      "“sonde infer” of the original model gives its own integers; compare with --verify");
  g_ptr_array_add (conversion->notes, note);
}
