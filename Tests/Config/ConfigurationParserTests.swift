import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetConfig
@testable import TappetMessages

/// A configuration that has no mistake, for tests to add one.
private let good = """
  # Four lines.
  broker: {url: 'mqtts://broker.example', client_id: kiosk}
  actions:
    - {name: light, topic: home/light, message: toggle}

  """

/// A text and the sentences that it must get.
struct BadConfig: Sendable, CustomTestStringConvertible {
  var text: String
  var sentences: [String]
  var testDescription: String { sentences.joined(separator: " | ") }

  init(_ text: String, _ sentences: String...) {
    self.text = text
    self.sentences = sentences
  }
}

@Suite struct ConfigFileTests {
  private func sentences(_ text: String) -> [String] { sentences(Array(text.utf8)) }

  private func sentences(_ bytes: [UInt8]) -> [String] {
    switch ConfigurationParser.parse(bytes, name: "kiosk.yaml", folder: "/etc/tappet") {
    case .loaded: []
    case .refused(let problems): problems.map(\.sentence)
    }
  }

  private func load(_ text: String) throws -> KioskConfiguration {
    switch ConfigurationParser.parse(Array(text.utf8), name: "kiosk.yaml", folder: "/etc/tappet") {
    case .loaded(let configuration): return configuration
    case .refused(let problems):
      Issue.record("\(problems.map(\.sentence))")
      throw CancellationError()
    }
  }

  // MARK: Good configurations

  @Test func `the example can be loaded once its key exists`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let source = Repository.path("board/etc/kiosk.yaml")
    let path = folder.path + "/kiosk.yaml"
    try FileManager.default.copyItem(atPath: source, toPath: path)
    guard case .refused(let problems) = ConfigurationParser.load(path: path) else {
      Issue.record("a configuration without its key was loaded")
      return
    }
    let words = "\(path):19:23: \(folder.path)/timestamp.key cannot be read: No such file or directory"
    #expect(problems.map(\.sentence) == [words])
    let key = folder.path + "/timestamp.key"
    try Data("000102030405060708090a0b0c0d0e0f\n".utf8).write(to: URL(fileURLWithPath: key))
    chmod(key, 0o600)
    guard case .loaded(let configuration) = ConfigurationParser.load(path: path) else {
      Issue.record("the example has a mistake")
      return
    }
    #expect(configuration.broker?.endpoints == [BrokerEndpoint(host: "broker.example", port: 8883, usesTLS: true)])
    #expect(configuration.broker?.caFile == folder.path + "/ca.pem")
    #expect(configuration.reader?.device == "pn532_uart:/dev/ttyAMA0")
    #expect(configuration.timestampKey != nil && configuration.checksClock)
    #expect(configuration.actions.map(\.name) == ["garage", "light"])
    #expect(configuration.actions.map(\.index) == [0, 1])
    #expect(configuration.actions[0].offline == .drop && configuration.actions[0].expiresAfter == .seconds(10))
    #expect(configuration.actions[1].offline == .queue && configuration.actions[1].expiresAfter == .seconds(24 * 3600))
  }

  @Test func `the example's defaults are the actual defaults`() throws {
    let shown = try load(
      good
        + "clock: check\noutbox: {count: 100000, size: 64 MB}\nhistory: 90 d\nstate: /var/lib/tappet\ncontrol: "
        + "/var/lib/tappet/control\nmax_secrets: 1000\n"
    )
    let silent = try load(good)
    #expect(shown.checksClock == silent.checksClock && shown.stateFolder == silent.stateFolder)
    #expect(shown.controlSocket == silent.controlSocket && shown.secretsPerActionMax == silent.secretsPerActionMax)
    #expect(shown.outboxCountMax == silent.outboxCountMax && shown.outboxSizeMax == silent.outboxSizeMax)
    #expect(shown.historyAge == silent.historyAge && silent.historyAge == .seconds(90 * 86_400))
    #expect(try load(good + "history: none\n").historyAge == nil)
    #expect(silent.broker?.version == nil && silent.broker?.keepaliveSeconds == 60 && silent.broker?.crlFile == nil)
    #expect(silent.actions[0].cooldown == .seconds(2) && !silent.actions[0].isRetained)
  }

  @Test(arguments: [("800 ms", 800), ("3 s", 3000), ("10min", 600_000), ("'24 h'", 86_400_000), ("1 d", 86_400_000)])
  func `a duration needs a unit`(text: String, milliseconds: Int) throws {
    let action = try load(
      "\(good)  - {name: a, topic: a, message: a, expires: \(text)}\n".replacing("\n\n", with: "\n"))
    #expect(action.actions[1].expiresAfter == .milliseconds(milliseconds))
  }

  @Test func `an alias repeats a value, and quotes and tags mark a value as text`() throws {
    let configuration = try load(
      """
      broker: {url: [mqtts://a, 'mqtt://b:2'], client_id: !!str 12}
      actions:
        - {name: on, topic: &t home/light, message: "1\\ttwo"}
        - {name: off, topic: *t, message: '', retain: true, index: 7, offline: drop}
      """)
    #expect(configuration.broker?.endpoints.map(\.host) == ["a", "b"] && configuration.broker?.clientID == "12")
    #expect(configuration.actions.map(\.topic) == ["home/light", "home/light"])
    #expect(configuration.actions[0].message.text == "1\ttwo" && configuration.actions[1].message.text == "")
    #expect(configuration.actions[1].isRetained && configuration.actions[1].index == 7)
  }

  @Test func `a byte order mark is allowed before a comment or a key, and shifts no column`() {
    let keys = String(good.drop { $0 != "\n" }.dropFirst())
    #expect(sentences("\u{FEFF}" + good) == [] && sentences("\u{FEFF}" + keys) == [])
    #expect(sentences("\u{FEFF}clok: check\n" + keys) == sentences("clok: check\n" + keys))
  }

  @Test(arguments: [
    ("clock:_check\n", "5:7"), ("clock:_check\nhistory: 90 d\n", "5:7"), ("_clock: check\n", "5:1"),
    ("outbox:\n  count: 5\n _size: 1 MB\n", "7:2"), ("outbox: {count:_5}\n", "5:16"), ("clock_: check\n", "5:6"),
    ("tags:\n  -_uid: a\n    action: light\n", "6:4"), ("# a:_b\nclock: _check\nhistory: 90 d: c\n", "6:8"),
  ])
  func `a no-break space is reported with its position`(_ text: String, _ place: String) {
    let sentence = "a no-break space (U+00A0) is used where only a plain space is allowed; retype it"
    #expect(sentences(good + text.replacing("_", with: "\u{a0}")) == ["kiosk.yaml:\(place): " + sentence])
  }

  @Test func `a no-break space is allowed in text and comments`() throws {
    let text = good.replacing("toggle", with: "'Porte\u{a0}:\u{a0}ouverte'") + "#\u{a0}note\n"
    #expect(try load(text).actions[0].message.text == "Porte\u{a0}:\u{a0}ouverte")
    #expect(
      sentences(text + "clock: [\n") == [
        "kiosk.yaml:7:1: the file is not valid YAML: did not find expected node content"
      ])
  }

  // MARK: Mistakes

  static let bad: [BadConfig] = [
    BadConfig(
      """
      broker: {url: [mqtts://h, mqtt://h], client_id: k, username: u, password: {file: none}}
      actions: [{name: a, topic: t, message: m}]
      """,
      "kiosk.yaml:1:75: broker.password is only sent over TLS: use mqtts://, or leave the password out; if "
        + "everyone on the network may read it, set 'plain_password: true'"),
    BadConfig(
      """
      broker: {url: 'mqtts://h', client_id: k, password: {file: none}}
      actions: [{name: a, topic: t, message: m}]
      """,
      "kiosk.yaml:1:52: 'password' also needs 'username' in broker"),
    BadConfig(
      """
      broker: {url: 'mqtts://h', client_id: k, username: u, password: {stored: true, file: f}}
      actions: [{name: a, topic: t, message: m}]
      """,
      "kiosk.yaml:1:74: broker.password.stored must be true, without 'file', not 'true'"),
    BadConfig(
      """
      broker: {url: 'mqtts://h', client_id: k, username: u, password: secret}
      actions: [{name: a, topic: t, message: m}]
      """,
      "kiosk.yaml:1:65: broker.password must be {file: FILE}: write the password into a separate file, with mode 0600"
    ),
    BadConfig(
      """
      broker: {url: 'mqtts://h', client_id: k}
      actions:
        - name: a
          topc: b
          message: c
      """,
      "kiosk.yaml:3:5: the key 'topic' is missing in actions[0]",
      "kiosk.yaml:4:5: unknown key 'topc' in actions[0] (did you mean 'topic'?)"),
    BadConfig("", "kiosk.yaml:1:1: the file is empty, or contains only comments"),
    BadConfig("# nothing\n", "kiosk.yaml:2:1: the file is empty, or contains only comments"),
    BadConfig("a", "kiosk.yaml:1:1: the file must be a mapping (key: value), not 'a'"),
    BadConfig("[]", "kiosk.yaml:1:1: the file must be a mapping (key: value), not an empty list"),
    BadConfig(
      good + "--- {}\n", "kiosk.yaml:5:1: a second document starts here; a configuration must be a single document"),
    BadConfig(good + "clock:\n\tcheck\n", "kiosk.yaml:6:1: a tab is used for indentation; indent with spaces only"),
    BadConfig(good + "clock: [\n", "kiosk.yaml:6:1: the file is not valid YAML: did not find expected node content"),
    BadConfig(
      good + "clock: \u{7}\n", "kiosk.yaml:5:8: the file is not valid YAML: control characters are not allowed"),
    BadConfig(
      good + "clock: *c\n", "kiosk.yaml:5:8: the alias '*c' is not defined before it is used; write a text in quotes"),
    BadConfig(
      good + "panel: &p {a: *p}\n",
      "kiosk.yaml:5:15: the alias '*p' is not defined before it is used; write a text in quotes"),
    BadConfig(
      good + "clock: !!int 5\n",
      "kiosk.yaml:5:8: the tag 'tag:yaml.org,2002:int' is not supported; write the value without it, or in quotes"
    ),
    BadConfig(
      good + "panel: !x {}\n",
      "kiosk.yaml:5:8: the tag '!x' is not supported; write the value without it, or in quotes"),
    BadConfig(good + "clock: check\nclock: trust\n", "kiosk.yaml:6:1: duplicate key 'clock'"),
    BadConfig(good + "clok: check\n", "kiosk.yaml:5:1: unknown key 'clok' (did you mean 'clock'?)"),
    BadConfig(good + "zzzzzzzz: 1\n", "kiosk.yaml:5:1: unknown key 'zzzzzzzz'"),
    BadConfig(good + "[a]: 1\n", "kiosk.yaml:5:1: a key is not text"),
    BadConfig(
      good + "panel: {<<: {}}\n", "kiosk.yaml:5:9: merge keys ('<<') are not supported in panel; write the values out"),
    BadConfig(
      good + "history: always\n",
      "kiosk.yaml:5:10: history must be a duration such as '800 ms', '3 s', '10 min' or '24 h', at least 1 h, at most "
        + "87600 h, not 'always'"),
    BadConfig(
      good + "  - {name: \"a\u{202E}b\", topic: t, message: m}\n",
      "kiosk.yaml:5:12: character 2 of the name, U+202E, is invisible; delete it, or retype the name"),
    BadConfig(good + "clock: always\n", "kiosk.yaml:5:8: clock must be 'check' or 'trust', not 'always'"),
    BadConfig(good + "reader: dev\n", "kiosk.yaml:5:9: reader must be a mapping (key: value), not 'dev'"),
    BadConfig(good + "reader: {device: }\n", "kiosk.yaml:5:18: reader.device must be text, not nothing"),
    BadConfig(good + "state: [a]\n", "kiosk.yaml:5:8: state must be text, not a list"),
    BadConfig(
      good + "panel: {buttons: [{line: b1, press: ligth}]}\n",
      "kiosk.yaml:5:37: panel.buttons[0].press: there is no action 'ligth' (did you mean 'light'?)"),
    BadConfig(
      good + "outbox: {count: 0, size: 1 XB}\n",
      "kiosk.yaml:5:17: outbox.count must be a whole number from 1 to 10000000, not '0'",
      "kiosk.yaml:5:26: outbox.size must be a size such as '64 MB', not '1 XB'"),
    BadConfig(
      good + "max_secrets: 10001\n",
      "kiosk.yaml:5:14: max_secrets must be a whole number from 1 to 10000, not '10001'"),
    BadConfig(
      good + "outbox: {count: '5'}\n",
      "kiosk.yaml:5:17: outbox.count must be a whole number from 1 to 10000000, not '5'"),
    BadConfig(
      good + "\"a\\e[31m\": 1\n", "kiosk.yaml:5:1: unknown key 'a\\u{1b}[31m'"),
    BadConfig(
      """
      broker: {url: 'mqtts://h', client_id: k, certificate: c.pem}
      actions: []
      """,
      "kiosk.yaml:1:55: 'certificate' also needs 'private_key' in broker",
      "kiosk.yaml:2:10: actions must be a list with at least one element, not an empty list"),
    BadConfig(
      """
      broker:
        url: [mqtts://h, ftp://h]
        client_id: a/b
        private_key: k
        protocol: 4
        keepalive: 60
        answer_timeout: 900 ms
      actions:
        - {name: a, topic: a, message: '%T'}
        - {name: a, topic: 'a/+', message: b}
        - {name: b, topic: '', message: [1]}
        - {name: c, topic: c, message: c, index: 0, retain: 'true', expires: 3, cooldown: 100000 h, offline: never}
      """,
      "kiosk.yaml:2:20: broker.url[1] must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT], not 'ftp://h'",
      "kiosk.yaml:3:14: broker.client_id must be 1 to 128 bytes long, without '/', '+' and '#', not 'a/b'",
      "kiosk.yaml:4:16: 'private_key' also needs 'certificate' in broker",
      "kiosk.yaml:5:13: broker.protocol must be '3.1.1' or '5', not '4'",
      "kiosk.yaml:6:14: broker.keepalive must be a duration such as '800 ms', '3 s', '10 min' or '24 h', "
        + "at most 18 h, not '60'",
      "kiosk.yaml:7:19: broker.answer_timeout must be 1 s or more, not '900 ms'",
      "kiosk.yaml:9:34: actions[0].message uses %T, but no 'timestamp_key' is set",
      "kiosk.yaml:10:22: actions[1].topic must be a topic without '+', '#' and control characters, and "
        + "without '$SYS/' or '$share/' at its start, not 'a/+'",
      "kiosk.yaml:11:22: actions[2].topic must be text that is not empty, not ''",
      "kiosk.yaml:11:35: actions[2].message looks like a YAML mapping or list; "
        + "enclose it in quotes: message: '{\"command\":1}'",
      "kiosk.yaml:12:5: another action already has the index 0; indexes must be unique",
      "kiosk.yaml:12:55: actions[3].retain must be true or false, without quotes, not 'true'",
      "kiosk.yaml:12:72: actions[3].expires must be a duration such as '800 ms', '3 s', '10 min' or '24 h', "
        + "at most 8784 h, not '3'",
      "kiosk.yaml:12:85: actions[3].cooldown must be a duration such as '800 ms', '3 s', '10 min' or '24 h', "
        + "at most 24 h, not '100000 h'",
      "kiosk.yaml:12:104: actions[3].offline must be 'queue' or 'drop', not 'never'"),
    BadConfig(
      """
      broker: {url: 'mqtts://h', client_id: k}
      actions:
        - {name: a, topic: a, message: a}
        - {name: a, topic: b, message: b}
      """, "kiosk.yaml:4:5: another action is already named 'a'"),
  ]

  @Test(arguments: bad) func `each error has its own message`(_ config: BadConfig) {
    #expect(sentences(config.text) == config.sentences)
  }

  @Test func `an error in an action is not repeated for its button`() {
    let text = """
      broker: {url: 'mqtts://h', client_id: k}
      panel: {buttons: [{line: b1, press: light}]}
      actions:
        - {name: light, topic: 'home/#', message: a}
      """
    #expect(sentences(text).count == 1)
  }

  @Test func `text that is not UTF-8 is reported with its position`() {
    let bytes = Array("broker: é".utf8) + [0xC3, 0x28, 0x0A]
    #expect(sentences(bytes) == ["kiosk.yaml:1:10: the file is not UTF-8 text"])
    #expect(sentences([0x61, 0x0A, 0xFF]) == ["kiosk.yaml:2:1: the file is not UTF-8 text"])
  }

  @Test func `a board may have no reader`() throws {
    #expect(try load(good).reader != nil && load(good + "reader: {}\n").reader != nil)
    #expect(try load(good + "reader: none\n").reader == nil)
  }

  @Test func `overlong names, devices and sockets are refused`() {
    let name = String(repeating: "n", count: Limits.actionNameSizeMax + 1)
    #expect(sentences(good.replacing("name: light", with: "name: \(name)")).count == 1)
    #expect(sentences(good.replacing("name: light", with: "name: \"a\\nb\"")).count == 1)
    let device = String(repeating: "d", count: Limits.readerDeviceSizeMax + 1)
    #expect(sentences(good + "reader: {device: \(device)}\n").count == 1)
    #expect(sentences(good + "control: /\(String(repeating: "c", count: Limits.socketPathSizeMax))\n").count == 1)
  }

  // MARK: Files that are meant to hurt

  @Test func `nested anchors cannot exhaust memory`() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...12 {
      text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", "))]\n"
    }
    let found = sentences(text)
    #expect(found.count == 1 && found[0].hasSuffix("contains more than 20000 values, counting each alias"))
  }

  @Test func `nesting that is too deep is refused`() {
    for opening in ["[", "{a: ", "- "] {
      let found = sentences(String(repeating: opening, count: 100_000))
      #expect(found.count == 1 && found[0].hasSuffix("is nested more than 16 levels deep"), "\(opening)")
    }
  }

  @Test func `a file that is too large is refused`() {
    let found = sentences([UInt8](repeating: 0x20, count: Limits.configurationSizeMax + 1))
    #expect(found == ["kiosk.yaml:1:1: the file is 1048577 bytes long; the maximum is 1048576"])
  }

  @Test func `a thousand errors are summarized`() {
    let found = sentences(good + (0..<1000).map { "zzzzzzz\($0): 1\n" }.joined())
    #expect(found.count == Limits.configurationProblemsMax + 1)
    #expect(found.last == "kiosk.yaml:1004:1: and 950 more")
  }

  @Test func `any bytes yield a configuration or a printable error`() {
    var random = SeededGenerator(seed: 20_260_101)
    let seeds = Self.bad.map { Array($0.text.utf8) } + [Array(good.utf8)]
    for _ in 0..<4000 {
      var bytes = seeds[Int(random.next() % UInt64(seeds.count))]
      for _ in 0..<(random.next() % 6) where !bytes.isEmpty {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes[..<Int(random.next() % UInt64(bytes.count))], at: place)
        }
      }
      for sentence in sentences(bytes) {
        #expect(sentence.hasPrefix("kiosk.yaml:") && sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 })
      }
    }
  }

  // MARK: The timestamp key

  @Test func `a timestamp key must be hex digits in a file that only its owner can read`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/t.key"
    let text = good + "timestamp_key: {file: \(path)}\n"
    #expect(sentences(text) == ["kiosk.yaml:5:23: \(path) cannot be read: No such file or directory"])
    for (size, isRight) in [(0, false), (31, false), (32, true), (33, false), (48, true), (64, true), (66, false)] {
      try Data(String(repeating: "A", count: size).utf8).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      let malformed = ["kiosk.yaml:5:23: \(path) must contain 32, 48 or 64 hex digits and nothing else"]
      #expect(sentences(text) == (isRight ? [] : malformed), "\(size) digits")
    }
    try Data(String(repeating: "A", count: 32).utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o640)
    #expect(sentences(text) == ["kiosk.yaml:5:23: \(path) can be read by others (mode 0640); run: chmod 600 \(path)"])
    try Data(String(repeating: "A", count: 300).utf8).write(to: URL(fileURLWithPath: path))
    #expect(sentences(text) == ["kiosk.yaml:5:23: \(path) cannot be read: File too large"])
    unlink(path)
    mkfifo(path, 0o600)
    #expect(sentences(text) == ["kiosk.yaml:5:23: \(path) cannot be read: it is not a regular file"])
  }
}
