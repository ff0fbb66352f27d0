"""Settings that every test shares: Hypothesis profiles, the fixtures' place, golden rewriting."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import CI_EXAMPLES

__all__ = ["ROOT"]

ROOT = Path(__file__).resolve().parent.parent

# `dev` is quick and draws anew each time. `ci` draws many, and the same ones on every machine, so
# that a change is never failed by luck. `fuzz` is for a long look at chance.
SLOW_MACHINE = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile(
    "ci",
    max_examples=CI_EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=SLOW_MACHINE,
)
settings.register_profile(
    "fuzz",
    max_examples=20_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=SLOW_MACHINE,
)
# Four shapes of a conversation make 20,000: `make fit-proof`.
settings.register_profile(
    "proof",
    max_examples=5_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=SLOW_MACHINE,
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the switch that `make golden` uses."""
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        default=False,
        help="write the golden files anew instead of comparing with them",
    )


@pytest.fixture
def rewrite_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--rewrite-golden"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def fixtures_dir() -> Path:
    """The folder of the shipped sample data."""
    return ROOT / "fixtures"


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Indexes that tests make on first use go where nobody else looks, and are shared by them."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
