// Atomic replacement of several files: each file is written completely and synced next to its destination, and only
// then are all of them renamed into place. A failed write changes nothing, and signals wait until the outcome is
// decided.

import CPlatform
import TappetBase

/// The reason why no file was changed.
package struct AtomicFilesError: Error, Hashable, Sendable {
  /// The path of the file that could not be written.
  package var path: String
  /// Error of the failed call.
  package var error: SystemError

  /// Creates an error for `path`.
  package init(path: String, error: SystemError) {
    self.path = path
    self.error = error
  }
}

/// Set of files that are written together, all or none.
///
/// SIGINT, SIGTERM and SIGHUP are blocked while this object exists.
package final class AtomicFiles {
  private struct Draft {
    var path: String
    var draft: String
    /// Hard link to the old file, kept until all files are in place.
    var kept: String?
    var isPlaced = false
  }

  private var drafts: [Draft] = []
  /// Precedes the process id in the name of a draft, of a link to an old file, and of a folder of drafts.
  static let mark = ".tappet-"
  private let suffix: String
  private let isForService: Bool
  private let mask = SignalMask([SIGINT, SIGTERM, SIGHUP])

  /// Creates an empty set; with `isForService`, files that root writes in its own folder are readable by the service's
  /// user.
  package init(isForService: Bool = false) {
    self.isForService = isForService
    suffix = Self.mark + String(getpid())
  }

  deinit { discard() }

  /// Writes `bytes` next to `path`, with exactly `mode` regardless of the umask.
  ///
  /// With `isShared`, a new file keeps the writer as its owner, because a network share may forbid changing the owner.
  package func add(
    _ path: String, _ bytes: [UInt8], mode: UInt32, isShared: Bool = false
  ) throws(AtomicFilesError) {
    let failure = bytes.withUnsafeBytes { write($0, nextTo: path, mode: mode, isShared: isShared) }
    if let failure { throw failure }
  }

  /// Writes a secret next to `path`, with mode 0600.
  package func add(_ path: String, _ text: SecretBytes) throws(AtomicFilesError) {
    if let failure = text.withBytes({ write($0, nextTo: path, mode: 0o600) }) { throw failure }
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, nextTo path: String, mode: UInt32, isShared: Bool = false
  ) -> AtomicFilesError? {
    let draft = path + suffix + ".new"
    do throws(SystemError) {
      unlink(draft)
      let file = try FileDescriptor.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      drafts.append(Draft(path: path, draft: draft))
      if !isShared {
        try FileOwner.give(file.number) { () throws(SystemError) in try owner(of: path, mode: mode) }
      }
      try checked("fchmod") { fchmod(file.number, mode) }
      try file.write(bytes)
      try file.synchronize()
      return nil
    } catch { return AtomicFilesError(path: path, error: error) }
  }

  /// Renames all files into place, in the order in which they were added; if one fails, none is replaced.
  package func commit() throws(AtomicFilesError) {
    try place()
    settle()
  }

  /// Renames all files into place like `commit`, but keeps the old files, which `discard` restores, until `settle`.
  @export(interface)
  package func place() throws(AtomicFilesError) {
    for index in drafts.indices {
      do throws(SystemError) { try place(&drafts[index]) } catch {
        let path = drafts[index].path
        discard()
        throw AtomicFilesError(path: path, error: error)
      }
    }
  }

  /// Removes the old files after `place`.
  @export(interface)
  package func settle() {
    for draft in drafts {
      if let kept = draft.kept { unlink(kept) }
      Self.synchronizeFolder(of: draft.path)
    }
    drafts.removeAll()
  }

  private func place(_ draft: inout Draft) throws(SystemError) {
    let kept = draft.path + suffix + ".old"
    unlink(kept)
    do throws(SystemError) {
      try checked("link") { link(draft.path, kept) }
      draft.kept = kept
    } catch {
      // A file system without hard links cannot keep the old file.
      guard [ENOENT, EPERM, ENOTSUP].contains(error.code) else { throw error }
    }
    try checked("rename") { rename(draft.draft, draft.path) }
    draft.isPlaced = true
  }

  /// Discards the drafts and restores the old files.
  @export(interface)
  package func discard() {
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

  /// Returns the owner of a file that root writes: a replaced file keeps its owner; a new file gets the folder's owner,
  /// or the service's user.
  private func owner(of path: String, mode: UInt32) throws(SystemError) -> FileOwner? {
    var status = stat()
    if stat(path, &status) == 0, tp_is_regular_file(status.st_mode) != 0 { return FileOwner(status) }
    guard isForService else { return nil }
    let folder = try FileOwner(of: Self.folder(of: path))
    if folder.user != 0 { return folder }
    guard let service = getpwnam(Self.serviceUser) else { return nil }
    // The service reads its configuration but does not change it; a key must be owned by the service's user.
    return FileOwner(user: mode & 0o077 == 0 ? service.pointee.pw_uid : 0, group: service.pointee.pw_gid)
  }

  /// Whether root is writing, and the service's user does not exist.
  package static var lacksServiceUser: Bool { geteuid() == 0 && getpwnam(serviceUser) == nil }

  /// Name of the service's user, as in board/systemd/tappet.sysusers.
  fileprivate static let serviceUser = "tappet"

  static func synchronizeFolder(of path: String) {
    try? FileDescriptor.open(folder(of: path), O_RDONLY | O_DIRECTORY).synchronize()
  }

  /// Returns the folder that contains a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }
}

/// The owner and group of a file.
package struct FileOwner: Hashable, Sendable {
  package var user: UInt32
  package var group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }

  package init(_ status: stat) { self.init(user: status.st_uid, group: status.st_gid) }

  /// Looks up the owner of a file or folder.
  @export(interface)
  package init(of path: String) throws(SystemError) {
    var status = stat()
    try checked("stat") { stat(path, &status) }
    self.init(status)
  }

  /// Gives a new file of root to `owner`; other users cannot give files away.
  @export(interface)
  package static func give(_ file: Int32, to owner: () throws(SystemError) -> FileOwner?) throws(SystemError) {
    guard geteuid() == 0, let owner = try owner() else { return }
    try checked("fchown") { fchown(file, owner.user, owner.group) }
  }

  /// Returns the owner of a file or folder; `nil` if it cannot be determined.
  package static func user(of path: String) -> UInt32? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_uid : nil
  }

  /// Whether users other than root can change or replace the file.
  @export(interface)
  package static func isOpenToOthers(_ path: String) -> Bool {
    [path, AtomicFiles.folder(of: path)].contains {
      var status = stat()
      return stat($0, &status) != 0 || status.st_uid != 0 || status.st_mode & 0o022 != 0
    }
  }

  /// Whether a socket or file at `path` may be Tappet's if it belongs to `user`: root, this user, the service's user or
  /// the folder's owner.
  @export(interface)
  package static func isTrusted(_ user: UInt32, at path: String) -> Bool {
    [0, geteuid(), Self.user(of: AtomicFiles.folder(of: path)), serviceUser].contains(user)
  }

  /// User id of the service; `nil` if there is no such user.
  package static var serviceUser: UInt32? { getpwnam(AtomicFiles.serviceUser)?.pointee.pw_uid }
}
