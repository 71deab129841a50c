// Strangers on a TCP port of 127.0.0.1, and what is needed of sockets in tests.

import Foundation

package enum TestSocket {
  /// A port that nobody listens on, and that no other process of the tests is given.
  package static func freePort() -> UInt16 { TestPorts.next() }

  /// Whether the port is free on 127.0.0.1, also of connections that ended a short time ago.
  static func canBind(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// A listening socket on 127.0.0.1.
  package static func listening(backlog: Int32 = 8) -> (socket: Int32, port: UInt16)? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(0)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        var length = size
        return bind(descriptor, pointer, size) == 0 && listen(descriptor, backlog) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    return isListening ? (descriptor, UInt16(bigEndian: address.sin_port)) : nil
  }

  /// Whether somebody accepts connections there.
  package static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    return connectLoopback(descriptor, port)
  }

  /// Whether the socket is connected to 127.0.0.1 by then.
  @discardableResult
  package static func connectLoopback(_ descriptor: Int32, _ port: UInt16) -> Bool {
    var address = loopback(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Open descriptors of this process.
  package static var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? -1
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }
}

/// Accepts connections, one after the other, and treats each in the same way until it is released.
package final class TestPeer {
  package enum Manner: Sendable {
    /// Closes at once.
    case hangUp
    /// Reads, never writes.
    case silence
    /// Answers the first bytes with these, then reads on.
    case answer([UInt8])
    /// Answers each MQTT packet of less than 130 bytes with the next of these, then reads on.
    case answerEach([[UInt8]])
    /// The same as `answer`, and closes.
    case answerAndHangUp([UInt8])
    /// Answers the first bytes with the first of these, then writes the second without end.
    case flood([UInt8], with: [UInt8])
    /// Resets the connection after the first bytes.
    case reset
  }

  package let port: UInt16
  private let listener: Int32
  private let ended = DispatchSemaphore(value: 0)
  private let flooded = Flooded()
  /// Bytes of a flood that were taken.
  package var floodedSize: Int { flooded.lock.withLock { flooded.size } }

  private final class Flooded: @unchecked Sendable {
    let lock = NSLock()
    var size = 0
  }

  package init(_ manner: Manner) {
    guard let (socket, port) = TestSocket.listening() else { preconditionFailure("no port") }
    self.port = port
    listener = socket
    let (ended, flooded) = (ended, flooded)
    Thread.detachNewThread {
      while case let peer = accept(socket, nil, nil), peer >= 0 {
        // A child of another test must not keep the connection open.
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        TestPeer.treat(peer, manner, flooded)
        close(peer)
      }
      ended.signal()
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    ended.wait()
    close(listener)
  }

  private static func treat(_ peer: Int32, _ manner: Manner, _ flooded: Flooded) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    func readMore() { while read(peer, &buffer, buffer.count) > 0 {} }
    switch manner {
    case .hangUp: break
    case .silence: readMore()
    case .answer(let bytes):
      _ = read(peer, &buffer, buffer.count)
      _ = write(peer, bytes, bytes.count)
      readMore()
    case .answerEach(let answers):
      var left = answers[...]
      while !left.isEmpty, case let size = read(peer, &buffer, buffer.count), size > 1 {
        var index = 0
        while index + 1 < size, let bytes = left.popFirst() {
          _ = write(peer, bytes, bytes.count)
          index += 2 + Int(buffer[index + 1])
        }
      }
      readMore()
    case .answerAndHangUp(let bytes):
      _ = read(peer, &buffer, buffer.count)
      _ = write(peer, bytes, bytes.count)
      shutdown(peer, Int32(SHUT_WR))
      readMore()
    case .flood(let bytes, let flood):
      _ = read(peer, &buffer, buffer.count)
      _ = write(peer, bytes, bytes.count)
      while case let count = send(peer, flood, flood.count, Int32(MSG_NOSIGNAL)), count > 0 {
        flooded.lock.withLock { flooded.size += count }
      }
    case .reset:
      _ = read(peer, &buffer, buffer.count)
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(peer, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }
}
