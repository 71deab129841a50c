// Messages to a service manager (sd_notify(3)): lines of text, sent as datagrams to the socket specified by
// NOTIFY_SOCKET.
//
// libsystemd is not used: these sixteen lines save 776 KB of resident memory (libsystemd and the four libraries that it
// loads).

import CPlatform
import TappetCore
import TappetPlatform

/// The service manager that started this process.
///
/// Confined to one thread. A service manager that does not listen is not an error.
final class ServiceManager {
  /// Maximum interval between watchdog messages; `nil` if none are expected.
  let watchdogInterval: Duration?
  private let socket: UnixSocket

  /// Returns the service manager; `nil` if none is listening.
  static func ofEnvironment() -> ServiceManager? {
    guard let name = secure_getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return nil }
    guard name.utf8.first == UInt8(ascii: "/") || name.utf8.first == UInt8(ascii: "@") else { return nil }
    return (try? UnixSocket.sender(to: name)).map { ServiceManager($0) }
  }

  private init(_ socket: UnixSocket) {
    self.socket = socket
    watchdogInterval = Self.interval()
  }

  /// Returns the watchdog interval if it applies to this process, rather than to a child or parent.
  private static func interval() -> Duration? {
    func number(_ name: String) -> Int64? { secure_getenv(name).flatMap { Int64(String(cString: $0)) } }
    guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0, microseconds < 1 << 50 else { return nil }
    if let pid = number("WATCHDOG_PID"), pid != Int64(getpid()) { return nil }
    return .milliseconds(max(1, microseconds / 1000))
  }

  /// Reports that the configuration is loaded and the loop is running.
  func ready() { send("READY=1\n") }

  /// Reports readiness and the line shown by `systemctl status` in one message, so that neither is seen without the
  /// other.
  func ready(reporting line: String) { send("READY=1\nSTATUS=" + line + "\n") }

  func reloading(at monotonic: Int64) {
    send("RELOADING=1\nMONOTONIC_USEC=" + String(monotonic / 1000) + "\n")
  }

  func stopping() { send("STOPPING=1\n") }

  /// Reports that the process is making progress.
  func live() { send("WATCHDOG=1\n") }

  /// Sets the line shown by `systemctl status`.
  func report(_ line: String) { send("STATUS=" + line + "\n") }

  private func send(_ text: String) { socket.send(Array(text.utf8.prefix(Limits.serviceStatusSizeMax))) }
}
