// Owns the return of freed memory of native libraries to the system. Must never be called for each call: it locks the allocator.
//
// The C library of Linux (glibc) has several heaps, and gives each new thread any of them. What a thread frees stays in its heap. So threads
// that need much memory for a short time leave it in one heap after the other, until all have it.

import { dlopen } from "bun:ffi";

/** Call it at the end of rare work that needs much memory. Without glibc, and where Bun's foreign function interface is forbidden, nothing happens. */
export function returnFreeMemory(): void {
  if (process.platform !== "linux") return;
  try {
    const { symbols, close } = dlopen("libc.so.6", { malloc_trim: { args: ["usize"], returns: "i32" } });
    symbols.malloc_trim(0);
    close();
  } catch {
    // The next work of this kind uses the memory again, if it gets the same heap.
  }
}
