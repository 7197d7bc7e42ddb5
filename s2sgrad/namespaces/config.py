"""`config`: devices, soft placement and eager execution of compiled functions."""

from s2sgrad.device import get_soft_device_placement, list_logical_devices, list_physical_devices, set_soft_device_placement
from s2sgrad.function import functions_run_eagerly, run_functions_eagerly

get_visible_devices = list_physical_devices

__all__ = [
    "functions_run_eagerly",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_soft_device_placement",
]
