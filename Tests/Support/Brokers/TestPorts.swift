// Ports for servers that are started with a number. A port of the kernel's choice will not do: once its socket is
// closed anybody may get it, and several processes of tests run side by side.

import Foundation

/// Ports of this process alone, below those that the kernel gives away.
enum TestPorts {
  private static let lowest = 10_000
  private static let blockSize = 250
  private static let blockCount = 80
  private static let lock = NSLock()
  /// How many were tried so far; touched under the lock.
  nonisolated(unsafe) private static var tried = 0

  /// The block of this process: its file stays open, and locked, until the process ends.
  private static let block: Int = {
    let folder = "/tmp/tappet-ports-\(getuid())"
    mkdir(folder, 0o700)
    for turn in 0..<blockCount {
      let block = (Int(getpid()) + turn) % blockCount
      let file = open("\(folder)/\(block)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      if file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 { return block }
      close(file)
    }
    preconditionFailure("all blocks of ports in \(folder) are taken")
  }()

  /// The next one that can be bound: those of other programs are passed over.
  static func next() -> UInt16 {
    lock.withLock {
      for _ in 0..<blockSize {
        let port = UInt16(lowest + block * blockSize + tried % blockSize)
        tried += 1
        if TestSocket.canBind(port) { return port }
      }
      preconditionFailure("all ports of block \(block) are in use")
    }
  }
}
