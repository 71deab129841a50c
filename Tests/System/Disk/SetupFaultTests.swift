// `tappet init` and `import-settings` on a full disk, killed, and ended by a signal: a kiosk, or nothing at all, and
// the next one works.

import Foundation
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct SetupFaultTests {
  /// A folder in which a kiosk is set up, and the command's options.
  private final class Place {
    let folder: String
    let words: [String]
    let made: Set<String>

    init(importing: Bool) throws {
      folder = try Programs.temporaryFolder().path
      let target = ["--config", folder + "/k/kiosk.yaml", "--state", "state"]
      let common: Set = ["kiosk.yaml", "ca.pem", "kiosk.pem", "kiosk.key", "timestamp.key", "state"]
      made = common
      guard importing else {
        words =
          target + [
            "--yes", "--untested", "--url", "mqtts://127.0.0.1:1", "--reader", "none", "--timestamp-key", "new",
            "--message", "%T", "--clock-trust", "--ca", try Certificates.path("ca.pem"), "--certificate",
            try Certificates.path("client.pem"), "--private-key", try Certificates.path("client.key"),
          ]
        return
      }
      func text(_ name: String) throws -> String {
        try String(contentsOfFile: try Certificates.path(name), encoding: .utf8)
      }
      let secrets = ["Kitchen", "Hall"].map { label in
        ["id": UUID().uuidString, "secret": Signing.key(), "createdAt": 788_918_400.5, "label": label] as [String: Any]
      }
      let settings: [String: Any] = [
        "homeTitle": "Home", "endpoint": "localhost:1", "clientID": "phone", "timestampKey": Signing.key().prefix(32),
        "certificate": try text("client.pem"), "privateKey": try text("client.key"), "rootCA": try text("ca.pem"),
        "isBiometricAuthEnabled": false, "isUnusedButtonHidden": false,
        "actions": [["title": "Hall light", "topic": "home/hall", "message": "%T", "nfcSecrets": secrets]],
      ]
      let path = folder + "/app.json"
      try JSONSerialization.data(withJSONObject: settings).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      words = [path] + target
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/k") }
    var files: [String: Int] { (try? FolderCopy.modes(folder + "/k")) ?? [:] }
    func clear() { try? FileManager.default.removeItem(atPath: folder + "/k") }

    /// Whether all of it exists and opens, with its modes; `more` may be next to it.
    func isWhole(beside more: String? = nil) throws -> Bool {
      var modes = files
      if let more { modes = modes.filter { !$0.key.contains(more) } }
      let names = Set(modes.keys.filter { !$0.contains("/") })
      let listed = try Programs.run(
        try Programs.built("tappet"), ["secret", "list", "--config", folder + "/k/kiosk.yaml"])
      return names == made && modes["kiosk.key"] == 0o600 && modes["timestamp.key"] == 0o600 && modes["state"] == 0o700
        && modes["kiosk.yaml"] == 0o640 && listed.status == 0
        && listed.output.split(separator: "\n").count == (words[0] == "--config" ? 0 : 2)
    }
  }

  private func command(importing: Bool) -> String { importing ? "import-settings" : "init" }

  @Test(arguments: [false, true])
  func `a setup on a full disk leaves no files behind, and works once there is room`(importing: Bool) throws {
    let place = try Place(importing: importing)
    let words = [command(importing: importing)] + place.words
    let count = try Faults.count(words).writes
    var refusals = 0
    for number in stride(from: 1, through: count, by: 13) {
      place.clear()
      let done = try Faults.run(words, .fullDisk(number))
      // The copy of the secrets may be late.
      if done.status == 0 { continue }
      refusals += 1
      #expect(done.status == 4, "\(number) of \(count): \(done)")
      #expect(
        (done.errors.contains("no space is left") || done.errors.contains("No space left"))
          && (done.errors.contains("nothing was changed") || done.errors.contains("nothing was written")),
        "\(number) of \(count): \(done)")
      #expect(!done.errors.contains("/.tappet-"), "\(done)")
      #expect(!place.isThere, "\(number) of \(count): \(place.files)")
    }
    #expect(refusals > 4)
    place.clear()
    #expect(try Faults.run(words, .none).status == 0)
    #expect(try place.isWhole())
  }

  @Test(arguments: [false, true])
  func `a killed setup never leaves a configuration without its files, and the next one works`(
    importing: Bool
  ) throws {
    let place = try Place(importing: importing)
    let words = [command(importing: importing)] + place.words
    let count = try Faults.count(words).changes
    for number in stride(from: 1, through: count, by: 26) {
      place.clear()
      let killed = try Faults.run(words, .kill(number))
      #expect(killed.status == 128 + SIGKILL, "\(number) of \(count): \(killed)")
      if place.files["kiosk.yaml"] != nil { #expect(try place.isWhole(beside: ".tappet-"), "\(number) of \(count)") }
      let again = try Faults.run(words + ["--force"], .none)
      // The file that was there is kept.
      unlink(place.folder + "/k/kiosk.yaml.old")
      #expect(again.status == 0, "\(number) of \(count): \(again)")
      #expect(try place.isWhole(beside: ".tappet-"), "\(number) of \(count): \(place.files)")
      // Only its owner may read what a kill has left.
      for (name, mode) in place.files where name.hasPrefix(".tappet-") {
        #expect(mode & 0o077 == 0 || name.contains("/"), "\(name)")
      }
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `an init that is ended by a signal while it tries the broker leaves nothing behind`(_ signal: Int32) throws {
    let broker = TestPeer(.silence)
    let place = try Place(importing: false)
    let words = ["init"] + place.words.map { $0 == "mqtts://127.0.0.1:1" ? "mqtts://127.0.0.1:\(broker.port)" : $0 }
    let running = try Service(try Programs.built("tappet"), words, log: place.folder + "/log")
    // The broker is tried with the files that will be written.
    #expect(
      eventually { place.files.keys.contains { $0.hasSuffix("/kiosk.key") } })
    #expect(running.end(signal))
    #expect(running.status == 1)
    #expect(running.text.contains("Stopped; nothing was written."), "\(running.text)")
    #expect(!place.isThere)
  }
}
