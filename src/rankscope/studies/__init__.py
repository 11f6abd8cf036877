"""Meta-evaluation: which metric deserves trust on this collection.

A study takes lists, metrics and methods that compare lists without one, and gives one result with tables, the data of
its figures and a plain summary. Long work keeps checkpoints, goes on where it was stopped, and says how far it is.
"""

from rankscope.studies.agreement import Agreement, ObservedSeparability, agreement, separability
from rankscope.studies.alternatives import Alternatives, alternatives
from rankscope.studies.base import Study, Table
from rankscope.studies.candidates import Candidate, StudyMaterial, cwla_grid, material
from rankscope.studies.checkpoints import Checkpoints
from rankscope.studies.consistency import ConsistencyStudy, consistency
from rankscope.studies.incompleteness import Incompleteness, Removal, incompleteness, removal
from rankscope.studies.judge_scorecard import JudgeStudy
from rankscope.studies.judges import judges
from rankscope.studies.locality import Locality, locality
from rankscope.studies.metrics import metrics, scorecard_from
from rankscope.studies.power import DiscriminativePower, discriminative_power
from rankscope.studies.reproduce import Reproduction, Setting, reproduce
from rankscope.studies.runner import Interrupted, Progress
from rankscope.studies.scales import ScalesInPractice, scales
from rankscope.studies.scorecard import Scorecard
from rankscope.studies.similarity import Similarity, similarity
from rankscope.studies.ties import TiedRankings, ties

__all__ = [
    "Agreement",
    "Alternatives",
    "Candidate",
    "Checkpoints",
    "ConsistencyStudy",
    "DiscriminativePower",
    "Incompleteness",
    "Interrupted",
    "JudgeStudy",
    "Locality",
    "ObservedSeparability",
    "Progress",
    "Removal",
    "Reproduction",
    "ScalesInPractice",
    "Scorecard",
    "Setting",
    "Similarity",
    "Study",
    "StudyMaterial",
    "Table",
    "TiedRankings",
    "agreement",
    "alternatives",
    "consistency",
    "cwla_grid",
    "discriminative_power",
    "incompleteness",
    "judges",
    "locality",
    "material",
    "metrics",
    "removal",
    "reproduce",
    "scales",
    "scorecard_from",
    "separability",
    "similarity",
    "ties",
]
