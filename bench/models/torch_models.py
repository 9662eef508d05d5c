"""The benchmark's models in plain PyTorch, from 1.13 on: parameter names and sizes as in paper_examples/models."""
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def scaled(channels, factor):
    return max(1, int(math.floor(channels * factor + 0.5)))


class AlexNet(nn.Module):
    def __init__(self, classes, width, dropout):
        super().__init__()
        a, b, c, d, hidden = (scaled(n, width) for n in (64, 192, 384, 256, 4096))
        relu, pool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)
        self.features = nn.Sequential(
            nn.Conv2d(3, a, 11, 4, 2), relu, pool, nn.Conv2d(a, b, 5, padding=2), relu, pool,
            nn.Conv2d(b, c, 3, padding=1), relu, nn.Conv2d(c, d, 3, padding=1), relu,
            nn.Conv2d(d, d, 3, padding=1), relu, pool)
        self.avgpool = nn.AdaptiveAvgPool2d(6)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(d * 36, hidden), relu, nn.Dropout(dropout),
            nn.Linear(hidden, hidden), relu, nn.Linear(hidden, classes))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


class VGG19(nn.Module):
    def __init__(self, classes, width, dropout):
        super().__init__()
        layers, last, relu = [], 3, nn.ReLU(inplace=True)
        for count, channels in ((2, 64), (2, 128), (4, 256), (4, 512), (4, 512)):
            for _ in range(count):
                layers += [nn.Conv2d(last, scaled(channels, width), 3, padding=1), relu]
                last = scaled(channels, width)
            layers.append(nn.MaxPool2d(2))
        hidden = scaled(4096, width)
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(7)
        self.classifier = nn.Sequential(
            nn.Linear(last * 49, hidden), relu, nn.Dropout(dropout), nn.Linear(hidden, hidden), relu,
            nn.Dropout(dropout), nn.Linear(hidden, classes))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def conv(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)


class Residual(nn.Module):
    """A basic block, or with expansion 4 a bottleneck."""

    def __init__(self, inputs, width, stride, expansion):
        super().__init__()
        outputs = width * expansion
        if expansion == 1:
            plan = [(inputs, width, 3, stride), (width, width, 3, 1)]
        else:
            plan = [(inputs, width, 1, 1), (width, width, 3, stride), (width, outputs, 1, 1)]
        self.count = len(plan)
        for i, (a, b, kernel, step) in enumerate(plan, 1):
            setattr(self, f"conv{i}", conv(a, b, kernel, step))
            setattr(self, f"bn{i}", nn.BatchNorm2d(b))
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            if i < self.count:
                y = self.relu(y)
        y += self.downsample(x)
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self, blocks, expansion, classes, width):
        super().__init__()
        last = scaled(64, width)
        self.conv1, self.bn1, self.relu = conv(3, last, 7, 2), nn.BatchNorm2d(last), nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        for stage, count in enumerate(blocks):
            channels, layers = scaled(64 << stage, width), []
            for i in range(count):
                layers.append(Residual(last, channels, 2 if i == 0 and stage > 0 else 1, expansion))
                last = channels * expansion
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        self.fc = nn.Linear(last, classes)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        return self.fc(self.layer4(self.layer3(self.layer2(self.layer1(x)))).mean((2, 3)))


def conv_bn_relu(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Sequential(conv(inputs, outputs, kernel, stride, groups), nn.BatchNorm2d(outputs),
                         nn.ReLU6(inplace=True))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        wide = inputs * expansion
        widen = [conv_bn_relu(inputs, wide, 1)] if expansion != 1 else []
        self.conv = nn.Sequential(*widen, conv_bn_relu(wide, wide, 3, stride, wide),
                                  nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.adds_input = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.conv(x) if self.adds_input else self.conv(x)


def divisible(channels, factor):
    wanted = channels * factor
    near = max(8, int(wanted + 4) // 8 * 8)
    return near + 8 if near < 0.9 * wanted else near


class MobileNetV2(nn.Module):
    STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, classes, width, dropout):
        super().__init__()
        last = divisible(32, width)
        layers = [conv_bn_relu(3, last, 3, 2)]
        for expansion, channels, count, stride in self.STAGES:
            for i in range(count):
                outputs = divisible(channels, width)
                layers.append(InvertedResidual(last, outputs, stride if i == 0 else 1, expansion))
                last = outputs
        end = divisible(1280, max(1.0, width))
        self.features = nn.Sequential(*layers, conv_bn_relu(last, end, 1))
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(end, classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear_q, self.linear_k = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.linear_att = nn.Parameter(torch.empty(width).uniform_(-0.1, 0.1))
        self.normalize_scalar = nn.Parameter(torch.full((1,), 1 / math.sqrt(width)))
        self.normalize_bias = nn.Parameter(torch.zeros(width))

    def forward(self, query, keys, is_padding):
        keys = keys.transpose(0, 1)
        sums = self.linear_q(query.transpose(0, 1)).unsqueeze(2) + (self.linear_k(keys) + self.normalize_bias).unsqueeze(1)
        scores = torch.tanh(sums).matmul(self.linear_att * (self.normalize_scalar / self.linear_att.norm()))
        scores.masked_fill_(is_padding.unsqueeze(1), -65504)
        return torch.bmm(scores.softmax(-1), keys).transpose(0, 1)


class Encoder(nn.Module):
    def __init__(self, embedder, width, dropout):
        super().__init__()
        self.rnn_layers = nn.ModuleList([nn.LSTM(width, width, bidirectional=True), nn.LSTM(2 * width, width),
                                         nn.LSTM(width, width), nn.LSTM(width, width)])
        self.embedder, self.dropout = embedder, nn.Dropout(dropout)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.dropout(self.embedder(words)), lengths, enforce_sorted=False)
        x = pad_packed_sequence(self.rnn_layers[0](packed)[0], total_length=words.shape[0])[0]
        x = self.rnn_layers[1](self.dropout(x))[0]
        for layer in self.rnn_layers[2:]:
            x = layer(self.dropout(x))[0] + x
        return x


class RecurrentAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn, self.attn = nn.LSTM(width, width), Attention(width)


class Classifier(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.classifier = nn.Linear(width, vocabulary)


class Decoder(nn.Module):
    def __init__(self, embedder, vocabulary, width, dropout):
        super().__init__()
        self.att_rnn = RecurrentAttention(width)
        self.rnn_layers = nn.ModuleList([nn.LSTM(2 * width, width) for _ in range(3)])
        self.embedder, self.classifier = embedder, Classifier(vocabulary, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, context, lengths):
        steps = torch.arange(context.shape[0], device=context.device)
        is_padding = steps >= lengths.to(context.device).unsqueeze(1)
        x = self.att_rnn.rnn(self.dropout(self.embedder(words)))[0]
        seen = self.att_rnn.attn(x, context, is_padding)
        x = self.rnn_layers[0](self.dropout(torch.cat((x, seen), 2)))[0]
        for layer in self.rnn_layers[1:]:
            x = layer(self.dropout(torch.cat((x, seen), 2)))[0] + x
        return self.classifier.classifier(x)


class GNMT(nn.Module):
    def __init__(self, vocabulary, width, dropout):
        super().__init__()
        embedder = nn.Embedding(vocabulary, width, padding_idx=0)
        self.encoder, self.decoder = Encoder(embedder, width, dropout), Decoder(embedder, vocabulary, width, dropout)

    def forward(self, source, lengths, target):
        return self.decoder(target, self.encoder(source, lengths), lengths)


class NCF(nn.Module):
    def __init__(self, users, items, width, widths, dropout):
        super().__init__()
        self.mf_user_embed, self.mf_item_embed = nn.Embedding(users, width), nn.Embedding(items, width)
        half = widths[0] // 2
        self.mlp_user_embed, self.mlp_item_embed = nn.Embedding(users, half), nn.Embedding(items, half)
        self.mlp = nn.ModuleList([nn.Linear(a, b) for a, b in zip(widths, widths[1:])])
        self.final, self.dropout = nn.Linear(widths[-1] + width, 1), nn.Dropout(dropout)

    def forward(self, users, items):
        x = torch.cat((self.mlp_user_embed(users), self.mlp_item_embed(items)), 1)
        for layer in self.mlp:
            x = self.dropout(F.relu(layer(x)))
        product = self.mf_user_embed(users) * self.mf_item_embed(items)
        return self.final(torch.cat((product, x), 1)).squeeze(1)


class Layers(nn.Module):
    def __init__(self, width, heads, count, dropout):
        super().__init__()
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(width, heads, 4 * width, dropout) for _ in range(count)])


class Transformer(nn.Module):
    def __init__(self, vocabulary, width, heads, count, length, dropout):
        super().__init__()
        self.embedder, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.dropout, self.encoder = nn.Dropout(dropout), Layers(width, heads, count, dropout)
        self.fc = nn.Linear(width, vocabulary)

    def forward(self, words):
        steps = torch.arange(words.shape[0], device=words.device)
        x = self.dropout(self.embedder(words) + self.positions(steps).unsqueeze(1))
        for layer in self.encoder.layers:
            x = layer(x, src_mask=steps.unsqueeze(0) > steps.unsqueeze(1))
        return self.fc(x)
