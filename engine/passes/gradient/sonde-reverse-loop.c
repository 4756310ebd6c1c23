/* SPDX-License-Identifier: Apache-2.0
 * The gradient of Loop and Scan: a Scan over the iterations, the last first. Its states are the
 * gradients of what the forward loop carries, and sums for what its body captures; it scans what
 * the forward body gives it: one entry an iteration. Here: what varies, and the gradient of one
 * iteration. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/gradient/sonde-reverse-loop-private.h"

static void
sonde_reverse_loop_clear (SondeReverseLoop *loop)
{
  sonde_reverse_body_clear (&loop->body);
  g_clear_pointer (&loop->active, g_free);
  g_clear_pointer (&loop->seeds, g_free);
  g_clear_pointer (&loop->next, g_free);
  g_clear_pointer (&loop->collected, g_free);
  g_clear_pointer (&loop->scanned, g_free);
  g_clear_pointer (&loop->captured, g_ptr_array_unref);
  g_clear_pointer (&loop->gradients, g_ptr_array_unref);
  g_clear_pointer (&loop->sums, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeReverseLoop, sonde_reverse_loop_clear)

/* ---- parts --------------------------------------------------------------- */

static gboolean
find_parts (SondeReverseLoop *loop, GError **error)
{
  SondeNode *node = loop->node;
  SondeGraph *body = sonde_node_get_graph (node, "body");
  guint before = loop->is_scan ? 0 : 2;
  guint n = node->inputs->len > before ? node->inputs->len - before : 0;
  gint64 n_scanned = loop->is_scan ? sonde_node_get_int (node, "num_scan_inputs", 0) : 0;

  loop->before = loop->first_input = before;
  loop->first_result = loop->is_scan ? 0 : 1;
  if (body == NULL || n_scanned < 0 || n_scanned > n || (loop->is_scan && n_scanned == 0)
      || body->inputs->len != n + loop->first_input
      || body->outputs->len < n - (guint) n_scanned + loop->first_result)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "node “%s” (%s): its inputs do not match the inputs and outputs of its body",
                       node->name, node->op);
      return FALSE;
    }
  loop->n_scanned = (guint) n_scanned;
  loop->n_states = n - loop->n_scanned;
  loop->n_collected = body->outputs->len - loop->first_result - loop->n_states;
  loop->active = g_new0 (gboolean, loop->n_states + 1);
  loop->seeds = g_new0 (SondeGraphValue *, loop->n_states + 1);
  loop->next = g_new0 (SondeGraphValue *, loop->n_states + 1);
  loop->collected = g_new0 (SondeGraphValue *, loop->n_collected + 1);
  loop->scanned = g_new0 (SondeGraphValue *, loop->n_scanned + 1);
  loop->captured = g_ptr_array_new ();
  loop->gradients = g_ptr_array_new ();
  loop->sums = g_ptr_array_new ();
  return sonde_reverse_body_init (&loop->body, loop->outer, body, error);
}

/* What is carried varies when it does at first, or when an iteration makes it so. */
static void
mark_states (SondeReverseLoop *loop)
{
  SondeReverse *reverse = &loop->body.reverse;
  gboolean changed = TRUE;

  for (guint k = 0; k < loop->n_states + loop->n_scanned; k++)
    if (sonde_reverse_varies (loop->outer, sonde_node_get_input (loop->node, loop->before + k))
        && sonde_reverse_is_differentiable (sonde_reverse_loop_input (loop, k)))
      sonde_reverse_want (reverse, sonde_reverse_loop_input (loop, k));
  while (changed)
    {
      changed = FALSE;
      sonde_reverse_mark (reverse, loop->body.order);
      for (guint k = 0; k < loop->n_states; k++)
        {
          SondeGraphValue *input = sonde_reverse_loop_input (loop, k);

          if (!sonde_reverse_varies (reverse, sonde_reverse_loop_result (loop, k))
              || sonde_reverse_varies (reverse, input) || !sonde_reverse_is_differentiable (input))
            continue;
          sonde_reverse_want (reverse, input);
          changed = TRUE;
        }
    }
}

/* A gradient flows into a result that somebody outside reads, and into what such a one is made
 * from. */
static void
mark_active (SondeReverseLoop *loop)
{
  SondeReverse *reverse = &loop->body.reverse;
  g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
  gboolean changed = TRUE;

  for (guint k = 0; k < loop->n_states + loop->n_collected; k++)
    if (k < loop->node->outputs->len && loop->output_gradients[k] != NULL)
      {
        g_hash_table_add (reached, sonde_reverse_loop_result (loop, k));
        if (k < loop->n_states)
          loop->active[k] = sonde_reverse_varies (reverse, sonde_reverse_loop_input (loop, k))
                            || sonde_reverse_varies (reverse, sonde_reverse_loop_result (loop, k));
      }
  while (changed)
    {
      changed = FALSE;
      sonde_reverse_reach (reverse, loop->body.order, reached);
      for (guint k = 0; k < loop->n_states; k++)
        if (!loop->active[k] && sonde_reverse_varies (reverse, sonde_reverse_loop_input (loop, k))
            && g_hash_table_contains (reached, sonde_reverse_loop_input (loop, k)))
          {
            loop->active[k] = changed = TRUE;
            g_hash_table_add (reached, sonde_reverse_loop_result (loop, k));
          }
    }
}

/* Sums and zeros are of tensors. */
static gboolean
check_tensor (const SondeReverseLoop *loop, const SondeGraphValue *value, gboolean carried,
              GError **error)
{
  if (value->type.kind == SONDE_VALUE_TENSOR || value->type.kind == SONDE_VALUE_NONE)
    return TRUE;
  if (carried)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "node “%s” (%s): “%s”, which it carries from iteration to iteration, is not a "
                     "tensor, and “%s” depends on it; only carried tensors have gradients",
                     loop->node->name, loop->node->op, value->name, loop->outer->target);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "node “%s” (%s): “%s”, which it reads from outside, is not a tensor, and “%s” "
                     "depends on it; only captured tensors have gradients",
                     loop->node->name, loop->node->op, value->name, loop->outer->target);
  return FALSE;
}

static gboolean
check_states (const SondeReverseLoop *loop, GError **error)
{
  for (guint k = 0; k < loop->n_states; k++)
    if (loop->active[k] && !check_tensor (loop, sonde_reverse_loop_input (loop, k), TRUE, error))
      return FALSE;
  return TRUE;
}

/* ---- the gradient inside the body ---------------------------------------- */

static void
give_seeds (SondeReverseLoop *loop)
{
  SondeReverse *reverse = &loop->body.reverse;

  for (guint k = 0; k < loop->n_states; k++)
    if (loop->active[k])
      {
        loop->seeds[k] = sonde_reverse_body_add_given (&loop->body, "grad(%s)",
                                                       sonde_reverse_loop_result (loop, k));
        sonde_reverse_contribute (reverse, sonde_reverse_loop_result (loop, k), G_MAXUINT, k,
                                  loop->seeds[k]);
      }
  for (guint i = 0; i < loop->n_collected; i++)
    {
      guint k = loop->n_states + i;

      if (k >= loop->node->outputs->len || loop->output_gradients[k] == NULL
          || !sonde_reverse_varies (reverse, sonde_reverse_loop_result (loop, k)))
        continue;
      loop->collected[i] = sonde_reverse_body_add_given (&loop->body, "grad(%s, collected)",
                                                         sonde_reverse_loop_result (loop, k));
      sonde_reverse_contribute (reverse, sonde_reverse_loop_result (loop, k), G_MAXUINT, k,
                                loop->collected[i]);
    }
}

static gboolean
differentiate (SondeReverseLoop *loop, GError **error)
{
  SondeReverse *reverse = &loop->body.reverse;
  SondeGraph *forward = loop->body.forward;

  give_seeds (loop);
  if (!sonde_reverse_run (reverse, loop->body.order, error))
    {
      sonde_prefix_error (error, "in the body of node “%s”: ", loop->node->name);
      return FALSE;
    }
  for (guint k = 0; k < loop->n_states; k++)
    {
      if (!loop->active[k])
        continue;
      loop->next[k] = sonde_reverse_varies (reverse, sonde_reverse_loop_input (loop, k))
                          ? sonde_reverse_take (reverse, sonde_reverse_loop_input (loop, k))
                          : NULL;
      if (loop->next[k] == NULL)
        loop->next[k] = sonde_reverse_fill (forward, sonde_reverse_loop_input (loop, k), 0, NULL);
    }
  for (guint i = 0; i < loop->n_scanned; i++)
    if (sonde_reverse_varies (reverse, sonde_reverse_loop_input (loop, loop->n_states + i)))
      loop->scanned[i]
          = sonde_reverse_take (reverse, sonde_reverse_loop_input (loop, loop->n_states + i));
  sonde_reverse_body_take (&loop->body, loop->captured, loop->gradients);
  for (guint i = 0; i < loop->captured->len; i++)
    if (!check_tensor (loop, loop->captured->pdata[i], FALSE, error))
      return FALSE;
  for (guint i = 0; i < loop->captured->len; i++)
    {
      SondeGraphValue *sum
          = sonde_reverse_body_add_given (&loop->body, "sum(grad(%s))", loop->captured->pdata[i]);

      g_ptr_array_add (loop->sums, sum);
      loop->gradients->pdata[i]
          = sonde_build_binary (forward, "Add", sum, loop->gradients->pdata[i]);
    }
  return TRUE;
}

/* ---- all ----------------------------------------------------------------- */

gboolean
sonde_reverse_loop (SondeReverse *reverse, SondeNode *node,
                    SondeGraphValue *const *output_gradients, GError **error)
{
  g_auto (SondeReverseLoop) loop
      = { .outer = reverse, .node = node, .output_gradients = output_gradients };
  g_autoptr (GPtrArray) given = g_ptr_array_new (), results = g_ptr_array_new ();

  loop.is_scan = sonde_node_is (node, SONDE_OP_ID_SCAN);
  if (!find_parts (&loop, error))
    return FALSE;
  mark_states (&loop);
  mark_active (&loop);
  if (!check_states (&loop, error) || !differentiate (&loop, error))
    return FALSE;
  for (guint k = 0; k < loop.n_states; k++)
    if (loop.active[k])
      {
        g_ptr_array_add (given, loop.seeds[k]);
        g_ptr_array_add (results, loop.next[k]);
      }
  g_ptr_array_extend (given, loop.sums, NULL, NULL);
  g_ptr_array_extend (results, loop.gradients, NULL, NULL);
  for (guint i = 0; i < loop.n_collected; i++)
    if (loop.collected[i] != NULL)
      g_ptr_array_add (given, loop.collected[i]);
  for (guint i = 0; i < loop.n_scanned; i++)
    if (loop.scanned[i] != NULL)
      g_ptr_array_add (results, loop.scanned[i]);
  sonde_reverse_body_split (&loop.body, node, given, results);
  return sonde_reverse_loop_add_scan (&loop, error);
}
