// Programs that flood the control socket, while people tap.

import Foundation
import TappetPlatform
import TestSupport
import Testing

/// A client that asks without end and does not read the answers.
private final class Flooder: @unchecked Sendable {
  private let lock = NSLock()
  private var isEnding = false
  private var count = 0

  var sentCount: Int { lock.withLock { count } }
  func end() { lock.withLock { isEnding = true } }

  func start(_ path: String, _ request: String) throws {
    let socket = try UnixSocket.connect(to: path, waits: true)
    let descriptor = dup(socket.fileDescriptor)
    let bytes = Array(request.utf8)
    Thread.detachNewThread { [self] in
      defer { close(descriptor) }
      while lock.withLock({ !isEnding }) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 100) >= 0, entry.revents & Int16(POLLHUP) == 0 else { return }
        if send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == bytes.count {
          lock.withLock { count += 1 }
        }
      }
    }
  }
}

@Suite struct ControlFloodTests {
  @Test func `with fifteen clients flooding the control socket, a tap is delivered and root is served`() throws {
    let world = try KioskWorld()
    try world.start()
    let flooders = (0..<15).map { _ in Flooder() }
    defer { flooders.forEach { $0.end() } }
    let requests = [#"{"request":"status"}"#, #"{"request":"watch"}"#, #"{"request":"outbox-drop","id":"00"}"#, "{"]
    for (place, flooder) in flooders.enumerated() {
      try flooder.start(world.folder + "/state/control", requests[place % requests.count])
    }
    #expect(eventually { flooders.allSatisfy { $0.sentCount > 100 } })
    try world.goodTap()
    #expect(try world.tappet("status").output.contains("outbox"))
  }
}
