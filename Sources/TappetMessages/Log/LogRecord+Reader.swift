// Sentences for events from the reader and its tags.

import TappetCore
import TappetPlatform

/// The program that lost its reader, which determines whether the reader is restarted.
package enum ReaderOwner: Hashable, Sendable {
  /// Restarts the reader automatically.
  case kiosk
  /// A program that uses the C library, and decides itself whether to restart the reader.
  case library
  /// A command-line tool, which exits when it loses the reader.
  case tool
}

extension ReaderLoss {
  /// Returns a sentence with the cause and the remedy; `device` is the configured connection string.
  @export(interface)
  package func sentence(device: String?, of owner: ReaderOwner = .kiosk) -> String {
    let name = device ?? "the reader"
    func remedy(_ ofKiosk: String, _ ofLibrary: String, _ ofTool: String) -> String {
      switch owner {
      case .kiosk: ofKiosk
      case .library: ofLibrary
      case .tool: ofTool
      }
    }
    let next = remedy("it is restarted", "open the reader again", "try again")
    if case .fault = self, let driver = device.flatMap({ Self.unknownDriver($0) }) {
      return "Debian's libnfc lacks the driver '\(driver)'; it supports " + Self.drivers.joined(separator: ", ")
    }
    switch self {
    case .fault(.notFound, _):
      guard let device else { return "no reader was found; plug in a reader, or set 'reader: {device: …}'" }
      return "\(name) was not found; " + (Self.disabledBus(device) ?? "plug it in, or correct 'reader: {device: …}'")
    case .fault(.silent, _):
      return "\(name) does not respond; check its power and wiring"
        + remedy(". Tappet keeps trying to open it", ", and open it again", ", and try again")
    case .fault(.ioError, let code):
      return "\(name) was unplugged, or its connection broke (libnfc \(code)); "
        + remedy(
          "Tappet uses it again as soon as it is back", "open it again when it is back", "try again when it is back")
    case .fault(.busy, _): return "another program is using \(name); stop it (nfc-list, pcscd or a second tappet)"
    case .fault(.permissionDenied, _):
      return "this user is not allowed to open \(name); add the user to the group dialout (or i2c, spi)"
    case .fault(.unusable, let code):
      return "\(name) responds, but not like a usable reader (libnfc \(code)); "
        + remedy("Tappet reopens it", "open it again", "try again")
    case .ended(.exited(let status)): return "tappet-reader exited with status \(status); \(next)"
    case .ended(.signaled(let number)): return "tappet-reader was terminated by signal \(number); \(next)"
    case .silent: return "tappet-reader hung and was killed; \(next)"
    case .malformed:
      return "tappet-reader sent an invalid message and was killed; is it the same version as tappet?"
    case .notStarted(let code):
      return
        "tappet-reader cannot be started: \(SystemError(call: "posix_spawn", code: code).text); "
        + "is it installed in libexec/tappet?"
    }
  }
}

extension ReaderLoss {
  /// Drivers in Debian's libnfc, which has no function that lists them.
  private static let drivers = [
    "pn532_uart", "pn532_i2c", "pn532_spi", "pn53x_usb", "acr122_usb", "acr122s", "arygon",
  ]

  /// Returns what to do about a bus of the board that is not enabled; `nil` for any other device.
  private static func disabledBus(_ device: String) -> String? {
    let parts = device.utf8.split(separator: UInt8(ascii: ":"))
    let path = parts.count > 1 ? String(Substring(parts[1])) : ""
    let buses: [(path: String, name: String, setting: String)] = [
      ("/dev/i2c-", "I2C", "dtparam=i2c_arm=on"), ("/dev/spidev", "SPI", "dtparam=spi=on"),
      ("/dev/ttyAMA", "the serial port", "enable_uart=1"), ("/dev/ttyS", "the serial port", "enable_uart=1"),
      ("/dev/serial", "the serial port", "enable_uart=1"),
    ]
    guard let bus = buses.first(where: { path.begins(with: $0.path) }) else { return nil }
    return "is \(bus.name) enabled? On a Raspberry Pi, add '\(bus.setting)' to /boot/firmware/config.txt and restart it"
  }

  /// Returns the driver of a connection string if libnfc does not support it.
  private static func unknownDriver(_ device: String) -> String? {
    let driver = String(device.prefix { $0 != ":" })
    return drivers.contains(driver) ? nil : driver
  }
}

extension TapRefusal {
  /// Action of the tag or button, if known.
  package var action: String? {
    @export(interface) get {
      switch self {
      case .strayIndex(_, let action, _), .copiedURL(let action), .personSuspended(let action, _),
        .wrongTime(let action, _), .limitedPerson(let action, _, _), .usedUp(let action, _), .nobodyToAsk(let action),
        .unmet(let action, _),
        .commandOfLimitedPerson(let action),
        .noTagConfigured(let action),
        .invalidSignature(let action), .brokerAway(let action), .webhookAway(let action),
        .outboxFull(let action, _, _), .notStored(let action, _), .notInInventory(let action, _, _),
        .needsProof(let action):
        action
      case .unreadable, .content, .malformedURL, .noSuchAction, .panelLocked, .tooLate, .tooMany: nil
      }
    }
  }

  /// The scanned code that no entry of the inventory has, if this is the reason.
  var unknownCode: String? { if case .notInInventory(_, _, let code) = self { code } else { nil } }

  private static func unknown(_ code: String) -> String {
    let isNumber = code.utf8.count <= 4 && code.utf8.allSatisfy { $0.isASCIIDigit }
    return "scan refused: no entry in the inventory has the code \(code); to assign it to one, use "
      + "'tappet item edit ITEM --barcode \(code)'"
      + (isNumber ? "; as a number of pieces, it needs a job that adds, takes or counts" : "")
  }

  /// Returns a sentence with the refusal, its reason and the remedy.
  @export(interface)
  package func sentence(_ trigger: Trigger) -> String {
    let what = trigger.word
    switch self {
    case .unreadable(let fault): return "tap refused: \(fault.sentence)"
    case .content(let error): return "tap refused: \(error.sentence)"
    case .malformedURL(let error): return "tap refused: \(error.sentence)"
    case .noSuchAction(let index): return "tap refused: the tag is for action \(index), which is not configured"
    case .noTagConfigured(let action):
      return
        "tap refused: '\(action)' has no secret, because it was removed or never imported; unless the tag was revoked, "
        + "import the secret that it was written with, or write it again"
    case .invalidSignature(let action):
      return
        "tap refused: the signature matches no secret of '\(action)'; the tag is forged, or its secret was removed"
    case .strayIndex(let index, let action, let isConfigured):
      return isConfigured
        ? "tap refused: the tag belongs to '\(action)' with index \(index), but '\(action)' has a different index in "
          + "kiosk.yaml; set 'index: \(index)' there, or remove that line"
        : "tap refused: the tag belongs to '\(action)', which is not configured; use 'tappet action rename \(action) "
          + "NAME' to move its secrets to a different action"
    case .copiedURL(let action):
      return "tap refused: the URL of another tag of '\(action)' was copied onto this tag; remove the secret, and "
        + "rewrite the tag that it belongs to"
    case .personSuspended(_, let person):
      return "tap refused: \(person) is suspended; use 'tappet person resume' to end the suspension"
    case .wrongTime(let action, let fault): return "\(what) refused: \(fault.sentence(action))"
    case .limitedPerson(_, let person, let fault): return "tap refused: \(fault.sentence(of: person))"
    case .unmet(let action, let unmet): return "\(what) refused: '\(action)' requires that \(unmet.sentence)"
    case .usedUp(_, let person):
      return "tap refused: \(person) has no uses left; use 'tappet person allow' to add more"
    case .commandOfLimitedPerson:
      return
        "\(what) refused: its tag's person has limits ('tappet person allow'), which are checked only at the reader"
    case .webhookAway(let action):
      return
        "\(what) refused: the server of its webhook failed last time, and the message of \(action) must not "
        + "be sent late"
    case .nobodyToAsk(let action):
      return
        "\(what) refused: \(action) cannot be confirmed because the kiosk is not listening in its room; "
        + "see 'tappet status'"
    case .brokerAway(let action):
      return "\(what) refused: the broker is unavailable, and the message of \(action) must not be sent late"
    case .outboxFull(let action, let count, let size):
      return "\(what) refused: the outbox is full (\(count) entries, \(size) bytes), with no room for \(action)"
    case .notStored(let action, let fault):
      return "\(what) refused: \(action) could not be stored (\(fault.word))"
    case .notInInventory(_, _, let code?): return Self.unknown(code)
    case .notInInventory(let action, let fault, nil): return "\(what) refused: \(fault.sentence(action))"
    case .tooMany(let wait, let isScan):
      return (isScan ? "scan refused: too many scans" : "tap refused: too many taps with this tag") + "; try again in "
        + String((wait.wholeMilliseconds + 999) / 1000) + " s"
    case .needsProof(let action):
      return
        "\(what) refused: \(action) drives an output or unlocks the panel, and barcodes, which can be copied, must not "
        + "trigger that"
    case .tooLate(let age):
      return
        "\(what) refused: it took place \(age.wholeMilliseconds / 1000) s ago, because the kiosk was held up"
    case .panelLocked: return "press refused: the buttons are locked; tap a tag that unlocks them, or enter the code"
    }
  }
}

extension UnmetRequirement {
  /// The second half of a sentence, such as `front is closed, but it is open`.
  package var sentence: String {
    let name = requirement.input
    let found = level == .unknown ? "its state is unknown" : "it is " + level.name
    return name + " is " + requirement.level.name + ", but " + found
  }
}

extension TimeFault {
  fileprivate func sentence(of person: String) -> String {
    switch self {
    case .outsideHours: "the current time is outside the hours of \(person)"
    case .holiday: "today is a holiday, and the hours of \(person) do not include holidays"
    case .notYet: "\(person) is not allowed to act yet"
    case .noLonger: "\(person) is no longer allowed to act"
    case .clockUnknown: "\(person) is limited to certain hours or days, and the clock is not synchronized"
    case .zoneUnknown: "\(person) is limited to certain hours or days, and 'time_zone' is not installed"
    }
  }

  fileprivate func sentence(_ action: String) -> String {
    switch self {
    case .outsideHours: "the current time is outside the hours of '\(action)'"
    case .holiday: "today is a holiday, and the hours of '\(action)' do not include holidays"
    case .notYet: "'\(action)' is not valid yet"
    case .noLonger: "'\(action)' is no longer valid"
    case .clockUnknown: "'\(action)' is limited to certain hours, and the clock is not synchronized"
    case .zoneUnknown: "'\(action)' is limited to certain hours, and 'time_zone' is not installed"
    }
  }
}

extension StoreFault {
  fileprivate var word: String {
    switch self {
    case .full: "no space left"
    case .readOnly: "read-only"
    case .ioError: "disk error"
    case .corrupt: "damaged database"
    case .busy: "database in use"
    case .other(let code): "SQLite code \(code)"
    }
  }
}

extension TagFault {
  /// Sentence with the cause, and the remedy for the person who holds the tag.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .pulledAway: "the tag was taken away while it was being read; hold it longer"
      case .unsupportedModel: "Tappet cannot read this kind of tag; use an NTAG213, 215 or 216"
      case .refusedToAnswer: "the tag refused the read command: it may be password-protected or too slow"
      case .malformedAnswer: "the tag's responses violate its specification; it may be damaged"
      case .tooLarge: "the tag's message is larger than any tag URL"
      case .noApplication:
        "the tag is a smart card without an NDEF application; use an NTAG213, 215 or 216, "
          + "or format it with the manufacturer's tool"
      case .readProtected: "the tag is read-protected, according to its capability container; use a different tag"
      case .passwordProtected:
        "the tag is read-protected by a password; remove the password with the app that set it, or use a different tag"
      case .malformedContainer:
        "the tag's capability container does not describe a readable NDEF file; reformat the tag, or use a different "
          + "tag"
      }
    }
  }
}
