"""`config`: devices, soft placement and eager execution of compiled functions."""

from s2sgrad.device import get_soft_device_placement, list_logical_devices, list_physical_devices, set_soft_device_placement
from s2sgrad.function import functions_run_eagerly, run_functions_eagerly


def get_visible_devices(device_type=None):  # type: ignore[no-untyped-def]
    return list_physical_devices(device_type)


def set_visible_devices(devices, device_type=None):  # type: ignore[no-untyped-def]
    """Devices are found when they are used: hiding those of a type that is not there is all that can be asked. ValueError otherwise."""
    wanted, have = list(devices or []), list_physical_devices(device_type)
    if wanted != have:
        raise ValueError(f"Visible devices cannot be changed from {have} to {wanted}.")


__all__ = [
    "functions_run_eagerly",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_soft_device_placement",
    "set_visible_devices",
]
