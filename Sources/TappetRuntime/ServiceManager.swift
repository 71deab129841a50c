// What a service manager is told (sd_notify(3)): datagrams of lines to the socket that NOTIFY_SOCKET names.
//
// Not by libsystemd: it is sixteen lines against 776 KB more of resident memory (libsystemd and the four libraries that it loads).

import CPlatform
import TappetCore
import TappetDevices

/// The service manager that started this process.
///
/// One thread. Nobody listening is no error: then nothing is done.
final class ServiceManager {
  /// How often it wants to hear that all goes on; nil: it does not.
  let watchdogInterval: Duration?
  private let socket: Int32
  private var address = sockaddr_un()
  private let addressSize: socklen_t
  private var status = ""

  /// Nil when nobody wants to be told.
  ///
  /// Embedded Swift leaks an object whose own initializer fails.
  static func ofEnvironment() -> ServiceManager? {
    guard let name = secure_getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return nil }
    let bytes = Array(name.utf8)
    guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), bytes.count <= 107 else {
      return nil
    }
    let socket = CPlatform.socket(AF_UNIX, tp_sock_dgram() | tp_sock_flags(), 0)
    return socket < 0 ? nil : ServiceManager(socket, bytes)
  }

  private init(_ socket: Int32, _ name: [UInt8]) {
    self.socket = socket
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: name)
      // An abstract name.
      if name[0] == UInt8(ascii: "@") { $0[0] = 0 }
    }
    addressSize = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    watchdogInterval = Self.interval()
  }

  deinit { close(socket) }

  /// Meant for this process and no child or parent of it.
  private static func interval() -> Duration? {
    func number(_ name: String) -> Int64? { secure_getenv(name).flatMap { Int64(String(cString: $0)) } }
    guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0, microseconds < 1 << 50 else { return nil }
    if let pid = number("WATCHDOG_PID"), pid != Int64(getpid()) { return nil }
    return .milliseconds(max(1, microseconds / 1000))
  }

  /// The configuration is loaded and the loop runs.
  func ready() { send("READY=1\n") }

  func reloading(at monotonic: Int64) {
    send("RELOADING=1\nMONOTONIC_USEC=" + String(monotonic / 1000) + "\n")
  }

  func stopping() { send("STOPPING=1\n") }

  /// All goes on.
  func live() { send("WATCHDOG=1\n") }

  /// One line for `systemctl status`; the same one twice is told once.
  func say(_ line: String) {
    guard line != status else { return }
    status = line
    send("STATUS=" + line + "\n")
  }

  private func send(_ text: String) {
    let bytes = Array(text.utf8.prefix(Limits.serviceStatusSizeMax))
    _ = bytes.withUnsafeBytes { tp_sendto_unix(socket, &address, addressSize, $0.baseAddress, $0.count) }
  }
}
