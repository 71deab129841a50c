// tappet init --web: a browser answers the questions. This process serves its page through tappet-web; the questions
// are those of a 'tappet init' that it starts.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// The set-up in a browser.
enum SetupPage {
  /// Returns an error message about the value of --web; `nil` if it is a port, or an address with a port.
  static func mistake(in place: String) -> String? {
    let parts = Array(place.utf8)
    let colon = parts.lastIndex(of: UInt8(ascii: ":"))
    let address = colon.map { parts[..<$0] } ?? []
    let port = parts[(colon.map { $0 + 1 } ?? 0)...]
    let isAddress =
      address.first == UInt8(ascii: "[")
      ? address.last == UInt8(ascii: "]")
      : address.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        && (colon == nil || !address.isEmpty)
    if isAddress, let number = Int64(decimal: port), (1...65535).contains(number) { return nil }
    return "--web needs a port, such as 8443, or an address and a port, such as 192.0.2.7:8443"
  }

  /// Runs until the set-up has ended, or a signal arrives.
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let place = arguments.value("web") ?? ""
    let program = InstalledPrograms.locate("tappet-web")
    guard access(program, X_OK) == 0 else {
      throw .refused("\(program) is missing; install the package tappet-web, or run 'tappet init' without --web")
    }
    var template = "/tmp/tappet-init.XXXXXX".utf8CString.map { $0 }
    let status: Int32
    do throws(SystemError) {
      let reactor = try Reactor()
      var host: SetupHost?
      var isInterrupted = false
      try reactor.watchSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { _ in
        isInterrupted = true
        host?.stop()
      }
      try checked("mkdtemp") { mkdtemp(&template) == nil ? -1 : 0 }
      let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      defer { remove(folder) }
      // Root's tappet-web becomes nobody, and connects to the socket in it.
      try checked("chmod") { chmod(folder, 0o711) }
      host = try SetupHost(socket: folder + "/web", reactor)
      let options = arguments.without(["web", "config"]).words + ["--config", KioskAccess.path(arguments)]
      guard let host, !isInterrupted else { throw SystemError(call: "set-up", code: EINTR) }
      status = try serve(options, host, folder, program, at: place, reactor)
    } catch { throw .failed("the page cannot be served: \(error.call): \(error.text)") }
    if status != 0 { throw .reported(ExitStatus(rawValue: status) ?? .failure) }
  }

  private static func remove(_ folder: String) {
    for name in ["web", "key.pem", "certificate.pem"] { unlink(folder + "/" + name) }
    rmdir(folder)
  }

  private static func serve(
    _ options: [String], _ host: SetupHost, _ folder: String, _ program: String, at place: String, _ reactor: Reactor
  ) throws(SystemError) -> Int32 {
    // The descriptor that a child inherits; tappet-web needs none.
    let nothing = try FileDescriptor.open("/dev/null", O_RDWR | O_CLOEXEC)
    let web = try ChildProcess.spawn(
      program,
      [
        "--for-setup", "--kiosk", folder + "/web", "--state", folder, "--listen",
        place.contains(":") ? place : "0.0.0.0:" + place,
      ], variables: ["LD_", "TAPPET_"], inherited: nothing)
    host.webServer = web.id
    defer {
      web.signal(SIGTERM)
      web.waitForEnd(limit: .seconds(2))
      web.signal(SIGKILL)
      _ = web.reap()
    }
    let name = place.contains(":") ? place : (NetworkIdentity.hostName() ?? "ADDRESS") + ":" + place
    let others = place.contains(":") ? "" : ", or any other address of this board at this port"
    Output.printError(
      "Open https://\(name) in a browser\(others). Compare the SHA-256 below with the one in the browser's details of "
        + "the certificate, then type this code there within 5 minutes:")
    Output.print("\(host.digits.prefix(4)) \(host.digits.dropFirst(4))")
    try host.start(options, reactor)
    let end = Instant.now() + Limits.setupTimeMax
    var isPaired = false
    while host.status == nil {
      if host.isPaired != isPaired {
        isPaired = true
        Output.printError("A browser has typed the code, and answers the questions. Ctrl-C ends the set-up.")
      }
      let reason = reasonToStop(host, web, until: end)
      if let reason, !host.isStopping { Output.printError("tappet init: " + reason) }
      // Repeated, because it kills a set-up that does not end.
      if host.isStopping || reason != nil { host.stop() }
      try reactor.turn(timeout: .seconds(1))
    }
    Output.printError(host.status == 0 ? "The set-up is complete." : "The set-up has ended without success.")
    // The browser still receives the result.
    let last = Instant.now() + .seconds(1)
    while Instant.now() < last { try reactor.turn(timeout: .milliseconds(100)) }
    return host.status ?? ExitStatus.failure.rawValue
  }

  /// Returns why a set-up that runs must end; `nil` if it may continue.
  private static func reasonToStop(_ host: SetupHost, _ web: ChildProcess, until end: Instant) -> String? {
    if web.reap() != nil { return "tappet-web has ended" }
    if host.isUnreachable { return "the code has expired, or was typed wrong too often; run the command again" }
    return end <= Instant.now() ? "the time for the set-up is over; run the command again" : nil
  }
}
