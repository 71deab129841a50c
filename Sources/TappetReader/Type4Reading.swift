// Reading a Type 4 tag: select the NDEF application, its capability container, its NDEF file, and read the length that
// the file's first two bytes claim (NFC Forum Type 4 Tag 1.2 §5). No claim of the tag is followed beyond `Limits`.

import TappetCore
import TappetPlatform

/// One Type 4 tag's NDEF file.
struct Type4Reading {
  // ISO/IEC 7816-4 commands.
  private static let selectApplication: [UInt8] = [
    0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
  ]
  static let capabilityContainer: UInt16 = 0xE103
  private static let capabilityContainerSize = 15
  /// Bytes of one READ BINARY.
  ///
  /// libnfc's buffer holds 264 with status words and the chip's status.
  private static let pieceSizeMax = 250

  let device: NFCDevice
  let deadline: Instant

  /// The file's content after its length field.
  ///
  /// Not resumable: a tag that was selected again starts again.
  static func read(_ device: NFCDevice, until deadline: Instant) throws(ReadFailure) -> [UInt8] {
    try Type4Reading(device: device, deadline: deadline).read()
  }

  private func read() throws(ReadFailure) -> [UInt8] {
    let file = try openFile()
    guard file.readAccess == 0x00 else { throw .fault(.refusedToAnswer) }
    let length = try binary(offset: 0, count: 2)
    let count = Int(length[0]) << 8 | Int(length[1])
    guard count <= Limits.tagMemorySizeMax else { throw .fault(.tooLarge) }
    guard count + 2 <= file.size else { throw .fault(.malformedAnswer) }
    return try bytes(from: 2, count: count, file)
  }

  /// Selects the application and the NDEF file; returns the capability container's facts about the file.
  func openFile() throws(ReadFailure) -> Container {
    let answer = try answer(to: Self.selectApplication)
    // ISO/IEC 7816-4: file or application not found.
    if answer.suffix(2) == [0x6A, 0x82] { throw .fault(.noApplication) }
    _ = try Self.body(of: answer)
    try select(file: Self.capabilityContainer)
    let file = try Container(try binary(offset: 0, count: Self.capabilityContainerSize))
    try select(file: file.identifier)
    return file
  }

  /// Reads `count` bytes of the selected file.
  func bytes(from start: Int, count: Int, _ file: Container) throws(ReadFailure) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(count)
    while content.count < count {
      let piece = min(count - content.count, file.pieceSize)
      content += try binary(offset: start + content.count, count: piece)
    }
    return content
  }

  /// Asks a tag that is read already for its version (NT4H2421Gx §10.5.2): vendor 04, type 04, and more to come.
  static func isNTAG424(_ device: NFCDevice) throws(DeviceTrouble) -> Bool {
    do throws(ExchangeFailure) {
      let answer = try device.exchange([0x90, 0x60, 0x00, 0x00, 0x00], .known, within: Limits.readerISODEPExchangeMax)
      return answer.count == 9 && answer.starts(with: [0x04, 0x04]) && answer[7] == 0x91 && answer[8] == 0xAF
    } catch {
      switch error {
      // It is read; its name matters less than its absence.
      case .noAnswer: return false
      case .device(let trouble): throw trouble
      }
    }
  }

  /// The capability container's facts about the NDEF file (§5.1).
  ///
  ///     0..1 size   2 version   3..4 MLe   5..6 MLc   7 tag 04   8 length 06
  ///     9..10 file   11..12 size   13 read   14 write
  struct Container {
    var identifier: UInt16
    var size: Int
    /// Bytes of one READ BINARY.
    var pieceSize: Int
    /// Bytes of one UPDATE BINARY.
    var writeSize: Int
    /// 00: open; FF: never.
    var readAccess: UInt8
    var writeAccess: UInt8

    init(_ bytes: [UInt8]) throws(ReadFailure) {
      guard bytes.count == capabilityContainerSize, bytes[7] == 0x04, bytes[8] == 0x06 else {
        throw .fault(.malformedAnswer)
      }
      let answerSizeMax = Int(bytes[3]) << 8 | Int(bytes[4])
      // A tag must be able to send its container in one piece.
      guard answerSizeMax >= capabilityContainerSize else { throw .fault(.malformedAnswer) }
      let commandSizeMax = Int(bytes[5]) << 8 | Int(bytes[6])
      guard commandSizeMax > 0 else { throw .fault(.malformedAnswer) }
      identifier = UInt16(bytes[9]) << 8 | UInt16(bytes[10])
      size = Int(bytes[11]) << 8 | Int(bytes[12])
      pieceSize = min(answerSizeMax, pieceSizeMax)
      writeSize = min(commandSizeMax, pieceSizeMax)
      readAccess = bytes[13]
      writeAccess = bytes[14]
      // Two bytes are its length.
      guard size >= 2 else { throw .fault(.malformedAnswer) }
    }
  }

  func select(file: UInt16) throws(ReadFailure) {
    _ = try command([0x00, 0xA4, 0x00, 0x0C, 0x02, UInt8(file >> 8), UInt8(file & 0xFF)])
  }

  /// Returns exactly `count` bytes (READ BINARY), or throws: a file that ends before its own length is invalid.
  private func binary(offset: Int, count: Int) throws(ReadFailure) -> [UInt8] {
    // Bit 15 of the offset would make it a short file identifier; `Limits.tagMemorySizeMax` stays below.
    let bytes = try command([
      0x00, 0xB0, UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset),
      UInt8(truncatingIfNeeded: count),
    ])
    guard bytes.count == count else { throw .fault(.malformedAnswer) }
    return bytes
  }

  /// Sends one command; returns its answer without the status words, which must be 9000.
  private func command(_ bytes: [UInt8]) throws(ReadFailure) -> [UInt8] { try Self.body(of: try answer(to: bytes)) }

  private func answer(to command: [UInt8]) throws(ReadFailure) -> [UInt8] {
    // A card may ask for more time with each command.
    guard Instant.now() < deadline else { throw .fault(.refusedToAnswer) }
    do throws(ExchangeFailure) {
      return try device.exchange(command, .known, within: Limits.readerISODEPExchangeMax)
    } catch { throw ReadFailure(error) }
  }

  private static func body(of answer: [UInt8]) throws(ReadFailure) -> [UInt8] {
    guard answer.count >= 2 else { throw .fault(.malformedAnswer) }
    guard answer[answer.count - 2] == 0x90, answer[answer.count - 1] == 0x00 else { throw .fault(.refusedToAnswer) }
    return Array(answer.dropLast(2))
  }
}
