// Several files that come into being together: each is written beside its place, whole and on the disk, and only then do all of
// them take their places. What cannot be written changes nothing, and a signal waits until it is settled.

import CPlatform
import TappetCore

/// Why no file was changed.
public struct FileSetError: Error, Hashable, Sendable {
  /// The file.
  public var path: String
  /// What failed.
  public var error: SystemError

  /// A failure at `path`.
  public init(path: String, error: SystemError) {
    self.path = path
    self.error = error
  }
}

/// Files that are to be written.
public final class FileSet {
  private struct Draft {
    var path: String
    var draft: String
    /// What stood there, kept until all are in place.
    var kept: String?
    var isPlaced = false
  }

  private var drafts: [Draft] = []
  private let mark: String

  private let isForService: Bool
  private var maskBefore = sigset_t()

  /// An empty set; `isForService`: what root writes in a folder of its own is for the service's user to read.
  public init(isForService: Bool = false) {
    self.isForService = isForService
    mark = ".tappet-" + String(getpid())
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&mask, number) }
    pthread_sigmask(SIG_BLOCK, &mask, &maskBefore)
  }

  deinit {
    discard()
    pthread_sigmask(SIG_SETMASK, &maskBefore, nil)
  }

  /// Writes `bytes` beside `path`; the mode is exactly `mode`, whatever the umask.
  public func add(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileSetError) {
    if let failure = bytes.withUnsafeBytes({ write($0, beside: path, mode: mode) }) { throw failure }
  }

  /// The same for what nobody else may read: mode 0600.
  public func add(_ path: String, _ text: SecretText) throws(FileSetError) {
    if let failure = text.withBytes({ write($0, beside: path, mode: 0o600) }) { throw failure }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, beside path: String, mode: UInt32) -> FileSetError? {
    let draft = path + mark + ".new"
    do throws(SystemError) {
      unlink(draft)
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      let file = try checked("open") { tp_open(draft, flags, 0o600) }
      drafts.append(Draft(path: path, draft: draft))
      defer { close(file) }
      try giveAway(file, path, mode: mode)
      try checked("fchmod") { fchmod(file, mode) }
      var offset = 0
      while offset < bytes.count {
        offset += try checked("write") {
          CPlatform.write(file, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
        }
      }
      try checked("fsync") { fsync(file) }
      return nil
    } catch { return FileSetError(path: path, error: error) }
  }

  /// Puts all of them in place, in the order in which they were added; when one cannot be, none is.
  public func commit() throws(FileSetError) {
    for index in drafts.indices {
      let draft = drafts[index]
      do throws(SystemError) {
        let kept = draft.path + mark + ".old"
        unlink(kept)
        if link(draft.path, kept) == 0 {
          drafts[index].kept = kept
        } else if case let code = tp_errno(), ![ENOENT, EPERM, ENOTSUP].contains(code) {
          // A file system without links keeps nothing.
          throw SystemError(call: "link", code: code)
        }
        try checked("rename") { rename(draft.draft, draft.path) }
        drafts[index].isPlaced = true
      } catch {
        discard()
        throw FileSetError(path: draft.path, error: error)
      }
    }
    for draft in drafts {
      if let kept = draft.kept { unlink(kept) }
      Self.synchroniseFolder(of: draft.path)
    }
    drafts.removeAll()
  }

  /// Leaves everything as it was.
  public func discard() {
    for draft in drafts {
      if !draft.isPlaced { unlink(draft.draft) }
      switch (draft.isPlaced, draft.kept) {
      case (true, let kept?): rename(kept, draft.path)
      case (true, nil): unlink(draft.path)
      case (false, let kept?): unlink(kept)
      case (false, nil): break
      }
    }
    drafts.removeAll()
  }

  /// Who owns the file that it replaces goes on owning it; a new one is the folder's owner's, or the service's.
  private func giveAway(_ file: Int32, _ path: String, mode: UInt32) throws(SystemError) {
    guard geteuid() == 0 else { return }
    var status = stat()
    if stat(path, &status) == 0, tp_is_regular_file(status.st_mode) != 0 {
      try checked("fchown") { fchown(file, status.st_uid, status.st_gid) }
      return
    }
    guard isForService else { return }
    try checked("stat") { stat(Self.folder(of: path), &status) }
    if status.st_uid != 0 {
      try checked("fchown") { fchown(file, status.st_uid, status.st_gid) }
    } else if let service = getpwnam(Self.serviceUser) {
      // It reads what it is configured with, and changes nothing of it; a key must be its own.
      let user = mode & 0o077 == 0 ? service.pointee.pw_uid : 0
      try checked("fchown") { fchown(file, user, service.pointee.pw_gid) }
    }
  }

  /// Root writes, and the user for whom the service's files are is not there.
  public static var lacksServiceUser: Bool { geteuid() == 0 && getpwnam(serviceUser) == nil }

  /// As in board/systemd/tappet.sysusers.
  private static let serviceUser = "tappet"

  private static func synchroniseFolder(of path: String) {
    let descriptor = tp_open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The folder that a path is in.
  public static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }
}
