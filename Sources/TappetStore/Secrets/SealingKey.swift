// The key under which the secrets are sealed. It is read from the service manager's credentials, or otherwise from a
// file next to the database, which is created at the first start. It protects a copy of the database, a backup or a
// discarded card, but not the running board.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Reason why the sealing key is unavailable.
package enum SealingKeyError: Error, Hashable, Sendable {
  /// A system call on the given path failed.
  case unreadable(path: String, SystemError)
  /// A new key could not be written to the given path.
  case unwritable(path: String, SystemError)
  /// Users other than the owner have access to the file.
  case readableByOthers(path: String, mode: UInt32)
  /// The file belongs to a different user.
  case foreignOwner(path: String, user: UInt32)
  /// The file is not a regular file of 32 bytes.
  case malformed(path: String, size: Int)
  /// The file is missing although secrets are sealed under its key: a new key would hide the loss.
  case lost(path: String)
  /// A new key could not be generated.
  case notMade(CryptoError)
  /// The secrets could not be resealed under a new key.
  indirect case notResealed(SecretError)
  /// The folder or the database in it cannot be used.
  case folder(DatabaseError)
}

/// Lookup, creation and replacement of the sealing key.
package enum SealingKey {
  /// Name of the key among the credentials, and of the key file in the state folder.
  package static let fileName = "tappet.key"

  /// Name of the file that contains the new key while everything is being resealed.
  static let nextName = fileName + ".next"
  /// Name of the credential that contains the previous key.
  package static let formerName = fileName + ".old"

  /// Returns the key of `store`; creates it if nothing is sealed yet.
  ///
  /// If the key has changed, everything is first resealed under the new key: when the service manager provides a key
  /// and a key file exists, when it provides a new key and the previous key as `tappet.key.old`, or when a rekey was
  /// interrupted. A key that decrypts nothing is returned unchanged; nothing can be read or added in that case. With
  /// `replacesLost`, a missing key is replaced with a new key, even if something was sealed under the missing key.
  /// `credentials` is the value of CREDENTIALS_DIRECTORY, if any.
  @export(interface)
  package static func resolve(
    _ store: Store, credentials: String?, replacesLost: Bool = false
  ) throws(SealingKeyError) -> SecretKey {
    let state = try lockedFolder(store.folderPath)
    defer { state.unlock() }
    let path = state.file(fileName)
    let given = try credentials.flatMap { (folder) throws(SealingKeyError) in
      try read(folder + "/" + fileName, isOurs: false)
    }
    let file = try read(path, isOurs: true)
    guard let key = given ?? file else {
      let count = try reachingStore { () throws(DatabaseError) in try store.sealedCount() }
      guard count == 0 || replacesLost else { throw .lost(path: path) }
      return try make(path, in: state)
    }
    switch try reachingStore({ () throws(DatabaseError) in try store.relation(to: key) }) {
    case .free: return key
    case .ours:
      try remove(state.file(nextName), in: state)
      // The file contained the store's key before the service manager provided it.
      if given != nil { try remove(path, in: state) }
      return key
    case .foreign: break
    }
    if let next = try read(state.file(nextName), isOurs: true), given == nil, try isOurs(next, store) {
      try adoptNext(in: state)
      return next
    }
    let former = try credentials.flatMap { (folder) throws(SealingKeyError) in
      try read(folder + "/" + formerName, isOurs: false)
    }
    for old in [given == nil ? nil : file, former] {
      guard let old, try isOurs(old, store) else { continue }
      try reseal(store, from: old, to: key, in: state, noting: nil)
      if given != nil { try remove(path, in: state) }
      break
    }
    return key
  }

  /// Reseals everything under a new key, which replaces the key file; returns the number of secrets and values.
  ///
  /// If the process is killed, one or both keys remain, and `resolve` determines which key is correct.
  @export(interface)
  package static func replace(
    _ key: SecretKey, of store: Store, noting auditEntry: AuditEntry
  ) throws(SealingKeyError) -> Int {
    let state = try lockedFolder(store.folderPath)
    defer { state.unlock() }
    let path = state.file(nextName)
    let next = try make(path, in: state)
    let count = try reseal(store, from: key, to: next, in: state, noting: auditEntry)
    try adoptNext(in: state)
    return count
  }

  /// Whether the service manager provides the key, in which case the key cannot be replaced here.
  package static func isGiven(credentials: String?) -> Bool {
    guard let credentials else { return false }
    return access(credentials + "/" + fileName, F_OK) == 0
  }

  private static func isOurs(_ key: SecretKey, _ store: Store) throws(SealingKeyError) -> Bool {
    try reachingStore { () throws(DatabaseError) in try store.relation(to: key) } == .ours
  }

  @discardableResult
  private static func reseal(
    _ store: Store, from old: SecretKey, to new: SecretKey, in folder: DatabaseFolder, noting auditEntry: AuditEntry?
  ) throws(SealingKeyError) -> Int {
    do throws(SecretError) { return try store.reseal(from: old, to: new, in: folder, noting: auditEntry) } catch {
      throw .notResealed(error)
    }
  }

  private static func adoptNext(in folder: DatabaseFolder) throws(SealingKeyError) {
    let path = folder.file(fileName)
    try reaching(path) { () throws(SystemError) in
      try checked("rename") { rename(folder.file(nextName), path) }
      try folder.synchronize()
    }
  }

  private static func remove(_ path: String, in folder: DatabaseFolder) throws(SealingKeyError) {
    guard unlink(path) == 0 else { return }
    try reaching(path) { () throws(SystemError) in try folder.synchronize() }
  }

  private static func lockedFolder(_ path: String) throws(SealingKeyError) -> DatabaseFolder {
    do throws(DatabaseError) {
      let state = try DatabaseFolder.open(path: path)
      try state.lock()
      return state
    } catch { throw .folder(error) }
  }

  private static func reachingStore<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(SealingKeyError) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw .folder(error) }
  }

  /// Reads a key; returns `nil` if there is no such file.
  ///
  /// The service manager's file is not checked: its permissions are set by the service manager.
  private static func read(_ path: String, isOurs: Bool) throws(SealingKeyError) -> SecretKey? {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isOurs ? O_NOFOLLOW : 0)
    let file = tp_open(path, flags, 0)
    if file == -1 {
      let error = SystemError.last("open")
      if error.code == ENOENT { return nil }
      throw .unreadable(path: path, error)
    }
    defer { close(file) }
    var status = stat()
    try reaching(path) { () throws(SystemError) in try checked("fstat") { fstat(file, &status) } }
    guard tp_is_regular_file(status.st_mode) != 0 else { throw .malformed(path: path, size: 0) }
    if isOurs { try requirePrivate(status, path: path) }
    // One byte more than a key, to detect a longer file.
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

  /// Creates a key file, which is renamed into place only after its content is on disk: a power cut leaves either no
  /// file or a complete file.
  private static func make(_ path: String, in folder: DatabaseFolder) throws(SealingKeyError) -> SecretKey {
    let draft = path + ".new"
    let key: SecretKey
    do throws(CryptoError) { key = try SecretKey.random() } catch { throw .notMade(error) }
    // The folder is locked, so an existing draft was left by an interrupted run.
    unlink(draft)
    do throws(SystemError) {
      let file = try folder.make(draft)
      defer { close(file) }
      let count = try checked("write") { key.withBytes { write(file, $0.baseAddress, $0.count) } }
      if count != SecretKey.size { throw SystemError(call: "write", code: ENOSPC) }
      try checked("fsync") { fsync(file) }
      try checked("rename") { rename(draft, path) }
      try folder.synchronize()
    } catch {
      unlink(draft)
      throw .unwritable(path: path, error)
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
