/// The number and duration of the chip's attempts (RFConfiguration, UM0701-02 §7.3.1).

/// The settings of RFConfiguration's items 2, 4 and 5, with their values after a reset.
struct PN532Retries {
  /// MxRtyPassiveActivation: attempts after the first; 0xFF means unlimited.
  var passiveActivation: UInt8 = 0xFF
  /// MaxRtyCOM: retries of an exchange.
  var exchange: UInt8 = 0x00
  /// Code of fRetryTimeout; 0x0A means 51.2 ms.
  var timeoutCode: UInt8 = 0x0A

  /// Response timeout of an exchange, in nanoseconds: 100 us, doubled by each step of the code; code 0 means no limit
  /// on the chip, and 3.3 s here.
  var timeout: Int64 {
    timeoutCode == 0 ? 3_276_800_000 : 100_000 << Int64(min(timeoutCode, 0x10) - 1)
  }
}
