"""The workload sgd_mf."""

from ratings import Workload

WORKLOAD = Workload("sgd_mf", "SGD matrix factorization", tolerance=0.01, pass_option="--epochs", passes=20,
                    strata=True, flat=True)
