EXPORT MODEL m TO m.onnx;
