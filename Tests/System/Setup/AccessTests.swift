// Users who may not do everything: what they see, and the advice that they get.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct AccessTests {
  /// Prints what the kiosk reports, as a user who is neither root nor the kiosk's own.
  private static let watcher = """
    import os, socket, sys
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    os.setgroups([])
    os.setgid(4711)
    os.setuid(4711)
    client.connect(sys.argv[1])
    for request in (b'{"request":"watch"}', b'{"request":"status"}'):
        client.send(request)
    while message := client.recv(65536):
        print(message.decode(), flush=True)
    """

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a user who may not see keys sees only the last digits of a tag's UID`() throws {
    let world = try KioskWorld()
    try world.start()
    for folder in [world.folder, world.folder + "/state"] { #expect(chmod(folder, 0o711) == 0) }
    #expect(chmod(world.folder + "/state/control", 0o666) == 0)
    let output = world.folder + "/watched"
    let watching = try TestProcess(
      Programs.installed("python3"), ["-c", Self.watcher, world.folder + "/state/control"], output: output)
    defer { watching.stop(SIGKILL) }
    #expect(eventually { textSoFar(output).contains("\"counters\"") }, "\(textSoFar(output))")
    let uid = world.freshUID()
    _ = try world.tap("ntag213 uid=\(uid) url=\(try world.url(1))", until: "delivered-by-tag", messages: 1)
    #expect(eventually { textSoFar(output).contains("\"uid\":\"…\(uid.suffix(4))\"") }, "\(textSoFar(output))")
    #expect(!textSoFar(output).lowercased().contains(uid), "\(textSoFar(output))")
    #expect(try world.tappet("status", "--json").output.lowercased().contains(uid))
  }

  @Test func `a folder that cannot be written is refused with a hint to use sudo`() throws {
    let world = try KioskWorld(withBroker: false)
    let pass = world.folder + "/pass"
    try "correct horse battery\n".write(toFile: pass, atomically: true, encoding: .utf8)
    chmod(pass, 0o600)
    let other = world.folder + "/other/kiosk.yaml"
    #expect(mkdir(world.folder + "/other", 0o755) == 0)
    let settings = "state: state\nbroker: {url: 'mqtt://localhost', client_id: k}\n"
    try (settings + "actions: [{name: light, topic: a, message: b}]\n").write(
      toFile: other, atomically: true, encoding: .utf8)
    for words in [
      ["secret", "new", "light"], ["backup", world.folder + "/backup", "--passphrase-file", pass],
    ] { #expect(try Programs.run(Programs.built("tappet"), words + ["--config", other]).status == 0, "\(words)") }
    let closed = world.folder + "/closed"
    #expect(mkdir(closed, 0) == 0)
    // Root may write anywhere, unless the capability for it is taken away.
    let dropping = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : ["env"]
    for words in [
      ["init", "--config", closed + "/kiosk.yaml"],
      [
        "restore", world.folder + "/backup", "--passphrase-file", pass, "--yes", "--config", closed + "/new/kiosk.yaml",
      ],
      ["outbox", "export", closed + "/entries", "--config", world.configPath],
      ["output", "safe", "--state", closed + "/state"],
    ] {
      let done = try Programs.run(
        Programs.installed(dropping[0]), dropping.dropFirst() + [try Programs.built("tappet").path] + words)
      #expect(done.status != 0 && done.errors.contains("; use sudo"), "\(words): \(done)")
    }
  }
}
