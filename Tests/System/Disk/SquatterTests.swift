// Somebody else at the place of the kiosk's socket, or able to get there.

import Foundation
import TestSupport
import Testing

@Suite struct SquatterTests {
  private static let squatter = """
    import os, socket, sys
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(sys.argv[1])
    os.chmod(sys.argv[1], 0o666)
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
    listener.listen()
    print("ready", flush=True)
    while True:
        client = listener.accept()[0]
        if client.recv(65536):
            print("got something", flush=True)
            client.send(sys.argv[3].encode())
    """

  /// Somebody who listens at the world's control socket, and answers everything with `answer`.
  private func squatter(in world: KioskWorld, user: uid_t, answer: String) throws -> TestProcess {
    let output = world.folder + "/squatter"
    let process = try TestProcess(
      Programs.python(), ["-c", Self.squatter, world.folder + "/state/control", "\(user)", answer], output: output)
    guard eventually({ textSoFar(output).contains("ready") }) else { throw TestFault("no squatter") }
    return process
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `nothing is sent to another user's program at the control socket, or accepted from it`() throws {
    let world = try KioskWorld(withBroker: false)
    let process = try squatter(in: world, user: 65_534, answer: #"{"state":"\#(world.folder)","light":"ready"}"#)
    defer { process.stop(SIGTERM) }
    let sentence = "it runs as another user (65534)"
    let share = "smpshare://secret?idx=0&key=\(Signing.key())&label=Test\n"
    for words in [
      ["secret", "import"], ["status"], ["check", "--running"], ["panel", "lock"], ["tag", "read", "--timeout", "1"],
      ["output", "list"],
    ] {
      let done = try world.tappet(words, input: share)
      #expect(done.status == 4 && done.errors.contains(sentence) && done.output.isEmpty, "\(words): \(done)")
    }
    let json = try world.tappet("status", "--json")
    #expect(json.status == 4 && json.output.contains("kiosk-distrusted"), "\(json)")
    let check = try world.tappet("check")
    #expect(check.status == 1 && check.output.contains(sentence), "\(check)")
    #expect(try world.tappet("status", "--prometheus").output.contains("tappet_up 0"))
    #expect(!textSoFar(world.folder + "/squatter").contains("got"))
    // Nor is it taken for another kiosk.
    let start = try world.tappet("run", "--plain")
    #expect(start.status == 4 && start.errors.contains("another user (65534) has taken the path"), "\(start)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `without permission to query the kiosk, metrics are an error, and do not report it as down`() throws {
    let world = try KioskWorld(withBroker: false)
    try world.start(until: "offline")
    chmod(world.folder, 0o711)
    chmod(world.configPath, 0o644)
    let become =
      "import os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])"
    let done = try Programs.run(
      Programs.python(),
      ["-c", become, Programs.built("tappet").path, "status", "--prometheus", "--config", world.configPath])
    #expect(done.status == 4 && done.output.isEmpty && done.errors.contains("not allowed to connect"), "\(done)")
  }

  @Test func `line breaks in a response cannot forge lines of the status`() throws {
    let world = try KioskWorld(withBroker: false)
    let answer = #"{"client_id":"a\nb","reader":{"good":true,"text":"good\nbroker    connected\ttoo"}}"#
    let process = try squatter(in: world, user: geteuid(), answer: answer)
    defer { process.stop(SIGTERM) }
    let lines = try world.tappet("status").output.split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("broker ") }, "\(lines)")
    #expect(lines.first == "kiosk     a\\u{a}b, up 0 s", "\(lines)")
  }

  @Test func `check warns if others can write to the configuration or its folder`() throws {
    let world = try KioskWorld(withBroker: false)
    #expect(try !world.tappet("check").output.contains("folder "))
    chmod(world.configPath, 0o666)
    let open = try world.tappet("check")
    #expect(open.output.contains("\(world.configPath) can be written to by other users; run: chmod go-w"), "\(open)")
    #expect(open.status == 1)
    chmod(world.configPath, 0o644)
    chmod(world.folder, 0o777)
    let done = try world.tappet("check")
    #expect(done.output.contains("\(world.folder) can be written to by other users"), "\(done)")
    #expect(done.status == 1)
    // As in /tmp: nobody can take a file away, but anybody can be there first.
    #expect(chmod(world.folder, 0o1777) == 0)
    #expect(try !world.tappet("check").output.contains("folder "))
    try world.write(KioskWorld.KioskConfiguration(more: "control: \(world.folder)/control"))
    let sticky = try world.tappet("check")
    #expect(sticky.output.contains("any user can create the control socket"), "\(sticky)")
  }
}
