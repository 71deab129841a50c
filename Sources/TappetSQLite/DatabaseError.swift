// The errors between us and the disk, as facts, and how the core sees them.

import CPlatform
import TappetCore
import TappetPlatform

/// The place and kind of an SQLite failure.
package struct DatabaseFailure: Hashable, Sendable {
  /// SQLite's extended result code.
  package var code: Int32
  /// The errno of the system call that caused it; 0 if there was none.
  package var systemCode: Int32
  /// The database file.
  package var path: String

  /// A failure at `path`.
  package init(code: Int32, systemCode: Int32, path: String) {
    self.code = code
    self.systemCode = systemCode
    self.path = path
  }
}

/// Why the store could not serve a request.
package indirect enum DatabaseError: Error, Hashable, Sendable {
  /// There is no space, no quota, or no page left.
  case full(DatabaseFailure)
  /// The file system or the file may only be read.
  case readOnly(DatabaseFailure)
  /// The disk failed to read or write.
  case ioError(DatabaseFailure)
  /// The file is damaged, or is not a database.
  case corrupt(DatabaseFailure)
  /// Another process held the database or the folder for longer than `Limits.storeBusyTimeout`.
  case busy(DatabaseFailure)
  /// A later version of Tappet wrote the database; it is left alone.
  case newerSchema(found: Int64, known: Int64, path: String)
  /// The folder or a file in it cannot be made or opened.
  case cannotOpen(path: String, SystemError)
  /// The folder or a file in it belongs to another user and cannot be trusted.
  case foreignOwner(path: String, user: UInt32)
  /// The folder is one in which others work too, as /tmp.
  case sharedFolder(path: String)
  /// There is something else in the place of the folder or of a file.
  case wrongFileType(path: String)
  /// Any other failure.
  case other(DatabaseFailure)
}

extension DatabaseError {
  /// The fault as the core knows it.
  package var fault: StoreFault {
    switch self {
    case .full: .full
    case .readOnly: .readOnly
    case .ioError: .ioError
    case .corrupt: .corrupt
    case .busy: .busy
    case .newerSchema, .foreignOwner, .sharedFolder, .wrongFileType: .other(0)
    case .cannotOpen(_, let error): StoreFault(systemCode: error.code) ?? .ioError
    case .other(let failure): .other(failure.code)
    }
  }
}

extension StoreFault {
  /// The fault that an errno stands for; `nil` if it says nothing about the disk.
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
