// Errors of the databases and the disk as data, and their mapping to the core's faults.

import CPlatform
import TappetBase
import TappetPlatform

/// Error code and database path of an SQLite failure.
package struct DatabaseFailure: Hashable, Sendable {
  /// SQLite's extended result code.
  package var code: Int32
  /// The errno of the system call that caused the failure; 0 if no system call failed.
  package var systemCode: Int32
  /// Path of the database file.
  package var path: String

  /// Creates a failure of the database at `path`.
  package init(code: Int32, systemCode: Int32, path: String) {
    self.code = code
    self.systemCode = systemCode
    self.path = path
  }
}

/// Reason why the store could not serve a request.
package indirect enum DatabaseError: Error, Hashable, Sendable {
  /// The disk, the quota or the database is full.
  case full(DatabaseFailure)
  /// The file system or the file is read-only.
  case readOnly(DatabaseFailure)
  /// The disk failed to read or write.
  case ioError(DatabaseFailure)
  /// The file is damaged, or is not a database.
  case corrupt(DatabaseFailure)
  /// Another process locked the database or the folder for longer than `Limits.storeBusyTimeout`.
  case busy(DatabaseFailure)
  /// The database was written by a different version of Tappet and is left unchanged.
  case otherSchema(found: Int64, known: Int64, path: String)
  /// The folder or a file in it cannot be created or opened.
  case cannotOpen(path: String, SystemError)
  /// The folder or a file in it belongs to another user and cannot be trusted.
  case foreignOwner(path: String, user: UInt32)
  /// The folder is shared with other users, such as /tmp.
  case sharedFolder(path: String)
  /// The folder or a file in it has the wrong file type.
  case wrongFileType(path: String)
  /// A failure of any other kind.
  case other(DatabaseFailure)
}

extension DatabaseError {
  /// The corresponding fault of the core.
  package var fault: StoreFault {
    @export(interface) get {
      switch self {
      case .full: .full
      case .readOnly: .readOnly
      case .ioError: .ioError
      case .corrupt: .corrupt
      case .busy: .busy
      case .otherSchema, .foreignOwner, .sharedFolder, .wrongFileType: .other(0)
      case .cannotOpen(_, let error): StoreFault(systemCode: error.code) ?? .ioError
      case .other(let failure): .other(failure.code)
      }
    }
  }
}

extension StoreFault {
  /// Creates the fault for an errno; `nil` if the errno does not concern the disk.
  @export(interface)
  package init?(systemCode: Int32) {
    switch systemCode {
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case EROFS, EACCES, EPERM: self = .readOnly
    case EIO: self = .ioError
    default: return nil
    }
  }
}
