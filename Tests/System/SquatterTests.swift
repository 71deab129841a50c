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
    os.setgid(65534)
    os.setuid(65534)
    listener.listen()
    print("ready", flush=True)
    while True:
        client = listener.accept()[0]
        if client.recv(65536):
            print("got something", flush=True)
    """

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a secret is not sent to another user's program at the control socket`() throws {
    let world = try KioskWorld(withBroker: false)
    let output = world.folder + "/squatter"
    let process = try TestProcess(
      Programs.python(), ["-c", Self.squatter, world.folder + "/state/control"], output: output)
    defer { process.stop(SIGTERM) }
    #expect(eventually { textSoFar(output).contains("ready") })
    let done = try world.tappet(
      "secret", "import", input: "smpshare://secret?idx=0&key=\(Signing.key())&label=Test\n")
    #expect(done.status == 4 && done.errors.contains("listens a program of another user (65534)"), "\(done)")
    #expect(!textSoFar(output).contains("got"))
  }

  @Test func `check warns of a folder in which others could exchange files`() throws {
    let world = try KioskWorld(withBroker: false)
    #expect(try !world.tappet("check").output.contains("folder "))
    chmod(world.folder, 0o777)
    let done = try world.tappet("check")
    #expect(done.output.contains("\(world.folder) can be written to by other users"), "\(done)")
    #expect(done.status == 1)
  }
}
