/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/models/tflite/tflite-builder.h"

#define MODEL_SLOTS 8
#define SUBGRAPH_SLOTS 5
#define TENSOR_SLOTS 10
#define CODE_SLOTS 4
#define OPERATOR_SLOTS 13
#define BUFFER_SLOTS 3

static void
write_tensors (TinyModel *model)
{
  static const char *const names[] = { "x", "c", "y" };
  static const gint32 sizes[] = { 2 };

  model->tensors = flat_references (model->bytes, 3);
  flat_set_reference (model->bytes, model->subgraph, 0, model->tensors);
  for (guint i = 0; i < 3; i++)
    {
      model->tensor[i] = flat_table (model->bytes, TENSOR_SLOTS);
      flat_refer (model->bytes, flat_element (model->tensors, i), model->tensor[i]);
      flat_set_i32s (model->bytes, model->tensor[i], 0, 1, sizes);
      flat_set_i32 (model->bytes, model->tensor[i], 2, i == 1 ? 1 : 0);
      flat_set_text (model->bytes, model->tensor[i], 3, names[i]);
    }
}

static void
write_operator (TinyModel *model)
{
  static const gint32 inputs[] = { 0, 1 }, outputs[] = { 2 };

  model->operators = flat_references (model->bytes, 1);
  flat_set_reference (model->bytes, model->subgraph, 3, model->operators);
  model->op = flat_table (model->bytes, OPERATOR_SLOTS);
  flat_refer (model->bytes, flat_element (model->operators, 0), model->op);
  flat_set_i32s (model->bytes, model->op, 1, 2, inputs);
  flat_set_i32s (model->bytes, model->op, 2, 1, outputs);
}

static void
write_subgraph (TinyModel *model)
{
  static const gint32 x[] = { 0 }, y[] = { 2 };

  model->subgraphs = flat_references (model->bytes, 1);
  flat_set_reference (model->bytes, model->model, 2, model->subgraphs);
  model->subgraph = flat_table (model->bytes, SUBGRAPH_SLOTS);
  flat_refer (model->bytes, flat_element (model->subgraphs, 0), model->subgraph);
  flat_set_i32s (model->bytes, model->subgraph, 1, 1, x);
  flat_set_i32s (model->bytes, model->subgraph, 2, 1, y);
  flat_set_text (model->bytes, model->subgraph, 4, "main");
  write_tensors (model);
  write_operator (model);
}

/* Number 0 is the empty buffer that every tensor without data has. */
static void
write_buffers (TinyModel *model)
{
  static const float constant[] = { 1, 2 };

  model->buffers = flat_references (model->bytes, 2);
  flat_set_reference (model->bytes, model->model, 4, model->buffers);
  for (guint i = 0; i < 2; i++)
    {
      model->buffer[i] = flat_table (model->bytes, BUFFER_SLOTS);
      flat_refer (model->bytes, flat_element (model->buffers, i), model->buffer[i]);
    }
  flat_set_reference (model->bytes, model->buffer[1], 0,
                      flat_vector (model->bytes, constant, sizeof constant, 1));
}

TinyModel
tiny_model_new (void)
{
  TinyModel model = { .bytes = flat_new () };

  model.model = flat_table (model.bytes, MODEL_SLOTS);
  flat_refer (model.bytes, 0, model.model);
  flat_set_i32 (model.bytes, model.model, 0, 3);
  model.codes = flat_references (model.bytes, 1);
  flat_set_reference (model.bytes, model.model, 1, model.codes);
  model.code = flat_table (model.bytes, CODE_SLOTS);
  flat_refer (model.bytes, flat_element (model.codes, 0), model.code);
  flat_set_text (model.bytes, model.model, 3, "by hand");
  write_subgraph (&model);
  write_buffers (&model);
  return model;
}
