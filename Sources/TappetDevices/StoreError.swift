// What can go wrong between us and the disk, as facts, and how the core sees it.

import CPlatform
import TappetCore

/// Where and how SQLite failed.
public struct StoreFailure: Hashable, Sendable {
  /// SQLite's extended result code.
  public var code: Int32
  /// The errno of the system call behind it; 0 when there was none.
  public var systemCode: Int32
  /// The database.
  public var path: String

  /// A failure at `path`.
  public init(code: Int32, systemCode: Int32, path: String) {
    self.code = code
    self.systemCode = systemCode
    self.path = path
  }
}

/// Why the store could not do what it was asked.
public indirect enum StoreError: Error, Hashable, Sendable {
  /// No space, no quota, or no page left.
  case full(StoreFailure)
  /// The file system or the file may only be read.
  case readOnly(StoreFailure)
  /// The disk did not do what it was told.
  case ioError(StoreFailure)
  /// Damaged, or no database at all.
  case corrupt(StoreFailure)
  /// Held by another process for longer than `Limits.storeBusyTimeout`.
  case busy(StoreFailure)
  /// A later version of Tappet wrote it; it is not touched.
  case newerSchema(found: Int64, known: Int64, path: String)
  /// The folder or a file in it cannot be made or opened.
  case cannotOpen(path: String, SystemError)
  /// The folder or a file in it belongs to another user, and is not ours to trust.
  case foreignOwner(path: String, user: UInt32)
  /// Something in its place is no folder or no ordinary file.
  case wrongFileType(path: String)
  /// Anything else.
  case other(StoreFailure)
}

extension StoreError {
  /// What the kiosk has to know of it.
  public var fault: StoreFault {
    switch self {
    case .full: .full
    case .readOnly: .readOnly
    case .ioError: .ioError
    case .corrupt: .corrupt
    case .busy: .busy
    case .newerSchema, .foreignOwner, .wrongFileType: .other(0)
    case .cannotOpen(_, let error): StoreFault(systemCode: error.code) ?? .ioError
    case .other(let failure): .other(failure.code)
    }
  }
}

extension StoreFault {
  /// What an errno says about the disk; nil when it says nothing.
  init?(systemCode: Int32) {
    switch systemCode {
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case EROFS, EACCES, EPERM: self = .readOnly
    case EIO: self = .ioError
    default: return nil
    }
  }
}
