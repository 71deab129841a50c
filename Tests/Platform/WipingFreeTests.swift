// The programs' own free and realloc.

import Foundation
import TestSupport
import Testing

@Suite struct WipingFreeTests {
  private let folder = TemporaryFolder()

  /// Grows a block by eight bytes at a time, as SQLite does for the hits of a search, and counts how often it moves.
  private let growth = """
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    int main(void) {
      char *block = NULL;
      uintptr_t place = 0;
      int moves = 0;
      for (size_t size = 8; size <= 8 << 20; size += 8) {
        if (!(block = realloc(block, size))) return 1;
        moves += (uintptr_t)block != place;
        place = (uintptr_t)block;
        block[size - 1] = (char)(size >> 3);
      }
      for (size_t size = 8; size <= 8 << 20; size += 8)
        if (block[size - 1] != (char)(size >> 3)) return 2;
      printf("%d", moves);
    }
    """

  @Test func `a block that grows by a few bytes at a time is rarely copied`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let (source, program) = (folder.path + "/growth.c", folder.path + "/growth")
    try Data(growth.utf8).write(to: URL(fileURLWithPath: source))
    let made = try Programs.run(
      try Programs.installed("cc"),
      ["-O2", "-o", program, source, Repository.root + "/Sources/CLibraries/standins/wiping-free.c"])
    try #require(made.status == 0, "\(made.errors)")
    let done = try Programs.run(URL(fileURLWithPath: program), [])
    #expect(done.status == 0, "\(done)")
    // About 40 steps of a quarter from 4 KB to 8 MB, and one for each 16 bytes before.
    #expect(try #require(Int(done.output)) < 400, "\(done)")
  }
}
