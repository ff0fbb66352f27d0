"""Models in ONNX files that a user names: one room for all who run one."""
