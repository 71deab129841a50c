// Where the tests find what they use from the repository.

import Foundation

package enum Repository {
  /// The repository's folder.
  package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL.path

  /// The path of a file in it.
  package static func path(_ name: String) -> String { root + "/" + name }
}
