/* SPDX-License-Identifier: Apache-2.0
 * Cases of the domains ai.onnx.ml and ai.onnx.preview.training. */
#include "tests/engine/ops/op-case.h"

#define ORT "ONNX Runtime 1.31.1"
#define CLOSED "closed form"

const OpCase op_cases_machine_learning[] = {
  { "ai.onnx.ml.LinearClassifier/three-none",
    "coefficients=[-0.28,-0.67,-1.06,-0.39,0.48,-0.24,0.96,-0.2,0.02] intercepts=[1.55,0.55,-0.51] "
    "classlabels_ints=[10,11,12] post_transform='NONE'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 12 10 10 12", "f32 4x3: 2.9409 -3.6956 4.4456 2.9347 0.661 -1.431 4.8232 2.32 -4.331 "
                            "0.1390998 -1.6571 5.769799" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/one-for-two-none",
    "coefficients=[-0.18,0.54,1.94] intercepts=[-0.27] classlabels_ints=[3,5] "
    "post_transform='NONE'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 3 3 3 3", "f32 4x2: 3.1342 -2.1342 2.3904 -1.3904 4.1474 -3.1474 3.6014 -2.6014" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/three-softmax",
    "coefficients=[-0.24,1,-0.89,-0.29,0.88,0.58,0.09,0.67,-2.83] intercepts=[1.02,-0.96,-1.67] "
    "classlabels_ints=[10,11,12] post_transform='SOFTMAX'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 10 10 10 12",
      "f32 4x3: 0.5023237 0.358972 0.1387043 0.8119851 0.07035698 0.117658 0.6205705 0.008712333 "
      "0.3707171 0.3210085 0.01060439 0.6683871" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/one-for-two-softmax",
    "coefficients=[0.28,0.7,-0.44] intercepts=[-1.08] classlabels_ints=[3,5] "
    "post_transform='SOFTMAX'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 3 3 3 5", "f32 4x2: 4.8842 -3.8842 2.847 -1.847 2.772 -1.772 -0.4094001 1.4094" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/three-logistic",
    "coefficients=[0.03,-0.05,1.41,0.75,0.19,1.11,-0.21,-0.93,0.58] intercepts=[0.58,-0.21,-0.78] "
    "classlabels_ints=[10,11,12] post_transform='LOGISTIC'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 12 12 12 11",
      "f32 4x3: 0.8949471 0.943294 0.9734728 0.4962501 0.1524904 0.5140713 0.1237378 0.005232066 "
      "0.3758501 0.4392762 0.9832901 0.04711959" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/one-for-two-logistic",
    "coefficients=[0.23,-2.49,0.69] intercepts=[0.49] classlabels_ints=[3,5] "
    "post_transform='LOGISTIC'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 5 5 3 5", "f32 4x2: 3.576279e-07 0.9999996 0.1000202 0.8999798 0.6195173 0.3804827 "
                        "0.3991279 0.6008721" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/three-softmax-zero",
    "coefficients=[-1.64,0.06,-0.96,0.76,-2.03,-0.91,0.71,1.16,-2.16] intercepts=[-0.5,0.33,-0.61] "
    "classlabels_ints=[10,11,12] post_transform='SOFTMAX_ZERO'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 11 10 10 12",
      "f32 4x3: 5.376041e-10 1 9.284683e-09 0.4968747 0.4843163 0.01880905 0.9993377 0.0003382373 "
      "0.0003240338 3.512232e-08 0.2591292 0.7408708" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/one-for-two-softmax-zero",
    "coefficients=[1.59,-1.19,0.35] intercepts=[-1.05] classlabels_ints=[3,5] "
    "post_transform='SOFTMAX_ZERO'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 5 3 3 5",
      "f32 4x2: -10.8121 11.8121 2.9302 -1.9302 8.5317 -7.5317 -7.739501 8.739501" },
    0,
    ORT },
  { "ai.onnx.ml.LinearClassifier/labels",
    "coefficients=[1.41,-0.02,-0.37,-1.72,1.68,0.75,0.75,1.14,0.35] intercepts=[-0.64,-0.8,-0.8] "
    "classlabels_strings=['a','b','c']",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "string 4: a b b a", "f32 4x3: 4.9042 -15.7724 -3.2714 -2.0701 -0.6905 -2.8429 -5.687099 "
                           "4.0785 -4.9599 8.9902 -12.0145 "
                           "4.452" },
    0,
    ORT },
  { "ai.onnx.ml.LinearRegressor/one",
    "coefficients=[1.37,-1.46,-0.6] intercepts=[-0.32]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: 12.2262 -0.2951999 -4.1452 8.559501" },
    0,
    ORT },
  { "ai.onnx.ml.LinearRegressor/no-intercepts",
    "coefficients=[0.22,0.58,-1.25,-1.73,-0,1.21] targets=2",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: -3.1162 -6.042 -0.2411 1.4519 1.0069 4.8959 2.6115 -12.3636" },
    0,
    ORT },
  { "ai.onnx.ml.LinearRegressor/softmax",
    "coefficients=[0.76,0.22,-0.32,0.29,-0.24,0.82] intercepts=[-0.79,0.13] targets=2 "
    "post_transform='SOFTMAX'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: 0.09024887 0.9097512 0.2003353 0.7996647 0.2576536 0.7423464 0.9616501 "
      "0.03834986" },
    0,
    ORT },
  { "ai.onnx.ml.LinearRegressor/row",
    "coefficients=[-0.11,0.54,0.22] intercepts=[2.55]",
    { "f32 3: 4.08 -5.11 0.84" },
    { "f32 1x1: -0.4734004" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/two-linear",
    "coefficients=[1.5,1.5,-2.04,-0.34] "
    "support_vectors=[-0.61,0.53,-2.28,1.17,1.07,-1.3,-0.98,-0.8,0.04,0.64,2.05,-0.2] "
    "vectors_per_class=[1,3] rho=[0.77] kernel_type='LINEAR' kernel_params=[0.25,0.5,2] "
    "classlabels_ints=[7,9]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 9 9 9 7",
      "f32 4x2: 10.09795 -10.09795 2.938526 -2.938526 2.041736 -2.041736 -23.52675 23.52675" },
    0,
    ORT },
  { "ai.onnx.ml.SVMRegressor/reg-linear",
    "coefficients=[0.16,1.76,0.74,1.37] "
    "support_vectors=[-1.08,-0.19,-0.81,1.5,0.66,-0.31,-0.45,0.48,-0.7,-0.93,0.48,2.46] "
    "n_supports=4 "
    "rho=[-0.25] kernel_type='LINEAR' kernel_params=[0.25,0.5,2]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: -5.867953 -4.117664 -8.477254 4.888796" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/two-poly",
    "coefficients=[-0.56,-1.17,-1.34,0.52] "
    "support_vectors=[0.85,0.01,0.33,0.12,0.14,-1.53,-0.46,0.11,-0.78,-0.48,-0.82,-0.33] "
    "vectors_per_class=[1,3] rho=[0.85] kernel_type='POLY' kernel_params=[0.25,0.5,2] "
    "classlabels_ints=[7,9]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 7 7 9 9",
      "f32 4x2: -0.1057269 0.1057269 -0.1496108 0.1496108 1.970375 -1.970375 2.177938 -2.177938" },
    0,
    ORT },
  { "ai.onnx.ml.SVMRegressor/reg-poly",
    "coefficients=[-0.41,-0.15,0.81,0.64] "
    "support_vectors=[1.7,-2.09,0.86,-0.48,0.13,0.84,1.08,1.04,0.16,1.61,-0.28,-0.14] n_supports=4 "
    "rho=[0.8] kernel_type='POLY' kernel_params=[0.25,0.5,2]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: -5.817456 0.7070755 1.174837 8.266923" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/two-rbf",
    "coefficients=[-0.55,2.16,1.02,2.18] "
    "support_vectors=[-0.03,-0.38,0.17,0.73,-0.59,0.38,-0.02,1.62,-0.66,1.05,-0.64,-0.96] "
    "vectors_per_class=[1,3] rho=[-0.71] kernel_type='RBF' kernel_params=[0.25,0.5,2] "
    "classlabels_ints=[7,9]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 9 7 9 9", "f32 4x2: 0.7086157 -0.7086157 -0.4412117 0.4412117 0.7041665 -0.7041665 "
                        "0.7091751 -0.7091751" },
    0,
    ORT },
  { "ai.onnx.ml.SVMRegressor/reg-rbf",
    "coefficients=[-1.19,0.15,1.03,0.16] "
    "support_vectors=[0.62,1.63,0.27,0.2,-0.28,-1.61,0.76,-1.76,0.65,-0.01,1.13,-0.07] "
    "n_supports=4 "
    "rho=[-0.82] kernel_type='RBF' kernel_params=[0.25,0.5,2]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: -0.8160744 -0.5552446 -0.8177357 -0.8200365" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/two-sigmoid",
    "coefficients=[0.36,-0.56,-0.18,0.04] "
    "support_vectors=[-0.13,-0.19,-0.83,-0.19,-2.14,-0.16,-1.2,1.12,1.27,-1.95,0.14,-0.13] "
    "vectors_per_class=[1,3] rho=[-1.05] kernel_type='SIGMOID' kernel_params=[0.25,0.5,2] "
    "classlabels_ints=[7,9]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 9 9 9 9",
      "f32 4x2: 1.325057 -1.325057 1.324071 -1.324071 1.302298 -1.302298 0.7682955 -0.7682955" },
    0,
    ORT },
  { "ai.onnx.ml.SVMRegressor/reg-sigmoid",
    "coefficients=[0.53,-0.46,-1.77,-0.27] "
    "support_vectors=[-0.15,0.11,-1.23,0.62,0.74,-1.15,-0.66,-0.08,-0.57,1.74,0.21,-1.01] "
    "n_supports=4 "
    "rho=[-0.79] kernel_type='SIGMOID' kernel_params=[0.25,0.5,2]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: -0.7143953 -1.772026 -1.870719 -0.4339066" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/three-none",
    "coefficients=[-0.06,2.3,-0.18,0.13,0.51,-0.04,2.28,-0.53] "
    "support_vectors=[0.74,0.16,0.62,-1.18,1.77,-0.12,0.03,-0.93,-0.73,0.56,0.99,0.75] "
    "vectors_per_class=[1,1,2] rho=[1.21,0.71,0.03] kernel_type='RBF' kernel_params=[0.25,0,0] "
    "classlabels_ints=[7,8,9] post_transform='NONE'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 7 7 7 7", "f32 4x3: 1.209997 0.71001 0.03025628 1.568512 0.7232724 1.532881 1.254858 "
                        "0.7083586 0.05560141 "
                        "1.209994 0.7100565 0.02999752" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/three-softmax",
    "coefficients=[0.84,0.59,-0.1,0.73,1.29,0.23,-0.36,0.72] "
    "support_vectors=[1.9,-0.21,-0.09,-0.14,1.22,-1.84,0.37,1.19,-0.81,1.49,0.54,-0.55] "
    "vectors_per_class=[1,1,2] rho=[0.2,-1.53,-0.57] kernel_type='RBF' kernel_params=[0.25,0,0] "
    "classlabels_ints=[7,8,9] post_transform='SOFTMAX'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 9 9 9 9", "f32 4x3: 0.6097085 0.1081244 0.282167 0.628701 0.1122018 0.2590972 "
                        "0.6109329 0.1075993 0.2814679 "
                        "0.609762 0.108342 0.2818961" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/three-logistic",
    "coefficients=[1.83,-0.89,1.84,-0.08,0.99,0.04,-2.24,-0.57] "
    "support_vectors=[0.19,-1.15,-1.35,0.37,-0.65,-1.7,-0.68,0.86,-0.47,0.93,1.53,0.03] "
    "vectors_per_class=[1,1,2] rho=[-1.13,-1.3,-0.03] kernel_type='RBF' kernel_params=[0.25,0,0] "
    "classlabels_ints=[7,8,9] post_transform='LOGISTIC'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 9 9 9 9", "f32 4x3: 0.2441998 0.2141878 0.4925007 0.3722531 0.499684 0.2635989 "
                        "0.246208 0.223955 0.4780561 "
                        "0.2441609 0.2141653 0.4924741" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/three-softmax-zero",
    "coefficients=[0.88,0.27,0.55,-0.44,0.3,-0.47,-0.33,-1.29] "
    "support_vectors=[-1.57,-0.48,-1.11,-0.96,0.67,-0.11,2.91,0.93,-0.63,0.78,0.36,-0.69] "
    "vectors_per_class=[1,1,2] rho=[1.1,-0.78,-3.06] kernel_type='RBF' kernel_params=[0.25,0,0] "
    "classlabels_ints=[7,8,9] post_transform='SOFTMAX_ZERO'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 9 9 9 9",
      "f32 4x3: 0.8560183 0.1306219 0.01335979 0.927792 0.06876872 0.003439302 0.871527 0.1173635 "
      "0.01110951 0.854372 0.1324214 0.01320653" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/two-logistic",
    "coefficients=[0.79,-0.62,1.49,-0.65] "
    "support_vectors=[-1.18,1.55,-1.08,0.2,1.45,0.11,-0.08,0.1,0.84,-0.81,0.61,0.58] "
    "vectors_per_class=[1,3] rho=[2.33] kernel_type='RBF' kernel_params=[0.25,0.5,2] "
    "classlabels_ints=[7,9] post_transform='LOGISTIC'",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 7 7 7 7", "f32 4x2: 0.08866692 0.9113331 0.06282502 0.937175 0.08642632 0.9135737 "
                        "0.08866888 0.9113311" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/probabilities",
    "coefficients=[-0.34,-0.91,0.74,-0.4,0.29,0.13,1.17,-0.66] "
    "support_vectors=[-0.09,-2.55,-0.89,1.54,-0.68,-0.7,-1.22,0.58,0.18,-1.19,0.67,0.26] "
    "vectors_per_class=[1,1,2] rho=[0.75,-0.64,1.74] kernel_type='RBF' kernel_params=[0.25,0,0] "
    "classlabels_ints=[7,8,9] prob_a=[-1,-2,-0.5] prob_b=[0.41,-0.12,-0.52]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 7 7 7 7", "f32 4x3: 0.2876972 0.449614 0.2626888 0.3153591 0.4717881 0.2128529 "
                        "0.2908363 0.4488452 0.2603186 "
                        "0.2876602 0.449621 0.2627187" },
    0,
    ORT },
  { "ai.onnx.ml.SVMClassifier/weights",
    "coefficients=[-0.24,0.86,-0.27,1.08,0.58,1.35,0.81,-0.06,-1.91] rho=[0.3,0.79,0.16] "
    "kernel_type='LINEAR' kernel_params=[0.0,0,0] classlabels_ints=[7,8,9]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 8 9 7 9", "f32 4x3: -5.3006 2.8766 2.307 -0.09290004 -2.0395 0.2525 1.3411 -6.6655 "
                        "0.3595001 -0.7173 6.784501 "
                        "7.0156" },
    0,
    ORT },
  { "ai.onnx.ml.SVMRegressor/one-class",
    "coefficients=[0.56,-0.47,-0.38,-0.94] "
    "support_vectors=[1.36,0.16,-0.49,-1.33,-0.15,1.44,0.46,-0.72,1.43,1.43,0.98,0.79] "
    "n_supports=4 "
    "rho=[1.16] kernel_type='RBF' kernel_params=[0.25,0.5,2] one_class=1",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: 1 1 1 1" },
    0,
    ORT },
  { "ai.onnx.ml.SVMRegressor/weights",
    "coefficients=[0.54,0.78,-0.78] n_supports=0 rho=[1.5] kernel_type='LINEAR' "
    "kernel_params=[0.0,0,0]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: -0.9377997 0.51 0.3089999 5.9958" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/three-none",
    "post_transform='NONE' classlabels_int64s=[10,11,12] base_values=[0.1,-0.2,0.3] "
    "nodes_treeids=[0,0,0,0,0,5,5,5] nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] "
    "class_treeids=[0,0,0,0,0,0,0,0,0,5,5,5,5,5,5] "
    "class_nodeids=[2,2,2,3,3,3,4,4,4,1,1,1,2,2,2] class_ids=[0,1,2,0,1,2,0,1,2,0,1,2,0,1,2] "
    "class_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 10 10 12 10",
      "f32 4x3: 2.6 -0.575 2.05 2.475 0.675 0.05000001 1.475 -0.575 1.8 2.6 -0.575 2.05" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/one-for-two-none",
    "post_transform='NONE' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: -0 0 -0.75 0.75 0.625 -0.625 -0 0" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/positive-none",
    "post_transform='NONE' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.25,0.375,0.0625,0.5,0.125]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 4 6 4", "f32 4x2: 0.625 0.375 0.8125 0.1875 0.125 0.875 0.625 0.375" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/second-none",
    "post_transform='NONE' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[1,1,1,1,1] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: 0 0 0 0.75 0 -0.625 0 0" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/three-softmax",
    "post_transform='SOFTMAX' classlabels_int64s=[10,11,12] base_values=[0.1,-0.2,0.3] "
    "nodes_treeids=[0,0,0,0,0,5,5,5] nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] "
    "class_treeids=[0,0,0,0,0,0,0,0,0,5,5,5,5,5,5] "
    "class_nodeids=[2,2,2,3,3,3,4,4,4,1,1,1,2,2,2] class_ids=[0,1,2,0,1,2,0,1,2,0,1,2,0,1,2] "
    "class_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 10 10 12 10",
      "f32 4x3: 0.6177629 0.02581885 0.3564182 0.79759 0.1318407 0.07056927 0.3979679 0.05123236 "
      "0.5507997 0.6177629 0.02581885 0.3564182" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/one-for-two-softmax",
    "post_transform='SOFTMAX' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: -0 0 -0.75 0.75 0.625 -0.625 -0 0" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/positive-softmax",
    "post_transform='SOFTMAX' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.25,0.375,0.0625,0.5,0.125]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 4 6 4", "f32 4x2: 0.625 0.375 0.8125 0.1875 0.125 0.875 0.625 0.375" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/second-softmax",
    "post_transform='SOFTMAX' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[1,1,1,1,1] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: 0.5 0.5 0.3208213 0.6791787 0.6513549 0.3486452 0.5 0.5" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/three-logistic",
    "post_transform='LOGISTIC' classlabels_int64s=[10,11,12] base_values=[0.1,-0.2,0.3] "
    "nodes_treeids=[0,0,0,0,0,5,5,5] nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] "
    "class_treeids=[0,0,0,0,0,0,0,0,0,5,5,5,5,5,5] "
    "class_nodeids=[2,2,2,3,3,3,4,4,4,1,1,1,2,2,2] class_ids=[0,1,2,0,1,2,0,1,2,0,1,2,0,1,2] "
    "class_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 10 10 12 10", "f32 4x3: 0.9308616 0.3600839 0.8859476 0.9223706 0.6626218 0.5124974 "
                            "0.8138162 0.3600839 0.8581489 "
                            "0.9308616 0.3600839 0.8859476" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/one-for-two-logistic",
    "post_transform='LOGISTIC' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: 0.5 0.5 0.3208213 0.6791787 0.6513549 0.3486451 0.5 0.5" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/positive-logistic",
    "post_transform='LOGISTIC' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.25,0.375,0.0625,0.5,0.125]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 4 6 4",
      "f32 4x2: 0.4073334 0.5926666 0.4532619 0.5467381 0.294215 0.705785 0.4073334 0.5926666" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/second-logistic",
    "post_transform='LOGISTIC' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[1,1,1,1,1] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: 0.5 0.5 0.5 0.6791787 0.5 0.3486451 0.5 0.5" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/three-softmax-zero",
    "post_transform='SOFTMAX_ZERO' classlabels_int64s=[10,11,12] base_values=[0.1,-0.2,0.3] "
    "nodes_treeids=[0,0,0,0,0,5,5,5] nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] "
    "class_treeids=[0,0,0,0,0,0,0,0,0,5,5,5,5,5,5] "
    "class_nodeids=[2,2,2,3,3,3,4,4,4,1,1,1,2,2,2] class_ids=[0,1,2,0,1,2,0,1,2,0,1,2,0,1,2] "
    "class_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 10 10 12 10",
      "f32 4x3: 0.6177629 0.02581885 0.3564182 0.79759 0.1318407 0.07056927 0.3979679 0.05123236 "
      "0.5507997 0.6177629 0.02581885 0.3564182" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/one-for-two-softmax-zero",
    "post_transform='SOFTMAX_ZERO' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 6 4 4", "f32 4x2: -0 0 -0.75 0.75 0.625 -0.625 -0 0" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/positive-softmax-zero",
    "post_transform='SOFTMAX_ZERO' classlabels_int64s=[4,6] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.25,0.375,0.0625,0.5,0.125]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 4 4 6 4", "f32 4x2: 0.625 0.375 0.8125 0.1875 0.125 0.875 0.625 0.375" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleClassifier/one-label",
    "classlabels_int64s=[4] nodes_treeids=[0,0,0,0,0,5,5,5] nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] class_treeids=[0,0,0,5,5] "
    "class_nodeids=[2,3,4,1,2] class_ids=[0,0,0,0,0] class_weights=[0.5,-0.75,1.25,0.125,-0.5]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "i64 4: 0 1 0 0", "f32 4x1: 0 0.75 -0.625 0" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleRegressor/sum",
    "n_targets=2 aggregate_function='SUM' base_values=[0.5,-1] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] target_treeids=[0,0,0,0,0,0,5,5,5,5] "
    "target_nodeids=[2,2,3,3,4,4,1,1,2,2] target_ids=[0,1,0,1,0,1,0,1,0,1] "
    "target_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: 0.25 -0.5 -0.75 2.25 2.125 -0.375 0.25 -0.5" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleRegressor/average",
    "n_targets=2 aggregate_function='AVERAGE' base_values=[0.5,-1] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] target_treeids=[0,0,0,0,0,0,5,5,5,5] "
    "target_nodeids=[2,2,3,3,4,4,1,1,2,2] target_ids=[0,1,0,1,0,1,0,1,0,1] "
    "target_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: 0.375 -0.75 -0.125 0.625 1.3125 -0.6875 0.375 -0.75" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleRegressor/min",
    "n_targets=2 aggregate_function='MIN' base_values=[0.5,-1] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] target_treeids=[0,0,0,0,0,0,5,5,5,5] "
    "target_nodeids=[2,2,3,3,4,4,1,1,2,2] target_ids=[0,1,0,1,0,1,0,1,0,1] "
    "target_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: -0.25 -1.75 -0.25 0.25 0.875 -0.875 -0.25 -1.75" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleRegressor/max",
    "n_targets=2 aggregate_function='MAX' base_values=[0.5,-1] nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] target_treeids=[0,0,0,0,0,0,5,5,5,5] "
    "target_nodeids=[2,2,3,3,4,4,1,1,2,2] target_ids=[0,1,0,1,0,1,0,1,0,1] "
    "target_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: 1 0.25 0 1 1.75 -0.5 1 0.25" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleRegressor/logistic",
    "n_targets=2 post_transform='LOGISTIC' nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] target_treeids=[0,0,0,0,0,0,5,5,5,5] "
    "target_nodeids=[2,2,3,3,4,4,1,1,2,2] target_ids=[0,1,0,1,0,1,0,1,0,1] "
    "target_weights=[0.5,-0.75,1.25,0.125,-0.5,2,0.375,0.5,-0.75,1.25]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: 0.4378235 0.6224594 0.2227001 0.9626731 0.8354836 0.6513549 0.4378235 0.6224594" },
    0,
    ORT },
  { "ai.onnx.ml.TreeEnsembleRegressor/probit",
    "n_targets=1 post_transform='PROBIT' nodes_treeids=[0,0,0,0,0,5,5,5] "
    "nodes_nodeids=[0,1,2,3,4,0,1,2] "
    "nodes_modes=['BRANCH_LEQ','BRANCH_GT','LEAF','LEAF','LEAF','BRANCH_EQ','LEAF','LEAF'] "
    "nodes_featureids=[0,1,0,0,0,1,0,0] nodes_values=[0.5,-0.25,0,0,0,1,0,0] "
    "nodes_truenodeids=[1,3,0,0,0,1,0,0] nodes_falsenodeids=[2,4,0,0,0,2,0,0] "
    "nodes_missing_value_tracks_true=[1,0,0,0,0,0,0,0] target_treeids=[0,0,0,5,5] "
    "target_nodeids=[2,3,4,1,2] target_ids=[0,0,0,0,0] target_weights=[0.1,0.2,0.3,0.4,0.15]",
    { "f32 4x3: 4.08 -5.11 0.84 nan -0.91 -0.43 -4.04 1 -1.73 6.65 0.45 -0.71" },
    { "f32 4x1: -0.6745743 -0.125662 0.2533535 -0.6745743" },
    0,
    ORT },
  { "ai.onnx.ml.Normalizer/max",
    "norm='MAX'",
    { "f32 3x3: -1 2 -5 0 0 0 -3 -4 -1" },
    { "f32 3x3: -0.5 1 -2.5 0 0 0 3 4 1" },
    0,
    ORT },
  { "ai.onnx.ml.Normalizer/l1",
    "norm='L1'",
    { "f32 3x3: -1 2 -5 0 0 0 -3 -4 -1" },
    { "f32 3x3: -0.125 0.25 -0.625 0 0 0 -0.375 -0.5 -0.125" },
    0,
    ORT },
  { "ai.onnx.ml.Normalizer/l2",
    "norm='L2'",
    { "f32 3x3: -1 2 -5 0 0 0 -3 -4 -1" },
    { "f32 3x3: -0.1825742 0.3651484 -0.9128709 0 0 0 -0.5883484 -0.7844645 -0.1961161" },
    0,
    ORT },
  { "ai.onnx.ml.Normalizer/integers",
    "norm='L2'",
    { "i64 2x3: -3 2 0 -1 1 0" },
    { "f32 2x3: -0.8320503 0.5547002 0 -0.7071068 0.7071068 0" },
    0,
    ORT },
  { "ai.onnx.ml.Normalizer/row",
    "norm='L1'",
    { "f32 3: 4.08 -5.11 0.84" },
    { "f32 3: 0.4067796 -0.5094715 0.08374874" },
    0,
    ORT },
  { "ai.onnx.ml.Scaler/columns",
    "offset=[0.71,0.98,-0.34] scale=[0.45,0.75,0.58]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x3: 1.5165 -4.5675 0.6844 -0.8324999 -1.4175 -0.0522 -2.1375 -1.08 -0.8062 2.673 "
      "-0.3975 "
      "-0.2146" },
    0,
    ORT },
  { "ai.onnx.ml.Scaler/one",
    "offset=[-0.54] scale=[-0.14]",
    { "i64 2x3: -3 2 0 -1 1 0" },
    { "f32 2x3: 0.3444 -0.3556 -0.07560001 0.06439999 -0.2156 -0.07560001" },
    0,
    ORT },
  { "ai.onnx.ml.Binarizer/floats",
    "threshold=0.5",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x3: 1 0 1 0 0 0 0 0 0 1 0 0" },
    0,
    ORT },
  { "ai.onnx.ml.OneHotEncoder/one-hot-floats",
    "cats_int64s=[1,2,0]",
    { "f32 2x2: 1 2.7 4 -0.5" },
    { "f32 2x2x3: 1 0 0 0 1 0 0 0 0 0 0 1" },
    0,
    ORT },
  { "ai.onnx.ml.OneHotEncoder/one-hot-integers",
    "cats_int64s=[1,2,0]",
    { "i64 2x2: 1 2 4 0" },
    { "f32 2x2x3: 1 0 0 0 1 0 0 0 0 0 0 1" },
    0,
    ORT },
  { "ai.onnx.ml.OneHotEncoder/one-hot-words",
    "cats_strings=['b','a']",
    { "string 3: a q b" },
    { "f32 3x2: 0 1 0 0 1 0" },
    0,
    ORT },
  { "ai.onnx.ml.FeatureVectorizer/cut",
    "inputdimensions=[2]",
    { "f32 4x3: 4.08 -5.11 0.84 -1.14 -0.91 -0.43 -4.04 -0.46 -1.73 6.65 0.45 -0.71" },
    { "f32 4x2: 4.08 -5.11 -1.14 -0.91 -4.04 -0.46 6.65 0.45" },
    0,
    ORT },
  { "ai.onnx.ml.FeatureVectorizer/longer",
    "inputdimensions=[4]",
    { "i64 2x3: -3 2 0 -1 1 0" },
    { "f32 2x4: -3 2 0 0 -1 1 0 0" },
    0,
    ORT },
  { "ai.onnx.ml.Imputer/columns",
    "imputed_value_floats=[7.0,8,9] replaced_value_float=nan.0",
    { "f32 2x3: 1 nan 3 4 5 nan" },
    { "f32 2x3: 1 8 3 4 5 9" },
    0,
    ORT },
  { "ai.onnx.ml.Imputer/integers",
    "imputed_value_int64s=[99] replaced_value_int64=-3",
    { "i64 2x3: -3 2 0 -1 1 0" },
    { "i64 2x3: 99 2 0 -1 1 0" },
    0,
    ORT },
  { "ai.onnx.ml.CategoryMapper/words",
    "cats_strings=['c','a','b'] cats_int64s=[5,6,7] default_int64=-9",
    { "string 3: a b q" },
    { "i64 3: 6 7 -9" },
    0,
    ORT },
  { "ai.onnx.ml.CategoryMapper/numbers",
    "cats_strings=['c','a','b'] cats_int64s=[5,6,7] default_string='no'",
    { "i64 3: 5 8 7" },
    { "string 3: c no b" },
    0,
    ORT },
  { "ai.onnx.ml.LabelEncoder/words-numbers",
    "keys_strings=['a','b'] values_int64s=[1,2]",
    { "string 2: a z" },
    { "i64 2: 1 -1" },
    0,
    ORT },
  { "ai.onnx.ml.LabelEncoder/numbers-words",
    "keys_floats=[0.0,2] values_strings=['x','y'] default_string='zz'",
    { "f32 3: 1.5 2 -0" },
    { "string 3: zz y x" },
    0,
    ORT },
  { "ai.onnx.ml.ArrayFeatureExtractor/rows",
    NULL,
    { "2x3: 1 2 3 4 5 6", "i64 2: 2 0" },
    { "2x2: 3 1 6 4" },
    0,
    CLOSED },
  { "ai.onnx.ml.ArrayFeatureExtractor/list",
    NULL,
    { "3: 1 2 3", "i64 1x2: 1 1" },
    { "1x2: 2 2" },
    0,
    CLOSED },
  { "ai.onnx.ml.FeatureVectorizer/two",
    NULL,
    { "i32 2x1: 1 2", "f64 2x2: 3 4 5 6" },
    { "f32 2x3: 1 3 4 2 5 6" },
    0,
    CLOSED },
  { "ai.onnx.ml.LabelEncoder/twice",
    "keys_int64s=[3,4,3] values_floats=[1.0,2.0,5.0] default_float=-1.5",
    { "i64 4: 3 4 5 3" },
    { "f32 4: 5 2 -1.5 5" },
    0,
    CLOSED },
  { "ai.onnx.ml.LabelEncoder/nan",
    "keys_floats=[nan,0.0] values_int64s=[7,8]",
    { "f32 4: nan -0 0 1" },
    { "i64 4: 7 8 8 -1" },
    0,
    CLOSED },
  { "ai.onnx.preview.training.Adagrad",
    "decay_factor=0.5 epsilon=0.25 norm_coefficient=0.5",
    { "scalar: 0.75", "i64 scalar: 1", "2: 1 2", "2: -0.25 1", "2: 0.9375 5" },
    { "2: 0.9 1.69230769230769", "2: 1 9" },
    0,
    CLOSED },
  { "ai.onnx.preview.training.Momentum/first",
    "alpha=0.5 beta=0.25 norm_coefficient=0.5 mode='standard'",
    { "scalar: 0.5", "i64 scalar: 0", "2: 1 2", "2: -0.25 1", "2: 1 -1" },
    { "2: 0.625 1.25", "2: 0.75 1.5" },
    0,
    CLOSED },
  { "ai.onnx.preview.training.Momentum/nesterov",
    "alpha=0.5 beta=0.25 norm_coefficient=0.5 mode='nesterov'",
    { "scalar: 0.5", "i64 scalar: 3", "2: 1 2", "2: -0.25 1", "2: 1 -1" },
    { "2: 0.734375 1", "2: 0.5625 0" },
    0,
    CLOSED },
  { "ai.onnx.preview.training.Adam/first",
    "alpha=0.5 beta=0.75 epsilon=0.5 norm_coefficient_post=0.25",
    { "scalar: 0.5", "i64 scalar: 0", "2: 1 2", "2: -2 1", "2: 1 -1", "2: 4 0" },
    { "2: 0.825 1.5", "2: -0.5 0", "2: 4 0.25" },
    0,
    CLOSED },
  { "ai.onnx.preview.training.Adam/later",
    "alpha=0.5 beta=0.75 epsilon=0.5",
    { "scalar: 0.5", "i64 scalar: 1", "2: 1 2", "2: -2 1", "2: 1 -1", "2: 4 0" },
    { "2: 1.1 2", "2: -0.5 0", "2: 4 0.25" },
    0,
    CLOSED },
  { "ai.onnx.ml.TreeEnsemble/sets",
    "n_targets=2 aggregate_function=1 tree_roots=[0,2] nodes_modes={u8_3:_0_6_6} "
    "nodes_splits={f32_3:_1.5_0_0} "
    "membership_values={f32_5:_3_5_nan_7_nan} nodes_featureids=[0,1,1] nodes_truenodeids=[1,0,2] "
    "nodes_falsenodeids=[2,1,3] nodes_trueleafs=[0,1,1] nodes_falseleafs=[1,1,1] "
    "nodes_missing_value_tracks_true=[1,0,0] leaf_targetids=[0,1,0,1] "
    "leaf_weights={f32_4:_1_10_100_1000}",
    { "5x2: 1 3 1 4 2 5 nan 7 1 5" },
    { "5x2: 1 1000 0 1010 100 1000 100 10 1 1000" },
    0,
    CLOSED },
  { "ai.onnx.ml.TreeEnsemble/average",
    "n_targets=1 aggregate_function=0 post_transform=4 tree_roots=[0,0] nodes_modes={u8_1:_3} "
    "nodes_splits={f64_1:_0} "
    "nodes_featureids=[0] nodes_truenodeids=[0] nodes_falsenodeids=[1] nodes_trueleafs=[1] "
    "nodes_falseleafs=[1] "
    "leaf_targetids=[0,0] leaf_weights={f64_2:_0.5_1}",
    { "2: 1 0" },
    { "1x1: 0" },
    0,
    CLOSED },
  { "TfIdfVectorizer/skip",
    "mode='TF' min_gram_length=2 max_gram_length=2 max_skip_count=1 ngram_counts=[0,2] "
    "ngram_indexes=[3,1,0,2] "
    "pool_int64s=[1,2,1,2,2,1]",
    { "i64 2x5: 1 2 9 1 2 2 1 1 1 1" },
    { "f32 2x4: 2 0 1 0 0 0 2 0" },
    0,
    CLOSED },
  { NULL },
};
