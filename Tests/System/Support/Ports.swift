// Ports of 127.0.0.1, and strangers that listen there.

import Foundation

enum Port {
  /// One that nobody listens on right now.
  static func free() throws -> Int {
    guard let (descriptor, port) = listening() else { throw WorldFault(description: "there is no free port") }
    close(descriptor)
    return port
  }

  /// A listening socket.
  static func listening() -> (descriptor: Int32, port: Int)? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(0)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    return isListening ? (descriptor, Int(UInt16(bigEndian: address.sin_port))) : nil
  }

  /// Whether somebody accepts connections there.
  static func answers(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(UInt16(port))
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }
}

/// Accepts connections one after the other, and treats each in the same way until the test releases it.
final class Stranger {
  enum Manner: Sendable {
    /// Closes at once.
    case hangUp
    /// Reads, never writes.
    case silence
    /// Answers the first bytes with these, then reads on.
    case answer([UInt8])
  }

  let port: Int
  private let listener: Int32
  private let ended = DispatchSemaphore(value: 0)

  init(_ manner: Manner) throws {
    guard let (descriptor, port) = Port.listening() else { throw WorldFault(description: "there is no free port") }
    self.port = port
    listener = descriptor
    let ended = ended
    Thread.detachNewThread {
      while case let peer = accept(descriptor, nil, nil), peer >= 0 {
        Stranger.treat(peer, manner)
        close(peer)
      }
      ended.signal()
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    _ = ended.wait(timeout: .now() + 5)
    close(listener)
  }

  private static func treat(_ peer: Int32, _ manner: Manner) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    switch manner {
    case .hangUp: return
    case .silence: break
    case .answer(let bytes):
      _ = read(peer, &buffer, buffer.count)
      _ = write(peer, bytes, bytes.count)
    }
    while read(peer, &buffer, buffer.count) > 0 {}
  }
}

/// A Unix stream socket that answers lines.
enum LocalStream {
  /// Sends one line and hangs up its own side; everything that comes back.
  static func ask(_ path: String, _ line: String) throws -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix(107))) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else { throw WorldFault(description: "nobody listens at \(path)") }
    let bytes = Array((line + "\n").utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw WorldFault(description: "\(path) took no line")
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { answer += buffer.prefix(count) }
    return String(decoding: answer, as: UTF8.self)
  }
}
