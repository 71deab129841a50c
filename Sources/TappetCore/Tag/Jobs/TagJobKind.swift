// The kinds of tag jobs that a person can request.

/// The work that a tag job does.
package enum TagJobKind: Hashable, Sendable {
  case write
  case erase
  case lock
  case format

  /// The name in requests and in the log.
  package var name: String {
    switch self {
    case .write: "write"
    case .erase: "erase"
    case .lock: "lock"
    case .format: "format"
    }
  }
}
