// How tests wait: for a condition with a limit; or for time itself, where that is what a test is about.

import Foundation
import TappetPlatform

/// How long tests wait for what must come, in seconds: long enough for a machine that does ten other things.
///
/// Only a failed test waits as long.
package let patience: Double = 120

/// Waits for a condition; returns whether it came true.
///
/// A limit of its own is only for what may stay away.
package func eventually(within seconds: Double = patience, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    usleep(5000)
  }
  return try condition()
}

/// Whether a condition holds, without a break, for this number of seconds: the only place where *not* coming is judged.
package func stays(for seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
  try !eventually(within: seconds) { try !condition() }
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
