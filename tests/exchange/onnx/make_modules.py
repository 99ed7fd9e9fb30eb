"""Networks of PyTorch as both of its exporters write them, modules/NAME.onnx and modules/NAME_script.onnx, and what
PyTorch computes by them, modules.json.

    python make_modules.py        with torch 2.15.0, onnx 1.23.2 and onnxscript 0.7.2
"""

import json
import pathlib

import onnx
import torch
from torch import nn
from torch.nn import functional

FOLDER = pathlib.Path(__file__).resolve().parent / "modules"
ROWS = 6


class Gelu(nn.Module):
    """Both forms of gelu."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(4, 6), nn.Linear(6, 5), nn.Linear(5, 1)

    def forward(self, x):
        return self.last(functional.gelu(self.second(functional.gelu(self.first(x))), approximate="tanh"))


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.last = nn.GRU(2, 5, batch_first=True), nn.Linear(5, 3)

    def forward(self, x):
        return self.last(self.gru(x)[1][-1])


class GruBothWays(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.last = nn.GRU(2, 5, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(10, 3)

    def forward(self, x):
        return self.last(self.gru(x)[0][:, -1])


class Lstm(nn.Module):
    """All states, and the last ones of both ways."""

    def __init__(self):
        super().__init__()
        self.lstm, self.last = nn.LSTM(2, 4, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(16, 1)

    def forward(self, x):
        states, (state, _) = self.lstm(x)
        return self.last(torch.cat([state[-2], state[-1], states.mean(1)], 1))


class Rnn(nn.Module):
    """The steps in front of the rows; one exporter writes the steps out."""

    def __init__(self):
        super().__init__()
        self.rnn, self.last = nn.RNN(2, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.last(self.rnn(x.transpose(0, 1))[0].transpose(0, 1)[:, -1, :])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 8), nn.Linear(8, 3)
        self.places = nn.Parameter(torch.randn(5, 8) * 0.3)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, activation="gelu", batch_first=True), 1,
                                             enable_nested_tensor=False)

    def forward(self, x):
        return self.last(self.encoder(self.first(x) + self.places).mean(1))


class Attention(nn.Module):
    """Masks of their own, and the ready function."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(3, 8) for _ in range(3))
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        rows, steps, _ = x.shape
        query, key, value = [part(x).view(rows, steps, 2, 4).transpose(1, 2) for part in self.parts]
        looks = torch.ones(steps, steps, dtype=torch.bool).tril()
        shares = torch.softmax((query @ key.transpose(-2, -1) / 2).masked_fill(~looks, float("-inf")), -1)
        ready = functional.scaled_dot_product_attention(query, key, value, is_causal=True).transpose(1, 2).flatten(2)
        return self.last(((shares @ value).transpose(1, 2).reshape(rows, steps, 8) + ready).amax(1))


class Relu6(nn.Module):
    """Convolutions as MobileNet has them."""

    def __init__(self):
        super().__init__()
        self.first, self.first_norm = nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.second, self.second_norm = nn.Conv2d(4, 4, 3, stride=2, padding=1, groups=4), nn.BatchNorm2d(4)
        self.last = nn.Linear(4, 3)

    def forward(self, x):
        x = functional.relu6(self.first_norm(self.first(x))) * 1.5
        x = functional.hardswish(functional.relu6(self.second_norm(self.second(x))) + 1)
        return self.last(functional.adaptive_avg_pool2d(functional.hardtanh(x, -0.5, 3), 1).flatten(1))


class Functions(nn.Module):
    """Number by number, and shapes that go together."""

    def __init__(self):
        super().__init__()
        self.norm, self.last = nn.LayerNorm(6, eps=1e-6), nn.Linear(24, 1)
        self.factor, self.shift = nn.Parameter(torch.randn(6)), nn.Parameter(torch.randn(4, 1))

    def forward(self, x):
        x = x * self.factor + self.shift
        a, b = x.chunk(2, -1)
        x = torch.cat([torch.exp(-a.abs()), torch.sqrt(b * b + 1)], -1)
        y = torch.where(x > 0.5, x, x.clamp(min=0.1).log())
        y = y / (y.norm(dim=-1, keepdim=True) + 1e-3)
        y = self.norm(y) + y.max(-1, keepdim=True).values.expand(-1, -1, 6)
        y = y + functional.silu(y) + functional.hardsigmoid(y) + y.pow(2) - y.mean(1, keepdim=True) + functional.mish(y)
        return self.last(torch.flip(y, [1]).permute(0, 2, 1).reshape(-1, 24))


class Lag(nn.Module):
    """Steps beside those before them, and zeros at the end."""

    def __init__(self):
        super().__init__()
        self.last, self.slope = nn.Linear(12, 1), nn.PReLU()

    def forward(self, x):
        x = x.squeeze(-1)
        x = functional.pad(torch.stack([x[:, :-1], x[:, 1:]], 1), (0, 1))
        return self.last((functional.leaky_relu(x, 0.2) + functional.elu(x, 0.5) + self.slope(x)).flatten(1))


class Pools(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv2d(2, 4, 3, stride=2, padding=1), nn.Linear(32, 2)

    def forward(self, x):
        x = self.first(x)
        pools = functional.max_pool2d(x, 3, 2, 1), functional.avg_pool2d(x, 3, 2, 1)
        return torch.log_softmax(self.last(torch.cat([pool.flatten(1) for pool in pools], 1)), 1)


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv1d(2, 4, 5, padding=3), nn.Linear(4, 1)
        self.before, self.behind = nn.BatchNorm1d(2), nn.BatchNorm1d(4)
        self.instance, self.group = nn.InstanceNorm1d(4, affine=True), nn.GroupNorm(2, 4)

    def forward(self, x):
        x = torch.relu(self.behind(torch.tanh(self.first(self.before(x)))))
        return self.last(self.group(self.instance(x)).mean(2))


MODULES = {"gelu": (Gelu, (4,)), "gru": (Gru, (6, 2)), "gru_both_ways": (GruBothWays, (6, 2)), "lstm": (Lstm, (6, 2)),
           "rnn": (Rnn, (6, 2)), "transformer": (Transformer, (5, 3)), "attention": (Attention, (5, 3)),
           "relu6": (Relu6, (1, 8, 8)), "functions": (Functions, (4, 6)), "lag": (Lag, (6, 1)), "pools": (Pools, (2, 7, 7)),
           "norms": (Norms, (2, 9))}


def strip(path):
    """Nothing but what is computed."""
    model = onnx.load(path)
    for message in (model.metadata_props, model.graph.metadata_props, model.graph.value_info, model.functions):
        del message[:]
    model.doc_string = model.graph.doc_string = ""
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    onnx.save(model, path)


def rounded(numbers, digits):
    return [[round(number, digits) for number in row] for row in numbers.tolist()]


def main():
    torch.manual_seed(5)
    FOLDER.mkdir(exist_ok=True)
    expected = {}
    for name, (make, shape) in MODULES.items():
        module = make()
        module(torch.randn(64, *shape) * 2 + 1)  # the norms' statistics
        module.eval()
        rows = torch.randn(ROWS, *shape).mul(100).round().div(100)
        for suffix, how in (("", {"dynamo": True, "opset_version": 18, "dynamic_shapes": ({0: torch.export.Dim("N")},),
                                  "external_data": False, "verbose": False}),
                            ("_script", {"dynamo": False, "opset_version": 17,
                                         "dynamic_axes": {"x": {0: "N"}, "output": {0: "N"}}})):
            path = FOLDER / f"{name}{suffix}.onnx"
            torch.onnx.export(module, (rows,), path, input_names=["x"], output_names=["output"], **how)
            strip(path)
        with torch.no_grad():
            expected[name] = {"inputs": {"x": rounded(rows.reshape(ROWS, -1), 2)}, "outputs": rounded(module(rows), 7)}
    text = json.dumps(expected, separators=(",", ":"))
    (FOLDER.parent / "modules.json").write_text(text.replace('},"', '},\n"') + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
