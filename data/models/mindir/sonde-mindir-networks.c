/* SPDX-License-Identifier: Apache-2.0
 * Attention and recurrent layers in one primitive. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

/* ---- attention ----------------------------------------------------------- */

/* Layouts by their number; letters: batch, length, heads, size; H is heads and size in one. */
static const char *
get_layout (SondeMindirCall *call)
{
  static const char *const layouts[] = { "BSH", "BNSD", "SBH", "BSND" };
  const char *word = sonde_mindir_text (call, "input_layout", NULL);

  return word != NULL ? word : layouts[CLAMP (sonde_mindir_int (call, "input_layout", 0), 0, 3)];
}

static const gint64 *
get_order (const char *layout)
{
  static const gint64 length_first[] = { 1, 2, 0, 3 }, batch_first[] = { 0, 2, 1, 3 };

  return strcmp (layout, "SBH") == 0 ? length_first : batch_first;
}

/* To [batch, heads, length, size]. */
static SondeGraphValue *
split_heads (SondeMindirCall *call, SondeGraphValue *x, const char *layout, gint64 heads)
{
  if (strcmp (layout, "BNSD") == 0)
    return x;
  if (strcmp (layout, "BSND") != 0)
    x = sonde_mindir_reshape (call, x, (const gint64[]){ 0, 0, heads, -1 }, 4);
  return sonde_mindir_transpose (call, x, get_order (layout), 4);
}

static SondeGraphValue *
join_heads (SondeMindirCall *call, SondeGraphValue *y, const char *layout)
{
  static const gint64 length_first[] = { 2, 0, 1, 3 }, batch_first[] = { 0, 2, 1, 3 };

  if (strcmp (layout, "BNSD") == 0)
    return y;
  y = sonde_mindir_transpose (call, y, strcmp (layout, "SBH") == 0 ? length_first : batch_first, 4);
  return strcmp (layout, "BSND") == 0
             ? y
             : sonde_mindir_reshape (call, y, (const gint64[]){ 0, 0, -1 }, 3);
}

#define MASKED -65504.0 /* the smallest number of the narrowest type there is on the device */

static SondeGraphValue *
attend (SondeMindirCall *call, const char *heads_name)
{
  const char *layout = get_layout (call);
  const gint64 heads = MAX (sonde_mindir_int (call, heads_name, 1), 1);
  const gint64 key_heads = sonde_mindir_int (call, "num_key_value_heads", 0);
  const gint64 others = key_heads > 0 ? key_heads : heads;
  SondeGraphValue *q = split_heads (call, sonde_mindir_tensor (call, "query"), layout, heads);
  SondeGraphValue *k = split_heads (call, sonde_mindir_tensor (call, "key"), layout, others);
  SondeGraphValue *v = split_heads (call, sonde_mindir_tensor (call, "value"), layout, others);
  SondeGraphValue *mask = sonde_mindir_tensor_or_null (call, "attn_mask"), *scores;
  const double scale = sonde_mindir_number (call, "scale_value", 1);

  scores = OP2 (call, "MatMul", q, sonde_mindir_swap_last (call, k, 4));
  scores = OP2 (call, "Mul", scores, sonde_mindir_number_like (call, scale, q));
  if (mask != NULL)
    scores = OP3 (call, "Where", sonde_mindir_cast (call, mask, SONDE_DTYPE_BOOL),
                  sonde_mindir_number_like (call, MASKED, q), scores);
  scores = OP1 (call, "Softmax", scores);
  return join_heads (call, OP2 (call, "MatMul", scores, v), layout);
}

static const SondeMindirTerm *
build_attention (SondeMindirCall *call)
{
  static const char *const unknown[]
      = { "real_shift", "padding_mask", "prefix", "pse_shift", "quant_scale1", "actual_seq_qlen" };
  SondeGraphValue *y;

  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    if (sonde_mindir_has (call, unknown[i]))
      return sonde_mindir_refuse (call, N_ ("it has inputs besides query, key, value and mask"),
                                  N_ ("write the attention of MatMul and Softmax"));
  if (sonde_mindir_int (call, "sparse_mode", 0) > 1)
    return sonde_mindir_refuse (call, N_ ("its sparse mode has no counterpart"),
                                N_ ("give the mask as a tensor, with sparse_mode 0"));
  y = attend (call, call->row->text);
  if (call->row->number > 1)
    return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ NULL, NULL, NULL, y }, 4);
  return sonde_mindir_give (call, y);
}

const SondeMindirRow sonde_mindir_attention_rows[] = {
  { "FlashAttentionScore",
    "query key value real_shift drop_mask padding_mask attn_mask prefix actual_seq_qlen "
    "actual_seq_kvlen head_num keep_prob scale_value pre_tokens next_tokens inner_precise "
    "input_layout sparse_mode",
    build_attention, "head_num", 4 },
  { "PromptFlashAttention",
    "query key value attn_mask actual_seq_qlen actual_seq_kvlen pse_shift deq_scale1 quant_scale1 "
    "deq_scale2 quant_scale2 quant_offset2 num_heads scale_value pre_tokens next_tokens "
    "input_layout num_key_value_heads sparse_mode inner_precise",
    build_attention, "num_heads", 1 },
  { NULL, NULL, NULL, NULL, 0 },
};

/* ---- recurrent ----------------------------------------------------------- */

/* Rows of the gates i, f, g, o become i, o, f, g. */
static SondeGraphValue *
order_gates (SondeMindirCall *call, SondeGraphValue *rows, gint64 hidden)
{
  static const gint64 order[] = { 0, 3, 1, 2 };
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_ptr_array_add (
        parts, sonde_mindir_slice (call, rows, 0, order[i] * hidden, (order[i] + 1) * hidden, 1));
  return sonde_mindir_unsqueeze (call, sonde_mindir_concat (call, parts, 0), 0);
}

/* The next @rows × @columns numbers of the flat weight, as ONNX orders them. */
static SondeGraphValue *
take_weight (SondeMindirCall *call, SondeGraphValue *flat, gint64 *at, gint64 hidden,
             gint64 columns)
{
  SondeGraphValue *part = sonde_mindir_slice (call, flat, 0, *at, *at + 4 * hidden * columns, 1);

  *at += 4 * hidden * columns;
  return order_gates (
      call, sonde_mindir_reshape (call, part, (const gint64[]){ 4 * hidden, columns }, 2), hidden);
}

/* The file has the sum of both biases, ONNX adds up two. */
static SondeGraphValue *
take_biases (SondeMindirCall *call, SondeGraphValue *flat, gint64 at, gint64 hidden)
{
  SondeGraphValue *sum
      = order_gates (call, sonde_mindir_slice (call, flat, 0, at, at + 4 * hidden, 1), hidden);
  const gint64 pads[] = { 0, 0, 0, 4 * hidden };

  return OP2 (call, "Pad", sum, sonde_lowering_ints (call->l, pads, G_N_ELEMENTS (pads)));
}

#define MAX_WIDTH (1 << 20)

static const SondeMindirTerm *
build_lstm (SondeMindirCall *call)
{
  const gint64 hidden = sonde_mindir_int (call, "hidden_size", 0);
  const gint64 in = sonde_mindir_int (call, "input_size", 0), all = -1;
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *flat, *w, *r, *b = NULL;
  SondeNode *node;
  gint64 at = 0;

  if (sonde_mindir_int (call, "num_layers", 1) != 1
      || sonde_mindir_flag (call, "bidirectional", FALSE)
      || sonde_mindir_int (call, "proj_size", 0) != 0 || hidden < 1 || in < 1 || hidden > MAX_WIDTH
      || in > MAX_WIDTH)
    return sonde_mindir_refuse (
        call, N_ ("it has several layers, directions or a projection in one primitive"),
        N_ ("write one LSTM a layer and direction, as nn.LSTM does"));
  flat = sonde_mindir_reshape (call, sonde_mindir_tensor (call, "w"), &all, 1);
  w = take_weight (call, flat, &at, hidden, in);
  r = take_weight (call, flat, &at, hidden, hidden);
  if (sonde_mindir_flag (call, "has_bias", TRUE))
    b = take_biases (call, flat, at, hidden);
  node = sonde_lowering_node (call->l, "", "LSTM",
                              SONDE_VALUES (x, w, r, b, NULL, sonde_mindir_tensor (call, "h"),
                                            sonde_mindir_tensor (call, "c")),
                              3);
  sonde_node_set_int (node, "hidden_size", hidden);
  return sonde_mindir_give_tuple (
      call,
      (SondeGraphValue *const[]){ sonde_mindir_squeeze (call, sonde_node_get_output (node, 0), 1),
                                  sonde_node_get_output (node, 1), sonde_node_get_output (node, 2),
                                  NULL, NULL },
      5);
}

const SondeMindirRow sonde_mindir_recurrent_rows[] = {
  { "LSTM", "x h c w", build_lstm, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
