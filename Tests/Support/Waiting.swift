// How tests wait: for a condition with a limit; or for time itself, where that is what a test is about.

import Foundation
import TappetPlatform

/// Waits for a condition for at most this number of seconds; returns whether it came true.
package func eventually(_ seconds: Double = 10, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    usleep(5000)
  }
  return try condition()
}

/// Lets time pass for `reason`: a button that is held, a contact's rest, a measurement of idleness.
package func pause(seconds: Double, _ reason: StaticString) { usleep(UInt32(seconds * 1e6)) }

/// The content so far of a file that somebody may be writing to; empty when there is none.
///
/// Not by Foundation, which has run beyond its buffer reading a file that grows meanwhile (Swift 6.3.1).
package func bytesSoFar(_ path: String) -> [UInt8] {
  (try? TextFile.read(path, sizeMax: .max).get())?.bytes ?? []
}

/// As `bytesSoFar`, as text.
package func textSoFar(_ path: String) -> String { String(decoding: bytesSoFar(path), as: UTF8.self) }
