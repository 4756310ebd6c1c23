/* SPDX-License-Identifier: Apache-2.0
 * Reference kernels as prepared kernels. */
#include "engine/devices/sonde-host-kernel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((gsize) 2 << 20)
#define LARGE (2 * HUGE_PAGE)

/* One input or output: what is needed to wrap its memory as a tensor. */
typedef struct
{
  SondeDtype dtype; /* INVALID: absent */
  SondeShape shape;
} HostOperand;

struct _SondeHostKernel
{
  const SondeNode *node;
  const SondeOpClass *klass;
  gpointer prepared; /* by the row (nullable) */
  guint n_inputs, n_outputs;
  HostOperand operands[]; /* inputs, then outputs */
};

gboolean
sonde_host_kernel_supports (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && klass->compute != NULL;
}

static gboolean
check_value (const SondeNode *node, const SondeGraphValue *value, GError **error)
{
  SondeShape shape;
  g_autofree char *type = NULL;

  if (value == NULL)
    return TRUE;

  if (value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype != SONDE_DTYPE_STRING
      && value->type.dtype != SONDE_DTYPE_INVALID && sonde_type_get_shape (&value->type, &shape)
      && sonde_shape_n_elements (&shape) >= 0)
    return TRUE;

  type = sonde_type_to_string (&value->type);
  if (value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype != SONDE_DTYPE_STRING)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "Node “%s” (%s): the size of value “%s” (%s) is not known before the run; "
                     "specify the sizes of the model's inputs",
                     node->name, node->op, value->name, type);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "Node “%s” (%s): value “%s” (%s) is not a numeric tensor, the only kind that "
                     "this device supports",
                     node->name, node->op, value->name, type);
  return FALSE;
}

gboolean
sonde_prepare_request_check (const SondePrepareRequest *request, GError **error)
{
  const SondeNode *node = request->nodes[request->n_nodes - 1];

  for (guint i = 0; i < request->n_inputs; i++)
    if (!check_value (node, request->inputs[i], error))
      return FALSE;

  for (guint i = 0; i < request->n_outputs; i++)
    if (!check_value (node, request->outputs[i], error))
      return FALSE;

  return TRUE;
}

static void
fill_operand (HostOperand *operand, const SondeGraphValue *value)
{
  if (value == NULL)
    return;

  operand->dtype = value->type.dtype;
  sonde_type_get_shape (&value->type, &operand->shape);
}

SondeHostKernel *
sonde_host_kernel_new (SondeDevice *device, SondePrepareRequest *request, GError **error)
{
  const SondeNode *node = request->nodes[0];
  const SondeOpClass *klass = sonde_op_of_node (node);
  SondeHostKernel *kernel;

  g_assert (request->n_nodes == 1);

  if (klass == NULL || klass->compute == NULL)
    {
      g_autofree char *op = node->domain[0] != '\0'
                                ? g_strconcat (node->domain, ".", node->op, NULL)
                                : g_strdup (node->op);

      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "Node “%s”: no available device runs the operator “%s”.", node->name, op);
      return NULL;
    }

  if (!sonde_prepare_request_check (request, error))
    return NULL;

  kernel = g_malloc0 (sizeof (SondeHostKernel)
                      + (request->n_inputs + request->n_outputs) * sizeof (HostOperand));
  kernel->node = node;
  kernel->klass = klass;
  kernel->prepared = sonde_op_prepare (klass, node);
  kernel->n_inputs = request->n_inputs;
  kernel->n_outputs = request->n_outputs;
  for (guint i = 0; i < request->n_inputs; i++)
    {
      fill_operand (&kernel->operands[i], request->inputs[i]);
      sonde_prepare_request_set_layout (device, request, i, NULL);
    }

  for (guint i = 0; i < request->n_outputs; i++)
    {
      fill_operand (&kernel->operands[request->n_inputs + i], request->outputs[i]);
      request->output_layouts[i] = NULL;
    }

  request->in_place = request->in_place && (klass->flags & SONDE_OP_IN_PLACE) != 0;
  request->workspace_bytes = 0;
  request->implementation = "reference";
  return kernel;
}

/* An input of which only the type is looked at: one element for all. */
static SondeTensor *
wrap_shape (const HostOperand *operand)
{
  static const gint64 strides[SONDE_MAX_RANK] = { 0 };
  SondeShape one = sonde_shape_scalar ();
  g_autoptr (SondeTensor) element = sonde_tensor_new (operand->dtype, &one);

  return sonde_tensor_view (element, &operand->shape, strides, 0);
}

static SondeTensor *
wrap (const HostOperand *operand, void *memory)
{
  if (operand->dtype == SONDE_DTYPE_INVALID)
    return NULL;

  if (memory == NULL)
    return wrap_shape (operand);

  return sonde_tensor_new_take (operand->dtype, &operand->shape, memory, NULL, NULL);
}

/* A dynamic operator makes its own tensor; it has to be what was inferred. */
static gboolean
store_dynamic (SondeHostKernel *kernel, const HostOperand *operand, SondeTensor *tensor,
               void *memory, GError **error)
{
  g_autoptr (SondeTensor) plain = NULL;
  g_autofree char *made = NULL, *expected = NULL;

  if (tensor != NULL && tensor->dtype == operand->dtype
      && sonde_shape_equal (&tensor->shape, &operand->shape))
    {
      plain = sonde_tensor_contiguous (tensor);
      memcpy (memory, plain->data, sonde_tensor_n_bytes (plain));
      return TRUE;
    }

  made = tensor != NULL ? sonde_shape_to_string (&tensor->shape) : g_strdup ("nothing");
  expected = sonde_shape_to_string (&operand->shape);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "Node “%s” (%s) made a tensor of size %s where %s was planned",
                   kernel->node->name, kernel->node->op, made, expected);
  return FALSE;
}

gboolean
sonde_host_kernel_run (SondeHostKernel *kernel, const SondeRunArguments *arguments, GError **error)
{
  gboolean dynamic = (kernel->klass->flags & SONDE_OP_DYNAMIC) != 0;
  const HostOperand *results = kernel->operands + kernel->n_inputs;
  g_autofree SondeTensor **inputs = g_new0 (SondeTensor *, kernel->n_inputs + 1);
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, kernel->n_outputs + 1);
  SondeKernelContext context = {
    .node = kernel->node,
    .n_inputs = kernel->n_inputs,
    .inputs = inputs,
    .n_outputs = kernel->n_outputs,
    .outputs = outputs,
    .seed = arguments->seed,
    .step = arguments->step,
    .prepared = kernel->prepared,
  };
  gboolean ok = TRUE;

  for (guint i = 0; i < kernel->n_inputs; i++)
    inputs[i] = wrap (&kernel->operands[i], arguments->inputs[i]);

  for (guint i = 0; i < kernel->n_outputs && !dynamic; i++)
    outputs[i] = wrap (&results[i], arguments->outputs[i]);

  ok = sonde_op_check_values (kernel->klass, &context, error);
  if (ok)
    sonde_op_compute (kernel->klass, &context);

  for (guint i = 0; i < kernel->n_outputs; i++)
    {
      if (dynamic && ok && results[i].dtype != SONDE_DTYPE_INVALID)
        ok = store_dynamic (kernel, &results[i], outputs[i], arguments->outputs[i], error);
      sonde_tensor_unref (outputs[i]);
    }

  for (guint i = 0; i < kernel->n_inputs; i++)
    sonde_tensor_unref (inputs[i]);

  return ok;
}

void
sonde_host_kernel_free (SondeHostKernel *kernel)
{
  if (kernel == NULL)
    return;

  sonde_op_prepared_free (kernel->klass, kernel->prepared);
  g_free (kernel);
}

gsize
sonde_host_type_bytes (const SondeType *type)
{
  SondeShape shape;
  gint64 n;

  if (!sonde_type_get_shape (type, &shape))
    return 0;

  n = sonde_shape_n_elements (&shape);
  return n > 0 ? (gsize) n * sonde_dtype_size (type->dtype) : 0;
}

/* Where the system has none, small ones do. */
static void
ask_for_huge_pages (void *memory, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  madvise (memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
}

void *
sonde_host_allocate (SondeDevice *device, gsize bytes, GError **error)
{
  gint64 pages = sysconf (_SC_PHYS_PAGES), page = sysconf (_SC_PAGESIZE);
  void *memory = NULL;

  /* The system would promise more than there is, and kill the program when it is used. */
  if (pages > 0 && page > 0 && bytes / (gsize) page > (gsize) pages)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "%zu bytes of memory are needed at once, but this machine has %" PRIi64,
                       bytes, pages * page);
      return NULL;
    }

  if (posix_memalign (&memory, bytes >= LARGE ? HUGE_PAGE : SONDE_HOST_ALIGNMENT,
                      MAX (bytes, SONDE_HOST_ALIGNMENT))
      == 0)
    {
      if (bytes >= LARGE)
        ask_for_huge_pages (memory, bytes);
      sonde_device_note_allocated (device, memory, bytes);
      return memory;
    }

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "Device “%s” could not allocate %zu bytes of memory", device->klass->name,
                   bytes);
  return NULL;
}

void
sonde_host_release (SondeDevice *device, void *memory)
{
  sonde_device_note_released (device, memory);
  free (memory);
}

gboolean
sonde_host_synchronise (SondeDevice *device, GError **error)
{
  return TRUE;
}
