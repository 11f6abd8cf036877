"""C/W/L/A: any user model with any aggregation is a metric (Moffat, Mackenzie, Thomas and Azzopardi 2022)."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily
from rankscope.measures.cwla.measure import CWLA as CWLA, RECORDS as RECORDS, model_facts as model_facts

if TYPE_CHECKING:
    from rankscope.measures.cwla.aggregations import AGGREGATIONS as AGGREGATIONS, Aggregation as Aggregation
    from rankscope.measures.cwla.custom_models import custom_model as custom_model
    from rankscope.measures.cwla.metric import (
        TAILS as TAILS,
        Metric as Metric,
        aggregation as aggregation,
        user_model as user_model,
    )
    from rankscope.measures.cwla.models import MODELS as MODELS, UserModel as UserModel
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "aggregations": "AGGREGATIONS Aggregation",
            "custom_models": "custom_model",
            "metric": "TAILS Metric aggregation user_model",
            "models": "MODELS UserModel",
        },
        "CWLA RECORDS model_facts",
    )
