"""C/W/L/A: any user model with any aggregation is a metric (Moffat, Mackenzie, Thomas and Azzopardi 2022)."""

from rankscope.measures.cwla.aggregations import AGGREGATIONS, Aggregation
from rankscope.measures.cwla.custom_models import custom_model
from rankscope.measures.cwla.measure import CWLA, RECORDS, model_facts
from rankscope.measures.cwla.metric import TAILS, Metric, aggregation, user_model
from rankscope.measures.cwla.models import MODELS, UserModel

__all__ = [
    "AGGREGATIONS", "CWLA", "MODELS", "RECORDS", "TAILS", "Aggregation", "Metric", "UserModel", "aggregation",
    "custom_model", "model_facts", "user_model",
]  # fmt: skip
