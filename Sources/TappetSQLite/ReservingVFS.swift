// A VFS for SQLite (sqlite.org/vfs.html): "unix", except that it reserves disk space for the WAL index before SQLite
// writes to the index through a memory mapping.
//
// SQLite extends that file by writing one byte per 4 KB. If the file system's blocks are smaller, some blocks are not
// allocated, and on a full disk the first write to such a block terminates the process with SIGBUS.

import CPlatform
import CSQLite

/// The VFS of all databases.
enum ReservingVFS {
  /// Follows the file object of "unix"; it starts with the method table of the file.
  private struct Extension {
    var methods: sqlite3_io_methods
    var original: UnsafePointer<sqlite3_io_methods>
    /// Path of the database, which SQLite leaves unchanged until the file is closed.
    var path: UnsafePointer<CChar>
  }

  /// Returns the name of the VFS, which is registered if necessary.
  static func registered() -> UnsafePointer<CChar> {
    let text: StaticString = "tappet-unix"
    let name = UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    tp_library_lock()
    defer { tp_library_unlock() }
    guard sqlite3_vfs_find(name) == nil, let unix = sqlite3_vfs_find("unix") else { return name }
    let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    own.initialize(to: unix.pointee)
    own.pointee.zName = name
    own.pointee.szOsFile += Int32(MemoryLayout<Extension>.stride)
    own.pointee.xOpen = { ReservingVFS.open($1, $2, $3, $4) }
    sqlite3_vfs_register(own, 0)
    return name
  }

  /// Opens a file with "unix", and installs the replacement if it is a database.
  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ openedFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let unix = sqlite3_vfs_find("unix"), let file, let open = unix.pointee.xOpen else { return SQLITE_CANTOPEN }
    let code = open(unix, path, file, flags, openedFlags)
    guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let path, let original = file.pointee.pMethods,
      original.pointee.iVersion >= 2
    else { return code }
    let place = UnsafeMutableRawPointer(file) + Int(unix.pointee.szOsFile)
    let added = place.initializeMemory(
      as: Extension.self, to: Extension(methods: original.pointee, original: original, path: path))
    added.pointee.methods.xShmMap = { ReservingVFS.map($0, $1, $2, $3, $4) }
    file.pointee.pMethods = UnsafeRawPointer(added).assumingMemoryBound(to: sqlite3_io_methods.self)
    return code
  }

  /// Maps a region: first opens the index, which may truncate it, then reserves space, and finally extends the index.
  private static func map(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ region: Int32, _ size: Int32, _ isExtending: Int32,
    _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard let methods = file?.pointee.pMethods else { return SQLITE_MISUSE }
    let own = UnsafeRawPointer(methods).load(as: Extension.self)
    guard let map = own.original.pointee.xShmMap else { return SQLITE_MISUSE }
    if isExtending != 0 {
      let code = map(file, region, size, 0, memory)
      if code != SQLITE_OK { return code }
      let index = String(cString: own.path) + "-shm"
      if tp_reserve_open_file(index, Int64(region + 1) * Int64(size)) != 0 { return SQLITE_FULL }
    }
    return map(file, region, size, isExtending, memory)
  }
}
