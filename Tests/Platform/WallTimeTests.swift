// Wall-clock times as text.

import Testing

@testable import TappetPlatform

@Suite struct WallTimeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (1_795_352_467_250, "2026-11-22T13:01:07.250Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
  ]) func `times for programs are written as RFC 3339 in UTC, with milliseconds`(_ time: (Int64, String)) {
    #expect(WallTime.utc(unixMilliseconds: time.0) == time.1)
    #expect(WallTime.unixMilliseconds(utc: time.1) == time.0)
  }

  @Test(arguments: [Int64.min, .max, 253_402_300_800_000, -62_167_219_200_001])
  func `a time outside the range of RFC 3339 is not formatted`(_ time: Int64) {
    #expect(WallTime.utc(unixMilliseconds: time) == nil)
  }
}
