// Why a disk operation failed.

/// The cause of a failed disk operation.
package enum StoreFault: Hashable, Sendable {
  /// No space is left, or a quota is reached.
  case full
  /// The file system is mounted read-only, or the file is not writable.
  case readOnly
  /// The disk reported an error.
  case ioError
  /// The database file is damaged.
  case corrupt
  /// Another process kept the database locked beyond the timeout.
  case busy
  /// Any other failure; the value is SQLite's extended result code.
  case other(Int32)
}
