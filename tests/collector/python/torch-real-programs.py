#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings as their libraries' users write them, which know nothing of Sonde: torchvision's models on FakeData, the Trainer of
transformers on models built from their configuration, lightning's, a loop of accelerate's; one that
Sonde records. The last line is a digest of all
weights, buffers and, where the loop owns the optimiser, states.

Usage: torch-real-programs.py NAME
"""
import hashlib
import os
import sys
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

import torch
from torch import nn
from torch.nn import functional as F


def digest(*owners):
    """Of state_dicts."""
    found = hashlib.sha256()

    def add(value):
        if isinstance(value, torch.Tensor):
            value = value.detach().clone(memory_format=torch.contiguous_format)
            found.update(value.view(torch.uint8).numpy().tobytes() if value.dim() else repr(value.item()).encode())
        elif isinstance(value, dict):
            for key in sorted(value, key=str):
                add(value[key])
        elif isinstance(value, (list, tuple)):
            for item in value:
                add(item)
    for owner in owners:
        add(owner.state_dict())
    return found.hexdigest()


# ---- torchvision

def loader(n, size, batch=4, **options):
    from torchvision import datasets, transforms
    data = datasets.FakeData(n, (3, size, size), 10, transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.25] * 3)]))
    return torch.utils.data.DataLoader(data, batch_size=batch, shuffle=True, **options)


def evaluate(model, batches, device="cpu"):
    model.eval()
    right = 0
    with torch.inference_mode():
        for images, target in batches:
            right += (model(images.to(device)).argmax(1) == target.to(device)).sum().item()
    model.train()
    return right


def resnet18():
    """channels_last, momentum in one go for all weights, a schedule, an evaluation after each epoch, loader workers."""
    from torchvision.models import resnet18 as build
    model = build(num_classes=10).to(memory_format=torch.channels_last)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4, foreach=True)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for _ in range(2):
        for images, target in loader(12, 32, num_workers=1):
            output = model(images.to(memory_format=torch.channels_last))
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        evaluate(model, loader(4, 32))
    print(digest(model, optimizer))


def mobilenet():
    """The fused AdamW, dropout, an average of the weights."""
    from torchvision.models import mobilenet_v3_small as build
    model = build(num_classes=10)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9), use_buffers=True)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
    for images, target in loader(12, 64):
        loss = F.cross_entropy(model(images), target, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
    evaluate(average, loader(4, 64))
    print(digest(model, average, optimizer))


def vit():
    """bfloat16 by autocast, two micro-batches a step, gradients clipped."""
    from torchvision.models import VisionTransformer
    model = VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32, mlp_dim=64, num_classes=10, dropout=0.1)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for k, (images, target) in enumerate(loader(24, 32)):
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(images), target) / 2
        loss.backward()
        if k % 2 == 1:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    print(digest(model, optimizer))


def compiled():
    """A model that is compiled, by a compiler that runs everywhere."""
    from torchvision.models import resnet18 as build
    model = build(num_classes=10)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    fast = torch.compile(model, backend="aot_eager")
    for images, target in loader(12, 32):
        loss = F.cross_entropy(fast(images), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(digest(model, optimizer))


def watched():
    """Recorded by Sonde, too: into the run $RUN."""
    import sonde
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(144, 10))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    with sonde.SummaryWriter(os.environ["RUN"]) as writer:
        recording = sonde.watch(model, writer, weights=True, parameter_gradients=True)
        for images, target in loader(12, 8):
            loss = F.cross_entropy(model(images), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            recording.step()
        recording.remove()
    print(digest(model, optimizer))


# ---- transformers

class Sentences(torch.utils.data.Dataset):
    """Words by number; their sum says the label."""

    def __init__(self, n, has_label):
        words = torch.randint(5, 60, (n, 12), generator=torch.Generator().manual_seed(3))
        self._rows = [{"input_ids": row, "attention_mask": torch.ones(12, dtype=torch.long),
                       "labels": row.sum() % 3 if has_label else row} for row in words]

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, i):
        return self._rows[i]


def run_trainer(model, has_label, **options):
    from transformers import Trainer, TrainingArguments
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, per_device_train_batch_size=4, num_train_epochs=2, use_cpu=True, report_to=[], seed=1,
                                      disable_tqdm=True, save_strategy="no", eval_strategy="epoch", **options)
        trainer = Trainer(model, arguments, train_dataset=Sentences(16, has_label), eval_dataset=Sentences(4, has_label))
        trainer.train()
        print(digest(trainer.model))


def bert():
    """Two micro-batches a step, an evaluation after each epoch."""
    from transformers import BertConfig, BertForSequenceClassification
    model = BertForSequenceClassification(BertConfig(vocab_size=60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                                                     max_position_embeddings=16, num_labels=3))
    run_trainer(model, True, gradient_accumulation_steps=2, learning_rate=1e-3)


def gpt2():
    """Embedding and head are one matrix; activations computed again in backward."""
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(vocab_size=60, n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=2))
    run_trainer(model, False, gradient_checkpointing=True, learning_rate=1e-3, max_grad_norm=0.5)


# ---- lightning, accelerate

def lightning():
    """lightning calls zero_grad, forward and backward inside the optimiser's step."""
    import lightning as L

    class Digits(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 10))

        def forward(self, x):
            return self.net(x)

        def training_step(self, batch, index):
            loss = F.cross_entropy(self(batch[0]), batch[1])
            self.log("train/loss", loss)
            return loss

        def validation_step(self, batch, index):
            self.log("validation/loss", F.cross_entropy(self(batch[0]), batch[1]))

        def configure_optimizers(self):
            optimizer = torch.optim.Adam(self.parameters(), 1e-2)
            return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)}
    data = torch.utils.data.TensorDataset(torch.randn(16, 8, 8), torch.randint(0, 10, (16,)))
    with tempfile.TemporaryDirectory() as folder:
        trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False, default_root_dir=folder)
        model = Digits()
        trainer.fit(model, torch.utils.data.DataLoader(data, 4, shuffle=True), torch.utils.data.DataLoader(data, 8))
    print(digest(model))


def accelerate():
    """Its wrappers around model, optimiser and loader, bfloat16, two micro-batches a step."""
    from accelerate import Accelerator
    accelerator = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 3))
    data = torch.utils.data.TensorDataset(torch.randn(32, 8), torch.randint(0, 3, (32,)))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    model, optimizer, batches = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(data, 4, shuffle=True))
    for x, y in batches:
        with accelerator.accumulate(model):
            accelerator.backward(F.cross_entropy(model(x), y))
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    print(digest(accelerator.unwrap_model(model)))


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    globals()[sys.argv[1]]()
