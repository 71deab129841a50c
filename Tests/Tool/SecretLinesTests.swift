// Lines with secrets, from a file.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetTool

@Suite struct SecretLinesTests {
  private let folder = TemporaryFolder()

  /// The lines of a file with this text, or the sentence that refuses it.
  private func lines(_ text: String) throws -> [String] {
    let path = folder.path + "/codes"
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    do throws(CommandFailure) {
      let lines = try Prompt.lines(from: path, question: "", what: "code")
      return lines.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
    } catch { return [(error.sentence ?? "").replacing(path, with: "FILE")] }
  }

  @Test(arguments: [("a", ["a"]), ("a\nb\r\n\nc\n", ["a", "b", "c"]), ("\n\na\nb", ["a", "b"])])
  func `each line counts but the empty ones`(_ text: String, _ expected: [String]) throws {
    #expect(try lines(text) == expected)
  }

  @Test func `nothing, and a line that is too long, are refused`() throws {
    for text in ["", "\n\n"] {
      #expect(try lines(text) == ["there is no code in FILE"])
    }
    let max = Limits.tagURLSizeMax
    let long = try lines("a\n" + String(repeating: "x", count: max + 1) + "\nb\n")
    #expect(long == ["cannot read a code of at most \(max) bytes from FILE"])
  }
}
