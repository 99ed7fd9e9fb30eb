"""A network of PyTorch as torch.onnx writes it, torch.onnx, and what PyTorch computes by it, torch.json.

    python make_torch.py        with torch 2.15.0 and onnx 1.23.2
"""

import json
import pathlib

import torch

HERE = pathlib.Path(__file__).resolve().parent


class Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(1, 3, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(3)
        self.layer = torch.nn.Linear(3 * 3 * 3, 6)
        self.outputs = torch.nn.Linear(6, 3)

    def forward(self, picture):
        x = torch.nn.functional.max_pool2d(torch.relu(self.norm(self.convolution(picture))), 2)
        x = torch.nn.functional.gelu(self.layer(x.view(x.size(0), -1)))
        return self.outputs(torch.nn.functional.dropout(x, 0.2, self.training))


def main():
    torch.manual_seed(3)
    module = Pictures()
    module(torch.randn(64, 1, 6, 6) * 2 + 1)  # the norm's statistics
    module.eval()
    rows = torch.randn(6, 1, 6, 6).mul(100).round().div(100)
    torch.onnx.export(module, (rows,), HERE / "torch.onnx", input_names=["picture"], output_names=["output"],
                      dynamic_axes={"picture": {0: "N"}, "output": {0: "N"}}, opset_version=20, dynamo=False)
    with torch.no_grad():
        outputs = module(rows)
    (HERE / "torch.json").write_text(json.dumps({"torch": {"inputs": {"picture": rows.reshape(6, -1).tolist()},
                                                           "outputs": outputs.tolist()}}) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
