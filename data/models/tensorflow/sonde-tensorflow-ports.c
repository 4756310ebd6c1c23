/* SPDX-License-Identifier: Apache-2.0
 * Facts on single operators. */
#include "data/models/tensorflow/sonde-tensorflow-ports.h"

#include <string.h>

#include "data/base/sonde-text.h"

/* ---- outputs ------------------------------------------------------------- */

/* Of operators with several outputs that have names: all others have one, or one list. Source: the
 * REGISTER_OP of tensorflow/core/ops. */
static const struct
{
  const char *op, *ports;
} several[] = {
  { "FusedBatchNorm", "y batch_mean batch_variance reserve_space_1 reserve_space_2" },
  { "FusedBatchNormV2", "y batch_mean batch_variance reserve_space_1 reserve_space_2" },
  { "FusedBatchNormV3",
    "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3" },
  { "TopK", "values indices" },
  { "TopKV2", "values indices" },
  { "Unique", "y idx" },
  { "UniqueV2", "y idx" },
  { "UniqueWithCounts", "y idx count" },
  { "UniqueWithCountsV2", "y idx count" },
  { "Switch", "output_false output_true" },
  { "RefSwitch", "output_false output_true" },
  { "Merge", "output value_index" },
  { "RefMerge", "output value_index" },
  { "MaxPoolWithArgmax", "output argmax" },
  { "NonMaxSuppressionV4", "selected_indices valid_outputs" },
  { "NonMaxSuppressionV5", "selected_indices selected_scores valid_outputs" },
  { "CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections" },
  { "Moments", "mean variance" },
  { "SoftmaxCrossEntropyWithLogits", "loss backprop" },
  { "SparseSoftmaxCrossEntropyWithLogits", "loss backprop" },
  { "LSTMBlockCell", "i cs f o ci co h" },
  { "BlockLSTM", "i cs f o ci co h" },
  { "BlockLSTMV2", "i cs f o ci co h" },
  { "GRUBlockCell", "r u c h" },
  { "CudnnRNN", "output output_h output_c reserve_space" },
  { "CudnnRNNV2", "output output_h output_c reserve_space host_reserved" },
  { "CudnnRNNV3", "output output_h output_c reserve_space host_reserved" },
  { "TensorListPopBack", "output_handle tensor" },
  { "BroadcastGradientArgs", "r0 r1" },
  { "FractionalAvgPool", "output row_pooling_sequence col_pooling_sequence" },
};

static int
find_in (const char *ports, const char *port)
{
  gsize length = strlen (port);
  int k = 0;

  for (const char *at = ports; *at != '\0'; k++)
    {
      gsize n = strcspn (at, " ");

      if (n == length && strncmp (at, port, n) == 0)
        return k;
      at += n + (at[n] == ' ');
    }
  return -1;
}

int
sonde_tensorflow_find_port (const Tensorflow__NodeDef *node, const char *port)
{
  if (port == NULL)
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (several); i++)
    if (strcmp (several[i].op, node->op) == 0)
      return find_in (several[i].ports, port);
  return 0;
}

/* ---- idle ---------------------------------------------------------------- */

gboolean
sonde_tensorflow_is_idle (const Tensorflow__NodeDef *node)
{
  static const char *const ops[] = {
    "Assert",
    "NoOp",
    "Const",
    "Print",
    "PrintV2",
    "SaveV2",
    "Save",
    "SaveSlices",
    "ShardedFilename",
    "MergeV2Checkpoints",
    "InitializeTableV2",
    "InitializeTableFromTextFileV2",
    "LookupTableImportV2",
    "AssignVariableOp",
    "VarHandleOp",
    "VariableV2",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    if (strcmp (ops[i], node->op) == 0)
      return TRUE;
  return FALSE;
}

gboolean
sonde_tensorflow_is_meeting (const Tensorflow__NodeDef *node)
{
  return g_str_equal (node->op, "Merge") || g_str_equal (node->op, "RefMerge");
}

/* ---- refusals ------------------------------------------------------------ */

static const struct
{
  const char *prefix; /* of the operator's name */
  const char *what, *advice;
} reasons[] = {
  { "PyFunc", N_ ("it runs Python code, which is not in the file"),
    N_ ("Write the function with operators of TensorFlow and save the model again") },
  { "EagerPyFunc", N_ ("it runs Python code, which is not in the file"),
    N_ ("Write the function with operators of TensorFlow and save the model again") },
  { "XlaCallModule", N_ ("it holds a program of another compiler (StableHLO) as bytes"),
    N_ ("Save the model without native serialisation (jax2tf: native_serialization=False)") },
  { "TFLite_", N_ ("it is an operator of TFLite only"), N_ ("Convert the .tflite file instead") },
  { "TPU", N_ ("it is an operator of one processor"),
    N_ ("Save the model with the tag “serve” alone") },
  { "Decode", N_ ("it decodes a file"),
    N_ ("Cut the preprocessing off: save a model that begins behind it") },
  { "ReadFile", N_ ("it reads a file, which is never done for a model"),
    N_ ("Cut the preprocessing off: save a model that begins behind it") },
  { "WriteFile", N_ ("it writes a file, which is never done for a model"),
    N_ ("Save a model without it") },
  { "String", N_ ("it works on texts"),
    N_ ("Cut the preprocessing off: save a model that begins behind it") },
  { "Regex", N_ ("it works on texts"),
    N_ ("Cut the preprocessing off: save a model that begins behind it") },
  { "Ragged", N_ ("rows of different lengths have no operator"),
    N_ ("Make dense tensors before the model") },
  { "ParseExample", N_ ("it takes serialised records apart"),
    N_ ("Choose a signature that takes tensors, or cut the preprocessing off") },
  { "Random", N_ ("it makes random numbers"),
    N_ ("Save the model for inference (training=False)") },
  { "StatelessRandom", N_ ("it makes random numbers"),
    N_ ("Save the model for inference (training=False)") },
  { "Truncated", N_ ("it makes random numbers"),
    N_ ("Save the model for inference (training=False)") },
  { "Multinomial", N_ ("it makes random numbers"),
    N_ ("Save the model for inference (training=False)") },
  { "FFT", N_ ("complex numbers are not supported"), N_ ("Replace it in the original model") },
  { "RFFT", N_ ("complex numbers are not supported"), N_ ("Replace it in the original model") },
  { "IRFFT", N_ ("complex numbers are not supported"), N_ ("Replace it in the original model") },
  { "Complex", N_ ("complex numbers are not supported"), N_ ("Replace it in the original model") },
  { "_", N_ ("it was put in by TensorFlow's own optimiser"),
    N_ ("Save or freeze the model without Grappler's rewriting") },
  { "Variable", N_ ("the file holds no value of this variable"),
    N_ ("Freeze the graph, or save it as a SavedModel") },
  { "VarHandleOp", N_ ("the file holds no value of this variable"),
    N_ ("Freeze the graph, or save it as a SavedModel") },
  { "Switch", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "Merge", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "RefSwitch", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "RefMerge", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "Enter", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "RefEnter", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "Exit", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "NextIteration", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "LoopCond", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "TensorArray", N_ ("branches and loops of version 1 are not raised"),
    N_ ("Freeze the graph with lower_control_flow=False, or save it as a SavedModel of version "
        "2") },
  { "HashTable", N_ ("tables of keys are not supported"),
    N_ ("Look the keys up before the model, or save one that takes their numbers") },
  { "MutableHashTable", N_ ("tables of keys are not supported"),
    N_ ("Look the keys up before the model, or save one that takes their numbers") },
  { "LookupTable", N_ ("tables of keys are not supported"),
    N_ ("Look the keys up before the model, or save one that takes their numbers") },
  { "MutableDenseHashTable", N_ ("tables of keys are not supported"),
    N_ ("Look the keys up before the model, or save one that takes their numbers") },
  { "Placeholder", N_ ("it is an input that the signature does not name"),
    N_ ("Choose another signature") },
  { "Cudnn", N_ ("it is a recurrent layer of one library"),
    N_ ("Build the layer without it and load the same weights") },
};

void
sonde_tensorflow_explain (const Tensorflow__NodeDef *node, const char **what, const char **advice)
{
  *what = N_ ("no operator of ONNX stands for it");
  *advice = N_ ("Replace it in the original model, or export that one as ONNX");
  for (gsize i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_str_has_prefix (node->op, reasons[i].prefix))
      {
        *what = reasons[i].what;
        *advice = reasons[i].advice;
        return;
      }
}
