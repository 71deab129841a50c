// A Unix stream socket that answers lines: the simulator's control socket.

import Foundation

package enum LocalStream {
  /// Sends lines, all at once, and hangs up its own side; everything that comes back.
  package static func ask(_ path: String, _ line: String) throws -> String {
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
    guard isConnected else { throw TestFault("nobody listens at \(path)") }
    let bytes = Array((line + "\n").utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw TestFault("\(path) took no line")
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { answer += buffer.prefix(count) }
    return String(decoding: answer, as: UTF8.self)
  }
}
