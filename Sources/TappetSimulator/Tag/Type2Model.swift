/// The differences between the members of the Type 2 family, with values from NXP's data sheets (MF0ICU1, MF0ULx1,
/// NTAG203, NTAG213/215/216).

/// A member of the Type 2 family.
package struct Type2Model {
  /// The dynamic lock bits, each of which locks `pagesPerBit` pages, starting at page 16.
  struct DynamicLock {
    /// The page that contains the bits.
    var page: Int
    /// Number of pages locked by one bit.
    var pagesPerBit: Int
    /// The value of the page's fourth byte.
    var filler: UInt8
  }

  /// Number of four-byte pages.
  var pageCount: Int
  /// The capability container of a formatted tag.
  var capability: [UInt8]
  /// User memory as delivered by the factory, starting at page 4.
  var factory: [UInt8]
  /// The lock bits after the user memory.
  var dynamicLock: DynamicLock?
  /// Page of CFG0, followed by CFG1, PWD and PACK.
  var configurationPage: Int?
  /// The response to GET_VERSION.
  var version: [UInt8]?
  /// Whether the tag supports FAST_READ and READ_SIG.
  var isSecondGeneration: Bool { version != nil }
  /// Indexes of the one-way counters that READ_CNT can read.
  var counters: ClosedRange<UInt8>?
  /// Whether unknown commands are ignored instead of refused.
  var isSilentWhenRefusing = false

  /// End of the user pages, which start at page 4.
  var userPageEnd: Int { dynamicLock?.page ?? configurationPage ?? pageCount }

  /// Returns the model with this name; `nil` if the tag is not of Type 2 or not simulated.
  static func named(_ name: String) -> Type2Model? {
    switch name {
    case "ultralight": ultralight
    case "ultralight-ev1-48", "ul11": ultralightEV1(small: true)
    case "ultralight-ev1-128", "ul21": ultralightEV1(small: false)
    case "ntag203": ntag203
    case "ntag213": ntag213
    case "ntag215": ntag(pages: 135, size: 0x3E, storage: 0x11)
    case "ntag216": ntag(pages: 231, size: 0x6D, storage: 0x13)
    default: nil
    }
  }

  private static var ultralight: Type2Model {
    Type2Model(
      pageCount: 16, capability: [0xE1, 0x10, 0x06, 0x00], factory: [], dynamicLock: nil, configurationPage: nil,
      version: nil, counters: nil, isSilentWhenRefusing: true)
  }

  private static func ultralightEV1(small: Bool) -> Type2Model {
    Type2Model(
      pageCount: small ? 20 : 41, capability: [0xE1, 0x10, small ? 0x06 : 0x10, 0x00], factory: [],
      dynamicLock: small ? nil : DynamicLock(page: 0x24, pagesPerBit: 2, filler: 0x00),
      configurationPage: small ? 0x10 : 0x25,
      version: [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, small ? 0x0B : 0x0E, 0x03], counters: 0...2)
  }

  private static var ntag203: Type2Model {
    Type2Model(
      pageCount: 42, capability: [0xE1, 0x10, 0x12, 0x00], factory: [0x01, 0x03, 0xA0, 0x10, 0x44, 0x03, 0x00, 0xFE],
      dynamicLock: DynamicLock(page: 0x28, pagesPerBit: 4, filler: 0x00), configurationPage: nil, version: nil,
      counters: nil)
  }

  private static var ntag213: Type2Model {
    Type2Model(
      pageCount: 45, capability: [0xE1, 0x10, 0x12, 0x00], factory: [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x00, 0xFE],
      dynamicLock: DynamicLock(page: 0x28, pagesPerBit: 2, filler: 0xBD), configurationPage: 0x29,
      version: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03], counters: 2...2)
  }

  private static func ntag(pages: Int, size: UInt8, storage: UInt8) -> Type2Model {
    Type2Model(
      pageCount: pages, capability: [0xE1, 0x10, size, 0x00], factory: [0x03, 0x00, 0xFE],
      dynamicLock: DynamicLock(page: pages - 5, pagesPerBit: 16, filler: 0xBD), configurationPage: pages - 4,
      version: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, storage, 0x03], counters: 2...2)
  }
}
