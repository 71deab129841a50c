// The location of a Type 2 tag's lock bits, password and capability container. From NXP's data sheets (MF0ICU1,
// MF0ULx1, NTAG203, NTAG210/212, NTAG213/215/216). Models without an entry are written, but not locked or formatted.

/// The memory layout of one model.
package struct Type2Geometry: Sendable {
  /// Lock bits that follow the user memory, for page 16 and later pages.
  package struct DynamicLock: Sendable {
    /// The page that contains the lock bits.
    package var page: Int
    /// The lock bytes with all bits set: the lock bits, and the bits that freeze the lock bits.
    package var allSet: [UInt8]
    /// Number of pages that one bit locks; on the NTAG203, the bits that lock pages are not contiguous.
    var pagesPerBit: Int
  }

  /// Number of pages, each of four bytes.
  package var pageCount: Int
  /// The size byte of the capability container.
  var size: UInt8
  /// The dynamic lock bits; `nil` means that the model has only static ones.
  package var dynamicLock: DynamicLock?
  /// The page of CFG0, followed by CFG1, PWD and PACK; `nil` means that the model does not support a password.
  package var configurationPage: Int?
  /// The Lock Control TLV block, if the factory writes one; otherwise empty.
  var controlBlock: [UInt8] = []

  /// The capability container of a formatted tag: version 1.0, unrestricted reading and writing.
  package var container: [UInt8] { [0xE1, 0x10, size, 0x00] }
  /// The content of a formatted, empty tag, starting at page 4.
  package var emptyContent: [UInt8] { controlBlock + [0x03, 0x00, 0xFE] }
  /// The first page after the user memory.
  package var userPageEnd: Int { dynamicLock?.page ?? configurationPage ?? pageCount }

  /// Returns whether `page` is protected by the static lock bits, which are bytes 10 and 11, or by the dynamic ones.
  ///
  /// Page 2, which contains lock bits, is never protected.
  @export(interface)
  package func isLocked(page: Int, staticLock: (UInt8, UInt8), dynamicLockBytes: [UInt8]) -> Bool {
    switch page {
    case 3...7: return staticLock.0 >> UInt8(page) & 1 != 0
    case 8...15: return staticLock.1 >> UInt8(page - 8) & 1 != 0
    default: break
    }
    guard let lock = dynamicLock, page >= 16, page < lock.page, dynamicLockBytes.count >= 2 else { return false }
    let bit = (page - 16) / lock.pagesPerBit
    // NTAG203: bits 1 to 3 lock pages 16 to 27, four pages each; bits 5 to 7 lock pages 28 to 39.
    if lock.pagesPerBit == 4 { return dynamicLockBytes[0] >> UInt8(bit < 3 ? bit + 1 : min(bit + 2, 7)) & 1 != 0 }
    return dynamicLockBytes[min(bit / 8, 1)] >> UInt8(bit % 8) & 1 != 0
  }
}

extension TagModel {
  /// The model's memory layout; `nil` if it is not known for certain.
  package var geometry: Type2Geometry? {
    @export(interface) get {
      switch self {
      case .ultralight: Type2Geometry(pageCount: 16, size: 0x06)
      case .ultralightEV1Small, .ntag210: Type2Geometry(pageCount: 20, size: 0x06, configurationPage: 0x10)
      case .ultralightEV1Large: Type2Geometry.of128Bytes([])
      case .ntag212: Type2Geometry.of128Bytes([0x01, 0x03, 0x90, 0x0A, 0x34])
      case .ntag203:
        Type2Geometry(
          pageCount: 42, size: 0x12,
          dynamicLock: Type2Geometry.DynamicLock(page: 0x28, allSet: [0xFF, 0x00, 0x00], pagesPerBit: 4),
          controlBlock: [0x01, 0x03, 0xA0, 0x10, 0x44])
      case .ntag213:
        Type2Geometry(
          pageCount: 45, size: 0x12,
          dynamicLock: Type2Geometry.DynamicLock(page: 0x28, allSet: [0xFF, 0x0F, 0x3F], pagesPerBit: 2),
          configurationPage: 0x29, controlBlock: [0x01, 0x03, 0xA0, 0x0C, 0x34])
      case .ntag215:
        Type2Geometry(
          pageCount: 135, size: 0x3E,
          dynamicLock: Type2Geometry.DynamicLock(page: 0x82, allSet: [0xFF, 0x00, 0x0F], pagesPerBit: 16),
          configurationPage: 0x83)
      case .ntag216:
        Type2Geometry(
          pageCount: 231, size: 0x6D,
          dynamicLock: Type2Geometry.DynamicLock(page: 0xE2, allSet: [0xFF, 0x3F, 0x7F], pagesPerBit: 16),
          configurationPage: 0xE3)
      case .type2, .ntagI2C1K, .ntagI2C2K, .type4, .ntag424, .mifareClassic, .other: nil
      }
    }
  }
}

extension Type2Geometry {
  fileprivate static func of128Bytes(_ controlBlock: [UInt8]) -> Type2Geometry {
    Type2Geometry(
      pageCount: 41, size: 0x10,
      dynamicLock: DynamicLock(page: 0x24, allSet: [0xFF, 0x03, 0x1F], pagesPerBit: 2), configurationPage: 0x25,
      controlBlock: controlBlock)
  }
}
