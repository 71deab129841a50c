// The name of a Matrix room (Matrix, Appendices, §4.2).

/// The id or alias of a room.
package enum RoomAddress {
  /// Returns whether `text` could be a room's id or alias.
  @export(interface)
  package static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (2...Limits.roomNameSizeMax).contains(bytes.count), text.isPrintable, !bytes.contains(0x20) else {
      return false
    }
    // As of room version 12, an id does not include a server.
    return bytes.first == UInt8(ascii: "!") || bytes.first == UInt8(ascii: "#") && bytes.contains(UInt8(ascii: ":"))
  }
}
