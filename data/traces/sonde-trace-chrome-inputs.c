/* SPDX-License-Identifier: Apache-2.0
 * Inputs of PyTorch's operators in the arguments of their events: "Input Dims" and "Input Strides", a list of sizes for
 * each, "Input type", and "Concrete Inputs", texts of those that are no tensors. */
#include <string.h>

#include "data/traces/sonde-torch-bytes.h"
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

/* "[8, 3, 16, 16]" into @sizes; -1: a list of tensors, which is a list of such lists, or what is no size */
static int
read_sizes (SondeJsonScanner *scanner, gint64 *sizes)
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
        return -1;
      if (rank < 0 || rank == SONDE_TORCH_MAX_RANK || kind != SONDE_JSON_NUMBER
          || !read_size (bytes, n, &size))
        rank = -1;
      else
        sizes[rank++] = size;
    }
  return rank;
}

static void
read_dims (SondeJsonScanner *scanner, Inputs *inputs)
{
  gint64 sizes[SONDE_TORCH_MAX_RANK];
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (scanner, ']', &first); i++)
    {
      SondeTorchInput *input = get_input (inputs, i);

      if (sonde_json_scanner_peek (scanner) == '[')
        {
          int rank = read_sizes (scanner, sizes);

          if (input == NULL)
            continue;
          input->rank = rank;
          memcpy (input->dims, sizes, sizeof sizes);
        }
      else if (!sonde_json_scanner_skip (scanner))
        return;
    }
}

static void
read_strides (SondeJsonScanner *scanner, Inputs *inputs)
{
  gint64 strides[SONDE_TORCH_MAX_RANK];
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (scanner, ']', &first); i++)
    {
      SondeTorchInput *input = get_input (inputs, i);

      if (sonde_json_scanner_peek (scanner) == '[')
        {
          int n = read_sizes (scanner, strides);

          if (input == NULL)
            continue;
          input->n_strides = MAX (n, 0);
          memcpy (input->strides, strides, sizeof strides);
        }
      else if (!sonde_json_scanner_skip (scanner))
        return;
    }
}

static void
read_types (SondeJsonScanner *scanner, Inputs *inputs)
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
        input->item_size = sonde_torch_type_get_size (bytes, n);
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

typedef void (*ReadFunc) (SondeJsonScanner *scanner, Inputs *inputs);

/* What reads the list called so; NULL: none */
static ReadFunc
find_reader (const char *bytes, gsize n)
{
  static const struct
  {
    const char *key;
    ReadFunc read;
  } readers[] = { { "Input Dims", read_dims },
                  { "Concrete Inputs", read_concrete },
                  { "Input type", read_types },
                  { "Input Strides", read_strides } };

  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    if (n == strlen (readers[i].key) && memcmp (bytes, readers[i].key, n) == 0)
      return readers[i].read;
  return NULL;
}

static void
read_inputs (SondeJsonScanner *scanner, Inputs *inputs)
{
  gboolean first = TRUE;

  sonde_json_scanner_take (scanner, '{');
  while (sonde_json_scanner_next (scanner, '}', &first))
    {
      const char *bytes;
      ReadFunc read;
      gsize n;

      if (!sonde_json_scanner_take_key (scanner, &bytes, &n))
        return;
      read = find_reader (bytes, n);
      if (read != NULL && sonde_json_scanner_peek (scanner) == '[')
        read (scanner, inputs);
      else if (!sonde_json_scanner_skip (scanner))
        return;
    }
}

void
sonde_chrome_event_count_cost (SondeChromeReader *reader, const SondeChromeEvent *event,
                               double *flops, double *bytes)
{
  const char *name = event->name != SONDE_TRACE_NONE
                         ? sonde_trace_builder_get_text (reader->builder, event->name)
                         : "";
  Inputs inputs;

  *flops = *bytes = 0;
  if (event->args == NULL || !(sonde_torch_cost_knows (name) || sonde_torch_bytes_knows (name)))
    return;
  inputs.n = 0;
  for (guint i = 0; i < SONDE_TORCH_MAX_INPUTS; i++)
    inputs.inputs[i] = (SondeTorchInput){ .rank = -1, .n_numbers = -1 };
  sonde_json_scanner_set_bytes (reader->args, event->args, event->n_args);
  read_inputs (reader->args, &inputs);
  *flops = sonde_torch_cost_count (name, inputs.inputs, inputs.n);
  *bytes = sonde_torch_bytes_count (name, inputs.inputs, inputs.n);
}
