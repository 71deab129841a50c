// Properties of a connection that the kernel reports, but libmosquitto does not.

import CPlatform
import TappetPlatform

/// Inspects a socket that libmosquitto owns.
enum BrokerLinkSocket {
  /// Whether the peer has closed the connection and nothing is left to read.
  static func hasPeerClosed(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    do throws(SystemError) {
      return try checked("recv") { recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) } == 0
    } catch { return error.code != EAGAIN }
  }

  /// Returns the socket's pending error; 0 if there is none.
  static func error(of socket: Int32) -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
    return code
  }
}
