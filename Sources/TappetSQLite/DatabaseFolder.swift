// The state folder and its files, created with access for the owner only; access rights of other users are removed.

import CPlatform
import TappetBase
import TappetPlatform

/// An open state folder.
package final class DatabaseFolder {
  /// Path without a trailing slash.
  package let path: String
  private let descriptor: Int32
  private let owner: FileOwner

  private init(path: String, owning descriptor: Int32, _ owner: stat) {
    self.path = path
    self.descriptor = descriptor
    self.owner = FileOwner(owner)
  }

  /// Opens the folder; creates it with mode 0700 if absent.
  ///
  /// Follows a symbolic link, because service managers create one. Not an `init`: an initializer that throws halfway
  /// leaks its object in Embedded Swift 6.3, and this call fails each time that a kiosk is started without its folder.
  @export(interface)
  package static func open(path: String) throws(DatabaseError) -> DatabaseFolder {
    do throws(SystemError) { try checked("mkdir") { mkdir(path, 0o700) } } catch {
      if error.code != EEXIST { throw .cannotOpen(path: path, error) }
    }
    let opened: Int32
    do throws(SystemError) {
      opened = try checked("open") { tp_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    } catch {
      if error.code == ENOTDIR { throw .wrongFileType(path: path) }
      throw .cannotOpen(path: path, error)
    }
    var status = stat()
    let result = fstat(opened, &status)
    // SQLite opens no path with a symbolic link in it (SQLITE_OPEN_NOFOLLOW).
    let folder = DatabaseFolder(path: resolvedPath(path) ?? path, owning: opened, status)
    guard result == 0 else { throw .cannotOpen(path: path, .last("fstat")) }
    try requireOwner(of: status, path: path)
    // Write access to the folder is enough to replace the database.
    if status.st_mode & 0o022 != 0 {
      guard status.st_mode & 0o1000 == 0, !folder.hasFilesOfOthers else { throw .sharedFolder(path: path) }
      guard fchmod(opened, status.st_mode & 0o7755) == 0 else { throw .cannotOpen(path: path, .last("fchmod")) }
    }
    return folder
  }

  /// Whether the folder contains files of users who would be locked out if they lost their rights to the folder, as in
  /// /var/mail.
  private var hasFilesOfOthers: Bool {
    FolderNames.sorted(in: path).contains { name in
      var status = stat()
      return lstat(file(name), &status) == 0 && status.st_uid != 0 && status.st_uid != owner.user
    }
  }

  deinit { close(descriptor) }

  /// Acquires the lock, which excludes other processes until `unlock` is called.
  ///
  /// Waits for at most `Limits.storeBusyTimeout`, as SQLite does for its own lock: a process that was suspended while
  /// holding the lock must not block the kiosk's taps as well.
  @export(interface)
  package func lock() throws(DatabaseError) {
    let clock = SystemClock()
    let deadline = clock.now().instant + Limits.storeBusyTimeout
    while flock(descriptor, LOCK_EX | LOCK_NB) == -1 {
      let error = SystemError.last("flock")
      guard error.code == EWOULDBLOCK || error.code == EINTR else { throw .cannotOpen(path: path, error) }
      guard clock.now().instant < deadline else {
        throw .busy(DatabaseFailure(code: Database.busyCode, systemCode: error.code, path: path))
      }
      // The kernel does not support a timeout for this lock.
      Poll.sleep(Limits.storeLockPollInterval)
    }
  }

  /// Releases the lock.
  package func unlock() { flock(descriptor, LOCK_UN) }

  /// Returns the path of a file in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// Creates an empty file with mode 0600, or removes other users' access rights to an existing file.
  ///
  /// Never opens an existing file for reading or writing: closing it would release the locks that SQLite holds on it in
  /// this process (sqlite.org/howtocorrupt.html, §2.2).
  @export(interface)
  package func ensureFile(_ name: String) throws(DatabaseError) {
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

  /// Creates an empty database, or removes other users' access rights to an existing database and its log.
  package func ensureDatabase(_ name: String) throws(DatabaseError) {
    try ensureFile(name)
    try tightenFile(name + "-wal")
    try tightenFile(name + "-shm")
  }

  /// Removes other users' access rights to the file; returns false if the file is absent.
  @discardableResult
  @export(interface)
  package func tightenFile(_ name: String) throws(DatabaseError) -> Bool {
    let path = file(name)
    var status = stat()
    let place: FileDescriptor
    do throws(SystemError) {
      place = try .make("openat") { tp_open_place(descriptor, name, O_NOFOLLOW) }
      try checked("fstat") { fstat(place.number, &status) }
    } catch {
      if error.code == ENOENT { return false }
      throw .cannotOpen(path: path, error)
    }
    guard tp_is_regular_file(status.st_mode) != 0 else { throw .wrongFileType(path: path) }
    try DatabaseFolder.requireOwner(of: status, path: path)
    // Root may be working in a folder whose owner can replace the file with a link at any moment.
    if status.st_mode & 0o077 != 0, tp_chmod_place(place.number, 0o600) == -1 {
      throw .cannotOpen(path: path, .last("chmod"))
    }
    return true
  }

  /// Creates a file with mode 0600, regardless of the umask, that belongs to the folder's owner even if root creates
  /// it.
  @export(interface)
  package func make(_ path: String) throws(SystemError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let made = try checked("open") { tp_open(path, flags, 0o600) }
    do throws(SystemError) {
      try checked("fchmod") { fchmod(made, 0o600) }
      try FileOwner.give(made) { owner }
    } catch {
      close(made)
      unlink(path)
      throw error
    }
    return made
  }

  /// Syncs the folder, so that new and renamed files survive a power cut.
  package func synchronize() throws(SystemError) { try checked("fsync") { fsync(descriptor) } }

  /// Checks that a file belongs to the current user; root may use any user's store.
  private static func requireOwner(of status: stat, path: String) throws(DatabaseError) {
    let user = geteuid()
    if user != 0, status.st_uid != user { throw .foreignOwner(path: path, user: status.st_uid) }
  }
}
