// Follows an object from an access: references to it, its members, the functions called on it. Where the text
// takes its address, the follower of pointers continues. One thread at a time.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/code/element_methods.hpp"
#include "analyze/code/region.hpp"
#include "analyze/pointers/availability.hpp"
#include "analyze/pointers/offset_reader.hpp"
#include "analyze/pointers/reached_elements.hpp"
#include "analyze/pointers/sure_rounds.hpp"

namespace stradsap::pp {

/// All functions throw unbounded if they lose the pointer.
class object_follower {
 public:
  object_follower(const region& code, const dependences& depends, const clang::Expr& access,
                  clang::QualType element, const std::function<bool(const clang::ValueDecl*)>& is_read_only)
      : code_(code),
        access_(access),
        available_(code, depends, access, is_read_only),
        offsets_(code, available_),
        element_size_(size_of(element)),
        reached_(element_size_),
        certain_(code, offsets_),
        methods_(code) {}
  object_follower(const object_follower&) = delete;
  object_follower& operator=(const object_follower&) = delete;
  virtual ~object_follower() = default;

 protected:
  /// Follows an expression that designates an object at a position. References are single objects.
  void object(const clang::Expr& e, const position& at, const call_path& path);
  /// Follows an expression if its value, or that of its object, is a pointer to a position.
  virtual void pointer(const clang::Expr& e, const position& at, const call_path& path) = 0;
  /// Follows a function's result into its callers.
  virtual void into_callers(const clang::FunctionDecl& function, const clang::Expr& e, const position& at,
                            const call_path& path) = 0;
  /// Follows an object that a call passes by reference.
  virtual void into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                              const position& at, const call_path& path) = 0;

  void pointer_to_member(const clang::Expr& outer, const clang::Expr& e, const position& at,
                         const call_path& path);
  /// Follows X[i].*field, (X[i].*function)(), and the same with a pointer.
  void through_member_pointer(const clang::BinaryOperator& op, const clang::Expr& e, const position& at,
                              const call_path& path);

  [[noreturn]] static void lose(const clang::Expr& where, std::string why) {
    throw unbounded{&where, std::move(why)};
  }
  /// Notes a recursive call.
  void repeats(const clang::Expr& call);
  template <class Follow> void hold(const clang::VarDecl& variable, const Follow& follow) {
    available_.hold({&variable}, follow);
  }

  void touch(const position& at, std::int64_t size, const clang::Expr& e) {
    touch_count(at, number(1), size, e);
  }
  void touch_count(const position& at, const offset& count, std::int64_t size, const clang::Expr& e);

  static position unsure(position at) {
    at.way = {};
    return at;
  }
  /// The position in a function, or behind the call of one, that each execution reaches that reaches `e`.
  position entering(const clang::FunctionDecl& definition, const clang::Expr& call, const position& at,
                    const call_path& deeper);
  position leaving(const clang::Expr& e, const clang::Expr& call, const position& at,
                   const call_path& shorter);

  static bool is_pointer(clang::QualType type) { return type.getNonReferenceType()->isPointerType(); }
  std::int64_t size_of(clang::QualType type) const { return size_of_object(code_.ast(), type); }
  std::int64_t target_size(const clang::Expr& pointer) const {
    return size_of_target(code_.ast(), pointer.getType());
  }
  static position moved(position at, const offset& by, std::int64_t size) {
    at.move(by, size);
    at.is_in_view = false;
    return at;
  }
  /// The same as `moved`, for a cast from a base to its class or back.
  std::optional<position> in_class(const clang::CastExpr& cast, const position& at) const;
  /// The offset of an access. If it is unknown, code of the object's own class is assumed to stay within the
  /// object.
  offset offset_of(const clang::Expr& number, const position& at, const call_path& path);

  static constexpr std::size_t deepest = 16;  // nested calls

  const region& code_;
  const clang::Expr& access_;
  availability available_;
  offset_reader offsets_;
  std::int64_t element_size_;
  reached_elements reached_;
  bool takes_address_ = false;
  const clang::Expr* repeated_ = nullptr;
  std::size_t departures_ = 0;              // of pointers, and of functions' results
  std::set<const clang::ValueDecl*> open_;  // on the current path

 private:
  void same_object(const clang::Expr& outer, const clang::Expr& e, const position& at, const call_path& path);
  void single_object(const clang::Expr& outer, const clang::Expr& e, const position& at,
                     const call_path& path);
  void kept_in_object(const clang::Expr& e, const position& at, const call_path& path);
  void object_in_step(const clang::Expr& outer, const clang::Expr& e, const position& at,
                      const call_path& path);
  void object_in_binary(const clang::Expr& outer, const clang::Expr& e, const position& at,
                        const call_path& path);
  void object_in_choice(const clang::Expr& outer, const clang::Expr& e, const position& at,
                        const call_path& path);
  void bound_to(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
                const call_path& path);
  void object_in_cast(const clang::Expr& outer, const clang::Expr& e, const position& at,
                      const call_path& path);
  bool is_in_own_array(const clang::Expr& array, const position& at) const;
  void object_of_member(const clang::Expr& outer, const clang::Expr& e, const position& at,
                        const call_path& path);
  void part_of(const clang::MemberExpr& member, std::int64_t whole, const position& at,
               const call_path& path);
  void object_in_call(const clang::Expr& call, const clang::Expr& e, const position& at,
                      const call_path& path);
  void into_unknown(const clang::Expr& call, const clang::Expr& e, const position& at, const call_path& path);
  void object_of_operator(const clang::Expr& call, const clang::Expr& e, const position& at,
                          const call_path& path);
  const clang::Stmt* call_above(const clang::Expr& callee) const;
  void called_on(const clang::Expr& member, const position& at, const call_path& path);
  void called_by_pointer(const clang::Expr& call, const clang::Expr& e, const position& at,
                         const call_path& path);
  void into_methods(const std::vector<const clang::FunctionDecl*>& methods, const clang::Expr& call,
                    const position& at, const call_path& path);
  void of_this(const clang::Expr& self, const position& at, const call_path& path);

  sure_rounds certain_;
  element_methods methods_;
  /// References that objects keep: their types and positions.
  std::set<std::tuple<clang::QualType, std::string, std::int64_t, std::int64_t>> kept_;
  std::set<const clang::FunctionDecl*> settled_;  // no pointer to their object leaves them
};

}  // namespace stradsap::pp
