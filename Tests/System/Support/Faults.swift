// Programs under Tests/System/Faults/faults.c: a disk that is full from a certain write on, a kill at a certain change,
// a clock that shows 1970.

import Foundation
import TestSupport

enum Faults {
  /// A fault that happens to a program.
  enum Fault {
    case none
    /// From this write on, counted from 1.
    case fullDisk(Int)
    /// Just before this change of a file or a folder, counted from 1.
    case kill(Int)
    /// The wall clock shows this number of seconds since 1970.
    case clock(Int)
  }

  private static let library: Result<String, any Error> = Result {
    let folder = try Programs.temporaryFolder().path
    let made = try Programs.run(
      try Programs.installed("cc"),
      ["-std=c11", "-shared", "-fPIC", "-o", folder + "/faults.so", Repository.root + "/Tests/System/Faults/faults.c"])
    guard made.status == 0 else { throw TestFault(made.errors) }
    atexit {
      if case .success(let path) = Faults.library {
        try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
      }
    }
    return folder + "/faults.so"
  }

  /// Runs `tappet` to its end.
  static func run(_ words: [String], _ fault: Fault, input: String = "") throws -> Finished {
    var environment = ["LD_PRELOAD": try library.get()]
    switch fault {
    case .none: break
    case .fullDisk(let number): environment["TAPPET_FAULT_FULL"] = "\(number)"
    case .kill(let number): environment["TAPPET_FAULT_KILL"] = "\(number)"
    case .clock(let seconds): environment["TAPPET_FAULT_CLOCK"] = "\(seconds)"
    }
    return try Programs.run(try Programs.built("tappet"), words, environment: environment, input: input)
  }

  /// The environment of a program whose disk takes so much longer for each sync.
  static func slowSyncs(milliseconds: Int) throws -> [String: String] {
    ["LD_PRELOAD": try library.get(), "TAPPET_FAULT_SYNC": "\(milliseconds)"]
  }

  /// The environment of a program whose clock is synchronized and this many seconds ahead.
  static func clock(ahead seconds: Int) throws -> [String: String] {
    let time = Int(Date().timeIntervalSince1970) + seconds
    return ["LD_PRELOAD": try library.get(), "TAPPET_FAULT_SYNCED": "1", "TAPPET_FAULT_CLOCK": "\(time)"]
  }

  /// The environment of a program that writes its numbers of writes, changes and syncs to `file` at its end.
  static func counting(to file: String) throws -> [String: String] {
    ["LD_PRELOAD": try library.get(), "TAPPET_FAULT_COUNTS": file]
  }

  /// How many writes and how many changes it makes when nothing happens to it.
  static func count(_ words: [String], input: String = "") throws -> (writes: Int, changes: Int) {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.path + "/counts"
    let done = try Programs.run(
      try Programs.built("tappet"), words,
      environment: ["LD_PRELOAD": try library.get(), "TAPPET_FAULT_COUNTS": file], input: input)
    let counts = try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      .compactMap { Int($0) }
    guard done.status == 0, counts.count == 3 else { throw TestFault("\(words): \(done)") }
    return (counts[0], counts[1])
  }
}

/// A folder as it is now, to be had again.
struct FolderCopy {
  let path: String
  private let kept: String

  init(_ path: String) throws {
    self.path = path
    kept = path + ".kept"
    try FileManager.default.copyItem(atPath: path, toPath: kept)
  }

  func bringBack() throws {
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: kept, toPath: path)
  }

  /// The files in a folder and those in its folders, with their modes.
  static func modes(_ path: String) throws -> [String: Int] {
    var modes: [String: Int] = [:]
    for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      modes[name] = attributes[.posixPermissions] as? Int
    }
    return modes
  }
}
