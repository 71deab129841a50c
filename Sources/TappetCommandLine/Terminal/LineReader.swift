// Reads lines that may contain a key or a passphrase: with a size limit, and without copies in a stream's buffer.

import CPlatform
import TappetCore
import TappetPlatform

/// Reads lines from a descriptor, which remains owned by the caller.
package final class LineReader {
  private let file: Int32
  /// The same terminal in non-blocking mode: Ctrl-C discards typed input, even after poll has reported it.
  private let terminal: FileDescriptor?
  private let sizeMax: Int
  /// A single allocation, because growing an array would leave copies behind.
  private var memory: [UInt8]
  private var size = 0
  /// True until the first line has been read, in which an editor's byte order mark is skipped.
  private var isFirst = true
  /// Whether no further line follows, because the input ended, a signal arrived, or a line was too long.
  package private(set) var isOver = false

  package init(_ file: Int32, sizeMax: Int) {
    self.file = file
    self.sizeMax = sizeMax
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
    terminal = isatty(file) == 1 ? try? FileDescriptor.open("/proc/self/fd/\(file)", flags) : nil
    memory = [UInt8](repeating: 0, count: sizeMax + 2)
  }

  deinit { LibCrypto.wipe(&memory) }

  /// Returns the next line without its line end, to be wiped by the caller; the last line may lack a line end or be
  /// empty.
  ///
  /// Returns `nil` after a signal or an error, and for a line of more than `sizeMax` bytes.
  @export(interface)
  package func next(endedBy signals: HeldSignals? = nil) -> [UInt8]? {
    var searched = 0
    while !isOver {
      if let end = memory[searched..<size].firstIndex(of: UInt8(ascii: "\n")) { return take(end, through: end + 1) }
      searched = size
      if size == memory.count { break }
      if let signals, case .signal = signals.wait(for: file, until: nil) { break }
      let source = signals == nil ? file : terminal?.number ?? file
      do throws(SystemError) {
        let count = try checked("read") {
          memory.withUnsafeMutableBytes { read(source, $0.baseAddress?.advanced(by: size), $0.count - size) }
        }
        size += count
        if count > 0 { continue }
      } catch {
        if error.code == EAGAIN { continue }
        break
      }
      isOver = true
      return take(size, through: size)
    }
    isOver = true
    return nil
  }

  /// Removes the line from the buffer and returns it; `nil` if it is too long.
  private func take(_ end: Int, through next: Int) -> [UInt8]? {
    let isCarriageReturn = end > 0 && memory[end - 1] == UInt8(ascii: "\r")
    let start = isFirst && end >= 3 && memory.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    isFirst = false
    let line = Array(memory[start..<(isCarriageReturn ? max(start, end - 1) : end)])
    for index in 0..<memory.count { memory[index] = next + index < size ? memory[next + index] : 0 }
    size -= next
    return line.count <= sizeMax ? line : nil
  }
}
