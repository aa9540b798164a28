"""The workload cd_mf. All its sides do the same arithmetic, row by row, so they reach nearly the same model."""

from ratings import Workload

WORKLOAD = Workload("cd_mf", "CD matrix factorization", tolerance=0.005, pass_option="--iterations", passes=10)
