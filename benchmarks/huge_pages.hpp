// Vectors on huge pages, for data that rivals stream through or access at random.

#pragma once

#include <sys/mman.h>

#include <new>
#include <vector>

/// Memory on 2 MB boundaries, with huge pages advised. The alignment keeps a row on as few cache lines as
/// possible.
template <class T> struct huge_page_allocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{2 << 20};

  huge_page_allocator() = default;
  template <class U> huge_page_allocator(const huge_page_allocator<U>&) {}

  T* allocate(size_t n) {
    void* memory = ::operator new(n * sizeof(T), alignment);
    madvise(memory, n * sizeof(T), MADV_HUGEPAGE);  // advice: a refusal costs only speed
    return static_cast<T*>(memory);
  }
  /// Elements of a sized vector stay unset, so their first writer is also the first to touch their pages.
  void construct(T* element) { ::new (static_cast<void*>(element)) T; }
  void deallocate(T* memory, size_t) { ::operator delete(memory, alignment); }
  bool operator==(const huge_page_allocator&) const { return true; }
};

template <class T> using huge_vector = std::vector<T, huge_page_allocator<T>>;
