// Whether compiled copies of one body round alike. Where the compiler fuses products with sums, or regroups
// sums, depends on the code around them. Constants.
#pragma once

namespace stradsap::abi {

// stradsap-cc defines STRADSAP_FUSES_ALIKE if the compiler fuses nothing, or within expressions only.
#if !defined(STRADSAP_FUSES_ALIKE) && \
    (defined(__FP_FAST_FMAF) || defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA))
inline constexpr bool may_fuse = true;
#else
inline constexpr bool may_fuse = false;
#endif
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
inline constexpr bool may_regroup = true;
#else
inline constexpr bool may_regroup = false;
#endif

/// Whether fused and other copies are compiled: only bodies with STRADSAP_FUSED fuse.
#if defined(STRADSAP_FUSES_BODIES) && !defined(__clang__)
inline constexpr bool has_unfused_copies = may_fuse && !may_regroup;
#else
inline constexpr bool has_unfused_copies = false;
#endif
/// Whether even copies that are not fused round differently.
#if defined(STRADSAP_FUSES_BODIES)
inline constexpr bool copies_round_apart = may_regroup;
#else
inline constexpr bool copies_round_apart = may_regroup || may_fuse;
#endif

}  // namespace stradsap::abi
