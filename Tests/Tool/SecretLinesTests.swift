// Lines with secrets, from a file.

import Foundation
import TappetCore
import Testing
import TestSupport

@testable import TappetCommandLine
@testable import TappetKioskTool

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

  @Test(arguments: [
    ("a", ["a"]), ("a\nb\r\n\nc\n", ["a", "b", "c"]), ("\n\na\nb", ["a", "b"]), ("\u{FEFF}a\r\nb", ["a", "b"]),
  ])
  func `each line counts, except empty ones`(_ text: String, _ expected: [String]) throws {
    #expect(try lines(text) == expected)
  }

  @Test(arguments: [
    "smpshare://secret?idx=1", "  smpshare://secret?idx=1\t", "\"smpshare://secret?idx=1\"",
    "'smpshare://secret?idx=1'",
    "\u{FEFF}smpshare://secret?idx=1", "QR-Code:smpshare://secret?idx=1", "\u{201C}smpshare://secret?idx=1\u{201D}",
    "<smpshare://secret?idx=1>", "\u{FEFF}\"QR-Code:smpshare://secret?idx=1\" \r",
    "s\0m\0p\0s\0h\0a\0r\0e\0:\0/\0/\0s\0e\0c\0r\0e\0t\0?\0i\0d\0x\0=\01\0",
  ])
  func `a share code is found in the text that scanners and editors write around it`(_ line: String) {
    let found = ShareURL.trimmed(Array(line.utf8))
    #expect(String(decoding: found, as: UTF8.self) == "smpshare://secret?idx=1")
  }

  @Test(arguments: [
    ("smpshare://secret?label=Ann's", "smpshare://secret?label=Ann's"), (" x ", "x"), ("\u{FEFF} \"\"", ""), ("", ""),
  ])
  func `other lines stay unchanged`(_ line: String, _ kept: String) {
    #expect(String(decoding: ShareURL.trimmed(Array(line.utf8)), as: UTF8.self) == kept)
  }

  @Test func `a missing file is reported as missing, for all its lines and for the first`() {
    let path = FileManager.default.temporaryDirectory.path + "/absent-\(UUID().uuidString)"
    let sentence = "\(path) cannot be read: No such file or directory"
    do throws(CommandFailure) {
      _ = try Prompt.lines(from: path, question: "", what: "code")
      Issue.record("no failure")
    } catch { #expect(error.sentence == sentence) }
    do throws(CommandFailure) {
      _ = try Prompt.privateLine(from: path, question: "", what: "passphrase")
      Issue.record("no failure")
    } catch { #expect(error.sentence == sentence) }
  }

  @Test func `an empty file and an overlong line are refused`() throws {
    for text in ["", "\n\n"] {
      #expect(try lines(text) == ["there is no code in FILE"])
    }
    let max = Limits.tagURLSizeMax
    let long = try lines("a\n" + String(repeating: "x", count: max + 1) + "\nb\n")
    #expect(long == ["cannot read a code of at most \(max) bytes from FILE"])
  }
}
