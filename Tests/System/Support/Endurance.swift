// The same trouble again and again: nothing is lost and nothing grows. TAPPET_ENDURANCE=full does it 100 or 50 times;
// otherwise three times.

import Foundation
import TestSupport
import Testing

enum Endurance {
  static let isFull = ProcessInfo.processInfo.environment["TAPPET_ENDURANCE"] == "full"

  static func times(_ full: Int) -> Int { isFull ? full : 3 }

  /// Repeats `cycle`, with a good tap after each, and compares descriptors and memory.
  static func endure(_ count: Int, _ cycle: (KioskWorld) throws -> Void) throws {
    let world = try KioskWorld()
    try world.start()
    let pid = try #require(world.kiosk?.pid)
    // The first cycle allocates what later ones use again.
    try cycle(world)
    try world.goodTap()
    let (descriptors, memory) = (Kernel.descriptorCount(pid), Kernel.residentKilobytes(pid))
    for _ in 1...count {
      try cycle(world)
      try world.goodTap()
    }
    #expect(eventually { Kernel.descriptorCount(pid) <= descriptors })
    // The allocator's arenas of three threads may grow by some pages, which says nothing after three cycles; a leak of
    // 2 KB a cycle would show in 100.
    let grown = Kernel.residentKilobytes(pid) - memory
    #expect(!isFull || grown <= 256, "grown by \(grown) KB")
    let accepted = Set(
      world.log.split(separator: "\n").filter { $0.contains("event=tap-accepted") }.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("id=") }.map { String($0.dropFirst(3)) }
      })
    #expect(accepted.count >= count + 1)
    #expect(eventually { accepted.isSubset(of: Set(world.received.map(\.payload))) })
  }
}
