"""What the extra `spark` brings, and who has installed Snakka without it beside a PySpark of their own.

Rule: said where Spark makes a data source, which is before its workers fail with a trace for want of the same packages.
"""

import importlib.util

from snakka.spark.client_settings import SparkOptionError


def require_packages(wanted_by: str, *names: str) -> None:
    """SparkOptionError unless all of them can be imported."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise SparkOptionError(f"{wanted_by} needs {', '.join(missing)}: pip install 'snakka[spark]'")
