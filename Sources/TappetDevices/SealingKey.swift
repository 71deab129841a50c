// The key that the secrets are sealed under: from the service manager's credentials, else from a file beside the database
// that is made at the first start. It protects a copy of the database, a backup or a discarded card, not the running board.

import CPlatform
import TappetCore

/// Why there is no sealing key.
public enum SealingKeyError: Error, Hashable, Sendable {
  /// A system call on this path failed.
  case unreadable(path: String, SystemError)
  /// Others than its owner have rights to the file.
  case readableByOthers(path: String, mode: UInt32)
  /// The file belongs to another user.
  case foreignOwner(path: String, user: UInt32)
  /// No ordinary file, or not of 32 bytes.
  case malformed(path: String, size: Int)
  /// The file is gone, and there are secrets that were sealed under it: a new key would hide that.
  case lost(path: String)
  /// No key could be made.
  case notMade(CryptoError)
  /// The folder cannot be used.
  case folder(StoreError)
}

/// Finds or makes the sealing key.
public enum SealingKey {
  /// The file's name, among the credentials and in the state folder.
  public static let fileName = "tappet.key"

  /// The key of the store in `folder`.
  ///
  /// `credentials`: the value of CREDENTIALS_DIRECTORY, if any. `mayMake`: no secret needs an earlier one.
  public static func load(folder: String, credentials: String?, mayMake: Bool) throws(SealingKeyError) -> SecretKey {
    if let credentials, let key = try read(credentials + "/" + fileName, isOurs: false) { return key }
    let state: StoreFolder
    do throws(StoreError) {
      state = try StoreFolder(path: folder)
      try state.lock()
    } catch { throw .folder(error) }
    defer { state.unlock() }
    let path = state.file(fileName)
    if let key = try read(path, isOurs: true) { return key }
    guard mayMake else { throw .lost(path: path) }
    return try make(path, in: state)
  }

  /// Nil when there is no such file.
  ///
  /// The service manager's own file has the rights that it gave it.
  private static func read(_ path: String, isOurs: Bool) throws(SealingKeyError) -> SecretKey? {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isOurs ? O_NOFOLLOW : 0)
    let file = tp_open(path, flags, 0)
    if file == -1 {
      let code = tp_errno()
      if code == ENOENT { return nil }
      throw .unreadable(path: path, SystemError(call: "open", code: code))
    }
    defer { close(file) }
    var status = stat()
    try reaching(path) { () throws(SystemError) in try checked("fstat") { fstat(file, &status) } }
    guard tp_is_regular_file(status.st_mode) != 0 else { throw .malformed(path: path, size: 0) }
    if isOurs { try requirePrivate(status, path: path) }
    // One byte more than a key has, to notice a longer file.
    var bytes = [UInt8](repeating: 0, count: SecretKey.size + 1)
    defer { LibCrypto.wipe(&bytes) }
    let count = try reaching(path) { () throws(SystemError) in
      try checked("read") { CPlatform.read(file, &bytes, SecretKey.size + 1) }
    }
    guard count == SecretKey.size else { throw .malformed(path: path, size: count) }
    bytes.removeLast()
    guard let key = SecretKey(bytes) else { throw .malformed(path: path, size: count) }
    return key
  }

  private static func requirePrivate(_ status: stat, path: String) throws(SealingKeyError) {
    let user = geteuid()
    if user != 0, status.st_uid != user { throw .foreignOwner(path: path, user: status.st_uid) }
    if status.st_mode & 0o077 != 0 { throw .readableByOthers(path: path, mode: status.st_mode & 0o7777) }
  }

  /// A new key, under its name only when all of it is on the disk: a power cut leaves either no file or a whole one.
  private static func make(_ path: String, in folder: StoreFolder) throws(SealingKeyError) -> SecretKey {
    let key: SecretKey
    do throws(CryptoError) { key = try SecretKey.random() } catch { throw .notMade(error) }
    let draft = path + ".new"
    // Only a start that was cut short leaves one behind: the folder is locked.
    unlink(draft)
    try reaching(path) { () throws(SystemError) in
      let file = try folder.make(draft)
      defer { close(file) }
      let count = try checked("write") { key.withBytes { write(file, $0.baseAddress, $0.count) } }
      if count != SecretKey.size { throw SystemError(call: "write", code: ENOSPC) }
      try checked("fsync") { fsync(file) }
      try checked("rename") { rename(draft, path) }
      try folder.synchronise()
    }
    return key
  }

  @discardableResult
  private static func reaching<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(SealingKeyError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .unreadable(path: path, error) }
  }
}
