// Writing a Type 4 tag's NDEF file (NFC Forum Type 4 Tag 1.2 §5.4): the length is set to 0, then the message is
// written, and finally its length. Pieces with the right content are skipped; the rest of the file is zeroed.

import TappetTag
import TappetPlatform

extension WriteOperation {
  func workOnType4() throws(WriteFailure) {
    switch order.task {
    case .write(let message): try storeInFile(message)
    case .erase: try storeInFile([])
    case .lock: try closeFile()
    case .format, .protect: throw .fault(.unsupportedModel)
    }
  }

  private func storeInFile(_ message: [UInt8]) throws(WriteFailure) {
    let card = Type4Card(device)
    let container = try card.openNDEFFile()
    guard container.writeSize > 0, container.lengthSize == 2 else { throw .fault(.malformedAnswer) }
    switch container.writeAccess {
    case 0x00: break
    case 0xFF: throw .fault(.readOnly)
    default: throw .fault(.passwordProtected)
    }
    let size = min(container.size, Limits.tagMemorySizeMax)
    let capacity = size - 2
    guard message.count <= capacity else { throw .fault(.tooSmall(needed: message.count, capacity: capacity)) }
    let before = try card.content(size: size, container)
    var target = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
    target += [UInt8](repeating: 0, count: size - target.count)
    guard before != target else { return }
    if before[0] != 0 || before[1] != 0 { try update(offset: 0, [0, 0]) }
    for offset in stride(from: 2, to: size, by: container.writeSize) {
      let end = min(size, offset + container.writeSize)
      if before[offset..<end] != target[offset..<end] { try update(offset: offset, Array(target[offset..<end])) }
      progress(end, of: size)
    }
    if !message.isEmpty { try update(offset: 0, Array(target[..<2])) }
    guard try card.content(size: size, container) == target else { throw .fault(.notAsWritten) }
  }

  /// Sets write access to "never" in the container's entry for the file (§5.1.2); no other command can do so without a
  /// key.
  private func closeFile() throws(WriteFailure) {
    let card = Type4Card(device)
    let container = try card.openNDEFFile()
    if container.writeAccess == 0xFF { return }
    try card.openContainer()
    do throws(WriteFailure) { try update(offset: container.writeAccessOffset, [0xFF]) } catch {
      // The container cannot be written, as on an NTAG 424.
      if case .fault(.refused) = error { throw .fault(.unsupportedModel) }
      throw error
    }
    guard try card.openNDEFFile().writeAccess == 0xFF else { throw .fault(.notAsWritten) }
  }

  /// Writes a piece of the selected file (UPDATE BINARY).
  private func update(offset: Int, _ bytes: [UInt8]) throws(WriteFailure) {
    let command: [UInt8] = [
      0x00, 0xD6, UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset),
      UInt8(truncatingIfNeeded: bytes.count),
    ]
    let answer = try write(command + bytes, .known, within: Limits.readerISODEPExchangeMax)
    guard answer == [0x90, 0x00] else { throw .fault(.refused(begun: writes > 1)) }
  }
}

/// The operations on a selected tag's NDEF application that writing requires.
private struct Type4Card {
  private let reading: Type4Reading

  init(_ device: NFCDevice) { reading = Type4Reading(device: device, deadline: Instant.now() + Limits.readerWriteMax) }

  /// Selects the NDEF file and returns its container.
  func openNDEFFile() throws(WriteFailure) -> Type4Reading.Container {
    do throws(ReadFailure) { return try reading.openFile() } catch {
      if case .fault(.noApplication) = error { throw .fault(.unformatted) }
      throw WriteFailure(error)
    }
  }

  func openContainer() throws(WriteFailure) {
    do throws(ReadFailure) { try reading.select(file: Type4Reading.capabilityContainer) } catch {
      throw WriteFailure(error)
    }
  }

  /// Returns the file's first `size` bytes, including its length field.
  func content(size: Int, _ container: Type4Reading.Container) throws(WriteFailure) -> [UInt8] {
    do throws(ReadFailure) { return try reading.bytes(from: 0, count: size, container) } catch {
      throw WriteFailure(error)
    }
  }
}
