"""The workload sgd_mf."""

from ratings import Workload
from sides import FLAT, PACKED

WORKLOAD = Workload("sgd_mf", "SGD matrix factorization", pass_option="--epochs", passes=20,
                    usual=("-strata", "CONTIGUOUS_STRATA"), ours=(FLAT, PACKED))
