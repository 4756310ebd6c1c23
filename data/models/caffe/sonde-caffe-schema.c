/* SPDX-License-Identifier: Apache-2.0
 * Tables of caffe.proto, and looking into them. */
#include "data/models/caffe/sonde-caffe-schema.h"

#include <string.h>

#define INTEGER(number, name)                                                                      \
  {                                                                                                \
    number, name, SONDE_CAFFE_NUMBER                                                               \
  }
#define REAL(number, name)                                                                         \
  {                                                                                                \
    number, name, SONDE_CAFFE_NUMBER, .is_float = TRUE                                             \
  }
#define BOOL(number, name)                                                                         \
  {                                                                                                \
    number, name, SONDE_CAFFE_BOOL                                                                 \
  }
#define TEXT(number, name)                                                                         \
  {                                                                                                \
    number, name, SONDE_CAFFE_TEXT                                                                 \
  }
#define WORDS(number, name, words)                                                                 \
  {                                                                                                \
    number, name, SONDE_CAFFE_ENUM, words                                                          \
  }
#define MESSAGE(number, name, message)                                                             \
  {                                                                                                \
    number, name, SONDE_CAFFE_MESSAGE, .type = &message                                            \
  }
#define FIELDS(...)                                                                                \
  (const SondeCaffeField[])                                                                        \
  {                                                                                                \
    __VA_ARGS__, { 0 }                                                                             \
  }
#define ENGINE(number) WORDS (number, "engine", "DEFAULT CAFFE CUDNN")

/* ---- parts --------------------------------------------------------------- */

static const SondeCaffeType ignored = { "ignored", NULL };

static const SondeCaffeType blob_shape = { "BlobShape", FIELDS (INTEGER (1, "dim")) };

static const SondeCaffeType blob = {
  "BlobProto",
  FIELDS (INTEGER (1, "num"), INTEGER (2, "channels"), INTEGER (3, "height"), INTEGER (4, "width"),
          REAL (5, "data"), REAL (6, "diff"), MESSAGE (7, "shape", blob_shape),
          REAL (8, "double_data"), REAL (9, "double_diff")),
};

static const SondeCaffeType rule = {
  "NetStateRule",
  FIELDS (WORDS (1, "phase", "TRAIN TEST"), INTEGER (2, "min_level"), INTEGER (3, "max_level"),
          TEXT (4, "stage"), TEXT (5, "not_stage")),
};

/* ---- parameters of layers ------------------------------------------------ */

static const SondeCaffeType argmax = {
  "ArgMaxParameter",
  FIELDS (BOOL (1, "out_max_val"), INTEGER (2, "top_k"), INTEGER (3, "axis")),
};

static const SondeCaffeType batch_norm = {
  "BatchNormParameter",
  FIELDS (BOOL (1, "use_global_stats"), REAL (2, "moving_average_fraction"), REAL (3, "eps")),
};

static const SondeCaffeType bias = {
  "BiasParameter",
  FIELDS (INTEGER (1, "axis"), INTEGER (2, "num_axes"), MESSAGE (3, "filler", ignored)),
};

static const SondeCaffeType clip = { "ClipParameter", FIELDS (REAL (1, "min"), REAL (2, "max")) };

static const SondeCaffeType concat
    = { "ConcatParameter", FIELDS (INTEGER (1, "concat_dim"), INTEGER (2, "axis")) };

static const SondeCaffeType convolution = {
  "ConvolutionParameter",
  FIELDS (INTEGER (1, "num_output"), BOOL (2, "bias_term"), INTEGER (3, "pad"),
          INTEGER (4, "kernel_size"), INTEGER (5, "group"), INTEGER (6, "stride"),
          MESSAGE (7, "weight_filler", ignored), MESSAGE (8, "bias_filler", ignored),
          INTEGER (9, "pad_h"), INTEGER (10, "pad_w"), INTEGER (11, "kernel_h"),
          INTEGER (12, "kernel_w"), INTEGER (13, "stride_h"), INTEGER (14, "stride_w"), ENGINE (15),
          INTEGER (16, "axis"), BOOL (17, "force_nd_im2col"), INTEGER (18, "dilation")),
};

static const SondeCaffeType crop
    = { "CropParameter", FIELDS (INTEGER (1, "axis"), INTEGER (2, "offset")) };

static const SondeCaffeType dropout = { "DropoutParameter", FIELDS (REAL (1, "dropout_ratio")) };

static const SondeCaffeType eltwise = {
  "EltwiseParameter",
  FIELDS (WORDS (1, "operation", "PROD SUM MAX"), REAL (2, "coeff"), BOOL (3, "stable_prod_grad")),
};

static const SondeCaffeType elu = { "ELUParameter", FIELDS (REAL (1, "alpha")) };

static const SondeCaffeType embed = {
  "EmbedParameter",
  FIELDS (INTEGER (1, "num_output"), INTEGER (2, "input_dim"), BOOL (3, "bias_term"),
          MESSAGE (4, "weight_filler", ignored), MESSAGE (5, "bias_filler", ignored)),
};

static const SondeCaffeType base_scale_shift
    = { "ExpParameter", FIELDS (REAL (1, "base"), REAL (2, "scale"), REAL (3, "shift")) };

static const SondeCaffeType flatten
    = { "FlattenParameter", FIELDS (INTEGER (1, "axis"), INTEGER (2, "end_axis")) };

static const SondeCaffeType inner_product = {
  "InnerProductParameter",
  FIELDS (INTEGER (1, "num_output"), BOOL (2, "bias_term"), MESSAGE (3, "weight_filler", ignored),
          MESSAGE (4, "bias_filler", ignored), INTEGER (5, "axis"), BOOL (6, "transpose")),
};

static const SondeCaffeType shapes
    = { "InputParameter", FIELDS (MESSAGE (1, "shape", blob_shape)) };

static const SondeCaffeType lrn = {
  "LRNParameter",
  FIELDS (INTEGER (1, "local_size"), REAL (2, "alpha"), REAL (3, "beta"),
          WORDS (4, "norm_region", "ACROSS_CHANNELS WITHIN_CHANNEL"), REAL (5, "k"), ENGINE (6)),
};

static const SondeCaffeType memory_data = {
  "MemoryDataParameter",
  FIELDS (INTEGER (1, "batch_size"), INTEGER (2, "channels"), INTEGER (3, "height"),
          INTEGER (4, "width")),
};

static const SondeCaffeType mvn = {
  "MVNParameter",
  FIELDS (BOOL (1, "normalize_variance"), BOOL (2, "across_channels"), REAL (3, "eps")),
};

static const SondeCaffeType pooling = {
  "PoolingParameter",
  FIELDS (WORDS (1, "pool", "MAX AVE STOCHASTIC"), INTEGER (2, "kernel_size"),
          INTEGER (3, "stride"), INTEGER (4, "pad"), INTEGER (5, "kernel_h"),
          INTEGER (6, "kernel_w"), INTEGER (7, "stride_h"), INTEGER (8, "stride_w"),
          INTEGER (9, "pad_h"), INTEGER (10, "pad_w"), ENGINE (11), BOOL (12, "global_pooling"),
          WORDS (13, "round_mode", "CEIL FLOOR")),
};

static const SondeCaffeType power
    = { "PowerParameter", FIELDS (REAL (1, "power"), REAL (2, "scale"), REAL (3, "shift")) };

static const SondeCaffeType prelu = {
  "PReLUParameter",
  FIELDS (MESSAGE (1, "filler", ignored), BOOL (2, "channel_shared")),
};

static const SondeCaffeType python = {
  "PythonParameter",
  FIELDS (TEXT (1, "module"), TEXT (2, "layer"), TEXT (3, "param_str"),
          BOOL (4, "share_in_parallel")),
};

static const SondeCaffeType recurrent = {
  "RecurrentParameter",
  FIELDS (INTEGER (1, "num_output"), MESSAGE (2, "weight_filler", ignored),
          MESSAGE (3, "bias_filler", ignored), BOOL (4, "debug_info"), BOOL (5, "expose_hidden")),
};

static const SondeCaffeType reduction = {
  "ReductionParameter",
  FIELDS (WORDS (1, "operation", "- SUM ASUM SUMSQ MEAN"), INTEGER (2, "axis"), REAL (3, "coeff")),
};

static const SondeCaffeType relu
    = { "ReLUParameter", FIELDS (REAL (1, "negative_slope"), ENGINE (2)) };

static const SondeCaffeType reshape = {
  "ReshapeParameter",
  FIELDS (MESSAGE (1, "shape", blob_shape), INTEGER (2, "axis"), INTEGER (3, "num_axes")),
};

static const SondeCaffeType scale = {
  "ScaleParameter",
  FIELDS (INTEGER (1, "axis"), INTEGER (2, "num_axes"), MESSAGE (3, "filler", ignored),
          BOOL (4, "bias_term"), MESSAGE (5, "bias_filler", ignored)),
};

static const SondeCaffeType slice = {
  "SliceParameter",
  FIELDS (INTEGER (1, "slice_dim"), INTEGER (2, "slice_point"), INTEGER (3, "axis")),
};

static const SondeCaffeType softmax
    = { "SoftmaxParameter", FIELDS (ENGINE (1), INTEGER (2, "axis")) };

static const SondeCaffeType spp = {
  "SPPParameter",
  FIELDS (INTEGER (1, "pyramid_height"), WORDS (2, "pool", "MAX AVE STOCHASTIC"), ENGINE (6)),
};

static const SondeCaffeType swish = { "SwishParameter", FIELDS (REAL (1, "beta")) };
static const SondeCaffeType threshold = { "ThresholdParameter", FIELDS (REAL (1, "threshold")) };
static const SondeCaffeType tile
    = { "TileParameter", FIELDS (INTEGER (1, "axis"), INTEGER (2, "tiles")) };

/* Of forks: their binary numbers differ, so that only the text form knows them (numbers beyond what
 * protobuf allows). */
#define TEXT_ONLY 0x20000000u

static const SondeCaffeType permute = { "PermuteParameter", FIELDS (INTEGER (1, "order")) };
static const SondeCaffeType normalize = {
  "NormalizeParameter",
  FIELDS (BOOL (1, "across_spatial"), MESSAGE (2, "scale_filler", ignored),
          BOOL (3, "channel_shared"), REAL (4, "eps")),
};
static const SondeCaffeType shuffle = { "ShuffleChannelParameter", FIELDS (INTEGER (1, "group")) };
static const SondeCaffeType interp = {
  "InterpParameter",
  FIELDS (INTEGER (1, "height"), INTEGER (2, "width"), INTEGER (3, "zoom_factor"),
          INTEGER (4, "shrink_factor"), INTEGER (5, "pad_beg"), INTEGER (6, "pad_end")),
};

/* ---- layers and nets ----------------------------------------------------- */

static const SondeCaffeType layer = {
  "LayerParameter",
  FIELDS (TEXT (1, "name"), TEXT (2, "type"), TEXT (3, "bottom"), TEXT (4, "top"),
          REAL (5, "loss_weight"), MESSAGE (6, "param", ignored), MESSAGE (7, "blobs", blob),
          MESSAGE (8, "include", rule), MESSAGE (9, "exclude", rule),
          WORDS (10, "phase", "TRAIN TEST"), BOOL (11, "propagate_down"),
          MESSAGE (100, "transform_param", ignored), MESSAGE (101, "loss_param", ignored),
          MESSAGE (102, "accuracy_param", ignored), MESSAGE (103, "argmax_param", argmax),
          MESSAGE (104, "concat_param", concat), MESSAGE (105, "contrastive_loss_param", ignored),
          MESSAGE (106, "convolution_param", convolution), MESSAGE (107, "data_param", ignored),
          MESSAGE (108, "dropout_param", dropout), MESSAGE (109, "dummy_data_param", ignored),
          MESSAGE (110, "eltwise_param", eltwise), MESSAGE (111, "exp_param", base_scale_shift),
          MESSAGE (112, "hdf5_data_param", ignored), MESSAGE (113, "hdf5_output_param", ignored),
          MESSAGE (114, "hinge_loss_param", ignored), MESSAGE (115, "image_data_param", ignored),
          MESSAGE (116, "infogain_loss_param", ignored),
          MESSAGE (117, "inner_product_param", inner_product), MESSAGE (118, "lrn_param", lrn),
          MESSAGE (119, "memory_data_param", memory_data), MESSAGE (120, "mvn_param", mvn),
          MESSAGE (121, "pooling_param", pooling), MESSAGE (122, "power_param", power),
          MESSAGE (123, "relu_param", relu), MESSAGE (124, "sigmoid_param", ignored),
          MESSAGE (125, "softmax_param", softmax), MESSAGE (126, "slice_param", slice),
          MESSAGE (127, "tanh_param", ignored), MESSAGE (128, "threshold_param", threshold),
          MESSAGE (129, "window_data_param", ignored), MESSAGE (130, "python_param", python),
          MESSAGE (131, "prelu_param", prelu), MESSAGE (132, "spp_param", spp),
          MESSAGE (133, "reshape_param", reshape), MESSAGE (134, "log_param", base_scale_shift),
          MESSAGE (135, "flatten_param", flatten), MESSAGE (136, "reduction_param", reduction),
          MESSAGE (137, "embed_param", embed), MESSAGE (138, "tile_param", tile),
          MESSAGE (139, "batch_norm_param", batch_norm), MESSAGE (140, "elu_param", elu),
          MESSAGE (141, "bias_param", bias), MESSAGE (142, "scale_param", scale),
          MESSAGE (143, "input_param", shapes), MESSAGE (144, "crop_param", crop),
          MESSAGE (145, "parameter_param", shapes), MESSAGE (146, "recurrent_param", recurrent),
          MESSAGE (147, "swish_param", swish), MESSAGE (148, "clip_param", clip),
          MESSAGE (TEXT_ONLY, "permute_param", permute),
          MESSAGE (TEXT_ONLY, "norm_param", normalize),
          MESSAGE (TEXT_ONLY, "shuffle_channel_param", shuffle),
          MESSAGE (TEXT_ONLY, "interp_param", interp)),
};

/* The words of V1LayerParameter.LayerType, by number; what LayerParameter calls them is in
 * sonde-caffe-net.c. */
#define V1_TYPES                                                                                   \
  "NONE ACCURACY BNLL CONCAT CONVOLUTION DATA DROPOUT EUCLIDEAN_LOSS FLATTEN HDF5_DATA "           \
  "HDF5_OUTPUT IM2COL IMAGE_DATA INFOGAIN_LOSS INNER_PRODUCT LRN MULTINOMIAL_LOGISTIC_LOSS "       \
  "POOLING RELU SIGMOID SOFTMAX SOFTMAX_LOSS SPLIT TANH WINDOW_DATA ELTWISE POWER "                \
  "SIGMOID_CROSS_ENTROPY_LOSS HINGE_LOSS MEMORY_DATA ARGMAX THRESHOLD DUMMY_DATA SLICE MVN "       \
  "ABSVAL SILENCE CONTRASTIVE_LOSS EXP DECONVOLUTION"

static const SondeCaffeType layer_v1 = {
  "V1LayerParameter",
  FIELDS (MESSAGE (1, "layer", ignored), TEXT (2, "bottom"), TEXT (3, "top"), TEXT (4, "name"),
          WORDS (5, "type", V1_TYPES), MESSAGE (6, "blobs", blob), REAL (7, "blobs_lr"),
          REAL (8, "weight_decay"), MESSAGE (9, "concat_param", concat),
          MESSAGE (10, "convolution_param", convolution), MESSAGE (11, "data_param", ignored),
          MESSAGE (12, "dropout_param", dropout), MESSAGE (13, "hdf5_data_param", ignored),
          MESSAGE (14, "hdf5_output_param", ignored), MESSAGE (15, "image_data_param", ignored),
          MESSAGE (16, "infogain_loss_param", ignored),
          MESSAGE (17, "inner_product_param", inner_product), MESSAGE (18, "lrn_param", lrn),
          MESSAGE (19, "pooling_param", pooling), MESSAGE (20, "window_data_param", ignored),
          MESSAGE (21, "power_param", power), MESSAGE (22, "memory_data_param", memory_data),
          MESSAGE (23, "argmax_param", argmax), MESSAGE (24, "eltwise_param", eltwise),
          MESSAGE (25, "threshold_param", threshold), MESSAGE (26, "dummy_data_param", ignored),
          MESSAGE (27, "accuracy_param", ignored), MESSAGE (29, "hinge_loss_param", ignored),
          MESSAGE (30, "relu_param", relu), MESSAGE (31, "slice_param", slice),
          MESSAGE (32, "include", rule), MESSAGE (33, "exclude", rule),
          MESSAGE (34, "mvn_param", mvn), REAL (35, "loss_weight"),
          MESSAGE (36, "transform_param", ignored), MESSAGE (37, "tanh_param", ignored),
          MESSAGE (38, "sigmoid_param", ignored), MESSAGE (39, "softmax_param", softmax),
          MESSAGE (40, "contrastive_loss_param", ignored),
          MESSAGE (41, "exp_param", base_scale_shift), MESSAGE (42, "loss_param", ignored),
          TEXT (1001, "param"), WORDS (1002, "blob_share_mode", "STRICT PERMISSIVE")),
};

const SondeCaffeType sonde_caffe_net_type = {
  "NetParameter",
  FIELDS (TEXT (1, "name"), MESSAGE (2, "layers", layer_v1), TEXT (3, "input"),
          INTEGER (4, "input_dim"), BOOL (5, "force_backward"), MESSAGE (6, "state", ignored),
          BOOL (7, "debug_info"), MESSAGE (8, "input_shape", blob_shape),
          MESSAGE (100, "layer", layer)),
};

/* ---- looking up ---------------------------------------------------------- */

const SondeCaffeField *
sonde_caffe_field_by_name (const SondeCaffeType *type, const char *name)
{
  for (const SondeCaffeField *field = type->fields; field != NULL && field->number != 0; field++)
    if (strcmp (field->name, name) == 0)
      return field;
  return NULL;
}

const SondeCaffeField *
sonde_caffe_field_by_number (const SondeCaffeType *type, guint number)
{
  for (const SondeCaffeField *field = type->fields; field != NULL && field->number != 0; field++)
    if (field->number == number && number != TEXT_ONLY)
      return field;
  return NULL;
}

int
sonde_caffe_find_word (const SondeCaffeField *field, const char *word)
{
  g_auto (GStrv) words = g_strsplit (field->words, " ", -1);

  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0 && strcmp (word, "-") != 0)
      return i;
  return -1;
}

char *
sonde_caffe_dup_word (const SondeCaffeField *field, int number)
{
  g_auto (GStrv) words = g_strsplit (field->words, " ", -1);

  return number >= 0 && number < (int) g_strv_length (words) ? g_strdup (words[number]) : NULL;
}
