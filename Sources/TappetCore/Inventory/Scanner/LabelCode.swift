// The codes on labels that other programs print, where a label contains more than the code that a user would type.

/// Forms of codes on labels.
package enum LabelCode {
  /// Returns the codes to look up, in order, if no entry has exactly the code on the label.
  ///
  ///     smp://box?id=UUID                 a link to an entry             → UUID
  ///     grcy:p:13:5f3a…                   Grocy: a purchase of a product → grcy:p:13
  ///     https://homebox.example/a/000-017 Homebox: an asset              → 000-017
  ///     https://front-door.local/s/B-17   the kiosk's page               → B-17
  ///     ]C10104012345678901               GS1, with its symbology        → 04012345678901
  ///     (01)04012345678901(10)A7          GS1, as printed below bars     → 04012345678901
  ///     https://id.gs1.org/01/0401…/10/A7 a GS1 Digital Link             → 0401…
  @export(interface)
  package static func alternatives(to text: String) -> [String] {
    let bytes = Array(text.utf8)
    if let size = symbologySize(bytes) {
      let code = String(decoding: bytes[size...], as: UTF8.self)
      return [code] + alternatives(to: code)
    }
    if let id = id(inLink: text) { return [id] }
    if let number = tradeItemNumber(bytes) { return [number] }
    let fields = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    if text.begins(with: "grcy:"), fields.count > 3 {
      return [fields.prefix(3).map { String(Substring($0)) }.joined(separator: ":")]
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard text.begins(with: "http://") || text.begins(with: "https://"), parts.count > 4 else { return [] }
    let folder = parts[parts.count - 2]
    if folder.elementsEqual("a".utf8) || folder.elementsEqual("s".utf8), let code = parts.last, !code.isEmpty {
      return [String(Substring(code))]
    }
    // The key of a link is followed by its value: https://DOMAIN/…/01/GTIN (GS1 Digital Link URI Syntax §4).
    for (key, value) in zip(parts.dropFirst(3), parts.dropFirst(4)) where key.elementsEqual("01".utf8) {
      let number = String(Substring(value.prefix { $0.isASCIIDigit }))
      return tradeItemSizes.contains(number.utf8.count) ? [number] : []
    }
    return []
  }

  /// Returns a code followed by its other spellings as a GTIN: UPC-A, EAN-13, EAN-8 and GTIN-14 are the same number
  /// with fewer or more leading zeros (GS1 General Specifications §3.3.1).
  @export(interface)
  package static func spellings(of code: String) -> [String] {
    let digits = Array(code.utf8)
    guard tradeItemSizes.contains(digits.count), digits.allSatisfy({ $0.isASCIIDigit }) else { return [code] }
    let number = digits.drop { $0 == UInt8(ascii: "0") }
    let others = tradeItemSizes.filter { $0 >= number.count && $0 != digits.count }
    return [code]
      + others.map { String(repeating: "0", count: $0 - number.count) + String(decoding: number, as: UTF8.self) }
  }

  private static var tradeItemSizes: [Int] { [8, 12, 13, 14] }

  /// Returns the GTIN of a GS1 element string: of the application identifier 01 or 02, after others of fixed length.
  private static func tradeItemNumber(_ bytes: [UInt8]) -> String? {
    let isPrinted = bytes.first == UInt8(ascii: "(")
    var rest = (isPrinted ? bytes.filter { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") } : bytes)[...]
    while rest.count > 2, rest.prefix(2).allSatisfy({ $0.isASCIIDigit }) {
      let identifier = rest.prefix(2).reduce(0) { $0 * 10 + Int($1 & 15) }
      rest = rest.dropFirst(2)
      switch identifier {
      case 1, 2:
        let number = rest.prefix(14)
        return number.count == 14 && hasCheckDigit(number) ? String(decoding: number, as: UTF8.self) : nil
      case 0: rest = rest.dropFirst(18)
      case 11...17: rest = rest.dropFirst(6)
      case 20: rest = rest.dropFirst(2)
      default: return nil
      }
    }
    return nil
  }

  /// Whether digits end with their check digit: the sum, with every other digit tripled, is a multiple of ten.
  private static func hasCheckDigit(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.allSatisfy({ $0.isASCIIDigit }) else { return false }
    let sum = digits.reversed().enumerated().reduce(0) { $0 + Int($1.element & 15) * ($1.offset & 1 == 1 ? 3 : 1) }
    return sum.isMultiple(of: 10)
  }

  /// Returns the size of the symbology identifier (ISO/IEC 15424) that a code starts with: `]`, the kind of barcode, a
  /// modifier, as in `]Q3`, `]C1`, `]E0`; `nil` if it starts with none.
  static func symbologySize(_ bytes: [UInt8]) -> Int? {
    bytes.count >= symbologySize && bytes[0] == UInt8(ascii: "]") && bytes[1].isASCIILetter
      && bytes[2].isASCIIAlphanumeric ? symbologySize : nil
  }

  static let symbologySize = 3

  // MARK: Numbers of pieces

  private static let numberLink = "smp://number?n="

  /// Returns the code of a label or a tag that stands for a number of pieces: `smp://number?n=25`.
  @export(interface)
  package static func number(_ pieces: Int64) -> String { numberLink + String(pieces) }

  /// Returns the number of pieces that a code stands for; `nil` for any other code.
  package static func pieces(inLink text: String) -> Int64? {
    text.begins(with: numberLink) ? pieces(typed: String(Substring(text.utf8.dropFirst(numberLink.utf8.count)))) : nil
  }

  /// Returns the number of pieces that was typed: up to four digits, which no barcode of a product has.
  @export(interface)
  package static func pieces(typed text: String) -> Int64? {
    Int64(decimal: text.utf8).flatMap { $0 <= Limits.inventoryPiecesMax ? $0 : nil }
  }

  /// Returns the id in a link to an entry; `nil` for any other text.
  static func id(inLink text: String) -> String? {
    for kind in InventoryKind.allCases {
      let start = "smp://\(kind.name)?id="
      if text.begins(with: start) {
        return InventoryID(text: String(decoding: text.utf8.dropFirst(start.utf8.count), as: UTF8.self))?.text
      }
    }
    return nil
  }
}

extension TagReading {
  /// The id in a link to an inventory entry (`smp://box?id=…`), or the link that stands for a number of pieces.
  var inventoryCode: String? {
    (try? uri()).flatMap { uri in
      let link = String(decoding: uri, as: UTF8.self)
      return LabelCode.pieces(inLink: link) == nil ? LabelCode.id(inLink: link) : link
    }
  }
}
