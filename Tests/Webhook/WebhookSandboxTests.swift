// tappet-webhook after it has loaded its secrets, in its own hands and in those of somebody who has taken it over.

import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetKiosk

@Suite(.serialized) struct WebhookSandboxTests {
  @Test(.enabled(if: access("/proc/sys/kernel/seccomp", F_OK) == 0, "this kernel has no seccomp"))
  func `once its secrets are loaded, tappet-webhook is sandboxed, and can still reach its server`() throws {
    let rig = try WebhookRig(paths: ["ok"])
    let status = try rig.status()
    #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
    #expect(status.contains("CapEff:\t0000000000000000"), "\(status)")
    // Root's tappet-webhook is nobody.
    let user = geteuid() == 0 ? 65534 : geteuid()
    #expect(status.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)\n"), "\(status)")
    guard case .answered(_, status: 200, _) = try rig.post() else { throw TestFault("200") }
  }

  @Test func `the memory of tappet-webhook and tappet-matrix is limited, with and without encryption`() throws {
    let (rig, reactor) = (try WebhookRig(), try Reactor())
    func check(_ pid: pid_t?, _ bytes: Int) throws {
      let limits = try String(contentsOfFile: "/proc/\(try #require(pid))/limits", encoding: .utf8)
      let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max data size") })
      #expect(line.split(separator: " ").dropFirst(3).first == "\(bytes)", "\(line)")
    }
    try check(rig.pid, Limits.webhookDataMax)
    let folder = TestFolder.make("session")
    let session = "homeserver http://127.0.0.1:1\nuser @kiosk:h\ndevice D\ntoken t\n"
    #expect(
      FileManager.default.createFile(
        atPath: folder + "/session", contents: Data(session.utf8), attributes: [.posixPermissions: 0o600]))
    let opening = RoomOrder.session(path: folder + "/session", ca: "")
    for (orders, bytes) in [
      ([opening], Limits.webhookDataMax),
      ([opening, .encrypt(RoomEncryption(), state: folder)], Limits.matrixDataMax),
    ] {
      let host = HelperHost(sizeMax: Limits.roomWireSizeMax) { try? RoomMessage(decoding: $0) }
      var isReady = false
      host.onNotice = { if case .message(.ready) = $0 { isReady = true } }
      try host.start(Programs.built("tappet-matrix").path, "--socket", [], reactor, opensSecrets: true)
      for order in orders + [.begin(position: nil)] { #expect(host.send(order.encode())) }
      let began = try eventually {
        try reactor.turn(timeout: .seconds(1))
        return isReady
      }
      #expect(began)
      try check(host.processID, bytes)
    }
  }

  #if arch(x86_64)
    @Test(.enabled(if: geteuid() == 0, "only root may stop a process that is not dumpable"))
    func `a compromised tappet-webhook can reach the network, but no local service`() throws {
      let rig = try WebhookRig(paths: ["ok"])
      let pid = try #require(rig.pid)
      let results = try injectedCalls(into: pid)
      #expect(results["getpid"] == String(pid) && results.count == 39)
      let allowed = Set(results.filter { $0.value != "EPERM" }.keys)
      // A file is opened to be read only, and Landlock says which; here it has no name.
      let expected: Set = [
        "getpid", "open", "inet", "route", "pair", "TCGETS", "FIONREAD", "F_GETFL", "O_NONBLOCK",
      ]
      #expect(allowed == expected && results["open"] == "EFAULT", "\(results)")
      guard case .answered(_, status: 200, _) = try rig.post() else { throw TestFault("200") }
    }
  #endif
}
