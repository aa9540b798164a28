// A library's header with functions for cereal, as the library's authors would write them.
#pragma once
#pragma GCC system_header

#include <cstddef>
#include <cstdint>
#include <memory>

namespace vec {

template <class T> class base {
 public:
  base() = default;
  base(const base& other) { *this = other; }
  base& operator=(const base& other) {
    resize(other.size_);
    for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
    return *this;
  }
  void resize(std::size_t n) {
    data_ = std::make_unique<T[]>(n);
    size_ = n;
  }
  std::size_t size() const { return size_; }
  T& at(std::size_t i) { return data_[i]; }
  const T& at(std::size_t i) const { return data_[i]; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

template <class T, int Tag> class column : public base<T> {};

template <class Archive, class T> void save(Archive& archive, const base<T>& v) {
  archive(static_cast<std::uint64_t>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) archive(v.at(i));
}
template <class Archive, class T> void load(Archive& archive, base<T>& v) {
  std::uint64_t n = 0;
  archive(n);
  v.resize(n);
  for (std::size_t i = 0; i < v.size(); ++i) archive(v.at(i));
}

struct stamp {
  int day = 0;
  const char* name = "";
  static const char* name_of(int day) { return day % 2 == 0 ? "even" : "odd"; }
};
template <class Archive> void serialize(Archive& archive, stamp& s) {
  archive(s.day);
  s.name = stamp::name_of(s.day);
}

}  // namespace vec
