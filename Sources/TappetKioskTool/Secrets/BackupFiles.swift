// The files in a backup: kiosk.yaml and the files it refers to.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

enum BackupFiles {
  /// Reads the configuration at `path` and the files it refers to; returns the paths of missing files, too.
  static func collect(_ path: String) throws(CommandFailure) -> (parts: [BackupPart], absent: [String]) {
    guard let configuration = try read("", from: path) else { throw .failed("\(path) no longer exists") }
    var (parts, absent) = ([configuration], [String]())
    for name in ConfigurationParser.namedFiles(in: configuration.content) {
      guard !climbs(name) else {
        throw .refused("\(path) refers to \(name), which 'tappet restore' would refuse; specify the file's full path")
      }
      let file = ConfigurationParser.resolve(name, in: path)
      guard let part = try read(name, from: file) else {
        absent.append(file)
        continue
      }
      parts.append(part)
    }
    return (parts, absent)
  }

  private static func read(_ name: String, from path: String) throws(CommandFailure) -> BackupPart? {
    switch TextFile.read(path, sizeMax: Limits.configurationSizeMax) {
    case .failure(let error):
      if error.code == ENOENT { return nil }
      throw .failed("\(path) cannot be read: \(error.text); nothing was backed up")
    case .success(let file): return BackupPart(path: name, mode: file.mode & 0o777, content: file.bytes)
    }
  }

  /// Checks that a backup contains only kiosk.yaml and the files it refers to, and no path through a parent folder.
  ///
  /// Otherwise the backup's creator, or anyone with its passphrase, could choose which files root overwrites.
  static func check(_ parts: [BackupPart]) throws(CommandFailure) {
    let named = parts.first { $0.path.isEmpty }.map { ConfigurationParser.namedFiles(in: $0.content) } ?? []
    for part in parts where !part.path.isEmpty {
      guard named.contains(part.path), !climbs(part.path) else {
        throw .refused(
          "the backup contains the file \(part.path.quoted), "
            + (climbs(part.path) ? "a path with '..'" : "which its kiosk.yaml does not specify")
            + ": nothing was changed; use --secrets-only to restore everything else")
      }
    }
  }

  /// Returns the paths outside the configuration's folder, which a backup could choose freely.
  static func outside(_ parts: [BackupPart], _ path: String) -> [String] {
    let folder = AtomicFiles.folder(of: path)
    let inside = (resolvedPath(folder) ?? folder) + "/"
    return parts.map { $0.path }.filter { $0.begins(with: "/") && !$0.begins(with: inside) }
  }

  private static func climbs(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
  }

  /// Returns the files' destination paths for a configuration at `path`.
  static func targets(_ parts: [BackupPart], _ path: String) -> [String] {
    parts.map { $0.path.isEmpty ? path : ConfigurationParser.resolve($0.path, in: path) }
  }

  /// Writes the files next to their destinations, kiosk.yaml last, so that it never refers to a missing file.
  static func stage(_ parts: [BackupPart], _ path: String) throws(CommandFailure) -> AtomicFiles {
    let files = AtomicFiles(isForService: true)
    let placed = Array(zip(parts, targets(parts, path)))
    do throws(AtomicFilesError) {
      for (part, target) in placed where !part.path.isEmpty { try add(part, target, to: files) }
      for (part, target) in placed where part.path.isEmpty { try add(part, target, to: files) }
    } catch { throw error.failure }
    return files
  }

  private static func add(_ part: BackupPart, _ target: String, to files: AtomicFiles) throws(AtomicFilesError) {
    do throws(SystemError) {
      try checked("mkdir") { mkdir(AtomicFiles.folder(of: target), 0o755) }
    } catch {
      if error.code != EEXIST { throw AtomicFilesError(path: target, error: error) }
    }
    // The files are never executable, and not writable by other users.
    try files.add(target, part.content, mode: part.mode & 0o644)
  }
}
