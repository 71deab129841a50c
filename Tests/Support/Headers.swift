// The pins of the boards' headers, as others list them.

import Foundation
import TappetConfig
import TappetCore
import TappetPanel

/// Tests/Vectors/headers.txt and board/profiles.
package enum Headers {
  package static let root = URL(fileURLWithPath: Repository.root)
  package static let names = [
    "beaglebone-black", "orange-pi-pc", "orange-pi-zero-2", "raspberry-pi", "rock-5b", "rock-pi-4",
  ]

  package static func profile(_ name: String) throws -> BoardProfile {
    try BoardProfile.load(name: root.appending(path: "board/profiles/\(name).yaml").path)
  }

  private static func lines() throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "Tests/Vectors/headers.txt"), encoding: .utf8)
    return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// Pin to chip × 32 + offset.
  package static func numbers(_ name: String) throws -> [Int: Int] {
    let line = try lines().first { $0.hasPrefix(name + " ") } ?? ""
    let pairs = line.split(separator: " ").dropFirst().map { $0.split(separator: ":").compactMap { Int($0) } }
    return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
  }

  /// The BeagleBone's chips, in the order that a kernel found them in.
  package static func beagleBoneChips() throws -> [GPIOChip] {
    try lines().filter { $0.hasPrefix("@") }.enumerated().map { index, line in
      let names = line.dropFirst("@beaglebone-black ".count).split(separator: "|", omittingEmptySubsequences: false)
      return GPIOChip(
        path: "/dev/gpiochip\(index)", label: "gpio-\((3 - index) * 32)",
        lines: names.map { .init(name: String($0)) })
    }
  }
}
