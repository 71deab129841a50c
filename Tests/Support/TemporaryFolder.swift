// A folder for one test.

import Foundation

/// A folder that is removed with its holder; not yet made.
package final class TemporaryFolder {
  package let path = NSTemporaryDirectory() + "tappet-" + UUID().uuidString

  package init() {}
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
