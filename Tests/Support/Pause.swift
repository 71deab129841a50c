// Time that a test lets pass because time itself is what it is about. Everything else waits for a condition with a
// limit.

import Foundation

/// Lets time pass for `reason`: a button that is held, a contact's rest, a measurement of idleness.
package func pause(seconds: Double, _ reason: StaticString) { usleep(UInt32(seconds * 1e6)) }
