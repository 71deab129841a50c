// libnfc and workarounds for its behaviour. Each call here returns in finite time: no `nfc_initiator_poll_target`,
// no infinite select, an explicit timeout for each exchange. libnfc can still abort the process, so it runs in a
// separate one.

import CNFC
import CPlatform
import TappetTag
import TappetPlatform

/// A failure that makes the device unusable; the process exits and is restarted.
struct DeviceError: Error, Equatable {
  var fault: ReaderFault
  /// libnfc's error code, or a negative errno.
  var code: Int32
}

/// The reason why an exchange with a tag failed.
enum ExchangeFailure: Error {
  /// The tag refused, was disturbed or is gone; libnfc's codes do not distinguish these cases, only a new select does.
  case noAnswer
  case device(DeviceError)
}

/// A tag that responded to anti-collision.
struct SelectedTag: Equatable {
  var uid: TagUID
  /// SENS_RES, high byte first.
  var atqa: UInt16
  /// SEL_RES, one byte.
  var sak: UInt8
  /// Answer to Select (ATS), without its length byte; empty if the tag does not support ISO-DEP.
  var ats: [UInt8]
}

/// The framing of an exchange.
enum Framing {
  /// InCommunicateThru, for Type 2 commands: the bytes are sent unchanged, followed by a CRC. With InDataExchange, the
  /// chip would interpret 0x60 as MIFARE Classic authentication.
  case raw
  /// InDataExchange, for protocols that the chip supports: ISO-DEP, with chaining and waiting-time extension, and a
  /// Type 2 tag's WRITE, whose four-bit answer the chip converts to a status.
  case known
}

/// An open reader; this process never opens more than one.
final class NFCDevice {
  private let context: OpaquePointer
  private let device: OpaquePointer
  private let node: DeviceNode?
  private let isPN532: Bool
  private var isOpen = true
  /// The chip's built-in search; `nil` if each poll is a single select instead.
  private var search: ChipSearch?
  /// The chip's current MxRtyPassiveActivation setting, if known.
  private var triesInForce: UInt8?

  /// Opens the device `connstring`, or the first one found by libnfc, and initializes it as a reader with its field on.
  init(connstring: String?) throws(DeviceError) {
    var context: OpaquePointer?
    nfc_init(&context)
    guard let context else { throw DeviceError(fault: .unusable, code: NFC_ESOFT) }
    do throws(DeviceError) {
      guard let connstring = connstring ?? Self.list(context, countMax: 1).first else {
        throw DeviceError(fault: .notFound, code: NFC_ENOTSUCHDEV)
      }
      let path = DeviceNode.path(in: connstring)
      if let path {
        node = try DeviceNode(path: path)
      } else {
        node = nil
      }
      node?.clearStaleClaim()
      guard let device = nfc_open(context, connstring) else {
        throw DeviceError(fault: node?.exists == true ? .silent : .notFound, code: NFC_ENOTSUCHDEV)
      }
      self.context = context
      self.device = device
      isPN532 = connstring.hasPrefix("pn532_")
      // On other buses, libnfc would poll the chip continuously until it responds.
      search = connstring.hasPrefix("pn532_uart") ? ChipSearch() : nil
    } catch {
      nfc_exit(context)
      throw error
    }
    do throws(DeviceError) {
      try becomeReader()
    } catch {
      close()
      throw error
    }
  }

  /// Switches the field off and closes the device.
  ///
  /// Otherwise, a PN532 can remain in a state that it leaves only after a wake-up.
  func close() {
    guard isOpen else { return }
    isOpen = false
    nfc_close(device)
    nfc_exit(context)
  }

  deinit { close() }

  /// The device name reported by libnfc.
  var name: String { nfc_device_get_name(device).map { String(cString: $0) } ?? "" }

  // MARK: Tags

  /// Polls for a tag while the reader is empty; returns `nil` if none answered.
  func look() throws(DeviceError) -> SelectedTag? {
    guard let search else { return try select() }
    let started = Instant.now()
    do throws(DeviceError) {
      let found = try list(tries: search.tries, within: search.limit)
      self.search?.note(Instant.now() - started, found)
      return found.tag
    } catch {
      guard error.code == NFC_ETIMEOUT else { throw error }
      // The chip is dead or searching endlessly after a brownout, or a byte was lost; a live chip answers this command.
      _ = try command([0x02], within: Limits.readerExchangeMax)
      self.search = ChipSearch()
      try refresh()
      return nil
    }
  }

  /// Time between the starts of two polls.
  var lookInterval: Duration { search == nil ? Limits.readerPollInterval : Limits.readerSearchInterval }

  /// Polls for a tag once.
  ///
  /// Returns `nil` if none answered. One timeout is tolerated, because a byte lost on a serial line also causes one.
  func select() throws(DeviceError) -> SelectedTag? {
    do throws(DeviceError) { return try selectOnce() } catch {
      guard error.code == NFC_ETIMEOUT else { throw error }
      return try selectOnce()
    }
  }

  private func selectOnce() throws(DeviceError) -> SelectedTag? {
    if isPN532 { return try list(tries: ChipSearch.selectTries, within: Limits.readerExchangeMax).tag }
    let modulation = nfc_modulation(nmt: NMT_ISO14443A, nbr: NBR_106)
    var target = nfc_target()
    let code = nfc_initiator_select_passive_target(device, modulation, nil, 0, &target)
    guard code >= 0 else { throw Self.trouble(code) }
    return code == 0 ? nil : Self.tag(target)
  }

  /// Sends InListPassiveTarget (UM0701-02 §7.3.5) for one tag of type A.
  ///
  /// libnfc's select is not used, because it gives up after 300 ms and crashes on some responses.
  private func list(tries: UInt8, within limit: Duration) throws(DeviceError) -> TargetList {
    if tries != triesInForce {
      triesInForce = nil
      // RFConfiguration, item 5 (§7.3.1): the first two values are the same as libnfc's.
      _ = try command([0x32, 0x05, 0x00, 0x01, tries], within: Limits.readerExchangeMax)
      triesInForce = tries
    }
    return TargetList(try command([0x4A, 0x01, 0x00], within: limit))
  }

  /// Selects a tag again that was just present; a command that the tag refused may have halted it.
  func selectAgain(_ tag: SelectedTag) throws(DeviceError) -> SelectedTag? {
    // A tag in ISO-DEP mode ignores a new request as noise until the field has been switched off.
    if !tag.isISODEP, let found = try select() { return found }
    try cycleField()
    return try select()
  }

  /// Returns a second tag in the field, if any; halts the selected tag, which must then be selected again.
  func otherTag(than tag: SelectedTag) throws(DeviceError) -> SelectedTag? {
    // The result is irrelevant: the next select detects whether the tag has left.
    nfc_initiator_deselect_target(device)
    guard let found = try select(), !found.isSame(as: tag) else { return nil }
    return found
  }

  /// Whether a halted tag is in the field in addition to another tag.
  func isThere(_ tag: SelectedTag, besides other: SelectedTag) throws(DeviceError) -> Bool {
    // Wakes both tags.
    try cycleField()
    guard let first = try select() else { return false }
    if first.isSame(as: tag) { return true }
    return try otherTag(than: other)?.isSame(as: tag) == true
  }

  /// Whether the selected tag still answers.
  ///
  /// False may also mean that the tag is halted; `selectAgain` distinguishes the two cases.
  func answers(_ tag: SelectedTag) throws(DeviceError) -> Bool {
    if isPN532 { return try stillAnswers(tag) }
    // libnfc can check these two types; the others need a new select.
    guard tag.isISODEP || tag.isType2 else { return false }
    // NULL, not the target, because libnfc would compare all of the target's bytes, including padding.
    let code = nfc_initiator_target_is_present(device, nil)
    if code == NFC_EIO { throw Self.trouble(code) }
    return code == NFC_SUCCESS
  }

  /// Checks the tag in the same way as libnfc, which cannot check tags that it did not select.
  private func stillAnswers(_ tag: SelectedTag) throws(DeviceError) -> Bool {
    if tag.isType2 {
      do throws(ExchangeFailure) {
        return try exchange([0x30, 0x00], .raw, within: Limits.readerExchangeMax).count == 16
      } catch {
        if case .device(let trouble) = error { throw trouble }
        return false
      }
    }
    guard tag.isISODEP else { return false }
    // Diagnose, attention request (UM0701-02 §7.2.1); takes a few hundred milliseconds if the card has left.
    var status: [UInt8] = [0]
    let code = pn53x_transceive(
      device, [0x00, 0x06], 2, &status, 1, Int32(clamping: Limits.readerISODEPExchangeMax.wholeMilliseconds))
    if code == NFC_EIO { throw Self.trouble(code) }
    return code == 1
  }

  /// Sends one command to the selected tag and returns the response.
  func exchange(
    _ command: [UInt8], _ framing: Framing, within timeout: Duration
  ) throws(ExchangeFailure) -> [UInt8] {
    // Setting the property sends nothing to the device. Presence checks rely on `true`.
    nfc_device_set_property_bool(device, NP_EASY_FRAMING, framing == .known)
    defer { nfc_device_set_property_bool(device, NP_EASY_FRAMING, true) }
    var count: Int32 = 0
    let answer = [UInt8](unsafeUninitializedCapacity: Self.answerSizeMax) { buffer, filled in
      count = nfc_initiator_transceive_bytes(
        device, command, command.count, buffer.baseAddress, buffer.count, Int32(clamping: timeout.wholeMilliseconds))
      filled = min(max(0, Int(count)), buffer.count)
    }
    if count >= 0 { return answer }
    switch count {
    case NFC_EIO, NFC_ENOTSUCHDEV, NFC_ESOFT, NFC_ENOTIMPL: throw .device(Self.trouble(count))
    default: throw .noAnswer
    }
  }

  // MARK: The device

  /// Sends a command to the chip itself; returns the response without its command code.
  private func command(_ bytes: [UInt8], within limit: Duration) throws(DeviceError) -> [UInt8] {
    var count: Int32 = 0
    let answer = [UInt8](unsafeUninitializedCapacity: Self.answerSizeMax) { buffer, filled in
      count = pn53x_transceive(
        device, bytes, bytes.count, buffer.baseAddress, buffer.count, Int32(clamping: limit.wholeMilliseconds))
      filled = min(max(0, Int(count)), buffer.count)
    }
    if count < 0 { throw Self.trouble(count) }
    return answer
  }

  /// Makes a chip detect tags again after a brownout; cheaper than `refresh`.
  func recoverFromBrownout() throws(DeviceError) {
    guard isPN532 else { return }
    let code = pn532_SAMConfiguration(device, PSM_NORMAL, Int32(clamping: Limits.readerExchangeMax.wholeMilliseconds))
    if code < 0 { throw Self.trouble(code) }
  }

  /// Restores the chip to its state after `init`.
  ///
  /// After a brownout, a PN532 answers every command but finds no tag, and libnfc does not reconfigure the chip.
  func refresh() throws(DeviceError) {
    try recoverFromBrownout()
    try becomeReader()
  }

  private func becomeReader() throws(DeviceError) {
    // If a response was lost during `nfc_open`, the pointer is NULL, and the first select would abort the process.
    var modulations: UnsafePointer<nfc_modulation_type>?
    guard nfc_device_get_supported_modulation(device, N_INITIATOR, &modulations) == NFC_SUCCESS, modulations != nil
    else {
      throw DeviceError(fault: .unusable, code: NFC_EDEVNOTSUPP)
    }
    var code = nfc_initiator_init(device)
    // With infinite select, a missing tag and a dead reader are indistinguishable.
    if code >= 0 { code = nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false) }
    if code < 0 { throw Self.trouble(code) }
    triesInForce = nil
  }

  private func cycleField() throws(DeviceError) {
    var code = nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, false)
    // A tag is reset after 5 ms without a field (NFC Forum Analog 2.0, Operating field off).
    Poll.sleep(Limits.readerFieldOff)
    if code >= 0 { code = nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, true) }
    if code < 0 { throw Self.trouble(code) }
  }

  // MARK: Values

  /// Size of libnfc's response buffer, in bytes.
  private static let answerSizeMax = 264

  /// Returns the connection strings of the devices that libnfc finds, at most `countMax`.
  static func list(countMax: Int) -> [String] {
    var context: OpaquePointer?
    nfc_init(&context)
    guard let context else { return [] }
    defer { nfc_exit(context) }
    return list(context, countMax: countMax)
  }

  private static func list(_ context: OpaquePointer, countMax: Int) -> [String] {
    let size = Int(NFC_BUFSIZE_CONNSTRING)
    let names = UnsafeMutablePointer<CChar>.allocate(capacity: countMax * size)
    defer { names.deallocate() }
    names.initialize(repeating: 0, count: countMax * size)
    return (0..<tp_nfc_list_devices(context, names, countMax)).map { String(cString: names + $0 * size) }
  }

  private static func tag(_ target: nfc_target) -> SelectedTag? {
    let info = target.nti.nai
    let uid = withUnsafeBytes(of: info.abtUid) { Array($0.prefix(Int(clamping: info.szUidLen))) }
    let ats = withUnsafeBytes(of: info.abtAts) { Array($0.prefix(Int(clamping: info.szAtsLen))) }
    guard let uid = TagUID(uid) else { return nil }
    let atqa = UInt16(info.abtAtqa.0) << 8 | UInt16(info.abtAtqa.1)
    return SelectedTag(uid: uid, atqa: atqa, sak: info.btSak, ats: ats)
  }

  private static func trouble(_ code: Int32) -> DeviceError {
    switch code {
    case NFC_ETIMEOUT: DeviceError(fault: .silent, code: code)
    case NFC_EIO, NFC_ENOTSUCHDEV: DeviceError(fault: .ioError, code: code)
    default: DeviceError(fault: .unusable, code: code)
    }
  }
}
