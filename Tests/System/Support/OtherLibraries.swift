// Tags as independent libraries read them: ndeflib of messages, libfreefare of the blocks around them.

import Foundation
import TestSupport
import Testing

/// Each asked through a script; memory, messages and blocks in hexadecimal.
enum OtherLibraries {
  /// ndeflib's view of a tag's memory: one record per line, its type and address.
  ///
  /// The whole memory goes to the script, so that the way to the message is not ours either.
  static func records(in memory: String, isType4: Bool) throws -> String {
    try answer(
      """
      import sys, ndef
      memory = bytes.fromhex(sys.argv[1])
      if sys.argv[2] == "type4":
          message = memory[2:2 + int.from_bytes(memory[:2], "big")]
      else:
          place = 16
          while memory[place] != 3:
              place += 1 if memory[place] == 0 else 2 + memory[place + 1]
          message = memory[place + 2:place + 2 + memory[place + 1]]
      for record in ndef.message_decoder(message, errors="strict"):
          print(type(record).__name__, record.iri)
      """, memory, isType4 ? "type4" : "type2")
  }

  /// A message of the URL, and of a text of `ballast` letters unless that is 0, by ndeflib.
  static func message(_ url: String, ballast: Int = 0) throws -> String {
    try answer(
      """
      import sys, ndef
      texts = [ndef.TextRecord(int(sys.argv[2]) * "x")] if sys.argv[2] != "0" else []
      print(b"".join(ndef.message_encoder([ndef.UriRecord(sys.argv[1])] + texts)).hex())
      """, url, String(ballast))
  }

  /// The TLV block around a message, by libfreefare.
  static func block(_ message: String) throws -> String {
    try answer(
      """
      import ctypes, sys
      message = bytes.fromhex(sys.argv[1])
      encode = ctypes.CDLL("libfreefare.so.0").tlv_encode
      encode.argtypes = [ctypes.c_uint8, ctypes.c_char_p, ctypes.c_uint16, ctypes.POINTER(ctypes.c_size_t)]
      encode.restype = ctypes.POINTER(ctypes.c_uint8)
      size = ctypes.c_size_t()
      block = encode(3, message, len(message), ctypes.byref(size))
      print(bytes(block[:size.value]).hex())
      """, message)
  }

  private static func answer(_ script: String, _ arguments: String...) throws -> String {
    let done = try Programs.run(try Programs.python(), ["-c", script] + arguments)
    #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
    return done.output.trimmingCharacters(in: .newlines)
  }
}
