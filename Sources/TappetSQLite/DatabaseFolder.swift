// The state folder and the files in it. They are made for their owner alone; rights that others were given are removed.

import CPlatform
import TappetCore
import TappetPlatform

/// An open state folder.
package final class DatabaseFolder {
  /// The path, without a slash at its end.
  package let path: String
  private let descriptor: Int32
  private let owner: stat

  private init(path: String, owning descriptor: Int32, _ owner: stat) {
    self.path = path
    self.descriptor = descriptor
    self.owner = owner
  }

  /// Opens the folder; makes it with mode 0700 if it is absent.
  ///
  /// Follows a symbolic link: service managers make one. Not an `init`: one that throws halfway leaks its object in
  /// Embedded Swift 6.3, and this is what fails each time that a kiosk is started without its folder.
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
    let folder = DatabaseFolder(path: path, owning: opened, status)
    guard result == 0 else { throw .cannotOpen(path: path, .last("fstat")) }
    try requireOwner(of: status, path: path)
    // Write access to the folder is enough to replace our database by another one.
    if status.st_mode & 0o022 != 0 {
      guard status.st_mode & 0o1000 == 0, !folder.hasFilesOfOthers else { throw .sharedFolder(path: path) }
      guard fchmod(opened, status.st_mode & 0o7755) == 0 else { throw .cannotOpen(path: path, .last("fchmod")) }
    }
    return folder
  }

  /// Whether it holds files of users who would be locked out with their rights to the folder, as /var/mail does.
  private var hasFilesOfOthers: Bool {
    FolderNames.sorted(in: path).contains { name in
      var status = stat()
      return lstat(file(name), &status) == 0 && status.st_uid != 0 && status.st_uid != owner.st_uid
    }
  }

  deinit { close(descriptor) }

  /// Takes the lock that keeps other processes out until `unlock`.
  ///
  /// Waits for at most `Limits.storeBusyTimeout`, as SQLite does for its own lock: a process that was stopped while it
  /// held the lock must not stop the kiosk's taps as well.
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
      // The kernel cannot wait for this lock with a limit.
      Poll.sleep(Limits.storeLockPollInterval)
    }
  }

  /// Releases the lock.
  package func unlock() { flock(descriptor, LOCK_UN) }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// Makes an empty file with mode 0600, or removes others' rights to the one that exists.
  ///
  /// Never opens an existing file for reading or writing: to close it again would drop the locks that SQLite has on it
  /// in this process (sqlite.org/howtocorrupt.html, §2.2).
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

  /// Makes an empty database, or removes others' rights to the one that exists and to its log.
  package func ensureDatabase(_ name: String) throws(DatabaseError) {
    try ensureFile(name)
    try tightenFile(name + "-wal")
    try tightenFile(name + "-shm")
  }

  /// Removes others' rights to the file; returns false when it is absent.
  @discardableResult
  @export(interface)
  package func tightenFile(_ name: String) throws(DatabaseError) -> Bool {
    let path = file(name)
    var status = stat()
    let place: FileDescriptor
    do throws(SystemError) {
      place = try .make("openat") { tp_open_place(descriptor, name) }
      try checked("fstat") { fstat(place.number, &status) }
    } catch {
      if error.code == ENOENT { return false }
      throw .cannotOpen(path: path, error)
    }
    guard tp_is_regular_file(status.st_mode) != 0 else { throw .wrongFileType(path: path) }
    try DatabaseFolder.requireOwner(of: status, path: path)
    // Root works in a folder whose user may exchange the file for a link at any moment.
    if status.st_mode & 0o077 != 0, tp_chmod_place(place.number, 0o600) == -1 {
      throw .cannotOpen(path: path, .last("chmod"))
    }
    return true
  }

  /// Makes a new file with mode 0600, whatever the umask, that belongs to the folder's owner even if root makes it.
  @export(interface)
  package func make(_ path: String) throws(SystemError) -> Int32 {
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

  /// Makes sure that new and renamed files in the folder survive a power cut.
  package func synchronise() throws(SystemError) { try checked("fsync") { fsync(descriptor) } }

  /// Checks that a file is our user's; root may use anybody's store.
  private static func requireOwner(of status: stat, path: String) throws(DatabaseError) {
    let user = geteuid()
    if user != 0, status.st_uid != user { throw .foreignOwner(path: path, user: status.st_uid) }
  }
}
