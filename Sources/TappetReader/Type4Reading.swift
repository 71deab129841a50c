// Reading a Type 4 tag: select the NDEF application, its capability container and its NDEF file, and read as many bytes
// as the file's length field states (NFC Forum Type 4 Tag 1.2 §5). Sizes stated by the tag are limited by `Limits`.
// Deviations are tolerated where the card's responses are unambiguous: order and sizes in the container, the
// application of mapping version 1, the four-byte lengths of version 3, and pieces shorter than requested.

import TappetTag
import TappetPlatform

/// The NDEF file of one Type 4 tag.
struct Type4Reading {
  // ISO/IEC 7816-4 commands.
  private static func selectApplication(ofVersion2 isVersion2: Bool) -> [UInt8] {
    [0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, isVersion2 ? 0x01 : 0x00, 0x00]
  }
  static let capabilityContainer: UInt16 = 0xE103
  private static let capabilityContainerSize = 15
  /// Maximum size of one READ BINARY, in bytes.
  ///
  /// libnfc's buffer holds 264 bytes, including the status words and the chip's status.
  private static let pieceSizeMax = 250

  let device: NFCDevice
  let deadline: Instant

  /// Returns the file's content after its length field.
  ///
  /// Not resumable: a tag that was selected again is read from the start.
  static func read(_ device: NFCDevice, until deadline: Instant) throws(ReadFailure) -> [UInt8] {
    try Type4Reading(device: device, deadline: deadline).read()
  }

  private func read() throws(ReadFailure) -> [UInt8] {
    let file = try openFile()
    guard file.readAccess != 0xFF else { throw .fault(.readProtected) }
    let count = try bytes(from: 0, count: file.lengthSize, file).reduce(0) { $0 << 8 | Int($1) }
    guard count <= Limits.tagMemorySizeMax else { throw .fault(.tooLarge) }
    // Some containers state only the size of the message, excluding its length field.
    guard count <= file.size else { throw .fault(.malformedAnswer) }
    return try bytes(from: file.lengthSize, count: count, file)
  }

  /// Selects the application and the NDEF file; returns the file's properties from the capability container.
  func openFile() throws(ReadFailure) -> Container {
    var selected = try answer(to: Self.selectApplication(ofVersion2: true))
    if Self.isNotFound(selected) { selected = try answer(to: Self.selectApplication(ofVersion2: false)) }
    if Self.isNotFound(selected) { throw .fault(.noApplication) }
    _ = try Self.body(of: selected)
    try select(file: Self.capabilityContainer)
    var container = try binary(offset: 0, count: Self.capabilityContainerSize)
    if let size = Container.size(beginning: container), size > container.count {
      container += try binary(offset: container.count, count: size - container.count)
    }
    let file = try Container(container)
    try select(file: file.identifier)
    return file
  }

  /// Whether the response means that the file or the application does not exist (ISO/IEC 7816-4).
  private static func isNotFound(_ answer: [UInt8]) -> Bool { answer.suffix(2) == [0x6A, 0x82] }

  /// Reads `count` bytes of the selected file.
  func bytes(from start: Int, count: Int, _ file: Container) throws(ReadFailure) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(count)
    while content.count < count {
      let piece = min(count - content.count, file.pieceSize)
      content += try binary(offset: start + content.count, atMost: piece)
    }
    return content
  }

  /// Whether a tag that has been read is an NTAG 424.
  ///
  /// Queries its version (NT4H2421Gx §10.5.2): vendor 04, type 04, and a status that announces more frames.
  static func isNTAG424(_ device: NFCDevice) throws(DeviceError) -> Bool {
    do throws(ExchangeFailure) {
      let answer = try device.exchange([0x90, 0x60, 0x00, 0x00, 0x00], .known, within: Limits.readerISODEPExchangeMax)
      return answer.count == 9 && answer.starts(with: [0x04, 0x04]) && answer[7] == 0x91 && answer[8] == 0xAF
    } catch {
      switch error {
      // The tag has been read already: the model is optional, and the next presence check detects whether the tag left.
      case .noAnswer: return false
      case .device(let trouble): throw trouble
      }
    }
  }

  /// Properties of the NDEF file from the capability container (§5.1).
  ///
  ///     0..1 size   2 version   3..4 MLe   5..6 MLc   7… blocks: tag, length, content
  ///     04 06   file (2)   size (2)   read   write       a length field of two bytes precedes the message
  ///     06 08   file (2)   size (4)   read   write       version 3: a length field of four bytes
  struct Container {
    var identifier: UInt16
    var size: Int
    /// Size of the length field before the message, in bytes.
    var lengthSize: Int
    /// Maximum size of one READ BINARY, in bytes.
    var pieceSize: Int
    /// Maximum size of one UPDATE BINARY, in bytes.
    var writeSize: Int
    /// Read access: 00 means always, FF means never.
    var readAccess: UInt8
    var writeAccess: UInt8
    /// Offset of the write access in the container.
    var writeAccessOffset: Int

    /// Returns the container's size if its first bytes do not contain the file's block.
    static func size(beginning bytes: [UInt8]) -> Int? {
      guard bytes.count == capabilityContainerSize, fileBlock(in: bytes) == nil else { return nil }
      let claimed = Int(bytes[0]) << 8 | Int(bytes[1])
      return claimed > bytes.count ? min(claimed, pieceSizeMax) : nil
    }

    init(_ bytes: [UInt8]) throws(ReadFailure) {
      guard bytes.count >= capabilityContainerSize, let block = Self.fileBlock(in: bytes) else {
        throw .fault(.malformedContainer)
      }
      lengthSize = block.count - 4
      identifier = UInt16(block[block.startIndex]) << 8 | UInt16(block[block.startIndex + 1])
      size = block.dropFirst(2).dropLast(2).reduce(0) { $0 << 8 | Int($1) }
      // The container was sent in one piece, so this size works regardless of MLe.
      pieceSize = min(max(Int(bytes[3]) << 8 | Int(bytes[4]), capabilityContainerSize), pieceSizeMax)
      writeSize = min(Int(bytes[5]) << 8 | Int(bytes[6]), pieceSizeMax)
      readAccess = block[block.endIndex - 2]
      writeAccessOffset = block.endIndex - 1
      writeAccess = block[writeAccessOffset]
      guard identifier != capabilityContainer else { throw .fault(.malformedContainer) }
      guard size >= lengthSize else { throw .fault(.malformedAnswer) }
    }

    /// Returns the content of the first block that describes a message file; other blocks are skipped.
    private static func fileBlock(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
      var offset = 7
      while offset + 2 <= bytes.count {
        let (tag, length) = (bytes[offset], Int(bytes[offset + 1]))
        let content = bytes[(offset + 2)...].prefix(length)
        guard content.count == length else { return nil }
        if tag == 0x04 && length == 6 || tag == 0x06 && length == 8 { return content }
        offset = content.endIndex
      }
      return nil
    }
  }

  func select(file: UInt16) throws(ReadFailure) {
    let name = [UInt8(file >> 8), UInt8(file & 0xFF)]
    let selected = try answer(to: [0x00, 0xA4, 0x00, 0x0C, 0x02] + name)
    if Self.isNotFound(selected) { throw .fault(.malformedContainer) }
    // Cards with mapping version 1 require P2 00, and respond with information about the file.
    if selected.suffix(2) == [0x90, 0x00] { return }
    _ = try command([0x00, 0xA4, 0x00, 0x00, 0x02] + name)
  }

  /// Returns exactly `count` bytes; throws if there are fewer, because a file shorter than its stated size is invalid.
  private func binary(offset: Int, count: Int) throws(ReadFailure) -> [UInt8] {
    let bytes = try binary(offset: offset, atMost: count)
    guard bytes.count == count else { throw .fault(.malformedAnswer) }
    return bytes
  }

  /// Returns 1 to `count` bytes (READ BINARY).
  private func binary(offset: Int, atMost count: Int) throws(ReadFailure) -> [UInt8] {
    // Bit 15 would mark a short file identifier; `Limits.tagMemorySizeMax` keeps offsets below that.
    let bytes = try command([
      0x00, 0xB0, UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset),
      UInt8(truncatingIfNeeded: count),
    ])
    guard (1...count).contains(bytes.count) else { throw .fault(.malformedAnswer) }
    return bytes
  }

  /// Sends a command; returns the response without the status words, which must be 9000 or 6282.
  private func command(_ bytes: [UInt8]) throws(ReadFailure) -> [UInt8] { try Self.body(of: try answer(to: bytes)) }

  private func answer(to command: [UInt8]) throws(ReadFailure) -> [UInt8] {
    // A card may request more time for each command, so the total time is limited.
    guard Instant.now() < deadline else { throw .fault(.refusedToAnswer) }
    do throws(ExchangeFailure) {
      return try device.exchange(command, .known, within: Limits.readerISODEPExchangeMax)
    } catch { throw ReadFailure(error) }
  }

  private static func body(of answer: [UInt8]) throws(ReadFailure) -> [UInt8] {
    guard answer.count >= 2 else { throw .fault(.malformedAnswer) }
    switch (answer[answer.count - 2], answer[answer.count - 1]) {
    // 6282: the file ended before the requested number of bytes was read.
    case (0x90, 0x00), (0x62, 0x82): return Array(answer.dropLast(2))
    default: throw .fault(.refusedToAnswer)
    }
  }
}
