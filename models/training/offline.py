"""Keeps the packages of the training from reaching a network or reporting their use. Import it before any of them."""
import os

# ONNX Runtime 1.29 and later sends telemetry when it is loaded; requirements.txt pins an older one, without that code.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# transformers can ask its hub about a model, and reports uses. All models here are folders.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["DO_NOT_TRACK"] = "1"
