// `tappet import-settings`: the phone app's settings become a kiosk, and its tags work.

import Foundation
import TappetConfig
import TappetJSON
import TappetTLS
import Testing
import TestSupport

@Suite(.serialized) struct ImportSettingsTests {
  /// The app's settings, as JSONEncoder writes them.
  private func settings(_ world: KioskWorld, _ key: String) throws -> [String: Any] {
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: try Certificates.path(name), encoding: .utf8)
    }
    let unused = ["title": "", "topic": "", "message": ""]
    let light: [String: Any] = [
      "title": "Hall light", "topic": "home/hall", "message": "{\"say\": \"a \\\"b\\\" 'c'\nü %I\"}",
      "nfcSecrets": [
        [
          "id": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "secret": key, "createdAt": 788918400.123, "label": "Kitchen",
        ]
      ],
    ]
    return [
      "homeTitle": "Home # 1", "endpoint": "localhost:\(world.broker.port)", "clientID": "SMP Client-1",
      "certificate": try text("client.pem"), "privateKey": try text("client.key"), "rootCA": try text("ca.pem"),
      "timestampKey": world.timestampKey, "isBiometricAuthEnabled": true, "isUnusedButtonHidden": false,
      "actions": [
        unused, light, unused, ["title": "Tür", "topic": "home/door", "message": "%T", "nfcSecrets": [Any]()],
      ],
    ]
  }

  private func write(_ json: [String: Any], _ world: KioskWorld) throws -> String {
    let path = world.folder + "/app.json"
    try JSONSerialization.data(withJSONObject: json).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func take(_ path: String, _ world: KioskWorld, _ more: String...) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"),
      ["import-settings", path, "--config", world.folder + "/new/kiosk.yaml", "--state", "state"] + more)
  }

  @Test func `a kiosk.yaml outside /etc has its database next to it`() throws {
    let world = try KioskWorld()
    let path = try write(try settings(world, Signing.key()), world)
    let config = world.folder + "/new/kiosk.yaml"
    let done = try Programs.run(try Programs.built("tappet"), ["import-settings", path, "--config", config])
    #expect(done.status == 0, "\(done)")
    #expect(FileManager.default.fileExists(atPath: world.folder + "/new/state/tappet.db"), "\(done)")
  }

  @Test func `settings of both generations become a kiosk on which the phone's tags work`() throws {
    for isOld in [false, true] {
      let world = try KioskWorld()
      let key = Signing.key()
      var json = try settings(world, key)
      if isOld {
        json["actions"] = [
          ["title": "", "topic": "", "message": ""],
          ["title": "Hall light", "topic": "home/hall", "message": "on", "nfcSecret": key],
        ]
        json["timestampKey"] = nil
      }
      let done = try take(try write(json, world), world, "--reader", "pn532_uart:\(world.folder)/reader")
      #expect(done.status == 0, "\(done)")
      #expect(done.errors.contains("phone uses the same client id") && done.errors.contains("can be read by others"))
      #expect(!done.output.contains(key) && !done.errors.contains(key))
      let config = world.folder + "/new/kiosk.yaml"
      let listed = try Programs.run(try Programs.built("tappet"), ["secret", "list", "--config", config])
      #expect(listed.output.contains(isOld ? "Migrated" : "Kitchen"), "\(listed)")
      if !isOld { #expect(listed.output.contains("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")) }

      let kiosk = try Service(
        try Programs.built("tappet"), ["run", "--plain", "--config", config], log: world.folder + "/new.log")
      #expect(
        eventually { kiosk.text.contains("connected to") && kiosk.text.contains("reader is ready") },
        "\(kiosk.text)")
      try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try Signing.url(index: "1", key: key))")
      #expect(eventually { world.received.map(\.topic) == ["home/hall"] }, "\(kiosk.text)")
      if !isOld {
        let payload = world.received.last?.payload ?? ""
        #expect(payload.hasPrefix("{\"say\": \"a \\\"b\\\" 'c'") || payload.hasPrefix("{\"say\""), "\(payload)")
      }
      // A second time, while the kiosk runs: a message says how to apply it, and that works.
      var actions = try #require(json["actions"] as? [[String: Any]])
      actions[1]["topic"] = "home/attic"
      json["actions"] = actions
      let again = try take(
        try write(json, world), world, "--reader", "pn532_uart:\(world.folder)/reader", "--force")
      #expect(again.status == 0 && again.errors.contains("SIGHUP"), "\(again)")
      kiosk.signal(SIGHUP)
      #expect(eventually { kiosk.text.contains("event=reloaded") }, "\(kiosk.text)")
      let isDelivered = try eventually {
        _ = try? world.tell("take")
        try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try Signing.url(index: "1", key: key))")
        // Until the secret's cooldown is over, its taps are ignored.
        return eventually(within: 5) { world.received.map(\.topic).contains("home/attic") }
      }
      #expect(isDelivered, "\(kiosk.text)")
      #expect(Set(try world.settled().map(\.topic)) == ["home/hall", "home/attic"])
      #expect(kiosk.end())
    }
  }

  @Test func `all errors are listed together, and nothing is written`() throws {
    let world = try KioskWorld(withBroker: false)
    let good = try settings(world, Signing.key())
    func refusal(_ change: (inout [String: Any]) throws -> Void) throws -> String {
      var json = good
      try change(&json)
      let done = try take(try write(json, world), world)
      #expect(done.status == 1, "\(done)")
      #expect(done.errors.contains("Nothing was changed."))
      #expect(!FileManager.default.fileExists(atPath: world.folder + "/new"))
      return done.errors
    }
    let several = try refusal {
      $0["endpoint"] = ""
      $0["certificate"] = ""
      $0["timestampKey"] = "123"
      $0["clientID"] = "a/b"
    }
    for part in [
      "'endpoint' is empty", "'certificate' is empty", "'timestampKey' must be 32, 48 or 64",
      "'clientID' is not valid here",
    ] {
      #expect(several.contains(part), "\(part): \(several)")
    }
    let otherKey = try String(contentsOfFile: try Certificates.path("other-client.key"), encoding: .utf8)
    let lockedKey = try String(contentsOfFile: try Certificates.path("encrypted.key"), encoding: .utf8)
    #expect(try refusal { $0["privateKey"] = otherKey }.contains("privateKey is not the key of certificate"))
    #expect(try refusal { $0["privateKey"] = lockedKey }.contains("privateKey has a passphrase"))
    #expect(try refusal { $0["privateKey"] = "no key" }.contains("privateKey contains no readable private key"))
    #expect(try refusal { $0["rootCA"] = "no CA" }.contains("rootCA contains no readable certificate"))
    #expect(try refusal { $0["actions"] = "x" }.contains("'actions' must be a list"))
    #expect(try refusal { $0["actions"] = [Any]() }.contains("no action that can be performed here"))
    #expect(
      try refusal { $0["actions"] = [["title": "a", "topic": "a/+", "message": ""]] }
        .contains("messages cannot be published to its topic 'a/+'"))
    #expect(try refusal { $0["endpoint"] = 5 }.contains("'endpoint' must be text"))
    #expect(
      try refusal { $0["actions"] = nil }.contains("neither format of the app's settings: 'actions' is missing"))
    let secrets = (0..<4).map { _ in ["id": UUID().uuidString, "secret": Signing.key()] }
    #expect(
      try refusal { $0["actions"] = [["title": "a", "topic": "a", "message": "", "nfcSecrets": secrets]] }
        .contains("contains 4 secrets"))
    #expect(
      try refusal { $0["actions"] = [["title": "a", "topic": "a", "message": "", "nfcSecret": "00ff"]] }
        .contains("contains no secret of 64 hex digits"))

    let path = try write(good, world)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let spoilt: [(Data, String)] = [
      (whole.prefix(whole.count / 2), "the file is not valid JSON, or is truncated"),
      (Data("[1]".utf8), "matches neither format"),
      (Data(), "the file is not valid JSON"), (Data(repeating: 0x20, count: 2_000_000), "is larger than 1048576 bytes"),
      (Data(String(repeating: "[", count: 100_000).utf8), "the file is not valid JSON"),
    ]
    for (bytes, sentence) in spoilt {
      try bytes.write(to: URL(fileURLWithPath: path))
      let done = try take(path, world)
      #expect(done.status == 1 && done.errors.contains(sentence), "\(sentence): \(done.errors)")
    }
    #expect(try take("/nowhere.json", world).errors.contains("No such file"))
    #expect(try take("/dev/zero", world).errors.contains("not a regular file"))
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/new"))
  }

  @Test func `existing files are replaced only with --force, and stay intact if the disk fails`() throws {
    let world = try KioskWorld(withBroker: false)
    let path = try write(try settings(world, Signing.key()), world)
    let folder = world.folder + "/new"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try "mine\n".write(toFile: folder + "/kiosk.yaml", atomically: true, encoding: .utf8)
    let refused = try take(path, world)
    #expect(refused.status == 1 && refused.errors.contains("already exists; use --force to replace it"), "\(refused)")
    // A folder is in the place of the last file: the files before it are put back.
    try "old\n".write(toFile: folder + "/kiosk.pem", atomically: true, encoding: .utf8)
    try FileManager.default.removeItem(atPath: folder + "/kiosk.yaml")
    try FileManager.default.createDirectory(atPath: folder + "/kiosk.yaml", withIntermediateDirectories: false)
    let failed = try take(path, world, "--force")
    #expect(failed.status == 4 && failed.errors.contains("nothing was changed"), "\(failed)")
    #expect(try String(contentsOfFile: folder + "/kiosk.pem", encoding: .utf8) == "old\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(left == ["kiosk.pem", "kiosk.yaml"], "\(left)")
    try FileManager.default.removeItem(atPath: folder + "/kiosk.yaml")
    #expect(try take(path, world, "--force").status == 0)
    let listed = try Programs.run(try Programs.built("tappet"), ["secret", "list", "--config", folder + "/kiosk.yaml"])
    #expect(listed.output.split(separator: "\n").count == 1, "\(listed)")
  }
}
