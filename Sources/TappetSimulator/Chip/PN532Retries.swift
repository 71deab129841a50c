/// How often and how long the chip tries (RFConfiguration, UM0701-02 §7.3.1).

/// The settings that RFConfiguration's items 2, 4 and 5 change; the values are those after a reset.
struct PN532Retries {
  /// MxRtyPassiveActivation: attempts after the first; 0xFF means without end.
  var passiveActivation: UInt8 = 0xFF
  /// MaxRtyCOM: attempts of an exchange after the first.
  var exchange: UInt8 = 0x00
  /// fRetryTimeout: 0x0A is 51.2 ms.
  var timeoutCode: UInt8 = 0x0A

  /// How long an exchange waits for the tag: 100 us, doubled by each step of the code; 0 means no limit, for which
  /// nobody here waits.
  var timeout: Int64 {
    timeoutCode == 0 ? 3_276_800_000 : 100_000 << Int64(min(timeoutCode, 0x10) - 1)
  }
}
