// The identity and the state of a file, to notice that it was replaced or changed.

import CPlatform

/// A file as it was at one time.
package struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// Reads the facts about the file at `path`; `nil` if there is none.
  @export(interface)
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = Int64(status.st_mtim.tv_sec)
    nanoseconds = Int64(status.st_mtim.tv_nsec)
  }

  /// Whether both are of the same file, which may have changed.
  package func isOfSameFile(as other: FileStamp) -> Bool { device == other.device && number == other.number }
}
