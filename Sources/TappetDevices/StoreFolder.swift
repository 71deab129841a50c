// The state folder and the files in it: made for their owner alone, and mended when somebody opened them to others.

import CPlatform
import TappetCore

/// An open state folder.
final class StoreFolder {
  /// Without a slash at its end.
  let path: String
  private let descriptor: Int32
  private let owner: stat

  /// Opens the folder, made with 0700 if it is absent.
  ///
  /// A symbolic link is followed: service managers make one.
  init(path: String) throws(StoreError) {
    self.path = path
    if mkdir(path, 0o700) == -1, tp_errno() != EEXIST {
      throw .cannotOpen(path: path, SystemError(call: "mkdir", code: tp_errno()))
    }
    var status = stat()
    let opened: Int32
    do throws(SystemError) {
      opened = try checked("open") { tp_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    } catch {
      if error.code == ENOTDIR { throw .wrongFileType(path: path) }
      throw .cannotOpen(path: path, error)
    }
    descriptor = opened
    guard fstat(opened, &status) == 0 else {
      owner = status
      throw .cannotOpen(path: path, SystemError(call: "fstat", code: tp_errno()))
    }
    owner = status
    try StoreFolder.requireOwner(of: status, path: path)
    // Whoever may write into the folder could put another database in the place of ours.
    if status.st_mode & 0o022 != 0, fchmod(opened, status.st_mode & 0o7755) == -1 {
      throw .cannotOpen(path: path, SystemError(call: "fchmod", code: tp_errno()))
    }
  }

  deinit { close(descriptor) }

  /// Holds back everyone else's `lock` until `unlock`.
  func lock() throws(StoreError) {
    do throws(SystemError) { try checked("flock") { flock(descriptor, LOCK_EX) } } catch {
      throw .cannotOpen(path: path, error)
    }
  }

  /// The inverse of `lock`.
  func unlock() { flock(descriptor, LOCK_UN) }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { path + "/" + name }

  /// Makes `name`, empty and 0600, unless it is there; then takes others' rights to it away.
  ///
  /// Never opens what is there: to close it again would drop the locks that SQLite has on it in this process
  /// (sqlite.org/howtocorrupt.html, §2.2).
  func ensureFile(_ name: String) throws(StoreError) {
    if try tightenFile(name) { return }
    let path = file(name)
    do throws(SystemError) {
      close(try make(path))
      try checked("fsync") { fsync(descriptor) }
    } catch {
      if error.code == EEXIST { return }
      throw .cannotOpen(path: path, error)
    }
  }

  /// Takes others' rights to `name` away; false when it is absent.
  @discardableResult
  func tightenFile(_ name: String) throws(StoreError) -> Bool {
    let path = file(name)
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let code = tp_errno()
      if code == ENOENT { return false }
      throw .cannotOpen(path: path, SystemError(call: "lstat", code: code))
    }
    guard tp_is_regular_file(status.st_mode) != 0 else { throw .wrongFileType(path: path) }
    try StoreFolder.requireOwner(of: status, path: path)
    if status.st_mode & 0o077 != 0, chmod(path, 0o600) == -1 {
      throw .cannotOpen(path: path, SystemError(call: "chmod", code: tp_errno()))
    }
    return true
  }

  /// A new file, 0600 whatever the umask, that belongs to the folder's owner even when root makes it for a service.
  func make(_ path: String) throws(SystemError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let made = try checked("open") { tp_open(path, flags, 0o600) }
    do throws(SystemError) {
      try checked("fchmod") { fchmod(made, 0o600) }
      if geteuid() == 0 { try checked("fchown") { fchown(made, owner.st_uid, owner.st_gid) } }
    } catch {
      close(made)
      unlink(path)
      throw error
    }
    return made
  }

  /// Makes what was made or renamed in the folder survive a power cut.
  func synchronise() throws(SystemError) { try checked("fsync") { fsync(descriptor) } }

  /// Root may look after anybody's store.
  private static func requireOwner(of status: stat, path: String) throws(StoreError) {
    let user = geteuid()
    if user != 0, status.st_uid != user { throw .foreignOwner(path: path, user: status.st_uid) }
  }
}
