"""Files and dictionaries to plain columns and back. Ids are bytes throughout; nothing is guessed."""

from rankscope.io.columns import QrelsColumns, RunColumns, qrels_from_dict, run_from_dict
from rankscope.io.files import expand, read_text, system_name
from rankscope.io.problems import qrels_problems, run_problems
from rankscope.io.trec import read_qrels, read_run, write_qrels, write_run

__all__ = [
    "QrelsColumns",
    "RunColumns",
    "expand",
    "qrels_from_dict",
    "qrels_problems",
    "read_qrels",
    "read_run",
    "read_text",
    "run_from_dict",
    "run_problems",
    "system_name",
    "write_qrels",
    "write_run",
]
