"""Every kind of block keeps the contract of blocks."""

from tests.contracts.block_contract import BlockContract
from tests.system.examples import driven_pendulum


class TestCircuit(BlockContract):
    model = driven_pendulum()
    block = "turn"


class TestSimplifiedCircuit(BlockContract):
    model = driven_pendulum()
    block = "turn"
    motors = "simplified"


class TestJointEfforts(BlockContract):
    model = driven_pendulum(inputs={"x": 2, "swing": "cos(t)"})
    block = "joints"
    motors = "none"


class TestUserState(BlockContract):
    model = driven_pendulum()
    block = "heat"


class TestUserStateOfSimplifiedMotors(BlockContract):
    model = driven_pendulum(states={"load": "drive.current - 0.2*load"})
    block = "load"
    motors = "simplified"
