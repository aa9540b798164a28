#include "analyze/pointers/pointer_functions.hpp"

#include <algorithm>

#include "analyze/code/eigen.hpp"
#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

template <std::size_t N> static bool stands_in(llvm::StringRef name, const llvm::StringLiteral (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

static bool is_handle(const clang::Expr& argument) { return argument.getType()->isPointerType(); }

// algorithms over [first, last), by their other arguments: none, ranges beside it, a place in its middle
static constexpr llvm::StringLiteral alone =
    " accumulate reduce fill iota generate for_each sort stable_sort is_sorted reverse shuffle count "
    "count_if all_of"
    " any_of none_of find find_if find_if_not min_element max_element minmax_element lower_bound upper_bound"
    " equal_range binary_search unique remove remove_if replace replace_if partition stable_partition "
    "adjacent_find"
    " make_heap push_heap pop_heap sort_heap is_heap distance next_permutation prev_permutation ";
static constexpr llvm::StringLiteral beside =
    " copy copy_if move transform inner_product equal swap_ranges partial_sum adjacent_difference mismatch"
    " inclusive_scan exclusive_scan transform_reduce transform_inclusive_scan transform_exclusive_scan "
    "remove_copy"
    " reverse_copy replace_copy unique_copy ";
static constexpr llvm::StringLiteral with_middle = " nth_element partial_sort rotate inplace_merge ";

static bool is_listed(llvm::StringRef name, llvm::StringRef names) {
  return names.contains((" " + name + " ").str());
}

/// The target of an algorithm's result, if it belongs to [first, last).
static pointer_role::returned result_in_range(llvm::StringRef name) {
  static constexpr llvm::StringLiteral at_objects = " max_element min_element minmax_element ";
  static constexpr llvm::StringLiteral at_places =
      " find find_if find_if_not adjacent_find lower_bound upper_bound equal_range unique remove remove_if"
      " partition stable_partition rotate mismatch ";
  if (is_listed(name, at_objects)) return pointer_role::in_range;
  return is_listed(name, at_places) ? pointer_role::in_or_end : pointer_role::no_pointer;
}

/// The same for a range beside it, argument `i`.
static pointer_role::returned result_beside(llvm::StringRef name, std::size_t num_arguments, unsigned i) {
  static constexpr llvm::StringLiteral shorter = " copy_if remove_copy unique_copy mismatch ";
  static constexpr llvm::StringLiteral none = " inner_product equal transform_reduce ";
  const unsigned output = name == "transform" && num_arguments > 4 ? 3 : 2;
  if (i != output || is_listed(name, none)) return pointer_role::no_pointer;
  return is_listed(name, shorter) ? pointer_role::in_or_end : pointer_role::end_of_range;
}

/// The role of an argument in an algorithm over [first, last). Other ranges are accessed element by element,
/// beside it.
static std::optional<pointer_role> role_in_algorithm(const std::vector<const clang::Expr*>& arguments,
                                                     llvm::StringRef name, unsigned i) {
  const bool middle = is_listed(name, with_middle);
  const bool pairs = is_listed(name, beside);
  if (!middle && !pairs && !is_listed(name, alone)) return std::nullopt;
  const unsigned last = middle ? 2 : 1;
  if (arguments.size() <= last || !is_handle(*arguments[0]) || !is_handle(*arguments[last]))
    return std::nullopt;
  if (i == 0) return pointer_role{pointer_role::range, last, 0, result_in_range(name)};
  if (i <= last) return pointer_role{pointer_role::nothing};
  if (pairs && i > last && i < 4)
    return pointer_role{pointer_role::range_of, 0, 0, result_beside(name, arguments.size(), i)};
  return std::nullopt;
}

static std::optional<pointer_role> role_in_std(const clang::Expr& call, llvm::StringRef name, unsigned i) {
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  static constexpr llvm::StringLiteral passing[] = {"addressof", "__addressof", "to_address",    "launder",
                                                    "forward",   "as_const",    "assume_aligned"};
  if (stands_in(name, passing) || (name == "move" && arguments.size() == 1))
    return pointer_role{pointer_role::same};
  if (name == "next" && i == 0) return pointer_role{pointer_role::moved, 1};
  if (name == "prev" && i == 0) return pointer_role{pointer_role::moved_back, 1};
  if (name == "copy_backward" || name == "move_backward") {
    if (arguments.size() != 3 || !is_handle(*arguments[0]) || !is_handle(*arguments[1])) return std::nullopt;
    if (i == 0) return pointer_role{pointer_role::range, 1};
    if (i == 1) return pointer_role{pointer_role::nothing};
    return pointer_role{pointer_role::range_before, 0, 0, pointer_role::same_pointer};
  }
  if (name == "copy_n" && i == 0) return pointer_role{pointer_role::count, 1};
  if ((name == "copy_n" && i == 2) ||
      ((name == "fill_n" || name == "generate_n" || name == "for_each_n") && i == 0))
    return pointer_role{pointer_role::count, 1, 0, pointer_role::end_of_range};
  return role_in_algorithm(arguments, name, i);
}

/// The role of an intrinsic's pointer: the largest number of bytes that it accesses.
static std::optional<pointer_role> role_in_intrinsic(llvm::StringRef name) {
  const auto fixed = [](std::int64_t size) { return pointer_role{pointer_role::fixed, 0, size}; };
  if (name == "_mm_prefetch" || name == "_mm_clflush") return pointer_role{pointer_role::nothing};
  if (name.contains("gather") || name.contains("scatter") || name.contains("compressstoreu") ||
      name.contains("expandloadu") || name.contains("loadu2") || name.contains("storeu2"))
    return std::nullopt;
  const bool moves = name.contains("load") || name.contains("store") || name.contains("stream") ||
                     name.contains("lddqu") || name.contains("broadcast");
  if (!moves) return std::nullopt;
  if (name.ends_with("_ss") || name == "_mm_load1_ps" || name == "_mm_load_ps1" || name.ends_with("_si32"))
    return fixed(4);
  if (name.ends_with("_sd") || name == "_mm_load1_pd" || name == "_mm_load_pd1" || name == "_mm_loaddup_pd" ||
      name.ends_with("_si64") || name.contains("loadl_") || name.contains("loadh_") ||
      name.contains("storel_") || name.contains("storeh_"))
    return fixed(8);
  if (name.ends_with("_si16")) return fixed(2);
  if (name.starts_with("_mm512_")) return fixed(64);
  if (name.starts_with("_mm256_")) return fixed(32);
  return name.starts_with("_mm_") ? std::optional(fixed(16)) : std::nullopt;
}

/// The role of an argument in cblas_saxpy(n, a, x, step_x, y, step_y) and the like.
static std::optional<pointer_role> role_in_blas(const std::vector<const clang::Expr*>& arguments,
                                                llvm::StringRef name, unsigned i) {
  if (!name.consume_front("cblas_") || name.empty()) return std::nullopt;
  static constexpr llvm::StringLiteral of_vectors[] = {"axpy", "dot",  "copy", "swap", "scal",
                                                       "nrm2", "asum", "amax", "rot"};
  const llvm::StringRef kind = name.starts_with("i") ? name.drop_front(2) : name.drop_front(1);
  if (!stands_in(kind, of_vectors) || i + 1 >= arguments.size()) return std::nullopt;
  return pointer_role{pointer_role::strided, 0, i + 1};
}

/// The target of a C function's result in its first block.
static pointer_role::returned result_of_bytes(llvm::StringRef name) {
  if (name == "mempcpy") return pointer_role::end_of_range;
  if (name == "memchr") return pointer_role::in_range;
  return name == "memcmp" || name == "bcmp" ? pointer_role::no_pointer : pointer_role::same_pointer;
}

static std::optional<pointer_role> role_in_c(const std::vector<const clang::Expr*>& arguments,
                                             llvm::StringRef name, unsigned i) {
  static constexpr llvm::StringLiteral two_blocks[] = {"memcpy", "memmove", "memcmp", "bcmp", "mempcpy"};
  static constexpr llvm::StringLiteral one_object[] = {
      "frexp", "frexpf", "modf", "modff", "remquo", "remquof", "sincos", "sincosf", "lgamma_r", "lgammaf_r"};
  llvm::StringRef bare_name = name;
  bare_name.consume_front("__builtin_");
  if ((stands_in(bare_name, two_blocks) && i < 2) ||
      ((bare_name == "memset" || bare_name == "memchr") && i == 0))
    return pointer_role{pointer_role::bytes, 2, 0,
                        i == 0 ? result_of_bytes(bare_name) : pointer_role::no_pointer};
  if (bare_name == "prefetch") return pointer_role{pointer_role::nothing};
  if (bare_name == "assume_aligned" && i == 0) return pointer_role{pointer_role::same};
  if (stands_in(bare_name, one_object)) return pointer_role{pointer_role::fixed};
  const bool scans = name == "sscanf" || name == "fscanf" || name == "scanf";
  if (scans && i > 0 && !arguments[i]->getType()->getPointeeType()->isAnyCharacterType())
    return pointer_role{pointer_role::fixed};
  if (name.starts_with("__atomic_") || name.starts_with("__sync_")) return pointer_role{pointer_role::fixed};
  if (const auto found = role_in_blas(arguments, name, i)) return found;
  return role_in_intrinsic(name);
}

static llvm::StringRef class_name(const clang::Expr& made) {
  const clang::CXXRecordDecl* record = made.getType()->getAsCXXRecordDecl();
  const bool known = record != nullptr && is_in_std(*record) && record->getIdentifier() != nullptr;
  return known ? record->getName() : llvm::StringRef();
}

/// The role in std::span(first, n), std::vector<float>(first, last), v.assign(first, last). All but spans
/// copy.
static std::optional<pointer_role> role_in_class(const clang::Expr& call, const clang::CXXMethodDecl& method,
                                                 unsigned i) {
  static constexpr llvm::StringLiteral ranges[] = {
      "span",  "vector", "basic_string", "basic_string_view", "valarray",
      "deque", "list",   "set",          "unordered_set",     "multiset"};
  static constexpr llvm::StringLiteral takers[] = {"assign", "insert", "append"};
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const bool makes = llvm::isa<clang::CXXConstructExpr>(call) && stands_in(class_name(call), ranges);
  const bool takes = method.getIdentifier() != nullptr && stands_in(method.getName(), takers);
  if (!makes && !takes) return std::nullopt;
  if (i + 1 < arguments.size()) {
    const clang::QualType next = arguments[i + 1]->getType();
    if (next->isPointerType()) return pointer_role{pointer_role::range, i + 1};
    if (next->isIntegralOrEnumerationType()) return pointer_role{pointer_role::count, i + 1};
    return std::nullopt;
  }
  return i > 0 && is_handle(*arguments[i - 1]) ? std::optional(pointer_role{pointer_role::nothing})
                                               : std::nullopt;
}

/// The role in Eigen::Map<VectorXf>(first, size) and the like, without strides.
static std::optional<pointer_role> role_in_map(const clang::Expr& call, unsigned i) {
  const std::optional<std::int64_t> bytes = bytes_mapped_by(call.getType());
  if (!bytes || !llvm::isa<clang::CXXConstructExpr>(call) || i != 0) return std::nullopt;
  if (*bytes != 0) return pointer_role{pointer_role::fixed, 0, *bytes};
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const auto numbers = std::count_if(arguments.begin(), arguments.end(), [](const clang::Expr* one) {
    return one->getType()->isIntegralOrEnumerationType();
  });
  if (numbers == 1) return pointer_role{pointer_role::count, 1};
  return numbers == 2 ? std::optional(pointer_role{pointer_role::area, 1, 2}) : std::nullopt;
}

std::optional<pointer_role> role_of_pointer(const clang::Expr& call, const clang::FunctionDecl& callee,
                                            unsigned i) {
  if (is_users(callee)) return std::nullopt;
  if (is_in_eigen(callee)) return role_in_map(call, i);
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee))
    return is_in_std(callee) ? role_in_class(call, *method, i) : std::nullopt;
  if (callee.getIdentifier() == nullptr) return std::nullopt;
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (is_in_std(callee)) {
    if (const auto found = role_in_std(call, callee.getName(), i)) return found;
  }
  return role_in_c(arguments, callee.getName(), i);
}

}  // namespace stradsap::pp
