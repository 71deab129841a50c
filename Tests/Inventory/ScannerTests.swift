// A scanner's device: a pseudo-terminal in the place of a serial line.

import CPlatform
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetInventory

/// Returns the first findings of a scanner, at least `count`, or up to the given one.
private func findings(of scanner: Scanner, _ count: Int = 1, to last: Scanner.Finding? = nil) -> [Scanner.Finding] {
  var found: [Scanner.Finding] = []
  _ = eventually {
    let isReadable = !Poll.wait(scanner.fileDescriptor, limit: .milliseconds(20)).isEmpty
    found += scanner.work(isReadable: isReadable)
    return last.map { found.contains($0) } ?? (found.count >= count)
  }
  return found
}

@Suite struct ScannerTests {
  @Test func `a missing scanner, or a device that is not a scanner, is reported once`() {
    for (path, code) in [("/nowhere/scanner", ENODEV), ("/dev/null", ENOTTY), ("/tmp", ENOTTY)] {
      let scanner = Scanner(path: path, layout: .us)
      #expect(scanner.work(isReadable: false) == [.state(errno: code)])
      #expect(scanner.work(isReadable: true) == [] && scanner.fileDescriptor == -1)
      #expect(scanner.dueIn == Limits.scannerRetryInterval)
    }
  }

  @Test func `a serial line is read raw, and no timer runs while no code is pending`() throws {
    let line = try SerialLine()
    let scanner = Scanner(path: line.path, layout: .us)
    #expect(scanner.work(isReadable: false) == [.state(errno: 0)] && scanner.dueIn == nil)
    // A terminal that is not raw would turn the first end into a second one, and take Ctrl-C for a signal.
    try line.send("]Q3B-17\r\n\u{3}x\nB-18\r")
    #expect(
      findings(of: scanner, 3) == [.scan(.success("B-17")), .scan(.failure(.scanUnreadable)), .scan(.success("B-18"))])
    #expect(scanner.dueIn == nil)
  }

  @Test func `half a code is reported when nothing follows, and its remainder is discarded`() throws {
    let line = try SerialLine()
    let scanner = Scanner(path: line.path, layout: .us)
    _ = scanner.work(isReadable: false)
    try line.send("B-")
    #expect(findings(of: scanner, 1) == [.scan(.failure(.scanIncomplete))] && scanner.dueIn == nil)
    try line.send("17\nB-17\n")
    let rest = findings(of: scanner, to: .scan(.success("B-17")))
    #expect(rest.filter { $0 != .scan(.failure(.scanIncomplete)) } == [.scan(.success("B-17"))])
  }

  @Test func `noise is reported once, and the code after it is read`() throws {
    let line = try SerialLine()
    let scanner = Scanner(path: line.path, layout: .us)
    _ = scanner.work(isReadable: false)
    try line.send(String(repeating: "\u{1}\n", count: 100) + "B-17\n")
    #expect(findings(of: scanner, 2) == [.scan(.failure(.scanUnreadable)), .scan(.success("B-17"))])
  }

  @Test func `a serial line that closes within a code is reported, and the partial code is not`() throws {
    var line: SerialLine? = try SerialLine()
    let scanner = Scanner(path: try #require(line?.path), layout: .us)
    _ = scanner.work(isReadable: false)
    try line?.send("B-17\nB-1")
    #expect(findings(of: scanner, 1) == [.scan(.success("B-17"))])
    line = nil
    #expect(findings(of: scanner, 1) == [.state(errno: ENODEV)])
    #expect(scanner.fileDescriptor == -1 && scanner.dueIn == Limits.scannerRetryInterval)
  }

  @Test func `codes of two scanners do not mix`() throws {
    let lines = [try SerialLine(), try SerialLine()]
    let scanners = lines.map { Scanner(path: $0.path, layout: .us) }
    for scanner in scanners { #expect(scanner.work(isReadable: false) == [.state(errno: 0)]) }
    for part in ["B-", "1", "7\n"] {
      try lines[0].send(part)
      try lines[1].send("x" + part)
    }
    #expect(findings(of: scanners[0], 1) == [.scan(.success("B-17"))])
    #expect(findings(of: scanners[1], 1) == [.scan(.success("xB-x1x7"))])
  }

  @Test func `a scanner locked by another program is reported as busy`() throws {
    let line = try SerialLine()
    let other = try FileDescriptor.open(line.path, O_RDWR | O_NOCTTY)
    try checked("flock") { flock(other.number, LOCK_EX | LOCK_NB) }
    #expect(Scanner(path: line.path, layout: .us).work(isReadable: false) == [.state(errno: EWOULDBLOCK)])
  }
}
