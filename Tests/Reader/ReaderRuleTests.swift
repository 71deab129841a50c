// The reader's rules that need no device.

import Foundation
import TappetCore
import TappetPlatform
import Testing

@testable import TappetReader

@Suite struct ReaderRuleTests {
  private func options(_ words: [String]) -> CommandLineOptions {
    withCStrings(["tappet-reader"] + words) { CommandLineOptions(Int32(words.count + 1), $0) }
  }

  @Test func `the command line is accepted in both spellings`() {
    #expect(options(["--socket", "3"]) == .serve(socket: 3, device: nil))
    #expect(
      options(["--device=pn532_uart:/dev/x=y", "--socket=4"]) == .serve(socket: 4, device: "pn532_uart:/dev/x=y"))
    #expect(options(["--help", "--socket", "3"]) == .help)
    #expect(options(["--version"]) == .version)
    #expect(options(["--sock", "3"]) == .serve(socket: 3, device: nil))
    for words in [
      [], ["--socket"], ["--socket", "-1"], ["--socket", "x"], ["--device", "d"], ["--sack", "3"], ["3"],
      ["--socket", "3", "4"], ["--help=x"],
    ] {
      guard case .mistake = options(words) else {
        Issue.record("\(words) was understood")
        continue
      }
    }
  }

  @Test func `a path is extracted from connection strings that contain one`() {
    #expect(DeviceNode.path(in: "pn532_uart:/dev/ttyUSB0") == "/dev/ttyUSB0")
    #expect(DeviceNode.path(in: "pn532_uart:/dev/ttyUSB0:115200") == "/dev/ttyUSB0")
    #expect(DeviceNode.path(in: "pn532_spi:/dev/spidev0.0:50000") == "/dev/spidev0.0")
    for none in ["", ":", "pn532_uart", "pn532_uart:", "pn53x_usb:001:002", "acr122_usb"] {
      #expect(DeviceNode.path(in: none) == nil)
    }
  }

  /// A chip whose tries take `milliseconds` each: its number of tries when it was measured, and the time of a search.
  private func measured(tryTakes milliseconds: Int) -> (search: ChipSearch, time: Duration) {
    var search = ChipSearch()
    for _ in 0..<3 { search.note(.milliseconds(milliseconds * Int(search.tries)), .none) }
    return (search, .milliseconds(milliseconds * Int(search.tries)))
  }

  @Test(arguments: [1, 2, 4, 5, 8, 16, 20, 40]) func `a search takes about a third of a second on any chip`(
    _ time: Int
  ) {
    let (search, whole) = measured(tryTakes: time)
    #expect(search.tries > 0 && search.tries < 0xFF)
    #expect(whole >= .milliseconds(200) && whole <= .milliseconds(450), "\(search.tries) tries, \(whole)")
    // A dead chip is noticed: by the missing answer, and by none to a question of 0.3 s.
    #expect(search.limit > whole && search.limit + Limits.readerExchangeMax <= .milliseconds(1500))
  }

  @Test func `a search that was not measured yet outlasts the attempts of a slow chip`() {
    let search = ChipSearch()
    #expect(search.limit > .milliseconds(16) * Int(search.tries))
  }

  @Test func `a list of targets is a tag, empty or malformed, but never traps`() {
    let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
    let type2 = TargetList([1, 1, 0x00, 0x44, 0x00, 7] + uid).tag
    #expect(type2?.uid.bytes == uid && type2?.isType2 == true && type2?.ats == [])
    let type4 = TargetList([1, 1, 0x03, 0x44, 0x20, 7] + uid + [6, 0x75, 0x77, 0x81, 0x02, 0x80]).tag
    #expect(type4?.maybeNTAG424 == true && type4?.ats == [0x75, 0x77, 0x81, 0x02, 0x80])
    // An ATS whose length is 0 has ended libnfc's own select.
    #expect(TargetList([1, 1, 0x03, 0x44, 0x20, 7] + uid + [0]).tag?.ats == [])
    #expect(TargetList([0]) == .none)
    for nonsense in [[], [1], [1, 1, 0, 0x44, 0, 7], [1, 1, 0, 0x44, 0, 7, 1, 2], [1, 1, 0, 0x44, 0, 0]]
      as [[UInt8]]
    {
      #expect(TargetList(nonsense) == .nonsense, "\(nonsense)")
    }
  }

  @Test func `a disturbed response does not change the time limit of a search`() {
    let (before, _) = measured(tryTakes: 5)
    var search = before
    search.note(.milliseconds(6), .nonsense)
    #expect(search.tries == before.tries && search.limit == before.limit)
  }

  /// Source: the data sheets' GET_VERSION tables (NTAG213/215/216, NTAG210/212, MF0ULx1, NT3H1101).
  @Test func `GET_VERSION names the model`() {
    func model(_ type: UInt8, _ subtype: UInt8, _ size: UInt8) -> TagModel {
      Type2Reading.model(version: [0x00, 0x04, type, subtype, 0x01, 0x00, size, 0x03])
    }
    #expect(model(4, 2, 0x0F) == .ntag213)
    #expect(model(4, 2, 0x11) == .ntag215)
    #expect(model(4, 2, 0x13) == .ntag216)
    #expect(model(4, 1, 0x0B) == .ntag210)
    #expect(model(4, 1, 0x0E) == .ntag212)
    #expect(model(4, 5, 0x13) == .ntagI2C1K)
    #expect(model(4, 5, 0x15) == .ntagI2C2K)
    #expect(model(3, 1, 0x0B) == .ultralightEV1Small)
    #expect(model(3, 2, 0x0E) == .ultralightEV1Large)
    #expect(model(9, 9, 9) == .type2)
    #expect(Type2Reading.model(version: []) == .type2)
  }

  @Test func `a repetition of the memory's start is detected`() {
    let memory = (0..<64).map { UInt8($0) }
    #expect(Type2Reading.pagesBeforeRollOver(in: Array(memory[48..<64]), of: memory) == 4)
    #expect(Type2Reading.pagesBeforeRollOver(in: Array(memory[56..<64] + memory[0..<8]), of: memory) == 2)
    #expect(Type2Reading.pagesBeforeRollOver(in: Array(memory[0..<16]), of: memory) == 0)
  }

  @Test func `a capability container that violates the specification is refused`() throws {
    let good: [UInt8] = [0, 15, 0x20, 0, 0x7F, 0, 0x7F, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, 0x00]
    #expect(try Type4Reading.Container(good).pieceSize == 127)
    #expect(try Type4Reading.Container(good).size == 256)
    // Another block, another length, the container itself.
    for (offset, value) in [(7, 0x05), (8, 0x08), (10, 0x03)] as [(Int, UInt8)] {
      var bad = good
      bad[offset] = value
      #expect(throws: ReadFailure.self) { _ = try Type4Reading.Container(bad) }
    }
    // MLe below 15: it has sent 15 bytes. No MLc: it can be read all the same.
    for (offset, value) in [(4, 14), (6, 0)] as [(Int, UInt8)] {
      var odd = good
      odd[offset] = value
      #expect(try Type4Reading.Container(odd).pieceSize >= 15)
    }
    var isProtected = good
    isProtected[13] = 0xFF
    #expect(try Type4Reading.Container(isProtected).readAccess == 0xFF)
    #expect(throws: ReadFailure.self) { _ = try Type4Reading.Container(Array(good.dropLast())) }
  }

  @Test func `different random UIDs may belong to one tag, but different fixed UIDs cannot`() throws {
    func tag(_ uid: [UInt8]) throws -> SelectedTag {
      SelectedTag(uid: try #require(TagUID(uid)), atqa: 0x0344, sak: 0x20, ats: [])
    }
    #expect(try tag([8, 1, 2, 3]).isSame(as: tag([8, 4, 5, 6])))
    #expect(try !tag([4, 1, 2, 3]).isSame(as: tag([4, 4, 5, 6])))
    #expect(try !tag([8, 1, 2, 3]).isSame(as: tag([4, 1, 2, 3])))
  }
}
