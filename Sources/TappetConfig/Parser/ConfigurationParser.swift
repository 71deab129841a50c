// Parser for kiosk.yaml: its keys and their meaning. The whole file is checked, and all errors are reported together.

import CPlatform
import TappetCore
import TappetPlatform

/// Strictness of the checks on files that a configuration refers to.
package enum NamedFiles: Sendable {
  /// Files are not read, so that a user who may not read the keys can still query the kiosk.
  case ignored
  /// A file that is missing or cannot be used is only a warning: the kiosk starts, without what needs the file. But a
  /// secret that others can read is an error.
  case tolerated
  /// Keys are read and must be private; a missing certificate or session may still be added later.
  case used
  /// In addition, all files must exist.
  case required
}

/// Parser for kiosk.yaml files.
package enum ConfigurationParser {
  /// A configuration, or the errors in the file.
  package enum Outcome: Sendable {
    case loaded(KioskConfiguration)
    /// One or more errors, in file order.
    case refused([ConfigurationProblem])
  }

  /// Reads the file at `path`, or `text` if the file has already been read.
  ///
  /// Relative paths in the file are relative to its folder.
  @export(interface)
  package static func load(
    path: String, files: NamedFiles = .used, text: Result<TextFile, SystemError>? = nil
  ) -> Outcome {
    let start = TextPosition(line: 1, column: 1)
    switch text ?? self.text(path: path) {
    case .failure(let error):
      return .refused([ConfigurationProblem(file: path, position: start, place: "", kind: .cannotRead(error))])
    case .success(let file):
      return parse(file.bytes, name: path, folder: folder(of: path), files: files)
    }
  }

  /// Reads the text of the file at `path`.
  @export(interface)
  package static func text(path: String) -> Result<TextFile, SystemError> {
    TextFile.read(path, sizeMax: Limits.configurationSizeMax)
  }

  /// Parses a configuration; `name` is the file name in error messages.
  ///
  /// In a draft, an action may do nothing yet.
  @export(interface)
  package static func parse(
    _ bytes: [UInt8], name: String, folder: String, files: NamedFiles = .used, isDraft: Bool = false
  ) -> Outcome {
    var reader = YAMLReader(file: name, folder: folder, files: files, isDraft: isDraft)
    let start = TextPosition(line: 1, column: 1)
    if bytes.count > Limits.configurationSizeMax {
      reader.note(.tooLarge(size: bytes.count, max: Limits.configurationSizeMax), at: start, "")
    } else if String(validating: bytes, as: UTF8.self) == nil {
      reader.note(.notUTF8, at: TextPosition(of: validCount(bytes), in: bytes), "")
    } else {
      do throws(YAMLFailure) {
        let root = try YAMLDocument.parse(bytes)
        if let configuration = reader.configuration(root) { return .loaded(configuration) }
      } catch { reader.note(.yaml(error.error), at: error.position, "") }
    }
    return .refused(bounded(reader.problems))
  }

  /// Sorts the errors by position and truncates the list to a readable length.
  private static func bounded(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
    let sorted = problems.inOrder { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
    guard sorted.count > Limits.configurationProblemsMax, let last = sorted.last else { return sorted }
    var told = Array(sorted.prefix(Limits.configurationProblemsMax))
    let kind = ConfigurationProblem.Kind.more(count: sorted.count - told.count)
    told.append(ConfigurationProblem(file: last.file, position: last.position, place: "", kind: kind))
    return told
  }

  /// Returns the number of bytes before the first invalid UTF-8 byte.
  private static func validCount(_ bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var count = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
    return count
  }

  /// Returns the files specified in `broker:`, even if the configuration has errors; `nil` if it cannot be read.
  ///
  /// Used by commands that repair these files.
  @export(interface)
  package static func brokerFiles(path: String) -> BrokerFiles? {
    guard case .success(let file) = text(path: path),
      let root = try? YAMLDocument.parse(file.bytes)
    else { return nil }
    var reader = YAMLReader(file: path, folder: folder(of: path))
    guard let node = reader.mapping(root, keys: ["broker"])?["broker"],
      let broker = reader.mapping(node, keys: ["client_id", "ca", "certificate", "private_key"])
    else { return nil }
    return BrokerFiles(
      clientID: reader.text(broker["client_id"]), ca: reader.path(broker["ca"]),
      certificate: reader.path(broker["certificate"]), privateKey: reader.path(broker["private_key"]))
  }

  /// Returns the keys of a configuration that another one does not have, such as `history` or `actions.bell.hours`.
  ///
  /// Elements of a sequence are compared by their names. A configuration that is not YAML has no keys.
  @export(interface)
  package static func keys(of configuration: [UInt8], missingIn other: [UInt8]) -> [String] {
    guard let old = try? YAMLDocument.parse(configuration), let new = try? YAMLDocument.parse(other) else { return [] }
    return old.keys(missingIn: new)
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "" : String(path[..<slash])
  }
}

/// The client id and the files specified in `broker:`; `nil` for missing keys.
package struct BrokerFiles: Hashable, Sendable {
  /// The client id.
  package var clientID: String?
  /// The broker's CA.
  package var ca: String?
  /// The kiosk's certificate.
  package var certificate: String?
  /// The certificate's private key.
  package var privateKey: String?
}

extension YAMLReader {
  /// Returns the configuration; `nil` after an error.
  mutating func configuration(_ root: YAMLNode) -> KioskConfiguration? {
    let keys = [
      "broker", "timestamp_key", "reader", "panel", "actions", "tags", "unknown_tags", "commands", "telemetry",
      "home_assistant", "clock", "outbox", "history", "state", "control", "max_secrets", "time_zone", "holidays",
      "matrix", "inventory", "site", "web",
    ]
    guard let top = mapping(root, keys: keys) else { return nil }
    var broker = broker(top["broker"])
    let timestampKey = timestampKey(top["timestamp_key"])
    (matrix, inputNames) = (matrix(top["matrix"]), names(of: "inputs", in: top["panel"], max: Limits.inputsMax))
    let actions = actions(
      required("actions", in: top), hasKey: top["timestamp_key"] != nil, outputNames: outputNames(top["panel"]))
    let names = top["actions"].map { self.names(in: $0, max: Limits.actionsMax) } ?? []
    let panel = panel(top["panel"], actionNames: names)
    if let panel, let actions, let place = top["panel"] { checkLock(panel, actions, at: place.position) }
    var commands = commands(
      top["commands"], hasKey: top["timestamp_key"] != nil, actionNames: names, outputNames: outputNames(top["panel"]))
    checkConfirmRooms(commands)
    let tags = foreignTags(top["tags"], actions: actions ?? [], actionNames: names)
    let unknownTags = unknownTags(top["unknown_tags"], hasKey: top["timestamp_key"] != nil)
    let publishing = (actions ?? []) + (unknownTags.map { [$0] } ?? [])
    let inventory = inventory(top["inventory"], actions: actions ?? [], actionNames: names, broker?.settings)
    if top["inventory"] == nil, let action = inventoryActions.first {
      note(.needsPartner("mode", partner: "inventory"), at: action)
    }
    if let node = top["commands"] {
      checkLoops(commands, publishing, broker?.settings, inventory: inventory?.plan.topic, at: node)
    }
    let reader = reader(top["reader"])
    let publishesState = telemetry(top["telemetry"])
    let homeAssistant = homeAssistant(
      top["home_assistant"], actionNames: names, outputNames: outputNames(top["panel"]))
    if let plan = homeAssistant, let node = top["home_assistant"], let broker {
      commands += self.commands(
        of: plan, broker.settings, outputs: panel?.plan.outputs ?? [], actions: publishing, others: commands, at: node)
    }
    let site = site(top["site"], commands, publishing, kiosk: broker?.settings.clientID ?? "")
    let (clock, outbox) = (choice(top["clock"], of: ["check", "trust"]), outbox(top["outbox"]))
    let calendar = CalendarSettings(timeZone: timeZone(top["time_zone"]), holidays: holidays(top["holidays"]))
    let secretsMax = whole(top["max_secrets"], in: 1...Int64(Limits.configuredSecretsMax))
    let historyAge = historyAge(top["history"])
    let state = path(top["state"]) ?? KioskConfiguration.usualState
    let control = socketPath(top["control"]) ?? KioskConfiguration.controlSocket(in: state)
    if let place = top["state"], top["control"] == nil, control.utf8.count > Limits.socketPathSizeMax {
      let sizeMax = Limits.socketPathSizeMax - (control.utf8.count - state.utf8.count)
      invalid(place, expected: "at most \(sizeMax) bytes long, or 'control' must be set to a shorter path")
    }
    let web = page(top["web"], panel, actionNames: names, kiosk: broker?.settings.clientID, control: control)
    guard problems.isEmpty, let actions else { return nil }
    // Subscription replies identify topics by index, so rooms must come last.
    commands = commands.filter { !$0.isRoom } + commands.filter { $0.isRoom }
    broker?.settings.commandTopics =
      commands.filter { !$0.isRoom }.map { $0.topic } + (homeAssistant.map { [$0.statusTopic] } ?? [])
    broker?.settings.siteTopic = site?.topic
    return KioskConfiguration(
      broker: broker?.settings, stateFolder: state, storesPassword: broker?.storesPassword ?? false,
      timestampKey: timestampKey.key, storesTimestampKey: timestampKey.isStored,
      reader: reader, panel: panel ?? PanelSettings(), actions: actions, foreignTags: tags, unknownTags: unknownTags,
      inventory: inventory,
      commands: commands, site: site, web: web, webhooks: webhooks, matrix: matrix,
      publishesState: publishesState || homeAssistant != nil, homeAssistant: homeAssistant, checksClock: clock != 1,
      outboxCountMax: outbox?.count ?? Limits.outboxCountMax, outboxSizeMax: outbox?.size ?? Limits.outboxSizeMax,
      historyAge: historyAge, controlSocket: control,
      secretsPerActionMax: secretsMax.map { Int($0) } ?? Limits.secretsPerActionMax, calendar: calendar,
      warnings: warnings)
  }

  private mutating func reader(_ node: YAMLNode?) -> ReaderSettings? {
    if case .scalar("none", _) = node?.content { return nil }
    guard let node, let mapping = mapping(node, keys: ["device"]) else { return ReaderSettings() }
    let device = shortText(mapping["device"], sizeMax: Limits.readerDeviceSizeMax)
    if let value = mapping["device"], let device, device.utf8.first == UInt8(ascii: "/") {
      invalid(value, expected: "a driver and its device, such as 'pn532_uart:\(device)'")
    }
    return ReaderSettings(device: device)
  }

  private mutating func historyAge(_ node: YAMLNode?) -> Duration? {
    if case .scalar("none", _) = node?.content { return nil }
    return duration(node, min: .seconds(3600), max: Limits.historyAgeMax) ?? Limits.historyAge
  }

  private mutating func outbox(_ node: YAMLNode?) -> (count: Int?, size: Int?)? {
    guard let node, let mapping = mapping(node, keys: ["count", "size"]) else { return nil }
    let count = whole(mapping["count"], in: 1...10_000_000)
    let size = self.size(mapping["size"], max: 1 << 40)
    return (count.map { Int($0) }, size)
  }

  /// Reads the key of `{file: FILE}`; returns no key for `{stored: true}`, because the store contains that key.
  private mutating func timestampKey(_ node: YAMLNode?) -> (key: TimestampKey?, isStored: Bool) {
    guard let node, let mapping = mapping(node, keys: ["file", "stored"]) else { return (nil, false) }
    if let stored = mapping["stored"] {
      if mapping["file"] != nil || flag(stored) == false { invalid(stored, expected: "true, without 'file'") }
      return (nil, true)
    }
    guard let file = required("file", in: mapping), let path = path(file), files != .ignored else {
      return (nil, false)
    }
    return (timestampKey(in: path, at: file), false)
  }

  mutating func timestampKey(in path: String, at file: YAMLNode) -> TimestampKey? {
    key(in: path, at: file, orNote: .keyFileMalformed(path: path)) { TimestampKey(hex: $0) }
  }

  /// Reads the key in the first line of a file that only its owner may read; returns `nil` if there is none.
  mutating func key<Key>(
    in path: String, at file: YAMLNode, orNote mistake: ConfigurationProblem.Kind, _ decode: (ArraySlice<UInt8>) -> Key?
  ) -> Key? {
    guard var line = privateLine(of: path, at: file, sizeMax: Limits.keyFileSizeMax, orNoteEmpty: mistake) else {
      return nil
    }
    defer { LibCrypto.wipe(&line) }
    let key = decode(line[...])
    if key == nil { noteFile(mistake, at: file) }
    return key
  }

  /// Reads the first line, which must not be empty, of a file that only its owner may read; to be wiped by the caller.
  ///
  /// Returns `nil` after an error. `mayBeMissing` means that the file is read again whenever it is needed.
  mutating func privateLine(
    of path: String, at node: YAMLNode, sizeMax: Int, mayBeMissing: Bool = false,
    orNoteEmpty mistake: ConfigurationProblem.Kind
  ) -> [UInt8]? {
    switch TextFile.read(path, sizeMax: sizeMax) {
    case .failure(let error):
      if !mayBeMissing || files != .used { noteFile(.fileUnreadable(path: path, error), at: node) }
      return nil
    case .success(var content):
      defer { LibCrypto.wipe(&content.bytes) }
      if content.mode & 0o077 != 0 {
        note(.keyFileOpen(path: path, mode: content.mode), at: node)
        return nil
      }
      do throws(TextFault) {
        let line = try content.firstLine()
        if line.isEmpty { noteFile(mistake, at: node) }
        return line.isEmpty ? nil : line
      } catch {
        noteFile(.unusableLine(path: path, .notText(error)), at: node)
        return nil
      }
    }
  }
}
