// Where a Type 2 tag keeps what is not for messages: lock bits, password, capability container. From NXP's data sheets
// (MF0ICU1, MF0ULx1, NTAG203, NTAG210/212, NTAG213/215/216); a model that is not here is written, but neither locked nor formatted.

/// The layout of one model.
public struct Type2Geometry: Sendable {
  /// Lock bits behind the user memory, for the pages from 16 on.
  public struct DynamicLock: Sendable {
    /// Where they are.
    public var page: Int
    /// All of them set, and those that freeze them.
    public var allSet: [UInt8]
    /// Pages that a bit locks; the NTAG203's are counted otherwise.
    var pagesPerBit: Int
  }

  /// Pages of four bytes.
  public var pageCount: Int
  /// Size byte of the capability container.
  var size: UInt8
  /// Nil: the static lock bits are all there are.
  public var dynamicLock: DynamicLock?
  /// CFG0; CFG1, PWD and PACK follow.
  ///
  /// Nil: the model has no password.
  public var configurationPage: Int?
  /// Lock Control TLV, where the factory puts one.
  var controlBlock: [UInt8] = []

  /// The capability container of a formatted tag: version 1.0, read and write for all.
  public var container: [UInt8] { [0xE1, 0x10, size, 0x00] }
  /// What stands in a formatted and empty tag from page 4 on.
  public var emptyContent: [UInt8] { controlBlock + [0x03, 0x00, 0xFE] }
  /// The page behind the user memory.
  public var userPageEnd: Int { dynamicLock?.page ?? configurationPage ?? pageCount }

  /// Whether lock bits hold `page`: bytes 10 and 11 of the memory, and those of the dynamic lock page.
  ///
  /// Page 2, where they are, is held by nothing.
  public func isLocked(page: Int, staticLock: (UInt8, UInt8), dynamicLockBytes: [UInt8]) -> Bool {
    switch page {
    case 3...7: return staticLock.0 >> UInt8(page) & 1 != 0
    case 8...15: return staticLock.1 >> UInt8(page - 8) & 1 != 0
    default: break
    }
    guard let lock = dynamicLock, page >= 16, page < lock.page, dynamicLockBytes.count >= 2 else { return false }
    let bit = (page - 16) / lock.pagesPerBit
    // NTAG203: bits 1 to 3 hold the pages 16 to 27 in fours, 5 to 7 those from 28 to 39.
    if lock.pagesPerBit == 4 { return dynamicLockBytes[0] >> UInt8(bit < 3 ? bit + 1 : min(bit + 2, 7)) & 1 != 0 }
    return dynamicLockBytes[min(bit / 8, 1)] >> UInt8(bit % 8) & 1 != 0
  }
}

extension TagModel {
  /// Nil where it is not known for certain.
  public var geometry: Type2Geometry? {
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

extension Type2Geometry {
  fileprivate static func of128Bytes(_ controlBlock: [UInt8]) -> Type2Geometry {
    Type2Geometry(
      pageCount: 41, size: 0x10,
      dynamicLock: DynamicLock(page: 0x24, allSet: [0xFF, 0x03, 0x1F], pagesPerBit: 2), configurationPage: 0x25,
      controlBlock: controlBlock)
  }
}
