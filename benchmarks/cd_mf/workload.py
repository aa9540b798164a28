"""The workload cd_mf. Its sides do the same arithmetic, row by row, so their models are nearly the same."""

from ratings import Workload

WORKLOAD = Workload("cd_mf", "CD matrix factorization", pass_option="--iterations", passes=10,
                    usual=("-ranges", "EQUAL_RANGES"))
