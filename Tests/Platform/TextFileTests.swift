// Small files as editors leave them.

import CPlatform
import Foundation
import TestSupport
import Testing

@testable import TappetPlatform

@Suite struct TextFileTests {
  @Test(arguments: [
    ("word", "word"), ("word\nmore\n", "word"), ("word\r\n", "word"), ("\u{FEFF}word\r\n", "word"), ("\u{FEFF}", ""),
    ("", ""), ("wo\u{FEFF}rd", "wo\u{FEFF}rd"),
  ])
  func `the first line ends before its line break, and a byte order mark is not part of it`(
    _ content: String, _ line: String
  ) throws {
    let file = TextFile(bytes: Array(content.utf8), mode: 0o600)
    #expect(String(decoding: try file.firstLine(), as: UTF8.self) == line)
  }

  private func utf16(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
    ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return bigEndian ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: ["word", "word\nmore", "word\r\nmore\r\n", "Müller\r\n", "w"])
  func `a first line in UTF-16 is read like one in UTF-8`(_ content: String) throws {
    let wanted = try FirstLine.parse(Array(content.utf8))
    for bigEndian in [false, true] {
      for mark in [false, true] {
        #expect(try FirstLine.parse(utf16(content, bigEndian: bigEndian, mark: mark)) == wanted, "\(bigEndian) \(mark)")
      }
    }
  }

  @Test func `UTF-16 with a byte order mark may contain any character`() throws {
    let text = "Mü\u{4E0A}\u{20AC}\u{1F511}"
    for bigEndian in [false, true] {
      let bytes = utf16(text + "\r\nmore", bigEndian: bigEndian, mark: true)
      #expect(try FirstLine.parse(bytes) == Array(text.utf8))
    }
  }

  @Test func `a pipe, a device and a folder are not opened`() throws {
    let folder = TemporaryFolder()
    let pipe = folder.path + "/pipe"
    #expect(mkdir(folder.path, 0o700) == 0 && mkfifo(pipe, 0o600) == 0)
    // Without a terminal, to open /dev/tty would fail in another way (ENXIO).
    for path in [pipe, "/dev/null", "/dev/tty", folder.path] {
      guard case .failure(let error) = TextFile.read(path, sizeMax: 10) else {
        Issue.record("\(path) was read")
        continue
      }
      #expect(error == .notAFile, "\(path)")
    }
  }

  @Test func `a file that is replaced with a pipe during the check is not opened`() throws {
    let folder = TemporaryFolder()
    let (path, other) = (folder.path + "/path", folder.path + "/other")
    #expect(mkdir(folder.path, 0o700) == 0 && mkfifo(folder.path + "/pipe", 0o600) == 0)
    let file = try FileDescriptor.open(folder.path + "/file", O_WRONLY | O_CREAT)
    try file.write([0x61])
    let changes = try FileDescriptor.make("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK)) }
    #expect(inotify_add_watch(changes.number, folder.path + "/pipe", UInt32(IN_OPEN)) > 0)
    let replacing = Thread {
      for target in (0..<20_000).map({ $0 % 2 == 0 ? "pipe" : "file" }) where !Thread.current.isCancelled {
        if symlink(target, other) == 0 { rename(other, path) }
      }
      Thread.current.cancel()
    }
    replacing.start()
    var counts = (read: 0, refused: 0)
    while !replacing.isCancelled {
      switch TextFile.read(path, sizeMax: 10) {
      case .success(let file): counts.read += file.bytes == [0x61] ? 1 : 0
      case .failure(let error): counts.refused += error == .notAFile ? 1 : 0
      }
    }
    #expect(counts.read > 0 && counts.refused > 0, "\(counts)")
    #expect(throws: SystemError(call: "read", code: EAGAIN)) { try changes.read(sizeMax: 64) }
  }

  @Test func `text that is neither UTF-8 nor UTF-16 is refused`() {
    let bad: [([UInt8], TextFault)] = [
      ([0x61, 0x62, 0, 0x63], .containsNUL), (Array("a\0b\n".utf8), .containsNUL),
      (Array("a\0b".utf8), .containsNUL), ([0, 0], .containsNUL), (Array("word\nx\0".utf8), .containsNUL),
      ([0xFF, 0xFE, 0x61, 0, 0, 0], .containsNUL), ([0xFF, 0xFE, 0x61], .utf16Damaged),
      ([0xFF, 0xFE, 0x00, 0xD8, 0x61, 0], .utf16Damaged), ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], .containsNUL),
    ]
    for (bytes, fault) in bad {
      #expect(throws: fault, "\(bytes)") { try FirstLine.parse(bytes) }
    }
  }
}

@Suite struct FileStampTests {
  @Test func `a file that was changed or replaced has another stamp`() throws {
    let path = TestFolder.make("stamp") + "/file"
    #expect(FileStamp(path) == nil)
    try Data("one".utf8).write(to: URL(fileURLWithPath: path))
    let first = try #require(FileStamp(path))
    #expect(FileStamp(path) == first)
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("more".utf8))
    let second = try #require(FileStamp(path))
    #expect(second != first && second.isOfSameFile(as: first))
    try Data("new".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    let other = try #require(FileStamp(path))
    #expect(!other.isOfSameFile(as: first))
  }
}
