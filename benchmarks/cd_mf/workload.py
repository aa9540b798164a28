"""The workload cd_mf. Its sides do the same arithmetic, row by row, so their models are nearly the same."""

from ratings import Workload

WORKLOAD = Workload("cd_mf", "CD matrix factorization", tolerance=0.005, pass_option="--iterations", passes=10)
