// `tappet check` next to a kiosk that runs, before a reload, and with a broker that is particular about client ids.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct CheckTests {
  private func lines(_ done: Finished, _ part: String) -> [String] {
    done.output.split(separator: "\n").map(String.init).filter { $0.dropFirst(6).hasPrefix(part) }
  }

  @Test func `check reads the file on disk, without disturbing a running kiosk`() throws {
    let world = try KioskWorld()
    try world.start()
    let good = try world.tappet("check")
    #expect(
      good.status == 0 && lines(good, "broker").first?.hasPrefix("ok    broker         connected") == true, "\(good)")
    #expect(lines(good, "delivery").first?.contains("'tappet check --deliver'") == true, "\(good)")
    #expect(lines(good, "reader").first?.hasPrefix("note  reader         not tried") == true, "\(good)")
    #expect(lines(good, "timestamp key") == ["ok    timestamp key  read from its file"], "\(good)")
    try world.write(KioskWorld.KioskConfiguration(port: TestSocket.freePort()))
    let bad = try world.tappet("check")
    #expect(bad.status == 1 && lines(bad, "broker").first?.contains("nothing listens") == true, "\(bad)")
    let running = try world.tappet("check", "--running")
    #expect(running.status == 0 && lines(running, "broker").first?.contains("ok    broker") == true, "\(running)")
    try world.goodTap()
    #expect(world.log.components(separatedBy: "event=broker-connected").count == 2)
    try world.witness?.settle()
    let said = world.witness?.all.filter { $0.topic.hasPrefix("tappet/") } ?? []
    #expect(said.map(\.payload) == ["online"] && said.map(\.topic) == ["tappet/kiosk/status"], "\(said)")
    world.kiosk?.end()
    #expect(try world.tappet("check", "--running").status == 4)
  }

  /// A broker that refuses everybody, and notes which user's socket it was, as the kernel has it.
  private static let noting = """
    import socket
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    print(port, flush=True)
    while True:
        client, (_, peer) = listener.accept()
        ends = [f"0100007F:{number:04X}" for number in (peer, port)]
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table]
        print("user", next((row[7] for row in rows if row[1:3] == ends), "?"), flush=True)
        client.recv(1000)
        client.sendall(b"\\x20\\x02\\x00\\x05")
        client.close()
    """

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `check, run as root, connects as the state folder's owner, and reports files unreadable to that user`() throws {
    let world = try KioskWorld(withBroker: false)
    let output = world.folder + "/server"
    let server = try TestProcess(Programs.python(), ["-c", Self.noting], output: output)
    defer { server.stop(SIGKILL) }
    func lines() -> [Substring] { textSoFar(output).split(separator: "\n") }
    #expect(eventually { !lines().isEmpty })
    try world.write(
      KioskWorld.KioskConfiguration(
        host: "127.0.0.1", scheme: "mqtt", port: UInt16(lines()[0]), ca: nil, certificate: nil))
    #expect(try world.tappet("check").output.contains("the owner of") == false)
    #expect(lines().dropFirst() == ["user 0", "user 0"])
    let names = try FileManager.default.subpathsOfDirectory(atPath: world.folder)
    for name in names where !name.hasSuffix("timestamp.key") {
      #expect(lchown(world.folder + "/" + name, 4711, 4711) == 0)
    }
    #expect(chown(world.folder, 4711, 4711) == 0)
    let unreadable = try world.tappet("check")
    #expect(unreadable.status == 3 && unreadable.errors.contains("timestamp.key"), "\(unreadable)")
    #expect(chown(world.folder + "/timestamp.key", 4711, 4711) == 0)
    let done = try world.tappet("check")
    #expect(lines().dropFirst(3) == ["user 4711", "user 4711"], "\(done)")
    #expect(done.output.contains("4711, the owner of \(world.folder)/state"), "\(done)")
    // Ansible's `validate` has a file of root's own, which takes the place of the old one when it is good.
    #expect(chown(world.folder + "/kiosk.yaml", 0, 0) == 0 && chmod(world.folder + "/kiosk.yaml", 0o600) == 0)
    let early = try world.tappet("check", "--config-only")
    #expect(early.status == 0 && early.output.contains("4711"), "\(early)")
    let unread = try world.tappet("check")
    #expect(unread.status == 1 && unread.output.contains("the kiosk's user cannot read"), "\(unread)")
  }

  @Test func `check --config-only reads files, but opens no device and no connection`() throws {
    let world = try KioskWorld(withBroker: false)
    try world.tell("unplug")
    let state = world.folder + "/state"
    try FileManager.default.removeItem(atPath: state)
    let done = try world.tappet("check", "--config-only")
    #expect(done.status == 0 && done.output.contains("belongs to the certificate"), "\(done)")
    #expect(!done.output.contains("reader") && !FileManager.default.fileExists(atPath: state), "\(done)")
    try world.write(KioskWorld.KioskConfiguration(certificate: "missing"))
    let missing = try world.tappet("check", "--config-only")
    #expect(missing.status == 3 && missing.errors.contains("kiosk.yaml:5:16: ") && missing.output.isEmpty, "\(missing)")
    let json = try world.tappet("check", "--config-only", "--json")
    let error = json.envelope["error"] as? [String: Any]
    #expect(json.status == 3 && (error?["mistakes"] as? [[String: Any]])?.count == 2, "\(json)")
    #expect(try world.tappet("check", "--config-only", "--running").status == 2)
  }

  @Test func `check warns of tokens and replies that others can use`() throws {
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: """
            - {name: gate, topic: home/gate, message: '{"otp-auth":"%T"}'}
          commands:
            - {topic: home/lobby/sealed, trust: token, actions: [bell], reply: home/lobby/reply}
            - {topic: home/lobby/lamp, trust: token, key: {file: own.key}, actions: [bell], reply: home/lobby}
          """), withBroker: false)
    let key = world.folder + "/own.key"
    try (world.timestampKey + "\n").write(toFile: key, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let done = try world.tappet("check", "--config-only")
    let notes = lines(done, "commands").filter { $0.hasPrefix("note") }
    try #require(done.status == 0 && notes.count == 2, "\(done)")
    #expect(notes[0].contains("home/lobby/sealed: ") && notes[0].contains("set a separate 'key'"), "\(done)")
    #expect(notes[1].contains("any topic below 'home/lobby', such as home/lobby/sealed;"), "\(done)")
  }

  @Test func `without a kiosk, a refused id is retried as the kiosk's, and missing tags are not an error`()
    throws
  {
    let world = try KioskWorld(withBroker: false)
    try FileManager.default.removeItem(atPath: world.folder + "/state")
    let refusing = TestPeer(.answer([0x20, 2, 0, 5]))
    try world.write(
      KioskWorld.KioskConfiguration(scheme: "mqtt", port: refusing.port, ca: nil, certificate: nil))
    let done = try world.tappet("check")
    #expect(done.status == 1, "\(done)")
    let broker = try #require(lines(done, "broker").first)
    #expect(broker.hasPrefix("FAIL  broker") && broker.contains("does not allow this client to connect"), "\(done)")
    #expect(lines(done, "delivery").isEmpty, "\(done)")
    let secrets = "note  secrets        none yet, so every signed tag is refused; use 'tappet tag write'"
    #expect(lines(done, "secrets").first?.hasPrefix(secrets) == true, "\(done)")
  }

  @Test func `a kiosk without a reader is not told to write tags`() throws {
    let world = try KioskWorld(withBroker: false)
    try FileManager.default.removeItem(atPath: world.folder + "/state")
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacing(/reader:.*/, with: "reader: none").write(
      toFile: world.configPath, atomically: true, encoding: .utf8)
    let done = try world.tappet("check")
    #expect(lines(done, "secrets").isEmpty && lines(done, "reader").count == 1, "\(done)")
  }

  @Test func `a kiosk without any trigger is noted by check`() throws {
    let world = try KioskWorld(withBroker: false)
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    let bare = text.replacing(/reader:.*/, with: "reader: none")
    for (added, isNoted) in [
      ("", true), ("inventory: {}\n", true), ("commands: [{topic: c, trust: trusted, actions: [light]}]\n", false),
      ("inventory: {scanner: /dev/ttyACM0, scan_action: light}\n", false),
      ("panel: {simulator: \(world.folder)/panel, buttons: [{name: green, line: GPIO5, press: light}]}\n", false),
    ] {
      try (bare + added).write(toFile: world.configPath, atomically: true, encoding: .utf8)
      let done = try world.tappet("check", "--config-only")
      let sentences = lines(done, "triggers")
      #expect(sentences.isEmpty == !isNoted, "\(added): \(done)")
      guard isNoted else { continue }
      #expect(done.status == 0 && sentences.allSatisfy { $0.hasPrefix("note") }, "\(done)")
      #expect(sentences.allSatisfy { $0.contains("'panel.buttons', 'commands' or 'inventory.scanner'") }, "\(done)")
    }
  }

  @Test func `a driver missing from libnfc is named, instead of a hint to plug in the reader`() throws {
    let world = try KioskWorld(withBroker: false)
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "pn532_uart:\(world.folder)/reader", with: "pcsc:foo")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let done = try world.tappet("check")
    let reader = try #require(lines(done, "reader").first)
    #expect(reader.contains("lacks the driver 'pcsc'; it supports pn532_uart") && !reader.contains("plug"), "\(done)")
  }
}
