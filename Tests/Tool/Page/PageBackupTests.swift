// The pace of a backup for a browser.

import Foundation
import TappetBase
import TappetCommandLine
import TappetJSON
import TappetPlatform
import Testing

@testable import TappetKioskTool

@Suite struct PageBackupTests {
  /// Receives messages for the browser until `handle` returns false, or none arrives.
  private func receive(from socket: UnixSocket, _ handle: (JSON) -> Bool) {
    while true {
      switch socket.receive(sizeMax: Limits.webMessageSizeMax) {
      case .message(let bytes): if !handle(JSON(decoding: bytes) ?? .null) { return }
      case .closed: return
      case .nothing: if Poll.wait(socket.fileDescriptor, limit: .seconds(20)).isEmpty { return }
      }
    }
  }

  @Test func `a backup of 300 KB arrives whole, and its size first`() throws {
    let ends = try UnixSocket.pair()
    let file = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    nonisolated(unsafe) let report = PageReport(to: UnixSocket(owning: ends.child))
    let thread = Thread { _ = try? PageBackup.send(file, report) }
    thread.start()
    var received: [UInt8] = []
    var (size, outstanding, outstandingMax) = (Int64(0), 0, 0)
    receive(from: ends.ours) { message in
      if let number = message["size"]?.wholeNumber { size = number }
      guard let part = message["part"]?.text else { return true }
      received += Hex.decode(Array(part.utf8)) ?? []
      outstanding += 1
      outstandingMax = max(outstandingMax, outstanding)
      // The browser is slower than the process.
      guard outstanding == Limits.pageBackupWindow else { return received.count < file.count }
      for _ in 0..<outstanding { _ = ends.ours.send(Array("+".utf8)) }
      outstanding = 0
      return received.count < file.count
    }
    #expect(size == 300_000 && received == file && outstandingMax == Limits.pageBackupWindow)
  }

  @Test func `the pace is at least 1 MB/s, and what is under way fits into the stream`() {
    let pause = Limits.pageBackupPause.wholeMilliseconds
    #expect(Int64(Limits.pageBackupPartSize) * 1000 / pause >= 1_000_000 && pause >= 10)
    let part = 2 * Limits.pageBackupPartSize + 16
    #expect(part <= Limits.webMessageSizeMax)
    #expect(Limits.pageBackupWindow * part + 1024 <= Limits.webStreamSizeMax)
  }
}
