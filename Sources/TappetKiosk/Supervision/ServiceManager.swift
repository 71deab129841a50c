// Messages to a service manager (sd_notify(3)): datagrams of lines to the socket that NOTIFY_SOCKET names.
//
// Not by libsystemd: it is sixteen lines against 776 KB more of resident memory (libsystemd and the four libraries that
// it loads).

import CPlatform
import TappetCore
import TappetPlatform

/// The service manager that started this process.
///
/// One thread. A service manager that does not listen is not an error.
final class ServiceManager {
  /// Interval within which it expects a sign of life; `nil` means that it expects none.
  let watchdogInterval: Duration?
  private let socket: UnixSocket

  /// Returns `nil` when none listens.
  static func ofEnvironment() -> ServiceManager? {
    guard let name = secure_getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return nil }
    guard name.utf8.first == UInt8(ascii: "/") || name.utf8.first == UInt8(ascii: "@") else { return nil }
    return (try? UnixSocket.sender(to: name)).map { ServiceManager($0) }
  }

  private init(_ socket: UnixSocket) {
    self.socket = socket
    watchdogInterval = Self.interval()
  }

  /// Meant for this process and no child or parent of it.
  private static func interval() -> Duration? {
    func number(_ name: String) -> Int64? { secure_getenv(name).flatMap { Int64(String(cString: $0)) } }
    guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0, microseconds < 1 << 50 else { return nil }
    if let pid = number("WATCHDOG_PID"), pid != Int64(getpid()) { return nil }
    return .milliseconds(max(1, microseconds / 1000))
  }

  /// The configuration is loaded and the loop runs.
  func ready() { send("READY=1\n") }

  /// The same, with the line that `systemctl status` shows, in one message: neither is seen without the other.
  func ready(reporting line: String) { send("READY=1\nSTATUS=" + line + "\n") }

  func reloading(at monotonic: Int64) {
    send("RELOADING=1\nMONOTONIC_USEC=" + String(monotonic / 1000) + "\n")
  }

  func stopping() { send("STOPPING=1\n") }

  /// The process makes progress.
  func live() { send("WATCHDOG=1\n") }

  /// Sets the line that `systemctl status` shows.
  func report(_ line: String) { send("STATUS=" + line + "\n") }

  private func send(_ text: String) { socket.send(Array(text.utf8.prefix(Limits.serviceStatusSizeMax))) }
}
