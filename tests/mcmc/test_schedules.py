import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.mcmc.schedules import Constant, Geometric, Linear, Logarithmic, Restart

SCHEDULES = [
    Constant(0.7),
    Geometric(3.0, 0.1, 50),
    Linear(3.0, 0.1, 50),
    Logarithmic(2.0),
    Restart(Geometric(3.0, 0.1, 20), 20),
]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_a_part_is_a_part_of_the_whole(schedule):
    whole = schedule.temperatures(0, 120)
    assert schedule.temperatures(37, 41).tolist() == whole[37:78].tolist()
    assert (whole > 0).all()


@pytest.mark.parametrize("kind", [Geometric, Linear])
def test_the_last_step_uses_the_last_temperature(kind):
    temperatures = kind(3.0, 0.1, 50).temperatures(0, 60)
    assert temperatures[0] == 3.0
    assert temperatures[49:].tolist() == [0.1] * 11
    assert (np.diff(temperatures[:50]) < 0).all()
    assert kind(3.0, 0.1, 1).temperatures(0, 2).tolist() == [0.1, 0.1]


def test_a_restart_begins_again_at_every_period():
    temperatures = Restart(Linear(3.0, 0.1, 5), 5).temperatures(0, 15).reshape(3, 5)
    assert (temperatures == temperatures[0]).all()


def test_logarithmic_cooling_goes_on_for_ever():
    temperatures = Logarithmic(1.0).temperatures(0, 10_000)
    assert (np.diff(temperatures) < 0).all()
    assert temperatures[-1] == pytest.approx(np.log(2) / np.log(10_001))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Constant(0.0),
        lambda: Geometric(1.0, 0.0, 10),
        lambda: Linear(1.0, float("inf"), 10),
        lambda: Logarithmic(-1.0),
        lambda: Restart(Constant(), 0),
    ],
)
def test_temperatures_are_positive_and_finite(make):
    with pytest.raises(SettingsError, match="finite numbers above 0"):
        make()
