// The parent's end alone, with children other than readers.

import Foundation
import TappetCore
import TappetKiosk
import TappetPlatform
import TestSupport
import Testing

@Suite(.serialized) struct ReaderProcessTests {
  /// A shell script that stands in for a tappet-reader that was taken over; descriptor 3 is its socket.
  private func child(_ body: String, _ use: (ReaderProcess) throws -> Void) throws {
    let script = FileManager.default.temporaryDirectory.appendingPathComponent("tappet-child-\(UUID().uuidString)")
    try "#!/bin/sh\n\(body)\n".write(to: script, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: script) }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    try use(try ReaderProcess(executable: script.path, device: nil))
  }

  private func next(_ process: ReaderProcess) throws -> ReaderProcess.Receipt {
    var state = pollfd(fd: process.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, Int32(patience * 1000)) == 1 else { throw TestFault("anything from the child") }
    return process.receive()
  }

  @Test func `anything other than a message is reported as malformed`() throws {
    try child("printf '\\377garbage' >&3; printf 'xyz' >&3; dd if=/dev/zero bs=9000 count=1 >&3 2>/dev/null; exit 3") {
      process in
      #expect(try next(process) == .malformed(.unknownKind(0xFF)))
      guard case .malformed = try next(process) else { throw TestFault("malformed") }
      #expect(try next(process) == .malformed(.tooLarge(size: 9000)))
      #expect(try next(process) == .closed)
      #expect(process.finish() == .exited(3))
      #expect(process.reap() == .exited(3))
    }
  }

  @Test func `receiving without a message returns immediately`() throws {
    try child("read line <&3") { (process) throws in
      #expect(process.receive() == .nothing)
      #expect(process.reap() == nil)
      process.kill()
      #expect(try next(process) == .closed)
      #expect(process.finish() == .signaled(SIGKILL))
    }
  }

  @Test func `the child gets only its socket and libnfc's environment`() throws {
    for name in ["LIBNFC_TAPPET_TEST", "TAPPET_SECRET_TEST"] { setenv(name, "1", 1) }
    defer { for name in ["LIBNFC_TAPPET_TEST", "TAPPET_SECRET_TEST"] { unsetenv(name) } }
    let leak = open("/dev/null", O_RDONLY)
    defer { close(leak) }
    let report = FileManager.default.temporaryDirectory.appendingPathComponent("tappet-report-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: report) }
    try child("{ ls -l /proc/$$/fd; env; } > \(report.path)") { (process) throws in
      #expect(try next(process) == .closed)
      #expect(process.finish() == .exited(0))
    }
    let text = try String(contentsOf: report, encoding: .utf8)
    #expect(text.contains(" 0 -> /dev/null") && text.contains(" 3 -> socket:"))
    #expect(!text.contains(" \(leak) -> /dev/null") || leak < 10)
    #expect(text.contains("LIBNFC_TAPPET_TEST=1") && !text.contains("TAPPET_SECRET_TEST"))
  }

  @Test func `a missing program is an error at the start`() throws {
    #expect(throws: SystemError(call: "posix_spawn", code: ENOENT)) {
      _ = try ReaderProcess(executable: "/nowhere/tappet-reader", device: nil)
    }
  }

  @Test func `a reader that goes out of scope leaves no process or descriptor behind`() throws {
    func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    var pids: [pid_t] = []
    let before = try descriptors()
    for _ in 0..<20 {
      try child("read line <&3") { pids.append($0.pid) }
    }
    // Other suites open and close theirs meanwhile: twenty leaks would show, a few of theirs do not.
    #expect(try descriptors() < before + 15)
    for pid in pids { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
  }

  @Test func `the environment can set the program's path`() {
    setenv("TAPPET_READER", "/elsewhere/tappet-reader", 1)
    #expect(ReaderProcess.locateExecutable() == "/elsewhere/tappet-reader")
    unsetenv("TAPPET_READER")
    #expect(ReaderProcess.locateExecutable().hasSuffix("/tappet-reader"))
  }

  @Test func `when started by hand, tappet-reader explains its purpose`() throws {
    let called = try Programs.run(Programs.built("tappet-reader"), [])
    #expect(called.status == 2)
    #expect(called.errors.contains("tappet tag read"))
  }
}
