/* SPDX-License-Identifier: Apache-2.0
 * Inputs of PyTorch's operators in the arguments of their events: "Input Dims", a list of sizes for each, and
 * "Concrete Inputs", texts of those that are no tensors. */
#include <string.h>

#include "data/traces/sonde-torch-cost.h"
#include "data/traces/sonde-trace-chrome-private.h"

typedef struct
{
  SondeTorchInput inputs[SONDE_TORCH_MAX_INPUTS];
  guint n;
} Inputs;

/* The next input; NULL where there are too many. */
static SondeTorchInput *
get_input (Inputs *inputs, guint index)
{
  if (index >= SONDE_TORCH_MAX_INPUTS)
    return NULL;
  inputs->n = MAX (inputs->n, index + 1);
  return &inputs->inputs[index];
}

static gboolean
read_size (const char *bytes, gsize n, gint64 *size)
{
  char text[24];

  if (n >= sizeof text)
    return FALSE;
  memcpy (text, bytes, n);
  text[n] = '\0';
  return g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, size, NULL);
}

/* "[8, 3, 16, 16]"; a list of tensors, which is a list of such lists, is no tensor. @input: (nullable) */
static void
read_sizes (SondeJsonScanner *scanner, SondeTorchInput *input)
{
  gboolean first = TRUE;
  int rank = 0;

  sonde_json_scanner_take (scanner, '[');
  while (sonde_json_scanner_next (scanner, ']', &first))
    {
      SondeJsonKind kind;
      const char *bytes;
      gsize n;
      gint64 size;

      if (!sonde_json_scanner_take_value (scanner, &kind, &bytes, &n))
        return;
      if (rank < 0 || rank == SONDE_TORCH_MAX_RANK || kind != SONDE_JSON_NUMBER
          || !read_size (bytes, n, &size))
        rank = -1;
      else if (input != NULL)
        input->dims[rank++] = size;
    }
  if (input != NULL)
    input->rank = rank;
}

static void
read_dims (SondeJsonScanner *scanner, Inputs *inputs)
{
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (scanner, ']', &first); i++)
    {
      SondeTorchInput *input = get_input (inputs, i);

      if (sonde_json_scanner_peek (scanner) == '[')
        read_sizes (scanner, input);
      else if (!sonde_json_scanner_skip (scanner))
        return;
    }
}

static void
read_concrete (SondeJsonScanner *scanner, Inputs *inputs)
{
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (scanner, ']', &first); i++)
    {
      SondeTorchInput *input = get_input (inputs, i);
      SondeJsonKind kind;
      const char *bytes;
      gsize n;

      if (!sonde_json_scanner_take_value (scanner, &kind, &bytes, &n))
        return;
      if (input != NULL && kind == SONDE_JSON_TEXT)
        sonde_torch_input_parse (input, bytes, n);
    }
}

static gboolean
is_key (const char *bytes, gsize n, const char *key)
{
  return n == strlen (key) && memcmp (bytes, key, n) == 0;
}

static void
read_inputs (SondeJsonScanner *scanner, Inputs *inputs)
{
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '{');
  while (sonde_json_scanner_next (scanner, '}', &first))
    {
      const char *bytes;
      gboolean dims, concrete;
      gsize n;

      if (!sonde_json_scanner_take_key (scanner, &bytes, &n))
        return;
      dims = is_key (bytes, n, "Input Dims");
      concrete = is_key (bytes, n, "Concrete Inputs");
      if ((dims || concrete) && sonde_json_scanner_peek (scanner) == '[')
        (dims ? read_dims : read_concrete) (scanner, inputs);
      else if (!sonde_json_scanner_skip (scanner))
        return;
    }
}

double
sonde_chrome_event_count_flops (SondeChromeReader *reader, const SondeChromeEvent *event)
{
  const char *name = event->name != SONDE_TRACE_NONE
                         ? sonde_trace_builder_get_text (reader->builder, event->name)
                         : "";
  Inputs inputs;

  if (event->args == NULL || !sonde_torch_cost_knows (name))
    return 0;
  inputs.n = 0;
  for (guint i = 0; i < SONDE_TORCH_MAX_INPUTS; i++)
    inputs.inputs[i] = (SondeTorchInput){ .rank = -1, .n_numbers = -1 };
  sonde_json_scanner_set_bytes (reader->args, event->args, event->n_args);
  read_inputs (reader->args, &inputs);
  return sonde_torch_cost_count (name, inputs.inputs, inputs.n);
}
