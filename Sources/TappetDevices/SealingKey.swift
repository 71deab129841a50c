// The key that the secrets are sealed under: from the service manager's credentials, else from a file beside the database
// that is made at the first start. It protects a copy of the database, a backup or a discarded card, not the running board.

import CPlatform
import TappetCore

/// Why there is no sealing key.
public enum SealingKeyError: Error, Hashable, Sendable {
  /// A system call on this path failed.
  case unreadable(path: String, SystemError)
  /// A new key could not be written to this path.
  case unwritable(path: String, SystemError)
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
  /// What is sealed could not be sealed anew.
  indirect case notResealed(SecretError)
  /// The folder or the database in it cannot be used.
  case folder(StoreError)
}

/// Finds or makes the sealing key.
public enum SealingKey {
  /// The file's name, among the credentials and in the state folder.
  public static let fileName = "tappet.key"

  /// The name of the key that takes its place while everything is sealed anew.
  static let nextName = fileName + ".next"
  /// The credential that holds the key before this one.
  public static let formerName = fileName + ".old"

  /// The key of `store`, which lies in `folder`; made if nothing is sealed yet.
  ///
  /// Where the key has changed, everything is sealed anew first: when the service manager gives one and there was a file,
  /// when it gives another and the one before as `tappet.key.old`, or when re-keying was cut short. A key that opens
  /// nothing is returned as it is: then nothing can be read, and nothing can be added. `replacesLost`: one that is gone is
  /// made anew although something was sealed under it.
  public static func settle(
    _ store: Store, folder: String, credentials: String?, replacesLost: Bool = false
  ) throws(SealingKeyError) -> SecretKey {
    let state = try lockedFolder(folder)
    defer { state.unlock() }
    let path = state.file(fileName)
    let given = try credentials.flatMap { (folder) throws(SealingKeyError) in
      try read(folder + "/" + fileName, isOurs: false)
    }
    let file = try read(path, isOurs: true)
    guard let key = given ?? file else {
      let count = try reachingStore { () throws(StoreError) in try store.sealedCount() }
      guard count == 0 || replacesLost else { throw .lost(path: path) }
      return try make(path, draft: path + ".new", in: state)
    }
    switch try reachingStore({ () throws(StoreError) in try store.relation(to: key) }) {
    case .free: return key
    case .ours:
      try discard(state.file(nextName), in: state)
      // It was the store's before the service manager had one.
      if given != nil { try discard(path, in: state) }
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
      if given != nil { try discard(path, in: state) }
      break
    }
    return key
  }

  /// Seals everything anew under a new key in the place of the file; how much.
  ///
  /// Killed at any point it leaves both keys or one, and `settle` finds out which one fits.
  public static func replace(
    _ key: SecretKey, of store: Store, folder: String, noting deed: AuditEntry
  ) throws(SealingKeyError) -> Int {
    let state = try lockedFolder(folder)
    defer { state.unlock() }
    let path = state.file(nextName)
    let next = try make(path, draft: path + ".new", in: state)
    let count = try reseal(store, from: key, to: next, in: state, noting: deed)
    try adoptNext(in: state)
    return count
  }

  /// Whether the service manager gives the key, so that it is not ours to replace.
  public static func isGiven(credentials: String?) -> Bool {
    guard let credentials else { return false }
    return access(credentials + "/" + fileName, F_OK) == 0
  }

  private static func isOurs(_ key: SecretKey, _ store: Store) throws(SealingKeyError) -> Bool {
    try reachingStore { () throws(StoreError) in try store.relation(to: key) } == .ours
  }

  @discardableResult
  private static func reseal(
    _ store: Store, from old: SecretKey, to new: SecretKey, in folder: StoreFolder, noting deed: AuditEntry?
  ) throws(SealingKeyError) -> Int {
    do throws(SecretError) { return try store.reseal(from: old, to: new, in: folder, noting: deed) } catch {
      throw .notResealed(error)
    }
  }

  private static func adoptNext(in folder: StoreFolder) throws(SealingKeyError) {
    let path = folder.file(fileName)
    try reaching(path) { () throws(SystemError) in
      try checked("rename") { rename(folder.file(nextName), path) }
      try folder.synchronise()
    }
  }

  private static func discard(_ path: String, in folder: StoreFolder) throws(SealingKeyError) {
    guard unlink(path) == 0 else { return }
    try reaching(path) { () throws(SystemError) in try folder.synchronise() }
  }

  private static func lockedFolder(_ path: String) throws(SealingKeyError) -> StoreFolder {
    do throws(StoreError) {
      let state = try StoreFolder(path: path)
      try state.lock()
      return state
    } catch { throw .folder(error) }
  }

  private static func reachingStore<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(SealingKeyError) -> Result {
    do throws(StoreError) { return try body() } catch { throw .folder(error) }
  }

  /// The key of the store in `folder`, without a look into it.
  ///
  /// `credentials`: the value of CREDENTIALS_DIRECTORY, if any. `mayMake`: no secret needs an earlier one.
  public static func load(folder: String, credentials: String?, mayMake: Bool) throws(SealingKeyError) -> SecretKey {
    if let credentials, let key = try read(credentials + "/" + fileName, isOurs: false) { return key }
    let state = try lockedFolder(folder)
    defer { state.unlock() }
    let path = state.file(fileName)
    if let key = try read(path, isOurs: true) { return key }
    guard mayMake else { throw .lost(path: path) }
    return try make(path, draft: path + ".new", in: state)
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
  private static func make(_ path: String, draft: String, in folder: StoreFolder) throws(SealingKeyError) -> SecretKey {
    let key: SecretKey
    do throws(CryptoError) { key = try SecretKey.random() } catch { throw .notMade(error) }
    // Only a start that was cut short leaves one behind: the folder is locked.
    unlink(draft)
    do throws(SystemError) {
      let file = try folder.make(draft)
      defer { close(file) }
      let count = try checked("write") { key.withBytes { write(file, $0.baseAddress, $0.count) } }
      if count != SecretKey.size { throw SystemError(call: "write", code: ENOSPC) }
      try checked("fsync") { fsync(file) }
      try checked("rename") { rename(draft, path) }
      try folder.synchronise()
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
