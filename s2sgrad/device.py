"""Devices: names, `with device(...)` scopes, soft placement, and the one seam that chooses a backend.

A device name has the parts `/job:J/replica:R/task:T/device:TYPE:INDEX`; any may be missing, and `/CPU:0`, `cpu`, `/device:CPU:0` mean
the same. Scopes nest, an inner one overrides the parts it names. A device that is not there is an error that says what is missing, or
the CPU when soft placement is on (the default, see `config.set_soft_device_placement`).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

from s2sgrad.errors import InvalidArgumentError

TYPES = ("CPU", "GPU", "TPU", "CUSTOM", "TPU_SYSTEM", "XLA_CPU", "XLA_GPU")
BACKENDS = {"CPU": "cpu"}  # device type -> name of the backend that compiles for it; a GPU backend adds its own
DEFAULT = "/job:localhost/replica:0/task:0/device:CPU:0"


@dataclass(frozen=True)
class DeviceSpec:
    """The parts of a device name; None where the name does not say.

    >>> DeviceSpec.from_string("/cpu:0").to_string()
    '/device:CPU:0'
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        parts: dict[str, Any] = {}
        for part in (spec or "").split("/"):
            y = part.split(":")
            if len(y) == 2 and y[0] == "job":
                parts["job"] = y[1]
            elif len(y) == 2 and y[0] in ("replica", "task"):
                parts[y[0]] = int(y[1])
            elif len(y) <= 2 and y[0].upper() in TYPES or len(y) == 3 and y[0] == "device":
                if "device_type" in parts:
                    raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
                kind, index = (y[0], y[1:]) if y[0] != "device" else (y[1], y[2:])
                parts["device_type"] = kind.upper()
                if index and index[0] != "*":
                    parts["device_index"] = int(index[0])
            elif y[0]:
                raise ValueError(f"Unknown attribute '{y[0]}' is encountered while parsing the device spec: '{spec}'.")
        return cls(**parts)

    def to_string(self) -> str:
        text = "".join(f"/{k}:{v}" for k in ("job", "replica", "task") if (v := getattr(self, k)) is not None)
        if self.device_type is not None:
            text += f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
        return text

    def make_merged_spec(self, inner: DeviceSpec) -> DeviceSpec:
        """This spec, with every part that `inner` names taken from `inner`."""
        named = {k: v for k in self.__dataclass_fields__ if (v := getattr(inner, k)) is not None}
        return replace(self, **named)

    def replace(self, **parts: Any) -> DeviceSpec:
        return replace(self, **parts)


@dataclass(frozen=True)
class PhysicalDevice:
    name: str
    device_type: str


@dataclass(frozen=True)
class LogicalDevice:
    name: str
    device_type: str


class _State(threading.local):
    def __init__(self) -> None:
        self.scopes: list[tuple[DeviceSpec, str]] = []


_state = _State()
_soft = [True]


def set_soft_device_placement(enabled: bool) -> None:
    """Whether a device that is not there is replaced by the CPU (True, the default) or is an error."""
    _soft[0] = bool(enabled)


def get_soft_device_placement() -> bool:
    return _soft[0]


def count(device_type: str) -> int:
    """How many devices of a type there are."""
    return 1 if device_type in BACKENDS else 0


def resolve(spec: DeviceSpec) -> str:
    """The full name of the device that a (partly open) spec means."""
    kind, index = spec.device_type or "CPU", spec.device_index or 0
    here = spec.job in (None, "localhost") and not spec.replica and not spec.task
    if here and index < count(kind):
        return f"/job:localhost/replica:0/task:0/device:{kind}:{index}"
    wanted = DeviceSpec("localhost", 0, 0, "CPU", 0).make_merged_spec(spec).to_string()
    if here and _soft[0]:
        return DEFAULT
    have = ", ".join(f"{DEFAULT[:-5]}{k}:{i}" for k in BACKENDS for i in range(count(k)))
    missing = "" if kind in BACKENDS else f" There is no backend that compiles for {kind} devices here."
    hint = " config.set_soft_device_placement(True) runs on the CPU instead." if here else ""
    raise InvalidArgumentError(f"Could not satisfy device specification '{wanted}'.{missing} Available devices: [{have}].{hint}")


class device:
    """`with device("/CPU:0"):` places what is created and run inside. None removes the surrounding placement.

    Raises ValueError for a name that is no device name, InvalidArgumentError for a device that is not there when soft placement is off.
    """

    __s2sgrad_scope__ = True  # compiled code checks the name when it is generated

    def __init__(self, name: Any) -> None:
        if callable(name):
            raise RuntimeError("tf.device does not support functions.")
        if isinstance(name, LogicalDevice):
            name = name.name
        if name is not None and not isinstance(name, (str, DeviceSpec)):
            raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
        self.spec = name if isinstance(name, DeviceSpec) else None if name is None else DeviceSpec.from_string(name)

    def __enter__(self) -> device:
        outer = _state.scopes[-1][0] if _state.scopes else DeviceSpec()
        spec = DeviceSpec() if self.spec is None else outer.make_merged_spec(self.spec)
        _state.scopes.append((spec, resolve(spec)))
        return self

    def __exit__(self, *exc: Any) -> None:
        _state.scopes.pop()


def current() -> str:
    """The full name of the device on which a new tensor is placed."""
    return _state.scopes[-1][1] if _state.scopes else DEFAULT


def backend(name: str | None = None) -> str:
    """The backend that compiles for a device (default: the current one). The one place where a device chooses code."""
    kind = DeviceSpec.from_string(name or current()).device_type or "CPU"
    return BACKENDS[kind]


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    return [PhysicalDevice(f"/physical_device:{k}:{i}", k) for k in BACKENDS for i in range(count(k)) if device_type in (None, k)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    return [LogicalDevice(f"/device:{k}:{i}", k) for k in BACKENDS for i in range(count(k)) if device_type in (None, k)]
