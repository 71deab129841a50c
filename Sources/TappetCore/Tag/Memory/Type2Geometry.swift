// The location of a Type 2 tag's lock bits, password and capability container. From NXP's data sheets (MF0ICU1,
// MF0ULx1, NTAG203, NTAG210/212, NTAG213/215/216); a model without an entry is written, but neither locked nor
// formatted.

/// The layout of one model.
package struct Type2Geometry: Sendable {
  /// Lock bits after the user memory, for the pages from 16 on.
  package struct DynamicLock: Sendable {
    /// The page that contains the lock bits.
    package var page: Int
    /// The bytes with all lock bits, and the bits that freeze them, set.
    package var allSet: [UInt8]
    /// Number of pages that one bit locks; on the NTAG203, the bits that lock pages are not contiguous.
    var pagesPerBit: Int
  }

  /// Number of pages of four bytes.
  package var pageCount: Int
  /// Size byte of the capability container.
  var size: UInt8
  /// The dynamic lock bits; `nil` means that there are only the static ones.
  package var dynamicLock: DynamicLock?
  /// The page of CFG0, which CFG1, PWD and PACK follow; `nil` means that the model has no password.
  package var configurationPage: Int?
  /// Lock Control TLV, where the factory writes one.
  var controlBlock: [UInt8] = []

  /// The capability container of a formatted tag: version 1.0, read and write for all.
  package var container: [UInt8] { [0xE1, 0x10, size, 0x00] }
  /// The content of a formatted and empty tag, from page 4 on.
  package var emptyContent: [UInt8] { controlBlock + [0x03, 0x00, 0xFE] }
  /// The page after the user memory.
  package var userPageEnd: Int { dynamicLock?.page ?? configurationPage ?? pageCount }

  /// Whether lock bits protect `page`: bytes 10 and 11 of the memory, and those of the dynamic lock page.
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
  /// The model's layout; `nil` if it is not known for certain.
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
