// A port that first lets nobody in, then passes everything on to another: on loopback a connection is otherwise made
// within the call that asks for it, and what happens while a SYN is under way would never be tried.

import Foundation

/// Keeps connections in SYN_SENT until `open`, then relays them to `target` on 127.0.0.1.
package final class TestRelay {
  package let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private var fillers: [Int32] = []

  package init(to target: UInt16) {
    guard let (socket, port) = TestSocket.listening(backlog: 0) else { preconditionFailure("no port") }
    listener = socket
    self.port = port
    self.target = target
    // A full accept queue drops SYNs; the client's kernel sends them again after 1 s.
    while fillers.count < 4 { fillers.append(TestSocket.startConnecting(to: port)) }
  }

  deinit {
    fillers.forEach { close($0) }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Whether somebody's SYN is under way to this port, beside the fillers'.
  package var isAwaited: Bool {
    let own = fillers.map { TestSocket.localAddress($0) }
    return TestSocket.synSent(to: port).contains { !own.contains($0) }
  }

  /// Takes in who waits, and whoever comes, until the listener is closed.
  package func open() {
    fillers.forEach { close($0) }
    fillers = []
    let listener = listener
    let target = target
    Thread.detachNewThread {
      while case let peer = accept(listener, nil, nil), peer >= 0 {
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread { TestRelay.relay(peer, TestSocket.startConnecting(to: target)) }
      }
    }
  }

  private static func relay(_ one: Int32, _ other: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    var entries = [one, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&entries, 2, -1) > 0 {
      for (from, to) in [(0, 1), (1, 0)] where entries[from].revents != 0 {
        let count = recv(entries[from].fd, &buffer, buffer.count, 0)
        guard count > 0, send(entries[to].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count else {
          [one, other].forEach { close($0) }
          return
        }
      }
    }
  }
}

extension TestSocket {
  /// A socket whose connect was begun; it blocks again for what comes after.
  package static func startConnecting(to port: UInt16) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_INET, Int32(kind), 0)
    connectLoopback(descriptor, port)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    return descriptor
  }

  /// The own ends of the connections to this port of 127.0.0.1 that wait for an answer to their SYN (proc_net_tcp:
  /// state 02).
  package static func synSent(to port: UInt16) -> [String] {
    let table = textSoFar("/proc/net/tcp")
    let remote = "0100007F:" + String(format: "%04X", port)
    return table.split(separator: "\n").compactMap {
      let fields = $0.split(separator: " ")
      return fields.count > 3 && fields[2] == remote && fields[3] == "02" ? String(fields[1]) : nil
    }
  }

  /// The own end of a connection, as /proc/net/tcp has it.
  package static func localAddress(_ descriptor: Int32) -> String {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return String(format: "%08X:%04X", address.sin_addr.s_addr, UInt16(bigEndian: address.sin_port))
  }
}
