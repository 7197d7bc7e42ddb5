"""The option that rewrites the expected texts."""


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden from what is emitted now")
