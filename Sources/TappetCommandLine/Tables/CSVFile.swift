// A file of comma-separated values, read row by row.

import CPlatform
import TappetCore
import TappetPlatform

package enum CSVFile {
  /// Reads a file of at most `sizeMax` bytes, and calls `take` with each row; `encoding` is UTF-8 if unspecified.
  @export(interface)
  package static func read(
    _ path: String, encoding: String? = nil, sizeMax: Int, _ take: (CSVRow) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    guard let reader = CSVReader(), let decoder = TextDecoder(encoding: encoding) else {
      throw .failed(CSVError.noMemory.sentence)
    }
    let file = try reading(path) { () throws(SystemError) in try FileDescriptor.open(path, O_RDONLY) }
    var size = 0
    while true {
      let bytes = try reading(path) { () throws(SystemError) in try file.read(sizeMax: Limits.tablePieceSize) }
      size += bytes.count
      guard size <= sizeMax else {
        throw refusal(path, "the file is larger than \(sizeMax) bytes; split it")
      }
      do throws(CSVError) {
        try reader.read(try decoder.decode(bytes))
        if bytes.isEmpty { try reader.finish() }
      } catch { throw refusal(path, error.sentence) }
      for row in reader.takeRows() { try take(row) }
      guard bytes.isEmpty else { continue }
      if let mark = reader.textMark { Output.printError("note: \(path): \(mark.sentence)") }
      return
    }
  }

  /// Returns an error about a file.
  package static func refusal(_ path: String, _ sentence: String) -> CommandFailure {
    .refused("\(path): \(sentence); nothing was changed", FailureCode.fileMalformed)
  }

  /// Runs `body`, which opens or reads the file.
  package static func reading<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(SystemError) { return try body() } catch { throw .failed("\(path) cannot be read: \(error.text)") }
  }
}
