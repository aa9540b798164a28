"""The workload sgd_mf."""

from ratings import Workload

WORKLOAD = Workload("sgd_mf", "SGD matrix factorization", pass_option="--epochs", passes=20,
                    usual=("-strata", "CONTIGUOUS_STRATA"), flat=True)
