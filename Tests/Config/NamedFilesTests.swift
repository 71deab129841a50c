// The files that a configuration names: what a start, a reload and a question to the kiosk want of them.

import Foundation
import TestSupport
import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct NamedFilesTests {
  private func sentences(_ text: String, _ files: NamedFiles) -> [String] {
    switch ConfigurationParser.parse(Array(text.utf8), name: "k.yaml", folder: "/nowhere", files: files) {
    case .loaded: []
    case .refused(let problems): problems.map(\.sentence)
    }
  }

  @Test func `missing files are listed with their lines, along with all other errors`() {
    let text = """
      broker: {url: 'mqtts://h', client_id: k, ca: ca.pem,
        certificate: c.pem, private_key: c.key}
      timestamp_key: {file: t.key}
      clock: perhaps
      panel: {profile: raspbery-pi}
      actions: [{name: a, topic: a, message: '%T'}]
      """
    let missing = "cannot be read: No such file or directory"
    let found = sentences(text, .required)
    #expect(
      found.dropLast() == [
        "k.yaml:1:46: /nowhere/ca.pem \(missing)", "k.yaml:2:16: /nowhere/c.pem \(missing)",
        "k.yaml:2:36: /nowhere/c.key \(missing)", "k.yaml:3:23: /nowhere/t.key \(missing)",
        "k.yaml:4:8: clock must be 'check' or 'trust', not 'perhaps'",
      ])
    #expect(found.last?.hasPrefix("k.yaml:5:18: there is no profile 'raspbery-pi'") == true, "\(found)")
    // A start waits for certificates; a question to the kiosk reads no file.
    #expect(sentences(text, .used).map { $0.contains("t.key") } == [true, false])
    #expect(sentences(text, .ignored).count == 1)
  }

  @Test func `a backup's files include the revocation list and the keys of commands`() {
    let text = """
      broker: {url: 'mqtts://h', client_id: k, ca: ca.pem, crl: list.pem}
      timestamp_key: {file: t.key}
      actions: [{name: a, topic: a, message: a}]
      commands:
        - {topic: c/1, trust: signed, key: {file: fleet.key}, check: true}
        - {topic: c/2, trust: token, actions: [a]}
        - {topic: c/3, role: esp32, open: o, stop: s, close: c, key: {file: /srv/esp.key}}
        - {room: '!a:b', users: ['@a:b'], actions: [a]}
      """
    #expect(
      ConfigurationParser.namedFiles(in: Array(text.utf8)) == [
        "ca.pem", "list.pem", "t.key", "fleet.key", "/srv/esp.key",
      ])
  }

  @Test func `a private key must be readable only by its owner, even in its certificate's file`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let key = folder.path + "/c.key"
    try FileManager.default.copyItem(atPath: TestCertificates.path("client.key"), toPath: key)
    let text = """
      broker: {url: 'mqtts://h', client_id: k, certificate: c.pem, private_key: '\(key)'}
      actions: [{name: a, topic: a, message: a}]
      """
    chmod(key, 0o600)
    #expect(sentences(text, .used) == [])
    chmod(key, 0o640)
    let sentence = "k.yaml:1:75: \(key) can be read by others (mode 0640); run: chmod 600 \(key)"
    #expect(sentences(text, .used) == [sentence])
    #expect(sentences(text, .ignored) == [])
  }

  @Test(arguments: [
    ("a: [\ncontrol: run/c\n", "/f/run/c"), ("state: '/s'\n\tb", "/s/control"),
    ("stat: x\n", "/var/lib/tappet/control"),
    ("state: s # here\nactions: 7\n", "/f/s/control"), ("a:\n  state: no\n: [", "/var/lib/tappet/control"),
  ])
  func `the control socket is found even in a file with errors`(_ text: String, _ path: String) throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let file = folder.path + "/k.yaml"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    #expect(ConfigurationParser.controlSocket(path: file) == path.replacing("/f/", with: folder.path + "/"))
    #expect(ConfigurationParser.controlSocket(path: file + ".missing") == nil)
  }
}
