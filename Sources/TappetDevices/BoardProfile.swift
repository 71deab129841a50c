// What the pins of a board's header are: data from share/tappet/profiles, one YAML file a board.

import CPlatform
import TappetCore

/// A board's headers and which chip's line each of their pins carries.
public struct BoardProfile: Hashable, Sendable {
  /// What a pin carries.
  public enum PinLine: Hashable, Sendable {
    /// Power, ground or nothing.
    case none
    /// A line of the chip with the first of these labels that is there.
    ///
    /// Boards that share a header differ in the chip's label only.
    case offset(labels: [String], offset: UInt32)
    /// The line that the kernel calls so, on whichever chip.
    case named(String)
  }

  /// One pin of a header.
  public struct Pin: Hashable, Sendable {
    /// As `pin:` in the configuration says it.
    public var number: Int
    /// The name in the board's papers: `GPIO17`, `3V3`.
    public var name: String
    /// What it carries.
    public var line: PinLine
    /// What else the board can use it for: `I2C1 SDA`; empty when nothing.
    public var alternative: String
    /// What the board itself needs it for, nil when nothing: then it serves as no line.
    public var reservedFor: String?
  }

  /// Two columns of pins, odd numbers left.
  public struct Header: Hashable, Sendable {
    /// As it is printed on the board or in its papers.
    public var title: String
    /// In order, without gaps, an even number.
    public var pins: [Pin]
  }

  /// The file's name without its ending.
  public var name: String
  /// For a person.
  public var title: String
  /// How the device tree's model of such a board begins.
  public var models: [String] = []
  /// One at least.
  public var headers: [Header]

  /// The pin of this number.
  public func pin(_ number: Int) -> Pin? { first { $0.number == number } }

  /// The pin that carries a line and has this name.
  public func pin(named name: String) -> Pin? { first { $0.line != .none && $0.name == name } }

  /// The highest number.
  public var lastPin: Int { headers.last?.pins.last?.number ?? 0 }

  /// The labels of the chip, where all pins are on one.
  var onlyChip: [String]? {
    var only: [String]?
    for header in headers {
      for case .offset(let labels, _) in header.pins.map({ $0.line }) {
        guard only == nil || only == labels else { return nil }
        only = labels
      }
    }
    return only
  }

  private func first(where isMeant: (Pin) -> Bool) -> Pin? {
    for header in headers {
      if let pin = header.pins.first(where: isMeant) { return pin }
    }
    return nil
  }
}

/// Why there is no profile.
public indirect enum BoardProfileError: Error, Hashable, Sendable {
  /// No file of this name; the nearest that there is, and all.
  case unknown(String, nearest: String?, known: [String])
  /// The file has mistakes, one at least.
  case refused([ConfigProblem])
}

extension BoardProfile {
  /// Reads the profile `name`: one of Tappet's, or with a slash in it the path of a file of one's own.
  public static func load(name: String) throws(BoardProfileError) -> BoardProfile {
    if name.utf8.contains(UInt8(ascii: "/")) { return try load(path: name, name: name) }
    let folder = folder()
    let path = "\(folder)/\(name).yaml"
    guard access(path, F_OK) == 0 else {
      let known = known(in: folder)
      throw .unknown(name, nearest: Spelling.nearest(to: name, among: known), known: known)
    }
    return try load(path: path, name: name)
  }

  /// The profile of a board whose device tree calls itself `model`; nil when there is none.
  public static func matching(model: String) -> String? {
    for name in known() {
      guard let profile = try? load(name: name) else { continue }
      if profile.models.contains(where: { model.begins(with: $0) }) { return name }
    }
    return nil
  }

  /// What this machine's device tree calls it; nil where there is none, as on a PC.
  public static func modelOfThisMachine() -> String? {
    guard case .success(let file) = TextFile.read("/proc/device-tree/model", sizeMax: 256) else { return nil }
    let text = String(decoding: file.bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// The names that `load` takes, sorted.
  public static func known() -> [String] { known(in: folder()) }

  private static func load(path: String, name: String) throws(BoardProfileError) -> BoardProfile {
    switch TextFile.read(path, sizeMax: Limits.profileSizeMax) {
    case .failure(let error):
      let start = TextPosition(line: 1, column: 1)
      throw .refused([ConfigProblem(file: path, position: start, place: "", kind: .cannotRead(error))])
    case .success(let file): return try parse(file.bytes, file: path, name: name)
    }
  }

  private static func known(in folder: String) -> [String] { DataFolder.names(in: folder) }

  private static func folder() -> String { DataFolder.path("profiles", variable: "TAPPET_PROFILES") }
}
